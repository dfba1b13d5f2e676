//! `em synth`.

use crate::{
    fail::{Fail, Outcome},
    profile::ProfileArgs,
    progress,
    text::{COLUMNS, grouped, say, stages},
};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use em_fpga::{
    Part, blocks,
    synth::{Request, Summary, SynthError, run as run_synth},
};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    profile: ProfileArgs,
    /// Part of the Lattice ECP5 family, such as LFE5UM5G-45F-8 [default: the profile's]
    #[arg(long, value_name = "PART")]
    part: Option<String>,
    /// Measure one module of the core alone, in a frame of registers
    #[arg(long, value_name = "BLOCK")]
    block: Option<String>,
    /// Placements to try; the worst one counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    seeds: u32,
    /// Clock to reach, in MHz [default: the profile's; 1.3 times as much for a block alone]
    #[arg(long, value_name = "MHZ")]
    target_mhz: Option<f64>,
    /// Keep the netlist, the reports and the logs in this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// List the blocks of the profile
    #[arg(long)]
    list: bool,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    let profile = args.profile.get()?;
    if args.list {
        return list(&profile, args.json);
    }
    let part = args.part.map(|name| name.parse::<Part>()).transpose().map_err(Fail::input)?;
    let request = Request { profile, block: args.block, part, target_mhz: args.target_mhz, seeds: args.seeds };
    let bar = progress::spinner(args.json, "elaborating");
    let outcome = run_synth(&request, |now| bar.set_message(now.to_string()));
    bar.finish_and_clear();
    let summary = outcome.map_err(fail)?;
    let files = args.out.map(|out| summary.write(&out)).transpose().map_err(fail)?;
    if args.json {
        return say(summary.json());
    }
    print(&summary)?;
    files.into_iter().flatten().try_for_each(|f| say(format!("wrote {}", f.display())))
}

fn fail(error: SynthError) -> Fail {
    if error.is_bad_input() { Fail::input(error) } else { Fail::run(error) }
}

fn list(profile: &em_rtl::config::Profile, json: bool) -> Outcome {
    let entries = blocks::of_profile(profile).map_err(Fail::run)?;
    if json {
        let blocks: Vec<_> = entries.iter().map(|e| serde_json::json!({ "name": e.name, "doc": e.doc })).collect();
        return say(serde_json::json!({ "profile": profile.name, "blocks": blocks }));
    }
    let mut table = table();
    table.set_header(["block", "what it is"]);
    for entry in entries {
        table.add_row([entry.name, entry.doc]);
    }
    say(table)
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic).set_width(COLUMNS);
    table
}

fn print(s: &Summary) -> Outcome {
    let m = &s.measured;
    let mut table = table();
    table.set_header(["module", "times", "LUTs each", "flip-flops each", "block RAM each"]);
    for share in &s.shares {
        let name = format!("{}{}", "  ".repeat(share.depth as usize), share.module);
        let figures = [share.count, share.luts, share.ffs, share.bram].map(grouped);
        table.add_row([name].into_iter().chain(figures));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    say(table)?;
    say(format!(
        "{} of profile {} on {}: {} LUTs ({:.1} %), {} flip-flops, {} of {} block RAMs.",
        m.block,
        s.profile,
        m.part,
        grouped(m.luts()),
        m.lut_percent(),
        grouped(m.framed.block.ffs()),
        grouped(m.framed.block.block_rams()),
        m.bram_available(),
    ))?;
    if m.floorplanned {
        say("Its block RAMs lie where the floorplan of the profile has them.")?;
    }
    for clock in m.clocks() {
        let (worst, median) = (m.worst(&clock), m.median(&clock));
        let met = if worst >= s.target_mhz { "met" } else { "missed" };
        say(format!(
            "{clock}: {worst:.1} MHz in the worst of {} runs, {median:.1} in the median; the target of {} MHz is {met}.",
            m.runs.len(),
            s.target_mhz,
        ))?;
        if let Some(path) = m.path(&clock) {
            say(format!("  critical path: {}", path.line()))?;
            let place = |line: &Option<String>| line.clone().unwrap_or_else(|| "?".into());
            if path.from_line.is_some() || path.to_line.is_some() {
                say(format!("  from {} to {}", place(&path.from_line), place(&path.to_line)))?;
            }
            let steps: Vec<String> =
                path.steps.iter().map(|s| format!("{} {:.1}+{:.1}", s.net, s.logic_ns, s.routing_ns)).collect();
            say(format!("  nets, each with the delay of its cell and its own: {}", steps.join(", ")))?;
        }
    }
    say(stages(s.stages.iter().copied()))?;
    let tools: Vec<String> = s.tools.iter().map(|(tool, version)| format!("{tool} {version}")).collect();
    say(format!("Made by {}.", tools.join(" and ")))
}
