//! An exact-match table in block RAM: one lookup a clock, the whole key compared, updates that never stall a lookup.
//!
//! ```text
//!                 ┌────────┐  row  ┌───────────┐ entry ┌─────────┐    ┌────────┐
//!  lookup_key ───▶│  hash  │──────▶│ RAM, 1 a  │──────▶│ compare │───▶│ select │──▶ hit, hit_value
//!                 └────────┘       │ way, port │       └─────────┘    └────────┘
//!                    2 clocks      │ a │ port b│ 2         2              1
//!                                  └───┴───────┘
//!  command ──▶ serial hash, read, judge, write ─┘
//! ```
//!
//! Latency 7 clocks, throughput 1 a clock, never stalls. A command takes about [`RowHash::digits`] + 12 clocks.
//!
//! Three keys in a row, of which the second is not in the table:
//!
//! ```text
//! cycle          41  42  43  44  45  46  47  48  49  50
//! lookup_valid  ‾‾‾‾‾‾‾‾‾‾‾‾\___________________________
//! lookup_key    |5a7|123|5a7|0
//! hit           ____________________________/‾‾‾\___/‾‾‾
//! hit_value     |0                          |c3 |0  |c3
//! ```
//!
//! 1. A key hits if and only if it was inserted and not deleted since; the value is the inserted one.
//! 2. A lookup during a command sees the table before or after it: a way whose row is written in the very clock in which
//!    it is read misses, which is "before" of an insert and "after" of a delete. A live slot is never written otherwise.
//! 3. A command that is refused changes nothing; see [`TableStatus`] for the reasons.
//! 4. The same key may stand in two ways with the same value, so that software can move it without a gap.
//! 5. After reset, and after `clear`, the table clears itself, one row a clock; until `ready` lookups miss and commands are refused.
//!
//! Where a key may stand is [`ExactMatch::row_of`]; which of the ways it takes is the software's choice, so that it can
//! fill the table to the last few slots without a search in hardware.

use super::{SlotCommand, hash, hash::RowHash, stage_manage as manage};
use crate::{carry, carry_valid};
use hdl::{memory::RamPort, *};

/// Clocks from a block RAM's address to its data, with the output register.
pub(super) const RAM_LATENCY: u32 = 2;
/// Clocks from an entry to the way's hit.
const COMPARE_LATENCY: u32 = 2;
/// Bits that one first-stage comparator takes.
const COMPARE_GROUP: u32 = 8;

/// Configuration of an exact-match table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExactMatch {
    /// Ways: 2 to 8.
    pub ways: u32,
    /// Rows of each way: a power of two from 16 to 32,768.
    pub rows: u32,
    /// Bits of a key: a multiple of 4 from 12 to 128.
    pub key_w: u32,
    /// Bits of a value: 1 to 512.
    pub value_w: u32,
}

/// Ports of an exact-match table.
#[derive(Bundle, Clone, Debug)]
#[bundle(key_w: u32, value_w: u32)]
pub struct ExactIo<S> {
    /// There is a key to look up.
    #[input]
    pub lookup_valid: S,
    /// The key.
    #[input]
    #[width(key_w)]
    pub lookup_key: S,
    /// The key is in the table; 7 clocks after the key.
    #[output]
    pub hit: S,
    /// Its value, or 0 without a hit.
    #[output]
    #[width(value_w)]
    pub hit_value: S,
    /// Commands that edit the table.
    #[input]
    #[shape(SlotCommand::shape(key_w, value_w))]
    pub command: SlotCommand<S>,
    /// Empty the table; one clock long, not during a command.
    #[input]
    pub clear: S,
    /// The table has cleared itself, after reset or `clear`.
    #[output]
    pub ready: S,
}

/// How a slot's word is laid out: the validity in bit 0, then the key, then the value.
#[derive(Bundle, Clone, Debug)]
#[bundle(key_w: u32, value_w: u32)]
pub(super) struct Entry<S> {
    /// The slot is in use.
    pub live: S,
    /// Its key.
    #[width(key_w)]
    pub key: S,
    /// Its value.
    #[width(value_w)]
    pub value: S,
}

impl ExactMatch {
    /// Clocks from a key to its hit.
    pub const LATENCY: u32 = hash::LATENCY + RAM_LATENCY + COMPARE_LATENCY + 1;

    /// The row hashes.
    pub fn hash(&self) -> RowHash {
        RowHash { key_w: self.key_w, ways: self.ways, row_w: clog2(u64::from(self.rows)) }
    }

    /// The row of `way` in which `key` may stand.
    pub fn row_of(&self, way: u32, key: u128) -> u32 {
        self.hash().row_of(way, key)
    }

    /// The RAM of one way: port a looks up, port b is management.
    fn ram(&self, way: u32) -> [RamPort; 2] {
        let width = hdl::bundle::packed_width(&self.entry());
        let ports = memory::true_dual(self.rows, width).latency(RAM_LATENCY).dual();
        ports[0].rdata.named(&format!("way{way}_ram"));
        ports
    }

    pub(super) fn entry(&self) -> Entry<Shape> {
        Entry::shape(self.key_w, self.value_w)
    }
}

impl Block for ExactMatch {
    type Io<S> = ExactIo<S>;

    fn name(&self) -> String {
        "exact_match".into()
    }

    fn doc(&self) -> String {
        "Exact-match table in block RAM: one lookup a clock, whole keys compared, updates never stall a lookup.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        let params = [("ways", self.ways), ("rows", self.rows), ("key", self.key_w), ("value", self.value_w)];
        params.map(|(name, value)| (name, value.to_string())).to_vec()
    }

    fn check(&self) -> Result<(), String> {
        let ExactMatch { ways, rows, key_w, value_w } = *self;
        if !(2..=8).contains(&ways) {
            return Err(format!("exact_match with {ways} ways: use 2 to 8"));
        }
        if !rows.is_power_of_two() || !(16..=32_768).contains(&rows) {
            return Err(format!("exact_match with {rows} rows a way: use a power of two from 16 to 32768"));
        }
        if key_w % 4 != 0 || !(12..=128).contains(&key_w) {
            return Err(format!("exact_match with keys of {key_w} bits: use a multiple of 4 from 12 to 128"));
        }
        if !(1..=512).contains(&value_w) {
            return Err(format!("exact_match with values of {value_w} bits: use 1 to 512"));
        }
        Ok(())
    }

    fn io(&self) -> ExactIo<Shape> {
        ExactIo::shape(self.key_w, self.value_w)
    }

    #[names]
    fn build(&self, io: &ExactIo<Bits>) {
        let rows = self.hash().rows(io.lookup_key);
        let valid_at_row = carry_valid("valid", io.lookup_valid, hash::LATENCY);
        let key_at_entry = carry("key", io.lookup_key, hash::LATENCY + RAM_LATENCY);
        let valid_at_entry = carry_valid("valid_in_ram", valid_at_row, RAM_LATENCY);
        let ways: Vec<[RamPort; 2]> = (0..self.ways).map(|way| self.ram(way)).collect();
        manage::build(self, io, &ways.iter().map(|[_, manage]| *manage).collect::<Vec<_>>());

        let mut hits = Vec::new();
        let mut values = Vec::new();
        for (way, ([lookup, manage], row)) in ways.iter().zip(rows).enumerate() {
            lookup.en.set(valid_at_row);
            lookup.we.set(0);
            lookup.addr.set(row);
            lookup.wdata.set(0);
            // What a read returns in the clock of a write to the same row is undefined, validity and key included.
            let collides = (manage.we & manage.addr.eq(row)).named(&format!("way{way}_collides"));
            let blind = carry(&format!("way{way}_blind"), collides | !io.ready, RAM_LATENCY);
            let (hit, value) =
                compare(way, &unpack(&self.entry(), lookup.rdata), key_at_entry, valid_at_entry & !blind);
            hits.push(hit);
            values.push(value);
        }
        // At most one value among the hits (rule 4), so an or-tree selects it.
        let chosen = hits.iter().zip(values).map(|(hit, value)| hit.repeat(self.value_w) & value);
        io.hit.reset(0).set(cat(hits.clone()).any());
        io.hit_value.registered().set(chosen.reduce(|a, b| a | b).expect("a table has ways"));
    }
}

/// Whether an entry is the one looked for, and its value, [`COMPARE_LATENCY`] clocks later: groups of bits, then all.
fn compare(way: usize, entry: &Entry<Bits>, key: Bits, may_hit: Bits) -> (Bits, Bits) {
    let width = key.width();
    let groups: Vec<Bits> = (0..width)
        .step_by(COMPARE_GROUP as usize)
        .map(|lsb| {
            let bits = lsb..(lsb + COMPARE_GROUP).min(width);
            entry.key.slice(bits.clone()).eq(key.slice(bits))
        })
        .collect();
    let same = cat(groups).delay().named(&format!("way{way}_same"));
    let may_hit = (entry.live & may_hit).delay_reset(0).named(&format!("way{way}_may_hit"));
    let hit = (same.all() & may_hit).delay_reset(0).named(&format!("way{way}_hit"));
    (hit, carry(&format!("way{way}_value"), entry.value, COMPARE_LATENCY))
}
