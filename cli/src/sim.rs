//! `em sim`.

use crate::{
    fail::{Fail, Outcome},
    profile::ProfileArgs,
};
use comfy_table::{CellAlignment, Table, presets::UTF8_FULL_CONDENSED};
use em_rtl::outcome::Outcome as FrameOutcome;
use em_sim::em::{Request, RunError, Summary, run as run_em};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    profile: ProfileArgs,
    /// The rules to install.
    #[arg(long, value_name = "FILE")]
    rules: PathBuf,
    /// Frames from the host: pcap, or pcapng whose interfaces are named fnN.
    #[arg(long, value_name = "FILE")]
    host_in: PathBuf,
    /// The function that sends them, where the capture does not say.
    #[arg(long, value_name = "N")]
    host_function: Option<u16>,
    /// Folder for net0.pcap and punt.pcapng.
    #[arg(long, value_name = "DIR")]
    out_dir: PathBuf,
    /// Write waveforms of the whole run; the ending tells the kind (.vcd or .fst).
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Percent of cycles in which each side of each stream waits, at random.
    #[arg(long, value_name = "PCT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=95))]
    stall: u8,
    /// Seed of the stalls and of undefined start values.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The clock that rates are stated at.
    #[arg(long, value_name = "MHZ", default_value = "125", value_parser = clock)]
    clock_mhz: f64,
    /// One JSON object on stdout, nothing else.
    #[arg(long)]
    json: bool,
}

fn clock(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(mhz) if (1.0..=10_000.0).contains(&mhz) => Ok(mhz),
        _ => Err("give a clock of 1 to 10000 MHz".into()),
    }
}

pub fn run(args: Args) -> Outcome {
    let request = Request {
        profile: args.profile.get()?,
        rules: args.rules,
        host_in: args.host_in,
        host_function: args.host_function,
        out_dir: args.out_dir,
        trace: args.trace,
        stall: args.stall,
        seed: args.seed,
        clock_mhz: args.clock_mhz,
    };
    let bar = if args.json { ProgressBar::hidden() } else { progress_bar() };
    let outcome = run_em(&request, |stage| bar.set_message(stage.to_string()), |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let summary = outcome.map_err(fail)?;
    if args.json {
        println!("{}", json(&request, &summary));
    } else {
        print(&request, &summary);
    }
    Ok(())
}

fn fail(error: RunError) -> Fail {
    if error.is_bad_input() { Fail::input(error) } else { Fail::run(error) }
}

/// Shown on a terminal only; `indicatif` draws nothing elsewhere.
fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} frames").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style)
}

fn json(request: &Request, s: &Summary) -> serde_json::Value {
    let c = &s.replay.counters;
    serde_json::json!({
        "profile": request.profile.name,
        "frames_in": { "host": s.replay.sent.frames, "net0": 0, "net1": 0, "inject": 0 },
        "bytes_in": { "host": s.replay.sent.bytes },
        "frames_out": { "host": 0, "net0": c.net0.frames, "net1": 0 },
        "bytes_out": { "net0": c.net0.bytes },
        "translated": c.of(FrameOutcome::Net0),
        "punted": c.punted_total(),
        "punted_by_reason": s.punted,
        "dropped": s.dropped,
        "m2m_in": 0,
        "m2m_out": 0,
        "clocks": s.replay.clocks,
        "frames_per_clock": s.frames_per_clock(),
        "beat_efficiency": s.beat_efficiency(),
        "clock_mhz": request.clock_mhz,
        "gbit_per_s": s.gbit_per_s(request.clock_mhz),
        "wall_s": s.replay.wall_s,
        "files": s.files,
    })
}

fn print(request: &Request, s: &Summary) {
    let c = &s.replay.counters;
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_header(["", "frames", "bytes", "what it means"]);
    let mut row = |name: &str, frames: u64, bytes: String, what: &str| {
        table.add_row([name.to_string(), frames.to_string(), bytes, what.to_string()]);
    };
    row("in from host", s.replay.sent.frames, s.replay.sent.bytes.to_string(), "s_axis_host");
    row("out to net0", c.net0.frames, c.net0.bytes.to_string(), "m_axis_net0: translated, or passed by rule");
    row("punted", c.punt.frames, c.punt.bytes.to_string(), "m_axis_punt: to the Orchestration Module");
    for o in FrameOutcome::ALL.iter().filter(|o| s.punted.contains_key(o.name()) && o.kind() == em_rtl::outcome::Kind::Punt) {
        row(&format!("  {}", o.name()), s.punted[o.name()], String::new(), o.doc().trim());
    }
    row("dropped", c.dropped_total(), String::new(), "each frame under one reason");
    for o in FrameOutcome::ALL.iter().filter(|o| s.dropped.contains_key(o.name()) && o.kind() == em_rtl::outcome::Kind::Drop) {
        row(&format!("  {}", o.name()), s.dropped[o.name()], String::new(), o.doc().trim());
    }
    for column in [1, 2] {
        if let Some(c) = table.column_mut(column) {
            c.set_cell_alignment(CellAlignment::Right);
        }
    }
    println!("{table}");
    println!(
        "{} clocks, {:.4} frames a clock, {:.1} % of clocks take a beat; {:.2} Gbit/s at {} MHz (simulated clock). {:.2} s of real time.",
        s.replay.clocks,
        s.frames_per_clock(),
        100.0 * s.beat_efficiency(),
        s.gbit_per_s(request.clock_mhz),
        request.clock_mhz,
        s.replay.wall_s
    );
    for f in &s.files {
        println!("wrote {}", f.display());
    }
}
