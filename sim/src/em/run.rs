//! From files to files: a rules file and captures in, the captures of each output and a summary out.

use super::{
    EmSim, Entry, Input, Replay, Setup, SimError, deliver,
    feed::Feed,
    places::{self, OutDir},
};
use crate::{capture::CaptureError, program, verilated::Trace};
use em_rtl::{config::Profile, outcome::Kind};
use em_rules::{Mode, NotForUs, Rules, RulesError, Unmatched};
use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
};

/// What to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The hardware.
    pub profile: Profile,
    /// The rules file.
    pub rules: PathBuf,
    /// The captures of the frames for each input. Those for the host tell the function by an interface `fnN`, those to be
    /// injected where they are to leave, by an interface `host.fnN`, `net0`, `net1` or `uplink`.
    pub inputs: BTreeMap<Input, PathBuf>,
    /// The function that sends frames from the host, where the capture does not say.
    pub host_function: Option<u16>,
    /// Status of the links of net0 and net1: true is up.
    pub links: [bool; 2],
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
    /// A plain run of this profile: no input yet, both links up, no stalls, no waveforms, 125 MHz.
    pub fn new(profile: Profile, rules: impl Into<PathBuf>, out_dir: impl Into<PathBuf>) -> Self {
        Request {
            profile,
            rules: rules.into(),
            inputs: BTreeMap::new(),
            host_function: None,
            links: [true; 2],
            out_dir: out_dir.into(),
            trace: None,
            stall: 0,
            seed: 1,
            clock_mhz: 125.0,
        }
    }

    /// The captures that a run writes, in the order of [`Output::ALL`](super::Output::ALL).
    pub(super) fn outputs(&self) -> [PathBuf; 4] {
        ["host.pcapng", "net0.pcap", "net1.pcap", "punt.pcapng"].map(|name| self.out_dir.join(name))
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
    /// The capture does not say where its frames are to leave.
    #[error(
        "{file} does not say where its frames are to leave ({what}). Name the interface host.fnN, net0, net1 or uplink."
    )]
    NoEgress {
        /// The capture.
        file: String,
        /// What it says instead.
        what: String,
    },
    /// A function number that does not exist.
    #[error("{file}: an interface's name has function {number}, which is beyond 65535. Name it with fn0 to fn65535.")]
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
        !matches!(self, RunError::Sim(error) if !matches!(error, SimError::NoPort(_)))
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
    /// Injected frames that left.
    pub injected: u64,
    /// Files written.
    pub files: Vec<PathBuf>,
}

impl Summary {
    /// Frames that left with another address.
    pub fn translated(&self) -> u64 {
        self.replay.counters.total(Kind::Forward).saturating_sub(self.passed + self.injected)
    }

    /// Inputs that frames were sent into.
    fn inputs(&self) -> impl Iterator<Item = Input> + '_ {
        Input::ALL.into_iter().filter(|i| self.replay.sent(*i).frames > 0)
    }

    /// Frames in a clock, over all inputs.
    pub fn frames_per_clock(&self) -> f64 {
        self.replay.sent_total().frames as f64 / self.replay.clocks.max(1) as f64
    }

    /// Bits in a second at this clock over all inputs, in Gbit/s.
    pub fn gbit_per_s(&self, clock_mhz: f64) -> f64 {
        self.replay.sent_total().bytes as f64 * 8.0 / self.replay.clocks.max(1) as f64 * clock_mhz / 1e3
    }

    /// Share of clocks in which an input in use took a beat.
    pub fn beat_efficiency(&self) -> f64 {
        let beats: u64 = self.inputs().map(|i| self.replay.beats_in(i)).sum();
        beats as f64 / (self.replay.clocks.max(1) * self.inputs().count().max(1) as u64) as f64
    }
}

/// Runs captures through the verilated Execution Module. `stage` hears what is being done, `progress` the number of
/// frames taken and their total. Nothing is written unless the run succeeds.
pub fn run(
    request: &Request,
    mut stage: impl FnMut(&str),
    mut progress: impl FnMut(u64, u64),
) -> Result<Summary, RunError> {
    let rules = Rules::load(&request.rules)?;
    let writes = program::compile(&rules, &request.profile.name, &request.profile.config.map())?;
    let feed = Feed::load(request)?;
    let trace = match &request.trace {
        None => Trace::None,
        Some(path) => places::trace_kind(path)?,
    };
    places::check(request)?;
    let _out_dir = OutDir::make(&request.out_dir)?;
    let setup = Setup { stall: request.stall, seed: request.seed, trace, ..Setup::new(request.profile.config.clone()) };
    stage("building the simulation");
    let mut em = EmSim::start(&setup)?;
    em.set_links(request.links);
    stage("installing the rules");
    em.program(&writes)?;
    stage("running");
    if let Some(path) = &request.trace {
        em.bench.model.trace_on(path).map_err(SimError::from)?;
    }
    let total = feed.frames.len() as u64;
    let frames = feed.frames.iter().map(|(entry, data)| (*entry, false, data.as_slice()));
    let replay = em.replay(frames, |done| progress(done, total))?;
    em.bench.model.trace_off();
    // A trace that could not be written to its end is a failure of the model.
    em.bench.model.eval().map_err(SimError::from)?;
    let (passed, injected) = count_unchanged(&rules, &feed, &replay);
    let mut files = deliver::write(request, &feed, &replay)?;
    files.extend(request.trace.clone());
    let by_reason = |kind: Kind| -> BTreeMap<&'static str, u64> {
        let rows = replay.counters.outcomes.iter().filter(|(o, n)| o.kind() == kind && *n > 0);
        rows.map(|(o, n)| (o.name(), *n)).collect()
    };
    Ok(Summary { punted: by_reason(Kind::Punt), dropped: by_reason(Kind::Drop), replay, passed, injected, files })
}

/// How many frames left as they came because the rules let them pass, and how many because they were injected. The
/// hardware counts frames by where they leave.
fn count_unchanged(rules: &Rules, feed: &Feed, replay: &Replay) -> (u64, u64) {
    let passes = |mode, unmatched| mode == Mode::Pass || (mode == Mode::Nat && unmatched == Unmatched::Pass);
    let function_passes = |id: u16| rules.function(id).is_some_and(|f| passes(*f.mode, *f.unmatched));
    let any_to_host = *rules.port.not_for_us == NotForUs::Pass || rules.functions.iter().any(|f| *f.mode == Mode::Pass);
    // Of frames with these bytes: those that may pass, and those injected.
    let mut sent: HashMap<&[u8], [u64; 2]> = HashMap::new();
    for (entry, data) in &feed.frames {
        let kind = match entry {
            Entry::Host { function } if function_passes(*function) => 0,
            Entry::Net0 | Entry::Net1 if any_to_host => 0,
            Entry::Inject { .. } => 1,
            Entry::Host { .. } | Entry::Net0 | Entry::Net1 => continue,
        };
        sent.entry(data).or_default()[kind] += 1;
    }
    let mut unchanged = [0; 2];
    let outputs = &replay.outputs;
    for frame in outputs.host.iter().chain(&outputs.net0).chain(&outputs.net1) {
        let left = sent.get_mut(frame.frame.as_slice());
        if let Some((left, kind)) = left.and_then(|left| left.iter_mut().zip(0..).find(|(left, _)| **left > 0)) {
            *left -= 1;
            unchanged[kind] += 1;
        }
    }
    (unchanged[0], unchanged[1])
}
