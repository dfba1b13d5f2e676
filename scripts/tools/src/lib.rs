//! Finds, checks and runs the external tools: Verilator, Icarus, yosys, sby, tshark.
//!
//! A tool comes from `.tools/bin` of the project, where `./scripts/setup` puts it, or else from `PATH`. One that
//! is older than `scripts/tools.toml` asks for is refused, with a sentence that says what to do.
//!
//! ```no_run
//! use em_tools::Tool;
//!
//! let mut lint = em_tools::command(Tool::Verilator)?;
//! lint.args(["--lint-only", "-Wall", "em_top.v"]);
//! let output = em_tools::run(&mut lint)?;
//! print!("{}", output.stderr);
//! # Ok::<(), em_tools::ToolError>(())
//! ```

mod error;
mod find;
mod root;
mod run;
mod tool;
mod version;

pub use error::ToolError;
pub use find::{Found, find};
pub use root::root;
pub use run::{Output, command, run, verilator_root};
pub use tool::Tool;
pub use version::Version;
