//! Where Verilator and the C++ compiler are.

use std::path::PathBuf;
use std::sync::OnceLock;

use em_tools::{Tool, ToolError};

use super::BuildError;

/// The tools of one build.
#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    /// Verilator's version, part of the cache key.
    pub verilator_version: String,
    /// Directory of `verilated.h`.
    pub include: PathBuf,
    pub cxx: PathBuf,
    /// The compiler's version, part of the cache key.
    pub cxx_version: String,
    /// `ccache`, or what `OBJCACHE` names, put before the compiler.
    pub launcher: Option<PathBuf>,
}

/// The tools, looked for once a process.
pub(crate) fn toolchain() -> Result<Toolchain, BuildError> {
    static FOUND: OnceLock<Result<Toolchain, String>> = OnceLock::new();
    FOUND.get_or_init(|| find().map_err(|error| error.to_string())).clone().map_err(BuildError::ToolMissing)
}

fn find() -> Result<Toolchain, ToolError> {
    let verilator = em_tools::find(Tool::Verilator)?;
    let cxx = em_tools::find(Tool::Cxx)?;
    let launcher = match std::env::var_os("OBJCACHE") {
        Some(given) => Some(PathBuf::from(given)).filter(|given| !given.as_os_str().is_empty()),
        None => em_tools::find(Tool::Ccache).ok().map(|found| found.path),
    };
    Ok(Toolchain {
        verilator_version: verilator.version.to_string(),
        include: em_tools::verilator_root()?.join("include"),
        cxx: cxx.path,
        cxx_version: cxx.version.to_string(),
        launcher,
    })
}
