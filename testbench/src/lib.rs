//! System scenarios on the emitted Verilog, property tests, benchmarks, proof tasks.

pub mod em;
pub mod prove;
