//! Gives the read port of the frame buffer to one reader a clock, in turn.
//!
//! ```text
//!  ready, offer ─▶┌────────┐──▶ reading, slot  (the beat that is being read)
//!     (a reader)  │ select │──▶ read, address   (to the frame buffer)
//!         grant ◀─└────────┘
//! ```
//! Latency: 1 clock from `ready` to `grant`, another one to `reading`. Throughput: a beat a clock.
//!
//! 1. One reader at most is granted a clock, and one is whenever one is ready.
//! 2. A reader that is ready gets its grant after at most one beat of each other reader.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/tx_select` | LFE5UM5G-45F-8 | 119 | 44 | 0 | 328 / 338 / 375 | 162.5 |

use super::bundles::{Offer, Reading, Sizes};
use hdl::*;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Select {
    /// Sizes.
    pub sizes: Sizes,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(sizes: Sizes)]
pub struct SelectIo<S> {
    /// Readers that will have a beat to read in the next clock, one bit each.
    #[input]
    #[width(sizes.output_count())]
    pub ready: S,
    /// Their beats.
    #[input]
    #[count(sizes.output_count())]
    #[shape(Offer::shape(sizes))]
    pub offer: Vec<Offer<S>>,
    /// The reader whose beat is read, one bit each.
    #[output]
    #[width(sizes.output_count())]
    pub grant: S,
    /// The reader whose beat was read a clock ago, one bit each: the buffer says which page follows.
    #[output]
    #[width(sizes.output_count())]
    pub answered: S,
    /// The beat that is being read.
    #[output]
    #[shape(Reading::shape(sizes))]
    pub reading: Reading<S>,
    /// There is one.
    #[output]
    pub read: S,
    /// Its address in the frame buffer.
    #[output]
    #[width(sizes.addr_w)]
    pub address: S,
    /// Slot of its frame.
    #[output]
    #[width(sizes.page_w)]
    pub slot: S,
    /// There will be a beat to read in the next clock.
    #[output]
    pub next_read: S,
    /// Slot of its frame.
    #[output]
    #[width(sizes.page_w)]
    pub next_slot: S,
}

impl Block for Select {
    type Io<S> = SelectIo<S>;

    fn name(&self) -> String {
        format!("{}_select", self.sizes.direction.name())
    }

    fn doc(&self) -> String {
        "Gives the read port of the frame buffer to one reader a clock, in turn.".into()
    }

    fn io(&self) -> SelectIo<Shape> {
        SelectIo::shape(self.sizes)
    }

    #[names]
    fn build(&self, io: &SelectIo<Bits>) {
        let count = self.sizes.output_count();
        let served_last = reg(clog2(u64::from(count))).reset(0);
        let waits = |reader: u32| io.ready.bit(reader % count);
        // A reader is granted if whoever was served last stands before it with nobody waiting between the two.
        let grants = (0..count).rev().map(|reader| {
            let after = (1..=count).map(|ahead| {
                let from = reader + count - ahead;
                let nobody_between = (1..ahead).map(|step| !waits(from + step));
                nobody_between.fold(served_last.eq(u64::from(from % count)), |all, one| all & one)
            });
            let turn = after.reduce(|any, one| any | one).unwrap_or(lit(1, 1));
            waits(reader) & turn
        });
        let next_grant = cat(grants);
        let any_ready = io.ready.any();
        when(any_ready, || served_last.set(onehot::index_of(next_grant)));
        let grant = io.grant.reset(0);
        grant.set(next_grant);
        let reads = reg(1).reset(0);
        reads.set(any_ready);
        // For the multiplexers: without reset, so that it stays a register of its own.
        let chosen = reg(count);
        chosen.set(next_grant);

        // The chosen beat.
        let masked = |reader: u32, value: Bits| chosen.bit(reader).repeat(value.width()) & value;
        let gather = |field: fn(&Offer<Bits>) -> Bits| {
            let all = (0..count).zip(&io.offer).map(|(reader, offer)| masked(reader, field(offer)));
            all.reduce(|any, one| any | one).unwrap_or(lit(1, 0))
        };
        io.address.registered().set(gather(|offer| offer.address));
        io.next_read.set(reads);
        io.next_slot.set(gather(|offer| offer.slot));
        io.slot.registered().set(io.next_slot);
        io.read.reset(0).set(reads);
        io.reading.output.reset(0).set(grant);
        io.answered.reset(0).set(io.reading.output);
        io.reading.index.registered().set(gather(|offer| offer.index));
        io.reading.further.registered().set(gather(|offer| offer.further));
        io.reading.last.registered().set(gather(|offer| offer.last));

        if !count.is_power_of_two() {
            assert_that("one_served_last", "2: a reader was served last", served_last.lt(u64::from(count)));
        }
        let right = mux(reads, onehot::is_one_hot(grant), !grant.any());
        assert_that("one_granted", "1: one reader is granted if one is ready", right);
    }
}
