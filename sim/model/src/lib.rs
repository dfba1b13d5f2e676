//! The golden model of the Execution Module, in plain Rust, from the standards.
