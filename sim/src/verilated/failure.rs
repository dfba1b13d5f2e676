//! What a failed assertion of the Verilog said.

use std::fmt;

/// One `$stop`, `$fatal` or `$error` that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Source file, as named in the spec.
    pub file: String,
    /// Line in it, from 1.
    pub line: u32,
    /// That line's text, trimmed.
    pub source_line: String,
    /// Clock cycle: number of ticks completed before it.
    pub cycle: u64,
    /// What `$display` last said in the same evaluation, or the message of `$fatal`; with `%m` it names the instance.
    /// Empty if nothing was said.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "assertion failed at cycle {}, {}:{}: ", self.cycle, self.file, self.line)?;
        f.write_str(if self.message.is_empty() { &self.source_line } else { &self.message })
    }
}
