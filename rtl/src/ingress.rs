//! First block of a path: takes frames into the whole-frame buffer and shows each beat to the parser.
//!
//! ```text
//!              ┌───────────────┐──▶ beat, chain  (to the parser, never stalled)
//!  s_axis ────▶│    ingress    │──▶ buffer       (block RAM, read by egress)
//!              └───────────────┘◀── release      (pages that egress is done with)
//! ```
//! Latency: 1 clock from a beat's transfer to `beat`, 2 to its `end`. Throughput: a beat a clock, frames without gaps
//! between them. It stalls while the buffer has no room. It drops nothing: a frame that must go nowhere is marked in `end`
//! and skipped by egress, so that each frame is counted once, at one place.
//!
//! The buffer is divided into [`pages`](crate::pages). A frame takes whole pages, wherever they are free, so that pages
//! come back in any order and one that waits for its output holds up no other. A few pages are kept in hand for beats that
//! are on their way when `tready` falls.
//!
//! At 128 bits, a frame of 47 bytes and one of 13:
//!
//! ```text
//! cycle                   8  9  10 11 12 13 14
//! s_axis_tvalid          ‾‾‾‾‾‾‾‾‾‾‾‾\________
//! s_axis_tready          ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! s_axis_tlast           ______/‾‾‾‾‾\________
//! beat_valid             ___/‾‾‾‾‾‾‾‾‾‾‾\_____
//! beat_first             ‾‾‾‾‾‾\_____/‾‾‾‾‾‾‾‾
//! beat_last              _________/‾‾‾‾‾\_____
//! beat_end_extent_beats  |0    |1 |2 |3 |1
//! beat_end_extent_lane   |f          |e |c |0
//! beat_end_runt          _______________/‾‾‾‾‾
//! chain_first            |0             |1
//! chain_last             |0             |1 |2
//! ```
//!
//! 1. Every beat taken comes out as `beat`, in order, and is stored unless it is beyond the maximum frame's last beat.
//! 2. `end` counts the beats stored. They stand in the pages of `chain`, from the first beat of its first page on.
//! 3. A frame of any length is taken to its end: beats that are not stored take no page.
//! 4. `s_axis_tready` comes from a register; it is given back in time for the beats that are still on their way in.
//! 5. No beat is stored in a page that has not been released.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/ingress` | LFE5UM5G-45F-8 | 284 | 268 | 8 | 209 / 248 / 248 | 162.5 |

use crate::{
    packet::{Beat, BufferRead, Chain, Extent, FrameEnd, Release, Size, last_lane},
    pages::{Pages, SPARE},
    stream::{Axis, PathUser},
};
use hdl::*;

/// Bytes of an Ethernet header; a shorter frame is a runt.
const ETHERNET: u32 = 14;
/// Fewest beats of a page: a reader learns three clocks after a beat which page follows.
pub const LEAST_PAGE_BEATS: u32 = 4;

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
    /// Pages that the buffer is divided into; a power of two.
    pub pages: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, user_w: u32, addr_w: u32, page_w: u32)]
pub struct IngressIo<S> {
    /// Frames in; `tuser` is a packed `PathUser`.
    #[input]
    #[shape(Axis::shape(size.data_w, user_w))]
    pub s_axis: Axis<S>,
    /// Each beat, for the parser.
    #[output]
    #[shape(Beat::shape(size))]
    pub beat: Beat<S>,
    /// Where the frame stands; with `beat.end`.
    #[output]
    #[shape(Chain::shape(page_w))]
    pub chain: Chain<S>,
    /// Reads the frame buffer.
    #[input]
    #[shape(BufferRead::shape(size.data_w, addr_w, page_w))]
    pub buffer: BufferRead<S>,
    /// What egress is done with.
    #[input]
    #[shape(Release::shape(page_w))]
    pub release: Release<S>,
}

/// Fewest pages of `page_beats` beats that a frame of `max_beats` passes through: those that it takes, and the one that is
/// at hand when it ends, besides those of no use.
pub fn least_pages(max_beats: u32, page_beats: u32) -> u32 {
    max_beats.div_ceil(page_beats) + 1 + SPARE
}

impl Ingress {
    /// Beats of the longest frame.
    fn max_beats(&self) -> u32 {
        self.max_frame.div_ceil(self.size.lanes())
    }

    /// Beats of a page.
    fn page_beats(&self) -> u32 {
        self.buffer_beats / self.pages
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
        let (beats, pages) = (self.buffer_beats, self.pages);
        if !beats.is_power_of_two() || beats < most {
            let least = most.next_power_of_two();
            return Err(format!("ingress: buffer_beats = {beats}: choose a power of two from {least} on"));
        }
        if !pages.is_power_of_two() || pages < 8 || self.page_beats() < LEAST_PAGE_BEATS {
            let most = beats / LEAST_PAGE_BEATS;
            return Err(format!("ingress: pages = {pages}: choose a power of two from 8 to {most}"));
        }
        let least = least_pages(most, self.page_beats());
        if pages < least {
            return Err(format!(
                "ingress: pages = {pages}: a frame of {most} beats takes {least}; choose more beats or more pages"
            ));
        }
        Ok(())
    }

    fn io(&self) -> IngressIo<Shape> {
        let user_w = bundle::packed_width(&PathUser::shape());
        IngressIo::shape(self.size, user_w, clog2(u64::from(self.buffer_beats)), clog2(u64::from(self.pages)))
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
        // The next beat is the last one that is stored; known early.
        let fills = reg(1);
        when(in_valid, || {
            when(in_first, || {
                stored.set(1);
                fills.set(max_beats == 2);
                full.set(max_beats == 1);
            })
            .elsewhen(!full, || {
                stored.set(stored + 1);
                fills.set(stored.eq(max_beats.saturating_sub(2)));
                full.set(fills);
            });
        });
        let store = in_valid & !beyond;

        // Place: a page is at hand before its first beat comes, and the next one is taken with its last beat: behind a
        // frame's end in any case, behind a full page unless it holds the last beat that is stored.
        let page = reg(clog2(u64::from(self.pages))).reset(0);
        let offset = reg(clog2(u64::from(self.page_beats()))).reset(0);
        let take = in_valid & (in_last | (!beyond & offset.all() & !fills));
        when(in_valid, || offset.set(mux(in_last, lit(offset.width(), 0), offset + (!beyond).zext(offset.width()))));
        let pages = instance(&Pages { count: self.pages });
        pages.take.set(take);
        when(take, || page.set(pages.page));
        assign(&pages.give_back, &io.release);
        let frame_buffer = memory::simple_dual(self.buffer_beats, self.size.data_w).latency(2).simple();
        frame_buffer.write(store, cat([page, offset]), in_data);
        io.buffer.rdata.set(frame_buffer.read(io.buffer.re, io.buffer.raddr));
        pages.of.set(io.buffer.raddr.slice(offset.width()..));
        io.buffer.next.set(pages.next);

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
        assign(&io.chain, &Chain { first: page.delay_enable(begins), last: page.delay() });
        assign(&io.beat, &Beat { valid: in_valid, first: in_first, last: in_last, data: in_data, end });

        // Room: a frame of one beat may come in every clock, and each takes a page.
        s_axis.tready.set(pages.ready);
    }
}
