//! A Rust-embedded hardware description language that emits plain Verilog-2005.
