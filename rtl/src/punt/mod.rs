//! Limits how many frames go to the Orchestration Module, by function and by reason.
//!
//! ```text
//!            ┌──────────┐ chosen (one a limiter)  ┌─────────┐ denied
//!  tx_ask ──▶│ tx_match │────────────────────────▶│         │────────▶ tx_refused
//!            └──────────┘                         │ bucket  │
//!            ┌──────────┐                         │ (each)  │
//!  rx_ask ──▶│ rx_match │────────────────────────▶│         │────────▶ rx_refused
//!            └──────────┘                         └─────────┘
//!                 ▲ rules                      tokens │ ▲ give
//!            ┌─────────┐                          ┌─────────┐
//!  write ───▶│ rules   │─────────────────────────▶│ refill  │
//!            └─────────┘  interval, burst         └─────────┘
//! ```
//! A limiter names a function or any, a reason or any, and holds a bucket of tokens. A frame to be punted takes a token of
//! the first limiter (the one with the lowest number) that fits it, whichever way it goes; if that one has none, the frame
//! is refused, to be dropped as `punt_rate`. A frame that no limiter fits is not limited. Why so, and not a bucket for each
//! function and reason: `docs/decisions/punt-limit.md`.
//!
//! | port | |
//! |---|---|
//! | `write` | a limiter is programmed; its bucket is full then |
//! | `tx_ask`, `rx_ask` | a frame has its outcome; one a clock each |
//! | `tx_refused`, `rx_refused` | it is a punt, and found no token; 0 for any other frame |
//!
//! Latency: [`PuntLimit::LATENCY`] clocks from a frame to its answer. Throughput: a frame a clock in each direction. It
//! never stalls. Forwarded frames do not wait for it.
//!
//! 1. A punt is refused only by an enabled limiter that fits it, with no other that fits before it, and whose bucket is empty.
//! 2. A bucket loses a token for each frame that it lets pass, and gets one each `interval` clocks while it is not full, to
//!    within a [turn](PuntRefill::turn). It never holds more than `burst`.
//! 3. After `write` a bucket is full.
//! 4. A frame that is nobody's (`not_for_us`), or of a function that there is not, is fitted by limiters for any function
//!    only: 0 is a function's number too.
//! 5. Of two frames in one clock that find one token, the one on its way out gets it.
//! 6. After reset no limiter is enabled.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/punt_limit` | LFE5UM5G-45F-8 | 813 | 531 | 0 | 190 / 197 / 200 | 162.5 |

mod bundles;
mod matching;
mod bucket;
mod refill;

pub use bucket::{PuntBucket, PuntBucketIo};
pub use bundles::{BURST_W, INTERVAL_W, LimitRule, LimitWrite, PuntAsk, REASON_W};
pub use matching::{PuntMatch, PuntMatchIo};
pub use refill::{PuntRefill, PuntRefillIo};

use hdl::*;

/// Most limiters that there may be.
pub const MOST_LIMITERS: u32 = 64;

/// The block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PuntLimit {
    /// Limiters: a power of two from 2 to [`MOST_LIMITERS`].
    pub limiters: u32,
    /// Functions that there are: a power of two.
    pub functions: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(limiters: u32, functions: u32)]
pub struct PuntLimitIo<S> {
    /// Programs a limiter.
    #[input]
    #[shape(LimitWrite::shape(limiters, functions))]
    pub write: LimitWrite<S>,
    /// A frame on its way out.
    #[input]
    pub tx_ask: PuntAsk<S>,
    /// A frame on its way in.
    #[input]
    pub rx_ask: PuntAsk<S>,
    /// The frame on its way out is not to be punted.
    #[output]
    pub tx_refused: S,
    /// The frame on its way in is not to be punted.
    #[output]
    pub rx_refused: S,
}

impl PuntLimit {
    /// Clocks from a frame to its answer.
    pub const LATENCY: u32 = PuntMatch::LATENCY + PuntBucket::LATENCY + 1;
}

impl Block for PuntLimit {
    type Io<S> = PuntLimitIo<S>;

    fn name(&self) -> String {
        "punt_limit".into()
    }

    fn doc(&self) -> String {
        "Limits how many frames go to the Orchestration Module, by function and by reason.".into()
    }

    fn check(&self) -> Result<(), String> {
        if !self.functions.is_power_of_two() || self.functions < 2 {
            return Err(format!("punt_limit: functions = {}: use a power of two from 2.", self.functions));
        }
        match self.limiters {
            n if n.is_power_of_two() && (2..=MOST_LIMITERS).contains(&n) => Ok(()),
            n => Err(format!("punt_limit: limiters = {n}: use a power of two from 2 to {MOST_LIMITERS}.")),
        }
    }

    fn io(&self) -> PuntLimitIo<Shape> {
        PuntLimitIo::shape(self.limiters, self.functions)
    }

    #[names]
    fn build(&self, io: &PuntLimitIo<Bits>) {
        let write = &io.write;
        let PuntLimit { limiters, functions } = *self;
        let tx_match = instance(&PuntMatch { limiters, functions });
        let rx_match = instance(&PuntMatch { limiters, functions });
        let refill = instance(&PuntRefill { limiters, functions });
        assign(&tx_match.ask, &io.tx_ask);
        assign(&rx_match.ask, &io.rx_ask);
        assign(&refill.write, write);

        let written = onehot::one_hot(write.limiter, limiters) & write.install.repeat(limiters);
        let denied: Vec<(Bits, Bits)> = (0..limiters)
            .map(|i| {
                let start = written.bit(i).named(&format!("written{i}"));
                let rule = kept_rule(i, start, &write.rule);
                assign(&tx_match.rules[i as usize], &rule);
                assign(&rx_match.rules[i as usize], &rule);
                let bucket = instance(&PuntBucket);
                bucket.give_name(&format!("bucket{i}"));
                bucket.start.set(start);
                bucket.burst.set(write.burst);
                bucket.give.set(refill.give.bit(i));
                bucket.tx_asks.set(tx_match.chosen.bit(i));
                bucket.rx_asks.set(rx_match.chosen.bit(i));
                refill.tokens[i as usize].set(bucket.tokens);
                (bucket.tx_denied, bucket.rx_denied)
            })
            .collect();
        io.tx_refused.reset(0).set(cat(denied.iter().map(|(tx, _)| *tx)).any());
        io.rx_refused.reset(0).set(cat(denied.iter().map(|(_, rx)| *rx)).any());
    }
}

/// What a limiter fits, from `start` on; at first nothing.
fn kept_rule(limiter: u32, start: Bits, rule: &LimitRule<Bits>) -> LimitRule<Bits> {
    rule.map(|at, value| {
        let kept = reg(value.width()).named(&format!("rule{limiter}_{}", at.name));
        let kept = if at.name == "enable" { kept.reset(0) } else { kept };
        when(start, || kept.set(*value));
        kept
    })
}
