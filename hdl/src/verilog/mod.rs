//! Verilog.
use crate::ir::Module;
/// Options.
#[derive(Default)]
pub struct Options { /// Source lines as comments.
 pub source_lines: bool }
pub(crate) fn module_text(m: &Module, _o: &Options) -> String { format!("{m:?}") }
