//! Where a run's files go, checked before anything is made.

use super::run::{Request, RunError};
use crate::verilated::Trace;
use std::path::{Path, PathBuf};

/// Every output can have its name, and none replaces an input or another output.
pub(super) fn check(request: &Request) -> Result<(), RunError> {
    let outputs = request.outputs();
    if let Some(path) = outputs.iter().find(|p| p.metadata().is_ok_and(|m| !m.is_file())) {
        return Err(RunError::InTheWay(path.display().to_string()));
    }
    let mut taken = vec![request.rules.as_path()];
    taken.extend(request.inputs.values().map(PathBuf::as_path));
    for written in outputs.iter().chain(&request.trace) {
        if let Some(other) = taken.iter().find(|other| real(other) == real(written)) {
            let [written, other] = [written.as_path(), *other].map(|p| p.display().to_string());
            return Err(RunError::Overwrites { written, other });
        }
        taken.push(written);
    }
    Ok(())
}

/// The path without links, where its folder exists.
fn real(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

/// The folder for what comes out; if it was made for a run that fails, it goes again.
pub(super) struct OutDir<'a> {
    path: &'a Path,
    new: bool,
}

impl<'a> OutDir<'a> {
    /// Makes the folder and sees whether a file can be made in it, so that a run does not end for nothing.
    pub fn make(path: &'a Path) -> Result<Self, RunError> {
        let failed = |cause| RunError::OutDir { path: path.display().to_string(), cause };
        let new = !path.exists();
        std::fs::create_dir_all(path).map_err(failed)?;
        let made = OutDir { path, new };
        tempfile::tempfile_in(path).map_err(failed)?;
        Ok(made)
    }
}

impl Drop for OutDir<'_> {
    fn drop(&mut self) {
        if self.new {
            // Refused, as it should be, when there are files in it.
            _ = std::fs::remove_dir(self.path);
        }
    }
}

/// The kind of waveform that the file's ending asks for.
pub(super) fn trace_kind(path: &Path) -> Result<Trace, RunError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() || !folder.is_dir() {
        return Err(RunError::TracePlace(path.display().to_string()));
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("vcd") => Ok(Trace::Vcd),
        Some("fst") => Ok(Trace::Fst),
        _ => Err(RunError::TraceKind(path.display().to_string())),
    }
}
