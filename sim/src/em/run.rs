//! From files to files: a rules file and a capture in, the captures of each output and a summary out.

use super::{EmSim, Replay, Setup, SimError};
use crate::{
    capture::{Capture, CaptureError, PcapFile, PcapngFile, read as read_capture},
    program,
    verilated::Trace,
};
use em_rtl::{
    config::Profile,
    outcome::{Kind, Outcome},
};
use em_rules::{Mode, Rules, RulesError, Unmatched};
use std::{
    collections::{BTreeMap, HashMap, HashSet, btree_map::Entry},
    path::{Path, PathBuf},
};

/// What to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The hardware.
    pub profile: Profile,
    /// The rules file.
    pub rules: PathBuf,
    /// Frames from the host.
    pub host_in: PathBuf,
    /// The function that sends them, where the capture does not say.
    pub host_function: Option<u16>,
    /// Folder for the captures of what comes out.
    pub out_dir: PathBuf,
    /// Waveforms of the whole run.
    pub trace: Option<PathBuf>,
    /// Percent of random stalls.
    pub stall: u8,
    /// Seed of the stalls and of undefined start values.
    pub seed: u64,
    /// Clock that the output's times and the rate are stated at, in MHz.
    pub clock_mhz: f64,
}

impl Request {
    /// The captures that a run writes.
    fn outputs(&self) -> [PathBuf; 2] {
        ["net0.pcap", "punt.pcapng"].map(|name| self.out_dir.join(name))
    }
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The rules file, or rules that this hardware cannot hold.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// A capture.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The capture does not say which function its frames are from.
    #[error(
        "{file} does not say which function sent its frames ({what}). Give --host-function N, or name the interface fnN."
    )]
    NoFunction {
        /// The capture.
        file: String,
        /// What it says instead.
        what: String,
    },
    /// A function number that does not exist.
    #[error("{file}: the interface fn{number} names a function beyond 65535. Name the interface fn0 to fn65535.")]
    FunctionRange {
        /// The capture.
        file: String,
        /// The number.
        number: u32,
    },
    /// The kind of waveform is told by the file's ending.
    #[error("the trace file {0} ends neither in .vcd nor in .fst. Give it one of these endings.")]
    TraceKind(String),
    /// The waveforms have no place.
    #[error("the trace file {0} cannot be written: it is a folder, or its folder does not exist. Check the path.")]
    TracePlace(String),
    /// Something that is no file has the name of an output.
    #[error("{0} is in the way of an output, as it is not a regular file. Remove it, or give another folder.")]
    InTheWay(String),
    /// Two of the paths are one file.
    #[error("{written} would overwrite {other}, which this run also needs. Give another path.")]
    Overwrites {
        /// What would be written.
        written: String,
        /// What it would replace.
        other: String,
    },
    /// A folder cannot be made or written to.
    #[error("{path}: cannot be made or written to ({cause}). Check the path and its permissions.")]
    OutDir {
        /// The folder.
        path: String,
        /// What the operating system said.
        cause: std::io::Error,
    },
    /// The simulation itself.
    #[error(transparent)]
    Sim(#[from] SimError),
}

impl RunError {
    /// Is it something that the user gave?
    pub fn is_bad_input(&self) -> bool {
        !matches!(self, RunError::Sim(_))
    }
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Frames and bytes in and out, counters, clocks.
    pub replay: Replay,
    /// Frames punted, by reason.
    pub punted: BTreeMap<&'static str, u64>,
    /// Frames dropped, by reason.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Frames that left unchanged because a rule lets them pass.
    pub passed: u64,
    /// Files written.
    pub files: Vec<PathBuf>,
}

impl Summary {
    /// Frames that left with another address.
    pub fn translated(&self) -> u64 {
        self.replay.counters.forwarded_total().saturating_sub(self.passed)
    }

    /// Frames from the host in a clock.
    pub fn frames_per_clock(&self) -> f64 {
        self.replay.sent.frames as f64 / self.replay.clocks.max(1) as f64
    }

    /// Bits from the host in a second at this clock, in Gbit/s.
    pub fn gbit_per_s(&self, clock_mhz: f64) -> f64 {
        self.replay.sent.bytes as f64 * 8.0 / self.replay.clocks.max(1) as f64 * clock_mhz / 1e3
    }

    /// Share of clocks in which the host port took a beat.
    pub fn beat_efficiency(&self) -> f64 {
        self.replay.beats_in as f64 / self.replay.clocks.max(1) as f64
    }
}

/// Runs a capture through the verilated Execution Module. `stage` hears what is being done, `progress` the number of
/// frames taken and their total. Nothing is written unless the run succeeds.
pub fn run(
    request: &Request,
    mut stage: impl FnMut(&str),
    mut progress: impl FnMut(u64, u64),
) -> Result<Summary, RunError> {
    let rules = Rules::load(&request.rules)?;
    let writes = program::compile(&rules, &request.profile.name, &request.profile.config.lookup())?;
    let capture = read_capture(&request.host_in)?;
    let functions = functions_of(&capture, request)?;
    let trace = match &request.trace {
        None => Trace::None,
        Some(path) => trace_kind(path)?,
    };
    check_places(request)?;
    let _out_dir = OutDir::make(&request.out_dir)?;
    let setup = Setup { stall: request.stall, seed: request.seed, trace, ..Setup::new(request.profile.config.clone()) };
    stage("building the simulation");
    let mut em = EmSim::start(&setup)?;
    stage("installing the rules");
    em.program(&writes)?;
    stage("running");
    if let Some(path) = &request.trace {
        em.bench.model.trace_on(path).map_err(SimError::from)?;
    }
    let total = capture.frames.len() as u64;
    let frames = capture.frames.iter().map(|f| (functions[f.interface], false, f.data.as_slice()));
    let replay = em.replay(frames, |done| progress(done, total))?;
    em.bench.model.trace_off();
    // A trace that could not be written to its end is a failure of the model.
    em.bench.model.eval().map_err(SimError::from)?;
    let passed = count_passed(&rules, &capture, &functions, &replay);
    let mut files = write(request, &capture, &replay)?;
    files.extend(request.trace.clone());
    let by_reason = |kind: Kind| -> BTreeMap<&'static str, u64> {
        let rows = replay.counters.outcomes.iter().filter(|(o, n)| o.kind() == kind && *n > 0);
        rows.map(|(o, n)| (o.name(), *n)).collect()
    };
    Ok(Summary { punted: by_reason(Kind::Punt), dropped: by_reason(Kind::Drop), replay, passed, files })
}

/// Every output can have its name, and none replaces an input or another output.
fn check_places(request: &Request) -> Result<(), RunError> {
    let outputs = request.outputs();
    if let Some(path) = outputs.iter().find(|p| p.metadata().is_ok_and(|m| !m.is_file())) {
        return Err(RunError::InTheWay(path.display().to_string()));
    }
    let mut taken = vec![request.host_in.as_path(), &request.rules];
    for written in outputs.iter().chain(&request.trace) {
        if let Some(other) = taken.iter().find(|other| real(other) == real(written)) {
            let [written, other] = [written.as_path(), *other].map(|p| p.display().to_string());
            return Err(RunError::Overwrites { written, other });
        }
        taken.push(written);
    }
    Ok(())
}

/// The path without links, where its folder exists.
fn real(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

/// The folder for what comes out; if it was made for a run that fails, it goes again.
struct OutDir<'a> {
    path: &'a Path,
    new: bool,
}

impl<'a> OutDir<'a> {
    /// Makes the folder and sees whether a file can be made in it, so that a run does not end for nothing.
    fn make(path: &'a Path) -> Result<Self, RunError> {
        let failed = |cause| RunError::OutDir { path: path.display().to_string(), cause };
        let new = !path.exists();
        std::fs::create_dir_all(path).map_err(failed)?;
        let made = OutDir { path, new };
        tempfile::tempfile_in(path).map_err(failed)?;
        Ok(made)
    }
}

impl Drop for OutDir<'_> {
    fn drop(&mut self) {
        if self.new {
            // Refused, as it should be, when there are files in it.
            _ = std::fs::remove_dir(self.path);
        }
    }
}

fn trace_kind(path: &Path) -> Result<Trace, RunError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() || !folder.is_dir() {
        return Err(RunError::TracePlace(path.display().to_string()));
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("vcd") => Ok(Trace::Vcd),
        Some("fst") => Ok(Trace::Fst),
        _ => Err(RunError::TraceKind(path.display().to_string())),
    }
}

/// The function of each interface; 0 for one without frames, which needs none.
fn functions_of(capture: &Capture, request: &Request) -> Result<Vec<u16>, RunError> {
    let file = || request.host_in.display().to_string();
    let carries: HashSet<usize> = capture.frames.iter().map(|f| f.interface).collect();
    let interfaces = capture.interfaces.iter().enumerate();
    let functions = interfaces.map(|(at, i)| match (i.function(), request.host_function) {
        _ if !carries.contains(&at) => Ok(0),
        (Some(n), _) => u16::try_from(n).map_err(|_| RunError::FunctionRange { file: file(), number: n }),
        (None, Some(n)) => Ok(n),
        (None, None) => {
            let unnamed = || "its interface has no name, as in every classic pcap".into();
            let what = i.name.as_ref().map_or_else(unnamed, |n| format!("its interface is called `{n}`"));
            Err(RunError::NoFunction { file: file(), what })
        }
    });
    functions.collect()
}

/// How many frames left as they came, of the functions that may let frames pass. The hardware has one counter for all
/// that leaves by net0.
fn count_passed(rules: &Rules, capture: &Capture, functions: &[u16], replay: &Replay) -> u64 {
    let passes = |id: u16| {
        rules
            .function(id)
            .is_some_and(|f| *f.mode == Mode::Pass || (*f.mode == Mode::Nat && *f.unmatched == Unmatched::Pass))
    };
    let mut sent: HashMap<&[u8], u64> = HashMap::new();
    for frame in capture.frames.iter().filter(|f| passes(functions[f.interface])) {
        *sent.entry(&frame.data).or_default() += 1;
    }
    let unchanged = replay.outputs.net0.iter().filter(|f| match sent.get_mut(f.frame.as_slice()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    });
    unchanged.count() as u64
}

/// Writes `net0.pcap` and `punt.pcapng`. Times are the clocks of the run after the input's first frame.
fn write(request: &Request, capture: &Capture, replay: &Replay) -> Result<Vec<PathBuf>, CaptureError> {
    let start = capture.frames.first().map_or(0, |f| f.time_ns);
    let time = |clock: u64| start.saturating_add((clock as f64 * 1e3 / request.clock_mhz) as u64);
    let [net0_path, punt_path] = request.outputs();
    let mut net0 = PcapFile::create(&net0_path)?;
    for f in &replay.outputs.net0 {
        net0.write(time(f.clock), &f.frame)?;
    }
    let mut punt = PcapngFile::create(&punt_path)?;
    let mut interfaces: BTreeMap<u16, u32> = BTreeMap::new();
    for p in &replay.outputs.punted {
        let interface = match interfaces.entry(p.function) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => *new.insert(punt.interface(&format!("fn{}", p.function))?),
        };
        let reason = p.reason.map_or("unknown", Outcome::name);
        punt.write(interface, time(p.clock), &p.frame, Some(reason))?;
    }
    // Neither file is replaced unless both are whole.
    let (net0, punt) = (net0.close()?, punt.close()?);
    net0.name()?;
    punt.name()?;
    Ok(vec![net0_path, punt_path])
}
