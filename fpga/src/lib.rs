//! Synthesis with open tools: yosys driver, place and route, area and timing reports.

pub mod area;
pub mod blocks;
mod floorplan;
pub mod goal;
pub mod harness;
mod measure;
mod nextpnr;
mod part;
mod path;
pub mod reference;
pub mod synth;
pub mod timing;
mod yosys;

pub use measure::{Measurement, Share, shares, synthesis};
pub use nextpnr::{ASKED_MHZ, Routed, Sites, flags};
pub use part::{Part, UnknownPart};
pub use path::{Path, Step};
pub use yosys::{Cells, Error, Framed, Synthesis};
