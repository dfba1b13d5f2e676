//! Text of properties, under `` `ifdef EM_ASSERT``: assertions for simulators, and for formal proof under `FORMAL`.

use super::{expr::Printer, module::Writer, one_line};
use crate::ir::*;
use std::collections::HashSet;

pub(super) fn text(w: &Writer<'_>, p: &Printer<'_>) -> String {
    if w.m.props.is_empty() {
        return String::new();
    }
    let mut out = format!("`ifdef EM_ASSERT\n{}", w.section(p, &p.plan.checking, true));
    for (d, domain) in w.m.domains.iter().enumerate() {
        let here = w.m.props.iter().filter(|q| q.domain.0 as usize == d);
        let props: Vec<(&Prop, String)> = here.map(|q| (q, p.plan.taken.borrow_mut().unique(&label(q)))).collect();
        if props.is_empty() {
            continue;
        }
        let begin = format!("    always @(posedge {}) begin\n        if (!{}) begin\n", domain.clk(), domain.rst());
        out += "`ifdef FORMAL\n";
        out += &begin;
        for (q, label) in &props {
            out += &format!("            {label}: {} ({});\n", keyword(q.kind), p.expr(q.cond));
        }
        out += "        end\n    end\n`else\n";
        out += &begin;
        for (q, label) in &props {
            let cond = p.expr(q.cond);
            out += &match q.kind {
                PropKind::Cover => format!("            {label}: cover ({cond});\n"),
                _ => format!(
                    "            if (!({cond})) begin\n                $display(\"%m: {}\");\n                $stop;\n            end\n",
                    one_line(&q.message).replace('\\', "/").replace('"', "'").replace('%', "%%")
                ),
            };
        }
        out += "        end\n    end\n`endif\n";
    }
    out + "`endif\n" + &idle_resets(w.m)
}

/// A reset that only properties look at is unused without them.
fn idle_resets(m: &Module) -> String {
    let mut used: HashSet<usize> = HashSet::new();
    for s in &m.sigs {
        if let SigKind::Reg(r) = &s.kind
            && r.reset.is_some()
            && r.async_reset.is_none()
        {
            used.insert(r.domain.0 as usize);
        }
    }
    for inst in &m.insts {
        if let Target::Module(child) = &inst.target {
            let maps = inst.domains.iter().zip(&child.clocks_used);
            used.extend(maps.filter(|(map, u)| u.rst && map.reset.is_none()).map(|(map, _)| map.domain.0 as usize));
        }
    }
    let idle: Vec<String> = (0..m.domains.len())
        .filter(|d| m.props.iter().any(|p| p.domain.0 as usize == *d) && !used.contains(d))
        .map(|d| format!("    wire {0}_unused = {0};\n", m.domains[d].rst()))
        .collect();
    if idle.is_empty() { String::new() } else { format!("`ifndef EM_ASSERT\n{}`endif\n", idle.concat()) }
}

fn label(q: &Prop) -> String {
    let kind = match q.kind {
        PropKind::Assert => "assert",
        PropKind::Assume => "assume",
        PropKind::Cover => "cover",
    };
    format!("{kind}_{}", crate::names::identifier(&q.name))
}

fn keyword(kind: PropKind) -> &'static str {
    match kind {
        PropKind::Assert => "assert",
        PropKind::Assume => "assume",
        PropKind::Cover => "cover",
    }
}
