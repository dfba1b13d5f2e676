//! An exact-match table: one lookup a clock, the whole key compared, two configuration banks, edits that no lookup minds.
//!
//! ```text
//!                  ┌──────┐ row ┌───────────┐ word ┌─────────┐     ┌────────┐
//!  lookup key ────▶│ hash │────▶│ RAM a way │─────▶│ compare │────▶│ select │──▶ answer
//!                  └──────┘     └───────────┘      │ parity  │     └────────┘
//!                     2            2     ▲         └─────────┘ 2       1   clocks
//!                                   row, word          ▲
//!  slot (management) ──▶ word register ──┴──────────────┘ the word being written is one more way
//! ```
//!
//! | port | |
//! |---|---|
//! | `lookup` | a key and the bank to find it in |
//! | `answer` | hit and value, [`ExactTable::LATENCY`] clocks later |
//! | `slot` | reads and writes of single slots by the [manager](super::TableManager), in pieces of 16 bits |
//!
//! Latency 7 clocks, throughput 1 lookup a clock, never stalls. With [`Management::Shared`] a read of `slot` waits for a
//! clock without a lookup, so lookups must leave some free.
//!
//! Three keys in a row, of which the second is not in the table:
//!
//! ```text
//! cycle          40  41  42  43  44  45  46  47  48  49
//! lookup_valid  ‾‾‾‾‾‾‾‾‾‾‾‾\___________________________
//! lookup_key    |5a7|123|5a7|0
//! answer_hit    ____________________________/‾‾‾\___/‾‾‾
//! answer_miss   ________________________________/‾‾‾\___
//! answer_data   |0                          |c3 |0  |c3
//! ```
//!
//! 1. A key hits in a bank if and only if a slot that holds it is valid in that bank; the value is that slot's. At most
//!    one value of a key may be valid in a bank: the manager sees to that.
//! 2. A lookup of a row that is being written in the very clock is answered from the word being written, whatever the
//!    memory returns.
//! 3. A word of wrong parity is no hit. The answer says so if there is no other hit (`parity`), and in any case (`failed`).
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/exact_table_tablemac` | LFE5UM5G-45F-8 | 2226 | 1428 | 0 | 185 / 205 / 214 | 162.5 |
//! | `ecp5/exact_table_tablenat_rx` | LFE5UM5G-45F-8 | 1278 | 1359 | 12 | 163 / 182 / 200 | 162.5 |
//! | `ecp5/exact_table_tablenat_tx` | LFE5UM5G-45F-8 | 1528 | 1569 | 12 | 139 / 153 / 167 | **162.5: missed** |

use super::{
    Geometry, Layout, Management, hash,
    layout::{Entry, KEY_W, squeeze},
    pieces::{AT_W, PIECE_W, pieces, word_of},
    ram::{self, Access},
};
use crate::{carry, carry_valid};
use hdl::*;

/// Clocks from a word to its way's hit.
const COMPARE_LATENCY: u32 = 2;
/// Bits of the key that one comparator of the first stage takes.
const COMPARE_GROUP: u32 = 8;
/// Bits of the word that one parity of the first stage takes.
const PARITY_GROUP: u32 = 16;
/// Clocks from `taken` to the piece found: its way's, then the table's.
pub(super) const FOUND_LATENCY: u32 = ram::LATENCY + 2;

/// Configuration of an exact-match table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExactTable {
    /// Name of the table, for messages.
    pub name: &'static str,
    /// Ways (2 to 8), rows (a power of two from 8 to 32,768) and widths; keys are a multiple of 4 from 12 to 48 bits.
    pub geometry: Geometry,
    /// What a word stores.
    pub layout: Layout,
    /// Its memory.
    pub memory: ExactMemory,
}

/// The memory of an exact-match table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExactMemory {
    /// Block RAM.
    Block(Management),
    /// Lookup tables, for a few rows, and a copy that management reads.
    Distributed,
}

/// A key to look up.
#[derive(Bundle, Clone, Debug)]
#[bundle(key_w: u32)]
pub struct ExactLookup<S> {
    /// There is one.
    pub valid: S,
    /// The bank to find it in.
    pub bank: S,
    /// The key.
    #[width(key_w)]
    pub key: S,
}

/// The answer, [`ExactTable::LATENCY`] clocks after the key.
#[derive(Bundle, Clone, Debug)]
#[bundle(data_w: u32)]
pub struct ExactAnswer<S> {
    /// The key is in the table.
    pub hit: S,
    /// There was a key, and it is not.
    pub miss: S,
    /// It is not, and a word of its rows failed its parity.
    pub parity: S,
    /// A word of its rows failed its parity.
    pub failed: S,
    /// The stored bits of its value and, above them, the delta; 0 without a hit.
    #[width(data_w)]
    pub data: S,
}

/// Management's access to single slots. Words come and go in pieces: 0 to 2 key, 3 delta, 4 to 6 value, each from its
/// low bits on; 7 the highest 4 bits of the value, parity (bit 13) and validity (from bit 14 on).
#[derive(Bundle, Clone, Debug)]
#[bundle(ways: u32, way_w: u32, row_w: u32)]
pub struct SlotAccess<S> {
    /// Read the slot's word; held until it is taken.
    pub read: S,
    /// Which piece of it: 2 clocks after `taken`.
    #[width(AT_W)]
    pub look: S,
    /// Write the table's word register to the slot. No piece is put in the next three clocks.
    pub write: S,
    /// The write goes to the row in all ways, and `row` and `way` together count through all slots. The word register
    /// becomes 0.
    pub all: S,
    /// Way; of a direct table the bank.
    #[width(way_w)]
    pub way: S,
    /// Row.
    #[width(row_w)]
    pub row: S,
    /// A piece is put into the word register.
    pub put: S,
    /// Which one.
    #[width(AT_W)]
    pub at: S,
    /// The piece.
    #[width(PIECE_W)]
    pub piece: S,
    /// The read is under way.
    #[flip]
    pub taken: S,
    /// The piece of the word that was read, in the clock 4 clocks after `taken`; 0 in any other clock.
    #[flip]
    #[width(PIECE_W)]
    pub found: S,
    /// Together with the piece: the ways, a bit each, whose word of the row may be valid in one bank and not in the other.
    #[flip]
    #[width(ways)]
    pub uneven: S,
}

/// Ports of an exact-match table.
#[derive(Bundle, Clone, Debug)]
#[bundle(table: &ExactTable)]
pub struct ExactTableIo<S> {
    /// Lookups, one a clock.
    #[input]
    #[shape(ExactLookup::shape(table.geometry.key_w))]
    pub lookup: ExactLookup<S>,
    /// Their answers.
    #[output]
    #[shape(ExactAnswer::shape(table.layout.data_w()))]
    pub answer: ExactAnswer<S>,
    /// Management.
    #[input]
    #[shape(table.slot_shape())]
    pub slot: SlotAccess<S>,
}

/// What one way says of a lookup, [`COMPARE_LATENCY`] clocks after its word.
struct Way {
    /// It holds the key.
    hit: Bits,
    /// Its word failed its parity.
    failed: Bits,
    /// Its value, and the delta.
    data: Bits,
}

impl SlotAccess<Bits> {
    /// Answers a read that was taken, from the pieces of the memories' words one clock after the words.
    pub(super) fn answer(&self, taken: Bits, piece: Bits, uneven: Bits) {
        self.taken.set(taken);
        self.found.registered();
        self.uneven.registered();
        self.uneven.set(uneven);
        // A synchronous reset: the manager has but to or the pieces of all tables.
        when(carry_valid("taken", taken, ram::LATENCY + 1), || self.found.set(piece)).otherwise(|| self.found.set(0));
    }
}

impl ExactTable {
    /// Clocks from a key to its answer.
    pub const LATENCY: u32 = hash::LATENCY + ram::LATENCY + COMPARE_LATENCY + 1;

    pub(super) fn slot_shape(&self) -> SlotAccess<Shape> {
        SlotAccess::shape(self.geometry.ways, clog2(u64::from(self.geometry.ways)), self.geometry.row_w())
    }

    /// The words of the ways, [`ram::LATENCY`] clocks after the rows, and management's reads.
    fn words(&self, lookup: Bits, rows: &[Bits], slot: &SlotAccess<Bits>, written: Bits) -> Vec<Bits> {
        let looked_at = |name: &str, word: Bits| {
            select(slot.look, &pieces(&self.layout, word)).delay().named(&format!("{name}_piece"))
        };
        let mut words = Vec::new();
        let mut managed = Vec::new();
        for (way, row) in rows.iter().enumerate() {
            let name = format!("way{way}");
            let write = slot.write & (slot.all | slot.way.eq(way as u64));
            let access = Access { write, read: slot.read, row: slot.row, word: written };
            match self.memory {
                ExactMemory::Block(management) => {
                    let read = slot.read & management.may_read(lookup);
                    let access = Access { read, ..access };
                    let found = management.ram(&name, self.geometry.rows, lookup, *row, access);
                    words.push(found.lookup);
                    managed.push(found.manage);
                }
                ExactMemory::Distributed => words.push(ram::distributed(&name, self.geometry.rows, *row, access)),
            }
        }
        let (taken, piece, uneven) = match self.memory {
            ExactMemory::Block(management) => {
                let differs = cat(managed.iter().rev().map(|word| word.bit(0) ^ word.bit(1)));
                let of_ways = managed.iter().enumerate().map(|(way, word)| looked_at(&format!("way{way}"), *word));
                let piece = select(slot.way, &of_ways.collect::<Vec<_>>());
                (slot.read & management.may_read(lookup), piece, differs.delay().named("differs"))
            }
            ExactMemory::Distributed => {
                let all_slots = cat([slot.way, slot.row]);
                let access = Access { write: slot.write, read: slot.read, row: all_slots, word: written };
                let word = ram::copy("copy", 1 << all_slots.width(), access);
                (slot.read, looked_at("copy", word), constant(Value::ones(self.geometry.ways)))
            }
        };
        slot.answer(taken, piece, uneven);
        words
    }

    /// Compares a word with the key: groups of bits, then all.
    fn compare(&self, name: &str, word: Bits, key: Bits, bank: Bits, asked: Bits, may_hit: Bits) -> Way {
        let Entry { valid, key: stored, data } = self.layout.entry(word);
        let stored = stored.expect("an exact table stores its keys");
        let groups = |width: u32, size: u32| {
            (0..width).step_by(size as usize).map(move |lsb| lsb..(lsb + size).min(width)).collect::<Vec<_>>()
        };
        let same = groups(key.width(), COMPARE_GROUP)
            .into_iter()
            .enumerate()
            .map(|(i, bits)| stored.slice(bits.clone()).eq(key.slice(bits)).named(&format!("{name}_same_group{i}")));
        let same = cat(same).delay().named(&format!("{name}_same"));
        let odd = groups(word.width(), PARITY_GROUP).into_iter().map(|g| word.slice(g).parity());
        let odd = cat(odd).delay().named(&format!("{name}_odd")).parity();
        let valid = mux(bank, valid.bit(1), valid.bit(0));
        let may_hit = (valid & may_hit & asked).delay_reset(0).named(&format!("{name}_may_hit"));
        let read = asked.delay_reset(0).named(&format!("{name}_read"));
        Way {
            hit: (same.all() & may_hit & !odd).delay_reset(0).named(&format!("{name}_hit")),
            failed: (read & odd).delay_reset(0).named(&format!("{name}_failed")),
            data: carry(&format!("{name}_data"), data, COMPARE_LATENCY),
        }
    }
}

impl Block for ExactTable {
    type Io<S> = ExactTableIo<S>;

    fn name(&self) -> String {
        "exact_table".into()
    }

    fn doc(&self) -> String {
        "Exact-match table: one lookup a clock, whole keys compared, two banks, edits that no lookup minds.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("table", self.name.into())]
    }

    fn check(&self) -> Result<(), String> {
        let ExactTable { name, geometry: Geometry { ways, rows, key_w, .. }, layout, .. } = *self;
        if !(2..=8).contains(&ways) {
            return Err(format!("table {name} with {ways} ways: use 2 to 8"));
        }
        if !rows.is_power_of_two() || !(8..=32_768).contains(&rows) {
            return Err(format!("table {name} with {rows} rows a way: use a power of two from 8 to 32768"));
        }
        if key_w % 4 != 0 || !(12..=KEY_W).contains(&key_w) || layout.key_mask.checked_shr(key_w).unwrap_or(0) != 0 {
            return Err(format!("table {name} with keys of {key_w} bits: use a multiple of 4 from 12 to 48"));
        }
        if layout.key_mask == 0 || layout.value_mask == 0 || layout.valid_w != 2 {
            return Err(format!("table {name} stores no key, no value or one bank: an exact table needs all three"));
        }
        Ok(())
    }

    fn io(&self) -> ExactTableIo<Shape> {
        ExactTableIo::shape(self)
    }

    #[names]
    fn build(&self, io: &ExactTableIo<Bits>) {
        const WORD: u32 = hash::LATENCY + ram::LATENCY;
        let (lookup, slot, mask) = (&io.lookup, &io.slot, self.layout.key_mask);
        let rows = self.geometry.hash().rows(lookup.key);
        let asked_at_row = carry_valid("asked", lookup.valid, hash::LATENCY);
        let written = word_of(&self.layout, slot);
        let words = self.words(asked_at_row, &rows, slot, written);

        let asked = carry_valid("asked_in_ram", asked_at_row, ram::LATENCY);
        let key = carry("key", squeeze(mask, lookup.key), WORD);
        let bank = carry("bank", lookup.bank, WORD);
        let full = mask.count_ones() == self.geometry.key_w;
        // A key with a bit that no word stores is in no slot.
        let storable = if full {
            lit(1, 1)
        } else {
            let foreign = (lookup.key & !constant(Value::new(self.geometry.key_w, mask.into()))).any();
            !carry("foreign", foreign, WORD)
        };

        let in_block_ram = matches!(self.memory, ExactMemory::Block(_));
        let row_of_slot = in_block_ram.then(|| slot.row.delay().named("slot_row_after1"));
        let mut ways = Vec::new();
        let mut met = Vec::new();
        for (way, (word, row)) in words.iter().zip(&rows).enumerate() {
            let name = format!("way{way}");
            let readable = if let Some(row_of_slot) = row_of_slot {
                let edits = slot.write & (slot.all | slot.way.eq(way as u64));
                let edits = edits.delay_reset(0).named(&format!("{name}_edits"));
                let row = row.delay().named(&format!("{name}_row"));
                let blind = (edits & row.eq(row_of_slot)).delay().named(&format!("{name}_blind"));
                met.push(blind);
                asked & !blind
            } else {
                asked
            };
            ways.push(self.compare(&name, *word, key, bank, readable, storable));
        }
        if !met.is_empty() {
            let met = asked & cat(met).any();
            ways.push(self.compare("written", written, key, bank, met, storable));
        }

        // At most one value among the hits (rule 1), so an or-tree selects it.
        let chosen = ways.iter().map(|way| way.hit.repeat(way.data.width()) & way.data);
        let hit = cat(ways.iter().map(|way| way.hit)).any();
        let failed = cat(ways.iter().map(|way| way.failed)).any();
        let compared = carry_valid("compared", asked, COMPARE_LATENCY);
        io.answer.hit.reset(0).set(hit);
        io.answer.miss.reset(0).set(compared & !hit);
        io.answer.parity.reset(0).set(failed & !hit);
        io.answer.failed.reset(0).set(failed);
        io.answer.data.registered().set(chosen.reduce(|a, b| a | b).expect("a table has ways"));
    }
}
