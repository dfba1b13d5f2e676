//! Finds the first limiter that fits a frame to be punted.
//!
//! ```text
//!  ask ──▶ register ──▶ compare with each limiter ──▶ lowest ──▶ chosen
//! ```
//! Latency: [`PuntMatch::LATENCY`] clocks. Throughput: a frame a clock. It never stalls.
//!
//! 1. `chosen` has one bit at most: that of the enabled limiter with the lowest number that fits; none for a frame that is
//!    no punt.
//! 2. A limiter for a function fits no frame that is nobody's (`not_for_us`), or of a function that there is not.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/punt_match` | LFE5UM5G-45F-8 | 145 | 31 | 0 | 256 / 280 / 294 | 162.5 |

use super::{LimitRule, PuntAsk, REASON_W};
use crate::{
    outcome::{Kind, Outcome},
    packet::FUNCTION_W,
};
use hdl::*;

/// Upper bits of the code of a punt.
const PUNT: u64 = Outcome::PuntUnmatched.code() >> REASON_W;
const _: () = assert!(matches!(Outcome::PuntUnmatched.kind(), Kind::Punt));

/// The block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PuntMatch {
    /// Limiters.
    pub limiters: u32,
    /// Functions that there are: a power of two.
    pub functions: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(limiters: u32, functions: u32)]
pub struct PuntMatchIo<S> {
    /// A frame that has its outcome.
    #[input]
    pub ask: PuntAsk<S>,
    /// What each limiter fits.
    #[input]
    #[count(limiters)]
    #[shape(LimitRule::shape(functions))]
    pub rules: Vec<LimitRule<S>>,
    /// The limiter that counts for it, one bit each.
    #[output]
    #[width(limiters)]
    pub chosen: S,
}

impl PuntMatch {
    /// Clocks from a frame to its limiter.
    pub const LATENCY: u32 = 3;
}

impl Block for PuntMatch {
    type Io<S> = PuntMatchIo<S>;

    fn name(&self) -> String {
        "punt_match".into()
    }

    fn doc(&self) -> String {
        "Finds the first limiter that fits a frame to be punted.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("n", self.limiters.to_string()), ("f", self.functions.to_string())]
    }

    fn io(&self) -> PuntMatchIo<Shape> {
        PuntMatchIo::shape(self.limiters, self.functions)
    }

    #[names]
    fn build(&self, io: &PuntMatchIo<Bits>) {
        let ask = &io.ask;

        // Clock 1: is it a punt, and somebody's?
        let is_punt = (ask.valid & ask.outcome.slice(REASON_W..).eq(PUNT)).delay_reset(0);
        let function_w = clog2(u64::from(self.functions));
        let exists = if function_w < FUNCTION_W { !ask.function.slice(function_w..).any() } else { lit(1, 1) };
        let is_owned = (exists & ask.outcome.ne(Outcome::PuntNotForUs.code())).delay();
        let reason = ask.outcome.trunc(REASON_W).delay();
        let function = ask.function.trunc(function_w).delay();

        // Clock 2: which limiters fit.
        let fits = io.rules.iter().rev().map(|rule| {
            let of_function = rule.any_function | (is_owned & function.eq(rule.function));
            let of_reason = rule.any_reason | reason.eq(rule.reason);
            rule.enable & of_function & of_reason
        });
        let fitting = cat(fits).delay();
        let asks = is_punt.delay_reset(0);

        // Clock 3: the first of them.
        let first = onehot::lowest_set(fitting);
        io.chosen.reset(0).set(first & asks.repeat(self.limiters));
        assert_that("one_chosen", "1: one limiter at most", onehot::is_one_hot_or_zero(io.chosen));
    }
}
