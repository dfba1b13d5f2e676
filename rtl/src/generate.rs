//! `em generate`: the Verilog of a profile, `manifest.json` and the register map, written whole or not at all.

use crate::{config::Profile, csr::Format, manifest, top::EmTop};
use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

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
    /// There is a file where the folder should be.
    #[error("{0} is a file. Give the path of a folder.")]
    NotAFolder(String),
    /// The folder cannot be written.
    #[error("{path}: cannot be written ({cause}). Check the path and its permissions.")]
    Write {
        /// The path.
        path: String,
        /// What the operating system said.
        cause: std::io::Error,
    },
}

/// The generated files of a profile, name and text: the Verilog, `files.f` (its names, a line each, as tools take them),
/// `manifest.json`, and the register map as `registers.md`, `em_registers.h` and `em_registers.rdl`. The same profile and options give the same bytes.
///
/// # Errors
/// [`GenerateError::Elaboration`].
pub fn files(profile: &Profile, options: &hdl::verilog::Options) -> Result<Vec<(String, String)>, GenerateError> {
    let design = hdl::elaborate(&EmTop { config: profile.config.clone() })
        .map_err(|errors| GenerateError::Elaboration { profile: profile.name.clone(), errors })?;
    let mut files = hdl::verilog::emit(&design, options);
    let verilog: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    files.push(("files.f".into(), verilog.join("\n") + "\n"));
    let map = manifest::registers(&profile.config);
    let languages =
        [("registers.md", Format::Markdown), ("em_registers.h", Format::C), ("em_registers.rdl", Format::Rdl)];
    files.extend(languages.map(|(name, format)| (name.into(), map.text(format, &profile.name))));
    files.push((manifest::FILE.into(), manifest::json(profile, &design, &verilog)));
    Ok(files)
}

/// Writes the files of a profile into `out`: a new or empty folder, or one that this wrote before, in which the files of
/// the earlier run that no longer belong are removed. Anything else in the folder stays.
///
/// # Errors
/// Any [`GenerateError`]; unless the disk fails half-way, nothing has changed then.
pub fn write(profile: &Profile, options: &hdl::verilog::Options, out: &Path) -> Result<Vec<PathBuf>, GenerateError> {
    let files = files(profile, options)?;
    if out.exists() && !out.is_dir() {
        return Err(GenerateError::NotAFolder(out.display().to_string()));
    }
    match std::fs::read_dir(out) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => create(&files, out)?,
        Err(cause) => return Err(failed(out)(cause)),
        Ok(mut entries) => {
            let before = manifest::files_of(&out.join(manifest::FILE));
            if before.is_none() && entries.next().is_some() {
                return Err(GenerateError::NotOurs(out.display().to_string()));
            }
            replace(&files, &before.unwrap_or_default(), out)?;
        }
    }
    Ok(files.iter().map(|(name, _)| out.join(name)).collect())
}

/// Writes a new folder beside its place and renames it.
fn create(files: &[(String, String)], out: &Path) -> Result<(), GenerateError> {
    let parent = out.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(failed(parent))?;
    let scratch = scratch(parent, out)?;
    // The scratch folder is its owner's alone; this one gets the permissions of any new folder.
    let fresh = scratch.path().join("out");
    std::fs::create_dir(&fresh).map_err(failed(out))?;
    fill(&fresh, files, out)?;
    std::fs::rename(&fresh, out).map_err(failed(out))
}

/// Writes the files in a folder within `out`, then renames each into place.
fn replace(files: &[(String, String)], before: &[String], out: &Path) -> Result<(), GenerateError> {
    let scratch = scratch(out, out)?;
    fill(scratch.path(), files, out)?;
    for (name, _) in files {
        std::fs::rename(scratch.path().join(name), out.join(name)).map_err(failed(&out.join(name)))?;
    }
    // Modules of an earlier profile must not be picked up with the new ones.
    for entry in std::fs::read_dir(out).map_err(failed(out))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if before.contains(&name) && !files.iter().any(|(n, _)| *n == name) {
            std::fs::remove_file(entry.path()).map_err(failed(&entry.path()))?;
        }
    }
    Ok(())
}

/// A folder in `place` that goes with its value; what fails is told about `out`, which the user knows.
fn scratch(place: &Path, out: &Path) -> Result<tempfile::TempDir, GenerateError> {
    tempfile::Builder::new().prefix(".em-").suffix(".part").tempdir_in(place).map_err(failed(out))
}

fn fill(folder: &Path, files: &[(String, String)], out: &Path) -> Result<(), GenerateError> {
    let write =
        |(name, text): &(String, String)| std::fs::write(folder.join(name), text).map_err(failed(&out.join(name)));
    files.iter().try_for_each(write)
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> GenerateError {
    let path = path.display().to_string();
    move |cause| GenerateError::Write { path: path.clone(), cause }
}
