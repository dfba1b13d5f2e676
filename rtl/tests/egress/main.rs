//! The reading side of a path on the native simulator, with the frame buffer in plain Rust and monitors on all its ports.

#[path = "../common/mod.rs"]
mod common;
mod frames;
mod rig;
mod order;
mod places;
mod rates;
mod waveforms;
