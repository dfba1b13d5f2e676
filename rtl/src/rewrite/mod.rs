//! What is written over a translated frame.

mod update;

pub use update::{LATENCY as UPDATE_LATENCY, Macs, Mapping, Update, UpdateIo};
