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
mod pieces;
mod words;
mod lane;
mod limits;
mod steps;
mod manager;
mod tables;

pub use direct::{DirectAnswer, DirectLookup, DirectTable, DirectTableIo};
pub use exact::{ExactAnswer, ExactLookup, ExactMemory, ExactTable, ExactTableIo, SlotAccess};
pub use geometry::{Geometry, Management, Table, Tables, function_value, nat_rx_value, nat_tx_key, nat_tx_value};
pub use hash::RowHash;
pub use io::{RxLate, RxRequest, RxResponse, TableEvents, TableManage, TablesIo, TxLate, TxRequest, TxResponse};
pub use layout::Layout;
pub use manager::{TableManager, TableManagerIo};
pub use status::{Operation, TableStatus};
