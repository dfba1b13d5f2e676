//! `manifest.json`: what a program needs to know of generated hardware without reading its Verilog.
//!
//! | key | value |
//! |---|---|
//! | `generator` | [`GENERATOR`], by which `em generate` knows a folder as its own |
//! | `top`, `profile`, `version` | the top module, the profile's name, the version of this project |
//! | `config` | the profile: its sizes as they stand in its file |
//! | `files` | the Verilog files, each before those that use it |
//! | `ports` | every port in the order of the Verilog, with direction, width, clock, and the fields of a packed `tuser` |
//! | `registers` | the register map: `registers` of 32 bits with their fields, `counters` of 64 bits, `tables` with their geometry and what computes a key's place |

use crate::{
    config::{EmConfig, Profile},
    csr::RegisterMap,
    stream::{HostUser, InjectUser, NetUser, PuntUser},
};
use hdl::{Design, bundle::layout, ir::Dir};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Name of the file.
pub const FILE: &str = "manifest.json";
/// Value of `generator`.
pub const GENERATOR: &str = "em generate";

#[derive(Serialize)]
struct Manifest<'a> {
    generator: &'static str,
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
    config.map().map()
}

/// The manifest as JSON text.
pub fn json(profile: &Profile, design: &Design, files: &[String]) -> String {
    let manifest = Manifest {
        generator: GENERATOR,
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

/// The Verilog files that the manifest at `path` lists; `None` if there is none, or it is not of this generator.
pub fn files_of(path: &Path) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Known {
        generator: String,
        files: Vec<String>,
    }
    let known: Known = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    (known.generator == GENERATOR).then_some(known.files)
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
        "s_axis_host_tuser" | "m_axis_host_tuser" => layout(&HostUser::shape()),
        "s_axis_net0_tuser" | "m_axis_net0_tuser" | "s_axis_net1_tuser" | "m_axis_net1_tuser" => {
            layout(&NetUser::shape())
        }
        "s_axis_punt_tuser" => layout(&InjectUser::shape()),
        "m_axis_punt_tuser" => layout(&PuntUser::shape()),
        _ => vec![],
    };
    placed.into_iter().map(|p| PortField { name: p.name, lsb: p.lsb, width: p.width, doc: p.doc }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::top::EmTop;
    use serde_json::Value;

    fn manifest() -> Value {
        let profile = Profile::named("ecp5").unwrap();
        let design = hdl::elaborate(&EmTop { config: profile.config.clone() }).unwrap_or_else(|e| panic!("{e}"));
        serde_json::from_str(&json(&profile, &design, &["em_top.v".into()])).unwrap()
    }

    #[test]
    fn the_fields_of_a_packed_port_fill_it() {
        let manifest = manifest();
        let ports = manifest["ports"].as_array().unwrap();
        let mut packed = 0;
        for port in ports.iter().filter(|p| p["name"].as_str().unwrap().ends_with("_tuser")) {
            let mut next = 0;
            for field in port["fields"].as_array().unwrap_or_else(|| panic!("{port} has no fields")) {
                assert_eq!(field["lsb"], next, "{port}");
                next += field["width"].as_u64().unwrap();
            }
            assert_eq!(port["width"], next, "{port}");
            packed += 1;
        }
        assert_eq!(packed, 8);
    }

    #[test]
    fn every_port_but_a_clock_has_a_clock() {
        for port in manifest()["ports"].as_array().unwrap() {
            let expected = if port["name"] == "clk" { Value::Null } else { "clk".into() };
            assert_eq!(port["clock"], expected, "{port}");
        }
    }

    #[test]
    fn tables_have_the_geometry_of_the_profile() {
        let manifest = manifest();
        let (tables, config) = (&manifest["registers"]["tables"], &manifest["config"]["table"]);
        let rows = |name: &str| {
            let table = tables.as_array().unwrap().iter().find(|t| t["name"] == name);
            table.unwrap_or_else(|| panic!("no table {name}"))["rows"].clone()
        };
        for (table, key) in [
            ("nat_tx", "nat_rows"),
            ("nat_rx", "nat_rows"),
            ("mac", "mac_rows"),
            ("function", "functions"),
            ("next_hop", "next_hops"),
        ] {
            assert!(rows(table).is_u64() && rows(table) == config[key], "{key}");
        }
    }

    #[test]
    fn only_a_manifest_of_this_generator_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        assert_eq!(files_of(&path), None);
        for foreign in
            ["", "{}", r#"{"name": "a web page", "files": ["x.v"]}"#, r#"{"generator": "other", "files": []}"#]
        {
            std::fs::write(&path, foreign).unwrap();
            assert_eq!(files_of(&path), None, "{foreign}");
        }
        std::fs::write(&path, manifest().to_string()).unwrap();
        assert_eq!(files_of(&path), Some(vec!["em_top.v".to_string()]));
    }
}
