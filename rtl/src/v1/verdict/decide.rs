//! Joins what the headers say with what the function and its mapping say: the frame's one outcome.
//!
//! ```text
//!                         ┌──────────┐
//!  classified, response ─▶│  decide  │────▶ decided
//!                         └──────────┘
//! ```
//! Latency: [`LATENCY`] clocks. Throughput: a frame a clock. It never stalls and drops nothing itself.
//!
//! 1. A bad, oversize or runt frame is that, whatever its function.
//! 2. Then the function decides: none, `drop`, `pass` (forwarded as it came); then the headers; a frame without a rule
//!    goes where its function says; a source without a mapping is dropped.
//! 3. Only a frame with a mapping whose outcome is the network is translated.
//! 4. The reserved mode is taken as `drop`, the reserved answer for frames without a rule as a drop.

use crate::{
    lookup::LookupResponse,
    outcome::Outcome,
    v1::packet::{Classified, Extent, Place, first_of, later, outcome},
};
use hdl::*;

/// Clocks from `classified_valid` to `decided_valid`.
pub const LATENCY: u32 = 2;

/// Values of the response's fields.
mod entry {
    pub const MODE_NAT: u64 = 0;
    pub const MODE_PASS: u64 = 1;
    pub const UNMATCHED_PUNT: u64 = 0;
    pub const UNMATCHED_PASS: u64 = 2;
}

/// The block.
#[derive(Clone, Debug)]
pub struct Decide {
    /// Bits that count the beats of a frame.
    pub beats_w: u32,
}

/// A frame with its outcome.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct Decided<S> {
    /// A frame is there.
    pub valid: S,
    /// How much of it there is.
    #[shape(Extent::shape(beats_w))]
    pub extent: Extent<S>,
    /// Its outcome, encoded.
    #[width(Outcome::WIDTH)]
    pub outcome: S,
    /// What a rewrite needs.
    pub place: Place<S>,
    /// Write the outside address and the checksums.
    pub translate: S,
    /// Outside address.
    #[width(32)]
    pub outside: S,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(beats_w: u32)]
pub struct DecideIo<S> {
    /// What the headers say.
    #[input]
    #[shape(Classified::shape(beats_w))]
    pub classified: Classified<S>,
    /// What the tables say of the same frame, in the same clock.
    #[input]
    pub response: LookupResponse<S>,
    /// The frame with its outcome.
    #[output]
    #[shape(Decided::shape(beats_w))]
    pub decided: Decided<S>,
}

impl Block for Decide {
    type Io<S> = DecideIo<S>;

    fn name(&self) -> String {
        "decide".into()
    }

    fn doc(&self) -> String {
        "Joins what the headers say with what the function and its mapping say.".into()
    }

    fn io(&self) -> DecideIo<Shape> {
        DecideIo::shape(self.beats_w)
    }

    #[names]
    fn build(&self, io: &DecideIo<Bits>) {
        let (frame, tables) = (&io.classified, &io.response);

        // Clock 1: what the function says of any frame, and what it says of this one.
        let nat = tables.mode.eq(entry::MODE_NAT);
        let pass = tables.mode.eq(entry::MODE_PASS);
        let function_decides = (!tables.function_valid | !nat).delay();
        let function_outcome = first_of(
            &[(!tables.function_valid, Outcome::NoFunction), (pass, Outcome::Net0)],
            outcome(Outcome::FunctionDrop),
        )
        .delay();
        let no_rule_outcome = first_of(
            &[
                (tables.unmatched.eq(entry::UNMATCHED_PUNT), Outcome::PuntUnmatched),
                (tables.unmatched.eq(entry::UNMATCHED_PASS), Outcome::Net0),
            ],
            outcome(Outcome::Unmatched),
        );
        let no_mapping = frame.mapped & !tables.nat_hit;
        let header_outcome = mux(no_mapping, outcome(Outcome::NatSource), frame.outcome);
        let rule_outcome = mux(frame.unmatched, no_rule_outcome, header_outcome).delay();
        let may_translate = (frame.mapped & tables.nat_hit & frame.outcome.eq(Outcome::Net0.code())).delay();

        // Clock 2: in order.
        let accounted = frame.accounted.delay();
        let account = frame.outcome.delay();
        let final_outcome = mux(accounted, account, mux(function_decides, function_outcome, rule_outcome)).delay();
        let translate = (may_translate & !accounted & !function_decides).delay();
        let outside = tables.outside.delay_by(LATENCY);
        let decided = Decided {
            valid: frame.valid.delay_reset(0).delay_reset(0),
            extent: later("extent", &frame.extent, LATENCY),
            outcome: final_outcome,
            place: later("place", &frame.place, LATENCY),
            translate,
            outside,
        };
        assign(&io.decided, &decided);

        tables.valid.ignore();
        let answered = !frame.valid | tables.valid;
        assert_that("answered", "the response comes with its frame", answered);
    }
}
