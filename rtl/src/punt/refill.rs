//! Gives tokens to the buckets in turn.
//!
//! ```text
//!                 ┌──────────────────┐   full?           ┌────────────────┐
//!  write ────────▶│ interval, burst  │──▶ time + turn ──▶│ - interval ?   │──▶ give (one a limiter)
//!  tokens ───────▶│ time (each)      │                   └────────────────┘
//!                 └──────────────────┘◀── time ──────────────────┘
//! ```
//! One limiter is visited a clock. Its time goes on by the clocks of a turn; when that makes an interval, a token comes, and
//! what is over stays: the tokens of a long time are exact. While the bucket is full its time stands at 0.
//!
//! Latency: [`PuntRefill::LATENCY`] clocks from a visit to its token. It never stalls.
//!
//! 1. A token comes only to a bucket that held less than `burst` when it was visited, one a turn at most.
//! 2. After `write` the limiter's time is 0. A visit that `write` meets on its way does nothing.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/punt_refill` | LFE5UM5G-45F-8 | 316 | 251 | 0 | 265 / 278 / 305 | 162.5 |

use super::{BURST_W, INTERVAL_W, LimitWrite};
use crate::{carry, carry_valid};
use hdl::*;

/// The block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PuntRefill {
    /// Limiters: a power of two.
    pub limiters: u32,
    /// Functions that there are.
    pub functions: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(limiters: u32, functions: u32)]
pub struct PuntRefillIo<S> {
    /// A limiter is programmed.
    #[input]
    #[shape(LimitWrite::shape(limiters, functions))]
    pub write: LimitWrite<S>,
    /// Tokens that each bucket holds.
    #[input]
    #[count(limiters)]
    #[width(BURST_W)]
    pub tokens: Vec<S>,
    /// A token comes, one bit a bucket.
    #[output]
    #[width(limiters)]
    pub give: S,
}

impl PuntRefill {
    /// Clocks from a visit to its token.
    pub const LATENCY: u32 = 4;
    /// A turn is longer than a visit takes, so that a limiter's visits never overlap.
    const LEAST_TURN: u32 = 8;
    const _ORDER: () = assert!(Self::LATENCY + 1 < Self::LEAST_TURN);

    /// Clocks from one visit of a limiter to its next.
    pub const fn turn(&self) -> u32 {
        if self.limiters < Self::LEAST_TURN { Self::LEAST_TURN } else { self.limiters }
    }
}

impl Block for PuntRefill {
    type Io<S> = PuntRefillIo<S>;

    fn name(&self) -> String {
        "punt_refill".into()
    }

    fn doc(&self) -> String {
        "Gives tokens to the buckets in turn.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("n", self.limiters.to_string())]
    }

    fn io(&self) -> PuntRefillIo<Shape> {
        PuntRefillIo::shape(self.limiters, self.functions)
    }

    #[names]
    fn build(&self, io: &PuntRefillIo<Bits>) {
        let write = &io.write;
        write.rule.visit(|_, part| part.ignore());
        let limiter_w = clog2(u64::from(self.limiters));
        let turn = u64::from(self.turn());
        let visit = reg(clog2(turn)).reset(0);
        visit.set(visit + 1);
        let place = visit.trunc(limiter_w);
        let is_limiter = if visit.width() > limiter_w { !visit.slice(limiter_w..).any() } else { lit(1, 1) };

        // Clock 1: what is known of the limiter.
        let rates = memory::distributed(self.limiters, INTERVAL_W + BURST_W).simple();
        rates.write(write.install, write.limiter, cat([write.burst, write.interval]));
        let rate = rates.read(lit(1, 1), place).delay();
        let times = memory::distributed(self.limiters, INTERVAL_W).simple();
        let time = times.read(lit(1, 1), place).delay();
        let tokens = select(place, &io.tokens).delay();

        // Clock 2: its time goes on.
        let burst = rate.slice(INTERVAL_W..);
        let interval = rate.trunc(INTERVAL_W).delay();
        let later_time = time.zext(INTERVAL_W + 1) + turn;
        let later_time = later_time.delay();
        let is_full = tokens.ge(burst).delay();

        // Clock 3: what is over.
        let longer = later_time.grow_sub(interval.zext(INTERVAL_W + 1));
        let is_over = (!longer.msb()).delay();
        // What is left of a time that was less than an interval is less than a turn.
        longer.bit(INTERVAL_W).ignore();
        let rest = longer.trunc(INTERVAL_W).delay();
        let same_time = later_time.trunc(INTERVAL_W).delay();
        let held_full = is_full.delay();

        // Clock 4: an interval is over, or is not. What has met a `write` on its way may be of the time before.
        let visited = carry("visited", place, 3);
        let visit_valid = carry_valid("visit", is_limiter, 3);
        let install1 = write.install.delay_reset(0);
        let install2 = install1.delay_reset(0);
        let install3 = install2.delay_reset(0);
        let install4 = install3.delay_reset(0);
        let counts = visit_valid & !(write.install | install1 | install2 | install3 | install4);
        let given = counts & !held_full & is_over;
        io.give.reset(0).set(onehot::one_hot(visited, self.limiters) & given.repeat(self.limiters));

        // Clock 5: its time is kept, or begins anew.
        let begins = held_full | write.install;
        let next_time = mux(is_over, rest, same_time) & (!begins).repeat(INTERVAL_W);
        let kept_place = mux(write.install, write.limiter, visited).delay();
        let keeps = (counts | write.install).delay_reset(0);
        times.write(keeps, kept_place, next_time.delay());
    }
}
