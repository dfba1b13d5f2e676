//! The four blocks of `fpga/reference/*.v`, which were written by hand, in the language: what it costs in area to write
//! hardware in it is measured on them (see [`crate::area`]). Each has the ports and the behaviour of its model.

mod csum;
mod hash;
mod parser;
mod skid;

pub use csum::Csum;
pub use hash::Hash;
pub use parser::Parser;
pub use skid::Skid;
