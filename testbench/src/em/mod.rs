//! The whole Execution Module against the golden model.

pub mod craft;
mod frames;
mod manage;
pub mod provoke;
mod accounting;
mod order;
mod mismatch;
mod kept;
mod scoreboard;
mod traffic;

pub use accounting::assert_balanced;
pub use frames::{Cases, InFrame, case_frames};
pub use manage::{TableEntry, for_all_tables, table_status};
pub use mismatch::Mismatch;
pub use scoreboard::{Hardware, Scoreboard};
pub use traffic::{TRAFFIC_LIMITS, TRAFFIC_RULES, any_frame, any_traffic, host_frame, net_frame};
