//! What the tests of this crate share.

use std::sync::Arc;

use em_sim::verilated::{Library, ModelSpec, build};

/// A file of `tests/verilog` as a source of a spec.
pub fn source(name: &str) -> (String, String) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verilog").join(name);
    (name.to_owned(), std::fs::read_to_string(path).expect("a file of tests/verilog"))
}

/// The built model; the error's text if it cannot be.
pub fn library(spec: &ModelSpec) -> Arc<Library> {
    build(spec).unwrap_or_else(|error| panic!("{error}"))
}
