//! The registers of both directions.

mod map;
mod areas;
mod describe;
mod counter_list;
pub mod counters;
mod decode;
mod registers;

pub use super::events::CounterEvents;
pub use areas::Area;
pub use counter_list::{
    FUNCTION_COUNTERS, counter_sources, counters, function_counter, outcome_counter, port_counter, table_counter,
};
pub use counters::{Counters, CountersIo, PortCounter};
pub use describe::{Block, Counter, HashExample, MapConfig, Register, RegisterMap, TableInfo};
pub use map::{ADDR_W, Access, MAGIC, Reg, RegField, VERSION};
pub use registers::{Csr, CsrIo};
