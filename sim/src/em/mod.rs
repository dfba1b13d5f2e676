//! The Execution Module in simulation: the emitted Verilog of a profile, built by Verilator, with a driver on each port.
//!
//! Which streams a module has is read from its ports: [`EmSim`] puts a driver on each of [`Input::ALL`] and
//! [`Output::ALL`] that is there, and leaves the others alone.
//! Rules are installed by register writes on the simulated AXI4-Lite bus, never by a back door, and the counters are read
//! back the same way.

mod ports;
mod counters;
mod setup;
mod replay;
mod feed;
mod places;
mod deliver;
mod run;

pub use counters::{PortCount, ReadCounters};
pub use ports::{Egress, Entry, Input, Output};
pub use replay::{Forwarded, Outputs, Punted, Replay};
pub use run::{Request, RunError, Summary, run};
pub use setup::{EmSim, Setup, SimError};
