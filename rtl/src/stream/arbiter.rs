//! Joins several streams into one, frame by frame, in turn.
//!
//! ```text
//!   s_axis0 ═══▶┌─────────┐
//!   s_axis1 ═══▶│ arbiter │═══▶ m_axis
//!       ... ═══▶└─────────┘
//! ```
//! Latency 1 clock for a stream that has the turn; a beat on every clock. The next turn is decided as a frame's last beat
//! goes by, so there is no bubble between frames as long as the next one is waiting by then or comes from the same stream.
//! A stream that finds the arbiter idle in another one's turn gets the turn one clock later.
//!
//! Two frames each of two streams:
//!
//! ```text
//! cycle            1  2  3  4  5  6  7  8  9
//! s_axis0_tvalid  ‾‾‾‾‾‾‾‾‾‾‾‾\______________
//! s_axis0_tready  ‾‾‾‾‾‾\__/‾‾\______________
//! s_axis0_tdata   |a0|a1|a2   |0
//! s_axis0_tlast   ___/‾‾‾‾‾‾‾‾\______________
//! s_axis1_tvalid  ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\________
//! s_axis1_tready  ______/‾‾\__/‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! s_axis1_tdata   |b0      |b1   |b2|0
//! s_axis1_tlast   ‾‾‾‾‾‾‾‾‾\_____/‾‾\________
//! m_axis_tvalid   ___/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾\_____
//! m_axis_tready   ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! m_axis_tdata    |0 |a0|a1|b0|a2|b1|b2|0
//! m_axis_tlast    ______/‾‾‾‾‾‾‾‾\__/‾‾\_____
//! ```
//!
//! yosys 0.70 `synth_ecp5`, 128 bits and 17 of `tuser`: 2 streams 507 LUT4, 329 flip-flops; 4 streams 854 and 330.
//!
//! 1. The rules of [`Axis`](super::Axis) on `m_axis`, given that they hold on every input.
//! 2. Beats of one input come out as they went in, in order, each once.
//! 3. Frames are not mixed: from a frame's first beat to its last only its input is taken from.
//! 4. A waiting stream gets the turn after at most one frame of each other stream.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `arbiter_128` | LFE5UM5G-45F-8 | 457 | 298 | 0 | 176 / 210 / 243 |  |
//! | `arbiter_512` | LFE5UM5G-45F-8 | 1753 | 1162 | 0 | 150 / 154 / 205 |  |
//! | `ecp5/arbiter_n2_u21` | LFE5UM5G-45F-8 | 497 | 338 | 0 | 235 / 236 / 242 | 162.5 |
//! | `ecp5/arbiter_n2_u24` | LFE5UM5G-45F-8 | 526 | 343 | 0 | 176 / 192 / 227 | 162.5 |
//! | `ecp5/arbiter_n3_u21` | LFE5UM5G-45F-8 | 518 | 340 | 0 | 201 / 211 / 218 | 162.5 |

use super::{Axis, Beat, Skid, assume_stream, axis::check_widths};
use hdl::{
    Bits, Block, Bundle, Shape, assert_that, assign, cat, clog2, cover_that, instance, lit, names, reg, select, when,
};

/// The arbiter.
#[derive(Clone, Copy, Debug)]
pub struct Arbiter {
    /// Number of streams in, 2 to 16.
    pub inputs: u32,
    /// Width of `tdata` in bits, a multiple of 8.
    pub data_w: u32,
    /// Width of `tuser` in bits.
    pub user_w: u32,
}

/// Ports of an [`Arbiter`].
#[derive(Bundle, Clone, Debug)]
#[bundle(inputs: u32, data_w: u32, user_w: u32)]
pub struct ArbiterIo<S> {
    /// Frames in.
    #[input]
    #[count(inputs)]
    #[shape(Axis::shape(data_w, user_w))]
    pub s_axis: Vec<Axis<S>>,
    /// Frames out.
    #[output]
    #[shape(Axis::shape(data_w, user_w))]
    pub m_axis: Axis<S>,
}

impl Block for Arbiter {
    type Io<S> = ArbiterIo<S>;

    fn name(&self) -> String {
        "arbiter".into()
    }

    fn doc(&self) -> String {
        format!("Joins {} streams frame by frame, in turn.", self.inputs)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("n", self.inputs.to_string()), ("w", self.data_w.to_string()), ("u", self.user_w.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        if !(2..=16).contains(&self.inputs) {
            return Err(format!("arbiter: inputs = {}: use 2 to 16", self.inputs));
        }
        check_widths("arbiter", self.data_w, self.user_w)
    }

    fn io(&self) -> ArbiterIo<Shape> {
        ArbiterIo::shape(self.inputs, self.data_w, self.user_w)
    }

    #[names]
    fn build(&self, io: &ArbiterIo<Bits>) {
        let count = self.inputs as usize;
        let turn = reg(clog2(u64::from(self.inputs))).reset(0);
        let mid_frame = reg(1).reset(0);
        let has_turn: Vec<Bits> = (0..count).map(|i| turn.eq(i as u64)).collect();
        let waiting: Vec<Bits> = io.s_axis.iter().map(|s| s.tvalid).collect();

        // The inverse of `turn`: synthesis would make equal registers one, and one has to reach too far.
        let turn_inverse = reg(turn.width()).reset((1 << turn.width()) - 1);
        let half = self.data_w / 2;
        let by = |turn: Bits, field: &dyn Fn(&Axis<Bits>) -> Bits| {
            select(turn, &io.s_axis.iter().map(field).collect::<Vec<_>>())
        };
        let data_low = by(turn, &|s| s.tdata.trunc(half));
        let data_high = by(!turn_inverse, &|s| s.tdata.slice(half..));
        let chosen = Beat {
            tdata: cat([data_high, data_low]),
            tkeep: by(turn, &|s| s.tkeep),
            tlast: by(turn, &|s| s.tlast),
            tuser: by(!turn_inverse, &|s| s.tuser),
        };
        let chosen_valid = select(turn, &waiting);
        let out = instance(&Skid { data_w: self.data_w, user_w: self.user_w });
        assign(&out.s_axis.beat(), &chosen);
        out.s_axis.tvalid.set(chosen_valid);
        for (s, has_turn) in io.s_axis.iter().zip(&has_turn) {
            s.tready.set(out.s_axis.tready & *has_turn);
        }
        out.m_axis >> io.m_axis;

        let take = out.s_axis.transfer();
        let ends = take & chosen.tlast;
        when(take, || mid_frame.set(!chosen.tlast));
        let next: Vec<Bits> = (0..count).map(|i| next_after(&has_turn, &waiting, i)).collect();
        let pass_on = ends | (!mid_frame & !chosen_valid);
        let next_turn = encode(&next, turn.width());
        when(pass_on & any(next), || {
            turn.set(next_turn);
            turn_inverse.set(!next_turn);
        });

        for (i, s) in io.s_axis.iter().enumerate() {
            assume_stream(&format!("s_axis{i}"), s);
            cover_that(&format!("serves{i}"), &format!("4: stream {i} has its turn"), s.transfer() & s.tlast);
        }
        assert_that("turn_and_inverse", "3: both say whose turn it is", turn.eq(!turn_inverse));
        if !self.inputs.is_power_of_two() {
            assert_that("one_turn", "3: the turn is one stream's", turn.lt(u64::from(self.inputs)));
        }
    }
}

/// 1 bit: stream `i` waits, and no stream between the one whose turn it is and `i` does.
#[track_caller]
fn next_after(has_turn: &[Bits], waiting: &[Bits], i: usize) -> Bits {
    let count = has_turn.len();
    any((1..count).map(|ahead| {
        let from = (i + count - ahead) % count;
        let nobody_between = (1..ahead).map(|k| !waiting[(from + k) % count]);
        nobody_between.fold(has_turn[from] & waiting[i], |all, one| all & one)
    }))
}

/// 1 bit: one of them is 1.
#[track_caller]
fn any(bits: impl IntoIterator<Item = Bits>) -> Bits {
    bits.into_iter().reduce(|a, b| a | b).unwrap_or_else(|| lit(1, 0))
}

/// The number, in `width` bits, of the one of `one_hot` that is 1.
#[track_caller]
fn encode(one_hot: &[Bits], width: u32) -> Bits {
    let bit = |b: u32| any(one_hot.iter().enumerate().filter(|(i, _)| i >> b & 1 == 1).map(|(_, bit)| *bit));
    cat((0..width).rev().map(bit))
}
