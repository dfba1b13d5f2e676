//! Collects beats into wider ones.
//!
//! ```text
//!              ┌───────┐
//!   s_axis ───▶│ widen │═══▶ m_axis
//!              └───────┘
//! ```
//! A beat in on every clock; latency 1 clock from the beat that fills a wide one or ends the frame. Never drops. One beat
//! waits aside while the output is stalled, so that `s_axis_tready` is a register; the output register is where the beats
//! are collected.
//!
//! Frames of three beats and of two, from 8 to 16 bits; the output stalls for two clocks:
//!
//! ```text
//! cycle           1    2    3    4    5    6    7    8    9
//! s_axis_tvalid  ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\_________
//! s_axis_tready  ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\_________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! s_axis_tdata   |a0  |a1  |a2  |a3            |a4  |0
//! s_axis_tlast   __________/‾‾‾‾\______________/‾‾‾‾\_________
//! m_axis_tvalid  __________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\____/‾‾‾‾\____
//! m_axis_tready  ‾‾‾‾‾‾‾‾‾‾\_________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! m_axis_tdata   |0   |a0  |a1a0          |a2  |a3  |a4a3|0
//! m_axis_tlast   _________________________/‾‾‾‾\____/‾‾‾‾\____
//! ```
//!
//! Area and clock: docs/timing.md.
//!
//! 1. The rules of [`Axis`](super::Axis) on `m_axis`, given that they hold on `s_axis`.
//! 2. The bytes of a frame come out as they went in, in order, each once; lanes without a byte are zero.
//! 3. `tuser` of a wide beat is that of the last beat in it.
//! 4. `s_axis_tready` is low exactly while a beat is kept aside (and during reset).

use super::{
    Axis, Beat, StreamBlock, StreamIo, assert_stream, assume_stream,
    axis::{check_ratio, check_widths},
    is_well_formed,
};
use hdl::{Bits, Block, Bundle, Shape, assert_that, assign, cat, cover_that, mux, mux_of, names, reg, reg_of, when};

/// The converter.
#[derive(Clone, Copy, Debug)]
pub struct Widen {
    /// Width of `s_axis_tdata` in bits, a multiple of 8.
    pub from_w: u32,
    /// Width of `m_axis_tdata` in bits, a multiple of `from_w`.
    pub to_w: u32,
    /// Width of `tuser` in bits.
    pub user_w: u32,
}

impl StreamBlock for Widen {
    fn ends(io: &StreamIo<Bits>) -> (Axis<Bits>, Axis<Bits>) {
        (io.s_axis, io.m_axis)
    }
}

impl Block for Widen {
    type Io<S> = StreamIo<S>;

    fn name(&self) -> String {
        "widen".into()
    }

    fn doc(&self) -> String {
        format!("Collects beats of {} bits into beats of {}.", self.from_w, self.to_w)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("from", self.from_w.to_string()), ("to", self.to_w.to_string()), ("u", self.user_w.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        check_widths("widen", self.from_w, self.user_w)?;
        check_ratio("widen", ("to_w", self.to_w), ("from_w", self.from_w))
    }

    fn io(&self) -> StreamIo<Shape> {
        StreamIo::shape(Axis::shape(self.from_w, self.user_w), Axis::shape(self.to_w, self.user_w))
    }

    #[names]
    fn build(&self, io: &StreamIo<Bits>) {
        let (s, m) = (&io.s_axis, &io.m_axis);
        let places = self.to_w / self.from_w;
        m.tvalid.reset(0);
        s.tready.reset(0);
        m.beat().visit(|_, leaf| {
            leaf.registered();
        });
        let kept = reg_of(&Beat::shape(self.from_w, self.user_w));
        let kept_valid = reg(1).reset(0);
        // One bit a place: the next beat goes there.
        let place = reg(places).reset(hdl::Value::new(places, 1));

        let advance = m.tready | !m.tvalid;
        let take = s.transfer();
        let beat = mux_of(kept_valid, &kept, &s.beat());
        let beat_valid = kept_valid | take;
        let completes = beat_valid & (beat.tlast | place.msb());

        // Whatever is offered while there is room, taken or not: so the registers are enabled by a register.
        when(s.tready, || assign(&kept, &s.beat()));
        when(advance, || {
            kept_valid.set(0);
            s.tready.set(1);
            m.tvalid.set(completes);
            m.tlast.set(beat.tlast);
            m.tuser.set(beat.tuser);
        })
        .elsewhen(take, || {
            kept_valid.set(1);
            s.tready.set(0);
        });
        let next_place = cat([place.slice(..places - 1), place.msb()]);
        when(advance & beat_valid, || place.set(mux(completes, hdl::Value::new(places, 1), next_place)));

        // A place is written over until a beat has come; the first one empties the others.
        let lanes = self.from_w / 8;
        for i in 0..places {
            let data = m.tdata.slice(i * self.from_w..(i + 1) * self.from_w);
            let keep = m.tkeep.slice(i * lanes..(i + 1) * lanes);
            when(advance & place.bit(i), || {
                data.set(beat.tdata);
                keep.set(beat.tkeep);
            });
            if i > 0 {
                when(advance & place.bit(0), || {
                    data.set(hdl::Value::zero(self.from_w));
                    keep.set(hdl::Value::zero(lanes));
                });
            }
        }

        assume_stream("s_axis", s);
        assert_stream("m_axis", m);
        assert_that("ready_means_room", "4: nothing is taken while a beat is kept aside", !(s.tready & kept_valid));
        assert_that("begins_anew", "2: a complete beat is followed by one that begins anew", !m.tvalid | place.bit(0));
        let kept_right = !kept_valid | is_well_formed(&kept);
        assert_that("kept_well_formed", "1: the beat kept aside is well formed", kept_right);
        cover_that("partial", "2: a frame ends before its last beat is full", m.tvalid & m.tlast & !m.tkeep.all());
    }
}
