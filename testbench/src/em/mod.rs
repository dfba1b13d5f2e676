//! The whole Execution Module against the golden model.

pub mod craft;
mod frames;
mod manage;
pub mod provoke;
mod scoreboard;
mod traffic;

pub use frames::{Cases, HostFrame, case_frames};
pub use manage::{Mapping, table_status};
pub use scoreboard::{Hardware, Mismatch, Scoreboard};
pub use traffic::{any_frame, any_traffic};
