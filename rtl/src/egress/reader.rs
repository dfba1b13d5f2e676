//! Reads the frames of one output, one after the other: says which beat it would read next, and goes on when it may.
//!
//! ```text
//!                  ┌────────┐──▶ ready, offer
//!  enqueue, place ▶│ reader │◀── grant
//!                  └────────┘◀── returned  (a place of the output's FIFO is free again)
//! ```
//! Latency: 2 clocks from `enqueue` to `offer`. Throughput: a beat a clock, no clock between frames. It waits while its
//! output's FIFO has no place; a reader without a `room` to look after never waits: whoever gives it a frame has seen to it
//! that the whole frame has room.
//!
//! 1. Frames are read in the order they came, each beat once, in order.
//! 2. `ready` only if the FIFO has a place for the beat.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/reader_room16` | LFE5UM5G-45F-8 | 282 | 73 | 0 | 235 / 245 / 248 | 162.5 |
//! | `ecp5/reader_roomnone` | LFE5UM5G-45F-8 | 257 | 66 | 0 | 218 / 228 / 230 | 162.5 |

use super::{
    bundles::{Offer, Place, Sizes},
    queue::Queue,
};
use hdl::*;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Sizes.
    pub sizes: Sizes,
    /// Places of the output's FIFO; none if room is seen to before a frame comes here.
    pub room: Option<u32>,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes, has_room: bool)]
pub struct ReaderIo<S> {
    /// A frame comes.
    #[input]
    pub enqueue: S,
    /// The frame.
    #[input]
    #[shape(Place::shape(sizes))]
    pub place: Place<S>,
    /// There will be a beat to read in the next clock, and a place for it.
    #[output]
    pub ready: S,
    /// The beat that can be read in this clock.
    #[output]
    #[shape(Offer::shape(sizes))]
    pub offer: Offer<S>,
    /// The beat is read; only if `ready` was 1 in the clock before.
    #[input]
    pub grant: S,
    /// `next` follows the page of a beat that was granted three clocks ago.
    #[input]
    pub answered: S,
    /// The page that follows.
    #[input]
    #[width(sizes.page_w)]
    pub next: S,
    /// A beat has left the output's FIFO.
    #[input]
    #[present(has_room)]
    pub returned: Option<S>,
}

impl Block for Reader {
    type Io<S> = ReaderIo<S>;

    fn name(&self) -> String {
        "reader".into()
    }

    fn doc(&self) -> String {
        "Reads the frames of one output, one after the other.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("room", self.room.map_or("none".into(), |places| places.to_string()))]
    }

    fn io(&self) -> ReaderIo<Shape> {
        ReaderIo::shape(self.sizes, self.room.is_some())
    }

    #[names]
    fn build(&self, io: &ReaderIo<Bits>) {
        let sizes = self.sizes;
        let shape = Place::shape(sizes);
        let queue = instance(&Queue { width: bundle::packed_width(&shape), places: sizes.pages() });
        queue.write.set(io.enqueue);
        queue.word.set(pack(&io.place));
        let oldest = unpack(&shape, queue.oldest);

        // The page that follows. Each beat asks for it, so that it is known before the page's last beat is read; the answer
        // to the last beat of the page before comes too early to matter.
        let following = io.next.delay_enable(io.answered);

        // The frame being read: its next beat, and how many are left with it. Without a frame the next one may come at any
        // time, as behind a last beat: `last` stands then too.
        let active = reg(1).reset(0);
        let slot = reg(sizes.page_w);
        let page = reg(sizes.page_w);
        let offset = reg(sizes.offset_w());
        let further = reg(1);
        let index = reg(sizes.size.beats_w);
        let left = reg(sizes.size.beats_w);
        let last = reg(1).reset(1);
        let goes_on = io.grant | !active;
        queue.take.set(goes_on & last);
        when(goes_on, || {
            active.set(!last | queue.waiting);
            slot.set(mux(last, oldest.page, slot));
            let goes_over = offset.all();
            page.set(mux(last, oldest.page, mux(goes_over, following, page)));
            further.set(!last & (further | goes_over));
            offset.set(mux(last, lit(offset.width(), 0), offset + 1));
            left.set(mux(last, oldest.beats, left - 1));
            index.set(mux(last, lit(index.width(), 0), index + 1));
            last.set(mux(last, oldest.single | !queue.waiting, left.eq(2)));
        });
        assign(&io.offer, &Offer { address: cat([page, offset]), slot, index, further, last });

        // Whether a beat can be read in the next clock, for both cases: that one is read in this clock and that none is.
        let active_if_kept = active | queue.waiting;
        let active_if_read = !last | queue.waiting;
        let (room_if_kept, room_if_read) = match (self.room, io.returned) {
            (Some(places), Some(returned)) => room(places, io.grant, returned),
            _ => (lit(1, 1), lit(1, 1)),
        };
        io.ready.set(mux(io.grant, active_if_read & room_if_read, active_if_kept & room_if_kept));

        assert_that("granted_when_ready", "2: a beat is read only when there is one", !io.grant | active);
        let counts_down = mux(active, left.any() & last.eq(left.eq(1)), last);
        let first_page = !active | further | page.eq(slot);
        assert_that("slot_is_first_page", "1: the slot is the page that a frame begins in", first_page);
        assert_that("last_is_last", "1: the last beat is the one that no other is left with", counts_down);
    }
}

/// Counts the free ones among `places`, of which `take` takes one and `give` gives one back. Two bits: whether one will
/// be free in the next clock if none is taken in this one, and if one is.
#[names]
fn room(places: u32, take: Bits, give: Bits) -> (Bits, Bits) {
    let free = reg(clog2(u64::from(places) + 1)).reset(u64::from(places));
    let one_free = reg(1).reset(1);
    let two_free = reg(1).reset(1);
    when(give & !take, || {
        free.set(free + 1);
        one_free.set(1);
        two_free.set(one_free);
    })
    .elsewhen(take & !give, || {
        free.set(free - 1);
        one_free.set(two_free);
        two_free.set(free.slice(2..).any() | free.trunc(2).all());
    });
    assert_that("room_fits", "2: no more places are free than the FIFO has", free.le(u64::from(places)));
    assert_that("room_for_beat", "2: a beat is read only when there is a place for it", !take | free.any());
    let known = one_free.eq(free.any()) & two_free.eq(free.slice(1..).any());
    assert_that("room_known", "2: a place is free if their number says so", known);
    (one_free | give, two_free | give)
}
