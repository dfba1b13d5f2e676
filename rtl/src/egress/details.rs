//! Keeps what the beats of a frame need as they leave, one word a frame.
//!
//! ```text
//!                            ┌─────────┐
//!  write, write_slot, word ─▶│ details │──▶ detail
//!          read, read_slot ─▶│         │
//!                            └─────────┘
//! ```
//! Latency: 2 clocks from `read_slot` to `detail`; a word can be read in the clock after its `write`.
//!
//! More than [`SHALLOW`] words are in block RAM, whose address register is then the only one that has to be reached. In
//! distributed RAM every reading address has to reach all of the memory: it is in parts, each with a register of its own.
//!
//! 1. `detail` is the word last written to the slot; but a translated frame, which is not punted, keeps no reason and no
//!    port, and on the way out no function.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/tx_details` | LFE5UM5G-45F-8 | 22 | 243 | 7 | 298 / 327 / 364 | 162.5 |

use super::bundles::{Detail, Sizes};
use crate::packet::{Direction, FUNCTION_W, PORT_W, Rewrite, Size};
use hdl::*;

/// Words of the deepest memory in lookup tables: what one of them holds.
pub const SHALLOW: u32 = 16;
/// Parts of a memory in lookup tables.
const PARTS: usize = 3;
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
    /// Its slot.
    #[input]
    #[width(sizes.page_w)]
    pub write_slot: S,
    /// What its beats need.
    #[input]
    #[shape(Detail::shape(sizes.direction, sizes.size))]
    pub word: Detail<S>,
    /// A beat will be read in the next clock.
    #[input]
    pub read: S,
    /// Slot of its frame.
    #[input]
    #[width(sizes.page_w)]
    pub read_slot: S,
    /// What the beat needs, two clocks later.
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
        io.detail.visit(|_, leaf| {
            leaf.registered();
        });
        assign(&io.detail, &unpack(&shape, self.stored(io, word)).detail());
    }
}

impl Details {
    /// The word that is read.
    fn stored(&self, io: &DetailsIo<Bits>, word: Bits) -> Bits {
        if self.sizes.pages() > SHALLOW { self.deep(io, word) } else { self.shallow(io, word) }
    }

    fn deep(&self, io: &DetailsIo<Bits>, word: Bits) -> Bits {
        let words = memory::simple_dual(self.sizes.pages(), word.width()).simple();
        words.write(io.write, io.write_slot, word);
        words.read(io.read, io.read_slot)
    }

    fn shallow(&self, io: &DetailsIo<Bits>, word: Bits) -> Bits {
        // Lookup tables may be read whether a beat is or not.
        io.read.ignore();
        let part_w = word.width().div_ceil(PARTS as u32);
        let part = |(part, read_slot): (u32, Bits)| {
            let written = word.slice(part * part_w..word.width().min((part + 1) * part_w));
            let words = memory::distributed(self.sizes.pages(), written.width()).simple();
            words.write(io.write, io.write_slot, written);
            words.read(lit(1, 1), read_slot)
        };
        let parts: Vec<Bits> = (0..).zip(copies(io.read_slot)).map(part).collect();
        cat(parts.into_iter().rev())
    }
}

/// Registers of `value`, so that none has to reach everything. Synthesis would make registers one that are the same: these
/// differ in their value under reset.
fn copies(value: Bits) -> [Bits; PARTS] {
    let ones = (1 << value.width()) - 1;
    [("low", None), ("middle", Some(0)), ("high", Some(ones))].map(|(name, reset)| {
        let slot = reg(value.width()).named(&format!("slot_copy_{name}"));
        let slot = reset.map_or(slot, |reset: u64| slot.reset(reset));
        slot.set(value);
        slot
    })
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
    #[shape(Rewrite::shape(size, direction))]
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
