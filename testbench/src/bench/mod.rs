//! How fast frames go through the emitted Verilog of a whole EM, by length and direction, counted in clocks.
//!
//! For each length, direction and state of the tables, frames go back to back for long enough, and nothing holds the outputs
//! up; then one frame goes through an idle EM. The bound is one frame every max(beats in, beats out) clocks.
//! The frames are UDP datagrams that 1:1 NAT translates; each that comes out is checked.

mod measure;
mod updates;

pub use measure::{BenchError, Measured, Probe};

use em_rtl::{config::Profile, top::EmTop};
use em_sim::{em::Setup, verilated};
use serde::Serialize;
use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Which way frames go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dir {
    /// Host to network.
    Tx,
    /// Network to host.
    Rx,
    /// Both at once.
    Both,
}

impl Dir {
    /// All of them.
    pub const ALL: [Dir; 3] = [Dir::Tx, Dir::Rx, Dir::Both];

    /// Name in `--json`.
    pub const fn name(self) -> &'static str {
        match self {
            Dir::Tx => "tx",
            Dir::Rx => "rx",
            Dir::Both => "both",
        }
    }
}

/// One length in one direction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Profile.
    pub profile: String,
    /// Direction.
    pub dir: Dir,
    /// What is done with the frames.
    pub mode: &'static str,
    /// The tables were being rewritten without pause meanwhile.
    pub updates: bool,
    /// Bytes of a frame, without FCS.
    pub frame_bytes: usize,
    /// Frames in a clock, of the slower direction if there are two, and of the slower side of the EM.
    pub frames_per_clock: f64,
    /// What the beats allow: 1 / max(beats in, beats out).
    pub bound: f64,
    /// Frames went at the bound exactly.
    pub no_bubbles: bool,
    /// Clocks from the last beat in to the first beat out on an idle EM, of the slower direction.
    pub latency_clocks: u64,
    /// Beats of a frame.
    pub beats: u64,
    /// Frames that were sent in each direction.
    pub frames: u64,
    /// Table commands that were carried out meanwhile.
    pub table_commands: u64,
}

/// A stage of the pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stage {
    /// Its name.
    pub name: &'static str,
    /// Clocks that it takes.
    pub clocks: u32,
}

/// The stages between the last beat in and the first beat out.
pub fn stages(profile: &Profile) -> Vec<Stage> {
    let top = EmTop { config: profile.config.clone() };
    top.stages().into_iter().map(|(name, clocks)| Stage { name, clocks }).collect()
}

/// What a bench came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Profile.
    pub profile: String,
    /// Bits of a beat.
    pub data_w: u32,
    /// The stages between the last beat in and the first beat out.
    pub stages: Vec<Stage>,
    /// By length, state of the tables and direction.
    pub rows: Vec<Row>,
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Lengths in bytes, without FCS.
    pub sizes: Vec<usize>,
    /// Frames go back to back for at least this many clocks.
    pub window: u64,
}

/// Lengths that show every kind of last beat and the ends of the range.
const QUICK: [usize; 22] =
    [60, 61, 63, 64, 65, 96, 127, 128, 129, 191, 192, 193, 255, 256, 257, 511, 512, 513, 1023, 1024, 1514, 1518];
/// The longest frame without an 802.1Q tag that Ethernet carries, without FCS.
const ETHERNET_MAX: usize = 1518;
/// A jumbo frame, as many networks carry them.
const JUMBO: usize = 9018;
/// Longest frame of hardware that takes no jumbo frames but every length up to its end.
const SMALL_MAX: usize = 2048;

impl Plan {
    /// Every length from 60 bytes on: to 1,518 and then 9,018 where the profile takes it, else to its longest frame up to
    /// 2,048.
    pub fn full(profile: &Profile) -> Plan {
        let longest = profile.config.max_frame as usize;
        let sizes = match longest >= JUMBO {
            true => (60..=ETHERNET_MAX).chain([JUMBO]).collect(),
            false => (60..=longest.min(SMALL_MAX)).collect(),
        };
        Plan { sizes, window: 1500 }
    }

    /// Some lengths only, in seconds.
    pub fn quick(profile: &Profile) -> Plan {
        let longest = profile.config.max_frame as usize;
        let last = if longest >= JUMBO { JUMBO } else { longest.min(SMALL_MAX) };
        Plan { sizes: QUICK.into_iter().filter(|size| *size < last).chain([last]).collect(), window: 1500 }
    }

    /// Rows that it leads to.
    pub fn rows(&self) -> usize {
        self.sizes.len() * Dir::ALL.len() * 2
    }
}

/// Measures. `progress` hears how many rows are done.
///
/// # Errors
/// A simulation that fails, or a frame that does not come out as it should.
pub fn run(profile: &Profile, plan: &Plan, progress: impl Fn(usize) + Sync) -> Result<Report, BenchError> {
    let setup = Setup::new(profile.config.clone());
    let library = verilated::build(&setup.spec()?).map_err(em_sim::em::SimError::from)?;
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let rows = Mutex::new(Vec::with_capacity(plan.rows()));
    let work = || -> Result<(), BenchError> {
        let mut probe = Probe::new(profile, &library, &setup)?;
        // A few lengths at a time, so that all workers end together.
        while let Some(sizes) = plan.sizes.chunks(8).nth(next.fetch_add(1, Ordering::Relaxed)) {
            for size in sizes {
                let measured = probe.size(*size, plan.window)?;
                rows.lock().unwrap_or_else(|e| e.into_inner()).extend(measured);
                progress(done.fetch_add(2 * Dir::ALL.len(), Ordering::Relaxed) + 2 * Dir::ALL.len());
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers.max(1)).map(|_| scope.spawn(work)).collect();
        let ends = threads.into_iter().map(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ends.collect::<Vec<_>>().into_iter().collect::<Result<(), _>>()
    })?;
    let mut rows = rows.into_inner().unwrap_or_else(|e| e.into_inner());
    rows.sort_by_key(|row: &Row| (row.frame_bytes, row.updates, row.dir));
    Ok(Report { profile: profile.name.clone(), data_w: profile.config.data_w, stages: stages(profile), rows })
}
