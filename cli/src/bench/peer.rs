//! `em bench --against-cocotb`: how many frames a second the simulation takes, beside another bench for the same Verilog.

use crate::{
    fail::{Fail, Outcome},
    progress,
    text::{COLUMNS, grouped, say},
};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use em_rtl::config::Profile;
use em_testbench::cocotb::{Comparison, compare_speed};

pub fn run(profile: &Profile, json: bool) -> Outcome {
    let bar = progress::spinner(json, "simulating the same frames with em sim and with cocotb");
    let comparison = compare_speed(profile);
    bar.finish_and_clear();
    let comparison = comparison.map_err(Fail::run)?;
    if json {
        let value = serde_json::json!({ "profile": profile.name, "against_cocotb": comparison });
        return say(value);
    }
    say(table(&comparison))?;
    say(format!(
        "{} frames of 64 bytes, to and from the network at once; the same {} frames came out of both. em sim is {:.0} times \
         as fast.",
        grouped(comparison.frames),
        grouped(comparison.frames_out),
        comparison.ratio
    ))
}

fn table(c: &Comparison) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic).set_width(COLUMNS);
    table.set_header(["", "clocks", "processor seconds", "frames a second", "clocks a second"]);
    for (name, speed) in [("em sim", c.em_sim), ("cocotb, cocotbext-axi", c.cocotb)] {
        let clocks_per_s = speed.clocks as f64 / speed.cpu_s.max(1e-9);
        table.add_row([
            name.to_string(),
            grouped(speed.clocks),
            format!("{:.4}", speed.cpu_s),
            grouped(speed.frames_per_s as u64),
            grouped(clocks_per_s as u64),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
