//! The hardware of the Execution Module, in packet order.
