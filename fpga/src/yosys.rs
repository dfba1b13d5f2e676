//! Runs yosys and counts what it makes.

use em_tools::{Tool, ToolError};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, io, path::PathBuf};

/// Why a design could not be synthesised.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Yosys is missing or refused the design.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A file of the run could not be written or read.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// Yosys printed a report that is not what its version prints.
    #[error("cannot read the report of yosys: {0}")]
    Report(#[from] serde_json::Error),
    /// A design that does not elaborate.
    #[error("{0}")]
    Elaboration(String),
}

/// Cells of a synthesised design by type (`LUT4`, `TRELLIS_FF`, `DP16KD`, …).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Cells(pub BTreeMap<String, u64>);

impl Cells {
    /// How many cells of one type.
    pub fn count(&self, kind: &str) -> u64 {
        self.0.get(kind).copied().unwrap_or(0)
    }

    /// Lookup tables as place and route counts them: a `LUT4` is one, a carry cell two, a 16 x 4 distributed memory four
    /// (with two more for its write port).
    pub fn luts(&self) -> u64 {
        self.count("LUT4") + 2 * self.count("CCU2C") + 6 * self.count("TRELLIS_DPR16X4")
    }

    /// Flip-flops.
    pub fn ffs(&self) -> u64 {
        self.count("TRELLIS_FF")
    }

    /// Block RAMs of 18 kbit.
    pub fn block_rams(&self) -> u64 {
        self.count("DP16KD") + self.count("PDPW16KD")
    }

    /// Wide multiplexers made of pairs of lookup tables.
    pub fn wide_muxes(&self) -> u64 {
        self.count("PFUMX") + self.count("L6MUX21")
    }
}

/// A synthesis run for the Lattice ECP5: Verilog files in memory, the top module, macros.
#[derive(Clone, Debug)]
pub struct Synthesis {
    files: Vec<(String, String)>,
    top: String,
    defines: Vec<String>,
}

impl Synthesis {
    /// Of the `files` (name, text) and the module `top`.
    pub fn new(files: impl IntoIterator<Item = (String, String)>, top: &str) -> Self {
        Synthesis { files: files.into_iter().collect(), top: top.into(), defines: vec![] }
    }

    /// Defines a macro, such as `EM_TECH_ECP5`.
    pub fn define(mut self, name: &str) -> Self {
        self.defines.push(name.into());
        self
    }

    /// Counts the cells after `synth_ecp5`.
    ///
    /// # Errors
    /// Yosys is missing, too old, or refuses the design.
    pub fn cells(&self) -> Result<Cells, Error> {
        #[derive(Deserialize)]
        struct Report {
            design: Counts,
        }
        #[derive(Deserialize)]
        struct Counts {
            num_cells_by_type: BTreeMap<String, u64>,
        }
        let report: Report = serde_json::from_str(&self.run("tee -q -o out.json stat -json")?)?;
        Ok(Cells(report.design.num_cells_by_type))
    }

    /// The synthesised netlist in yosys' JSON format.
    ///
    /// # Errors
    /// As [`Synthesis::cells`].
    pub fn netlist(&self) -> Result<serde_json::Value, Error> {
        Ok(serde_json::from_str(&self.run("write_json out.json")?)?)
    }

    /// Synthesises, then runs `last`, which writes `out.json`, whose text is returned.
    fn run(&self, last: &str) -> Result<String, Error> {
        let folder = tempfile::tempdir().map_err(|source| Error::File { path: std::env::temp_dir(), source })?;
        let mut script = String::new();
        // Files are numbered: yosys splits its script at spaces and takes no quotes in every place.
        for (i, (_, text)) in self.files.iter().enumerate() {
            let path = folder.path().join(format!("f{i}.v"));
            fs::write(&path, text).map_err(|source| Error::File { path, source })?;
            let defines: String = self.defines.iter().map(|d| format!(" -D {d}")).collect();
            script += &format!("read_verilog{defines} f{i}.v\n");
        }
        script += &format!("synth_ecp5 -top {}\n{last}\n", self.top);
        let path = folder.path().join("run.ys");
        fs::write(&path, script).map_err(|source| Error::File { path, source })?;
        em_tools::run(em_tools::command(Tool::Yosys)?.current_dir(folder.path()).args(["-q", "-s", "run.ys"]))?;
        let path = folder.path().join("out.json");
        fs::read_to_string(&path).map_err(|source| Error::File { path, source })
    }
}
