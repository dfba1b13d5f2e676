//! Runs yosys and counts what it makes.

use em_tools::{Tool, ToolError};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

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
    /// The block came out of the frame around it with other cells than it has alone.
    #[error(
        "the block has {alone} lookup tables alone and {inside} in the frame that it is measured in: more than 2 % apart"
    )]
    Loss {
        /// Lookup tables without the frame.
        alone: u64,
        /// Lookup tables of the block in the netlist that is placed.
        inside: u64,
    },
    /// Place and route printed a report that is not what its version prints.
    #[error("cannot read the report of nextpnr: {0}")]
    Route(String),
}

/// Cells of a synthesised design by type (`LUT4`, `TRELLIS_FF`, `DP16KD`, …).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        let folder = Folder::new()?;
        let script = self.synthesis(&folder, "")? + "tee -q -o out.json stat -json\n";
        folder.run(&script)?;
        cells_of_design(&folder.read("out.json")?)
    }

    /// Counts the cells of each module by itself, without what is in its instances, which are counted under the names of
    /// their modules. The hierarchy is kept, so that the sum is a little more than [`Synthesis::cells`].
    ///
    /// # Errors
    /// As [`Synthesis::cells`].
    pub fn cells_by_module(&self) -> Result<BTreeMap<String, Cells>, Error> {
        let folder = Folder::new()?;
        let script = self.synthesis(&folder, " -noflatten")? + "tee -q -o out.json stat -json\n";
        folder.run(&script)?;
        let stat: Stat = serde_json::from_str(&folder.read("out.json")?)?;
        let name = |escaped: &str| escaped.trim_start_matches('\\').to_string();
        Ok(stat.modules.into_iter().map(|(module, c)| (name(&module), Cells(c.num_cells_by_type))).collect())
    }

    /// The synthesised netlist in yosys' JSON format.
    ///
    /// # Errors
    /// As [`Synthesis::cells`].
    pub fn netlist(&self) -> Result<serde_json::Value, Error> {
        let folder = Folder::new()?;
        let script = self.synthesis(&folder, "")? + "write_json out.json\n";
        folder.run(&script)?;
        Ok(serde_json::from_str(&folder.read("out.json")?)?)
    }

    /// The design in the frame of [`crate::harness`]: each is synthesised without a view of the other, then joined.
    ///
    /// # Errors
    /// As [`Synthesis::cells`], and [`Error::Loss`].
    pub fn framed(&self, top: &hdl::ir::Module) -> Result<Framed, Error> {
        let folder = Folder::new()?;
        let verilog = crate::harness::verilog(top);
        folder.write("harness.v", &verilog)?;
        folder.write("black_box.v", &crate::harness::black_box(top))?;
        let mut script = self.synthesis(&folder, "")?;
        script += &format!(
            "tee -q -o block.json stat -json\ndesign -stash block\n\
             read_verilog black_box.v harness.v\nsynth_ecp5 -top {frame}\ntee -q -o frame.json stat -json\n\
             delete {block}\ndesign -copy-from block -as {block} {block}\nhierarchy -check -top {frame}\n\
             tee -q -o joined.json stat -json\nflatten\nwrite_json netlist.json\n",
            frame = crate::harness::TOP,
            block = self.top,
        );
        folder.run(&script)?;
        let block = cells_of_design(&folder.read("block.json")?)?;
        let mut frame = cells_of_design(&folder.read("frame.json")?)?;
        frame.0.remove(&self.top);
        let joined = cells_of_design(&folder.read("joined.json")?)?;
        let (alone, inside) = (block.luts(), joined.luts().saturating_sub(frame.luts()));
        if alone.abs_diff(inside) * 50 > alone {
            return Err(Error::Loss { alone, inside });
        }
        Ok(Framed { block, frame, verilog, netlist: folder.read("netlist.json")? })
    }

    /// Writes the files and returns the script that reads and synthesises them.
    fn synthesis(&self, folder: &Folder, options: &str) -> Result<String, Error> {
        let mut script = String::new();
        for (i, (name, text)) in self.files.iter().enumerate() {
            // Yosys splits its script at spaces and takes no quotes in every place; the names of modules are safe.
            let safe = name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c)) && !name.starts_with('-');
            let name = if safe { name.clone() } else { format!("f{i}.v") };
            folder.write(&name, text)?;
            let defines: String = self.defines.iter().map(|d| format!(" -D {d}")).collect();
            script += &format!("read_verilog{defines} {name}\n");
        }
        Ok(script + &format!("synth_ecp5{options} -top {}\n", self.top))
    }
}

/// A block in the frame of [`crate::harness`], ready for place and route.
#[derive(Clone, Debug)]
pub struct Framed {
    /// Cells of the block.
    pub block: Cells,
    /// Cells of the frame around it.
    pub frame: Cells,
    /// The frame's Verilog.
    pub verilog: String,
    /// Both, in yosys' JSON format.
    pub netlist: String,
}

#[derive(Deserialize)]
struct Stat {
    modules: BTreeMap<String, Counts>,
    design: Counts,
}

#[derive(Deserialize)]
struct Counts {
    num_cells_by_type: BTreeMap<String, u64>,
}

fn cells_of_design(stat: &str) -> Result<Cells, Error> {
    let mut cells = serde_json::from_str::<Stat>(stat)?.design.num_cells_by_type;
    // Notes of yosys' own on where a module was.
    cells.remove("$scopeinfo");
    Ok(Cells(cells))
}

/// The folder of a run; it goes with its value.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Result<Folder, Error> {
        Ok(Folder(tempfile::tempdir().map_err(|source| Error::File { path: std::env::temp_dir(), source })?))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.0.path().join(name);
        fs::write(&path, text).map_err(|source| Error::File { path, source })
    }

    pub fn read(&self, name: &str) -> Result<String, Error> {
        let path = self.0.path().join(name);
        fs::read_to_string(&path).map_err(|source| Error::File { path, source })
    }

    /// Runs a yosys script in it.
    fn run(&self, script: &str) -> Result<(), Error> {
        self.write("run.ys", script)?;
        em_tools::run(em_tools::command(Tool::Yosys)?.current_dir(self.0.path()).args(["-q", "-s", "run.ys"]))?;
        Ok(())
    }
}
