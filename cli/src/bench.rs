//! `em bench`.

mod files;
mod peer;
mod plot;
mod table;

use crate::{
    fail::{Fail, Outcome},
    profile::ProfileArgs,
    progress,
    text::{count, say, stages},
};
use em_testbench::bench::{Plan, Report, run as measure};
use files::Reserved;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    profile: ProfileArgs,
    /// Some lengths only, in seconds instead of a minute
    #[arg(long)]
    quick: bool,
    /// Print one JSON object, with every length, and nothing else
    #[arg(long)]
    json: bool,
    /// Write a plot of rates and latencies over the length
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Folder for bench.json and bench.svg
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Measure the simulation instead: frames a second beside cocotb with cocotbext-axi
    #[arg(long, conflicts_with_all = ["quick", "svg", "out"])]
    against_cocotb: bool,
}

pub fn run(args: Args) -> Outcome {
    let profile = args.profile.get()?;
    if args.against_cocotb {
        return peer::run(&profile, args.json);
    }
    let svg = args.svg.as_deref().map(Reserved::new).transpose()?;
    let out = match &args.out {
        None => None,
        Some(folder) => Some([Reserved::within(folder, "bench.json")?, Reserved::within(folder, "bench.svg")?]),
    };
    let plan = if args.quick { Plan::quick(&profile) } else { Plan::full(&profile) };
    let bar = progress::frames(args.json);
    bar.set_message("building the simulation");
    let total = plan.rows() as u64;
    let report = measure(&profile, &plan, |done| progress::show(&bar, "measuring", done as u64, total, "rows"));
    bar.finish_and_clear();
    let report = report.map_err(Fail::run)?;
    let mut written = Vec::new();
    if let Some(file) = svg {
        written.push(file.write(&plot::svg(&report)?)?);
    }
    if let Some([json, svg]) = out {
        written.push(json.write(&text(&report)?)?);
        written.push(svg.write(&plot::svg(&report)?)?);
    }
    if args.json {
        return say(text(&report)?);
    }
    say(table::table(&report))?;
    say(table::LEGEND)?;
    say(stages(report.stages.iter().map(|stage| (stage.name, stage.clocks))))?;
    say(summary(&report))?;
    written.iter().try_for_each(|path| say(format!("wrote {}", path.display())))
}

fn text(report: &Report) -> Result<String, Fail> {
    serde_json::to_string(report).map_err(Fail::run)
}

/// What all rows have in common, and how many do not.
fn summary(report: &Report) -> String {
    let rows = count(report.rows.len() as u64, "row");
    let late = report.rows.iter().filter(|r| !r.no_bubbles).count() as u64;
    let commands: u64 = report.rows.iter().map(|r| r.table_commands).sum();
    let rate = match late {
        0 => format!("No bubbles: all of {rows} (length, direction, tables) went at the bound"),
        _ => format!("Bubbles in {late} of {rows}"),
    };
    format!("{rate}; {} meanwhile.", count(commands, "table command"))
}
