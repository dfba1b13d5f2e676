//! Tables and their lookup: what the Orchestration Module says about a function and its inside addresses.

mod io;
mod status;
mod hash;
mod exact;
mod manage;
mod function;
mod stage;

pub use exact::{ExactIo, ExactMatch};
pub use function::{FunctionIo, FunctionTable};
pub use hash::RowHash;
pub use io::{FunctionCommand, Lookup, LookupIo, LookupManage, LookupRequest, LookupResponse, SlotCommand};
pub use status::{FunctionEntry, Operation, TableStatus};

use hdl::Bits;

/// `value` after `n` clocks; the registers are called `NAME_after1` and so on.
fn carry(name: &str, value: Bits, n: u32) -> Bits {
    (1..=n).fold(value, |v, i| v.delay().named(&format!("{name}_after{i}")))
}

/// The same of a valid bit, which is 0 under reset.
fn carry_valid(name: &str, value: Bits, n: u32) -> Bits {
    (1..=n).fold(value, |v, i| v.delay_reset(0).named(&format!("{name}_after{i}")))
}
