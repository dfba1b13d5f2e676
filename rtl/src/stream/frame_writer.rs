//! The writing half of a FIFO of whole frames: where beats go, which frames stay, which are forgotten.

use super::{Axis, WhenFull, store};
use hdl::{Bits, assert_that, names, reg, when};

/// Its state.
pub(super) struct FrameWriter {
    depth: u32,
    /// Where the next beat goes.
    pub write_pointer: Bits,
    /// Beats up to here belong to whole frames; those from here to `write_pointer` to the one coming in.
    pub commit_pointer: Bits,
    /// 1 bit: the rest of the frame is taken and forgotten.
    pub swallow: Bits,
}

/// What happens at this clock edge.
pub(super) struct Written {
    /// 1 bit: the beat goes to `write_pointer`.
    pub store_beat: Bits,
    /// 1 bit: it is the last one of a frame that stays.
    pub accept: Bits,
    /// 1 bit: a frame ends, whatever becomes of it.
    pub ends: Bits,
}

impl FrameWriter {
    /// An empty memory of `depth` beats.
    #[track_caller]
    #[names]
    pub fn new(depth: u32) -> FrameWriter {
        let write_pointer = store::pointer(depth);
        let commit_pointer = store::pointer(depth);
        let swallow = reg(1).reset(0);
        FrameWriter { depth, write_pointer, commit_pointer, swallow }
    }

    /// Builds the logic. `full`: there is no room for a beat; `full_alone`: the frame coming in fills the memory by itself.
    /// `outcomes` are the outputs `accepted`, `dropped_bad` and `dropped_full`.
    #[track_caller]
    #[names]
    pub fn build(
        &self,
        s: &Axis<Bits>,
        bad: Bits,
        full: Bits,
        full_alone: Bits,
        when_full: WhenFull,
        outcomes: [Bits; 3],
    ) -> Written {
        let FrameWriter { depth, write_pointer, commit_pointer, swallow } = *self;
        match when_full {
            WhenFull::Stall => s.tready.set(!full | swallow),
            WhenFull::Drop => s.tready.set(1),
        }
        let take = s.transfer();
        let ends = take & s.tlast;
        let no_room = full | swallow;
        let store_beat = take & !no_room;
        let accept = ends & !no_room & !bad;
        // With `Stall` nothing is taken while the memory is full; a frame that fills it alone can only be given up. Nothing
        // moves then, so that there is time for a register.
        let give_up = match when_full {
            WhenFull::Stall => {
                let given_up = reg(1).reset(0);
                given_up.set(full_alone & !swallow & !given_up);
                assert_that(
                    "gives_up_alone",
                    "5: a frame is given up only if it fills the memory",
                    !given_up | full_alone,
                );
                given_up
            }
            WhenFull::Drop => take & full,
        };
        let forget = give_up | (ends & bad);

        let write_next = store::next(write_pointer, depth);
        when(forget, || write_pointer.set(commit_pointer)).elsewhen(store_beat, || write_pointer.set(write_next));
        when(accept, || commit_pointer.set(write_next));
        when(ends, || swallow.set(0)).elsewhen(give_up, || swallow.set(1));

        let [accepted, dropped_bad, dropped_full] = outcomes;
        accepted.reset(0).set(accept);
        dropped_bad.reset(0).set(ends & !no_room & bad);
        dropped_full.reset(0).set(ends & no_room);
        Written { store_beat, accept, ends }
    }
}
