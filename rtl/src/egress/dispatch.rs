//! Sends each frame to the reader of its output, and says what became of it.
//!
//! ```text
//!              ┌──────────┐──▶ enqueue, place   (to the reader of its output)
//!  action ────▶│          │──▶ dropped          (to `give_back`, a frame that goes nowhere)
//!   chain ────▶│ dispatch │──▶ store, detail    (to `details`, every frame)
//!              │          │──▶ events           (one a frame)
//!              └──────────┘◀── punt_taken       (a beat has left the FIFO towards the Orchestration Module)
//! ```
//! Latency: 1 clock; 2 to `events`. Throughput: a frame a clock. It never stalls. A frame to be punted takes places in the
//! FIFO towards the Orchestration Module for all its beats; if so many are not free, it is dropped as `punt_full`.
//!
//! 1. Each action gives one event; its outcome is the action's, or `punt_full` instead of a punt.
//! 2. A frame goes to the reader that its outcome names, and a dropped one to none.
//! 3. A punt is dropped only if the places that are free are fewer than its beats.
//! 4. Nothing is written over a frame that is not forwarded.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/tx_dispatch` | LFE5UM5G-45F-8 | 80 | 349 | 0 | 232 / 255 / 261 | 162.5 |

use super::{
    Output,
    bundles::{Detail, Place, Sizes},
};
use crate::{
    csr::PathEvents,
    outcome::Outcome,
    packet::{Action, Chain, Release, Rewrite, outcome},
};
use hdl::*;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch {
    /// Sizes.
    pub sizes: Sizes,
    /// Places of the FIFO towards the Orchestration Module.
    pub punt_beats: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(sizes: Sizes)]
pub struct DispatchIo<S> {
    /// A frame's action.
    #[input]
    #[shape(Action::shape(sizes.size, sizes.direction))]
    pub action: Action<S>,
    /// Its pages.
    #[input]
    #[shape(Chain::shape(sizes.page_w))]
    pub chain: Chain<S>,
    /// A beat has left the FIFO towards the Orchestration Module.
    #[input]
    pub punt_taken: S,
    /// The frame goes to these readers: one of them, or none.
    #[output]
    #[width(sizes.output_count())]
    pub enqueue: S,
    /// Where it stands.
    #[output]
    #[shape(Place::shape(sizes))]
    pub place: Place<S>,
    /// A frame is there; it may be a dropped one.
    #[output]
    pub store: S,
    /// It is a dropped one, whose pages can be given back.
    #[output]
    #[shape(Release::shape(sizes.page_w))]
    pub dropped: Release<S>,
    /// The rest about it.
    #[output]
    #[shape(Detail::shape(sizes.direction, sizes.size))]
    pub detail: Detail<S>,
    /// What became of it.
    #[output]
    pub events: PathEvents<S>,
}

impl Block for Dispatch {
    type Io<S> = DispatchIo<S>;

    fn name(&self) -> String {
        format!("{}_dispatch", self.sizes.direction.name())
    }

    fn doc(&self) -> String {
        "Sends each frame to the reader of its output.".into()
    }

    fn io(&self) -> DispatchIo<Shape> {
        DispatchIo::shape(self.sizes)
    }

    #[names]
    fn build(&self, io: &DispatchIo<Bits>) {
        let sizes = self.sizes;
        let action = &io.action;
        let extent = &action.extent;

        // Room: the upper bits of a code tell forward (00), punt (01) and drop (10, 11).
        let kind = action.outcome.slice(4..6);
        let is_forward = kind.eq(0);
        let is_punt = kind.eq(1);
        let room_w = clog2(u64::from(self.punt_beats) + 1).max(sizes.size.beats_w);
        let punt_room = reg(room_w).reset(u64::from(self.punt_beats));
        let after_punt = punt_room.grow_sub(extent.beats.zext(room_w));
        let punt_fits = !after_punt.msb();
        let taken = io.punt_taken.zext(room_w);
        let admit = action.valid & is_punt & punt_fits;
        punt_room.set(mux(admit, after_punt.trunc(room_w) + taken, punt_room + taken));

        // Where it goes.
        let goes_to = |output: &Output| match output {
            Output::Net0 => is_forward & !action.outcome.bit(0),
            Output::Net1 => is_forward & action.outcome.bit(0),
            Output::Host => is_forward,
            Output::Punt => is_punt & punt_fits,
        };
        let destination = cat(sizes.outputs().iter().rev().map(goes_to));
        io.enqueue.reset(0).set(action.valid.repeat(sizes.output_count()) & destination);
        let place = Place { page: io.chain.first, beats: extent.beats, single: extent.beats.eq(1) };
        registered(&io.place, &place);
        io.store.reset(0).set(action.valid);
        io.dropped.valid.reset(0);
        registered(&io.dropped, &Release { valid: action.valid & !destination.any(), chain: io.chain });

        // What its beats need.
        let rewrite = &action.rewrite;
        let writes = is_forward & rewrite.translate;
        let rewrite = Rewrite {
            translate: writes,
            l4: writes & rewrite.l4,
            quoted: writes & rewrite.quoted,
            quoted_l4: writes & rewrite.quoted_l4,
            next_hop: writes & rewrite.next_hop,
            route: writes & rewrite.route,
            icrc: rewrite.icrc.map(|icrc| writes & icrc),
            ..*rewrite
        };
        let reason = action.outcome.trunc(Detail::<Shape>::REASON_W);
        let detail = Detail { lane: extent.lane, reason, port: extent.port, function: extent.function, rewrite };
        registered(&io.detail, &detail);

        // What became of it.
        let refused = is_punt & !punt_fits;
        let became = mux(refused, outcome(Outcome::PuntFull), action.outcome).delay();
        let function_known = action.function_known.delay();
        let events = PathEvents {
            outcome_valid: io.store,
            outcome: became,
            function_known,
            function: io.detail.function,
            bytes: length(io.place.beats, io.detail.lane, io.events.bytes.width()),
        };
        io.events.outcome_valid.reset(0);
        registered(&io.events, &events);

        let has_beats = !action.valid | extent.beats.any();
        assert_that("frame_has_beats", "every frame has a beat in the buffer", has_beats);
        let codes = sizes.outputs().iter().filter_map(|output| output.outcome());
        let known_output = codes.fold(lit(1, 0), |any, code| any | action.outcome.eq(code.code()));
        let has_output = !(action.valid & is_forward) | known_output;
        assert_that("forward_has_output", "2: a frame is forwarded to an output of this path", has_output);
        let room_fits = punt_room.le(u64::from(self.punt_beats));
        assert_that("punt_room_fits", "3: no more places are free than the FIFO has", room_fits);
    }
}

/// Makes each leaf of `target`, a bundle of outputs, a register of `value`.
fn registered<B: Bundle<Bits>>(target: &B, value: &B) {
    target.visit(|_, leaf| {
        leaf.registered();
    });
    assign(target, value);
}

/// Bytes of a frame, `width` bits: all ones if it has more.
fn length(beats: Bits, lane: Bits, width: u32) -> Bits {
    // All beats full, less the lanes that the last one lacks.
    let full = cat([beats, lit(lane.width(), 0)]);
    let bytes = full - (!lane).zext(full.width());
    if bytes.width() <= width {
        return bytes.zext(width);
    }
    bytes.trunc(width) | bytes.slice(width..).any().repeat(width)
}
