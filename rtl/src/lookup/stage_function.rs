//! The function table: what the EM does with a function's frames, indexed by the function's number.
//!
//! ```text
//!  request_function ──▶ RAM, read port (2 clocks) ──▶ entry
//!  command ────────────▶ RAM, write port
//! ```
//!
//! Latency 3 clocks, throughput 1 a clock, never stalls.
//!
//! 1. The entry is the one last written; a function number beyond the table has none.
//! 2. An entry is written whole; a lookup sees the one before or the one after. Where it is written in the very clock in
//!    which it is read, the RAM's answer is undefined and the new entry is taken from the write instead.
//! 3. After reset, and after `clear`, the table clears itself, one entry a clock; until `ready` no function has an entry.

use super::{FunctionCommand, FunctionEntry, TableStatus, stage_exact::RAM_LATENCY};
use crate::{carry, carry_valid};
use hdl::*;

/// Configuration of a function table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionTable {
    /// Entries: a power of two from 2 to 65,536.
    pub functions: u32,
}

/// Ports of a function table.
#[derive(Bundle, Clone, Debug)]
pub struct FunctionIo<S> {
    /// There is a function to look up.
    #[input]
    pub lookup_valid: S,
    /// Its number.
    #[input]
    #[width(16)]
    pub lookup_function: S,
    /// Its entry, 3 clocks later; all 0 if it has none.
    #[output]
    pub entry: FunctionEntry<S>,
    /// Commands that edit the table.
    #[input]
    pub command: FunctionCommand<S>,
    /// Empty the table; one clock long, not during a command.
    #[input]
    pub clear: S,
    /// The table has cleared itself, after reset or `clear`.
    #[output]
    pub ready: S,
}

/// What the management side is doing.
#[derive(Encode, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Empties every entry.
    Clear,
    /// Waits for a command.
    Idle,
    /// Presents the entry's number to the RAM.
    Access,
    /// Waits for the entry that stood there.
    Fetch,
    /// Answers.
    Answer,
}

impl FunctionTable {
    /// Clocks from a function number to its entry.
    pub const LATENCY: u32 = RAM_LATENCY + 1;
}

impl Block for FunctionTable {
    type Io<S> = FunctionIo<S>;

    fn name(&self) -> String {
        "function_table".into()
    }

    fn doc(&self) -> String {
        "Function table, indexed by the function's number.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("functions", self.functions.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        match self.functions {
            2..=65_536 if self.functions.is_power_of_two() => Ok(()),
            n => Err(format!("function_table with {n} functions: use a power of two from 2 to 65536")),
        }
    }

    fn io(&self) -> FunctionIo<Shape> {
        FunctionIo::shape()
    }

    #[names]
    fn build(&self, io: &FunctionIo<Bits>) {
        let shape = FunctionEntry::shape();
        let width = FunctionEntry::<Shape>::WIDTH;
        let index_w = clog2(u64::from(self.functions));
        let beyond = |index: Bits| if index_w == 16 { lit(1, 0) } else { index.slice(index_w..).any() };
        let [lookup, manage] = memory::true_dual(self.functions, width).latency(RAM_LATENCY).dual();
        lookup.rdata.named("entries");

        lookup.en.set(io.lookup_valid);
        lookup.we.set(0);
        lookup.addr.set(io.lookup_function.trunc(index_w));
        lookup.wdata.set(0);
        let exists = carry_valid("exists", io.lookup_valid & io.ready & !beyond(io.lookup_function), RAM_LATENCY);
        let collides = carry("collides", manage.we & manage.addr.eq(lookup.addr), RAM_LATENCY);
        let written = carry("written", manage.wdata, RAM_LATENCY);
        let word = mux(collides, written, lookup.rdata);
        let present = exists & word.bit(0);
        let found_entry = unpack(&shape, present.repeat(width) & word);
        io.entry.valid.reset(0).set(found_entry.valid);
        io.entry.mode.registered().set(found_entry.mode);
        io.entry.unmatched.registered().set(found_entry.unmatched);

        let command = &io.command;
        let step = state(Step::Clear);
        let index = reg(index_w).reset(0);
        let waited = reg(1);
        let in_range = !beyond(command.index);
        command.done.reset(0);
        command.done.set(0);
        command.status.registered();
        command.old_entry.registered();
        when(step.is(Step::Fetch), || command.old_entry.set(manage.rdata));
        io.ready.reset(0);
        manage.we.set(step.is(Step::Clear) | (step.is(Step::Answer) & command.write & in_range));
        manage.en.set(manage.we | step.is(Step::Access));
        manage.addr.set(index);
        manage.wdata.set(mux(step.is(Step::Clear), lit(width, 0), command.entry));
        step.switch(|now| match now {
            Step::Clear => {
                index.set(index + 1);
                when(index.all(), || {
                    io.ready.set(1);
                    step.go(Step::Idle);
                });
                when(command.start, || {
                    command.done.set(1);
                    command.status.set(TableStatus::NotReady.encoded());
                });
            }
            Step::Idle => {
                index.set(command.index.trunc(index_w));
                when(command.start, || step.go(Step::Access));
                when(io.clear, || {
                    index.set(0);
                    io.ready.set(0);
                    step.go(Step::Clear);
                });
            }
            Step::Access => {
                waited.set(0);
                step.go(Step::Fetch);
            }
            Step::Fetch => {
                waited.set(1);
                when(waited, || step.go(Step::Answer));
            }
            Step::Answer => {
                command.done.set(1);
                command.status.set(TableStatus::Ok.encoded());
                when(!in_range, || command.status.set(TableStatus::OutOfRange.encoded()));
                step.go(Step::Idle);
            }
        });
    }
}
