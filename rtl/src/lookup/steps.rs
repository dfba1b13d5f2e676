//! The steps of the management side.
//!
//! ```text
//!  insert, delete   Check ─▶ (Hash ─▶ Visit ─▶ Read ─▶ Fetch ─▶ Judge) each way ─▶ Decide ─▶ Compose ─▶ Seal ─▶ Write ─▶ Answer
//!  read             Check ─▶ Visit ─▶ Read ─▶ Fetch ─▶ Judge ─▶ Decide ─▶ Answer
//!  commit           Drain ─▶ Answer
//!  clear            Drain ─▶ Clear ─▶ Answer
//!  sync             (Seek ─▶ Scan) each table ─▶ Answer; from Scan, Visit to Write and Next for the ways of a row
//! ```

use hdl::Encode;

/// What the management side is doing.
#[derive(Encode, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Waits until no lookup is under way that saw the tables before.
    Drain,
    /// Writes an empty word to every slot.
    Clear,
    /// Waits for a command.
    Idle,
    /// Is the slot in the table?
    Check,
    /// Hashes the key for the way, a digit a clock.
    Hash,
    /// Chooses the row in the way to be read.
    Visit,
    /// Reads the slot, as soon as the table can.
    Read,
    /// Waits for its word, and for what the comparators say of it.
    Fetch,
    /// Keeps that, and goes on to the next way.
    Judge,
    /// Accepts or refuses.
    Decide,
    /// Puts the new word together.
    Compose,
    /// Adds its parity.
    Seal,
    /// Writes it.
    Write,
    /// Finds the next table that a sync has work in.
    Seek,
    /// Reads the table's rows until one may differ between the banks.
    Scan,
    /// Goes on to the next slot of that row, or behind it.
    Next,
    /// Answers.
    Answer,
}
