//! System scenarios on the emitted Verilog, property tests, benchmarks, proof tasks.

pub mod bench;
pub mod cocotb;
pub mod em;
pub mod prove;
pub mod random;
pub mod simulate;
