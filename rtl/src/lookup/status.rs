//! Commands to the tables, and how they end.

use hdl::Encode;

/// What a command does. Inserts and deletes edit the shadow bank; lookups see the active one.
#[derive(Encode, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Nothing: refused as [`TableStatus::BadCommand`].
    None,
    /// Makes an entry valid: writes key and value to a free slot, or finds them there already.
    Insert,
    /// Makes the entry that holds the key invalid.
    Delete,
    /// Returns what stands in a slot.
    Read,
    /// Makes the shadow bank the active one, of all tables at once; over when no lookup sees the other any more.
    Commit,
    /// Makes the shadow bank of every table equal to the active one.
    Sync,
    /// Empties both banks of every table.
    Clear,
}

impl Operation {
    /// Bits of the code.
    pub const WIDTH: u32 = 3;
}

/// How a table command ended.
#[derive(Encode, Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableStatus {
    /// Done.
    Ok,
    /// The slot holds another entry, in the shadow bank or in the active one; nothing changed.
    Occupied,
    /// The key does not hash to this row of this way; nothing changed.
    Misplaced,
    /// There is no such table, way or row, or the key or value has a bit beyond the table; nothing changed.
    OutOfRange,
    /// The shadow bank holds the key in another way with another value; nothing changed.
    Duplicate,
    /// There is nothing to delete (in the shadow bank) or to read (in either bank).
    Absent,
    /// The tables are still clearing themselves; nothing changed.
    NotReady,
    /// No such command; nothing changed.
    BadCommand,
    /// The slot to be read fails its parity; it counts as free.
    Parity,
}

impl TableStatus {
    /// Bits of the code.
    pub const WIDTH: u32 = 4;

    /// One sentence for register documentation.
    pub const fn doc(self) -> &'static str {
        match self {
            TableStatus::Ok => "done",
            TableStatus::Occupied => "the slot holds another live entry",
            TableStatus::Misplaced => "the key does not hash to this row of this way",
            TableStatus::OutOfRange => "no such table, way or row",
            TableStatus::Duplicate => "the key is live in another way with another value",
            TableStatus::Absent => "the slot is free",
            TableStatus::NotReady => "the tables are still clearing themselves",
            TableStatus::BadCommand => "no such command",
            TableStatus::Parity => "the slot fails its parity",
        }
    }
}
