//! Random circuits in the language: what the native simulator, Verilator and Icarus must agree on.
//!
//! A [`Circuit`] is plain data, made from a seed by [`expressions`] or [`circuit`], so that it can be printed and cut
//! down. Everything in it has a known value after [`LOAD_CYCLES`] cycles, in which `rst` and `load` are 1: registers
//! without reset are loaded from what came before them, memories are written from end to end. Where a memory leaves a
//! collision undefined the circuit never causes one. So from then on an unknown bit anywhere is a fault.

pub mod agree;
mod ast;
mod build;
mod expr;
mod module;
mod reference;
pub mod shrink;

pub use ast::{Bin, CONTROL, Circuit, Expr, Item, MemPort, Memory, Module, Output, Src, Stmt, Target, Un};
pub use build::{Ports, RandomBlock};
pub use module::{circuit, expressions, stimuli};
pub use reference::reference;

/// Cycles until everything is known.
pub const LOAD_CYCLES: usize = 128;
