//! What the tests of this crate share.

use std::sync::Arc;

use em_sim::verilated::{Library, ModelSpec, Port, build};

/// A file of `tests/verilog` as a source of a spec.
pub fn source(name: &str) -> (String, String) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verilog").join(name);
    (name.to_owned(), std::fs::read_to_string(path).expect("a file of tests/verilog"))
}

/// The built model; the error's text if it cannot be.
pub fn library(spec: &ModelSpec) -> Arc<Library> {
    build(spec).unwrap_or_else(|error| panic!("{error}"))
}

/// The ports of a stream: `into` the module or out of it.
#[allow(dead_code, reason = "not every test file has streams")]
pub fn stream_ports(prefix: &str, into: bool, data_w: u32, user_w: u32) -> Vec<Port> {
    let forward = [("tdata", data_w), ("tkeep", data_w / 8), ("tlast", 1), ("tuser", user_w), ("tvalid", 1)];
    let port = |signal: &str, width, input| {
        let name = format!("{prefix}{signal}");
        if input { Port::input(name, width) } else { Port::output(name, width) }
    };
    let mut ports = forward.map(|(signal, width)| port(signal, width, into)).to_vec();
    ports.push(port("tready", 1, !into));
    ports
}
