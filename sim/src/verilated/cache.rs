//! The cache of built models: one shared object a key, put in place by rename, so that processes may race.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::BuildError;

/// Where built models are kept: `EM_CACHE`, else `verilated` in cargo's target directory, else in `target`
/// of the project, else in the user's cache directory.
pub fn cache_dir() -> PathBuf {
    let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(dir) = var("EM_CACHE") {
        return dir;
    }
    if let Some(target) = var("CARGO_TARGET_DIR") {
        return target.join("verilated");
    }
    if let Some(project) = em_tools::root() {
        return project.join("target/verilated");
    }
    if let Some(dir) = var("XDG_CACHE_HOME") {
        return dir.join("em-verilated");
    }
    if let Some(home) = var("HOME") {
        return home.join(".cache/em-verilated");
    }
    std::env::temp_dir().join("em-verilated")
}

/// SHA-256 in hex of the parts, each with its length.
pub(crate) fn key(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The file `name` of the cache: as it is, or made by `make` in a scratch directory that is gone afterwards. A lock keeps two
/// processes from doing the same work; the rename keeps them right even where locks do not work.
pub(crate) fn get_or_make(
    dir: &Path,
    name: &str,
    make: impl FnOnce(&Path) -> Result<PathBuf, BuildError>,
) -> Result<PathBuf, BuildError> {
    let target = dir.join(name);
    if target.is_file() {
        return Ok(target);
    }
    fs::create_dir_all(dir).map_err(|source| BuildError::Io { path: dir.to_owned(), source })?;
    let lock_path = dir.join(format!(".{name}.lock"));
    let lock = File::create(&lock_path).map_err(|source| BuildError::Io { path: lock_path.clone(), source })?;
    let _ = lock.lock();
    if !target.is_file() {
        let io = |source| BuildError::Io { path: dir.to_owned(), source };
        let scratch = tempfile::Builder::new().prefix(".build-").tempdir_in(dir).map_err(io)?;
        let made = make(scratch.path())?;
        fs::rename(&made, &target).map_err(|source| BuildError::Io { path: target.clone(), source })?;
        let _ = fs::remove_file(&lock_path);
    }
    Ok(target)
}
