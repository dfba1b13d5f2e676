//! AXI4-Stream (ARM IHI 0051), with the signal names of the specification.
//!
//! The rules that hold on every stream of the project, asserted in simulation and proved where a proof fits:
//!
//! 1. Once `tvalid` is up, it and the payload stay until `tready`.
//! 2. `tvalid` does not depend combinationally on `tready`, nor `tready` on `tvalid`, nor either on another stream.
//! 3. `tkeep` is contiguous from lane 0, full except on the last beat, and never zero.
//! 4. A frame comes out whole or not at all.

use hdl::{Bits, Bundle};

/// A stream. Lane 0 (`tdata[7:0]`) is the first byte on the wire.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(data_w: u32, user_w: u32)]
pub struct Axis<S> {
    /// Data, lane 0 first on the wire.
    #[width(data_w)]
    pub tdata: S,
    /// One bit a lane: the lane holds a byte of the frame.
    #[width(data_w / 8)]
    pub tkeep: S,
    /// The beat is there.
    pub tvalid: S,
    /// The beat is taken.
    #[flip]
    pub tready: S,
    /// Last beat of the frame.
    pub tlast: S,
    /// Side information, a packed bundle.
    #[width(user_w)]
    pub tuser: S,
}

/// What one beat carries: everything of a stream but its handshake.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(data_w: u32, user_w: u32)]
pub struct Beat<S> {
    /// Data, lane 0 first on the wire.
    #[width(data_w)]
    pub tdata: S,
    /// One bit a lane: the lane holds a byte of the frame.
    #[width(data_w / 8)]
    pub tkeep: S,
    /// Last beat of the frame.
    pub tlast: S,
    /// Side information, a packed bundle.
    #[width(user_w)]
    pub tuser: S,
}

impl<S: Copy> Axis<S> {
    /// The payload.
    pub fn beat(&self) -> Beat<S> {
        Beat { tdata: self.tdata, tkeep: self.tkeep, tlast: self.tlast, tuser: self.tuser }
    }
}

impl Axis<Bits> {
    /// 1 bit: a beat is handed over at this clock edge.
    #[track_caller]
    pub fn transfer(&self) -> Bits {
        self.tvalid & self.tready
    }
}

/// Widths that a stream can have: whole bytes and at least one bit of `tuser`. The error names `block`.
pub(crate) fn check_widths(block: &str, data_w: u32, user_w: u32) -> Result<(), String> {
    if data_w == 0 || !data_w.is_multiple_of(8) {
        return Err(format!("{block}: data_w = {data_w} is no whole number of bytes: use a multiple of 8"));
    }
    if user_w == 0 {
        return Err(format!("{block}: user_w = 0, but a stream has at least 1 bit of tuser"));
    }
    Ok(())
}

/// A wide side that is a whole number of times the narrow one, twice or more. The error names `block` and the fields.
pub(crate) fn check_ratio(block: &str, wide: (&str, u32), narrow: (&str, u32)) -> Result<(), String> {
    if wide.1 < 2 * narrow.1 || !wide.1.is_multiple_of(narrow.1) {
        return Err(format!(
            "{block}: {} = {} is no multiple of {} = {}: use {} or {}",
            wide.0,
            wide.1,
            narrow.0,
            narrow.1,
            2 * narrow.1,
            4 * narrow.1
        ));
    }
    Ok(())
}

/// `tuser` of frames from the host.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct HostUser<S> {
    /// The frame is bad and must go nowhere; sampled on the last beat.
    pub bad: S,
    /// Function (PF or VF) that sends the frame; sampled on the first beat.
    #[width(16)]
    pub function: S,
}

/// `tuser` of frames to and from the network.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct NetUser<S> {
    /// The frame is bad and must go nowhere; sampled on the last beat.
    pub bad: S,
}

/// `tuser` of frames that go to the Orchestration Module.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct PuntUser<S> {
    /// Why: an encoded [`crate::outcome::Outcome`] that is a punt.
    #[width(crate::outcome::Outcome::WIDTH)]
    pub reason: S,
    /// Port the frame came in by: 0 host, 1 net0, 2 net1, 3 injected.
    #[width(2)]
    pub port: S,
    /// Function that sent it, or 0.
    #[width(16)]
    pub function: S,
}

/// `tuser` of frames that the Orchestration Module injects.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct InjectUser<S> {
    /// The frame is bad and must go nowhere; sampled on the last beat.
    pub bad: S,
    /// Where it goes: 0 host, 1 net0, 2 net1, 3 the port that frames of the host take; sampled on the first beat.
    #[width(2)]
    pub egress: S,
    /// Function that gets it, if it goes to the host; sampled on the first beat.
    #[width(16)]
    pub function: S,
}

/// `tuser` of frames on their way into a path.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct PathUser<S> {
    /// The frame is bad and must go nowhere; sampled on the last beat.
    pub bad: S,
    /// Port it came in by: 0 host, 1 net0, 2 net1, 3 injected; sampled on the first beat, as the rest.
    #[width(2)]
    pub port: S,
    /// Where an injected frame goes: 0 host, 1 net0, 2 net1, 3 the port that frames of the host take.
    #[width(2)]
    pub egress: S,
    /// Function that sent it, or gets it if it is injected to the host; otherwise 0.
    #[width(16)]
    pub function: S,
}
