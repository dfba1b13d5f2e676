//! Runs the built `em`, and makes the files that it is given.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod captures;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

/// A profile's tables hold 1,946 mappings: 95 % of 4 ways of 512 rows.
pub const RATED: usize = 1946;

/// What a call of `em` did.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// `em` with these arguments, separated by blanks.
pub fn command(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_em"));
    command.args(args.split_whitespace()).current_dir(project());
    command
}

/// The project's folder.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub fn run(command: &mut Command) -> Run {
    let Output { status, stdout, stderr } = command.output().expect("em starts");
    let text = |bytes| String::from_utf8(bytes).expect("em writes UTF-8");
    Run { code: status.code().expect("em ends by itself"), stdout: text(stdout), stderr: text(stderr) }
}

/// `em` ends well; what it printed.
pub fn good(args: &str) -> String {
    let done = run(&mut command(args));
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "em {args}\n{}", done.stdout);
    done.stdout
}

/// `em` ends well and prints one JSON value and nothing else.
pub fn json(args: &str) -> serde_json::Value {
    let text = good(args);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("em {args}: {e} in\n{text}"))
}

/// `em` refuses its input: exit code 2, nothing on stdout, one or two sentences on stderr, which have all `parts`.
pub fn refused(args: &str, parts: &[&str]) {
    refuses(run(&mut command(args)), 2, args, parts);
}

/// The same for a run that is already made, and any exit code.
pub fn refuses(done: Run, code: i32, what: &str, parts: &[&str]) {
    let Run { stdout, stderr, .. } = &done;
    println!("{what}\n  {}", stderr.trim_end());
    assert_eq!((done.code, stdout.as_str()), (code, ""), "{what}\n{stderr}");
    for part in parts {
        assert!(stderr.contains(part), "`{part}` is missing: {what}\n{stderr}");
    }
    let line = stderr.strip_suffix('\n').expect("a whole line");
    assert!(line.starts_with("em: ") && line.ends_with('.') && !line.contains('\n'), "{what}\n{stderr}");
    let ends = line.match_indices(". ").filter(|(at, _)| line[at + 2..].starts_with(char::is_uppercase)).count();
    assert!(ends <= 1, "more than two sentences: {what}\n{stderr}");
    for sign in ["panicked", "RUST_BACKTRACE", "Error {", "Err(", "Some("] {
        assert!(!line.contains(sign), "{what}\n{stderr}");
    }
}

/// A folder of files for one test.
pub struct Files {
    dir: TempDir,
}

impl Files {
    pub fn new() -> Self {
        Files { dir: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The path as an argument.
    pub fn arg(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a file; its path as an argument.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).expect("written");
        self.arg(name)
    }
}

/// Names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Rules for function 1 with this many mappings, 10.0.0.1 → 203.1.0.1 and so on.
pub fn nat_rules(rows: usize) -> String {
    let row = |n: usize| {
        let [_, a, b, c] = (n as u32 + 1).to_be_bytes();
        format!("[[nat]]\nfunction = 1\ninside = \"10.{a}.{b}.{c}\"\noutside = \"203.{}.{b}.{c}\"\n", a + 1)
    };
    "[[function]]\nid = 1\nmode = \"nat\"\n".to_string() + &(0..rows).map(row).collect::<String>()
}
