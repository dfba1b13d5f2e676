//! The steps of the management side.
//!
//! ```text
//!  insert           Check ─▶ (Hash ─▶ Visit ─▶ Read ─▶ Fetch ─▶ Judge) each way ─▶ Decide ─▶ Compose ─▶ Seal ─▶ Send ─▶ Write ─▶ Answer
//!  delete           the same without Compose
//!  read             Check ─▶ Visit ─▶ Read ─▶ Fetch ─▶ Judge ─▶ Decide ─▶ Answer
//!  commit           Drain ─▶ Answer
//!  clear            Drain ─▶ Clear ─▶ Answer
//!  sync             (Seek ─▶ Scan) each table ─▶ Answer; from Scan, Next and Visit to Write for the ways of a row that differ
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
    /// Reads the slot once for each piece of its word, as soon as the table can.
    Read,
    /// Waits for the last piece, and for what the comparators say of it.
    Fetch,
    /// Keeps that, and goes on to the next way.
    Judge,
    /// Accepts or refuses.
    Decide,
    /// Sends the pieces of the new word to the table, but for the last one.
    Compose,
    /// Puts the last one together: validity and parity.
    Seal,
    /// Sends it.
    Send,
    /// Writes the word.
    Write,
    /// Finds the next table that a sync has work in.
    Seek,
    /// Reads the table's rows until one may differ between the banks.
    Scan,
    /// Goes on to the next slot of that row that differs, or behind the row.
    Next,
    /// Answers.
    Answer,
}
