//! The hardware of the Execution Module, in packet order.

pub mod config;
pub mod stream;
pub mod csr;
pub mod packet;
pub mod lookup;
pub mod outcome;
