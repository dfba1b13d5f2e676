//! Synthesis with open tools: yosys driver, area reports.

pub mod area;
pub mod reference;
mod yosys;

pub use yosys::{Cells, Error, Synthesis};
