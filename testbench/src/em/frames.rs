//! Frames for the host port, and those of the shared cases.

use serde_json::Value;
use std::path::Path;

/// A frame from the host.
#[derive(Clone, PartialEq, Eq)]
pub struct HostFrame {
    /// Function that sends it.
    pub function: u16,
    /// Flagged bad on its last beat.
    pub bad: bool,
    /// Bytes, without FCS.
    pub data: Vec<u8>,
}

impl HostFrame {
    /// A good frame of function 1.
    pub fn new(data: impl Into<Vec<u8>>) -> Self {
        HostFrame { function: 1, bad: false, data: data.into() }
    }
}

impl std::fmt::Debug for HostFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hex: String = self.data.iter().take(128).map(|b| format!("{b:02x}")).collect();
        let more = if self.data.len() > 128 { "…" } else { "" };
        let bad = if self.bad { ", bad" } else { "" };
        write!(f, "fn{}{bad}, {} bytes: {hex}{more}", self.function, self.data.len())
    }
}

/// The shared cases, `testbench/cases/cases.json`.
pub struct Cases(Vec<Value>);

/// A frame of a case with the result that its standard gives.
#[derive(Clone, Debug)]
pub struct CaseFrame {
    /// Its letter and what it shows.
    pub name: String,
    /// What comes in.
    pub input: Vec<u8>,
    /// What the case says becomes of it.
    pub action: String,
    /// What must come out, where the case gives bytes.
    pub output: Option<Vec<u8>>,
}

impl Cases {
    /// Reads the project's copy.
    pub fn load() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/cases.json");
        let text = std::fs::read_to_string(&path).expect("the project's copy of the cases");
        Cases(serde_json::from_str(&text).expect("the cases are JSON"))
    }

    /// The case of this id.
    pub fn get(&self, id: &str) -> &Value {
        self.0.iter().find(|c| c["id"] == id).unwrap_or_else(|| panic!("there is no case {id}"))
    }
}

/// The frames of a case, each beside its expected result (they stand in the same order).
pub fn case_frames(id: &str) -> Vec<CaseFrame> {
    let cases = Cases::load();
    let case = cases.get(id);
    let list = |of: &Value| of["packets"].as_array().expect("the case has packets").clone();
    let (inputs, outputs) = (list(&case["stimulus"]), list(&case["expected"]));
    assert_eq!(inputs.len(), outputs.len(), "{id} has one result for each frame");
    let pair = |(i, o): (&Value, &Value)| CaseFrame {
        name: i["name"].as_str().unwrap_or_default().to_string(),
        input: hex(i["hex"].as_str().expect("a frame is hex")),
        action: o["action"].as_str().unwrap_or_default().to_string(),
        output: o["hex"].as_str().map(hex),
    };
    inputs.iter().zip(&outputs).map(pair).collect()
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&text[i..i + 2], 16).expect("hex digits");
    (0..text.len()).step_by(2).map(digit).collect()
}
