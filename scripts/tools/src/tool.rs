//! The tools, and what `scripts/tools.toml` says of each.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

/// An external tool that the project runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tool {
    /// The C++ compiler, `g++`.
    Cxx,
    /// `make`, which builds what Verilator writes.
    Make,
    /// `ccache`, which makes the second build of a model quick.
    Ccache,
    /// Verilator: Verilog to C++, and lint.
    Verilator,
    /// Icarus Verilog's compiler, `iverilog`.
    Icarus,
    /// Icarus Verilog's run time, `vvp`.
    Vvp,
    /// `tshark`, the packet decoder.
    Tshark,
    /// A Python that can import scapy.
    Python,
    /// A Python that can import cocotb and cocotbext-axi.
    Cocotb,
    /// Yosys: synthesis, and the front end of the proofs.
    Yosys,
    /// Yices, the solver of the proofs (`yices-smt2`).
    Yices,
    /// `sby`, which runs proofs.
    Sby,
    /// Place and route for ECP5. `./scripts/setup pnr` installs it.
    NextpnrEcp5,
}

impl Tool {
    /// Every tool, in the order of `scripts/tools.toml`.
    pub const ALL: [Tool; 13] = [
        Tool::Cxx,
        Tool::Make,
        Tool::Ccache,
        Tool::Verilator,
        Tool::Icarus,
        Tool::Vvp,
        Tool::Tshark,
        Tool::Python,
        Tool::Cocotb,
        Tool::Yosys,
        Tool::Yices,
        Tool::Sby,
        Tool::NextpnrEcp5,
    ];

    /// The tool's section in `scripts/tools.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Cxx => "cxx",
            Tool::Make => "make",
            Tool::Ccache => "ccache",
            Tool::Verilator => "verilator",
            Tool::Icarus => "icarus",
            Tool::Vvp => "vvp",
            Tool::Tshark => "tshark",
            Tool::Python => "python",
            Tool::Cocotb => "cocotb",
            Tool::Yosys => "yosys",
            Tool::Yices => "yices",
            Tool::Sby => "sby",
            Tool::NextpnrEcp5 => "nextpnr-ecp5",
        }
    }

    pub(crate) fn spec(self) -> &'static Spec {
        &TOOLS.tools[self.name()]
    }
}

/// The executable's name, as a user types it.
impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spec().command)
    }
}

/// One section of `scripts/tools.toml`.
#[derive(Debug, Deserialize)]
pub(crate) struct Spec {
    /// The argument of `./scripts/setup` that installs it.
    pub group: String,
    /// The executable's name.
    pub command: String,
    /// The argument that makes it print its version.
    pub version: String,
    /// The oldest version that is good enough.
    pub minimum: String,
}

#[derive(Deserialize)]
struct Tools {
    #[serde(rename = "needs")]
    _needs: BTreeMap<String, String>,
    #[serde(flatten)]
    tools: BTreeMap<String, Spec>,
}

static TOOLS: LazyLock<Tools> =
    LazyLock::new(|| toml::from_str(include_str!("../../tools.toml")).expect("scripts/tools.toml is well formed"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Version;

    #[test]
    fn every_tool_has_a_complete_section() {
        for tool in Tool::ALL {
            let spec = tool.spec();
            assert!(Version::parse(&spec.minimum).is_some() || spec.minimum.parse::<u32>().is_ok(), "{tool:?}");
            assert!(["sim", "check", "cocotb", "synth", "formal", "pnr"].contains(&spec.group.as_str()), "{tool:?}");
        }
    }
}
