//! Rates and latencies for people: some lengths, and every length with a bubble.

use crate::text::COLUMNS;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use em_testbench::bench::{Dir, Report, Row};
use std::collections::BTreeMap;

/// Lengths that are always shown, where they were measured.
const SHOWN: [usize; 16] = [60, 64, 65, 96, 128, 129, 192, 256, 512, 768, 1024, 1280, 1514, 1518, 2048, 9018];
/// Lengths with bubbles that are shown beside them, at most.
const WORST: usize = 12;

/// The rows of a length: the tables at rest and rewritten, in each direction.
type Group<'a> = BTreeMap<(bool, Dir), &'a Row>;

/// A line for each length that is shown.
pub fn table(report: &Report) -> Table {
    let mut groups: BTreeMap<usize, Group<'_>> = BTreeMap::new();
    for row in &report.rows {
        groups.entry(row.frame_bytes).or_default().insert((row.updates, row.dir), row);
    }
    let late = groups.iter().filter(|(_, g)| g.values().any(|r| !r.no_bubbles)).map(|(bytes, _)| *bytes);
    let late: Vec<usize> = late.take(WORST).collect();
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic).set_width(COLUMNS);
    table.set_header(["bytes", "beats", "bound", "tx", "rx", "both", "tx *", "rx *", "both *", "latency"]);
    for (bytes, group) in groups.iter().filter(|(b, _)| SHOWN.contains(b) || late.contains(b)) {
        table.add_row(line(*bytes, group));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn line(bytes: usize, group: &Group<'_>) -> Vec<String> {
    let first = group.values().next();
    let mut cells = vec![
        bytes.to_string(),
        first.map_or_else(String::new, |r| r.beats.to_string()),
        first.map_or_else(String::new, |r| format!("{:.5}", r.bound)),
    ];
    for updates in [false, true] {
        let cell = |dir: &Dir| group.get(&(updates, *dir)).map_or_else(String::new, |r| rate(r));
        cells.extend(Dir::ALL.iter().map(cell));
    }
    let latencies = || group.values().map(|r| r.latency_clocks);
    let (least, most) = (latencies().min().unwrap_or(0), latencies().max().unwrap_or(0));
    cells.push(if least == most { least.to_string() } else { format!("{least} to {most}") });
    cells
}

/// Frames a clock; a row that is below its bound shows it.
fn rate(row: &Row) -> String {
    format!("{}{:.5}", if row.no_bubbles { "" } else { "! " }, row.frames_per_clock)
}

/// What the table's columns are.
pub const LEGEND: &str = "Frames a clock, and clocks from the last beat in to the first beat out of a frame alone. Bound: what the beats \
                          allow.\n* while the tables were being rewritten without pause";
