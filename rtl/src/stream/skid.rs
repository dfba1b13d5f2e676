//! The register slice: cuts every combinational path of a stream, both ways, at full throughput.
//!
//! ```text
//!              ┌──────┐
//!   s_axis ═══▶│ skid │═══▶ m_axis
//!              └──────┘
//! ```
//! Latency 1 clock; a beat on every clock; never drops. It holds two beats: the one on the output and one that came
//! in while the output was stalled and `s_axis_tready`, a register, had not yet fallen.
//!
//! A frame of four beats; the output stalls for two clocks:
//!
//! ```text
//! cycle           1  2  3  4  5  6  7  8  9
//! s_axis_tvalid  ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\________
//! s_axis_tready  ‾‾‾‾‾‾‾‾‾\_____/‾‾‾‾‾‾‾‾‾‾‾
//! s_axis_tdata   |a0|a1|a2|a3      |0
//! s_axis_tlast   _________/‾‾‾‾‾‾‾‾\________
//! m_axis_tvalid  ___/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\_____
//! m_axis_tready  ‾‾‾‾‾‾\_____/‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! m_axis_tdata   |0 |a0|a1      |a2|a3|0
//! m_axis_tlast   __________________/‾‾\_____
//! ```
//!
//! 1. The rules of [`Axis`](super::Axis) on `m_axis`, given that they hold on `s_axis`.
//! 2. Beats come out as they went in, in order, each once.
//! 3. `s_axis_tready` is low exactly while a beat is kept aside (and during reset).
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/skid_u21` | LFE5UM5G-45F-8 | 171 | 335 | 0 | 252 / 290 / 304 | 162.5 |
//! | `ecp5/skid_u24` | LFE5UM5G-45F-8 | 174 | 341 | 0 | 258 / 276 / 326 | 162.5 |
//! | `skid_128` | LFE5UM5G-45F-8 | 151 | 295 | 0 | 248 / 290 / 298 |  |
//! | `skid_512` | LFE5UM5G-45F-8 | 583 | 1159 | 0 | 160 / 230 / 268 |  |

use super::{Axis, Beat, StreamBlock, StreamIo, assert_stream, assume_stream, axis::check_widths, is_well_formed};
use hdl::{Bits, Block, Bundle, Shape, assert_that, assign, cat, cover_that, mux, names, reg, reg_of, when};

/// The register slice.
#[derive(Clone, Copy, Debug)]
pub struct Skid {
    /// Width of `tdata` in bits, a multiple of 8.
    pub data_w: u32,
    /// Width of `tuser` in bits.
    pub user_w: u32,
}

impl StreamBlock for Skid {
    fn ends(io: &StreamIo<Bits>) -> (Axis<Bits>, Axis<Bits>) {
        (io.s_axis, io.m_axis)
    }
}

impl Block for Skid {
    type Io<S> = StreamIo<S>;

    fn name(&self) -> String {
        "skid".into()
    }

    fn doc(&self) -> String {
        "Register slice: two beats deep, cuts every combinational path of a stream.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("w", self.data_w.to_string()), ("u", self.user_w.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        check_widths("skid", self.data_w, self.user_w)
    }

    fn io(&self) -> StreamIo<Shape> {
        let axis = Axis::shape(self.data_w, self.user_w);
        StreamIo::shape(axis, axis)
    }

    #[names]
    fn build(&self, io: &StreamIo<Bits>) {
        let (s, m) = (&io.s_axis, &io.m_axis);
        let out = m.beat();
        out.visit(|_, leaf| {
            leaf.registered();
        });
        m.tvalid.reset(0);
        s.tready.reset(0);
        let kept = reg_of(&Beat::shape(self.data_w, self.user_w));
        let kept_valid = reg(1).reset(0);

        let advance = m.tready | !m.tvalid;
        let take = s.transfer();
        let offered = s.beat();
        // Whatever is offered while there is room, taken or not: so the registers are enabled by a register.
        when(s.tready, || assign(&kept, &offered));
        // Two registers say that a beat is kept aside (rule 3). Each chooses half of the beat: one would have to reach far.
        let half = self.data_w / 2;
        let tdata_low = mux(kept_valid, kept.tdata.trunc(half), offered.tdata.trunc(half));
        let tdata_high = mux(s.tready, offered.tdata.slice(half..), kept.tdata.slice(half..));
        let next = Beat {
            tdata: cat([tdata_high, tdata_low]),
            tkeep: mux(kept_valid, kept.tkeep, offered.tkeep),
            tlast: mux(kept_valid, kept.tlast, offered.tlast),
            tuser: mux(s.tready, offered.tuser, kept.tuser),
        };
        when(advance, || {
            assign(&out, &next);
            m.tvalid.set(kept_valid | take);
            kept_valid.set(0);
            s.tready.set(1);
        })
        .elsewhen(take, || {
            kept_valid.set(1);
            s.tready.set(0);
        });

        assume_stream("s_axis", s);
        assert_stream("m_axis", m);
        assert_that("ready_means_room", "3: nothing is taken while a beat is kept aside", !(s.tready & kept_valid));
        assert_that(
            "kept_behind_output",
            "2: a beat is kept aside only behind one on the output",
            !kept_valid | m.tvalid,
        );
        let kept_right = !kept_valid | is_well_formed(&kept);
        assert_that("kept_well_formed", "1: the beat kept aside is well formed", kept_right);
        cover_that("fills", "3: a beat is kept aside", kept_valid);
    }
}
