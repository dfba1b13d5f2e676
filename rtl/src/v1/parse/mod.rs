//! Reads the headers while the frame is written into the buffer: alignment, fields, header checksum.

mod align;
mod extract;
mod header_sum;

pub use align::{Align, AlignIo};
pub use extract::{Extract, ExtractIo};
pub use header_sum::{HeaderSum, HeaderSumIo, LATENCY as HEADER_SUM_LATENCY};
