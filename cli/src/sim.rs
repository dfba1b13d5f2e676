//! `em sim`.

use crate::{
    fail::{Fail, Outcome},
    profile::ProfileArgs,
    progress,
    text::{COLUMNS, grouped, say},
};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use em_rtl::outcome::{Kind, Outcome as FrameOutcome};
use em_sim::em::{Input, Output, PortCount, Request, RunError, Summary, run as run_em};
use std::{collections::BTreeMap, path::PathBuf};

#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("input").required(true).multiple(true))]
#[command(override_usage = "em sim [OPTIONS] --rules <FILE> --out-dir <DIR> --host-in <FILE>")]
pub struct Args {
    #[command(flatten)]
    profile: ProfileArgs,
    /// Rules to install by register writes (docs/rules.md)
    #[arg(long, value_name = "FILE")]
    rules: PathBuf,
    /// Frames from the host: pcap, or pcapng with interfaces named fnN
    #[arg(long, value_name = "FILE", group = "input")]
    host_in: Option<PathBuf>,
    /// Function that sends the host's frames, where the capture does not say
    #[arg(long, value_name = "N")]
    host_function: Option<u16>,
    /// Frames from network port 0: pcap or pcapng
    #[arg(long, value_name = "FILE", group = "input")]
    net0_in: Option<PathBuf>,
    /// Frames from network port 1: pcap or pcapng
    #[arg(long, value_name = "FILE", group = "input")]
    net1_in: Option<PathBuf>,
    /// Frames to inject: pcapng, interfaces host.fnN, net0, net1 or uplink
    #[arg(long, value_name = "FILE", group = "input")]
    inject_in: Option<PathBuf>,
    /// Network port whose link is down; may be given twice
    #[arg(long, value_name = "net0|net1", value_parser = ["net0", "net1"], hide_possible_values = true)]
    link_down: Vec<String>,
    /// Folder for host.pcapng, net0.pcap, net1.pcap and punt.pcapng
    #[arg(long, value_name = "DIR")]
    out_dir: PathBuf,
    /// Write waveforms of the whole run, to a file that ends in .vcd or .fst
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Percent of clocks in which a stream's sides wait, to 95
    #[arg(long, value_name = "PCT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=95))]
    stall: u8,
    /// Seed of the waits; the same seed gives the same files
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Clock at which rates and times are stated, in MHz
    #[arg(long, value_name = "MHZ", default_value = "125", value_parser = clock)]
    clock_mhz: f64,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

fn clock(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(mhz) if (1.0..=10_000.0).contains(&mhz) => Ok(mhz),
        _ => Err("give a clock of 1 to 10000 MHz".into()),
    }
}

/// The outputs that frames are forwarded to.
const FORWARDING: [Output; 3] = [Output::Host, Output::Net0, Output::Net1];

pub fn run(args: Args) -> Outcome {
    let inputs = [
        (Input::Host, args.host_in),
        (Input::Net0, args.net0_in),
        (Input::Net1, args.net1_in),
        (Input::Inject, args.inject_in),
    ];
    let request = Request {
        inputs: inputs.into_iter().filter_map(|(input, file)| Some((input, file?))).collect(),
        host_function: args.host_function,
        links: ["net0", "net1"].map(|port| !args.link_down.iter().any(|down| down == port)),
        trace: args.trace,
        stall: args.stall,
        seed: args.seed,
        clock_mhz: args.clock_mhz,
        ..Request::new(args.profile.get()?, args.rules, args.out_dir)
    };
    let bar = progress::frames(args.json);
    let outcome = run_em(
        &request,
        |stage| bar.set_message(stage.to_string()),
        |done, total| progress::show_frames(&bar, done, total),
    );
    bar.finish_and_clear();
    let summary = outcome.map_err(fail)?;
    if args.json { say(json(&request, &summary)) } else { print(&request, &summary) }
}

fn fail(error: RunError) -> Fail {
    if error.is_bad_input() { Fail::input(error) } else { Fail::run(error) }
}

fn json(request: &Request, s: &Summary) -> serde_json::Value {
    let by_input = |count: fn(PortCount) -> u64| -> BTreeMap<&str, u64> {
        Input::ALL.into_iter().map(|i| (i.name(), count(s.replay.sent(i)))).collect()
    };
    let by_output = |count: fn(PortCount) -> u64| -> BTreeMap<&str, u64> {
        FORWARDING.into_iter().map(|o| (o.name(), count(s.replay.counters.output(o)))).collect()
    };
    // A path need not be Unicode, but JSON is.
    let files: Vec<String> = s.files.iter().map(|f| f.display().to_string()).collect();
    serde_json::json!({
        "profile": request.profile.name,
        "frames_in": by_input(|c| c.frames),
        "bytes_in": by_input(|c| c.bytes),
        "frames_out": by_output(|c| c.frames),
        "bytes_out": by_output(|c| c.bytes),
        "translated": s.translated(),
        "passed": s.passed,
        "injected": s.injected,
        "punted": s.replay.counters.total(Kind::Punt),
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
        "files": files,
    })
}

fn print(request: &Request, s: &Summary) -> Outcome {
    say(table(s))?;
    say(format!(
        "{} clocks: {:.4} frames a clock, a beat in {:.1} % of them; at {} MHz that is {:.2} Gbit/s.",
        grouped(s.replay.clocks),
        s.frames_per_clock(),
        100.0 * s.beat_efficiency(),
        request.clock_mhz,
        s.gbit_per_s(request.clock_mhz),
    ))?;
    say(format!("The simulation took {:.2} s.", s.replay.wall_s))?;
    s.files.iter().try_for_each(|f| say(format!("wrote {}", f.display())))
}

fn table(s: &Summary) -> Table {
    let c = &s.replay.counters;
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic).set_width(COLUMNS);
    table.set_header(["", "frames", "bytes", "what it means"]);
    let mut row = |name: &str, frames: u64, bytes: Option<u64>, what: &str| {
        table.add_row([name.to_string(), grouped(frames), bytes.map_or_else(String::new, grouped), what.to_string()]);
    };
    for input in Input::ALL {
        let sent = s.replay.sent(input);
        if sent.frames > 0 {
            let what = format!("sent into {}", input.prefix().trim_end_matches('_'));
            row(&format!("in from {}", source_name(input)), sent.frames, Some(sent.bytes), &what);
        }
    }
    for output in FORWARDING {
        let out = c.output(output);
        let what = format!("came out of {}", output.prefix().trim_end_matches('_'));
        row(&format!("out to {}", output.name()), out.frames, Some(out.bytes), &what);
    }
    row("  translated", s.translated(), None, "with another address and corrected checksums");
    if s.passed > 0 {
        row("  passed", s.passed, None, "unchanged, as the rules say");
    }
    if s.injected > 0 {
        row("  injected", s.injected, None, "unchanged, as the Orchestration Module said");
    }
    let punt = c.output(Output::Punt);
    row("punted", punt.frames, Some(punt.bytes), "handed to the Orchestration Module by m_axis_punt");
    reasons(&s.punted, Kind::Punt).for_each(|(o, n)| row(&format!("  {}", o.name()), n, None, o.doc().trim()));
    row("dropped", c.total(Kind::Drop), None, "each frame for one reason");
    reasons(&s.dropped, Kind::Drop).for_each(|(o, n)| row(&format!("  {}", o.name()), n, None, o.doc().trim()));
    for column in table.column_iter_mut().take(3) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    for column in table.column_iter_mut().skip(1).take(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// What a person calls the other side of an input.
fn source_name(input: Input) -> &'static str {
    match input {
        Input::Inject => "the OM",
        Input::Host | Input::Net0 | Input::Net1 => input.name(),
    }
}

/// The outcomes of a kind that occurred, in the order of their codes.
fn reasons(counts: &BTreeMap<&'static str, u64>, kind: Kind) -> impl Iterator<Item = (FrameOutcome, u64)> {
    let of = move |o: &FrameOutcome| counts.get(o.name()).map(|n| (*o, *n));
    FrameOutcome::ALL.iter().filter(move |o| o.kind() == kind).filter_map(of)
}
