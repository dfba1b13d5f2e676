//! `em generate`: the Verilog of a profile, `manifest.json` and the register map, written whole or not at all.

use crate::{config::Profile, manifest, top::EmTop};
use std::path::{Path, PathBuf};

/// Why nothing was generated.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The profile does not elaborate.
    #[error("profile {profile} does not elaborate: {errors}")]
    Elaboration {
        /// The profile.
        profile: String,
        /// The faults.
        errors: hdl::ElabErrors,
    },
    /// The folder holds other things.
    #[error("{0} is not empty and was not written by `em generate`. Give a new folder, or empty this one.")]
    NotOurs(String),
    /// The folder cannot be written.
    #[error("{path}: cannot be written ({cause}). Check the path and its permissions.")]
    Write {
        /// The path.
        path: String,
        /// What the operating system said.
        cause: std::io::Error,
    },
}

/// The generated files of a profile: name and text.
pub fn files(profile: &Profile, options: &hdl::verilog::Options) -> Result<Vec<(String, String)>, GenerateError> {
    let design = hdl::elaborate(&EmTop { config: profile.config.clone() })
        .map_err(|errors| GenerateError::Elaboration { profile: profile.name.clone(), errors })?;
    let mut files = hdl::verilog::emit(&design, options);
    let verilog: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    files.push(("files.f".into(), verilog.join("\n") + "\n"));
    files.push(("manifest.json".into(), manifest::json(profile, &design, &verilog)));
    files.push(("registers.md".into(), manifest::registers(&profile.config).markdown()));
    Ok(files)
}

/// Writes the files of a profile into `out`: a new or empty folder, or one that this wrote before.
pub fn write(profile: &Profile, options: &hdl::verilog::Options, out: &Path) -> Result<Vec<PathBuf>, GenerateError> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |cause| GenerateError::Write { path, cause }
    };
    let files = files(profile, options)?;
    let occupied = std::fs::read_dir(out).is_ok_and(|mut d| d.next().is_some());
    if (occupied && !out.join("manifest.json").is_file()) || out.is_file() {
        return Err(GenerateError::NotOurs(out.display().to_string()));
    }
    let before = std::fs::read_to_string(out.join("files.f")).unwrap_or_default();
    let before: Vec<String> = before.lines().map(str::to_string).collect();
    let parent = out.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(failed(parent))?;
    // Written beside their place and renamed, so that nothing is half-written.
    let fresh = tempfile::Builder::new().prefix(".em-").suffix(".part").tempdir_in(parent).map_err(failed(parent))?;
    for (name, text) in &files {
        let path = fresh.path().join(name);
        std::fs::write(&path, text).map_err(failed(&path))?;
    }
    std::fs::create_dir_all(out).map_err(failed(out))?;
    for (name, _) in &files {
        std::fs::rename(fresh.path().join(name), out.join(name)).map_err(failed(&out.join(name)))?;
    }
    // Modules of an earlier profile must not be picked up with the new ones.
    for stale in std::fs::read_dir(out).map_err(failed(out))?.flatten() {
        let name = stale.file_name().to_string_lossy().into_owned();
        if name.ends_with(".v") && before.contains(&name) && !files.iter().any(|(n, _)| *n == name) {
            std::fs::remove_file(stale.path()).map_err(failed(&stale.path()))?;
        }
    }
    Ok(files.iter().map(|(name, _)| out.join(name)).collect())
}
