//! Simulation of emitted Verilog: Verilator models, bus drivers and monitors, captures, waveforms.
//!
//! - [`verilated`] builds a Verilator model of given Verilog text and drives its ports at native speed;
//! - [`bfm`] drives and watches AXI4-Stream and AXI4-Lite ports of such a model, with protocol checks always on;
//! - [`capture`] reads and writes pcap and pcapng files;
//! - [`wave`] prints samples as a text waveform;
//! - [`program`] turns rules into register writes;
//! - [`em`] is the whole Execution Module in simulation.

pub mod program;
pub mod verilated;
pub mod bfm;
pub mod capture;
pub mod wave;
pub mod em;
mod rng;

pub use rng::Rng;
