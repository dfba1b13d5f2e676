//! The Execution Module in simulation: the emitted Verilog of a profile, built by Verilator, with a driver on each port.
//!
//! Rules are installed by register writes on the simulated AXI4-Lite bus, never by a back door, and the counters are read
//! back the same way.

mod counters;
mod replay;
mod setup;
mod run;

pub use counters::{PortCount, ReadCounters};
pub use replay::{Forwarded, Outputs, Punted, Replay};
pub use run::{Request, RunError, Summary, run};
pub use setup::{EmSim, Setup, SimError};
