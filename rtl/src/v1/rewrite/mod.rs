//! Rewrites the source address and the checksums that cover it.

mod patch;
mod update;

pub use patch::{Patch, PatchIo, Patched, ReadBeat};
pub use update::{LATENCY as UPDATE_LATENCY, Update, UpdateIo};
