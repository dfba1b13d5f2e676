//! A second bench for the same Verilog: cocotb with cocotbext-axi, as an independent check and as a measure of speed.
//!
//! `testbench/cocotb/em_top.py` drives the emitted `em_top` with drivers that nobody here wrote. [`compare`] sends the same
//! frames through it and through [`EmSim`], with the same register writes, Verilator flags and assertion setting, and
//! holds the outputs against each other.

use crate::em::{InFrame, provoke};
use em_rtl::{config::Profile, csr::Reg};
use em_rules::Rules;
use em_sim::{
    em::{EmSim, Entry, Input, Output, Replay, Setup, SimError},
    program,
};
use em_tools::{Tool, ToolError};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum CocotbError {
    /// The rules do not suit the hardware.
    #[error(transparent)]
    Rules(#[from] em_rules::RulesError),
    /// The simulation in Rust failed.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// cocotb is missing, or its run failed; the text says which.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The project's folder, where the bench is, is not known.
    #[error("the folder testbench/cocotb was not found. Run this in the project's folder, or set EM_ROOT to it.")]
    NoRoot,
    /// A file of the exchange with cocotb.
    #[error("cannot exchange {file} with cocotb: {cause}")]
    Exchange {
        /// The file.
        file: &'static str,
        /// What went wrong.
        cause: String,
    },
    /// The two benches saw different frames.
    #[error("{0}")]
    Differ(String),
}

/// How long a bench took for a number of frames.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Speed {
    /// Clocks from the first beat offered to the last frame out.
    pub clocks: u64,
    /// Seconds of real time.
    pub wall_s: f64,
    /// Seconds of processor time, in which other work on the machine counts little.
    pub cpu_s: f64,
    /// Frames in a second of processor time.
    pub frames_per_s: f64,
}

impl Speed {
    fn of(frames: u64, clocks: u64, wall_s: f64, cpu_s: f64) -> Speed {
        Speed { clocks, wall_s, cpu_s, frames_per_s: frames as f64 / cpu_s.max(1e-9) }
    }
}

/// What a comparison came to: both benches gave the same frames.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Frames sent.
    pub frames: u64,
    /// Frames that came out, by each bench.
    pub frames_out: u64,
    /// The simulation in Rust.
    pub em_sim: Speed,
    /// cocotb with cocotbext-axi.
    pub cocotb: Speed,
    /// Frames a second of the one by those of the other.
    pub ratio: f64,
}

/// How long the simulation in Rust is measured.
const MEASURED: Duration = Duration::from_millis(800);

/// Rules and frames for a measure of speed: frames of 64 bytes in both directions at once.
///
/// # Errors
/// Those of [`compare`].
pub fn compare_speed(profile: &Profile) -> Result<Comparison, CocotbError> {
    let rules = Rules::parse(provoke::RULES, "the bench's rules")?;
    let frames = (0..SPEED_FRAMES).map(|i| match i % 2 {
        0 => provoke::good(64, i as u8),
        _ => provoke::good_in(Entry::Net0, 64, i as u8),
    });
    compare(profile, &rules, &frames.collect::<Vec<_>>())
}

/// Frames of [`compare_speed`].
const SPEED_FRAMES: usize = 4000;

#[derive(Serialize)]
struct Job<'a> {
    top: &'a str,
    sources: Vec<&'a str>,
    verilator: Vec<String>,
    ready: (u32, u32),
    links: u8,
    writes: Vec<(u32, u32)>,
    frames: BTreeMap<&'a str, Vec<(u64, u8, String)>>,
    expected: BTreeMap<&'a str, usize>,
}

#[derive(Deserialize)]
struct Answer {
    frames: BTreeMap<String, Vec<(u64, String)>>,
    clocks: u64,
    wall_s: f64,
    cpu_s: f64,
}

/// A frame as it came out: its `tuser` and its bytes in hex.
type Seen = (u64, String);

/// Sends the frames through both benches; an error if a byte or a bit of `tuser` differs. Frames of several inputs may come
/// out of a port in another order, as the two benches offer them in other clocks.
///
/// # Errors
/// cocotb that is missing, with what installs it; a run that fails; frames that differ.
pub fn compare(profile: &Profile, rules: &Rules, frames: &[InFrame]) -> Result<Comparison, CocotbError> {
    let writes = program::compile(rules, &profile.name, &profile.config.map())?;
    let bench = em_tools::root().map(|root| root.join("testbench/cocotb/run.py")).filter(|file| file.is_file());
    let (bench, mut command) = (bench.ok_or(CocotbError::NoRoot)?, em_tools::command(Tool::Cocotb)?);
    let setup = Setup::new(profile.config.clone());
    let spec = setup.spec()?;
    let mut em = EmSim::start(&setup)?;
    em.program(&writes)?;
    let input = || frames.iter().map(|f| (f.entry, f.bad, f.data.as_slice()));
    let replay = em.replay(input(), |_| {})?;
    let count = frames.len() as u64;
    // Many times over, as the system tells processor time in steps of milliseconds.
    let (wall, cpu) = (Instant::now(), cpu_seconds());
    let mut times = 0.0;
    while wall.elapsed() < MEASURED {
        em.replay(input(), |_| {})?;
        times += 1.0;
    }
    let wall_s = wall.elapsed().as_secs_f64();
    let cpu_s = cpu_seconds().zip(cpu).map_or(wall_s, |(now, before)| now - before);
    let em_sim = Speed::of(count, replay.clocks, wall_s / times, cpu_s / times);

    let ours = Output::ALL.map(|output| (stream(output.prefix()), seen(output, &replay)));
    let there = |prefix: &str| spec.ports.iter().any(|p| p.name == format!("{prefix}tvalid"));
    let inputs = Input::ALL.into_iter().filter(|i| there(i.prefix()));
    let job = Job {
        top: &spec.top,
        sources: spec.sources.iter().map(|(name, _)| name.as_str()).collect(),
        verilator: spec.options.verilator_flags(),
        ready: (Reg::Status.offset(), Reg::Status.field("ready").mask()),
        links: 0b11,
        writes: writes.iter().map(|w| (w.addr, w.data)).collect(),
        frames: inputs.map(|i| (stream(i.prefix()), offered(i, frames))).collect(),
        expected: Output::ALL
            .into_iter()
            .zip(&ours)
            .filter(|(o, _)| there(o.prefix()))
            .map(|(_, (name, frames))| (*name, frames.len()))
            .collect(),
    };
    let folder = tempfile::tempdir().map_err(|e| exchange("a folder", e))?;
    for (name, text) in &spec.sources {
        fs::write(folder.path().join(name), text).map_err(|e| exchange("the Verilog", e))?;
    }
    let text = serde_json::to_string(&job).map_err(|e| exchange("job.json", e))?;
    fs::write(folder.path().join("job.json"), text).map_err(|e| exchange("job.json", e))?;
    em_tools::run(command.arg(&bench).arg(folder.path()))?;
    let answer = read_answer(&folder.path().join("result.json"))?;
    for (name, frames) in &ours {
        same(name, frames, answer.frames.get(*name).map_or(&[][..], Vec::as_slice))?;
    }
    let cocotb = Speed::of(count, answer.clocks, answer.wall_s, answer.cpu_s);
    let frames_out = ours.iter().map(|(_, frames)| frames.len() as u64).sum();
    Ok(Comparison { frames: count, frames_out, em_sim, cocotb, ratio: em_sim.frames_per_s / cocotb.frames_per_s })
}

fn exchange(file: &'static str, cause: impl std::fmt::Display) -> CocotbError {
    CocotbError::Exchange { file, cause: cause.to_string() }
}

fn read_answer(path: &Path) -> Result<Answer, CocotbError> {
    let text = fs::read(path).map_err(|e| exchange("result.json", e))?;
    serde_json::from_slice(&text).map_err(|e| exchange("result.json", e))
}

/// The stream's name: its prefix without the last `_`.
fn stream(prefix: &'static str) -> &'static str {
    prefix.trim_end_matches('_')
}

/// What an input gets.
fn offered(input: Input, frames: &[InFrame]) -> Vec<(u64, u8, String)> {
    let frames = frames.iter().filter(|f| f.entry.input() == input);
    frames.map(|f| (f.entry.user(), u8::from(f.bad), hex(&f.data))).collect()
}

/// What our own bench saw at an output, `tuser` put together by the port list's bit numbers.
fn seen(output: Output, replay: &Replay) -> Vec<Seen> {
    let outputs = &replay.outputs;
    match output {
        Output::Host => outputs.host.iter().map(|f| (u64::from(f.function) << 1, hex(&f.frame))).collect(),
        Output::Net0 => outputs.net0.iter().map(|f| (0, hex(&f.frame))).collect(),
        Output::Net1 => outputs.net1.iter().map(|f| (0, hex(&f.frame))).collect(),
        Output::Punt => (outputs.punted.iter())
            .map(|p| {
                let reason = p.reason.map_or(0, |r| r.code());
                (reason | u64::from(p.port) << 6 | u64::from(p.function) << 8, hex(&p.frame))
            })
            .collect(),
    }
}

/// Both saw the same frames, as many times each.
fn same(name: &str, ours: &[Seen], theirs: &[Seen]) -> Result<(), CocotbError> {
    let sorted = |frames: &[Seen]| {
        let mut frames = frames.to_vec();
        frames.sort();
        frames
    };
    let (ours, theirs) = (sorted(ours), sorted(theirs));
    if ours == theirs {
        return Ok(());
    }
    let only =
        |a: &[Seen], b: &[Seen]| a.iter().find(|f| !b.contains(f)).map(|(user, hex)| format!("tuser {user:#x}, {hex}"));
    let of = |found: Option<String>| found.unwrap_or_else(|| "none, but another number of each".into());
    let text = format!(
        "{name}: em sim gave {} frames and cocotb {}\n  em sim alone: {}\n  cocotb alone: {}",
        ours.len(),
        theirs.len(),
        of(only(&ours, &theirs)),
        of(only(&theirs, &ours))
    );
    Err(CocotbError::Differ(text))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Seconds that this thread has run on a processor; `None` where the system does not tell.
fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_another_byte_is_named() {
        let (a, b) = ((0, "00".to_string()), (0, "01".to_string()));
        assert!(same("net0", &[a.clone(), b.clone()], &[b.clone(), a.clone()]).is_ok());
        let text = same("net0", &[a.clone(), a.clone()], &[a.clone(), b]).unwrap_err().to_string();
        assert!(
            text.contains("net0: em sim gave 2 frames and cocotb 2") && text.contains("cocotb alone: tuser 0x0, 01"),
            "{text}"
        );
        assert!(same("net0", std::slice::from_ref(&a), &[a.clone(), a.clone()]).is_err());
    }
}
