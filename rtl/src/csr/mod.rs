//! Registers, declared once, and the AXI4-Lite slave that serves them.

mod io;

pub use io::{AxiLite, CounterEvents};
