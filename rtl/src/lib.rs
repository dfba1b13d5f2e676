//! The hardware of the Execution Module, in packet order.

pub mod stream;
pub mod csr;
pub mod lookup;
pub mod outcome;
