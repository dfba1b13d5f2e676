//! A table whose rows are known by number: functions and next hops.
//!
//! ```text
//!  lookup {bank, index} ──▶ RAM ──▶ parity ──▶ answer
//!                            2 ▲      1   clocks
//!  slot (management) ──────────┘
//! ```
//!
//! Latency 3 clocks, throughput 1 lookup a clock and port, never stalls. Each lookup port has a memory of its own;
//! management writes all of them and reads the last, with [`Management::Shared`] in clocks without a lookup there. Up to
//! 32 entries a bank then lie in lookup tables, more in block RAM.
//!
//! 1. The answer is the entry of the row in the bank; an index beyond the table has none.
//! 2. Each bank has its own words, and management writes those of the bank that no lookup sees: a lookup never reads
//!    what is being written.
//! 3. A word of wrong parity has `failed` set with its answer, which is then not to be used.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/direct_table_tablefunction` | LFE5UM5G-45F-8 | 167 | 170 | 4 | 188 / 193 / 272 | 162.5 |

use super::{
    Layout, Management, SlotAccess,
    pieces::{pieces, word_of},
    ram::{self, Access},
};
use crate::carry_valid;
use hdl::*;

/// Configuration of a direct table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DirectTable {
    /// Name of the table, for messages.
    pub name: &'static str,
    /// Entries of each bank: a power of two from 2 to 65,536.
    pub entries: u32,
    /// What a word stores: one validity, no key, no delta.
    pub layout: Layout,
    /// Lookup ports.
    pub lookups: u32,
    /// How management reads.
    pub management: Management,
}

/// An index to look up.
#[derive(Bundle, Clone, Debug)]
#[bundle(index_w: u32)]
pub struct DirectLookup<S> {
    /// There is one.
    pub valid: S,
    /// The bank to find it in.
    pub bank: S,
    /// The index.
    #[width(index_w)]
    pub index: S,
}

/// The answer, [`DirectTable::LATENCY`] clocks after the index.
#[derive(Bundle, Clone, Debug)]
#[bundle(value_w: u32)]
pub struct DirectAnswer<S> {
    /// There was an index.
    pub asked: S,
    /// It has a valid entry.
    pub valid: S,
    /// Its word failed its parity.
    pub failed: S,
    /// The entry's value; 0 if it is not valid.
    #[width(value_w)]
    pub value: S,
}

/// Ports of a direct table.
#[derive(Bundle, Clone, Debug)]
#[bundle(table: &DirectTable)]
pub struct DirectTableIo<S> {
    /// Lookups, one a clock and port.
    #[input]
    #[count(table.lookups)]
    #[shape(DirectLookup::shape(table.index_w()))]
    pub lookup: Vec<DirectLookup<S>>,
    /// Their answers.
    #[output]
    #[count(table.lookups)]
    #[shape(DirectAnswer::shape(table.layout.data_w()))]
    pub answer: Vec<DirectAnswer<S>>,
    /// Management; the way is the bank.
    #[input]
    #[shape(table.slot_shape())]
    pub slot: SlotAccess<S>,
}

impl DirectTable {
    /// Clocks from an index to its answer.
    pub const LATENCY: u32 = ram::LATENCY + 1;

    fn index_w(&self) -> u32 {
        clog2(u64::from(self.entries))
    }

    pub(super) fn slot_shape(&self) -> SlotAccess<Shape> {
        SlotAccess::shape(1, 1, self.index_w())
    }
}

impl Block for DirectTable {
    type Io<S> = DirectTableIo<S>;

    fn name(&self) -> String {
        "direct_table".into()
    }

    fn doc(&self) -> String {
        "Table whose rows are known by number, in two banks.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("table", self.name.into())]
    }

    fn check(&self) -> Result<(), String> {
        let DirectTable { name, entries, layout, lookups, .. } = *self;
        if !entries.is_power_of_two() || !(2..=65_536).contains(&entries) {
            return Err(format!("table {name} with {entries} entries: use a power of two from 2 to 65536"));
        }
        if layout.valid_w != 1 || layout.key_mask != 0 || layout.delta || layout.value_mask == 0 || lookups == 0 {
            return Err(format!("table {name}: a direct table stores a validity and a value, and is looked up"));
        }
        Ok(())
    }

    fn io(&self) -> DirectTableIo<Shape> {
        DirectTableIo::shape(self)
    }

    #[names]
    fn build(&self, io: &DirectTableIo<Bits>) {
        let slot = &io.slot;
        let written = word_of(&self.layout, slot);
        // The way and row given with `all` are enough to write all slots.
        let slot_row = cat([slot.way, slot.row]);
        for (i, (lookup, answer)) in io.lookup.iter().zip(&io.answer).enumerate() {
            let last = i + 1 == io.lookup.len();
            let management = if last { self.management } else { Management::Shared };
            let taken = slot.read & management.may_read(lookup.valid);
            let read = if last { taken } else { lit(1, 0) };
            let access = Access { write: slot.write, read, row: slot_row, word: written };
            let row = cat([lookup.bank, lookup.index]);
            let words = management.small_ram(&format!("copy{i}"), 2 * self.entries, lookup.valid, row, access);
            if last {
                let piece = select(slot.look, &pieces(&self.layout, words.manage)).delay().named("slot_piece");
                slot.answer(taken, piece, lit(1, 1));
            }

            let asked = carry_valid(&format!("asked{i}"), lookup.valid, ram::LATENCY);
            let entry = self.layout.entry(words.lookup);
            let valid = asked & entry.valid;
            answer.asked.reset(0).set(asked);
            answer.valid.reset(0).set(valid);
            answer.failed.reset(0).set(asked & words.lookup.parity());
            answer.value.registered().set(valid.repeat(entry.data.width()) & entry.data);
        }
    }
}
