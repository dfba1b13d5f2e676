//! A Rust-embedded hardware description language that emits plain Verilog-2005.
//!
//! A [`Block`] is a Rust struct: its configuration. Its ports are a typed [`Bundle`], its logic is ordinary Rust that
//! runs once, at elaboration. [`elaborate`] checks the result and gives a [`Design`], which [`verilog::emit`] prints and
//! [`sim::Sim`] runs. Begin with the [`tutorial`].
#![warn(missing_docs)]
#![allow(clippy::should_implement_trait)] // `eq`, `lt`, … build hardware; they are not Rust's comparisons

extern crate self as hdl;

mod value;
mod eval;
mod error;
pub mod ir;
mod build;
mod simplify;
mod known;
mod bits;
mod join;
mod signed;
mod control;
pub mod bundle;
mod block;
mod clock;
pub mod cdc;
pub mod onehot;
pub mod crc;
pub mod checksum;
pub mod memory;
mod property;
#[doc(hidden)]
pub mod names;
mod unique;
pub mod check;
pub mod verilog;
pub mod sim;
pub mod tutorial;

pub use bits::{Bits, Operand, constant, lit};
pub use block::{Block, Design, elaborate, instance, instance_in};
pub use bundle::{Bundle, Shape, assign, connect, delay, mux_of, pack, reg_of, unpack, wire_of};
pub use clock::{in_domain, with_reset};
pub use control::{Encode, State, Switch, When, reg, state, switch, when, wire};
pub use error::{ElabError, ElabErrors, Fault};
pub use hdl_derive::{Bundle, Encode, names};
pub use join::{MaybeWidth, cat, mux, select};
pub use memory::{Collision, MemSpec};
pub use names::Nameable;
pub use property::{assert_that, assume_that, cover_that};
pub use signed::Signed;
pub use value::Value;

/// Bits that count to `n` values: the ceiling of log2 `n`.
pub const fn clog2(n: u64) -> u32 {
    if n <= 1 { 0 } else { 64 - (n - 1).leading_zeros() }
}
