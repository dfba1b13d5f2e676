//! Where a tool is, and whether it is good enough.

use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use crate::{Tool, ToolError, Version, root};

/// A tool that is good enough.
#[derive(Clone, Debug)]
pub struct Found {
    /// The executable.
    pub path: PathBuf,
    /// What it says its version is.
    pub version: Version,
}

/// Looks for `tool` in `.tools/bin` of the project, then on `PATH`, and checks its version against
/// `scripts/tools.toml`. The answer is kept for the life of the process.
pub fn find(tool: Tool) -> Result<Found, ToolError> {
    static FOUND: LazyLock<Mutex<HashMap<Tool, Found>>> = LazyLock::new(Mutex::default);

    let mut found = FOUND.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(found) = found.get(&tool) {
        return Ok(found.clone());
    }
    let answer = find_along(tool, &search_path())?;
    found.insert(tool, answer.clone());
    Ok(answer)
}

/// `.tools/bin` of the project and then the user's `PATH`, as one search path.
pub(crate) fn search_path() -> std::ffi::OsString {
    let own = root().map(|root| root.join(".tools/bin"));
    let users = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = own.into_iter().chain(env::split_paths(&users)).collect();
    // A project whose path holds a colon cannot stand in a search path.
    env::join_paths(folders).unwrap_or(users)
}

/// The first executable along `path` that is good enough; when there is none, why the first one is not.
fn find_along(tool: Tool, path: &OsStr) -> Result<Found, ToolError> {
    let mut refused = None;
    for folder in env::split_paths(path) {
        let candidate = folder.join(&tool.spec().command);
        if !is_executable(&candidate) {
            continue;
        }
        match check(tool, candidate) {
            Ok(found) => return Ok(found),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.unwrap_or(ToolError::Missing { tool }))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn check(tool: Tool, path: PathBuf) -> Result<Found, ToolError> {
    let spec = tool.spec();
    let output = Command::new(&path).arg(&spec.version).stdin(Stdio::null()).output();
    let version = output.ok().and_then(|output| {
        Version::parse(&String::from_utf8_lossy(&output.stdout))
            .or_else(|| Version::parse(&String::from_utf8_lossy(&output.stderr)))
    });
    let minimum = Version::minimum(&spec.minimum);
    match version {
        None => Err(ToolError::NoVersion { tool, path }),
        Some(version) if version < minimum => Err(ToolError::TooOld { tool, path, version, minimum }),
        Some(version) => Ok(Found { path, version }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search path of folders under `tests/fake`, each of which holds one pretended Verilator.
    fn fakes(names: &[&str]) -> std::ffi::OsString {
        let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake");
        env::join_paths(names.iter().map(|name| fake.join(name))).unwrap()
    }

    #[test]
    fn the_first_good_one_along_the_path_is_taken() {
        let found = find_along(Tool::Verilator, &fakes(&["none", "old", "mute", "new", "newer"])).unwrap();
        assert_eq!(found.version.to_string(), "5.050");
        assert!(found.path.ends_with("tests/fake/new/verilator"));
    }

    #[test]
    fn a_missing_tool_says_how_to_get_it() {
        let error = find_along(Tool::Verilator, &fakes(&["none"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "verilator is not installed. Run `./scripts/setup sim` in the project's folder, which installs it."
        );
        let error = find_along(Tool::Sby, OsStr::new("")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "sby is not installed. Run `./scripts/setup formal` in the project's folder, which installs it."
        );
    }

    #[test]
    fn an_old_tool_says_which_version_is_needed() {
        let error = find_along(Tool::Verilator, &fakes(&["old"])).unwrap_err().to_string();
        let (path, rest) = error.split_once(" is ").unwrap();
        assert!(path.ends_with("tests/fake/old/verilator"), "{error}");
        assert_eq!(
            rest,
            "version 4.038, and 5.036 or later is needed. Run `./scripts/setup sim` in the project's folder, which installs one."
        );
    }

    #[test]
    fn a_tool_without_a_version_is_refused() {
        let error = find_along(Tool::Verilator, &fakes(&["mute"])).unwrap_err().to_string();
        assert!(error.contains("does not tell its version when called with --version"), "{error}");
    }
}
