//! Tables and their lookup: what the Orchestration Module says about a function and its inside addresses.

mod geometry;
mod io;
mod stage_io;
mod status;
mod hash;
mod exact;
mod manage;
mod function;
mod stage;

pub use exact::{ExactIo, ExactMatch};
pub use function::{FunctionIo, FunctionTable};
pub use geometry::{Geometry, Management, Table, Tables, function_value, nat_rx_value, nat_tx_key, nat_tx_value};
pub use hash::RowHash;
pub use io::{RxLate, RxRequest, RxResponse, TableEvents, TableManage, TablesIo, TxLate, TxRequest, TxResponse};
pub use stage_io::{FunctionCommand, Lookup, LookupIo, LookupManage, LookupRequest, LookupResponse, SlotCommand};
pub use status::{FunctionEntry, Operation, TableStatus};
