//! Synthesis with open tools: yosys driver, place and route, area and timing reports.

pub mod area;
pub mod harness;
mod part;
pub mod reference;
mod yosys;

pub use part::{Part, UnknownPart};
pub use yosys::{Cells, Error, Framed, Synthesis};
