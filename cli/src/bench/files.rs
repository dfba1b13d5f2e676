//! Files that have a place before a long run, and their name after it.

use crate::fail::Fail;
use std::{
    fmt::Display,
    io::Write,
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// A file that can be written, but has no name yet.
pub struct Reserved {
    path: PathBuf,
    file: NamedTempFile,
}

fn failed(path: &Path, cause: impl Display) -> Fail {
    Fail::input(format!("{}: cannot be written ({cause}). Check the path and its permissions.", path.display()))
}

impl Reserved {
    /// A file in a folder that exists.
    pub fn new(path: &Path) -> Result<Self, Fail> {
        if path.metadata().is_ok_and(|m| !m.is_file()) {
            return Err(failed(path, "it is not a regular file"));
        }
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::Builder::new().prefix(".em-").suffix(".part").tempfile_in(folder);
        Ok(Reserved { path: path.into(), file: file.map_err(|e| failed(path, e))? })
    }

    /// A file in a folder that is made if need be.
    pub fn within(folder: &Path, name: &str) -> Result<Self, Fail> {
        std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
        Self::new(&folder.join(name))
    }

    /// Writes it and gives it its name.
    pub fn write(mut self, text: &str) -> Result<PathBuf, Fail> {
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|e| failed(&self.path, e))?;
        self.file.persist(&self.path).map_err(|e| failed(&self.path, e.error))?;
        Ok(self.path)
    }
}
