//! Properties while a design runs: what failed, with the waveform that led there, and what was covered.

use crate::ir::PropKind;
use std::fmt;

/// Cycles before a failure that its waveform shows.
pub(super) const HISTORY: usize = 12;
/// Failures kept; a broken design fails on every cycle.
pub(super) const KEPT: usize = 50;

/// A property that did not hold.
#[derive(Clone, Debug)]
pub struct Failure {
    /// An assertion or an assumption.
    pub kind: PropKind,
    /// The property's label.
    pub name: String,
    /// The sentence of the contract that was broken.
    pub message: String,
    /// Hierarchical name of the instance; empty for the top.
    pub instance: String,
    /// Cycle, counted from the last reset.
    pub cycle: u64,
    /// Rust file.
    pub file: &'static str,
    /// Line in it.
    pub line: u32,
    /// The instance's ports in the last cycles.
    pub waveform: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            PropKind::Assert => "assertion",
            PropKind::Assume => "assumption",
            PropKind::Cover => "cover",
        };
        let place = if self.instance.is_empty() { String::from("the top") } else { format!("`{}`", self.instance) };
        writeln!(f, "cycle {}: {kind} `{}` of {place} fails: {}", self.cycle, self.name, self.message)?;
        writeln!(f, "  stated at {}:{}", self.file, self.line)?;
        self.waveform.lines().try_for_each(|l| writeln!(f, "  {l}"))
    }
}

/// All failures so far, in order.
#[derive(Clone)]
pub struct Failures(pub Vec<Failure>);

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = self.0.len().saturating_sub(3);
        self.0.iter().take(3).try_for_each(|x| write!(f, "{x}"))?;
        if more > 0 { writeln!(f, "and {more} more failures") } else { Ok(()) }
    }
}

/// As text too: a test's `unwrap()` must show the waveform as it is.
impl fmt::Debug for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Failures {}

/// A property with the places of its condition and its domain's reset.
pub(super) struct Check {
    /// Index in the flat design's properties.
    pub prop: usize,
    pub cond: u32,
    pub reset: u32,
    pub clock: usize,
}

/// Ports of one instance: name's index and words in the history.
pub(super) struct Seen {
    pub scope: usize,
    /// Signal, offset in a history entry.
    pub sigs: Vec<(usize, usize)>,
}

#[derive(Default)]
pub(super) struct Properties {
    pub off: bool,
    /// None until the first edge with properties on.
    pub checks: Option<Vec<Check>>,
    /// By property of the flat design: cycles in which a cover held.
    pub covered: Vec<u64>,
    pub failures: Vec<Failure>,
    /// Failures that [`super::Sim::check`] or [`super::Sim::failures`] has shown.
    pub reported: usize,
    pub seen: Vec<Seen>,
    /// What is copied at each edge: place and words.
    pub copied: Vec<(u32, u32)>,
    /// The last entries; entry `i` is at `i % HISTORY`.
    pub history: Vec<Vec<u64>>,
    pub entries: usize,
}

impl Properties {
    /// Keeps the ports' values of the cycle that ends.
    pub fn remember(&mut self, m: &[u64]) {
        let i = self.entries % HISTORY;
        if self.history.len() <= i {
            self.history.push(Vec::new());
        }
        let entry = &mut self.history[i];
        entry.clear();
        for (at, n) in &self.copied {
            entry.extend_from_slice(&m[*at as usize..(*at + *n) as usize]);
        }
        self.entries += 1;
    }

    /// The entries kept, the oldest first.
    pub fn kept(&self) -> impl Iterator<Item = &Vec<u64>> {
        (self.entries.saturating_sub(HISTORY)..self.entries).map(|i| &self.history[i % HISTORY])
    }
}
