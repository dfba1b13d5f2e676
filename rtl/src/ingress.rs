//! First block of a path: takes frames into the whole-frame buffer and shows each beat to the parser.
//!
//! ```text
//!              ┌───────────────┐──▶ beat     (to the parser, never stalled)
//!  s_axis ────▶│    ingress    │──▶ buffer   (block RAM, read by egress)
//!              └───────────────┘◀── release  (beats and frames that egress is done with)
//! ```
//! Latency: 1 clock from a beat's transfer to `beat`, 2 to its `end`. Throughput: a beat a clock, frames without gaps
//! between them. It stalls while the buffer has no room or too many frames are on their way. It drops nothing: a frame
//! that must go nowhere is marked in `end` and skipped by egress, so that each frame is counted once, at one place.
//!
//! At 128 bits, a frame of 47 bytes and one of 13:
//!
//! ```text
//! cycle                   1  2  3  4  5  6  7
//! s_axis_tvalid          ‾‾‾‾‾‾‾‾‾‾‾‾\________
//! s_axis_tready          ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! s_axis_tlast           ______/‾‾‾‾‾\________
//! beat_valid             ___/‾‾‾‾‾‾‾‾‾‾‾\_____
//! beat_first             ‾‾‾‾‾‾\_____/‾‾‾‾‾‾‾‾
//! beat_last              _________/‾‾‾‾‾\_____
//! beat_end_extent_beats  |0    |1 |2 |3 |1
//! beat_end_extent_lane   |0 |f       |e |c |0
//! beat_end_runt          _______________/‾‾‾‾‾
//! ```
//!
//! 1. Every beat taken comes out as `beat`, in order, and is stored unless it is beyond the maximum frame's last beat.
//! 2. `end` counts the beats stored, so that what egress releases is what was taken.
//! 3. A frame of any length is taken to its end: beats that are not stored need no room of their own.
//! 4. `s_axis_tready` comes from a register; it is given back in time for the beats that are still on their way in.
//! 5. No beat is stored over one that has not been released.

use crate::{
    packet::{Beat, BufferRead, Extent, FrameEnd, Release, Size, last_lane},
    stream::{Axis, PathUser},
};
use hdl::*;

/// Beats and frames kept in hand for what is on its way when `tready` falls: `tready` knows of a transfer four clocks
/// later.
const MARGIN_LOG2: u32 = 2;
/// Bytes of an Ethernet header; a shorter frame is a runt.
const ETHERNET: u32 = 14;

/// Clocks from a beat's transfer to `beat`.
pub const LATENCY: u32 = 1;

/// The block.
#[derive(Clone, Debug)]
pub struct Ingress {
    /// Widths.
    pub size: Size,
    /// Longest frame in bytes; longer ones are marked.
    pub max_frame: u32,
    /// Beats of the buffer; a power of two.
    pub buffer_beats: u32,
    /// Frames that may be between here and the end of the path; a power of two.
    pub frames: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, user_w: u32, addr_w: u32)]
pub struct IngressIo<S> {
    /// Frames in; `tuser` is a packed `PathUser`.
    #[input]
    #[shape(Axis::shape(size.data_w, user_w))]
    pub s_axis: Axis<S>,
    /// Each beat, for the parser.
    #[output]
    #[shape(Beat::shape(size))]
    pub beat: Beat<S>,
    /// Reads the frame buffer.
    #[input]
    #[shape(BufferRead::shape(size.data_w, addr_w))]
    pub buffer: BufferRead<S>,
    /// What egress is done with.
    #[input]
    #[shape(Release::shape(size.beats_w))]
    pub release: Release<S>,
}

impl Ingress {
    /// Beats of the longest frame.
    fn max_beats(&self) -> u32 {
        self.max_frame.div_ceil(self.size.lanes())
    }
}

impl Block for Ingress {
    type Io<S> = IngressIo<S>;

    fn name(&self) -> String {
        "ingress".into()
    }

    fn doc(&self) -> String {
        "Takes frames into the whole-frame buffer and shows each beat to the parser.".into()
    }

    fn check(&self) -> Result<(), String> {
        self.size.check("ingress")?;
        let (most, beats_w) = (self.max_beats(), self.size.beats_w);
        if self.max_frame < ETHERNET || clog2(u64::from(most) + 1) > beats_w {
            let max = self.max_frame;
            return Err(format!(
                "ingress: max_frame = {max} takes {most} beats: choose at least {ETHERNET} bytes, and size.beats_w = {beats_w} to hold the beats"
            ));
        }
        let least = (most + (2 << MARGIN_LOG2)).next_power_of_two();
        if !self.buffer_beats.is_power_of_two() || self.buffer_beats < least {
            let beats = self.buffer_beats;
            return Err(format!("ingress: buffer_beats = {beats}: choose a power of two from {least} on"));
        }
        if !self.frames.is_power_of_two() || self.frames < 2 << MARGIN_LOG2 {
            let (frames, least) = (self.frames, 2 << MARGIN_LOG2);
            return Err(format!("ingress: frames = {frames}: choose a power of two from {least} on"));
        }
        Ok(())
    }

    fn io(&self) -> IngressIo<Shape> {
        let user_w = bundle::packed_width(&PathUser::shape());
        IngressIo::shape(self.size, user_w, clog2(u64::from(self.buffer_beats)))
    }

    #[names]
    fn build(&self, io: &IngressIo<Bits>) {
        let lanes = self.size.lanes();
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
        let in_user = unpack(&PathUser::shape(), s_axis.tuser.delay());

        // Store: `stored` beats of the frame are in the buffer, and no more of it go there once it is `full`.
        let max_beats = u64::from(self.max_beats());
        let stored = reg(self.size.beats_w);
        let full = reg(1);
        let beyond = full & !in_first;
        when(in_valid, || {
            when(in_first, || {
                stored.set(1);
                full.set(max_beats == 1);
            })
            .elsewhen(!full, || {
                stored.set(stored + 1);
                full.set(stored.eq(max_beats - 1));
            });
        });
        let store = in_valid & !beyond;
        let write_addr = reg(clog2(u64::from(self.buffer_beats))).reset(0);
        let next_addr = write_addr + 1;
        when(store, || write_addr.set(next_addr));
        let frame_buffer = memory::simple_dual(self.buffer_beats, self.size.data_w).latency(2).simple();
        frame_buffer.write(store, write_addr, in_data);
        io.buffer.rdata.set(frame_buffer.read(io.buffer.re, io.buffer.raddr));

        // Show the beat to the parser, and a clock later the end, if it was the last one.
        let begins = in_valid & in_first;
        let end_lane = last_lane(in_others).delay();
        let end_beyond = beyond.delay();
        let spare = self.max_frame % lanes;
        let too_far = if spare == 0 { lit(1, 0) } else { full & end_lane.ge(u64::from(spare)) };
        let (whole, rest) = ((ETHERNET - 1) / lanes, (ETHERNET - 1) % lanes);
        let runt_there = stored.eq(u64::from(whole) + 1) & end_lane.lt(u64::from(rest));
        let runt = if whole == 0 { runt_there } else { stored.le(u64::from(whole)) | runt_there };
        let end = FrameEnd {
            extent: Extent {
                beats: stored,
                lane: end_lane,
                port: in_user.port.delay_enable(begins),
                function: in_user.function.delay_enable(begins),
            },
            bad: in_user.bad.delay(),
            oversize: end_beyond | too_far,
            runt,
            egress: in_user.egress.delay_enable(begins),
        };
        end.visit(|at, leaf| {
            leaf.named(&format!("end_{}", at.name));
        });
        assign(&io.beat, &Beat { valid: in_valid, first: in_first, last: in_last, data: in_data, end });

        // Room: what is stored and what is on its way leaves the counts, what egress releases comes back.
        let room = account(self.buffer_beats, "room", store, io.release.beats);
        let frames = account(self.frames, "frames", in_valid & in_last, io.release.frame);
        s_axis.tready.set(room.slice(MARGIN_LOG2..).any() & frames.slice(MARGIN_LOG2..).any());
        // This beat and the one before it are not yet subtracted.
        let has_room = room.slice(1..).any();
        assert_that("frame_buffer_has_room", "a beat is stored only where one is free", !store | has_room);
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
