//! The recorded measurements: what is measured, the record in `fpga/timing.json`, the comparison of a fresh run with it, and
//! the page `docs/timing.md` that is made of it.

mod check;
mod heads;
mod list;
mod page;
mod peers;

pub use check::{Change, compare};
pub use heads::{heads, source};
pub use list::{Subject, subjects};
pub use page::page;
pub use peers::{PEERS, Peer, peers_of, reason};

use crate::{Cells, Measurement, Path, synth::tools};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, io, path::PathBuf};

/// Where the record stands, from the project's folder.
pub const RECORD: &str = "fpga/timing.json";
/// Where the page stands.
pub const PAGE: &str = "docs/timing.md";
/// Seeds of every measurement.
pub const SEEDS: u32 = 3;

/// Every measurement, made by one set of tools.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    /// Tools and their versions.
    pub tools: BTreeMap<String, String>,
    /// Flags of nextpnr beside part and seed.
    pub flags: Vec<String>,
    /// The measurements by the subjects' names.
    pub rows: BTreeMap<String, Row>,
}

/// One measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Part.
    pub part: String,
    /// Cells by type.
    pub cells: Cells,
    /// Frequencies of each clock in MHz, one a seed, lowest first.
    pub clocks: BTreeMap<String, Vec<f64>>,
    /// Clock to reach in MHz, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_mhz: Option<f64>,
    /// Share of the part's lookup tables in percent.
    pub lut_percent: f64,
    /// Critical path of the slowest clock's worst run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Path>,
    /// The file that describes the block, from the project's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Why the record or the page could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The project's folder is not there.
    #[error("the project's folder was not found. Run this inside it, or set EM_ROOT.")]
    NoRoot,
    /// A file cannot be read or written.
    #[error("{path}: {cause}")]
    File {
        /// Which.
        path: String,
        /// What the operating system said.
        cause: io::Error,
    },
    /// The record is not what this program writes.
    #[error("{path}: {cause}. `em timing record` writes a new one.")]
    Syntax {
        /// Which.
        path: String,
        /// What is wrong.
        cause: serde_json::Error,
    },
}

impl Row {
    /// Of a measurement of a block that `source` describes.
    pub fn of(measured: &Measurement, target_mhz: Option<f64>, source: Option<String>) -> Row {
        let tenth = |x: f64| (x * 10.0).round() / 10.0;
        let clock = |name: String| {
            let all = measured.sorted(&name).into_iter().map(tenth).collect();
            (name, all)
        };
        Row {
            part: measured.part.clone(),
            cells: measured.framed.block.clone(),
            clocks: measured.clocks().into_iter().map(clock).collect(),
            target_mhz,
            lut_percent: tenth(measured.lut_percent()),
            path: measured.slowest_clock().and_then(|clock| measured.path(&clock).cloned()),
            source,
        }
    }

    /// Lowest frequency of any clock and seed in MHz.
    pub fn worst(&self) -> f64 {
        self.clocks.values().flatten().copied().reduce(f64::min).unwrap_or(0.0)
    }

    /// Median over the seeds of the slowest clock in MHz.
    pub fn median(&self) -> f64 {
        let median = |all: &Vec<f64>| all.get(all.len().saturating_sub(1) / 2).copied().unwrap_or(0.0);
        self.clocks.values().map(median).reduce(f64::min).unwrap_or(0.0)
    }

    /// Highest frequency over the seeds of the slowest clock in MHz.
    pub fn best(&self) -> f64 {
        self.clocks.values().filter_map(|all| all.last().copied()).reduce(f64::min).unwrap_or(0.0)
    }

    /// Lookup tables, flip-flops and block RAMs.
    pub fn counts(&self) -> [u64; 3] {
        [self.cells.luts(), self.cells.ffs(), self.cells.block_rams()]
    }

    /// Is the target reached in the worst run?
    pub fn is_met(&self) -> bool {
        self.target_mhz.is_none_or(|target| self.worst() >= target)
    }
}

impl Record {
    /// An empty record of the tools at hand.
    ///
    /// # Errors
    /// A tool is missing.
    pub fn new() -> Result<Record, crate::Error> {
        Ok(Record {
            tools: tools()?.into_iter().collect(),
            flags: crate::flags(crate::ASKED_MHZ),
            rows: BTreeMap::new(),
        })
    }

    /// The tools with their versions, in one line.
    fn made_by(&self) -> String {
        self.tools.iter().map(|(tool, version)| format!("{tool} {version}")).collect::<Vec<_>>().join(", ")
    }

    /// The committed record; an empty one if there is none.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn load() -> Result<Record, RecordError> {
        let path = place(RECORD)?;
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|cause| RecordError::Syntax { path: path.display().to_string(), cause }),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Record::default()),
            Err(cause) => Err(RecordError::File { path: path.display().to_string(), cause }),
        }
    }

    /// Writes the record and the pages.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn save(&self) -> Result<(), RecordError> {
        let path = place(RECORD)?;
        let shown = path.display().to_string();
        let text = serde_json::to_string_pretty(self).map_err(|cause| RecordError::Syntax { path: shown, cause })?;
        write(&path, &(text + "\n"))?;
        self.write_pages()
    }

    /// Writes `docs/timing.md` and the figures at the head of each block's file.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn write_pages(&self) -> Result<(), RecordError> {
        self.pages()?.into_iter().try_for_each(|(path, text)| write(&path, &text))
    }

    /// The files that carry figures of the record, as they should be.
    fn pages(&self) -> Result<Vec<(PathBuf, String)>, RecordError> {
        let mut pages = vec![(place(PAGE)?, page(self))];
        for (file, figures) in heads(self) {
            let path = place(&file)?;
            let text = read(&path)?;
            pages.push((path, heads::with_head(&text, &figures)));
        }
        Ok(pages)
    }
}

fn read(path: &std::path::Path) -> Result<String, RecordError> {
    fs::read_to_string(path).map_err(|cause| RecordError::File { path: path.display().to_string(), cause })
}

fn write(path: &std::path::Path, text: &str) -> Result<(), RecordError> {
    fs::write(path, text).map_err(|cause| RecordError::File { path: path.display().to_string(), cause })
}

/// A file of the project.
fn place(file: &str) -> Result<PathBuf, RecordError> {
    Ok(em_tools::root().ok_or(RecordError::NoRoot)?.join(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row with these frequencies, as many lookup tables as `luts`.
    pub(super) fn row(luts: u64, mhz: &[f64], target_mhz: Option<f64>) -> Row {
        Row {
            part: "LFE5UM5G-45F-8".into(),
            cells: Cells(BTreeMap::from([("LUT4".to_string(), luts), ("TRELLIS_FF".into(), 2 * luts)])),
            clocks: BTreeMap::from([("clk".to_string(), mhz.to_vec()), ("wr_clk".into(), vec![400.0; mhz.len()])]),
            target_mhz,
            lut_percent: 0.2,
            path: None,
            source: None,
        }
    }

    #[test]
    fn a_row_counts_by_its_slowest_clock() {
        let row = row(10, &[150.0, 170.0, 180.0], Some(160.0));
        assert_eq!((row.worst(), row.median(), row.best()), (150.0, 170.0, 180.0));
        assert!(!row.is_met());
    }

    #[test]
    fn a_record_is_read_as_it_is_written() {
        let record = Record {
            tools: BTreeMap::from([("yosys".to_string(), "0.70".to_string())]),
            flags: vec!["--freq".into()],
            rows: BTreeMap::from([("skid_128".to_string(), row(1, &[1.0], None))]),
        };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }

    /// The committed pages are those of the committed record.
    #[test]
    fn the_pages_are_up_to_date() {
        for (path, fresh) in Record::load().unwrap().pages().unwrap() {
            let file = path.strip_prefix(em_tools::root().unwrap()).unwrap().display();
            assert!(
                read(&path).unwrap() == fresh,
                "{file} is stale: `cargo run --release -p em -- timing page` renews it"
            );
        }
    }
}
