//! One outcome per frame: what the headers say, then what the tables say.

mod classify;
mod locate;
mod decide_tx;
mod decide_rx;

pub use classify::{Classified, Classify, ClassifyIo, LATENCY as CLASSIFY_LATENCY};
pub use decide_rx::{DecideRx, DecideRxIo};
pub use decide_tx::{DecideTx, DecideTxIo, Decided, LATENCY as DECIDE_LATENCY};
pub use locate::{LATENCY as LOCATE_LATENCY, Locate, LocateIo, Place};
