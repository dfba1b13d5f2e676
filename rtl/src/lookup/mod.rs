//! Tables and their lookup: what the Orchestration Module says about a function and its inside addresses.

mod io;
mod status;

pub use io::{FunctionCommand, Lookup, LookupIo, LookupManage, LookupRequest, LookupResponse, SlotCommand};
pub use status::{FunctionEntry, Operation, TableStatus};

/// Clocks from a request to its response.
pub const LATENCY: u32 = 7;
