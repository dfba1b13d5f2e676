//! First block of the way out: takes the host's frames into the whole-frame buffer and shows each beat to the parser.
//!
//! ```text
//!              ┌───────────────┐──▶ beat     (to the parser, never stalled)
//!  s_axis ────▶│    ingress    │──▶ buffer   (block RAM, read by egress)
//!              └───────────────┘◀── release  (beats and frames that egress is done with)
//! ```
//! Latency: 3 clocks from a beat's transfer to `beat`. Throughput: a beat a clock, frames without gaps between them.
//! It stalls while the buffer has no room or too many frames are on their way. It drops nothing: a frame that must go
//! nowhere is marked in `end` and skipped by egress, so that each frame is counted once, at one place.
//!
//! 1. Every beat taken comes out as `beat`, in order, and is stored unless it is beyond the maximum frame's last beat.
//! 2. `end` counts the beats stored, so that what egress releases is what was taken.
//! 3. A frame of any length is taken to its end: beats that are not stored need no room of their own.
//! 4. `s_axis_tready` comes from a register; it is given back in time for the beats that are still on their way in.
//! 5. No beat is stored over one that has not been released.

use crate::{
    config::EmConfig,
    stream::{Axis, HostUser},
    v1::packet::{Beat, BufferRead, DATA_W, Extent, FrameEnd, LANES, Release},
};
use hdl::*;

/// Beats and frames kept in hand for what is on its way when `tready` falls: more than the five clocks from a transfer
/// to the `tready` that knows of it.
const MARGIN_LOG2: u32 = 3;

/// The block.
#[derive(Clone, Debug)]
pub struct Ingress {
    /// The Execution Module's sizes.
    pub config: EmConfig,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(user_w: u32, beats_w: u32, addr_w: u32)]
pub struct IngressIo<S> {
    /// Frames from the host; `tuser` is a packed `HostUser`.
    #[input]
    #[shape(Axis::shape(DATA_W, user_w))]
    pub s_axis: Axis<S>,
    /// Each beat, for the parser.
    #[output]
    #[shape(Beat::shape(beats_w))]
    pub beat: Beat<S>,
    /// Reads the frame buffer.
    #[input]
    #[shape(BufferRead::shape(addr_w))]
    pub buffer: BufferRead<S>,
    /// What egress is done with.
    #[input]
    #[shape(Release::shape(beats_w))]
    pub release: Release<S>,
}

impl Block for Ingress {
    type Io<S> = IngressIo<S>;

    fn name(&self) -> String {
        "ingress".into()
    }

    fn doc(&self) -> String {
        "Takes the host's frames into the whole-frame buffer and shows each beat to the parser.".into()
    }

    fn io(&self) -> IngressIo<Shape> {
        let user_w = bundle::packed_width(&HostUser::shape());
        IngressIo::shape(user_w, self.config.beats_w(), clog2(u64::from(self.config.buffer.ingress_beats)))
    }

    #[names]
    fn build(&self, io: &IngressIo<Bits>) {
        let c = &self.config;
        let s_axis = &io.s_axis;

        // Accept: the beat as it came. Lane 0 of a beat is always there.
        s_axis.tkeep.bit(0).ignore();
        s_axis.tready.reset(0);
        let accept = s_axis.tvalid & s_axis.tready;
        let at_start = reg(1).reset(1);
        when(accept, || at_start.set(s_axis.tlast));
        let in_valid = accept.delay_reset(0);
        let in_first = at_start.delay();
        let in_last = s_axis.tlast.delay();
        let in_data = s_axis.tdata.delay();
        let in_others = s_axis.tkeep.slice(1..).delay();
        let in_user = unpack(&HostUser::shape(), s_axis.tuser.delay());

        // Count: which beat of its frame it is, and where it ends.
        let max_beats = u64::from(c.max_beats());
        let index = reg(c.beats_w());
        let next_index = index + 1;
        when(in_valid, || {
            when(in_first, || index.set(0)).elsewhen(index.ne(max_beats), || index.set(next_index));
        });
        let beat_valid = in_valid.delay_reset(0);
        let beat_first = in_first.delay();
        let beat_last = in_last.delay();
        let beat_data = in_data.delay();
        let beat_lane = crate::v1::meter::last_lane(in_others).delay();
        let beat_bad = in_user.bad.delay();
        let function = in_user.function.delay_enable(in_valid & in_first);

        // Store.
        let beyond = index.eq(max_beats);
        let store = beat_valid & !beyond;
        let write_addr = reg(clog2(u64::from(c.buffer.ingress_beats))).reset(0);
        let next_addr = write_addr + 1;
        when(store, || write_addr.set(next_addr));
        let frame_buffer = memory::simple_dual(c.buffer.ingress_beats, DATA_W).latency(2).simple();
        frame_buffer.write(store, write_addr, beat_data);
        io.buffer.rdata.set(frame_buffer.read(io.buffer.re, io.buffer.raddr));

        // Show it to the parser.
        let spare = c.max_frame % LANES;
        let oversize =
            if spare == 0 { beyond } else { beyond | (index.eq(max_beats - 1) & beat_lane.ge(u64::from(spare))) };
        let runt = index.eq(0) & beat_lane.lt(13);
        let stored = mux(beyond, max_beats, index + 1);
        let end =
            FrameEnd { extent: Extent { beats: stored, lane: beat_lane, function }, bad: beat_bad, oversize, runt };
        let beat = Beat { valid: beat_valid, first: beat_first, last: beat_last, data: beat_data, end };
        let shown = crate::v1::packet::later("shown", &beat, 1);
        assign(&io.beat, &shown);

        // Room: what is stored and what is on its way leaves the counts, what egress releases comes back.
        let room = account(c.buffer.ingress_beats, "room", store, io.release.beats);
        let frames = account(c.buffer.frames, "frames", beat_valid & beat_last, io.release.frame);
        s_axis.tready.set(room.slice(MARGIN_LOG2..).any() & frames.slice(MARGIN_LOG2..).any());
        assert_that("frame_buffer_has_room", "a beat is stored only where one is free", !store | room.any());
    }
}

/// A count that begins at `depth`, loses 1 with `take` and gains `give`, two clocks later.
fn account(depth: u32, name: &str, take: Bits, give: Bits) -> Bits {
    let width = clog2(u64::from(depth) + 1);
    let count = reg(width).reset(u64::from(depth)).named(name);
    let change = reg(width).reset(0).named(&format!("{name}_change"));
    change.set(give.zext(width) - take.zext(width));
    count.set(count + change);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Profile;

    #[test]
    fn no_output_depends_combinationally_on_an_input() {
        let config = Profile::named("ecp5").unwrap().config;
        check::assert_no_combinational_paths(&Ingress { config });
    }
}
