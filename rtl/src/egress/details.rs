//! Keeps what the beats of a frame need as they leave, one word a frame, in distributed RAM.
//!
//! ```text
//!                        ┌─────────┐
//!  write, write_slot, ─▶│ details │──▶ detail
//!    word, read_slot   ─▶│         │
//!                        └─────────┘
//! ```
//! Latency: 1 clock from `read_slot` to `detail`; a word can be read in the clock after its `write`.
//!
//! The memory is in parts, each with address registers of its own, so that no register has to reach all of it.
//!
//! 1. `detail` is the word last written to the slot.

use super::bundles::{Detail, Sizes};
use hdl::*;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Details {
    /// Sizes.
    pub sizes: Sizes,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(sizes: Sizes)]
pub struct DetailsIo<S> {
    /// A frame comes.
    #[input]
    pub write: S,
    /// Its slot, in several registers.
    #[input]
    #[count(Sizes::SLOT_COPIES)]
    #[width(sizes.page_w)]
    pub write_slot: Vec<S>,
    /// What its beats need.
    #[input]
    #[shape(Detail::shape(sizes.direction, sizes.size))]
    pub word: Detail<S>,
    /// Slot of the frame of which a beat is being read, in several registers.
    #[input]
    #[count(Sizes::SLOT_COPIES)]
    #[width(sizes.page_w)]
    pub read_slot: Vec<S>,
    /// What the beat needs.
    #[output]
    #[shape(Detail::shape(sizes.direction, sizes.size))]
    pub detail: Detail<S>,
}

impl Block for Details {
    type Io<S> = DetailsIo<S>;

    fn name(&self) -> String {
        format!("{}_details", self.sizes.direction.name())
    }

    fn doc(&self) -> String {
        "Keeps what the beats of a frame need as they leave.".into()
    }

    fn io(&self) -> DetailsIo<Shape> {
        DetailsIo::shape(self.sizes)
    }

    #[names]
    fn build(&self, io: &DetailsIo<Bits>) {
        let shape = Detail::shape(self.sizes.direction, self.sizes.size);
        let word = pack(&io.word);
        let part_w = word.width().div_ceil(Sizes::SLOT_COPIES);
        let parts = (0..).zip(io.write_slot.iter().zip(&io.read_slot)).map(|(part, (write_slot, read_slot))| {
            let written = word.slice(part * part_w..word.width().min((part + 1) * part_w));
            let words = memory::distributed(self.sizes.pages(), written.width()).simple();
            words.write(io.write, *write_slot, written);
            words.read(lit(1, 1), *read_slot)
        });
        let parts: Vec<Bits> = parts.collect();
        io.detail.visit(|_, leaf| {
            leaf.registered();
        });
        assign(&io.detail, &unpack(&shape, cat(parts.into_iter().rev())));
    }
}
