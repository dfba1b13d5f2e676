//! The tokens of one limiter.
//!
//! ```text
//!  start, burst, give ─▶┌────────┐──▶ tokens
//!  tx_asks, rx_asks ───▶│ bucket │──▶ tx_denied, rx_denied
//!                       └────────┘
//! ```
//! Latency: [`PuntBucket::LATENCY`] clock. Throughput: two frames and a token a clock. It never stalls.
//!
//! 1. A frame that asks takes a token, or is denied if there is none. Of two that find one token, the one on its way out
//!    takes it. A token that comes in the same clock is for later ones.
//! 2. After `start` the bucket holds `burst`, whatever else comes.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/punt_bucket` | LFE5UM5G-45F-8 | 31 | 12 | 0 | 198 / 210 / 214 | 162.5 |

use super::BURST_W;
use hdl::*;

/// The block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PuntBucket;

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct PuntBucketIo<S> {
    /// The limiter is programmed.
    #[input]
    pub start: S,
    /// Tokens that it begins with.
    #[input]
    #[width(BURST_W)]
    pub burst: S,
    /// A token comes; there is room for it.
    #[input]
    pub give: S,
    /// A frame on its way out asks.
    #[input]
    pub tx_asks: S,
    /// A frame on its way in asks.
    #[input]
    pub rx_asks: S,
    /// Tokens that there are.
    #[output]
    #[width(BURST_W)]
    pub tokens: S,
    /// The frame on its way out has none.
    #[output]
    pub tx_denied: S,
    /// The frame on its way in has none.
    #[output]
    pub rx_denied: S,
}

impl PuntBucket {
    /// Clocks from a frame to its answer.
    pub const LATENCY: u32 = 1;
}

impl Block for PuntBucket {
    type Io<S> = PuntBucketIo<S>;

    fn name(&self) -> String {
        "punt_bucket".into()
    }

    fn doc(&self) -> String {
        "The tokens of one limiter.".into()
    }

    fn io(&self) -> PuntBucketIo<Shape> {
        PuntBucketIo::shape()
    }

    #[names]
    fn build(&self, io: &PuntBucketIo<Bits>) {
        let tokens = io.tokens.reset(0);
        let several = tokens.slice(1..).any();
        let one = tokens.bit(0);
        let tx_takes = io.tx_asks & (several | one);
        let rx_takes = io.rx_asks & (several | (one & !io.tx_asks));
        io.tx_denied.reset(0).set(io.tx_asks & !tx_takes);
        io.rx_denied.reset(0).set(io.rx_asks & !rx_takes);

        // The change is -2 to 1: its lowest bit, and its sign.
        let odd = io.give ^ tx_takes ^ rx_takes;
        let less = (tx_takes & rx_takes) | ((tx_takes | rx_takes) & !io.give);
        let change = cat([less.repeat(BURST_W - 1), odd]);
        let next_tokens = tokens + change;
        tokens.set(mux(io.start, io.burst, next_tokens));
        assert_that("room_for_a_token", "a token comes only where there is room", !(io.give & tokens.all()));
    }
}
