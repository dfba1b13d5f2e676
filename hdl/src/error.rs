//! Elaboration errors: what a block's author did wrong, with the Rust source line.

use crate::ir::Loc;
use std::fmt;

/// What kind of fault an [`ElabError`] is; tests match on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    /// Widths that must be equal differ, or a slice or literal does not fit.
    Width,
    /// A signal that cannot be assigned was assigned, or one of another module was used.
    Access,
    /// A signal is driven on no path, or not on every path.
    Undriven,
    /// A bit is driven twice.
    DoublyDriven,
    /// A signal or some of its bits are never used.
    Unused,
    /// A combinational loop.
    Loop,
    /// A combinational path between two ports that must have none.
    Path,
    /// A signal crosses clock domains without a crossing primitive.
    Crossing,
    /// A state that no transition reaches.
    Unreached,
    /// Two things of one name, or a name that is no identifier.
    Name,
    /// A memory, switch or other construct with parameters that do not fit together.
    Config,
}

/// One fault found while a design was elaborated.
#[derive(Clone, Debug)]
pub struct ElabError {
    /// Kind.
    pub fault: Fault,
    /// Module it is in.
    pub module: String,
    /// Rust line that caused it.
    pub loc: Loc,
    /// What is wrong and how to mend it.
    pub message: String,
}

impl fmt::Display for ElabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: in `{}`: {}", self.loc.file(), self.loc.line(), self.module, self.message)
    }
}

/// Everything that was wrong, in the order it was found. `Debug` prints it as `Display` does, so that what `unwrap`
/// says can be read.
#[derive(Clone)]
pub struct ElabErrors(pub Vec<ElabError>);

impl ElabErrors {
    /// Is there a fault of this kind?
    pub fn has(&self, fault: Fault) -> bool {
        self.0.iter().any(|e| e.fault == fault)
    }
}

impl fmt::Display for ElabErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, e) in self.0.iter().enumerate() {
            write!(f, "{}{e}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for ElabErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for ElabErrors {}
