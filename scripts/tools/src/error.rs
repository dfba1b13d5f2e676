//! What can go wrong with an external tool, in sentences for its user.

use std::io;
use std::path::PathBuf;

use crate::{Tool, Version};

/// Why a tool could not be used. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It is neither in `.tools/bin` nor on `PATH`.
    #[error("{tool} is not installed. Run `./scripts/setup {}` in the project's folder, which installs it.", tool.spec().group)]
    Missing {
        /// The tool.
        tool: Tool,
    },
    /// It is older than `scripts/tools.toml` asks for.
    #[error(
        "{} is version {version}, and {minimum} or later is needed. Run `./scripts/setup {}` in the project's folder, which installs one.",
        path.display(), tool.spec().group
    )]
    TooOld {
        /// The tool.
        tool: Tool,
        /// The latest one that was found.
        path: PathBuf,
        /// Its version.
        version: Version,
        /// The oldest version that is good enough.
        minimum: Version,
    },
    /// It is there and does not tell its version: a broken installation.
    #[error(
        "{} does not tell its version when called with {}. Run `./scripts/setup {}` in the project's folder, which installs one that does.",
        path.display(), tool.spec().version, tool.spec().group
    )]
    NoVersion {
        /// The tool.
        tool: Tool,
        /// The executable.
        path: PathBuf,
    },
    /// The operating system could not start the program.
    #[error("cannot start `{program}`: {source}")]
    CannotStart {
        /// The program.
        program: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The program ran and failed.
    #[error("`{command}` failed ({status}); its last lines are:\n{tail}")]
    Failed {
        /// The command as a shell would take it.
        command: String,
        /// The exit code or signal.
        status: String,
        /// The last lines of its output.
        tail: String,
    },
}
