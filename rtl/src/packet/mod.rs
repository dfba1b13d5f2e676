//! What the stages of a path hand to each other.
//!
//! Half-words and words of a header are in network order: the first byte on the wire is the most significant.

pub mod number;
mod action;
mod frame;
mod headers;
mod helpers;

pub use action::{Action, Rewrite};
pub use frame::{Beat, BufferRead, Chain, Direction, Extent, FUNCTION_W, FrameEnd, PORT_W, Release, Size, port};
pub use headers::{Ethernet, Headers, Quoted, Word};
pub use helpers::{delay_line, first_of, half, last_lane, later, outcome};
