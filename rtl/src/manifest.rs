//! `manifest.json`: every port with its clock and the layout of its `tuser`, every table's geometry, every register.

use crate::{
    config::{EmConfig, Profile},
    csr::{RegisterMap, register_map},
    stream::{HostUser, NetUser, PuntUser},
};
use hdl::{Design, bundle::layout, ir::Dir};
use serde::Serialize;

#[derive(Serialize)]
struct Manifest<'a> {
    /// The top module.
    top: &'a str,
    /// The profile that it was generated from.
    profile: &'a str,
    /// Version of this project.
    version: &'static str,
    /// Sizes of the profile.
    config: &'a EmConfig,
    /// Verilog files in the order in which tools may read them.
    files: &'a [String],
    ports: Vec<Port>,
    registers: RegisterMap,
}

#[derive(Serialize)]
struct Port {
    name: String,
    direction: &'static str,
    width: u32,
    /// The clock that it is synchronous to; a clock has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    doc: String,
    /// Fields of a packed port, the lowest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<PortField>,
}

#[derive(Serialize)]
struct PortField {
    name: String,
    lsb: u32,
    width: u32,
    doc: &'static str,
}

/// The register map of a configuration.
pub fn registers(config: &EmConfig) -> RegisterMap {
    register_map(&config.lookup())
}

/// The manifest as JSON text.
pub fn json(profile: &Profile, design: &Design, files: &[String]) -> String {
    let manifest = Manifest {
        top: &design.top().name,
        profile: &profile.name,
        version: env!("CARGO_PKG_VERSION"),
        config: &profile.config,
        files,
        ports: ports(design),
        registers: registers(&profile.config),
    };
    serde_json::to_string_pretty(&manifest).expect("plain data always serialises") + "\n"
}

fn ports(design: &Design) -> Vec<Port> {
    let top = design.top();
    let mut ports = Vec::new();
    for (name, dir, width) in top.verilog_ports() {
        let sig = top.ports().map(|(_, s, _)| s).find(|s| s.name == name);
        let is_clock = top.domains.iter().any(|d| d.clk() == name);
        let domain = sig.map_or(0, |s| s.domain.0 as usize);
        ports.push(Port {
            direction: if dir == Dir::In { "input" } else { "output" },
            width,
            clock: (!is_clock).then(|| top.domains[domain].clk()),
            doc: sig.map_or(String::new(), |s| s.doc.to_string()),
            fields: fields(&name),
            name,
        });
    }
    ports
}

fn fields(port: &str) -> Vec<PortField> {
    let placed = match port {
        "s_axis_host_tuser" => layout(&HostUser::shape()),
        "m_axis_net0_tuser" => layout(&NetUser::shape()),
        "m_axis_punt_tuser" => layout(&PuntUser::shape()),
        _ => vec![],
    };
    placed.into_iter().map(|p| PortField { name: p.name, lsb: p.lsb, width: p.width, doc: p.doc }).collect()
}
