//! Where the block RAMs of a whole core lie.
//!
//! Where nearly every block RAM of a part is taken, nextpnr's placers put the last ones wherever a site is left, often
//! across the whole part, and the wires of the data path with them. A floorplan names the site of each. It holds for one
//! profile on one size of part, and only as long as the core has the very memories that it names.

use crate::{Error, Part};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Sites of block RAMs, and how nextpnr is to route between them.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floorplan {
    /// Clock in MHz that place and route is asked for.
    pub asked_mhz: u32,
    /// Columns of the sites, the same in every row.
    columns: Vec<u32>,
    /// Settings of the router.
    router: BTreeMap<String, String>,
    /// Rows of sites.
    row: Vec<Row>,
}

/// A row of block RAMs.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Row of the part's grid.
    y: u32,
    /// What lies there, from the left: the path of a memory below the core, and after a colon which block of it.
    memories: Vec<String>,
}

impl Floorplan {
    /// The floorplan of a profile's core on a part, if there is one.
    pub fn of(profile: &str, part: Part) -> Option<Floorplan> {
        let text = match profile {
            "ecp5" if part.to_string().contains("-45F-") => include_str!("../floorplans/ecp5_45f.toml"),
            _ => return None,
        };
        Some(toml::from_str(text).expect("a floorplan of the project is well formed"))
    }

    /// Name and site of each block RAM, such as `X4/Y10/EBR0`.
    fn sites(&self) -> BTreeMap<&str, String> {
        let in_row = |row: &Row| {
            let columns = self.columns.iter().enumerate();
            let site = |(i, x): (usize, &u32)| format!("X{x}/Y{}/EBR{}", row.y, i % 4);
            columns.map(site).collect::<Vec<_>>()
        };
        let pair = |row| std::iter::zip(self.memories_of(row), in_row(row)).collect::<Vec<_>>();
        self.row.iter().flat_map(pair).collect()
    }

    fn memories_of<'a>(&self, row: &'a Row) -> impl Iterator<Item = &'a str> {
        row.memories.iter().map(String::as_str)
    }

    /// The netlist with the site of each block RAM, or `None` if its block RAMs are not those of the floorplan.
    ///
    /// # Errors
    /// The netlist is not in yosys' JSON format.
    pub fn apply(&self, netlist: &str) -> Result<Option<String>, Error> {
        let mut netlist: Value = serde_json::from_str(netlist).map_err(|e| Error::Route(e.to_string()))?;
        let modules = netlist["modules"].as_object_mut().into_iter().flat_map(|m| m.values_mut());
        let Some(top) = modules.into_iter().find(|m| !m["attributes"]["top"].is_null()) else { return Ok(None) };
        let Some(cells) = top["cells"].as_object_mut() else { return Ok(None) };
        let names = block_rams(cells);
        let sites = self.sites();
        if names.values().map(String::as_str).collect::<BTreeSet<_>>() != sites.keys().copied().collect() {
            return Ok(None);
        }
        for (cell, name) in &names {
            cells[cell]["attributes"]["BEL"] = Value::from(sites[name.as_str()].as_str());
        }
        top["settings"] = Value::from_iter(self.router.iter().map(|(k, v)| (k.clone(), Value::from(v.as_str()))));
        Ok(Some(netlist.to_string()))
    }
}

/// The block RAMs among the cells, with their names in a floorplan.
fn block_rams(cells: &Map<String, Value>) -> BTreeMap<String, String> {
    let mut memories: BTreeMap<&str, Vec<(Vec<u64>, &str)>> = BTreeMap::new();
    let is_ram = |cell: &Value| matches!(cell["type"].as_str(), Some("DP16KD" | "PDPW16KD"));
    for cell in cells.iter().filter(|(_, cell)| is_ram(cell)).map(|(name, _)| name.as_str()) {
        let end = [".rows[", "_DP16KD"].iter().filter_map(|mark| cell.find(mark)).min().unwrap_or(cell.len());
        let numbers = cell[end..].split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
        memories.entry(&cell[..end]).or_default().push((numbers, cell));
    }
    let mut names = BTreeMap::new();
    for (memory, mut blocks) in memories {
        blocks.sort();
        let memory = memory.strip_prefix("dut.").unwrap_or(memory);
        for (i, (_, cell)) in blocks.iter().enumerate() {
            let name = if blocks.len() == 1 { memory.to_string() } else { format!("{memory}:{i}") };
            names.insert(cell.to_string(), name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toy(memory: &str) -> Floorplan {
        toml::from_str(&format!(
            "asked_mhz = 125\ncolumns = [4, 6]\nrouter = {{ \"router2/bbMargin/x\" = \"15\" }}\n\
             [[row]]\ny = 10\nmemories = [\"{memory}:1\", \"{memory}:0\"]\n"
        ))
        .unwrap()
    }

    const NETLIST: &str = r#"{"modules": {"harness": {"attributes": {"top": "1"}, "cells": {
        "dut.fifo.rows[0].cols[10].block": {"type": "DP16KD", "attributes": {}},
        "dut.fifo.rows[0].cols[9].block": {"type": "PDPW16KD", "attributes": {}},
        "dut.lut": {"type": "LUT4", "attributes": {}}}}}}"#;

    #[test]
    fn blocks_are_counted_by_number_and_get_their_sites() {
        let placed: Value = serde_json::from_str(&toy("fifo").apply(NETLIST).unwrap().unwrap()).unwrap();
        let top = &placed["modules"]["harness"];
        let site = |cell: &str| top["cells"][cell]["attributes"]["BEL"].as_str().map(str::to_string);
        assert_eq!(site("dut.fifo.rows[0].cols[9].block").as_deref(), Some("X6/Y10/EBR1"));
        assert_eq!(site("dut.fifo.rows[0].cols[10].block").as_deref(), Some("X4/Y10/EBR0"));
        assert_eq!(site("dut.lut"), None);
        assert_eq!(top["settings"]["router2/bbMargin/x"], "15");
    }

    #[test]
    fn other_memories_are_left_to_the_placer() {
        assert_eq!(toy("buffer").apply(NETLIST).unwrap(), None);
    }

    #[test]
    fn every_block_ram_of_the_project_has_a_site_of_its_own() {
        let plan = Floorplan::of("ecp5", Part::LFE5UM5G_45F_8).unwrap();
        let listed: usize = plan.row.iter().map(|row| row.memories.len()).sum();
        let sites = plan.sites();
        assert_eq!(sites.len(), listed);
        assert_eq!(sites.values().collect::<BTreeSet<_>>().len(), listed);
        assert!(plan.row.iter().all(|row| row.memories.len() <= plan.columns.len()));
        assert_eq!(Floorplan::of("ecp5", Part::LFE5UM5G_85F_8), None);
    }
}
