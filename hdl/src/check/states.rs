//! States that no transition reaches.

use super::{describe, drive::Drivers, error};
use crate::{
    error::{ElabError, Fault},
    ir::*,
};
use std::collections::HashSet;

pub(super) fn check(m: &Module, drivers: &Drivers, errors: &mut Vec<ElabError>) {
    for (i, s) in m.sigs.iter().enumerate() {
        let SigKind::Reg(RegInfo { states: Some(states), reset, .. }) = &s.kind else { continue };
        let id = SigId(i as u32);
        let mut reached: HashSet<u64> = reset.iter().map(crate::Value::to_u64).collect();
        let known = drivers
            .get(id)
            .iter()
            .all(|d| d.lsb == 0 && m.node(d.value).width == s.width && constants(m, d.value, id, &mut reached));
        if !known {
            continue;
        }
        for (name, _) in states.variants.iter().filter(|(_, v)| !reached.contains(v)) {
            let message = format!(
                "state `{}::{name}` of {} is never reached: it is neither the reset state nor ever assigned; \
                 add the transition or remove the variant",
                states.name,
                describe(m, id)
            );
            errors.push(error(m, Fault::Unreached, s.loc, message));
        }
    }
}

/// Collects the constants that `node` can be; false if it can be anything else than these and `hold`'s own value.
fn constants(m: &Module, node: NodeId, hold: SigId, found: &mut HashSet<u64>) -> bool {
    let mut stack = vec![node];
    let mut seen = HashSet::new();
    while let Some(n) = stack.pop() {
        if !seen.insert(n) {
            continue;
        }
        match &m.node(n).op {
            Op::Const(v) => drop(found.insert(v.to_u64())),
            Op::Sig(s) if *s == hold => {}
            Op::Mux(_, t, f) => stack.extend([*t, *f]),
            Op::Select(_, options) => stack.extend(options),
            _ => return false,
        }
    }
    true
}
