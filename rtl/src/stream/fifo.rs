//! A FIFO of beats.
//!
//! ```text
//!              ┌──────┐
//!   s_axis ═══▶│ fifo │═══▶ m_axis
//!              └──────┘
//! ```
//! A beat on every clock; latency 3 clocks with block RAM, 2 with distributed; never drops, stalls its input when the
//! memory's `depth` beats are taken. One beat more (distributed) or two (block RAM, in its own registers) wait on the way out,
//! so that the last beat of a frame is never held back.
//!
//! A frame of four beats through block RAM; the output stalls for two clocks:
//!
//! ```text
//! cycle           0  1  2  3  4  5  6  7  8  9
//! s_axis_tvalid  ‾‾‾‾‾‾‾‾‾‾‾‾\_________________
//! s_axis_tready  ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! s_axis_tdata   |a0|a1|a2|a3|0
//! s_axis_tlast   _________/‾‾\_________________
//! m_axis_tvalid  _________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\__
//! m_axis_tready  ‾‾‾‾‾‾‾‾‾\_____/‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! m_axis_tdata   |0       |a0      |a1|a2|a3
//! m_axis_tlast   ________________________/‾‾‾‾‾
//! ```
//!
//! yosys 0.70 `synth_ecp5`, 128 bits and 17 of `tuser`: 256 beats in block RAM 13 LUT4, 10 CCU2C, 20 flip-flops, 5 blocks;
//! 16 beats in distributed RAM 10 LUT4, 6 CCU2C, 41 TRELLIS_DPR16X4, 173 flip-flops.
//!
//! 1. The rules of [`Axis`](super::Axis) on `m_axis`, given that they hold on `s_axis`.
//! 2. Beats come out as they went in, in order, each once.
//! 3. `s_axis_tready` is low exactly while the memory is full.
//! 4. A beat that is in comes out without another one having to follow it.

use super::{
    Axis, StreamBlock, StreamIo, assert_stream, assume_stream,
    axis::check_widths,
    store::{self, Memory},
};
use hdl::{Bits, Block, Shape, assert_that, cover_that, names, pack, when};

/// A FIFO of beats.
#[derive(Clone, Copy, Debug)]
pub struct Fifo {
    /// Width of `tdata` in bits, a multiple of 8.
    pub data_w: u32,
    /// Width of `tuser` in bits.
    pub user_w: u32,
    /// Beats that the memory holds, at least 2; any number, powers of two are smallest.
    pub depth: u32,
    /// What the memory is made of.
    pub memory: Memory,
}

impl StreamBlock for Fifo {
    fn ends(io: &StreamIo<Bits>) -> (Axis<Bits>, Axis<Bits>) {
        (io.s_axis, io.m_axis)
    }
}

impl Block for Fifo {
    type Io<S> = StreamIo<S>;

    fn name(&self) -> String {
        "fifo".into()
    }

    fn doc(&self) -> String {
        format!("FIFO of {} beats.", self.depth)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![
            ("d", self.depth.to_string()),
            ("w", self.data_w.to_string()),
            ("u", self.user_w.to_string()),
            ("", format!("{:?}", self.memory).to_lowercase()),
        ]
    }

    fn check(&self) -> Result<(), String> {
        if self.depth < 2 {
            return Err(format!("fifo: depth = {}: use at least 2 beats", self.depth));
        }
        check_widths("fifo", self.data_w, self.user_w)
    }

    fn io(&self) -> StreamIo<Shape> {
        let axis = Axis::shape(self.data_w, self.user_w);
        StreamIo::shape(axis, axis)
    }

    #[names]
    fn build(&self, io: &StreamIo<Bits>) {
        let (s, m) = (&io.s_axis, &io.m_axis);
        let write_pointer = store::pointer(self.depth);
        let read_pointer = store::pointer(self.depth);
        let full = store::is_full(write_pointer, read_pointer);
        let available = write_pointer.ne(read_pointer);

        s.tready.set(!full);
        let take = s.transfer();
        let word = pack(&s.beat());
        let beats = store::memory(self.memory, self.depth, word.width());
        beats.write(take, store::address(write_pointer), word);
        let read = store::read_ahead(self.memory, &beats, available, store::address(read_pointer), m);
        when(take, || write_pointer.set(store::next(write_pointer, self.depth)));
        when(read, || read_pointer.set(store::next(read_pointer, self.depth)));

        assume_stream("s_axis", s);
        assert_stream("m_axis", m);
        let level = store::level(write_pointer, read_pointer, self.depth);
        assert_that("level_fits", "2: no more beats than the memory holds", level.le(u64::from(self.depth)));
        cover_that("fills", "3: the memory fills", full);
    }
}
