//! The whole Execution Module against the golden model.

mod frames;
mod scoreboard;
mod traffic;

pub use frames::{Cases, HostFrame, case_frames};
pub use scoreboard::{Hardware, Mismatch, Scoreboard};
pub use traffic::{any_frame, any_traffic};
