//! Gives the pages of the frame buffer back to ingress: of a frame that leaves each one as it has been read, of a dropped
//! frame all at once.
//!
//! ```text
//!                      ┌───────────┐
//!             dropped ▶│ give_back │──▶ release
//!  read, reading, slot▶│           │
//!                      └───────────┘
//! ```
//! A frame's first page is kept until the frame has been read, as its number is the frame's [slot](super::Details): a frame
//! in several pages gives two back at its end. That is one page for every beat at most, but for the frames whose first
//! beats were read long ago, one a reader; so that the first page of a frame finds a place in a small queue, and dropped
//! frames, which have a page each at least, in another one.
//!
//! Latency: 1 clock from the read of a page's last beat to its release. What is in the queues is given back in clocks in
//! which no page has been read to its end. Throughput: one release a clock.
//!
//! 1. Every page is given back once.
//! 2. No page is given back before it has been read, unless its frame is dropped; and none that is a frame's slot before
//!    its frame has been read.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/tx_give_back` | LFE5UM5G-45F-8 | 187 | 43 | 0 | 256 / 260 / 267 | 162.5 |

use super::{
    bundles::{Reading, Sizes},
    queue::Queue,
};
use crate::packet::{Chain, Release};
use hdl::*;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct GiveBack {
    /// Sizes.
    pub sizes: Sizes,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes)]
pub struct GiveBackIo<S> {
    /// A frame that goes nowhere.
    #[input]
    #[shape(Release::shape(sizes.page_w))]
    pub dropped: Release<S>,
    /// A beat is being read.
    #[input]
    pub read: S,
    /// What it is.
    #[input]
    #[shape(Reading::shape(sizes))]
    pub reading: Reading<S>,
    /// Its address.
    #[input]
    #[width(sizes.addr_w)]
    pub address: S,
    /// Slot of its frame.
    #[input]
    #[width(sizes.page_w)]
    pub slot: S,
    /// What ingress gets back.
    #[output]
    #[shape(Release::shape(sizes.page_w))]
    pub release: Release<S>,
}

impl Block for GiveBack {
    type Io<S> = GiveBackIo<S>;

    fn name(&self) -> String {
        format!("{}_give_back", self.sizes.direction.name())
    }

    fn doc(&self) -> String {
        "Gives the pages of the frame buffer back to ingress.".into()
    }

    fn io(&self) -> GiveBackIo<Shape> {
        GiveBackIo::shape(self.sizes)
    }

    #[names]
    fn build(&self, io: &GiveBackIo<Bits>) {
        let sizes = self.sizes;
        let shape = Chain::shape(sizes.page_w);
        let dropped = instance(&Queue { width: bundle::packed_width(&shape), places: sizes.pages() });
        dropped.write.set(io.dropped.valid);
        dropped.word.set(pack(&io.dropped.chain));
        let first_pages = instance(&Queue { width: sizes.page_w, places: sizes.output_count().next_power_of_two() });

        // Pages read to their end; behind a frame's end its first page, if that is another one.
        let (offset, page) = (io.address.trunc(sizes.offset_w()), io.address.slice(sizes.offset_w()..));
        let Reading { further, last, .. } = io.reading;
        io.reading.output.ignore();
        io.reading.index.ignore();
        let finished = io.read & (last | (further & offset.all()));
        first_pages.write.set(io.read & last & further);
        first_pages.word.set(io.slot);

        // One a clock.
        first_pages.take.set(!finished);
        dropped.take.set(!finished & !first_pages.waiting);
        let alone = mux(finished, page, first_pages.oldest);
        let chain = unpack(&shape, dropped.oldest);
        let one = finished | first_pages.waiting;
        io.release.valid.reset(0).set(one | dropped.waiting);
        io.release.chain.first.registered().set(mux(one, alone, chain.first));
        io.release.chain.last.registered().set(mux(one, alone, chain.last));
    }
}
