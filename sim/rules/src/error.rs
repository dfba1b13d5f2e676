//! What is wrong with a rules file.

/// A fault of the rules file, in one or two plain sentences with file, line, value and remedy.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// The file could not be read at all.
    #[error("{file}: cannot be read: {cause}. Check the path and its permissions.")]
    Read {
        /// The file's name as the user wrote it.
        file: String,
        /// What the operating system said.
        cause: std::io::Error,
    },
    /// Something in the file is not a valid rule.
    #[error("{file}:{line}: {message}")]
    Fault {
        /// The file's name as the user wrote it.
        file: String,
        /// The line at fault, from 1; of a duplicate, the second one.
        line: usize,
        /// What is wrong and what to write instead.
        message: String,
    },
}

impl RulesError {
    /// The line at fault, from 1, where there is one.
    pub fn line(&self) -> Option<usize> {
        match self {
            RulesError::Read { .. } => None,
            RulesError::Fault { line, .. } => Some(*line),
        }
    }
}
