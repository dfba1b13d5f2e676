//! The way out, host to network, on the native simulator.

mod cases;
mod flow;
mod frames;
mod judgement;
mod rig;
mod waveforms;
