//! The totals of a set of counters, and the snapshot of them that is read.
//!
//! ```text
//!  visit ──▶ totals (2 clocks) ──▶ add ──▶ totals, and the snapshot while it is taken
//!                         addend ───┘
//!  read  ──▶ snapshot (2 clocks) ──▶
//! ```
//!
//! | port | |
//! |---|---|
//! | `sweep`, `addend` | a step of a visit, and what it adds, three clocks later |
//! | `read_address`, `read_word` | a word of the snapshot, two clocks later |
//!
//! Each row has three counters in four words of 36 bits: bytes, frames, drops, and the high bits of them all. A step
//! of a visit adds to one word; carries go to the last one.
//!
//! 1. Counters of 56 bits (bytes) and 44 bits (frames, drops) wrap.
//! 2. The snapshot changes only while `sweep.latching` stands; it then becomes the totals of one instant.

use super::Sweep;
use crate::{carry, carry_valid};
use hdl::*;

/// Clocks from a step to its addend.
pub const ADDEND_DELAY: u32 = 3;
/// Bits of a word.
pub const WORD_W: u32 = 36;

/// A counter of a row, and the step that adds to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// The wide one, of bytes.
    Bytes,
    /// The second one, of frames.
    Frames,
    /// The third one, of drops.
    Drops,
}

impl Column {
    /// All columns in the order of their words.
    pub const ALL: [Column; 3] = [Column::Bytes, Column::Frames, Column::Drops];

    /// Bits of the counter.
    pub const fn width(self) -> u32 {
        WORD_W + self.high_width()
    }

    const fn high_width(self) -> u32 {
        match self {
            Column::Bytes => 20,
            Column::Frames | Column::Drops => 8,
        }
    }
}

/// Configuration of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CounterStore {
    /// Rows: a power of two.
    pub rows: u32,
    /// Bits of a row number of the sweep.
    pub row_w: u32,
    /// Bits of an addend.
    pub addend_w: u32,
}

/// Ports of a store.
#[derive(Bundle, Clone, Debug)]
#[bundle(row_w: u32, addend_w: u32, address_w: u32)]
pub struct CounterStoreIo<S> {
    /// The sweep.
    #[input]
    #[shape(Sweep::shape(row_w))]
    pub sweep: Sweep<S>,
    /// What a step adds, three clocks after it.
    #[input]
    #[width(addend_w)]
    pub addend: S,
    /// Word of the snapshot to read: row, then word.
    #[input]
    #[width(address_w)]
    pub read_address: S,
    /// The word, two clocks later.
    #[output]
    #[width(WORD_W)]
    pub read_word: S,
}

impl Block for CounterStore {
    type Io<S> = CounterStoreIo<S>;

    fn name(&self) -> String {
        "counter_store".into()
    }

    fn doc(&self) -> String {
        "Totals of counters, and a snapshot of them.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("rows", self.rows.to_string()), ("addend", self.addend_w.to_string())]
    }

    fn io(&self) -> CounterStoreIo<Shape> {
        CounterStoreIo::shape(self.row_w, self.addend_w, clog2(self.rows.into()) + 2)
    }

    #[names]
    fn build(&self, io: &CounterStoreIo<Bits>) {
        let sweep = io.sweep.local();
        let own_w = clog2(self.rows.into());
        let in_range = if own_w < self.row_w { !sweep.row.slice(own_w..).any() } else { lit(1, 1) };
        let visit = sweep.visit & in_range;
        let address = cat([sweep.row.trunc(own_w), sweep.step]);
        sweep.active.ignore();
        sweep.clear.ignore();
        let totals = memory::simple_dual(4 * self.rows, WORD_W).latency(2).simple();
        let snapshot = memory::simple_dual(4 * self.rows, WORD_W).latency(2).simple();
        let stored = totals.read(visit, address);
        let old = (!sweep.first).repeat(WORD_W) & stored;
        let adds = carry("adds", sweep.step, ADDEND_DELAY - 1);
        let sum = old.grow_add(io.addend.zext(WORD_W));
        // The carries of bytes, frames and drops have come out, in this order, when the high bits' turn comes.
        let carry_drops = sum.msb().delay();
        let carry_frames = carry_drops.delay();
        let carry_bytes = carry_frames.delay();
        let mut high_parts = Vec::new();
        let mut lsb = 0;
        for (column, carry) in Column::ALL.into_iter().zip([carry_bytes, carry_frames, carry_drops]) {
            let width = column.high_width();
            high_parts.push(old.slice(lsb..lsb + width) + carry.zext(width));
            lsb += width;
        }
        high_parts.reverse();
        let high = cat(high_parts);
        let new_word = mux(adds.all(), high, sum.trunc(WORD_W)).delay();
        let new_address = carry("address", address, ADDEND_DELAY);
        let write = carry_valid("visit", visit, ADDEND_DELAY);
        totals.write(write, new_address, new_word);
        snapshot.write(write & sweep.latching, new_address, new_word);
        io.read_word.set(snapshot.read(lit(1, 1), io.read_address));
    }
}
