//! What the language costs: the area of four blocks written by hand against the same blocks emitted from Rust, by one
//! yosys with the same flags.

use crate::{
    Cells, Error, Synthesis,
    reference::{Csum, Hash, Parser, Skid},
};
use comfy_table::{CellAlignment, Table, presets::UTF8_FULL_CONDENSED};
use hdl::{Block, Collision, Design, verilog};
use serde::Serialize;

/// One block, measured twice.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the block.
    pub block: &'static str,
    /// Of the Verilog written by hand.
    pub hand_written: Area,
    /// Of the Verilog emitted from Rust.
    pub emitted: Area,
}

/// The figures that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Area {
    /// Lookup tables, carry cells and distributed memory counted as tables.
    pub luts: u64,
    /// Flip-flops.
    pub ffs: u64,
    /// Block RAMs.
    pub block_rams: u64,
}

impl From<&Cells> for Area {
    fn from(cells: &Cells) -> Self {
        Area { luts: cells.luts(), ffs: cells.ffs(), block_rams: cells.block_rams() }
    }
}

impl Row {
    /// Emitted over hand-written.
    pub fn lut_ratio(&self) -> f64 {
        ratio(self.emitted.luts, self.hand_written.luts)
    }

    /// Emitted over hand-written.
    pub fn ff_ratio(&self) -> f64 {
        ratio(self.emitted.ffs, self.hand_written.ffs)
    }
}

fn ratio(emitted: u64, hand_written: u64) -> f64 {
    if emitted == hand_written { 1.0 } else { emitted as f64 / hand_written as f64 }
}

/// The cells of an elaborated design on ECP5.
///
/// # Errors
/// Yosys is missing or refuses the design.
pub fn of_design(design: &Design) -> Result<Cells, Error> {
    Synthesis::new(verilog::emit(design, &verilog::Options::default()), &design.top().name).cells()
}

fn of_block(block: &impl Block) -> Result<Area, Error> {
    let design = hdl::elaborate(block).map_err(|e| Error::Elaboration(e.to_string()))?;
    Ok(Area::from(&of_design(&design)?))
}

fn of_text(name: &str, text: &str) -> Result<Area, Error> {
    Ok(Area::from(&Synthesis::new([(format!("{name}.v"), text.to_string())], name).cells()?))
}

/// Measures the four blocks.
///
/// # Errors
/// Yosys is missing or refuses a block.
pub fn compare() -> Result<Vec<Row>, Error> {
    let row = |block, text, emitted: Result<Area, Error>| -> Result<Row, Error> {
        Ok(Row { block, hand_written: of_text(block, text)?, emitted: emitted? })
    };
    Ok(vec![
        row("skid", include_str!("../reference/skid.v"), of_block(&Skid { data_w: 512 }))?,
        row("parser", include_str!("../reference/parser.v"), of_block(&Parser))?,
        // The hand-written memory is read-first.
        row("hash", include_str!("../reference/hash.v"), of_block(&Hash { collision: Collision::Old }))?,
        row("csum", include_str!("../reference/csum.v"), of_block(&Csum))?,
    ])
}

/// The rows as a table for people.
pub fn table(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header([
        "block",
        "LUTs by hand",
        "emitted",
        "ratio",
        "FFs by hand",
        "emitted",
        "ratio",
        "block RAM by hand",
        "emitted",
    ]);
    for r in rows {
        let (h, e) = (r.hand_written, r.emitted);
        table.add_row([
            r.block.to_string(),
            h.luts.to_string(),
            e.luts.to_string(),
            format!("{:.3}", r.lut_ratio()),
            h.ffs.to_string(),
            e.ffs.to_string(),
            format!("{:.3}", r.ff_ratio()),
            h.block_rams.to_string(),
            e.block_rams.to_string(),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
