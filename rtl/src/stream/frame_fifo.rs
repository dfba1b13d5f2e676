//! A FIFO of whole frames: a frame is seen on the output only once its last beat is in, so that it can still be dropped.
//!
//! ```text
//!              ┌────────────┐
//!   s_axis ═══▶│ frame_fifo │═══▶ m_axis
//!      bad ───▶│            │───▶ accepted, dropped_bad, dropped_full
//!              └────────────┘
//! ```
//! A beat on every clock both ways; the first beat leaves 3 clocks after the last one came in (2 with distributed memory).
//! A frame is dropped whole if `bad` is high on its last beat, or if it finds no room:
//! - [`WhenFull::Stall`]: the input waits for room. A frame longer than the memory would wait for ever: it is dropped as
//!   soon as it fills the memory alone.
//! - [`WhenFull::Drop`]: the input never waits; a frame that does not fit at once is dropped.
//!
//! A frame of three beats comes in and, once it is whole, goes out:
//!
//! ```text
//! cycle           0  1  2  3  4  5  6  7  8  9  10
//! s_axis_tvalid  ‾‾‾‾‾‾‾‾‾\_______________________
//! s_axis_tready  ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! s_axis_tdata   |a0|a1|a2|0
//! s_axis_tlast   ______/‾‾\_______________________
//! m_axis_tvalid  _______________/‾‾‾‾‾‾‾‾\________
//! m_axis_tready  ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! m_axis_tdata   |0             |a0|a1|a2
//! m_axis_tlast   _____________________/‾‾‾‾‾‾‾‾‾‾‾
//! accepted       _________/‾‾\____________________
//! ```
//!
//! yosys 0.70 `synth_ecp5`, 128 bits and 17 of `tuser`, 256 beats in block RAM: 122 LUT4, 10 CCU2C, 33 flip-flops, 5 blocks.
//!
//! 1. The rules of [`Axis`](super::Axis) on `m_axis`, given that they hold on `s_axis`; inside a frame `tvalid` never falls.
//! 2. The frames that were accepted come out as they went in, in order, each once.
//! 3. For each frame in, one clock after its last beat, exactly one of `accepted`, `dropped_bad`, `dropped_full` is high.
//! 4. With `Drop`, `s_axis_tready` is always high. With `Stall` it is low only while the memory is full.
//! 5. No frame, however long, blocks those behind it.

use super::{
    Axis, assert_stream, assume_stream,
    axis::check_widths,
    frame_writer::{FrameWriter, Written},
    store::{self, Memory},
};
use hdl::{Bits, Block, Bundle, Shape, assert_that, cover_that, names, pack, when};

/// What a frame FIFO does with a frame for which there is no room.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WhenFull {
    /// The frame waits; one longer than the whole memory is dropped.
    Stall,
    /// The frame is dropped.
    Drop,
}

/// A FIFO of whole frames.
#[derive(Clone, Copy, Debug)]
pub struct FrameFifo {
    /// Width of `tdata` in bits, a multiple of 8.
    pub data_w: u32,
    /// Width of `tuser` in bits.
    pub user_w: u32,
    /// Beats that the memory holds, at least 2; any number, powers of two are smallest.
    pub depth: u32,
    /// What the memory is made of.
    pub memory: Memory,
    /// What happens when there is no room.
    pub when_full: WhenFull,
}

/// Ports of a [`FrameFifo`].
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(data_w: u32, user_w: u32)]
pub struct FrameFifoIo<S> {
    /// Frames in.
    #[input]
    #[shape(Axis::shape(data_w, user_w))]
    pub s_axis: Axis<S>,
    /// The frame must go nowhere; sampled with its last beat.
    #[input]
    pub bad: S,
    /// Whole frames out.
    #[output]
    #[shape(Axis::shape(data_w, user_w))]
    pub m_axis: Axis<S>,
    /// The frame whose last beat came in one clock ago will come out.
    #[output]
    pub accepted: S,
    /// The frame whose last beat came in one clock ago was bad and is dropped.
    #[output]
    pub dropped_bad: S,
    /// The frame whose last beat came in one clock ago found no room and is dropped.
    #[output]
    pub dropped_full: S,
}

impl Block for FrameFifo {
    type Io<S> = FrameFifoIo<S>;

    fn name(&self) -> String {
        "frame_fifo".into()
    }

    fn doc(&self) -> String {
        format!("FIFO of whole frames, {} beats deep.", self.depth)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![
            ("d", self.depth.to_string()),
            ("w", self.data_w.to_string()),
            ("u", self.user_w.to_string()),
            ("", format!("{:?}", self.memory).to_lowercase()),
            ("", format!("{:?}", self.when_full).to_lowercase()),
        ]
    }

    fn check(&self) -> Result<(), String> {
        if self.depth < 2 {
            return Err(format!("frame_fifo: depth = {}: use at least 2 beats", self.depth));
        }
        check_widths("frame_fifo", self.data_w, self.user_w)
    }

    fn io(&self) -> FrameFifoIo<Shape> {
        FrameFifoIo::shape(self.data_w, self.user_w)
    }

    #[names]
    fn build(&self, io: &FrameFifoIo<Bits>) {
        let (s, m) = (&io.s_axis, &io.m_axis);
        let writer = FrameWriter::new(self.depth);
        let FrameWriter { write_pointer, commit_pointer, swallow, .. } = writer;
        let read_pointer = store::pointer(self.depth);
        let full = store::is_full(write_pointer, read_pointer);
        let available = commit_pointer.ne(read_pointer);
        let full_alone = full & !available;
        let outcomes = [io.accepted, io.dropped_bad, io.dropped_full];
        let Written { store_beat, ends, .. } = writer.build(s, io.bad, full, full_alone, self.when_full, outcomes);

        let word = pack(&s.beat());
        let beats = store::memory(self.memory, self.depth, word.width());
        beats.write(store_beat, store::address(write_pointer), word);
        let read = store::read_ahead(self.memory, &beats, available, store::address(read_pointer), m);
        when(read, || read_pointer.set(store::next(read_pointer, self.depth)));

        assume_stream("s_axis", s);
        assert_stream("m_axis", m);
        let level = store::level(write_pointer, read_pointer, self.depth);
        let whole = store::level(commit_pointer, read_pointer, self.depth);
        assert_that("level_fits", "2: no more beats than the memory holds", level.le(u64::from(self.depth)));
        assert_that("whole_in_level", "2: whole frames are part of what is stored", whole.le(level));
        assert_that("forgets", "5: a frame that is given up leaves nothing behind", !swallow | whole.eq(level));
        let ended = ends.delay_reset(0);
        let outcomes = io.accepted.zext(2) + io.dropped_bad.zext(2) + io.dropped_full.zext(2);
        assert_that("one_outcome", "3: each frame has one outcome, and only frames have", outcomes.eq(ended.zext(2)));
        cover_that("fills", "4: the memory fills", full);
        cover_that("accepts", "3: a frame is accepted", io.accepted);
        cover_that("drops_bad", "3: a bad frame is dropped", io.dropped_bad);
        cover_that("drops_full", "3: a frame without room is dropped", io.dropped_full);
    }
}
