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
//! 1. `detail` is the word last written to the slot; but a translated frame, which is not punted, keeps no reason and no
//!    port, and on the way out no function.

use super::bundles::{Detail, Sizes};
use crate::packet::{Direction, FUNCTION_W, PORT_W, Rewrite, Size};
use hdl::*;

const REASON_W: u32 = Detail::<Shape>::REASON_W;

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
        let direction = self.sizes.direction;
        let shape = Stored::shape(direction, self.sizes.size);
        let word = pack(&Stored::of(direction, &io.word));
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
        assign(&io.detail, &unpack(&shape, cat(parts.into_iter().rev())).detail());
    }
}

/// A word of the memory.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(direction: Direction, size: Size)]
struct Stored<S> {
    #[width(size.lane_w())]
    lane: S,
    /// Function that the frame is of. On the way out only punted frames need it: see `rewrite`.
    #[present(!direction.is_tx())]
    #[width(FUNCTION_W)]
    function: Option<S>,
    /// What is written over the frame. A frame that is not translated has its reason, its port and, on the way out, its
    /// function in the place of the address: what is punted is not translated.
    #[shape(Rewrite::shape(direction))]
    rewrite: Rewrite<S>,
}

impl Stored<Bits> {
    #[names]
    fn of(direction: Direction, word: &Detail<Bits>) -> Self {
        let Detail { lane, reason, port, function, rewrite } = *word;
        let own_function = (!direction.is_tx()).then_some(function);
        let instead = cat(direction.is_tx().then_some(function).into_iter().chain([port, reason]));
        let low = mux(rewrite.translate, rewrite.address.trunc(instead.width()), instead);
        let address = cat([rewrite.address.slice(instead.width()..), low]);
        Stored { lane, function: own_function, rewrite: Rewrite { address, ..rewrite } }
    }

    fn detail(&self) -> Detail<Bits> {
        let Stored { lane, function, rewrite } = *self;
        let (port_at, function_at) = (REASON_W, REASON_W + PORT_W);
        let reason = rewrite.address.trunc(port_at);
        let port = rewrite.address.slice(port_at..function_at);
        let function = function.unwrap_or_else(|| rewrite.address.slice(function_at..function_at + FUNCTION_W));
        Detail { lane, reason, port, function, rewrite }
    }
}
