//! Gives the beats of the frame buffer back to ingress, in the order in which they were stored.
//!
//! ```text
//!               ┌───────────┐
//!  store, turn ▶│ give_back │──▶ release
//!   read, last ▶│           │
//!               └───────────┘
//! ```
//! Latency: 2 clocks from the read of a beat to its release, 3 of the last one, if its frame is the oldest; a dropped frame is given back 3
//! clocks after `store`. Throughput: a frame a clock.
//!
//! The oldest frame's beats are given back as they are read; those of younger frames, which another output may read at the
//! same time, once all older frames are gone.
//!
//! 1. Every frame is given back once, with all its beats, in order.
//! 2. No beat is given back before it has been read, unless its frame is dropped.

use super::{
    bundles::{Sizes, Turn},
    queue::Queue,
};
use crate::packet::Release;
use hdl::*;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct GiveBack {
    /// Sizes.
    pub sizes: Sizes,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes)]
pub struct GiveBackIo<S> {
    /// A frame comes.
    #[input]
    pub store: S,
    /// Where it goes.
    #[input]
    #[shape(Turn::shape(sizes))]
    pub turn: Turn<S>,
    /// A beat is being read for this output, one bit each.
    #[input]
    #[width(sizes.output_count())]
    pub read: S,
    /// Last beat of its frame.
    #[input]
    pub last: S,
    /// What ingress gets back.
    #[output]
    #[shape(Release::shape(sizes.size.beats_w))]
    pub release: Release<S>,
}

impl Block for GiveBack {
    type Io<S> = GiveBackIo<S>;

    fn name(&self) -> String {
        format!("{}_give_back", self.sizes.direction.name())
    }

    fn doc(&self) -> String {
        "Gives the beats of the frame buffer back to ingress, in order.".into()
    }

    fn io(&self) -> GiveBackIo<Shape> {
        GiveBackIo::shape(self.sizes)
    }

    #[names]
    fn build(&self, io: &GiveBackIo<Bits>) {
        let sizes = self.sizes;
        let shape = Turn::shape(sizes);
        let queue = instance(&Queue { width: bundle::packed_width(&shape), places: sizes.frames() });
        queue.write.set(io.store);
        queue.word.set(pack(&io.turn));

        // The oldest frame, with the beats of it that are not given back yet. Its output is none, and it is not dropped, if
        // there is no frame.
        let oldest_valid = reg(1).reset(0);
        let oldest = reg_of(&shape);
        oldest.output.reset(0);
        let dropped = reg(1).reset(0);

        // A read beat is the oldest frame's if the oldest frame is of that output and not finished yet: the frames of one
        // output are read in order. A frame's last beat only finishes it.
        let last_each = io.last.repeat(sizes.output_count());
        let goes_on = (io.read & !last_each).delay_reset(0);
        let ends = (io.read & last_each).delay_reset(0);
        let gone = wire(sizes.output_count());
        let finished_each = (0..sizes.output_count()).rev().map(|output| {
            let name = sizes.outputs()[output as usize].name();
            finished(name, sizes.frames(), ends.bit(output), gone.bit(output))
        });
        let finished = cat(finished_each);
        let goes_on_oldest = (oldest.output & goes_on).any();
        gone.set(oldest.output & finished);
        let done = dropped | gone.any();

        let take = done | !oldest_valid;
        queue.take.set(take);
        when(take | goes_on_oldest, || {
            let next = unpack(&shape, queue.oldest);
            oldest_valid.set(mux(take, queue.waiting, oldest_valid));
            let next_output = queue.waiting.repeat(sizes.output_count()) & next.output;
            oldest.output.set(mux(take, next_output, oldest.output));
            dropped.set(mux(take, queue.waiting & !next.output.any(), dropped));
            oldest.beats.set(mux(take, next.beats, oldest.beats - 1));
        });
        let one = lit(sizes.size.beats_w, 1);
        let none = lit(sizes.size.beats_w, 0);
        io.release.beats.reset(0).set(mux(done, oldest.beats, mux(goes_on_oldest, one, none)));
        io.release.frame.reset(0).set(done);

        let none_without_frame = oldest_valid | !(dropped | oldest.output.any());
        assert_that("oldest_is_there", "1: only a frame is given back", none_without_frame);
        assert_that("oldest_has_beats", "1: a frame is given back once", !oldest_valid | oldest.beats.any());
        let turn_right = onehot::is_one_hot_or_zero(io.turn.output);
        assert_that("one_output", "1: a frame goes to one output at most", !io.store | turn_right);
    }
}

/// 1 bit: of one output's frames some are read to their end and not given back yet. Each `end` is one more, each `gone`
/// one less.
fn finished(name: &str, frames: u32, end: Bits, gone: Bits) -> Bits {
    let count = reg(clog2(u64::from(frames) + 1)).reset(0).named(&format!("{name}_finished"));
    let some = reg(1).reset(0).named(&format!("{name}_some_finished"));
    when(end & !gone, || {
        count.set(count + 1);
        some.set(1);
    })
    .elsewhen(gone & !end, || {
        count.set(count - 1);
        some.set(count.ne(1));
    });
    let label = format!("{name}_finished_fits");
    assert_that(&label, "2: no more frames are finished than are on their way", count.le(u64::from(frames)));
    assert_that(
        &format!("{name}_finished_known"),
        "2: frames are finished if their number says so",
        some.eq(count.any()),
    );
    some
}
