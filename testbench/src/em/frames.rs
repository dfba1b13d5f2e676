//! Frames for the module's inputs, and those of the shared cases.

use em_model::Arrival;
use em_sim::em::{Egress, Entry};
use serde_json::Value;
use std::path::Path;

/// A frame for one of the inputs.
#[derive(Clone, PartialEq, Eq)]
pub struct InFrame {
    /// Where it comes in.
    pub entry: Entry,
    /// Flagged bad on its last beat.
    pub bad: bool,
    /// Bytes, without FCS.
    pub data: Vec<u8>,
}

impl InFrame {
    /// A good frame for this input.
    pub fn new(entry: Entry, data: impl Into<Vec<u8>>) -> Self {
        InFrame { entry, bad: false, data: data.into() }
    }

    /// A good frame that this function sends.
    pub fn host(function: u16, data: impl Into<Vec<u8>>) -> Self {
        Self::new(Entry::Host { function }, data)
    }

    /// The same frame, flagged bad.
    pub fn bad(self) -> Self {
        InFrame { bad: true, ..self }
    }

    /// What the golden model calls the place it comes in.
    pub fn arrival(&self) -> Arrival {
        match self.entry {
            Entry::Host { function } => Arrival::Host { function },
            Entry::Net0 => Arrival::Net0,
            Entry::Net1 => Arrival::Net1,
            Entry::Inject { egress, function } => {
                let egress = match egress {
                    Egress::Host => em_model::Egress::Host,
                    Egress::Net0 => em_model::Egress::Net0,
                    Egress::Net1 => em_model::Egress::Net1,
                    Egress::Uplink => em_model::Egress::Uplink,
                };
                Arrival::Injected { egress, function }
            }
        }
    }
}

impl std::fmt::Debug for InFrame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.entry {
            Entry::Host { function } => write!(f, "fn{function}")?,
            Entry::Net0 => write!(f, "net0")?,
            Entry::Net1 => write!(f, "net1")?,
            Entry::Inject { egress: Egress::Host, function } => write!(f, "injected to fn{function}")?,
            Entry::Inject { egress, .. } => write!(f, "injected to {egress:?}")?,
        }
        let hex: String = self.data.iter().take(128).map(|b| format!("{b:02x}")).collect();
        let more = if self.data.len() > 128 { "…" } else { "" };
        let bad = if self.bad { ", bad" } else { "" };
        write!(f, "{bad}, {} bytes: {hex}{more}", self.data.len())
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
