//! Derive and attribute macros of the hdl crate.
