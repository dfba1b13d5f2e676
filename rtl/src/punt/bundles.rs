//! What the blocks of the limit hand to each other.

use crate::{outcome::Outcome, packet::FUNCTION_W};
use hdl::{Bundle, clog2};

/// Bits of an interval, in clocks.
pub const INTERVAL_W: u32 = 28;
/// Bits of a burst, in frames.
pub const BURST_W: u32 = 10;
/// Bits that tell one punt from another: the lower ones of the outcome's code.
pub const REASON_W: u32 = Outcome::WIDTH - 2;

/// A frame that has its outcome.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct PuntAsk<S> {
    /// A frame is there.
    pub valid: S,
    /// Code of its outcome.
    #[width(Outcome::WIDTH)]
    pub outcome: S,
    /// Function that sent it or gets it.
    #[width(FUNCTION_W)]
    pub function: S,
}

/// What a limiter fits.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(functions: u32)]
pub struct LimitRule<S> {
    /// It fits frames at all.
    pub enable: S,
    /// It fits frames of any function, and of none.
    pub any_function: S,
    /// Otherwise the function that it fits frames of.
    #[width(clog2(u64::from(functions)))]
    pub function: S,
    /// It fits frames of any reason.
    pub any_reason: S,
    /// Otherwise the code of the reason, less the first code of a punt.
    #[width(REASON_W)]
    pub reason: S,
}

/// A limiter is programmed.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(limiters: u32, functions: u32)]
pub struct LimitWrite<S> {
    /// In this clock; the rest means nothing otherwise.
    pub install: S,
    /// The limiter.
    #[width(clog2(u64::from(limiters)))]
    pub limiter: S,
    /// What it fits.
    #[shape(LimitRule::shape(functions))]
    pub rule: LimitRule<S>,
    /// Clocks between two tokens. Less than a turn gives a token a turn.
    #[width(INTERVAL_W)]
    pub interval: S,
    /// Tokens that the bucket holds when it is full; of 0 nothing passes.
    #[width(BURST_W)]
    pub burst: S,
}
