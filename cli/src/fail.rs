//! Exit codes: 2 for what the user gave, 1 for a run that failed.

use std::fmt::Display;

/// Why a command ends with an error.
#[derive(Debug)]
pub struct Fail {
    /// One or two plain sentences.
    pub message: String,
    /// Exit code.
    pub code: u8,
}

impl Fail {
    /// Bad input.
    pub fn input(message: impl Display) -> Self {
        Fail { message: message.to_string(), code: 2 }
    }

    /// A failed run.
    pub fn run(message: impl Display) -> Self {
        Fail { message: message.to_string(), code: 1 }
    }
}

/// Result of a command.
pub type Outcome = Result<(), Fail>;
