//! The project's folder.

use std::env;
use std::path::{Path, PathBuf};

/// The project's folder: `EM_ROOT` when it is set, else the first folder that holds `scripts/tools.toml` from the
/// current one upwards, else the one this crate was built in. `None` when there is none on this machine.
pub fn root() -> Option<PathBuf> {
    if let Some(root) = env::var_os("EM_ROOT").filter(|root| !root.is_empty()) {
        return Some(PathBuf::from(root));
    }
    let current = env::current_dir().ok();
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR"));
    current.iter().map(PathBuf::as_path).chain([built_in]).find_map(above)
}

fn above(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join("scripts/tools.toml").is_file()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_found_from_a_folder_below_it() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = above(&here.join("src")).expect("the project's folder");
        assert!(root.join("Cargo.toml").is_file() && here.starts_with(&root));
        assert_eq!(above(Path::new("/")), None);
    }
}
