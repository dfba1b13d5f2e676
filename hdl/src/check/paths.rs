//! Combinational paths between the ports of a design.

use super::{
    drive::Drivers,
    error,
    graph::{Cache, Graph, Step, steps_text},
};
use crate::{
    Block, Design,
    error::{ElabErrors, Fault},
};
use std::fmt;

/// A combinational path from an input port to an output port.
#[derive(Clone, Debug)]
pub struct CombPath {
    /// Input port.
    pub from: String,
    /// Output port.
    pub to: String,
    /// Each station on the way, both ports included, as `` `name` (file:line) ``.
    pub lines: Vec<String>,
}

impl fmt::Display for CombPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join(" -> "))
    }
}

/// Every pair of ports of the top module that a combinational path joins, with one such path; through the hierarchy,
/// in the order of the ports.
pub fn combinational_paths(design: &Design) -> Vec<CombPath> {
    let mut cache = Cache::default();
    let mut last = Vec::new();
    for m in &design.modules {
        let drivers = Drivers::of(m);
        last = Graph::new(m, &drivers, &cache).through();
        cache.keep(m, last.clone());
    }
    let ports: Vec<String> = design.top().ports().map(|(_, s, _)| s.name.clone()).collect();
    let line = |s: &Step| steps_text(std::slice::from_ref(s));
    let path = |t: crate::check::graph::Through| CombPath {
        from: ports[t.from as usize].clone(),
        to: ports[t.to as usize].clone(),
        lines: t.steps.iter().map(line).collect(),
    };
    last.into_iter().map(path).collect()
}

/// There is no combinational path from an input port whose name begins with `from` to an output port whose name begins
/// with `to`.
///
/// # Errors
/// [`Fault::Path`] for each pair of ports that has one, with the Rust lines along it.
pub fn no_combinational_path(design: &Design, from: &str, to: &str) -> Result<(), ElabErrors> {
    let top = design.top();
    let paths = combinational_paths(design).into_iter().filter(|p| p.from.starts_with(from) && p.to.starts_with(to));
    let errors: Vec<_> = paths
        .map(|p| {
            let message = format!(
                "output `{}` depends combinationally on input `{}`: {p}; put a register on this path",
                p.to, p.from
            );
            error(top, Fault::Path, top.loc, message)
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(ElabErrors(errors)) }
}

/// The first test of a stream block: no output depends combinationally on any input.
///
/// # Panics
/// If the block does not elaborate, or if there is such a path; the message gives the Rust lines along it.
#[track_caller]
pub fn assert_no_combinational_paths<B: Block>(block: &B) {
    let checked = crate::elaborate(block).and_then(|design| no_combinational_path(&design, "", ""));
    if let Err(errors) = checked {
        panic!("{errors}");
    }
}
