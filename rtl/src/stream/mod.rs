//! AXI4-Stream: the bundle and the blocks that buffer, join and widen streams.

mod axis;

pub use axis::{Axis, HostUser, NetUser, PuntUser};
