//! Reads frames out of the buffer as their actions say: to the network, to the Orchestration Module, or not at all.
//!
//! ```text
//!              ┌──────────┐────▶ read     (beats asked of the frame buffer, and what becomes of them)
//!  head ──────▶│  egress  │────▶ release  (beats and frames given back to ingress)
//!  *_taken ───▶│          │────▶ outcome  (one a frame)
//!              └──────────┘
//! ```
//! Latency: 1 clock from `head_valid` to the frame's first read. Throughput: a beat a clock with no clock between frames;
//! a dropped frame takes one clock, whatever its length. It stalls while the network's FIFO has no room for a frame that
//! goes there. It drops a frame to be punted that the punt FIFO has no room for.
//!
//! Three beats forwarded, five skipped (outcome 2e, `nat_source`), one forwarded:
//!
//! ```text
//! cycle           0  1  2  3  4  5  6  7  8  9
//! head_valid     ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\______________
//! take           ‾‾‾\_____/‾‾‾‾‾\______________
//! read_valid     ___/‾‾‾‾‾‾‾‾\__/‾‾\___________
//! raddr          |0    |1 |2 |3 |8 |9
//! read_last      _________/‾‾\__/‾‾\___________
//! release_beats  |0    |1       |5 |1 |0
//! outcome_valid  ___/‾‾\_____/‾‾‾‾‾\___________
//! outcome        |0    |2e      |0
//! ```
//!
//! 1. Each action gives exactly one outcome; it is the action's, or `punt_full` instead of a punt.
//! 2. A beat is read only when the FIFO that it goes to has a place for it. A punt is begun only when there are places
//!    for all of it: it is never stalled, so the Orchestration Module cannot hold up the network.
//! 3. Every beat of the buffer is released once, in order, when it is read or skipped.
//! 4. Frames for one output leave in the order they came.

use crate::{
    outcome::Outcome,
    v1::packet::{Action, Extent, Release},
    v1::rewrite::ReadBeat,
};
use hdl::*;

/// The block.
#[derive(Clone, Debug)]
pub struct Egress {
    /// Bits that count the beats of a frame.
    pub beats_w: u32,
    /// Beats of the frame buffer; a power of two.
    pub buffer_beats: u32,
    /// Places of the FIFO towards the network.
    pub net0_beats: u32,
    /// Places of the FIFO towards the Orchestration Module.
    pub punt_beats: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32, addr_w: u32)]
pub struct EgressIo<S> {
    /// The next frame's action.
    #[input]
    #[shape(Action::shape(beats_w))]
    pub head: Action<S>,
    /// The action is taken.
    #[output]
    pub take: S,
    /// Address of the beat that is read.
    #[output]
    #[width(addr_w)]
    pub raddr: S,
    /// The beat that is read, for the rewrite.
    #[output]
    pub read: ReadBeat<S>,
    /// What ingress gets back.
    #[output]
    #[shape(Release::shape(beats_w))]
    pub release: Release<S>,
    /// A beat has left the FIFO towards the network.
    #[input]
    pub net0_taken: S,
    /// A beat has left the FIFO towards the Orchestration Module.
    #[input]
    pub punt_taken: S,
    /// A frame has found its outcome.
    #[output]
    pub outcome_valid: S,
    /// The outcome.
    #[output]
    #[width(Outcome::WIDTH)]
    pub outcome: S,
}

impl Block for Egress {
    type Io<S> = EgressIo<S>;

    fn name(&self) -> String {
        "egress".into()
    }

    fn doc(&self) -> String {
        "Reads frames out of the buffer as their actions say.".into()
    }

    fn io(&self) -> EgressIo<Shape> {
        EgressIo::shape(self.beats_w, clog2(u64::from(self.buffer_beats)))
    }

    #[names]
    fn build(&self, io: &EgressIo<Bits>) {
        let head = &io.head;

        // The frame being read.
        let frame = reg_of(&Action::shape(self.beats_w));
        let busy = frame.valid.reset(0);
        let skip = reg(1);
        let punt = reg(1);
        let at_last = reg(1);
        let left = reg(self.beats_w);
        let index = reg(3);

        // Places in the FIFOs.
        let net0_places = reg(clog2(u64::from(self.net0_beats) + 1)).reset(u64::from(self.net0_beats));
        let punt_w = clog2(u64::from(self.punt_beats) + 1);
        let punt_places = reg(punt_w).reset(u64::from(self.punt_beats));

        // Go on with it: a skipped frame is over at once.
        let may_read = skip | punt | net0_places.any();
        let go = busy & may_read;
        let reads = go & !skip;
        let done = go & (skip | at_last);
        let reads_net0 = reads & !punt;
        net0_places.set(net0_places + io.net0_taken.zext(net0_places.width()) - reads_net0.zext(net0_places.width()));

        // Take the next one. The upper bits of a code tell forward (00), punt (01) and drop (10, 11).
        let kind = head.outcome.slice(4..6);
        let is_punt = kind.eq(1);
        let after_punt = punt_places.grow_sub(head.extent.beats.zext(punt_w));
        let punt_fits = !after_punt.msb();
        let take = head.valid & (!busy | done);
        let admit = take & is_punt & punt_fits;
        let punt_left = mux(admit, after_punt.trunc(punt_w), punt_places);
        punt_places.set(punt_left + io.punt_taken.zext(punt_w));
        let refuse = is_punt & !punt_fits;
        when(done, || busy.set(0));
        when(take, || {
            assign(&frame, head);
            skip.set(kind.bit(1) | refuse);
            punt.set(is_punt);
            left.set(head.extent.beats);
            at_last.set(head.extent.beats.eq(1));
            index.set(0);
        })
        .elsewhen(go, || {
            left.set(left - 1);
            at_last.set(left.eq(2));
            when(!index.all(), || index.set(index + 1));
        });
        io.take.set(take);
        io.outcome_valid.reset(0).set(take);
        io.outcome.registered().set(mux(refuse, crate::v1::packet::outcome(Outcome::PuntFull), head.outcome));

        // Read or skip, and give back.
        let read_addr = reg(clog2(u64::from(self.buffer_beats))).reset(0);
        let step = mux(skip, frame.extent.beats, lit(self.beats_w, 1));
        when(go, || read_addr.set(read_addr + step.zext(read_addr.width())));
        io.raddr.set(read_addr);
        let Extent { lane, function, .. } = frame.extent;
        let read = ReadBeat {
            valid: reads,
            index,
            last: at_last,
            punt,
            lane,
            outcome: frame.outcome,
            function,
            rewrite: frame.rewrite,
        };
        assign(&io.read, &read);
        io.release.beats.reset(0).set(mux(go, step, lit(self.beats_w, 0)));
        io.release.frame.reset(0).set(take);

        assert_that("frame_has_beats", "every frame has a beat in the buffer", !head.valid | head.extent.beats.any());
        let net0_fits = net0_places.le(u64::from(self.net0_beats));
        assert_that("net0_places_fit", "2: no more places than the FIFO has", net0_fits);
        assert_that(
            "punt_places_fit",
            "2: no more places than the FIFO has",
            punt_places.le(u64::from(self.punt_beats)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_elaborates() {
        elaborate(&Egress { beats_w: 10, buffer_beats: 1024, net0_beats: 16, punt_beats: 1024 }).unwrap();
    }
}
