//! `em area`.

use crate::{
    fail::{Fail, Outcome},
    progress,
    text::say,
};
use em_fpga::area::{Row, compare, table};

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    let bar = progress::spinner(args.json, "synthesising each block twice");
    let rows = compare();
    bar.finish_and_clear();
    let rows = rows.map_err(Fail::run)?;
    if args.json { say(json(&rows)) } else { say(table(&rows)) }
}

fn json(rows: &[Row]) -> serde_json::Value {
    let rows: Vec<_> = rows
        .iter()
        .map(|r| {
            serde_json::json!({
                "block": r.block,
                "hand_written": r.hand_written,
                "emitted": r.emitted,
                "lut_ratio": r.lut_ratio(),
                "ff_ratio": r.ff_ratio(),
            })
        })
        .collect();
    serde_json::json!({ "rows": rows })
}
