//! Measures a design alone: cells from yosys, frequency from place and route over several seeds.

use crate::{
    Cells, Error, Framed, Part, Synthesis,
    floorplan::Floorplan,
    nextpnr::{ASKED_MHZ, Routed, Sites, route},
    path::{Names, Path},
};
use hdl::{Design, verilog};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    thread,
};

/// What a design takes on a part, and how fast it is there.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Module that was measured.
    pub block: String,
    /// Where.
    pub part: String,
    /// The block and the frame around it.
    pub framed: Framed,
    /// The block RAMs lie where a floorplan has them.
    pub floorplanned: bool,
    /// Clock in MHz that place and route was asked for.
    pub asked_mhz: u32,
    /// One run a seed.
    pub runs: Vec<Routed>,
}

impl Measurement {
    /// Places and routes `design` with the seeds 1 to `seeds`, as many at a time as the machine has processors; `progress`
    /// hears what is done now.
    ///
    /// # Errors
    /// A tool is missing, refuses the design or prints what its version does not; see also [`Error::Loss`].
    pub fn of(design: &Design, part: Part, seeds: u32, progress: impl FnMut(&str)) -> Result<Measurement, Error> {
        Self::with_floorplan(design, part, seeds, None, progress)
    }

    /// As [`Measurement::of`], with the block RAMs where the floorplan has them, if it is one of this very design.
    ///
    /// # Errors
    /// As [`Measurement::of`].
    pub fn with_floorplan(
        design: &Design,
        part: Part,
        seeds: u32,
        floorplan: Option<Floorplan>,
        mut progress: impl FnMut(&str),
    ) -> Result<Measurement, Error> {
        let block = design.top().name.clone();
        progress(&format!("synthesising {block}"));
        let framed = synthesis(design).framed(design.top())?;
        let names = Names::of_netlist(&framed.netlist)?;
        let planned = match &floorplan {
            Some(plan) => plan.apply(&framed.netlist)?.map(|netlist| (netlist, plan.asked_mhz)),
            None => None,
        };
        let floorplanned = planned.is_some();
        let (netlist, asked_mhz) = planned.unwrap_or_else(|| (framed.netlist.clone(), ASKED_MHZ));
        let mut runs = in_turns(
            seeds,
            |done| {
                progress(&format!("placing and routing {block}, {done} of {seeds} seeds done"));
            },
            |seed| route(&netlist, asked_mhz, &names, part, seed),
        )?;
        for run in &mut runs {
            run.paths.values_mut().for_each(|path| path.point_at_rust(design));
        }
        Ok(Measurement { block, part: part.to_string(), framed, floorplanned, asked_mhz, runs })
    }

    /// The clocks by name.
    pub fn clocks(&self) -> Vec<String> {
        self.runs.first().map(|run| run.fmax_mhz.keys().cloned().collect()).unwrap_or_default()
    }

    /// Frequencies of a clock in MHz, lowest first.
    pub fn sorted(&self, clock: &str) -> Vec<f64> {
        let mut all: Vec<f64> = self.runs.iter().filter_map(|run| run.fmax_mhz.get(clock).copied()).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// Lowest frequency of a clock over the seeds, in MHz.
    pub fn worst(&self, clock: &str) -> f64 {
        self.sorted(clock).first().copied().unwrap_or(0.0)
    }

    /// The middle one, in MHz; of an even number the lower of the two in the middle.
    pub fn median(&self, clock: &str) -> f64 {
        let all = self.sorted(clock);
        all.get(all.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
    }

    /// The clock whose worst run is slowest.
    pub fn slowest_clock(&self) -> Option<String> {
        self.clocks().into_iter().min_by(|a, b| self.worst(a).total_cmp(&self.worst(b)))
    }

    /// The critical path of the worst run of a clock.
    pub fn path(&self, clock: &str) -> Option<&Path> {
        let worst = self.worst(clock);
        self.runs.iter().find(|run| run.fmax_mhz.get(clock) == Some(&worst))?.paths.get(clock)
    }

    /// Lookup tables of the block, carries and distributed memory counted as tables.
    pub fn luts(&self) -> u64 {
        self.framed.block.luts()
    }

    /// Lookup tables of the block in percent of the part's.
    pub fn lut_percent(&self) -> f64 {
        let Sites { available, .. } = self.sites("TRELLIS_COMB");
        if available == 0 { 0.0 } else { 100.0 * self.luts() as f64 / available as f64 }
    }

    /// Block RAMs on the part.
    pub fn bram_available(&self) -> u64 {
        self.sites("DP16KD").available
    }

    fn sites(&self, kind: &str) -> Sites {
        let none = Sites { used: 0, available: 0 };
        self.runs.first().and_then(|run| run.sites.get(kind).copied()).unwrap_or(none)
    }
}

/// The results of `run` for the seeds 1 to `seeds`, in that order, as many at a time as there are processors; after an
/// error no other seed is begun. `progress` hears how many are done.
fn in_turns<T: Send, E: Send>(
    seeds: u32,
    mut progress: impl FnMut(u32),
    run: impl Fn(u32) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let workers = thread::available_parallelism().map_or(1, |n| n.get() as u32).clamp(1, seeds.max(1));
    let next = AtomicU32::new(1);
    let (sender, results) = mpsc::channel();
    let mut by_seed = BTreeMap::new();
    progress(0);
    thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, next, run) = (sender.clone(), &next, &run);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > seeds || sender.send((seed, run(seed))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (seed, result) in results {
            if result.is_err() {
                next.store(seeds + 1, Ordering::Relaxed);
            }
            by_seed.insert(seed, result);
            progress(by_seed.len() as u32);
        }
    });
    by_seed.into_values().collect()
}

/// The synthesis of a design for ECP5, its block RAM as primitives.
pub fn synthesis(design: &Design) -> Synthesis {
    Synthesis::new(verilog::emit(design, &verilog::Options::default()), &design.top().name).define("EM_TECH_ECP5")
}

/// A module and all that stands in it.
#[derive(Clone, Debug, Serialize)]
pub struct Share {
    /// Module.
    pub module: String,
    /// How often it stands in the design.
    pub count: u64,
    /// Lookup tables of one of them.
    pub luts: u64,
    /// Flip-flops of one of them.
    pub ffs: u64,
    /// Block RAMs of one of them.
    pub bram: u64,
    /// How many modules deep the first of them stands.
    pub depth: u32,
}

/// What each module of a design takes, in the order of the hierarchy. The modules are synthesised one by one, so that
/// their sum may be a little more than the whole.
///
/// # Errors
/// Yosys is missing or refuses the design.
pub fn shares(design: &Design) -> Result<Vec<Share>, Error> {
    let own = synthesis(design).cells_by_module()?;
    let mut shares = Vec::new();
    visit(&own, design, &design.top().name, 1, 0, &mut shares);
    Ok(shares)
}

fn visit(own: &BTreeMap<String, Cells>, design: &Design, name: &str, times: u64, depth: u32, shares: &mut Vec<Share>) {
    let Some(cells) = own.get(name) else { return };
    match shares.iter_mut().find(|s| s.module == name) {
        Some(known) => known.count += times,
        None => {
            let all = with_instances(own, cells);
            let (luts, ffs, bram) = (all.luts(), all.ffs(), all.block_rams());
            shares.push(Share { module: name.into(), count: times, luts, ffs, bram, depth });
        }
    }
    // In the order in which the module names its instances.
    let order: Vec<String> =
        design.module(name).map(|m| m.insts.iter().map(|i| i.target.name()).collect()).unwrap_or_default();
    let place = |kind: &str| order.iter().position(|o| o == kind).unwrap_or(usize::MAX);
    let mut inside: Vec<(&String, &u64)> = cells.0.iter().filter(|(kind, _)| own.contains_key(*kind)).collect();
    inside.sort_by_key(|(kind, _)| place(kind));
    for (kind, count) in inside {
        visit(own, design, kind, times * count, depth + 1, shares);
    }
}

/// The cells of a module with those of its instances.
fn with_instances(own: &BTreeMap<String, Cells>, cells: &Cells) -> Cells {
    let mut all = Cells::default();
    for (kind, count) in &cells.0 {
        match own.get(kind) {
            Some(inner) => {
                for (kind, n) in with_instances(own, inner).0 {
                    *all.0.entry(kind).or_default() += n * count;
                }
            }
            None => *all.0.entry(kind.clone()).or_default() += count,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seed: u32, mhz: f64) -> Routed {
        let fmax_mhz = BTreeMap::from([("clk".to_string(), mhz), ("wr_clk".to_string(), 300.0)]);
        let sites = BTreeMap::from([("TRELLIS_COMB".to_string(), Sites { used: 10, available: 400 })]);
        Routed { seed, fmax_mhz, paths: BTreeMap::new(), sites, report: String::new(), log: String::new() }
    }

    fn measured(mhz: &[f64]) -> Measurement {
        let block = Cells(BTreeMap::from([("LUT4".into(), 4), ("CCU2C".into(), 2)]));
        let framed = Framed { block, frame: Cells::default(), verilog: String::new(), netlist: String::new() };
        let runs = (1..).zip(mhz).map(|(seed, mhz)| run(seed, *mhz)).collect();
        Measurement { block: "b".into(), part: "p".into(), framed, floorplanned: false, asked_mhz: ASKED_MHZ, runs }
    }

    #[test]
    fn worst_and_median_of_the_seeds() {
        let three = measured(&[150.0, 120.0, 130.0]);
        assert_eq!((three.worst("clk"), three.median("clk")), (120.0, 130.0));
        assert_eq!(measured(&[150.0, 120.0]).median("clk"), 120.0);
        assert_eq!(three.slowest_clock().as_deref(), Some("clk"));
        assert_eq!(three.lut_percent(), 2.0);
    }

    #[test]
    fn every_seed_runs_once_and_results_are_in_their_order() {
        let mut heard = Vec::new();
        let all = in_turns(5, |done| heard.push(done), |seed| Ok::<_, String>(10 * seed));
        assert_eq!(all.unwrap(), [10, 20, 30, 40, 50]);
        assert_eq!(heard, [0, 1, 2, 3, 4, 5]);
        assert!(in_turns(0, |_| {}, Ok::<_, String>).unwrap().is_empty());
    }

    #[test]
    fn the_first_error_ends_the_runs() {
        let begun = AtomicU32::new(0);
        let all = in_turns(
            1000,
            |_| {},
            |seed| {
                begun.fetch_add(1, Ordering::Relaxed);
                thread::sleep(std::time::Duration::from_millis(1));
                if seed < 3 { Ok(seed) } else { Err(seed) }
            },
        );
        assert_eq!(all, Err(3));
        assert!(begun.into_inner() < 1000);
    }

    #[test]
    fn no_run_is_no_frequency() {
        let none = measured(&[]);
        assert_eq!((none.worst("clk"), none.median("clk"), none.lut_percent()), (0.0, 0.0, 0.0));
        assert_eq!(none.slowest_clock(), None);
    }

    #[test]
    fn a_module_counts_with_what_stands_in_it() {
        let cells = |list: &[(&str, u64)]| Cells(list.iter().map(|(k, n)| (k.to_string(), *n)).collect());
        let own = BTreeMap::from([
            ("top".to_string(), cells(&[("LUT4", 1), ("leaf", 2), ("mid", 1)])),
            ("mid".to_string(), cells(&[("TRELLIS_FF", 5), ("leaf", 3)])),
            ("leaf".to_string(), cells(&[("LUT4", 10), ("DP16KD", 1)])),
        ]);
        let mut shares = Vec::new();
        visit(&own, &Design { modules: vec![] }, "top", 1, 0, &mut shares);
        let of = |name: &str| {
            let s = shares.iter().find(|s| s.module == name).unwrap();
            (s.count, s.luts, s.ffs, s.bram, s.depth)
        };
        assert_eq!(of("top"), (1, 51, 5, 5, 0));
        assert_eq!(of("mid"), (1, 30, 5, 3, 1));
        assert_eq!(of("leaf"), (5, 10, 0, 1, 1));
    }
}
