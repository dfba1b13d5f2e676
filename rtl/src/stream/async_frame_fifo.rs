//! A FIFO of whole frames from one clock to another: a frame is seen on the output only once its last beat is in, and then
//! without a pause, as a MAC needs it.
//!
//! ```text
//!       wr clock             rd clock
//!              ┌──────────────────┐
//!   s_axis ═══▶│ async_frame_fifo │═══▶ m_axis
//!      bad ───▶│                  │
//!              └──────────────────┘
//!                 │ accepted, dropped_bad, dropped_full
//! ```
//! A beat on every clock on both sides. The end of the last whole frame crosses by a handshake, which takes about
//! `stages` + 2 clocks of each side; frames that end meanwhile go with the next one, so that the reader never runs dry while
//! it lasts. From the last beat in to the first one out that is `stages` + 6 clocks of the reader or so. What is dropped, and
//! when, is as in [`FrameFifo`](super::FrameFifo). Both sides must be reset together.
//!
//! 1. The rules of [`Axis`](super::Axis) on `m_axis`, given that they hold on `s_axis`; inside a frame `tvalid` never falls.
//! 2. The frames that were accepted come out as they went in, in order, each once.
//! 3. For each frame in, one clock after its last beat, exactly one of `accepted`, `dropped_bad`, `dropped_full` is high.
//! 4. With `Drop`, `s_axis_tready` is always high. With `Stall` it is low only while the memory is full.
//! 5. No frame, however long, blocks those behind it.

use super::{
    Axis, Memory, WhenFull, assert_stream, assume_stream, axis::check_widths, frame_writer::FrameWriter, store,
};
use hdl::{
    Bits, Block, Bundle, Shape, Value, assert_that, cat,
    cdc::{Handshake, synchronise},
    cover_that, in_domain, instance_in, memory, names, pack, reg, when,
};

/// A FIFO of whole frames from domain `wr` to domain `rd`.
#[derive(Clone, Copy, Debug)]
pub struct AsyncFrameFifo {
    /// Width of `tdata` in bits, a multiple of 8.
    pub data_w: u32,
    /// Width of `tuser` in bits.
    pub user_w: u32,
    /// Beats that the memory holds, a power of two.
    pub depth: u32,
    /// What the memory is made of.
    pub memory: Memory,
    /// What happens when there is no room.
    pub when_full: WhenFull,
    /// Flip-flops in each synchroniser, 2 to 8.
    pub stages: u32,
}

/// Ports of an [`AsyncFrameFifo`].
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(data_w: u32, user_w: u32)]
pub struct AsyncFrameFifoIo<S> {
    /// Frames in.
    #[input]
    #[clock(wr)]
    #[shape(Axis::shape(data_w, user_w))]
    pub s_axis: Axis<S>,
    /// The frame must go nowhere; sampled with its last beat.
    #[input]
    #[clock(wr)]
    pub bad: S,
    /// Whole frames out.
    #[output]
    #[clock(rd)]
    #[shape(Axis::shape(data_w, user_w))]
    pub m_axis: Axis<S>,
    /// The frame whose last beat came in one clock ago will come out.
    #[output]
    #[clock(wr)]
    pub accepted: S,
    /// The frame whose last beat came in one clock ago was bad and is dropped.
    #[output]
    #[clock(wr)]
    pub dropped_bad: S,
    /// The frame whose last beat came in one clock ago found no room and is dropped.
    #[output]
    #[clock(wr)]
    pub dropped_full: S,
}

impl Block for AsyncFrameFifo {
    type Io<S> = AsyncFrameFifoIo<S>;

    fn name(&self) -> String {
        "async_frame_fifo".into()
    }

    fn doc(&self) -> String {
        format!("FIFO of whole frames from the clock wr_clk to rd_clk, {} beats deep.", self.depth)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![
            ("d", self.depth.to_string()),
            ("w", self.data_w.to_string()),
            ("u", self.user_w.to_string()),
            ("", format!("{:?}", self.memory).to_lowercase()),
            ("", format!("{:?}", self.when_full).to_lowercase()),
            ("stages", self.stages.to_string()),
        ]
    }

    fn check(&self) -> Result<(), String> {
        if !self.depth.is_power_of_two() || !(4..=1 << 20).contains(&self.depth) {
            let use_instead = self.depth.clamp(4, 1 << 20).next_power_of_two();
            return Err(format!(
                "async_frame_fifo: depth = {} is no power of two from 4 to 2^20: use {use_instead}",
                self.depth
            ));
        }
        check_widths("async_frame_fifo", self.data_w, self.user_w)?;
        self.crossing().check()
    }

    fn io(&self) -> AsyncFrameFifoIo<Shape> {
        AsyncFrameFifoIo::shape(self.data_w, self.user_w)
    }

    #[names]
    fn build(&self, io: &AsyncFrameFifoIo<Bits>) {
        let pointer_w = store::pointer_width(self.depth);
        let read_gray = in_domain("rd", || reg(pointer_w).reset(Value::zero(pointer_w)));
        let commit = instance_in(&self.crossing(), &[("src", "wr"), ("dst", "rd")]);
        let word = pack(&io.s_axis.beat());
        let beats = match self.memory {
            Memory::Block => memory::simple_dual(self.depth, word.width()).output_enable(),
            Memory::Distributed => memory::distributed(self.depth, word.width()),
        };
        let beats = beats.domains("wr", "rd").simple();

        in_domain("wr", || {
            let read_gray_seen = synchronise(read_gray, self.stages);
            let writer = FrameWriter::new(self.depth);
            let write_gray = writer.write_pointer ^ writer.write_pointer.shr(1);
            // One lap ahead in Gray code: the two top bits differ, the rest is equal.
            let top = pointer_w - 2;
            let full = write_gray.eq(cat([!read_gray_seen.slice(top..), read_gray_seen.slice(..top)]));
            let full_alone = store::is_full(writer.write_pointer, writer.commit_pointer);
            let outcomes = [io.accepted, io.dropped_bad, io.dropped_full];
            let written = writer.build(&io.s_axis, io.bad, full, full_alone, self.when_full, outcomes);
            beats.write(written.store_beat, store::address(writer.write_pointer), word);

            // The commit pointer waits for its turn to cross; the latest one goes.
            let to_cross = reg(1).reset(0);
            commit.src_valid.set(to_cross);
            commit.src_data.set(writer.commit_pointer);
            when(written.accept, || to_cross.set(1)).elsewhen(commit.src_ready, || to_cross.set(0));

            assume_stream("s_axis", &io.s_axis);
            cover_that("fills", "4: the memory fills", full);
            cover_that("accepts", "3: a frame is accepted", io.accepted);
            cover_that("drops_bad", "3: a bad frame is dropped", io.dropped_bad);
            cover_that("drops_full", "3: a frame without room is dropped", io.dropped_full);
        });

        in_domain("rd", || {
            let m = &io.m_axis;
            let read_pointer = store::pointer(self.depth);
            // What crossed last stays; before the first time it means nothing.
            let crossed_before = reg(1).reset(0);
            commit.dst_ready.set(1);
            let crossed = crossed_before | commit.dst_valid;
            crossed_before.set(crossed);
            let available = crossed & commit.dst_data.ne(read_pointer);
            let read = store::read_ahead(self.memory, &beats, available, store::address(read_pointer), m);
            let read_next = read_pointer + 1;
            when(read, || {
                read_pointer.set(read_next);
                read_gray.set(read_next ^ read_next.shr(1));
            });

            assert_stream("m_axis", m);
            let pauses = (m.transfer() & !m.tlast).delay_reset(0) & !m.tvalid;
            assert_that("no_pause", "1: inside a frame the output never pauses", !pauses);
        });
    }
}

impl AsyncFrameFifo {
    /// Carries the commit pointer.
    fn crossing(&self) -> Handshake {
        Handshake { width: store::pointer_width(self.depth), stages: self.stages }
    }
}
