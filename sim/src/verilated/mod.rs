//! Verilator models, built from Verilog text and driven from Rust.
//!
//! [`build`] turns a [`ModelSpec`] into a [`Library`]: Verilator's C++, a generated `extern "C"` shim and Verilator's
//! run-time files, compiled at `-O2` into one shared object, which is kept in a cache under the hash of all it was
//! made from. [`Library::instance`] makes a [`Model`]; each has its own `VerilatedContext`, so several live in one
//! process and each may move to another thread. Ports are read and written in the model's own memory: the address is
//! asked for once a port, and a 512-bit value is one copy of 64 bytes.
//!
//! # What `tick` does
//! [`Model::tick`] raises the clock, evaluates, lowers it, evaluates: two evaluations in one call.
//! Verilator settles combinational logic of changed inputs before it runs the logic of an edge, so values poked since the last
//! evaluation are what the registers sample. After `tick`, outputs of registers hold their value after the edge and
//! combinational outputs follow it and the present inputs; after a later poke, [`Model::eval`] brings combinational
//! outputs up to date. While a trace is on, a third evaluation at the low clock records the new inputs half a period before
//! the edge that samples them.
//!
//! # Assertions
//! A `$stop`, `$fatal` or `$error` in the Verilog does not end the process. It is recorded as a [`Failure`] with file, line,
//! the source line and what `$display` last said in the same evaluation, and returned by the call that ran it.

mod spec;
mod design;
mod toolchain;
mod shim;
mod compile;
mod cache;
mod library;
mod model;
mod failure;
mod error;

pub use cache::cache_dir;
pub use error::{BuildError, ModelError};
pub use failure::Failure;
pub use library::{Library, build, build_in};
pub use model::{Model, PortId};
pub use spec::{Dir, ModelSpec, Options, Port, Trace};
