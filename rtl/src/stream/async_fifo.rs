//! A FIFO of beats from one clock to another.
//!
//! ```text
//!       wr clock          rd clock
//!              ┌────────────┐
//!   s_axis ═══▶│ async_fifo │═══▶ m_axis
//!              └────────────┘
//! ```
//! A beat on every clock on both sides; from a beat in to the beat out `stages` + 3 or + 4 clocks of the reader with block
//! RAM, one less with distributed. Never drops, stalls its input while full. A frame may pause inside: a reader that must not
//! be kept waiting, such as a MAC, takes [`AsyncFrameFifo`](super::AsyncFrameFifo). Both sides must be reset together.
//!
//! 1. The rules of [`Axis`](super::Axis) on `m_axis`, given that they hold on `s_axis`.
//! 2. Beats come out as they went in, in order, each once.
//! 3. A beat that is in comes out without another one having to follow it.
//!
//! The crossing itself is [`hdl::cdc::AsyncFifo`], where the rules of its pointers are stated.

use super::{Axis, Beat, Memory, axis::check_widths};
use hdl::{
    Bits, Block, Bundle, Shape, assign,
    bundle::packed_width,
    cdc::{self, Storage},
    instance, names, pack, unpack,
};

/// A FIFO of beats from domain `wr` to domain `rd`.
#[derive(Clone, Copy, Debug)]
pub struct AsyncFifo {
    /// Width of `tdata` in bits, a multiple of 8.
    pub data_w: u32,
    /// Width of `tuser` in bits.
    pub user_w: u32,
    /// Beats that the memory holds, a power of two.
    pub depth: u32,
    /// What the memory is made of.
    pub memory: Memory,
    /// Flip-flops in each synchroniser, 2 to 8.
    pub stages: u32,
}

/// Ports of an [`AsyncFifo`].
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(data_w: u32, user_w: u32)]
pub struct AsyncFifoIo<S> {
    /// Beats in.
    #[input]
    #[clock(wr)]
    #[shape(Axis::shape(data_w, user_w))]
    pub s_axis: Axis<S>,
    /// Beats out.
    #[output]
    #[clock(rd)]
    #[shape(Axis::shape(data_w, user_w))]
    pub m_axis: Axis<S>,
}

impl AsyncFifo {
    fn shape(&self) -> Beat<Shape> {
        Beat::shape(self.data_w, self.user_w)
    }

    fn words(&self) -> cdc::AsyncFifo {
        let storage = match self.memory {
            Memory::Block => Storage::Block,
            Memory::Distributed => Storage::Distributed,
        };
        let width = packed_width(&self.shape());
        cdc::AsyncFifo { depth: self.depth, width, stages: self.stages, storage, output_reg: true }
    }
}

impl Block for AsyncFifo {
    type Io<S> = AsyncFifoIo<S>;

    fn name(&self) -> String {
        "stream_async_fifo".into()
    }

    fn doc(&self) -> String {
        format!("FIFO of {} beats from the clock wr_clk to rd_clk.", self.depth)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![
            ("d", self.depth.to_string()),
            ("w", self.data_w.to_string()),
            ("u", self.user_w.to_string()),
            ("", format!("{:?}", self.memory).to_lowercase()),
            ("stages", self.stages.to_string()),
        ]
    }

    fn check(&self) -> Result<(), String> {
        check_widths("stream_async_fifo", self.data_w, self.user_w)?;
        self.words().check()
    }

    fn io(&self) -> AsyncFifoIo<Shape> {
        AsyncFifoIo::shape(self.data_w, self.user_w)
    }

    #[names]
    fn build(&self, io: &AsyncFifoIo<Bits>) {
        let (s, m) = (&io.s_axis, &io.m_axis);
        let words = instance(&self.words());
        words.wr_valid.set(s.tvalid);
        words.wr_data.set(pack(&s.beat()));
        s.tready.set(words.wr_ready);
        m.tvalid.set(words.rd_valid);
        assign(&m.beat(), &unpack(&self.shape(), words.rd_data));
        words.rd_ready.set(m.tready);
    }
}
