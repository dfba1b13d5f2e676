//! Synthesis with open tools: yosys driver, area reports.

mod yosys;

pub use yosys::{Cells, Error, Synthesis};
