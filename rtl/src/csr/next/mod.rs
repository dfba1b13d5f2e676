//! The registers of both directions.

pub mod counters;

pub use super::events::CounterEvents;
pub use counters::{Counters, CountersIo, PortCounter};
