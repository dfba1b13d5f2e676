//! Registers, declared once, and the AXI4-Lite slave that serves them.

mod io;
mod events;
pub mod next;
mod map;
mod slave;
mod counters;
mod registers;
mod document;

pub use counters::{Counters, CountersIo, PortCounter};
pub use document::{RegisterMap, register_map};
pub use events::{PathEvents, PortEvents, Settings};
pub use io::{AxiLite, CounterEvents, RegBus};
pub use map::{
    ADDR_W, Access, Counter, MAGIC, OUTCOME_COUNTERS, PORT_COUNTERS, Reg, RegField, VERSION, counters, outcome_counter,
    port_counter,
};
pub use registers::{Csr, CsrIo};
pub use slave::{AxiLiteSlave, AxiLiteSlaveIo, resp};
