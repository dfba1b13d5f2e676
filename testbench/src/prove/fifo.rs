//! The harness of the FIFO.

use super::watch::{MemoryWords, Watch, assert_flows, only_for_properties};
use em_rtl::stream::{Axis, Beat, Fifo, Memory, is_well_formed};
use hdl::{
    Bits, Block, Bundle, Shape, assert_that, bundle::packed_width, clog2, cover_that, instance, lit, names, pack,
    unpack,
};

/// A FIFO, its depth a power of two, and what is watched of it.
pub struct FifoHarness {
    /// The block.
    pub dut: Fifo,
}

impl FifoHarness {
    fn address_w(&self) -> u32 {
        clog2(u64::from(self.dut.depth))
    }

    /// Twice the pointers' range, so that numbers of beats in the memory and in the registers behind it differ.
    fn count_w(&self) -> u32 {
        self.address_w() + 2
    }
}

/// Ports of the harness.
#[derive(Bundle, Clone, Copy)]
#[bundle(data_w: u32, user_w: u32, address_w: u32, block_ram: bool)]
pub struct FifoHarnessIo<S> {
    /// Beats in.
    #[input]
    #[shape(Axis::shape(data_w, user_w))]
    pub s_axis: Axis<S>,
    /// Beats out.
    #[output]
    #[shape(Axis::shape(data_w, user_w))]
    pub m_axis: Axis<S>,
    /// Number of the watched beat.
    #[input]
    #[width(address_w + 2)]
    pub number: S,
    /// The block's pointers.
    #[input]
    #[width(address_w + 1)]
    pub write_pointer: S,
    /// Where it reads.
    #[input]
    #[width(address_w + 1)]
    pub read_pointer: S,
    /// The word that was read, in the memory's register.
    #[input]
    #[present(block_ram)]
    #[width(packed_width(&Beat::shape(data_w, user_w)))]
    pub fetched: Option<S>,
    /// Is there one?
    #[input]
    #[present(block_ram)]
    pub fetched_valid: Option<S>,
    /// Every word of the memory, the first in the lowest bits.
    #[input]
    #[width(packed_width(&Beat::shape(data_w, user_w)) << address_w)]
    pub words: S,
}

impl Block for FifoHarness {
    type Io<S> = FifoHarnessIo<S>;

    fn name(&self) -> String {
        "fifo_harness".into()
    }

    fn io(&self) -> FifoHarnessIo<Shape> {
        FifoHarnessIo::shape(self.dut.data_w, self.dut.user_w, self.address_w(), self.dut.memory == Memory::Block)
    }

    #[names]
    fn build(&self, io: &FifoHarnessIo<Bits>) {
        let width = self.count_w();
        only_for_properties(io);
        let dut = instance(&self.dut);
        io.s_axis >> dut.s_axis;
        dut.m_axis >> io.m_axis;
        let beat = pack(&io.s_axis.beat());
        let watch = Watch::new(io.number, io.s_axis.transfer(), beat, io.m_axis.transfer());
        watch.assert_output(&io.m_axis, 3);
        assert_flows(&io.s_axis, &io.m_axis, 3);

        let out_valid = io.m_axis.tvalid.zext(width);
        let fetched_valid = io.fetched_valid.map_or_else(|| lit(width, 0), |valid| valid.zext(width));
        let behind = out_valid + fetched_valid;
        let stored = (io.write_pointer - io.read_pointer).zext(width);
        assert_that(
            "all_accounted",
            "2: every beat held is in memory or on the way out",
            watch.held.eq(stored + behind),
        );
        if let (Some(word), Some(valid)) = (io.fetched, io.fetched_valid) {
            assert_that(
                "fetched_is_next",
                "2: the word fetched is the next one",
                watch.at(io.m_axis.tvalid, valid, word),
            );
            let fetched_right = !valid | is_well_formed(&unpack(&Beat::shape(self.dut.data_w, self.dut.user_w), word));
            assert_that("fetched_well_formed", "1: the word fetched is well formed", fetched_right);
        }
        let same_place = watch.count_in.trunc(io.write_pointer.width()).eq(io.write_pointer);
        assert_that("numbered", "2: a beat's number is its place in memory", same_place);
        let memory = MemoryWords::new(io.words, io.read_pointer, beat.width());
        let watched_word = memory.word(io.number);
        let in_memory = watch.inside & watch.ahead.ge(behind);
        memory.assert_well_formed(stored, io.m_axis.tuser.width());
        let unharmed = !in_memory | watched_word.eq(watch.caught);
        assert_that("unharmed_in_memory", "2: a beat in memory is as it came in", unharmed);
        cover_that(
            "wraps",
            "2: the second lap's first beat leaves",
            io.m_axis.transfer() & io.read_pointer.msb() & watch.held.eq(1),
        );
    }
}
