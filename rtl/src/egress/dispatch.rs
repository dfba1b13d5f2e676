//! Sends each frame to the reader of its output, and says what became of it.
//!
//! ```text
//!              ┌──────────┐──▶ enqueue, place   (to the reader of its output)
//!  action ────▶│          │──▶ dropped          (to `give_back`, a frame that goes nowhere)
//!   chain ────▶│ dispatch │──▶ store, detail    (to `details`, every frame)
//!              │          │──▶ events           (one a frame)
//!  refused ───▶│          │◀── punt_taken       (a beat has left the FIFO towards the Orchestration Module)
//!              └──────────┘
//! ```
//! Latency: 1 clock; what is not forwarded waits for `refused` before, and so do the events of all frames, which come a
//! clock later. Throughput: a frame a clock. It never stalls. A frame to be punted that is `refused` is dropped as
//! `punt_rate`. Another one takes places in the FIFO towards the Orchestration Module for all its beats; if so many are not
//! free, it is dropped as `punt_full`.
//!
//! 1. Each action gives one event; its outcome is the action's, or `punt_rate` or `punt_full` instead of a punt.
//! 2. A frame goes to the reader that its outcome names, and a dropped one to none.
//! 3. A punt is dropped only if it is refused or the places that are free are fewer than its beats.
//! 4. Nothing is written over a frame that is not forwarded.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/tx_dispatch` | LFE5UM5G-45F-8 | 86 | 546 | 0 | 229 / 234 / 242 | 162.5 |

use super::{
    Output,
    bundles::{Detail, Place, Sizes},
};
use crate::{
    csr::PathEvents,
    outcome::Outcome,
    packet::{Action, Chain, Extent, FUNCTION_W, Release, Rewrite, later, outcome},
};
use hdl::*;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch {
    /// Sizes.
    pub sizes: Sizes,
    /// Places of the FIFO towards the Orchestration Module.
    pub punt_beats: u32,
    /// Clocks from an action to whether its frame is refused; 0 if nothing is.
    pub refusal_after: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(sizes: Sizes, refusal_after: u32)]
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
    /// A frame to be punted is not: that of the action some clocks ago.
    #[input]
    #[present(refusal_after > 0)]
    pub refused: Option<S>,
    /// A frame goes to these readers: one to be forwarded, one to be punted, or none.
    #[output]
    #[width(sizes.output_count())]
    pub enqueue: S,
    /// Where the frame stands that is there.
    #[output]
    #[shape(Place::shape(sizes))]
    pub place: Place<S>,
    /// Where the frame to be punted stands, which has waited.
    #[output]
    #[present(refusal_after > 0)]
    #[shape(Place::shape(sizes))]
    pub punt_place: Option<Place<S>>,
    /// A frame is there; it may be a dropped one.
    #[output]
    pub store: S,
    /// A dropped frame, whose pages can be given back.
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

/// What must be known of a frame when it is known whether it is refused.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes)]
struct Judged<S> {
    valid: S,
    #[width(Outcome::WIDTH)]
    outcome: S,
    function_known: S,
    #[width(FUNCTION_W)]
    function: S,
    #[width(sizes.size.beats_w)]
    beats: S,
    #[width(sizes.size.lane_w())]
    lane: S,
}

impl Judged<Bits> {
    /// The upper bits of a code tell forward (00), punt (01) and drop (10, 11).
    fn kind(&self) -> Bits {
        self.outcome.slice(4..6)
    }

    fn place(&self, chain: &Chain<Bits>) -> Place<Bits> {
        Place { page: chain.first, beats: self.beats, single: self.beats.eq(1) }
    }
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
        DispatchIo::shape(self.sizes, self.refusal_after)
    }

    #[names]
    fn build(&self, io: &DispatchIo<Bits>) {
        let sizes = self.sizes;
        let action = &io.action;
        let Action { valid, outcome: code, function_known, extent, .. } = *action;
        let Extent { beats, lane, port, function } = extent;
        let judged = Judged { valid, outcome: code, function_known, function, beats, lane };
        let is_forward = judged.kind().eq(0);

        // Room for what is not refused.
        let asked = later("asked", &judged, self.refusal_after);
        let asked_chain = later("asked_chain", &io.chain, self.refusal_after);
        let is_punt = asked.kind().eq(1);
        let refused = io.refused.unwrap_or(lit(1, 0));
        let room_w = clog2(u64::from(self.punt_beats) + 1).max(sizes.size.beats_w);
        let punt_room = reg(room_w).reset(u64::from(self.punt_beats));
        let after_punt = punt_room.grow_sub(asked.beats.zext(room_w));
        let punt_fits = !after_punt.msb();
        let taken = io.punt_taken.zext(room_w);
        let admit = asked.valid & is_punt & punt_fits & !refused;
        punt_room.set(mux(admit, after_punt.trunc(room_w) + taken, punt_room + taken));

        // Where they go.
        let goes_to = |output: &Output| match output {
            Output::Net0 => valid & is_forward & !code.bit(0),
            Output::Net1 => valid & is_forward & code.bit(0),
            Output::Host => valid & is_forward,
            Output::Punt => admit,
        };
        io.enqueue.reset(0).set(cat(sizes.outputs().iter().rev().map(goes_to)));
        registered(&io.place, &judged.place(&io.chain));
        if let Some(punt_place) = &io.punt_place {
            registered(punt_place, &asked.place(&asked_chain));
        }
        io.store.reset(0).set(valid);
        io.dropped.valid.reset(0);
        let goes_nowhere = asked.valid & asked.kind().any() & !admit;
        registered(&io.dropped, &Release { valid: goes_nowhere, chain: asked_chain });

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
        let reason = code.trunc(Detail::<Shape>::REASON_W);
        let detail = Detail { lane, reason, port, function, rewrite };
        registered(&io.detail, &detail);

        // What became of them.
        let not_admitted = mux(refused, outcome(Outcome::PuntRate), outcome(Outcome::PuntFull));
        let became = mux(is_punt & !admit, not_admitted, asked.outcome);
        let counted = later("counted", &Judged { outcome: became, ..asked }, 1);
        let events = PathEvents {
            outcome_valid: counted.valid,
            outcome: counted.outcome,
            function_known: counted.function_known,
            function: counted.function,
            bytes: length(counted.beats, counted.lane, io.events.bytes.width()),
        };
        io.events.outcome_valid.reset(0);
        registered(&io.events, &events);

        let has_beats = !valid | beats.any();
        assert_that("frame_has_beats", "every frame has a beat in the buffer", has_beats);
        let codes = sizes.outputs().iter().filter_map(|output| output.outcome());
        let known_output = codes.fold(lit(1, 0), |any, output| any | code.eq(output.code()));
        let has_output = !(valid & is_forward) | known_output;
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
