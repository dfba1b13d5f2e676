//! What a bench reports.

use std::fmt;

use crate::verilated::ModelError;

/// A rule of AXI4-Stream or AXI4-Lite, as checked on every port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `tvalid` and the payload stay until `tready`.
    Stable,
    /// `tkeep` has no holes and begins at lane 0.
    KeepContiguous,
    /// `tkeep` is full except on the last beat.
    KeepFull,
    /// No beat without a byte.
    NullBeat,
    /// `tuser`, but for the bad bit, is the same on all beats of a frame.
    UserHeld,
    /// A frame ends, within the length allowed.
    FrameEnds,
    /// At the end of the run no frame is open.
    FrameComplete,
    /// A response stays until its ready.
    ResponseStable,
    /// A response comes after its request, and only one.
    ResponseAsked,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Stable => "once tvalid is up, it and the payload stay until tready",
            Rule::KeepContiguous => "tkeep is contiguous from lane 0",
            Rule::KeepFull => "tkeep is full except on the last beat",
            Rule::NullBeat => "tkeep is never zero",
            Rule::UserHeld => "tuser is held through the frame, but for the bad bit",
            Rule::FrameEnds => "a frame ends with tlast",
            Rule::FrameComplete => "a frame comes out whole or not at all",
            Rule::ResponseStable => "once a response is valid, it and its payload stay until ready",
            Rule::ResponseAsked => "a response comes once, after its request was taken",
        })
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The stream, by its port prefix without the last `_`.
    pub stream: String,
    /// The cycle, counted from the first step.
    pub cycle: u64,
    /// The rule.
    pub rule: Rule,
    /// What was seen instead.
    pub seen: String,
    /// The last beats on the stream, one a line; empty if there were none.
    pub beats: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at cycle {}: broken rule: {}; {}", self.stream, self.cycle, self.rule, self.seen)?;
        if self.beats.is_empty() { Ok(()) } else { write!(f, "\nlast beats:\n{}", self.beats) }
    }
}

/// A run ended early.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BenchError {
    /// An assertion in the Verilog failed, or a port is missing.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A bus rule was broken.
    #[error("{0}")]
    Violation(Box<Violation>),
    /// A port has a width that the drivers do not take.
    #[error("port {port} is {width} bits wide; {wanted}")]
    Width {
        /// The port.
        port: String,
        /// Its width.
        width: u32,
        /// What would do.
        wanted: &'static str,
    },
    /// A frame of no bytes cannot be put on a stream.
    #[error("{stream}: a frame of no bytes cannot be sent; leave it out")]
    EmptyFrame {
        /// The stream.
        stream: String,
    },
    /// An AXI4-Lite access was not answered.
    #[error("{bus} at cycle {cycle}: {access} had no answer within {cycles} cycles; it waits for {waits_for}")]
    NoAnswer {
        /// The bus.
        bus: String,
        /// When the wait was given up.
        cycle: u64,
        /// The access, with its address.
        access: String,
        /// The limit.
        cycles: u64,
        /// The signal that did not come.
        waits_for: &'static str,
    },
    /// What was awaited did not come.
    #[error("at cycle {cycle}: {what} did not come about within {cycles} cycles; {state}")]
    Timeout {
        /// When the wait was given up.
        cycle: u64,
        /// What was awaited.
        what: String,
        /// The limit.
        cycles: u64,
        /// What the streams hold.
        state: String,
    },
}

impl From<Violation> for BenchError {
    fn from(violation: Violation) -> Self {
        Self::Violation(Box::new(violation))
    }
}
