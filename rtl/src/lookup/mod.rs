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
