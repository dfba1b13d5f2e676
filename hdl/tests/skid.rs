//! A stream block written in the language.

use hdl::*;

/// AXI4-Stream, as a probe of nested bundles.
#[derive(Bundle, Clone)]
#[bundle(data_w: u32)]
pub struct Axis<S> {
    /// Data, lane 0 first on the wire.
    #[width(data_w)]
    pub tdata: S,
    /// Valid lanes.
    #[width(data_w / 8)]
    pub tkeep: S,
    /// Last beat of the frame.
    pub tlast: S,
    /// The beat is there.
    pub tvalid: S,
    /// The beat is taken.
    #[flip]
    pub tready: S,
}

/// A skid buffer.
pub struct Skid {
    /// Width of the data.
    pub data_w: u32,
}

/// Ports.
#[derive(Bundle, Clone)]
#[bundle(data_w: u32)]
pub struct SkidIo<S> {
    /// Beats in.
    #[input]
    #[shape(Axis::shape(data_w))]
    pub s_axis: Axis<S>,
    /// Beats out.
    #[output]
    #[shape(Axis::shape(data_w))]
    pub m_axis: Axis<S>,
}

impl Block for Skid {
    type Io<S> = SkidIo<S>;

    fn name(&self) -> String {
        "skid".into()
    }

    fn io(&self) -> SkidIo<Shape> {
        SkidIo::shape(self.data_w)
    }

    #[names]
    fn build(&self, io: &SkidIo<Bits>) {
        let (s, m) = (&io.s_axis, &io.m_axis);
        let kept_data = reg(s.tdata.width());
        let kept_keep = reg(s.tkeep.width());
        let kept_last = reg(1);
        let kept_valid = reg(1).reset(0);
        m.tdata.registered();
        m.tkeep.registered();
        m.tlast.registered();
        m.tvalid.reset(0);
        s.tready.reset(0);
        let advance = m.tready | !m.tvalid;
        let take = s.tvalid & s.tready;
        when(advance, || {
            when(kept_valid, || {
                m.tdata.set(kept_data);
                m.tkeep.set(kept_keep);
                m.tlast.set(kept_last);
                m.tvalid.set(1);
                kept_valid.set(0);
            })
            .otherwise(|| {
                m.tdata.set(s.tdata);
                m.tkeep.set(s.tkeep);
                m.tlast.set(s.tlast);
                m.tvalid.set(take);
            });
            s.tready.set(1);
        })
        .elsewhen(take, || {
            kept_data.set(s.tdata);
            kept_keep.set(s.tkeep);
            kept_last.set(s.tlast);
            kept_valid.set(1);
            s.tready.set(0);
        });
    }
}

#[test]
fn a_skid_buffer_elaborates() {
    let design = elaborate(&Skid { data_w: 512 }).unwrap();
    let names: Vec<String> = design.top().verilog_ports().into_iter().map(|(n, ..)| n).collect();
    assert_eq!(names[..4], ["clk", "rst", "s_axis_tdata", "s_axis_tkeep"]);
    assert_eq!(names.len(), 12);
}
