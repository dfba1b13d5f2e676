//! System scenarios on the emitted Verilog, property tests, benchmarks, proof tasks.

pub mod prove;
