//! What is undefined in silicon: contents at power-up and collisions. Simulation makes it random, a formal proof anything.

use super::Text;
use crate::{MemSpec, Value, memory::MemKind, verilog::range};

/// Statements that put random bits into `target`, 32 at a time as `$random` gives them.
fn random(target: &str, width: u32, op: &str, index: &str) -> Vec<String> {
    if width == 1 {
        return vec![format!("{target} {op} ($random < 0);")];
    }
    let whole = width / 32 * 32;
    let mut lines = Vec::new();
    if whole == 32 {
        lines.push(format!("{target}[31:0] {op} $random;"));
    } else if whole > 0 {
        lines.push(format!(
            "for ({index} = 0; {index} < {whole}; {index} = {index} + 32) {target}[{index} +: 32] {op} $random;"
        ));
    }
    if whole < width {
        lines.push(format!(
            "for ({index} = {whole}; {index} < {width}; {index} = {index} + 1) {target}[{index}] {op} ($random < 0);"
        ));
    }
    lines
}

/// Do the statements of [`random`] need their loop variable?
fn random_index(width: u32) -> bool {
    width > 1 && width != 32
}

/// Does simulation keep an array for each port? Its variables must not be written from two clocks.
pub(super) fn split(spec: &MemSpec) -> bool {
    spec.kind == MemKind::TrueDual && spec.two_clocks
}

/// Power-up: contents if there are any, in simulation otherwise random words, and random read registers `regs`.
pub(super) fn power_up(t: &mut Text, spec: &MemSpec, regs: &[&str]) {
    let array = if split(spec) { "a_mem" } else { "mem" };
    t.line("");
    if let Some(init) = &spec.init {
        if split(spec) {
            t.line("`ifdef SYNTHESIS");
            contents(t, spec, "mem", init);
            t.line("`else");
        }
        contents(t, spec, array, init);
        if split(spec) {
            t.line("`endif");
        }
    }
    if split(spec) {
        t.lines(["`ifndef SYNTHESIS", "integer b_word;"]);
        t.block("initial", |t| {
            let (d, w) = (spec.depth, spec.width);
            t.line(format!("for (b_word = 0; b_word < {d}; b_word = b_word + 1) b_mem[b_word] = {w}'h0;"));
        });
        t.line("`endif");
    }
    let words = spec.init.is_none();
    if !words && regs.is_empty() {
        return;
    }
    t.lines(["`ifndef SYNTHESIS", "`ifndef FORMAL"]);
    if random_index(spec.width) {
        t.line("integer start_bit;");
    }
    if words {
        t.line("integer start_word;");
    }
    t.block("initial", |t| {
        if words {
            t.block(&format!("for (start_word = 0; start_word < {}; start_word = start_word + 1)", spec.depth), |t| {
                t.lines(random(&format!("{array}[start_word]"), spec.width, "=", "start_bit"));
            });
        }
        for r in regs {
            t.lines(random(r, spec.width, "=", "start_bit"));
        }
    });
    t.lines(["`endif", "`endif"]);
}

/// The initial contents, word by word.
fn contents(t: &mut Text, spec: &MemSpec, array: &str, init: &[Value]) {
    let zeros = init.len() < spec.depth as usize || init.iter().any(Value::is_zero);
    if zeros {
        t.line("integer init_word;");
    }
    t.block("initial", |t| {
        if zeros {
            let d = spec.depth;
            t.line(format!(
                "for (init_word = 0; init_word < {d}; init_word = init_word + 1) {array}[init_word] = {}'h0;",
                spec.width
            ));
        }
        for (i, v) in init.iter().enumerate().filter(|(_, v)| !v.is_zero()) {
            t.line(format!("{array}[{i}] = {v};"));
        }
    });
    t.line("");
}

/// In simulation `target` becomes random when one of `conditions` holds; in a formal proof anything.
pub(super) fn undefined(t: &mut Text, conditions: &[String], width: u32, target: &str, prefix: &str) {
    if conditions.is_empty() {
        return;
    }
    let cond = match conditions {
        [one] => one.clone(),
        many => many.iter().map(|c| format!("({c})")).collect::<Vec<_>>().join(" || "),
    };
    t.lines(["`ifdef SYNTHESIS", "`elsif FORMAL"]);
    t.line(format!("if ({cond}) {target} <= {prefix}undefined;"));
    t.line("`else");
    t.block(&format!("if ({cond})"), |t| t.lines(random(target, width, "<=", &format!("{prefix}draw"))));
    t.line("`endif");
}

/// What [`undefined`] needs.
pub(super) fn undefined_source(t: &mut Text, width: u32, prefix: &str) {
    t.lines(["`ifdef SYNTHESIS", "`elsif FORMAL"]);
    t.line(format!("(* anyseq *) wire {}{prefix}undefined;", range(width)));
    if random_index(width) {
        t.line("`else");
        t.line(format!("integer {prefix}draw;"));
    }
    t.line("`endif");
}
