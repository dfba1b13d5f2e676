//! Running a tool, and what is said when it fails.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::find::search_path;
use crate::{Tool, ToolError, find};

/// How many of a failed command's last lines its error repeats.
const TAIL_LINES: usize = 20;

/// What a command printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// A command that runs `tool`, its search path beginning with the project's own tools, so that the tools it
/// starts itself are the right ones too. Those that compile models do it through ccache when it is there.
pub fn command(tool: Tool) -> Result<Command, ToolError> {
    let mut command = Command::new(find(tool)?.path);
    command.env("PATH", search_path()).stdin(Stdio::null());
    if matches!(tool, Tool::Verilator | Tool::Make | Tool::Cocotb) {
        // Each Verilator knows its own; one left from another installation would mix the two.
        command.env_remove("VERILATOR_ROOT");
        if std::env::var_os("OBJCACHE").is_none() && find(Tool::Ccache).is_ok() {
            command.env("OBJCACHE", "ccache");
        }
    }
    Ok(command)
}

/// The folder whose `include` holds `verilated.h` and `verilated.cpp` of the Verilator that [`find`] gives.
pub fn verilator_root() -> Result<PathBuf, ToolError> {
    let output = run(command(Tool::Verilator)?.args(["--getenv", "VERILATOR_ROOT"]))?;
    Ok(PathBuf::from(output.stdout.trim()))
}

/// Runs `command` to its end and keeps what it prints. A failure's error holds the last lines of it.
pub fn run(command: &mut Command) -> Result<Output, ToolError> {
    let output = command.output().map_err(|source| ToolError::CannotStart {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    })?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        return Ok(Output { stdout, stderr });
    }
    Err(ToolError::Failed {
        command: shell_text(command),
        status: output.status.to_string(),
        tail: last_lines(&stdout, &stderr),
    })
}

/// The command as a shell would take it.
fn shell_text(command: &Command) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=+:,@%".contains(c);
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| match word.to_string_lossy() {
            word if !word.is_empty() && word.chars().all(plain) => word.into_owned(),
            word => format!("'{}'", word.replace('\'', r"'\''")),
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// The last lines of both streams: standard error last, since it mostly says why.
fn last_lines(stdout: &str, stderr: &str) -> String {
    let lines: Vec<&str> =
        stdout.lines().chain(stderr.lines()).map(str::trim_end).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return "  (it printed nothing)".to_string();
    }
    let last = &lines[lines.len().saturating_sub(TAIL_LINES)..];
    last.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn both_streams_are_kept() {
        let output = run(&mut shell("echo out; echo err >&2")).unwrap();
        assert_eq!(output, Output { stdout: "out\n".into(), stderr: "err\n".into() });
    }

    #[test]
    fn a_failure_shows_the_command_and_its_last_lines() {
        let error = run(&mut shell("echo 'it''s out'; echo 'no such port' >&2; exit 3")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`sh -c 'echo '\\''it'\\'''\\''s out'\\''; echo '\\''no such port'\\'' >&2; exit 3'` failed (exit status: 3); \
             its last lines are:\n  its out\n  no such port"
        );
    }

    #[test]
    fn a_failure_shows_no_more_than_the_last_lines() {
        let error = run(&mut shell("seq 100; exit 1")).unwrap_err().to_string();
        let lines: Vec<&str> = error.lines().skip(1).collect();
        assert_eq!(lines.len(), TAIL_LINES);
        assert_eq!((lines[0], lines[TAIL_LINES - 1]), ("  81", "  100"));
    }

    #[test]
    fn a_silent_failure_says_so() {
        let error = run(&mut shell("exit 1")).unwrap_err().to_string();
        assert!(error.ends_with("(it printed nothing)"), "{error}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(&mut Command::new("em-no-such-program")).unwrap_err().to_string();
        assert!(error.starts_with("cannot start `em-no-such-program`: "), "{error}");
    }
}
