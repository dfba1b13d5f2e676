//! Simulation of emitted Verilog: Verilator models, bus drivers and monitors, captures, waveforms.
//!
//! - [`verilated`] builds a Verilator model of given Verilog text and drives its ports at native speed;

pub mod verilated;
mod rng;

pub use rng::Rng;
