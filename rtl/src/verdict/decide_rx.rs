//! Joins what the headers say with what the tables say: the one outcome of a frame from the network.
//!
//! ```text
//!                         ┌────────────┐
//!  classified, response ─▶│ rx_decide  │────▶ decided
//!                         └────────────┘
//! ```
//! Latency: that of [`DecideTx`](super::DecideTx). Throughput: a frame a clock. It never stalls and drops nothing itself.
//!
//! 1. A bad, oversize or runt frame is that, whatever else; an injected one goes to the host as it came.
//! 2. A well-formed frame to an outside address is its mapping's: translated, or punted for its headers or its time to
//!    live. Then the function in mode `pass` with the frame's destination MAC address gets it as it came, malformed or not.
//! 3. Then a malformed frame is dropped for what is wrong with it, and any other goes where `not_for_us` says.
//! 4. A table entry that failed its parity and may have been the frame's drops it.
//! 5. The frame's function is the mapping's, the passing function, or the port's `pass_function`; 0 for a frame that is
//!    nobody's. An injected frame keeps its own. Only frames that go on to the host are counted as a function's.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/rx_decide` | LFE5UM5G-45F-8 | 97 | 116 | 0 | 307 / 321 / 352 | 162.5 |

use super::{Classified, Decided, decide_tx::LATENCY};
use crate::{
    csr::Settings,
    lookup::RxResponse,
    outcome::Outcome,
    packet::{Extent, FUNCTION_W, Size, first_of, later, outcome, port},
};
use hdl::*;

/// Values of `not_for_us`.
mod not_for_us {
    pub const PUNT: u64 = 0;
    pub const PASS: u64 = 2;
}

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct DecideRx {
    /// Sizes of the path.
    pub size: Size,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(size: Size)]
pub struct DecideRxIo<S> {
    /// What the headers say.
    #[input]
    pub classified: Classified<S>,
    /// How much of the frame there is.
    #[input]
    #[shape(Extent::shape(size))]
    pub extent: Extent<S>,
    /// Its time to live is 0 or 1.
    #[input]
    pub ttl_over: S,
    /// What the tables say of the same frame, in the same clock.
    #[input]
    pub response: RxResponse<S>,
    /// What becomes of frames that are nobody's.
    #[input]
    pub settings: Settings<S>,
    /// The frame with its outcome.
    #[output]
    #[shape(Decided::shape(size))]
    pub decided: Decided<S>,
}

impl Block for DecideRx {
    type Io<S> = DecideRxIo<S>;

    fn name(&self) -> String {
        "rx_decide".into()
    }

    fn doc(&self) -> String {
        "Joins what the headers say with what the tables say.".into()
    }

    fn io(&self) -> DecideRxIo<Shape> {
        DecideRxIo::shape(self.size)
    }

    #[names]
    fn build(&self, io: &DecideRxIo<Bits>) {
        let (frame, tables) = (&io.classified, &io.response);

        // Clock 1: the mapping's answer, the passing function's, and nobody's.
        let hit = frame.mapped & tables.nat_hit;
        let forward = frame.outcome.eq(Outcome::Net0.code());
        let dies = tables.route & io.ttl_over;
        let onward = mux(dies, outcome(Outcome::PuntTtl), outcome(Outcome::Host));
        let mapped_outcome = mux(forward, onward, frame.outcome).delay();
        let mapped = hit.delay();
        let lost_mapping = frame.mapped & !tables.nat_hit & tables.nat_parity;
        let lost_pass = !hit & tables.pass_parity;
        let pass_or_lost = (lost_mapping | tables.pass_hit | lost_pass).delay();
        let pass_outcome =
            mux(lost_mapping | !tables.pass_hit, outcome(Outcome::Parity), outcome(Outcome::Host)).delay();
        let wrong = (!frame.mapped & !frame.unmatched).delay();
        let fault = frame.outcome.delay();
        let nobody = first_of(
            &[
                (io.settings.not_for_us.eq(not_for_us::PUNT), Outcome::PuntNotForUs),
                (io.settings.not_for_us.eq(not_for_us::PASS), Outcome::Host),
            ],
            outcome(Outcome::NotForUs),
        )
        .delay();
        let pass_all = io.settings.not_for_us.eq(not_for_us::PASS);
        let by_port = pass_all.repeat(FUNCTION_W) & io.settings.pass_function;
        let unmapped_function = mux(tables.pass_hit, tables.pass_function, by_port);
        let function = mux(hit, tables.function, unmapped_function).delay();
        let mapped_goes_on = (forward & !dies).delay();
        let pass_goes_on = (tables.pass_hit & !lost_mapping).delay();
        let rest_goes_on = pass_all.delay() & !wrong;
        let may_translate = (hit & forward & !dies).delay();

        // Clock 2: in order.
        let accounted = frame.accounted.delay();
        let injected = io.extent.port.eq(port::INJECT).delay();
        let unmapped = mux(pass_or_lost, pass_outcome, mux(wrong, fault, nobody));
        let judged = mux(injected, outcome(Outcome::Host), mux(mapped, mapped_outcome, unmapped));
        let unmapped_goes_on = mux(pass_or_lost, pass_goes_on, rest_goes_on);
        let goes_on = injected | mux(mapped, mapped_goes_on, unmapped_goes_on);
        let extent = later("extent", &io.extent, 1);
        let owner = mux(injected, extent.function, function);
        let decided = Decided {
            valid: frame.valid.delay_reset(0).delay_reset(0),
            extent: later("decided_extent", &Extent { function: owner, ..extent }, LATENCY - 1),
            outcome: mux(accounted, fault, judged).delay(),
            function_known: (goes_on & !accounted).delay(),
            translate: (may_translate & !accounted & !injected).delay(),
        };
        assign(&io.decided, &decided);

        [tables.valid, tables.inside, tables.delta, tables.next_hop].into_iter().for_each(Bits::ignore);
        io.settings.uplink_net1.ignore();
        assert_that("answered", "the response comes with its frame", !frame.valid | tables.valid);
    }
}
