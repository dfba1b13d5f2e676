//! Runs nextpnr-ecp5 and reads its report.

use crate::{Error, Part, path::Names, yosys::Folder};
use em_tools::Tool;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::path::Path;

/// The clock that nextpnr is asked for, in MHz: out of reach for most blocks, so that it goes on trying.
pub const ASKED_MHZ: u32 = 200;

/// What one run of place and route found.
#[derive(Clone, Debug, Serialize)]
pub struct Routed {
    /// The seed of the placement.
    pub seed: u32,
    /// Highest frequency of each clock in MHz, after routing.
    pub fmax_mhz: BTreeMap<String, f64>,
    /// The slowest path of each clock.
    pub paths: BTreeMap<String, Path>,
    /// Used and available sites by nextpnr's names (`TRELLIS_COMB`, `TRELLIS_FF`, `DP16KD`, …), the frame included.
    pub sites: BTreeMap<String, Sites>,
    /// What nextpnr wrote with `--report`.
    #[serde(skip)]
    pub report: String,
    /// What it printed.
    #[serde(skip)]
    pub log: String,
}

/// Sites of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sites {
    /// Taken.
    pub used: u64,
    /// On the part.
    pub available: u64,
}

/// Places and routes the netlist of a framed block once, with nextpnr asked for `asked_mhz`.
///
/// # Errors
/// nextpnr is missing, or refuses the design (it does not fit), or prints what its version does not.
pub fn route(netlist: &str, asked_mhz: u32, names: &Names, part: Part, seed: u32) -> Result<Routed, Error> {
    let folder = Folder::new()?;
    folder.write("netlist.json", netlist)?;
    let mut command = em_tools::command(Tool::NextpnrEcp5)?;
    command.current_dir(folder.path()).args(part.flags()).args(flags(asked_mhz));
    command.args(["--json", "netlist.json", "--report", "report.json", "--seed", &seed.to_string()]);
    // Written as it goes, unlike the captured output: how far a long run is can be seen in its folder.
    command.args(["--log", "nextpnr.log"]);
    let output = em_tools::run(&mut command)?;
    let mut routed = read(folder.read("report.json")?, names, seed)?;
    routed.log = output.stderr + &output.stdout;
    // Clocks must go by the global network, or skew would decide what is measured.
    let promoted = |clock: &String| {
        let line = |l: &str| l.contains("promoting clock net") && plain_clock(l).is_some_and(|c| c == clock);
        routed.log.lines().any(line)
    };
    match routed.fmax_mhz.keys().find(|clock| !promoted(clock)) {
        Some(clock) => Err(Error::Route(format!("the clock `{clock}` does not go by the global network"))),
        None => Ok(routed),
    }
}

/// The flags of every run beside part and seed.
pub fn flags(asked_mhz: u32) -> Vec<String> {
    let freq = asked_mhz.to_string();
    ["--router", "router2", "--freq", &freq, "--timing-allow-fail", "--lpf-allow-unconstrained"]
        .map(String::from)
        .into()
}

/// The clock in `promoting clock net clk$TRELLIS_IO_IN to global network`.
fn plain_clock(line: &str) -> Option<&str> {
    line.split_whitespace().skip_while(|word| *word != "net").nth(1).map(clock_name)
}

/// `clk` of `$glbnet$clk$TRELLIS_IO_IN`.
fn clock_name(net: &str) -> &str {
    let net = net.strip_prefix("$glbnet$").unwrap_or(net);
    net.split('$').next().unwrap_or(net)
}

#[derive(Deserialize)]
struct Report {
    fmax: BTreeMap<String, Fmax>,
    utilization: BTreeMap<String, Sites>,
    critical_paths: Vec<Critical>,
}

#[derive(Deserialize)]
struct Fmax {
    achieved: f64,
}

#[derive(Deserialize)]
struct Critical {
    from: String,
    to: String,
    path: Vec<Segment>,
}

/// A stretch of a path in nextpnr's report.
#[derive(Deserialize)]
pub(crate) struct Segment {
    /// Nanoseconds.
    pub delay: f64,
    /// `clk-to-q`, `routing`, `logic`, `setup`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it starts.
    pub from: CellPin,
    /// Where it ends.
    pub to: CellPin,
    /// Its net, if it is routing.
    pub net: Option<String>,
}

/// A pin of a cell in nextpnr's report.
#[derive(Deserialize)]
pub(crate) struct CellPin {
    pub cell: String,
    pub port: String,
}

fn read(text: String, names: &Names, seed: u32) -> Result<Routed, Error> {
    let report: Report = serde_json::from_str(&text).map_err(|e| Error::Route(e.to_string()))?;
    let mut paths = BTreeMap::new();
    for critical in &report.critical_paths {
        // `posedge $glbnet$clk` at both ends; others go to or from pins, or from clock to clock.
        let (Some(from), Some(to)) = (critical.from.split_once(' '), critical.to.split_once(' ')) else { continue };
        if clock_name(from.1) == clock_name(to.1) {
            paths.insert(clock_name(from.1).to_string(), names.path(&critical.path));
        }
    }
    let fmax_mhz = report.fmax.iter().map(|(net, f)| (clock_name(net).to_string(), f.achieved)).collect();
    Ok(Routed { seed, fmax_mhz, paths, sites: report.utilization, report: text, log: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = include_str!("../tests/report/report.json");
    const NETLIST: &str = include_str!("../tests/report/netlist.json");

    fn routed() -> Routed {
        read(REPORT.into(), &Names::of_netlist(NETLIST).unwrap(), 7).unwrap()
    }

    #[test]
    fn the_report_gives_clocks_and_sites() {
        let routed = routed();
        assert_eq!((routed.seed, routed.fmax_mhz["clk"]), (7, 312.5));
        assert_eq!(routed.sites["TRELLIS_COMB"], Sites { used: 18, available: 43_848 });
        assert_eq!(routed.fmax_mhz.len(), 1);
    }

    #[test]
    fn the_path_is_told_in_the_names_of_the_verilog() {
        let path = &routed().paths["clk"];
        assert_eq!((path.from.as_str(), path.to.as_str()), ("count[1]", "sum[2], clock enable"));
        assert!((path.logic_ns - 0.7).abs() < 1e-9 && (path.routing_ns - 2.5).abs() < 1e-9, "{path:?}");
        assert_eq!(path.levels, 2);
        let nets: Vec<&str> = path.steps.iter().map(|s| s.net.as_str()).collect();
        assert_eq!(nets, ["count[1]", "(enable)", "enable"]);
        assert_eq!((path.from_line.as_deref(), path.to_line.as_deref()), (Some("toy.v:10"), Some("toy.v:12")));
        assert!(!path.in_frame);
    }

    #[test]
    fn what_is_no_report_is_refused() {
        let error = read("{}".into(), &Names::of_netlist(NETLIST).unwrap(), 1).unwrap_err().to_string();
        assert!(error.starts_with("cannot read the report of nextpnr: missing field"), "{error}");
    }

    #[test]
    fn clocks_are_named_as_ports() {
        assert_eq!(plain_clock("Info:     promoting clock net wr_clk$TRELLIS_IO_IN to global network"), Some("wr_clk"));
        assert_eq!(clock_name("$glbnet$clk$TRELLIS_IO_IN"), "clk");
        assert_eq!(clock_name("clk"), "clk");
    }
}
