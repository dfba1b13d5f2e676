//! Bundles between the registers and the data paths: what is counted, and what is set.
//!
//! Each kind of event comes at most once a clock, and all of them may come in the same clock.

use crate::{lookup::TableEvents, outcome::Outcome};
use hdl::Bundle;

/// What a data path (`tx` or `rx`) says of a frame that has found its outcome: one event a frame.
#[derive(Bundle, Clone, Debug)]
pub struct PathEvents<S> {
    /// A frame has found its outcome.
    pub outcome_valid: S,
    /// The outcome's code.
    #[width(Outcome::WIDTH)]
    pub outcome: S,
    /// The frame belongs to `function`: always on `tx`, but for injected frames; on `rx` if a table knows it.
    pub function_known: S,
    /// The function that it belongs to; looked at with `function_known` only.
    #[width(16)]
    pub function: S,
    /// Bytes of the frame as it came in, without FCS.
    #[width(PortEvents::<hdl::Shape>::BYTES_W)]
    pub bytes: S,
}

/// What a port says of a frame that went by it.
#[derive(Bundle, Clone, Debug)]
pub struct PortEvents<S> {
    /// The last beat of a frame was transferred, good or bad.
    pub frame: S,
    /// Bytes of the frame, without FCS.
    #[width(PortEvents::<hdl::Shape>::BYTES_W)]
    pub bytes: S,
}

impl PortEvents<hdl::Shape> {
    /// Bits of a frame's length: 16,383 bytes at most.
    pub const BYTES_W: u32 = 14;
}

/// Registers that the data paths look at. They change at any time; a frame takes what stands when it is decided.
#[derive(Bundle, Clone, Debug)]
pub struct Settings<S> {
    /// Port that `tx` traffic takes: 0 net0, 1 net1; the other one while the link of this one is down and its own is up.
    pub uplink_net1: S,
    /// What becomes of frames from the network that no table knows: 0 punt, 1 drop, 2 pass to `pass_function`.
    #[width(2)]
    pub not_for_us: S,
    /// Function that such frames are passed to.
    #[width(16)]
    pub pass_function: S,
}

/// Everything that is counted.
#[derive(Bundle, Clone, Debug)]
pub struct CounterEvents<S> {
    /// Frames on their way to the network, and injected ones.
    pub tx: PathEvents<S>,
    /// Frames on their way to the host.
    pub rx: PathEvents<S>,
    /// Frames from the host.
    pub host_rx: PortEvents<S>,
    /// Frames to the host.
    pub host_tx: PortEvents<S>,
    /// Frames from net0.
    pub net0_rx: PortEvents<S>,
    /// Frames to net0.
    pub net0_tx: PortEvents<S>,
    /// Frames from net1.
    pub net1_rx: PortEvents<S>,
    /// Frames to net1.
    pub net1_tx: PortEvents<S>,
    /// Frames to the Orchestration Module.
    pub punt_tx: PortEvents<S>,
    /// Frames from the Orchestration Module.
    pub inject_rx: PortEvents<S>,
    /// Lookups.
    pub tables: TableEvents<S>,
}

impl<S: Copy> CounterEvents<S> {
    /// The ports' events, in the order of [`PortCounter::ALL`](super::PortCounter::ALL).
    pub fn ports(&self) -> [&PortEvents<S>; 8] {
        [
            &self.host_rx,
            &self.host_tx,
            &self.net0_rx,
            &self.net0_tx,
            &self.net1_rx,
            &self.net1_tx,
            &self.punt_tx,
            &self.inject_rx,
        ]
    }
}
