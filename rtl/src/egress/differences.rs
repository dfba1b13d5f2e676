//! Keeps what changes in the ICRC of each RoCEv2 frame until the frame leaves: a word a frame.
//!
//! ```text
//!                ┌─────────────┐
//!  store, slot ─▶│             │──▶ found
//!  difference ──▶│ differences │
//!  read_slot ───▶│             │
//!                └─────────────┘
//! ```
//! `difference` comes [`after`](Differences::after) clocks after the frame's action, and `store` one. Latency: 2 clocks from
//! `read_slot` to `found`. Throughput: a frame a clock in, a beat a clock out. It never stalls.
//!
//! 1. `found` is what was last written to the slot, from [`usable_after`](Differences::usable_after) clocks after the
//!    action on. It means something only for frames that were stored.

use super::bundles::Sizes;
use hdl::*;

/// Slots that distributed RAM is small for: one block RAM would take as much. Block RAM keeps more.
const FEW: u32 = 64;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Differences {
    /// Sizes.
    pub sizes: Sizes,
    /// Clocks from a frame's action to its difference.
    pub after: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes)]
pub struct DifferencesIo<S> {
    /// A frame is there whose ICRC changes; a clock after its action.
    #[input]
    pub store: S,
    /// Its slot.
    #[input]
    #[width(sizes.page_w)]
    pub slot: S,
    /// What changes, in network order.
    #[input]
    #[width(32)]
    pub difference: S,
    /// Slot of the frame of which a beat is being read.
    #[input]
    #[width(sizes.page_w)]
    pub read_slot: S,
    /// What changes in its ICRC.
    #[output]
    #[width(32)]
    pub found: S,
}

impl Differences {
    /// Clocks from a frame's action to the first `read_slot` that finds its difference.
    pub fn usable_after(self) -> u32 {
        // The block RAM is read a clock before the other one, and must have been written before.
        self.after.max(1) + u32::from(!self.is_small())
    }

    fn is_small(self) -> bool {
        self.sizes.pages() <= FEW
    }
}

impl Block for Differences {
    type Io<S> = DifferencesIo<S>;

    fn name(&self) -> String {
        format!("{}_differences", self.sizes.direction.name())
    }

    fn doc(&self) -> String {
        "Keeps what changes in the ICRC of each RoCEv2 frame until the frame leaves.".into()
    }

    fn io(&self) -> DifferencesIo<Shape> {
        DifferencesIo::shape(self.sizes)
    }

    #[names]
    fn build(&self, io: &DifferencesIo<Bits>) {
        // Slot and difference meet.
        let slot_waits = self.after.saturating_sub(1);
        let write = (0..slot_waits).fold(io.store, |store, _| store.delay_reset(0));
        let slot = io.slot.delay_by(slot_waits);
        let difference = io.difference.delay_by(1_u32.saturating_sub(self.after));
        let kept = if self.is_small() {
            let words = memory::distributed(self.sizes.pages(), 32).simple();
            words.write(write, slot, difference);
            words.read(lit(1, 1), io.read_slot.delay())
        } else {
            let words = memory::simple_dual(self.sizes.pages(), 32).simple();
            words.write(write, slot, difference);
            words.read(lit(1, 1), io.read_slot)
        };
        io.found.registered().set(kept);
    }
}
