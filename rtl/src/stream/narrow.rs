//! Splits beats into narrower ones.
//!
//! ```text
//!              ┌────────┐
//!   s_axis ═══▶│ narrow │───▶ m_axis
//!              └────────┘
//! ```
//! A beat out on every clock, without a gap between wide beats; latency 1 clock. Never drops. The first part of a wide beat
//! goes straight to the output, the others to `rest`; if the output is stalled the first part waits `aside`.
//!
//! A frame of two beats, from 16 to 8 bits; the output stalls for a clock:
//!
//! ```text
//! cycle           1    2    3    4    5    6    7    8
//! s_axis_tvalid  ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\________________________
//! s_axis_tready  ‾‾‾‾‾\____/‾‾‾‾\_________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! s_axis_tdata   |b0a0|b1a1     |0
//! s_axis_tlast   _____/‾‾‾‾‾‾‾‾‾\________________________
//! m_axis_tvalid  _____/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\_________
//! m_axis_tready  ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\____/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! m_axis_tdata   |0   |a0  |b0  |a1       |b1  |0
//! m_axis_tlast   _________________________/‾‾‾‾\_________
//! ```
//!
//! Area and clock: docs/timing.md.
//!
//! 1. The rules of [`Axis`](super::Axis) on `m_axis`, given that they hold on `s_axis`.
//! 2. The bytes of a frame come out as they went in, in order, each once.
//! 3. `tuser` of a narrow beat is that of the wide one.
//! 4. `s_axis_tready` is high only while every part of the beats before is on the output or gone.

use super::{
    Axis, StreamBlock, StreamIo, assert_stream, assume_stream,
    axis::{check_ratio, check_widths},
};
use hdl::{
    Bits, Block, Bundle, Shape, assert_that, assign, cat, cover_that, lit, mux, mux_of, names, reg, reg_of, when,
};

/// The converter.
#[derive(Clone, Copy, Debug)]
pub struct Narrow {
    /// Width of `s_axis_tdata` in bits, a multiple of `to_w`.
    pub from_w: u32,
    /// Width of `m_axis_tdata` in bits, a multiple of 8.
    pub to_w: u32,
    /// Width of `tuser` in bits.
    pub user_w: u32,
}

/// What a part of a wide beat carries of its own.
#[derive(Bundle, Clone, Copy)]
#[bundle(data_w: u32)]
struct Part<S> {
    /// Data.
    #[width(data_w)]
    tdata: S,
    /// Lanes with a byte.
    #[width(data_w / 8)]
    tkeep: S,
    /// Last of the frame.
    tlast: S,
}

impl StreamBlock for Narrow {
    fn ends(io: &StreamIo<Bits>) -> (Axis<Bits>, Axis<Bits>) {
        (io.s_axis, io.m_axis)
    }
}

impl Block for Narrow {
    type Io<S> = StreamIo<S>;

    fn name(&self) -> String {
        "narrow".into()
    }

    fn doc(&self) -> String {
        format!("Splits beats of {} bits into beats of {}.", self.from_w, self.to_w)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("from", self.from_w.to_string()), ("to", self.to_w.to_string()), ("u", self.user_w.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        check_widths("narrow", self.to_w, self.user_w)?;
        check_ratio("narrow", ("from_w", self.from_w), ("to_w", self.to_w))
    }

    fn io(&self) -> StreamIo<Shape> {
        StreamIo::shape(Axis::shape(self.from_w, self.user_w), Axis::shape(self.to_w, self.user_w))
    }

    #[names]
    fn build(&self, io: &StreamIo<Bits>) {
        let (s, m) = (&io.s_axis, &io.m_axis);
        let (parts, lanes) = (self.from_w / self.to_w, self.to_w / 8);
        m.tvalid.reset(0);
        s.tready.reset(0);
        m.beat().visit(|_, leaf| {
            leaf.registered();
        });
        // Part `i` of the beat offered; it is the frame's last if the next one has no byte.
        let has_bytes = |i: u32| if i < parts { s.tkeep.bit(i * lanes) } else { lit(1, 0) };
        let offered: Vec<Part<Bits>> = (0..parts)
            .map(|i| Part {
                tdata: s.tdata.slice(i * self.to_w..(i + 1) * self.to_w),
                tkeep: s.tkeep.slice(i * lanes..(i + 1) * lanes),
                tlast: s.tlast & !has_bytes(i + 1),
            })
            .collect();
        let aside = reg_of(&Part::shape(self.to_w));
        let aside_valid = reg(1).reset(0);
        let rest: Vec<Part<Bits>> = (1..parts).map(|_| reg_of(&Part::shape(self.to_w))).collect();
        // One bit a part of `rest`: it is still to come out.
        let pending = reg(parts - 1).reset(hdl::Value::zero(parts - 1));
        let user = reg(self.user_w);

        let advance = m.tready | !m.tvalid;
        let take = s.transfer();
        let shift = advance & !aside_valid & pending.bit(0);
        let rest_pending = cat((1..parts).rev().map(has_bytes));
        let shifted = match parts {
            2 => lit(1, 0),
            _ => cat([lit(1, 0), pending.slice(1..)]),
        };
        let pending_next = mux(take, rest_pending, mux(shift, shifted, pending));
        let aside_next = !advance & (aside_valid | take);
        pending.set(pending_next);
        aside_valid.set(aside_next);
        s.tready.set(!pending_next.bit(0) & !aside_next);

        // Whatever is offered while there is room, taken or not: so the registers are enabled by a register.
        when(s.tready, || {
            assign(&aside, &offered[0]);
            user.set(s.tuser);
        });
        for (i, part) in rest.iter().enumerate() {
            match rest.get(i + 1) {
                Some(behind) => when(s.tready | shift, || assign(part, &mux_of(s.tready, &offered[i + 1], behind))),
                None => when(s.tready, || assign(part, &offered[i + 1])),
            };
        }
        let waiting = mux_of(aside_valid, &aside, &rest[0]);
        let out = mux_of(s.tready, &offered[0], &waiting);
        when(advance, || {
            m.tvalid.set(take | aside_valid | pending.bit(0));
            m.tdata.set(out.tdata);
            m.tkeep.set(out.tkeep);
            m.tlast.set(out.tlast);
            m.tuser.set(mux(s.tready, s.tuser, user));
        });

        assume_stream("s_axis", s);
        assert_stream("m_axis", m);
        let empty = !aside_valid & !pending.any();
        assert_that("ready_means_room", "4: nothing is taken while a part waits", !s.tready | empty);
        assert_that("aside_behind_output", "2: a part waits aside only behind one", !aside_valid | m.tvalid);
        cover_that("waits", "2: a part waits aside", aside_valid);
        cover_that("streams", "2: a beat comes in as the last part of another goes out", take & m.transfer());
    }
}
