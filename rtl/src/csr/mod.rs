//! Registers, declared once, and the AXI4-Lite slave that serves them.

mod io;
mod events;
mod map;
mod areas;
mod describe;
mod layouts;
mod document;
mod counter_list;
pub mod counters;
mod decode;
mod slave;
mod limiters;
mod registers;

pub use areas::Area;
pub use counter_list::{
    FUNCTION_COUNTERS, counter_sources, counters, function_counter, outcome_counter, port_counter, table_counter,
};
pub use counters::{Counters, CountersIo, PortCounter};
pub use describe::{Block, Counter, HashExample, MapConfig, Register, RegisterMap, TableInfo};
pub use document::Format;
pub use events::{CounterEvents, PathEvents, PortEvents, Settings};
pub use io::{AxiLite, RegBus};
pub use map::{ADDR_W, Access, MAGIC, Reg, RegField, VERSION};
pub use registers::{Csr, CsrIo};
pub use slave::{AxiLiteSlave, AxiLiteSlaveIo, resp};
