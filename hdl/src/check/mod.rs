//! Elaboration checks: what a module must satisfy before it is emitted or simulated.
//!
//! | file | finds |
//! |---|---|
//! | `names` | port and module names that are no identifiers, or that clash |
//! | `drive` | signals that are driven on no path, not on every path, or twice |
//! | `unused` | signals and bits that nothing uses |
//! | `graph` | combinational loops, combinational paths from port to port |
//! | `crossing` | signals that change clock domain without a crossing primitive |
//! | `states` | states that no transition reaches |

use crate::{
    Value,
    error::{ElabError, Fault},
    ir::*,
};
use std::{collections::HashSet, rc::Rc};

mod crossing;
mod drive;
mod graph;
mod names;
mod paths;
mod states;
mod unused;

pub(crate) use names::port_names;
pub use paths::{CombPath, assert_no_combinational_paths, combinational_paths, no_combinational_path};
pub use unused::{Use, Uses};

/// Which clock and reset ports a module needs: those that its registers, properties, memories or instances use.
pub(crate) fn clocks_used(m: &Module) -> Vec<ClockUse> {
    let mut used = clocks_of(m, |_| true);
    for p in &m.props {
        used[p.domain.0 as usize] = ClockUse { clk: true, rst: true };
    }
    used
}

/// The clocks and resets of the registers that `counts` picks, and of memories and instances.
fn clocks_of(m: &Module, counts: impl Fn(SigId) -> bool) -> Vec<ClockUse> {
    let mut used = vec![ClockUse::default(); m.domains.len()];
    for (i, s) in m.sigs.iter().enumerate() {
        if let SigKind::Reg(r) = &s.kind
            && counts(SigId(i as u32))
        {
            let u = &mut used[r.domain.0 as usize];
            u.clk = true;
            u.rst |= r.reset.is_some() && r.async_reset.is_none();
        }
    }
    for inst in &m.insts {
        let inner = match &inst.target {
            Target::Memory(spec) => vec![ClockUse { clk: true, rst: false }; spec.domains().len()],
            Target::Module(child) => child.clocks_used.clone(),
        };
        for (map, inner) in inst.domains.iter().zip(inner) {
            let u = &mut used[map.domain.0 as usize];
            u.clk |= inner.clk;
            u.rst |= inner.rst && map.reset.is_none();
        }
    }
    used
}

/// Checks a module and everything beneath it. A fault that several instances of one block share is reported once.
pub(crate) fn module_tree(m: &Rc<Module>, errors: &mut Vec<ElabError>) {
    let mut found = Vec::new();
    visit(m, &mut graph::Cache::default(), &mut found);
    let mut seen = HashSet::new();
    errors.extend(found.into_iter().filter(|e| seen.insert((e.fault, e.module.clone(), e.message.clone()))));
}

fn visit(m: &Rc<Module>, cache: &mut graph::Cache, errors: &mut Vec<ElabError>) {
    for inst in &m.insts {
        if let Target::Module(child) = &inst.target {
            visit(child, cache, errors);
        }
    }
    let drivers = drive::Drivers::of(m);
    drive::check(m, &drivers, errors);
    unused::check(m, &drivers, errors);
    states::check(m, &drivers, errors);
    let graph = graph::Graph::new(m, &drivers, cache);
    let before = errors.len();
    graph::loops(&graph, errors);
    // In a loop there is no order in which domains could be followed.
    if errors.len() == before {
        crossing::check(&graph, errors);
    }
    let through = graph.through();
    cache.keep(m, through);
}

/// An error in module `m`.
fn error(m: &Module, fault: Fault, loc: Loc, message: String) -> ElabError {
    ElabError { fault, module: m.base_name.clone(), loc, message }
}

/// `file:line`.
fn place(loc: Loc) -> String {
    format!("{}:{}", loc.file(), loc.line())
}

/// What a signal is and is called, for messages.
fn describe(m: &Module, id: SigId) -> String {
    let s = m.sig(id);
    let pin = |inst: &u32, port: &u32| {
        let inst = &m.insts[*inst as usize];
        format!("`{}` of instance `{}`", inst.target.pins()[*port as usize].name, inst.name)
    };
    match (&s.kind, s.port) {
        (SigKind::Input, _) => format!("input `{}`", s.name),
        (SigKind::InstIn { inst, port }, _) => format!("input {}", pin(inst, port)),
        (SigKind::InstOut { inst, port }, _) => format!("output {}", pin(inst, port)),
        (_, Some(_)) => format!("output `{}`", s.name),
        (SigKind::Reg(_), _) => format!("register `{}`", s.name),
        (SigKind::Comb, _) => format!("wire `{}`", s.name),
    }
}

/// The set bits of a mask in Verilog's order: `bit 8`, `bits 11:8`, `bits 11:8 and 3`.
fn bits_text(mask: &Value) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for i in (0..mask.width()).rev().filter(|i| mask.bit(*i)) {
        match runs.last_mut() {
            Some((_, lo)) if *lo == i + 1 => *lo = i,
            _ => runs.push((i, i)),
        }
    }
    let one = |(hi, lo): &(u32, u32)| if hi == lo { hi.to_string() } else { format!("{hi}:{lo}") };
    let text: Vec<String> = runs.iter().map(one).collect();
    let word = if mask.count_ones() == 1 { "bit" } else { "bits" };
    match text.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{word} {} and {last}", rest.join(", ")),
        _ => format!("{word} {}", text.concat()),
    }
}

/// Is or are, for as many bits as the mask has.
fn verb(mask: &Value) -> &'static str {
    if mask.count_ones() == 1 { "is" } else { "are" }
}

/// A mask of `width` bits with bits `lsb .. lsb + n` set.
fn range(width: u32, lsb: u32, n: u32) -> Value {
    Value::ones(n).resize(width).shl(lsb)
}
