//! Keeps what the beats of a frame need as they leave, one word a frame, in distributed RAM.
//!
//! ```text
//!                      ┌─────────┐
//!  write, slot, word ─▶│ details │──▶ detail
//!          read_slot ─▶│         │
//!                      └─────────┘
//! ```
//! Latency: 1 clock from `read_slot` to `detail`; a word can be read in the clock after its `write`.
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
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes)]
pub struct DetailsIo<S> {
    /// A frame comes.
    #[input]
    pub write: S,
    /// Its slot.
    #[input]
    #[width(sizes.slot_w)]
    pub slot: S,
    /// What its beats need.
    #[input]
    #[shape(Detail::shape(sizes.direction, sizes.size))]
    pub word: Detail<S>,
    /// Slot of the frame of which a beat is being read.
    #[input]
    #[width(sizes.slot_w)]
    pub read_slot: S,
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
        let words = memory::distributed(self.sizes.frames(), bundle::packed_width(&shape)).simple();
        words.write(io.write, io.slot, pack(&io.word));
        io.detail.visit(|_, leaf| {
            leaf.registered();
        });
        assign(&io.detail, &unpack(&shape, words.read(lit(1, 1), io.read_slot)));
    }
}
