//! One outcome per frame: what the headers say, then what the function and its mapping say.

mod classify;
mod decide;

pub use classify::{CHECKSUM_AFTER, Classify, ClassifyIo, LATENCY as CLASSIFY_LATENCY};
pub use decide::{Decide, DecideIo, Decided, LATENCY as DECIDE_LATENCY};
