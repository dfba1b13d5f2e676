//! Joins what the headers say with what the function and its mapping say: the one outcome of a frame from the host.
//!
//! ```text
//!                         ┌────────────┐
//!  classified, response ─▶│ tx_decide  │────▶ decided
//!                         └────────────┘
//! ```
//! Latency: [`LATENCY`] clocks. Throughput: a frame a clock. It never stalls and drops nothing itself.
//!
//! 1. A bad, oversize or runt frame is that, whatever else; an injected one goes where the Orchestration Module says.
//! 2. Then the function decides: none, `drop`, `pass` (forwarded as it came); then the headers; a frame without a rule
//!    goes where its function says; a source without a mapping is dropped.
//! 3. A table entry that failed its parity and may have been the frame's drops it.
//! 4. Only a frame with a mapping that goes forward is translated. If the mapping is routed, its time to live must allow it.
//! 5. Forward is the uplink.
//! 6. The reserved mode is taken as `drop`, the reserved answer for frames without a rule as a drop.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/tx_decide` | LFE5UM5G-45F-8 | 60 | 96 | 0 | 289 / 291 / 298 | 162.5 |

use super::Classified;
use crate::{
    lookup::TxResponse,
    outcome::Outcome,
    packet::{Extent, Size, first_of, later, outcome, port},
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
#[derive(Clone, Copy, Debug)]
pub struct DecideTx {
    /// Sizes of the path.
    pub size: Size,
}

/// A frame with its outcome.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size)]
pub struct Decided<S> {
    /// A frame is there.
    pub valid: S,
    /// How much of it there is, and whose it is.
    #[shape(Extent::shape(size))]
    pub extent: Extent<S>,
    /// Its outcome, encoded.
    #[width(Outcome::WIDTH)]
    pub outcome: S,
    /// The frame is counted as its function's: on the way out unless it was injected, on the way in if it goes on to it.
    pub function_known: S,
    /// Write the new address and the checksums.
    pub translate: S,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(size: Size)]
pub struct DecideTxIo<S> {
    /// What the headers say.
    #[input]
    pub classified: Classified<S>,
    /// How much of the frame there is.
    #[input]
    #[shape(Extent::shape(size))]
    pub extent: Extent<S>,
    /// Where it goes if it is injected: 1 net0, 2 net1, 3 the uplink (0 does not come here).
    #[input]
    #[width(2)]
    pub egress: S,
    /// Its time to live is 0 or 1.
    #[input]
    pub ttl_over: S,
    /// What the tables say of the same frame, in the same clock.
    #[input]
    pub response: TxResponse<S>,
    /// The uplink is net1.
    #[input]
    pub uplink_net1: S,
    /// The frame with its outcome.
    #[output]
    #[shape(Decided::shape(size))]
    pub decided: Decided<S>,
}

impl Block for DecideTx {
    type Io<S> = DecideTxIo<S>;

    fn name(&self) -> String {
        "tx_decide".into()
    }

    fn doc(&self) -> String {
        "Joins what the headers say with what the function and its mapping say.".into()
    }

    fn io(&self) -> DecideTxIo<Shape> {
        DecideTxIo::shape(self.size)
    }

    #[names]
    fn build(&self, io: &DecideTxIo<Bits>) {
        let (frame, tables) = (&io.classified, &io.response);

        // Clock 1: what the function says of any frame, and what it and its mapping say of this one. Net0 stands for the
        // uplink.
        let nat = tables.mode.eq(entry::MODE_NAT);
        let pass = tables.mode.eq(entry::MODE_PASS);
        let function_decides = (!tables.function_valid | !nat).delay();
        let function_outcome = first_of(
            &[
                (tables.function_parity, Outcome::Parity),
                (!tables.function_valid, Outcome::NoFunction),
                (pass, Outcome::Net0),
            ],
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
        let missed = mux(tables.nat_parity, outcome(Outcome::Parity), outcome(Outcome::NatSource));
        let forward = frame.outcome.eq(Outcome::Net0.code());
        let dies = forward & tables.route & io.ttl_over;
        let found = mux(dies, outcome(Outcome::PuntTtl), frame.outcome);
        let mapped_outcome = mux(tables.nat_hit, found, missed);
        let header_outcome = mux(frame.mapped, mapped_outcome, frame.outcome);
        let rule_outcome = mux(frame.unmatched, no_rule_outcome, header_outcome).delay();
        let may_translate = (frame.mapped & tables.nat_hit & forward & !dies).delay();

        // Clock 2: in order; then which port the uplink is.
        let accounted = frame.accounted.delay();
        let account = frame.outcome.delay();
        let injected = io.extent.port.eq(port::INJECT).delay();
        let injected_to = mux(io.egress.eq(2), outcome(Outcome::Net1), outcome(Outcome::Net0)).delay();
        let to_uplink = (io.egress.eq(3) | io.extent.port.ne(port::INJECT)).delay();
        let judged = mux(injected, injected_to, mux(function_decides, function_outcome, rule_outcome));
        let answer = mux(accounted, account, judged);
        let diverted = answer.eq(Outcome::Net0.code()) & to_uplink & io.uplink_net1;
        let decided = Decided {
            valid: frame.valid.delay_reset(0).delay_reset(0),
            extent: later("extent", &io.extent, LATENCY),
            outcome: mux(diverted, outcome(Outcome::Net1), answer).delay(),
            function_known: (!injected).delay(),
            translate: (may_translate & !accounted & !injected & !function_decides).delay(),
        };
        assign(&io.decided, &decided);

        [tables.valid, tables.outside, tables.delta, tables.next_hop].into_iter().for_each(Bits::ignore);
        assert_that("answered", "the response comes with its frame", !frame.valid | tables.valid);
    }
}
