//! A critical path in the names of our Verilog: nextpnr knows cells and nets by names that yosys made up or chose among
//! several.

use crate::{Error, harness::INSTANCE, nextpnr::Segment};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// A path between two clock edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    /// The register, memory or port where it starts.
    pub from: String,
    /// The register, memory or port where it ends; `, clock enable` or `, reset` if it ends there.
    pub to: String,
    /// Delay of cells in nanoseconds, set-up time included.
    pub logic_ns: f64,
    /// Delay of wires in nanoseconds.
    pub routing_ns: f64,
    /// Lookup tables, carries and multiplexers on the way.
    pub levels: u32,
    /// The nets on the way.
    pub steps: Vec<Step>,
    /// `file:line` of the start in the Verilog, or in the Rust source once [`Path::point_at_rust`] was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_line: Option<String>,
    /// The same of the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_line: Option<String>,
    /// It runs between registers of the frame: the block itself is faster.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_frame: bool,
}

/// A net of a path, with the delay of the cell that drives it and its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its name; in parentheses that of the closest named net if it has none.
    pub net: String,
    /// The driving cell's delay in nanoseconds.
    pub logic_ns: f64,
    /// The wire's delay in nanoseconds.
    pub routing_ns: f64,
}

impl Path {
    /// Its whole delay in nanoseconds.
    pub fn ns(&self) -> f64 {
        self.logic_ns + self.routing_ns
    }

    /// One line: `from → to, 3.1 ns (0.7 logic, 2.4 routing, 3 levels)`.
    pub fn line(&self) -> String {
        format!(
            "{} → {}, {:.1} ns ({:.1} logic, {:.1} routing, {} level{})",
            self.from,
            self.to,
            self.ns(),
            self.logic_ns,
            self.routing_ns,
            self.levels,
            if self.levels == 1 { "" } else { "s" }
        )
    }

    /// Replaces lines of the Verilog by those of the Rust source that declared the signals.
    pub fn point_at_rust(&mut self, design: &hdl::Design) {
        // A port was made where its block was instantiated, which says nothing of what drives it.
        for (signal, line) in [(&self.from, &mut self.from_line), (&self.to, &mut self.to_line)] {
            let Some(module) = line.as_ref().and_then(|l| l.split_once(".v:")).map(|(module, _)| module) else {
                continue;
            };
            let leaf = signal.split(['[', ',', ' ']).next().unwrap_or("").rsplit('.').next().unwrap_or("");
            let found = design.module(module).and_then(|m| m.sigs.iter().find(|s| s.name == leaf && s.port.is_none()));
            if let Some(sig) = found {
                *line = Some(format!("{}:{}", sig.loc.file(), sig.loc.line()));
            }
        }
    }
}

/// The names that a netlist of yosys knows for each net, and its flip-flops.
pub struct Names {
    /// Number of the net that a name means.
    net_of: HashMap<String, u64>,
    /// All names of a net.
    names_of: HashMap<u64, Vec<String>>,
    /// Where a net's name was declared.
    declared: HashMap<String, String>,
    /// Output and source line of each flip-flop.
    registers: HashMap<String, (u64, Option<String>)>,
}

#[derive(Deserialize)]
struct Netlist {
    modules: BTreeMap<String, NetlistModule>,
}

#[derive(Deserialize)]
struct NetlistModule {
    #[serde(default)]
    attributes: HashMap<String, serde_json::Value>,
    #[serde(default)]
    cells: HashMap<String, Cell>,
    #[serde(default)]
    netnames: HashMap<String, NetName>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    attributes: HashMap<String, serde_json::Value>,
    connections: HashMap<String, Vec<Bit>>,
}

#[derive(Deserialize)]
struct NetName {
    bits: Vec<Bit>,
    #[serde(default)]
    offset: i64,
    #[serde(default)]
    attributes: HashMap<String, serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Bit {
    Net(u64),
    /// A constant: `"0"`, `"1"`, `"x"`.
    Constant(#[allow(dead_code)] String),
}

/// `file.v:12` of a `src` attribute that names a file of ours; yosys' own library has absolute paths.
fn our_line(attributes: &HashMap<String, serde_json::Value>) -> Option<String> {
    let src = attributes.get("src")?.as_str()?;
    let ours = src.split('|').find(|s| !s.contains('/'))?;
    let (file, place) = ours.split_once(':')?;
    Some(format!("{file}:{}", place.split('.').next()?))
}

impl Names {
    /// Of a netlist in yosys' JSON format, whose top has the attribute `top`.
    ///
    /// # Errors
    /// [`Error::Report`] for what is no netlist.
    pub fn of_netlist(text: &str) -> Result<Names, Error> {
        let netlist: Netlist = serde_json::from_str(text)?;
        let mut names = Names {
            net_of: HashMap::new(),
            names_of: HashMap::new(),
            declared: HashMap::new(),
            registers: HashMap::new(),
        };
        for module in netlist.modules.into_values().filter(|m| m.attributes.contains_key("top")) {
            for (name, net) in module.netnames {
                let line = our_line(&net.attributes);
                let wide = net.bits.len() > 1 || net.offset != 0;
                for (i, bit) in (net.offset..).zip(&net.bits) {
                    let Bit::Net(number) = bit else { continue };
                    let name = if wide { format!("{name}[{i}]") } else { name.clone() };
                    names.names_of.entry(*number).or_default().push(name.clone());
                    if let Some(line) = &line {
                        names.declared.insert(name.clone(), line.clone());
                    }
                    names.net_of.insert(name, *number);
                }
            }
            for (name, cell) in module.cells.into_iter().filter(|(_, c)| c.kind == "TRELLIS_FF") {
                if let Some([Bit::Net(q)]) = cell.connections.get("Q").map(Vec::as_slice) {
                    names.registers.insert(name, (*q, our_line(&cell.attributes)));
                }
            }
        }
        Ok(names)
    }

    /// The path of a report.
    pub(crate) fn path(&self, segments: &[Segment]) -> Path {
        let mut path = Path {
            from: String::new(),
            to: String::new(),
            logic_ns: 0.0,
            routing_ns: 0.0,
            levels: 0,
            steps: vec![],
            from_line: None,
            to_line: None,
            in_frame: false,
        };
        let mut cell_ns = 0.0;
        for segment in segments {
            if segment.kind == "routing" {
                path.routing_ns += segment.delay;
                let net = segment.net.as_deref().unwrap_or("");
                // Wires inside a slice, between the halves of a wide multiplexer or along a carry, are no steps.
                if segment.delay > 0.0 {
                    let step = Step { net: self.net(net), logic_ns: cell_ns, routing_ns: segment.delay };
                    path.steps.push(step);
                    cell_ns = 0.0;
                }
            } else {
                path.logic_ns += segment.delay;
                cell_ns += segment.delay;
                path.levels += u32::from(segment.kind == "logic" && segment.delay > 0.0);
            }
        }
        if let (Some(first), Some(last)) = (segments.first(), segments.last()) {
            let (from, to) = (&first.from, &last.to);
            let from_frame;
            let to_frame;
            (path.from, path.from_line, from_frame) = self.cell(&from.cell, &from.port);
            (path.to, path.to_line, to_frame) = self.cell(&to.cell, &to.port);
            match to.port.as_str() {
                "CE" => path.to += ", clock enable",
                "LSR" => path.to += ", reset",
                _ => {}
            }
            path.in_frame = from_frame && to_frame;
        }
        path
    }

    /// What a path starts or ends at: name, line in the Verilog, and whether it belongs to the frame.
    fn cell(&self, cell: &str, port: &str) -> (String, Option<String>, bool) {
        let in_frame = !cell.starts_with(&format!("{INSTANCE}."));
        if let Some((q, line)) = self.registers.get(cell) {
            let file = line.as_ref().and_then(|l| l.split(':').next());
            let name = self.best(*q, file);
            let line = self.declared.get(&name).filter(|l| file.is_some_and(|f| l.starts_with(f))).or(line.as_ref());
            return (block_name(&name), line.filter(|_| !in_frame).cloned(), in_frame);
        }
        // A memory or multiplier; nextpnr appends what it split off behind a `$`.
        let name = block_name(cell.split('$').next().unwrap_or(cell));
        (format!("{name} {port}"), None, in_frame)
    }

    /// The name of a net.
    fn net(&self, name: &str) -> String {
        let name = match self.net_of.get(name) {
            Some(number) => self.best(*number, None),
            None => name.to_string(),
        };
        block_name(&name)
    }

    /// The best name of a net: one of the block, not made up, declared in `file`, shallow, short.
    fn best(&self, number: u64, file: Option<&str>) -> String {
        let rank = |name: &&String| {
            let elsewhere = file.is_some_and(|f| !self.declared.get(*name).is_some_and(|l| l.starts_with(f)));
            let outside = !name.starts_with(&format!("{INSTANCE}."));
            (outside, base(name).is_some(), elsewhere, name.matches('.').count(), name.len(), (*name).clone())
        };
        self.names_of.get(&number).and_then(|names| names.iter().min_by_key(rank)).cloned().unwrap_or_default()
    }
}

/// The name that a made-up name begins with: `sum` of `sum_TRELLIS_FF_Q_2_DI_LUT4_Z`. None for a name that stands in the Verilog.
fn base(name: &str) -> Option<&str> {
    const CELLS: [&str; 8] =
        ["_TRELLIS_FF", "_LUT4", "_PFUMX", "_L6MUX21", "_CCU2C", "_TRELLIS_DPR16X4", "_DP16KD", "_PDPW16KD"];
    CELLS.iter().filter_map(|cell| name.find(cell)).min().map(|end| &name[..end])
}

/// A name as seen from the block.
fn block_name(name: &str) -> String {
    let inside = name.strip_prefix(INSTANCE).and_then(|n| n.strip_prefix('.'));
    match (inside, base(inside.unwrap_or(name))) {
        (_, Some(base)) => format!("({base})"),
        (Some(inside), None) => inside.to_string(),
        (None, None) => format!("frame {name}"),
    }
}
