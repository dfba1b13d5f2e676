//! The harness of the arbiter.

use super::watch::{Watch, only_for_properties};
use em_rtl::stream::{Arbiter, ArbiterIo, Axis, Beat};
use hdl::{
    Bits, Block, Bundle, Shape, assert_that, assume_that, clog2, connect, cover_that, instance, lit, mux, names, pack,
    reg, select, when,
};

const COUNT_W: u32 = 3;
const INPUTS: u32 = 3;

/// An arbiter of three streams and what is watched of it. Each stream's `tuser` is its number, so that a beat on the
/// output tells where it comes from.
pub struct ArbiterHarness {
    /// The block; its `user_w` holds the number of a stream.
    pub dut: Arbiter,
}

/// Ports of the harness.
#[derive(Bundle, Clone)]
#[bundle(data_w: u32, user_w: u32)]
pub struct ArbiterHarnessIo<S> {
    /// Streams in and out.
    #[shape(ArbiterIo::shape(INPUTS, data_w, user_w))]
    pub ends: ArbiterIo<S>,
    /// Number of the watched stream.
    #[input]
    #[width(user_w)]
    pub which: S,
    /// Number of the watched beat of that stream.
    #[input]
    #[width(COUNT_W)]
    pub number: S,
    /// Whose turn it is.
    #[input]
    #[width(user_w)]
    pub turn: S,
    /// The last beat that was taken was not the last of its frame.
    #[input]
    pub mid_frame: S,
    /// The beat kept aside in the skid buffer on the output.
    #[input]
    #[shape(Beat::shape(data_w, user_w))]
    pub kept: Beat<S>,
    /// Is there one?
    #[input]
    pub kept_valid: S,
}

impl Block for ArbiterHarness {
    type Io<S> = ArbiterHarnessIo<S>;

    fn name(&self) -> String {
        "arbiter_harness".into()
    }

    fn io(&self) -> ArbiterHarnessIo<Shape> {
        ArbiterHarnessIo::shape(self.dut.data_w, self.dut.user_w)
    }

    #[names]
    fn build(&self, io: &ArbiterHarnessIo<Bits>) {
        let (streams, m) = (&io.ends.s_axis, &io.ends.m_axis);
        only_for_properties(io);
        let dut = instance(&self.dut);
        for (i, (stream, end)) in streams.iter().zip(&dut.s_axis).enumerate() {
            connect(stream, end);
            assume_that(&format!("tagged{i}"), "each stream's tuser is its number", stream.tuser.eq(i as u64));
        }
        assume_that("which_exists", "the watched stream is one of them", io.which.lt(u64::from(INPUTS)));
        connect(&dut.m_axis, m);

        let of = |pick: fn(&Axis<Bits>) -> Bits| select(io.which, &streams.iter().map(pick).collect::<Vec<_>>());
        let taken = of(|s| s.transfer());
        let beat = of(|s| pack(&s.beat()));
        let waits = of(|s| s.tvalid);
        let ours_out = m.tvalid & m.tuser.eq(io.which);
        let ours_kept = io.kept_valid & io.kept.tuser.eq(io.which);
        let watch = Watch::new(io.number, taken, beat, ours_out & m.tready);
        let out_right = watch.at(lit(1, 0), ours_out, pack(&m.beat()));
        assert_that("in_order", "2: beat number n of a stream out is its beat number n in", out_right);
        assert_that("nothing_invented", "2: what comes out has come in", !ours_out | watch.held.any());
        let places = ours_out.zext(COUNT_W) + ours_kept.zext(COUNT_W);
        assert_that("all_accounted", "2: every beat held is on the output or kept aside", watch.held.eq(places));
        let kept_right = watch.at(ours_out, ours_kept, pack(&io.kept));
        assert_that("kept_is_next", "2: the beat kept aside is the next one", kept_right);
        assert_that("only_tagged", "2: what comes out is some stream's", !m.tvalid | m.tuser.lt(u64::from(INPUTS)));
        assert_that(
            "only_tagged_kept",
            "2: so is what is kept aside",
            !io.kept_valid | io.kept.tuser.lt(u64::from(INPUTS)),
        );

        // Rule 3, on the output: between a frame's first beat and its last, every beat is of the same stream.
        let open = reg(1).reset(0);
        let owner = reg(m.tuser.width());
        when(m.transfer(), || {
            open.set(!m.tlast);
            owner.set(m.tuser);
        });
        let unmixed = !(open & m.tvalid) | m.tuser.eq(owner);
        assert_that("unmixed", "3: frames are not mixed", unmixed);
        // The same where the beats are still in the block: each is of its predecessor's frame, or begins one.
        let after_out = mux(m.tvalid, !m.tlast, open);
        let owner_after_out = mux(m.tvalid, m.tuser, owner);
        let unmixed_kept = !(io.kept_valid & after_out) | io.kept.tuser.eq(owner_after_out);
        assert_that("unmixed_kept", "3: nor is the beat kept aside", unmixed_kept);
        let after_kept = mux(io.kept_valid, !io.kept.tlast, after_out);
        let owner_after_kept = mux(io.kept_valid, io.kept.tuser, owner_after_out);
        assert_that("frame_known", "3: the arbiter knows whether it is inside a frame", io.mid_frame.eq(after_kept));
        assert_that(
            "turn_kept",
            "3: a stream has the turn to its frame's end",
            !after_kept | io.turn.eq(owner_after_kept),
        );

        // Rule 4: frames of other streams that ended while the watched one waited.
        let others_served = reg(clog2(u64::from(INPUTS)) + 1).reset(0);
        let other_ends: Vec<Bits> =
            streams.iter().enumerate().map(|(i, s)| s.transfer() & s.tlast & io.which.ne(i as u64)).collect();
        let other_ended = other_ends.into_iter().fold(lit(1, 0), |any, one| any | one);
        when(other_ended & waits, || others_served.set(others_served + 1));
        when(taken | !waits, || others_served.set(0));
        assert_that(
            "fair",
            "4: at most one frame of each other stream goes before",
            others_served.lt(u64::from(INPUTS)),
        );
        let count = lit(3, u128::from(INPUTS));
        let distance =
            mux(io.turn.le(io.which), io.which.zext(3) - io.turn.zext(3), io.which.zext(3) + count - io.turn.zext(3));
        let gets_nearer = (others_served.zext(4) + distance.zext(4)).lt(u64::from(INPUTS));
        assert_that("gets_nearer", "4: each frame of another stream brings the turn nearer", gets_nearer);
        cover_that("waits_longest", "4: both others go before", others_served.eq(2) & io.turn.eq(io.which));
        let full_speed = m.transfer().delay_reset(0) & m.transfer() & m.tuser.ne(owner) & !open;
        cover_that("no_bubble", "frames of two streams follow each other without a bubble", full_speed);
    }
}
