//! Formal proofs of the blocks' contracts, by k-induction with yices through sby.
//!
//! A proof is about a *harness*: a block that instantiates the one to be proved as `dut` and asserts what it promises.
//! The `dut`'s own properties take part: its `assume`s bind the free inputs, its `assert`s are proved too. Some of the
//! harness's inputs are tied ([`Tie`]) to an arbitrary constant or to a signal inside the block, so that the harness can
//! state what the induction needs to know of the block's insides without the block having a port for it.
//!
//! Each proof has two parts: every `assert` holds in every reachable state, and every `cover` is reached. The reset is
//! high at first and free from then on.

mod arbiter;
mod fifo;
mod frame_fifo;
mod list;
mod skid;
mod task;
mod trace;
mod watch;

pub use list::{faults, proofs};
pub use task::ProveError;

use hdl::{Design, ElabErrors};
use std::{fmt, path::Path, time::Duration};

/// What an input of a harness is tied to; an input without a tie is free.
#[derive(Clone, Copy, Debug)]
pub enum Tie {
    /// A constant, and any constant.
    Arbitrary,
    /// A signal in the block, by its name within the harness: `dut.kept_valid`.
    Inside(&'static str),
}

/// A proof that can be run.
#[derive(Clone, Copy, Debug)]
pub struct Proof {
    /// Its name, for `em prove NAME`: the block's and what distinguishes its configuration.
    pub name: &'static str,
    /// One sentence on what is proved.
    pub about: &'static str,
    /// Steps of the induction; the base case is checked up to as many clocks after reset.
    pub depth: u32,
    /// Clocks within which every cover must be reached.
    pub cover_depth: u32,
    /// The harness.
    pub design: fn() -> Result<Design, ElabErrors>,
    /// The harness's inputs that are tied.
    pub ties: &'static [(&'static str, Tie)],
}

/// A fault put into a block's Verilog, to see that its proof fails.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The proof that must fail.
    pub proof: &'static str,
    /// What is broken.
    pub about: &'static str,
    /// The file that is changed, without `.v`.
    pub module: &'static str,
    /// Text that stands in it exactly once.
    pub from: &'static str,
    /// What it is replaced with.
    pub to: &'static str,
}

/// How a part of a proof ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// As it should: proved, or every cover reached.
    Holds,
    /// It does not hold: the properties' sentences, and a run that shows it.
    Refuted {
        /// `label: sentence` of what failed, or of the covers that were not reached.
        failed: Vec<String>,
        /// The last clocks of the run, as text; empty for covers.
        trace: String,
    },
    /// It holds after reset for as many clocks as were tried, but not by induction: an invariant is missing, or it does
    /// not hold later.
    NotInductive {
        /// `label: sentence` of what the induction step could not show.
        failed: Vec<String>,
        /// The run, from a state that may be unreachable.
        trace: String,
    },
}

/// What came of a proof.
#[derive(Clone, Debug)]
pub struct Report {
    /// The proof.
    pub name: &'static str,
    /// Steps of the induction.
    pub depth: u32,
    /// The assertions.
    pub prove: Verdict,
    /// The covers.
    pub cover: Verdict,
    /// How many assertions and covers there were.
    pub counts: [usize; 2],
    /// Time on the clock.
    pub time: Duration,
}

impl Report {
    /// Do all assertions hold, and are all covers reached?
    pub fn holds(&self) -> bool {
        self.prove == Verdict::Holds && self.cover == Verdict::Holds
    }
}

impl Proof {
    /// Runs the proof in `folder`, which is made and left with sby's files.
    ///
    /// # Errors
    /// The harness does not elaborate, a tool is missing or fails for another reason than the properties.
    pub fn run(&self, folder: &Path) -> Result<Report, ProveError> {
        task::run(self, None, folder)
    }

    /// Runs the proof on a block with a fault in it; only the assertions matter, `cover` is not looked at.
    ///
    /// # Errors
    /// As [`Proof::run`]; also if the fault's text does not stand in the Verilog exactly once.
    pub fn run_with(&self, fault: &Fault, folder: &Path) -> Result<Report, ProveError> {
        task::run(self, Some(fault), folder)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [asserts, covers] = self.counts;
        let depth = self.depth;
        write!(f, "{}: ", self.name)?;
        match &self.prove {
            Verdict::Holds => write!(f, "{asserts} assertions proved by {depth}-induction")?,
            Verdict::Refuted { .. } => write!(f, "refuted")?,
            Verdict::NotInductive { .. } => write!(f, "holds for {depth} clocks after reset, but not by induction")?,
        }
        match &self.cover {
            Verdict::Holds => write!(f, ", {covers} covers reached")?,
            _ => write!(f, ", not every cover reached")?,
        }
        write!(f, " ({:.1} s)", self.time.as_secs_f64())?;
        for verdict in [&self.prove, &self.cover] {
            if let Verdict::Refuted { failed, trace } | Verdict::NotInductive { failed, trace } = verdict {
                write!(f, "\n{}\n{trace}", lines(failed))?;
            }
        }
        Ok(())
    }
}

fn lines(sentences: &[String]) -> String {
    sentences.iter().map(|s| format!("  {s}")).collect::<Vec<_>>().join("\n")
}
