//! Gives the beats of the frame buffer back to ingress, in the order in which they were stored.
//!
//! ```text
//!               ┌───────────┐
//!  store, turn ▶│ give_back │──▶ release
//!   read, last ▶│           │
//!               └───────────┘
//! ```
//! Latency: 1 clock from the read of a beat to its release, if its frame is the oldest; a dropped frame is given back 3
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

        // The oldest frame, with the beats of it that are not given back yet.
        let oldest_valid = reg(1).reset(0);
        let oldest = reg_of(&shape);
        let dropped = reg(1);

        // A read beat is the oldest frame's if the oldest frame is of that output and not finished yet: the frames of one
        // output are read in order.
        let ends = io.read & io.last.repeat(sizes.output_count());
        let gone = wire(sizes.output_count());
        let finished_each = (0..sizes.output_count()).rev().map(|output| {
            let name = sizes.outputs()[output as usize].name();
            finished(name, sizes.frames(), ends.bit(output), gone.bit(output))
        });
        let finished = cat(finished_each);
        let is_read = (oldest.output & io.read).any();
        let is_finished = (oldest.output & (finished | ends)).any();
        let done = oldest_valid & (dropped | is_finished);
        gone.set(done.repeat(sizes.output_count()) & oldest.output);

        let take = done | !oldest_valid;
        queue.take.set(take);
        when(take, || {
            let next = unpack(&shape, queue.oldest);
            oldest_valid.set(queue.waiting);
            assign(&oldest, &next);
            dropped.set(!next.output.any());
        })
        .elsewhen(is_read, || oldest.beats.set(oldest.beats - 1));
        let one = lit(sizes.size.beats_w, 1);
        let none = lit(sizes.size.beats_w, 0);
        io.release.beats.reset(0).set(mux(done, oldest.beats, mux(oldest_valid & is_read, one, none)));
        io.release.frame.reset(0).set(done);

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
