//! The hardware of the Execution Module, in packet order.

pub mod config;
pub mod stream;
pub mod csr;
pub mod packet;
pub mod inject;
pub mod pages;
pub mod ingress;
pub mod parse;
pub mod lookup;
pub mod outcome;
pub mod verdict;
pub mod rewrite;
pub mod punt;
pub mod egress;
pub mod meter;
pub mod path;
pub mod top;
pub mod manifest;
pub mod generate;
mod carry;

use carry::{carry, carry_valid};
