//! A register slice on a stream without `tuser`.

use hdl::*;

/// Register slice, two beats deep; no combinational path between its sides.
#[derive(Clone, Copy, Debug)]
pub struct Skid {
    /// Width of `tdata` in bits.
    pub data_w: u32,
}

/// What a beat carries.
#[derive(Bundle, Clone)]
#[bundle(data_w: u32)]
pub struct Beat<S> {
    /// Data.
    #[width(data_w)]
    pub tdata: S,
    /// Valid lanes.
    #[width(data_w / 8)]
    pub tkeep: S,
    /// Last beat of the frame.
    pub tlast: S,
}

/// Ports.
#[derive(Bundle, Clone)]
#[bundle(data_w: u32)]
pub struct SkidIo<S> {
    /// Beats in.
    #[input]
    #[shape(Beat::shape(data_w))]
    pub s: Beat<S>,
    /// A beat comes in.
    #[input]
    pub s_tvalid: S,
    /// It is taken.
    #[output]
    pub s_tready: S,
    /// Beats out.
    #[output]
    #[shape(Beat::shape(data_w))]
    pub m: Beat<S>,
    /// A beat goes out.
    #[output]
    pub m_tvalid: S,
    /// It is taken.
    #[input]
    pub m_tready: S,
}

impl Block for Skid {
    type Io<S> = SkidIo<S>;

    fn name(&self) -> String {
        "skid".into()
    }

    fn doc(&self) -> String {
        "Register slice, two beats deep.".into()
    }

    fn io(&self) -> SkidIo<Shape> {
        SkidIo::shape(self.data_w)
    }

    #[names]
    fn build(&self, io: &SkidIo<Bits>) {
        io.m.visit(|_, leaf| {
            leaf.registered();
        });
        io.m_tvalid.reset(0);
        io.s_tready.reset(0);
        let kept = reg_of(&Beat::shape(self.data_w));
        let kept_valid = reg(1).reset(0);
        let advance = io.m_tready | !io.m_tvalid;
        let take = io.s_tvalid & io.s_tready;
        when(advance, || {
            when(kept_valid, || {
                assign(&io.m, &kept);
                io.m_tvalid.set(1);
                kept_valid.set(0);
            })
            .otherwise(|| {
                assign(&io.m, &io.s);
                io.m_tvalid.set(take);
            });
            io.s_tready.set(1);
        })
        .elsewhen(take, || {
            assign(&kept, &io.s);
            kept_valid.set(1);
            io.s_tready.set(0);
        });
    }
}
