//! The harness of the whole-frame FIFO.

use super::watch::{MemoryWords, Watch, assert_flows, only_for_properties};
use em_rtl::stream::{Axis, Beat, FrameFifo, WhenFull, is_well_formed};
use hdl::{
    Bits, Block, Bundle, Shape, assert_that, bundle::packed_width, clog2, cover_that, instance, lit, mux, names, pack,
    reg, unpack, when,
};

/// A frame FIFO with block RAM, its depth a power of two, and what is watched of it.
pub struct FrameFifoHarness {
    /// The block.
    pub dut: FrameFifo,
}

impl FrameFifoHarness {
    fn address_w(&self) -> u32 {
        clog2(u64::from(self.dut.depth))
    }
}

/// Ports of the harness.
#[derive(Bundle, Clone, Copy)]
#[bundle(data_w: u32, user_w: u32, address_w: u32)]
pub struct FrameFifoHarnessIo<S> {
    /// Frames in.
    #[input]
    #[shape(Axis::shape(data_w, user_w))]
    pub s_axis: Axis<S>,
    /// The frame is bad.
    #[input]
    pub bad: S,
    /// Frames out.
    #[output]
    #[shape(Axis::shape(data_w, user_w))]
    pub m_axis: Axis<S>,
    /// Number of the watched beat, counted over accepted frames.
    #[input]
    #[width(address_w + 3)]
    pub number: S,
    /// Where the block writes.
    #[input]
    #[width(address_w + 1)]
    pub write_pointer: S,
    /// Where its whole frames end.
    #[input]
    #[width(address_w + 1)]
    pub commit_pointer: S,
    /// Where it reads.
    #[input]
    #[width(address_w + 1)]
    pub read_pointer: S,
    /// It takes the rest of a frame and forgets it.
    #[input]
    pub swallow: S,
    /// The word that was read, in the memory's register.
    #[input]
    #[width(packed_width(&Beat::shape(data_w, user_w)))]
    pub fetched: S,
    /// Is there one?
    #[input]
    pub fetched_valid: S,
    /// Every word of the memory, the first in the lowest bits.
    #[input]
    #[width(packed_width(&Beat::shape(data_w, user_w)) << address_w)]
    pub words: S,
}

impl Block for FrameFifoHarness {
    type Io<S> = FrameFifoHarnessIo<S>;

    fn name(&self) -> String {
        "frame_fifo_harness".into()
    }

    fn io(&self) -> FrameFifoHarnessIo<Shape> {
        FrameFifoHarnessIo::shape(self.dut.data_w, self.dut.user_w, self.address_w())
    }

    #[names]
    fn build(&self, io: &FrameFifoHarnessIo<Bits>) {
        let depth = u64::from(self.dut.depth);
        let width = io.number.width();
        only_for_properties(io);
        let dut = instance(&self.dut);
        for outcome in [dut.accepted, dut.dropped_bad, dut.dropped_full] {
            outcome.ignore();
        }
        io.s_axis >> dut.s_axis;
        dut.bad.set(io.bad);
        dut.m_axis >> io.m_axis;

        // Beats of the frame that is coming in, up to one more than fits; and of the one that ended a clock ago.
        let taken = io.s_axis.transfer();
        let index = reg(width).reset(0);
        let ended_length = reg(width).reset(0);
        let was_bad = (taken & io.bad).delay_reset(0);
        let too_long = index.gt(depth);
        when(taken & !too_long, || index.set(index + 1));
        when(taken & io.s_axis.tlast, || {
            index.set(0);
            ended_length.set(mux(too_long, index, index + 1));
        });

        // Beats are numbered over accepted frames only; the frame coming in is numbered as if it were accepted.
        let committed = reg(width).reset(0);
        let count_out = reg(width).reset(0);
        let base = committed + mux(dut.accepted, ended_length, lit(width, 0));
        committed.set(base);
        when(io.m_axis.transfer(), || count_out.set(count_out + 1));
        let beat = pack(&io.s_axis.beat());
        let caught = reg(beat.width());
        let number_now = base + index;
        when(taken & index.lt(depth) & number_now.eq(io.number), || caught.set(beat));
        let watch = Watch::between(io.number, base, count_out, caught);
        watch.assert_output(&io.m_axis, 3);
        assert_flows(&io.s_axis, &io.m_axis, 4);

        assert_that(
            "accepted_good",
            "3: an accepted frame is good and fits",
            !dut.accepted | (!was_bad & ended_length.le(depth)),
        );
        assert_that("dropped_bad_is_bad", "3: a frame dropped as bad is bad", !dut.dropped_bad | was_bad);
        match self.dut.when_full {
            WhenFull::Stall => assert_that(
                "dropped_full_is_long",
                "3: a frame is dropped for room only if it is longer than the memory",
                !dut.dropped_full | ended_length.gt(depth),
            ),
            WhenFull::Drop => assert_that("never_waits", "4: the input never waits", io.s_axis.tready),
        }

        let behind = io.m_axis.tvalid.zext(width) + io.fetched_valid.zext(width);
        let stored = (io.commit_pointer - io.read_pointer).zext(width);
        assert_that(
            "all_accounted",
            "2: every beat held is in memory or on the way out",
            watch.held.eq(stored + behind),
        );
        let coming = (io.write_pointer - io.commit_pointer).zext(width);
        let coming_right = mux(io.swallow, coming.eq(0), coming.eq(index));
        assert_that("coming_accounted", "2: the frame coming in is behind the whole ones, or forgotten", coming_right);
        if self.dut.when_full == WhenFull::Stall {
            assert_that(
                "swallows_long",
                "5: only a frame that fills the memory is forgotten",
                !io.swallow | index.ge(depth),
            );
        }
        let same_place = base.trunc(io.commit_pointer.width()).eq(io.commit_pointer);
        assert_that("numbered", "2: a beat's number is its place in memory", same_place);
        let fetched = unpack(&Beat::shape(self.dut.data_w, self.dut.user_w), io.fetched);
        let fetched_formed = !io.fetched_valid | is_well_formed(&fetched);
        assert_that("fetched_well_formed", "1: the word fetched is well formed", fetched_formed);
        let fetched_right = watch.at(io.m_axis.tvalid, io.fetched_valid, io.fetched);
        assert_that("fetched_is_next", "2: the word fetched is the next one", fetched_right);

        let memory = MemoryWords::new(io.words, io.read_pointer, beat.width());
        let watched_word = memory.word(io.number);
        memory.assert_well_formed(stored + coming, io.m_axis.tuser.width());
        let word_right = watched_word.eq(watch.caught);
        let in_memory = watch.inside & watch.ahead.ge(behind);
        assert_that("unharmed_in_memory", "2: a beat in memory is as it came in", !in_memory | word_right);
        let watched_coming = (io.number - base).lt(coming);
        assert_that("unharmed_coming", "2: so is a beat of the frame coming in", !watched_coming | word_right);
        cover_that("wraps", "2: a beat of the second lap leaves", io.m_axis.transfer() & io.read_pointer.msb());
        let drained = dut.accepted.delay_reset(0) & watch.held.eq(depth);
        cover_that("longest", "3: a frame as long as the memory is accepted", drained);
    }
}
