//! `docs/timing.md`.

use super::{Record, Row, peers_of, reason};
use crate::{Part, blocks::CORE};
use std::fmt::Write;

const HEAD: &str = "\
# Area and clock

Made by `em timing page` from `fpga/timing.json`, which `em timing record` writes. `em timing check` measures again and says what got worse; \
`em timing check NAME…` only that. Do not edit by hand.

Each block stands alone in a frame of registers (see [`em synth`](em.md#em-synth)); counts are the block's own. LUTs are `LUT4`, two for each carry cell \
(`CCU2C`) and six for each 16 x 4 distributed memory (`TRELLIS_DPR16X4`). The clock is the slowest one of the block after routing: worst, median and best of \
the seeds. One seed is noise: a block may differ by a quarter from seed to seed, so medians are compared and the worst one has to reach the target.
";

/// The page of a record.
pub fn page(record: &Record) -> String {
    let mut text = HEAD.to_string();
    let (tools, flags) = (record.made_by(), record.flags.join(" "));
    line(&mut text, &format!("\nTools: {tools}; `synth_ecp5`, then nextpnr with `{flags}`."));
    cores(&mut text, record);
    for profile in profiles(record) {
        blocks(&mut text, record, &profile);
    }
    compared(&mut text, record);
    text
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string takes everything");
}

/// The profiles that have rows, in order.
fn profiles(record: &Record) -> Vec<String> {
    let mut all: Vec<String> =
        record.rows.keys().filter_map(|name| Some(name.split_once('/')?.0.to_string())).collect();
    all.dedup();
    all
}

fn cores(text: &mut String, record: &Record) {
    let cores = record.rows.iter().filter_map(|(name, row)| Some((name.strip_suffix(CORE)?.strip_suffix('/')?, row)));
    let rows: Vec<String> = cores
        .map(|(profile, row)| {
            let [luts, ffs, bram] = row.counts();
            format!(
                "| `{profile}` | {} | {luts} ({} %) | {ffs} | {bram} | {} | {} |",
                row.part,
                row.lut_percent,
                clocks(row),
                target(row),
            )
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    line(text, "\n## Cores\n\n| profile | part | LUTs | FFs | EBR | MHz | target |\n|---|---|---|---|---|---|---|");
    rows.iter().for_each(|row| line(text, row));
    for (name, row) in &record.rows {
        if let (Some(path), true) = (&row.path, name.ends_with(&format!("/{CORE}"))) {
            line(text, &format!("\nCritical path of `{name}`: {}.", path.line()));
        }
    }
}

fn blocks(text: &mut String, record: &Record, profile: &str) {
    let prefix = format!("{profile}/");
    let mine: Vec<(&str, &Row)> = record
        .rows
        .iter()
        .filter_map(|(name, row)| Some((name.strip_prefix(&prefix)?, row)))
        .filter(|(name, _)| *name != CORE)
        .collect();
    let Some((_, first)) = mine.first() else { return };
    line(text, &format!("\n## Blocks of `{profile}` on {}\n", first.part));
    line(
        text,
        "| block | LUTs | FFs | EBR | MHz | target | critical path of the worst run |\n|---|---|---|---|---|---|---|",
    );
    for (name, row) in mine {
        let path = row.path.as_ref().map(|path| path.line()).unwrap_or_default();
        let counts = counts(row.counts());
        line(text, &format!("| `{name}` | {counts} | {} | {} | {path} |", clocks(row), target(row)));
    }
}

fn compared(text: &mut String, record: &Record) {
    let ours: Vec<(&String, &Row)> = record.rows.iter().filter(|(name, _)| !name.contains('/')).collect();
    if ours.is_empty() {
        return;
    }
    line(
        text,
        &format!(
            "\n## Beside blocks of others, on {}\n\n\
             The same tools, flags and part. FIFOs hold 4 KiB and drop bad frames; arbiters have two inputs. `parse_64` is the parser of the way in at 64 bits; it \
             reads VLAN tags, IPv6, TCP and ICMP too. Of the peers the lowest and the highest clock of the seeds are known.\n",
            Part::LFE5UM5G_45F_8
        ),
    );
    line(text, "| block | LUT4 | CCU2C | DPR16X4 | LUTs | FFs | EBR | MHz |\n|---|---|---|---|---|---|---|---|");
    for (name, row) in &ours {
        let kinds = counts(["LUT4", "CCU2C", "TRELLIS_DPR16X4"].map(|kind| row.cells.count(kind)));
        line(text, &format!("| **`{name}`** | {kinds} | {} | {} |", counts(row.counts()), clocks(row)));
        for peer in peers_of(name) {
            let [low, high] = peer.mhz;
            let mhz = if low == high { format!("{low}") } else { format!("{low} to {high}") };
            let (kinds, all) = (counts(peer.luts), counts([peer.all_luts(), peer.ffs, peer.bram]));
            line(text, &format!("| {}, {} | {kinds} | {all} | {mhz} |", peer.name, peer.project));
        }
    }
    let behind: Vec<&String> = ours.iter().filter(|(name, row)| is_behind(name, row)).map(|(name, _)| *name).collect();
    if behind.is_empty() {
        return;
    }
    line(
        text,
        "\nWhere a peer takes fewer lookup tables or block RAMs, or its lowest clock is higher than our worst one:\n",
    );
    for name in behind {
        line(text, &format!("- `{name}`: {}", reason(name).unwrap_or("not yet known why.")));
    }
}

/// Is one of its peers better?
fn is_behind(name: &str, row: &Row) -> bool {
    peers_of(name).any(|peer| peer.is_better_than(row))
}

/// Numbers as cells of a table.
pub(super) fn counts<const N: usize>(numbers: [u64; N]) -> String {
    numbers.map(|n| n.to_string()).join(" | ")
}

pub(super) fn clocks(row: &Row) -> String {
    format!("{:.0} / {:.0} / {:.0}", row.worst(), row.median(), row.best())
}

pub(super) fn target(row: &Row) -> String {
    match row.target_mhz {
        Some(mhz) if row.is_met() => format!("{mhz}"),
        Some(mhz) => format!("**{mhz}: missed**"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wherever_a_peer_is_better_the_page_says_why() {
        let record = Record::load().unwrap();
        for (name, row) in record.rows.iter().filter(|(name, row)| is_behind(name, row)) {
            assert!(reason(name).is_some(), "{name}: {} LUTs, {} MHz at worst", row.cells.luts(), row.worst());
        }
    }
}
