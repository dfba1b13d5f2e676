//! The harness of the skid buffer.

use super::watch::{Watch, assert_flows, only_for_properties};
use em_rtl::stream::{Axis, Beat, Skid};
use hdl::{Bits, Block, Bundle, Shape, assert_that, cover_that, instance, lit, names, pack};

const COUNT_W: u32 = 3;

/// A skid buffer and what is watched of it.
pub struct SkidHarness {
    /// The block.
    pub dut: Skid,
}

/// Ports of the harness.
#[derive(Bundle, Clone, Copy)]
#[bundle(data_w: u32, user_w: u32)]
pub struct SkidHarnessIo<S> {
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
    #[width(COUNT_W)]
    pub number: S,
    /// The beat kept aside.
    #[input]
    #[shape(Beat::shape(data_w, user_w))]
    pub kept: Beat<S>,
    /// Is there one?
    #[input]
    pub kept_valid: S,
}

impl Block for SkidHarness {
    type Io<S> = SkidHarnessIo<S>;

    fn name(&self) -> String {
        "skid_harness".into()
    }

    fn io(&self) -> SkidHarnessIo<Shape> {
        SkidHarnessIo::shape(self.dut.data_w, self.dut.user_w)
    }

    #[names]
    fn build(&self, io: &SkidHarnessIo<Bits>) {
        only_for_properties(io);
        let dut = instance(&self.dut);
        io.s_axis >> dut.s_axis;
        dut.m_axis >> io.m_axis;
        let beat = pack(&io.s_axis.beat());
        let watch = Watch::new(io.number, io.s_axis.transfer(), beat, io.m_axis.transfer());
        watch.assert_output(&io.m_axis, 1);
        assert_flows(&io.s_axis, &io.m_axis, 2);
        let places = io.m_axis.tvalid.zext(COUNT_W) + io.kept_valid.zext(COUNT_W);
        assert_that("all_accounted", "2: every beat held is on the output or kept aside", watch.held.eq(places));
        assert_that(
            "kept_is_next",
            "2: the beat kept aside is the next one",
            watch.at(lit(1, 1), io.kept_valid, pack(&io.kept)),
        );
        cover_that(
            "drains",
            "2: the watched beat leaves from aside",
            watch.inside & watch.ahead.eq(1) & io.m_axis.tready,
        );
    }
}
