//! Reads the frames of one output, one after the other: says which beat it would read next, and goes on when it may.
//!
//! ```text
//!                  ┌────────┐──▶ ready, offer
//!  enqueue, place ▶│ reader │◀── grant
//!                  └────────┘◀── returned  (a place of the output's FIFO is free again)
//! ```
//! Latency: 2 clocks from `enqueue` to `ready`. Throughput: a beat a clock, no clock between frames. It waits while its
//! output's FIFO has no place; a reader without a `room` to look after never waits: whoever gives it a frame has seen to it
//! that the whole frame has room.
//!
//! 1. Frames are read in the order they came, each beat once, in order.
//! 2. `ready` only if the FIFO has a place for the beat.

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
    /// There is a beat to read, and a place for it.
    #[output]
    pub ready: S,
    /// The beat.
    #[output]
    #[shape(Offer::shape(sizes))]
    pub offer: Offer<S>,
    /// The beat is read; only while `ready`.
    #[input]
    pub grant: S,
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
        let queue = instance(&Queue { width: bundle::packed_width(&shape), places: sizes.frames() });
        queue.write.set(io.enqueue);
        queue.word.set(pack(&io.place));
        let next = unpack(&shape, queue.oldest);

        // The frame being read: its next beat, and how many are left with it.
        let active = reg(1).reset(0);
        let beat = reg_of(&Offer::shape(sizes));
        let left = reg(sizes.size.beats_w);
        let done = io.grant & beat.last;
        let take = done | !active;
        queue.take.set(take);
        when(take, || {
            active.set(queue.waiting);
            beat.address.set(next.base);
            beat.slot.set(next.slot);
            beat.index.set(0);
            beat.last.set(next.single);
            left.set(next.beats);
        })
        .elsewhen(io.grant, || {
            beat.address.set(beat.address + 1);
            beat.last.set(left.eq(2));
            left.set(left - 1);
            when(!beat.index.msb(), || beat.index.set(beat.index + 1));
        });
        assign(&io.offer, &beat);
        match (self.room, io.returned) {
            (Some(places), Some(returned)) => io.ready.set(active & has_room(places, io.grant, returned)),
            _ => io.ready.set(active),
        }

        assert_that("granted_when_ready", "2: a beat is read only when there is one", !io.grant | io.ready);
        let counts_down = !active | (left.any() & beat.last.eq(left.eq(1)));
        assert_that("last_is_last", "1: the last beat is the one that no other is left with", counts_down);
    }
}

/// 1 bit: there is a free one among `places`, of which `take` takes one and `give` gives one back.
#[names]
fn has_room(places: u32, take: Bits, give: Bits) -> Bits {
    let free = reg(clog2(u64::from(places) + 1)).reset(u64::from(places));
    let some_free = reg(1).reset(1);
    when(give & !take, || {
        free.set(free + 1);
        some_free.set(1);
    })
    .elsewhen(take & !give, || {
        free.set(free - 1);
        some_free.set(free.ne(1));
    });
    assert_that("room_fits", "2: no more places are free than the FIFO has", free.le(u64::from(places)));
    assert_that("room_known", "2: a place is free if their number says so", some_free.eq(free.any()));
    some_free
}
