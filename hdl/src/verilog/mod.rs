//! The Verilog-2005 emitter: one file a module, the same bytes for the same design, clean under
//! `verilator --lint-only -Wall` without a waiver.
//!
//! Every operand is emitted with exactly the width of its operation, so that Verilog's context rules have nothing to
//! extend or cut. What a `let` named is a wire of that name; what several places use becomes one; the rest is inlined.
//! Properties stand under `` `ifdef EM_ASSERT``. Long lines are broken at their outermost operators.

mod expr;
mod memory;
mod module;
mod plan;
mod process;
mod property;
mod wrap;

pub use memory::memory_text;

use crate::{Design, ir::*};
use std::collections::BTreeMap;

/// Choices of the emitter.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Append the Rust source line to each declaration.
    pub source_lines: bool,
}

/// The files of a design, `(name.v, text)`: memories first, then modules, children before parents; the top is last.
pub fn emit(design: &Design, options: &Options) -> Vec<(String, String)> {
    let mut memories = BTreeMap::new();
    for m in &design.modules {
        for inst in &m.insts {
            if let Target::Memory(spec) = &inst.target {
                memories.entry(spec.module_name()).or_insert_with(|| memory::memory_text(spec));
            }
        }
    }
    let modules = design.modules.iter().map(|m| (format!("{}.v", m.name), module_text(m, options)));
    memories.into_iter().map(|(name, text)| (format!("{name}.v"), text)).chain(modules).collect()
}

/// All files in one text, in the order of [`emit`].
pub fn emit_text(design: &Design, options: &Options) -> String {
    emit(design, options).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n")
}

/// The text of one module.
pub fn module_text(m: &Module, options: &Options) -> String {
    wrap::wrap(&module::Writer::new(m, options).text())
}

/// `[msb:0] ` of a vector, nothing for one bit.
fn range(width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

/// Text for a comment or a string: without line breaks.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}
