//! The shared cases.

use serde_json::Value;

/// The case with this name.
pub fn case(id: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbench/cases/cases.json");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    cases.into_iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("no case {id}"))
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// Name and bytes of every packet of `side`.
pub fn packets(case: &Value, side: &str) -> Vec<(String, Option<Vec<u8>>)> {
    let list = case[side]["packets"].as_array().unwrap();
    list.iter().map(|packet| (packet["name"].to_string(), packet["hex"].as_str().map(bytes))).collect()
}
