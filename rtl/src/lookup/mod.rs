//! Tables and their lookup: what the Orchestration Module says about functions, addresses and next hops.

mod geometry;
mod io;
mod status;
mod hash;
mod layout;
mod ram;
mod exact;
mod direct;
mod serial_hash;
mod manager;
mod tables;

mod stage_io;
mod stage_exact;
mod stage_manage;
mod stage_function;
mod stage;

pub use direct::{DirectAnswer, DirectLookup, DirectTable, DirectTableIo};
pub use exact::{ExactAnswer, ExactLookup, ExactMemory, ExactTable, ExactTableIo, SlotAccess};
pub use geometry::{Geometry, Management, Table, Tables, function_value, nat_rx_value, nat_tx_key, nat_tx_value};
pub use hash::RowHash;
pub use io::{RxLate, RxRequest, RxResponse, TableEvents, TableManage, TablesIo, TxLate, TxRequest, TxResponse};
pub use layout::Layout;
pub use manager::{TableManager, TableManagerIo};
pub use stage_exact::{ExactIo, ExactMatch};
pub use stage_function::{FunctionIo, FunctionTable};
pub use stage_io::{FunctionCommand, Lookup, LookupIo, LookupManage, LookupRequest, LookupResponse, SlotCommand};
pub use status::{FunctionEntry, Operation, TableStatus};
