//! What is written over a translated frame.

mod polynomial;
mod product;
mod icrc;
mod update;

pub use icrc::{Icrc, IcrcIo, LEAST_FRAME as LEAST_ICRC_FRAME};
pub use product::{Product, ProductIo};
pub use update::{LATENCY as UPDATE_LATENCY, Macs, Mapping, Update, UpdateIo};
