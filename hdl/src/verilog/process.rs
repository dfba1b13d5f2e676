//! Assignments and `always` blocks: which signals share one, and the text of statements.

use super::expr::Printer;
use crate::ir::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Signals that one `always` block drives, with its statements.
pub(super) struct Process {
    pub targets: Vec<SigId>,
    pub stmts: Vec<Stmt>,
}

/// The statements reduced to those that drive `keep`.
pub(super) fn project(stmts: &[Stmt], keep: &dyn Fn(SigId) -> bool) -> Vec<Stmt> {
    let mut out = Vec::new();
    for s in stmts {
        match s {
            Stmt::Assign { target, .. } => {
                if keep(*target) {
                    out.push(s.clone());
                }
            }
            Stmt::If { cond, then, otherwise, loc } => {
                let (then, otherwise) = (project(then, keep), project(otherwise, keep));
                if !then.is_empty() || !otherwise.is_empty() {
                    out.push(Stmt::If { cond: *cond, then, otherwise, loc });
                }
            }
            Stmt::Switch { subject, arms, default, loc } => {
                let arms: Vec<_> = arms.iter().map(|(v, body)| (v.clone(), project(body, keep))).collect();
                let default = project(default, keep);
                if !default.is_empty() || arms.iter().any(|(_, b)| !b.is_empty()) {
                    out.push(Stmt::Switch { subject: *subject, arms, default, loc });
                }
            }
        }
    }
    out
}

fn targets(stmts: &[Stmt], out: &mut BTreeSet<SigId>) {
    for s in stmts {
        match s {
            Stmt::Assign { target, .. } => {
                out.insert(*target);
            }
            Stmt::If { then, otherwise, .. } => {
                targets(then, out);
                targets(otherwise, out);
            }
            Stmt::Switch { arms, default, .. } => {
                arms.iter().for_each(|(_, b)| targets(b, out));
                targets(default, out);
            }
        }
    }
}

/// Groups signals that top-level statements drive together.
fn clusters(stmts: &[Stmt]) -> Vec<Process> {
    let mut group_of: HashMap<SigId, usize> = HashMap::new();
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut members: BTreeMap<usize, BTreeSet<SigId>> = BTreeMap::new();
    for (i, s) in stmts.iter().enumerate() {
        let mut driven = BTreeSet::new();
        targets(std::slice::from_ref(s), &mut driven);
        let joined: BTreeSet<usize> = driven.iter().filter_map(|t| group_of.get(t).copied()).collect();
        let group = joined.first().copied().unwrap_or(i);
        for other in joined.into_iter().skip(1) {
            let (roots, sigs) = (groups.remove(&other).unwrap_or_default(), members.remove(&other).unwrap_or_default());
            groups.entry(group).or_default().extend(roots);
            members.entry(group).or_default().extend(sigs);
        }
        groups.entry(group).or_default().push(i);
        members.entry(group).or_default().extend(driven);
        for t in &members[&group] {
            group_of.insert(*t, group);
        }
    }
    let process = |(group, mut roots): (usize, Vec<usize>)| {
        roots.sort_unstable();
        let stmts = roots.into_iter().map(|i| stmts[i].clone()).collect();
        Process { targets: members[&group].iter().copied().collect(), stmts }
    };
    groups.into_iter().map(process).collect()
}

/// Clocked processes of the signals in `keep`, all of one domain. Plain delays stand together, those with a reset apart.
pub(super) fn clocked(m: &Module, keep: &HashSet<SigId>) -> Vec<Process> {
    let stmts = project(&m.stmts, &|t| keep.contains(&t));
    let mut plain = [(); 2].map(|()| Process { targets: vec![], stmts: vec![] });
    let mut out = Vec::new();
    for p in clusters(&stmts) {
        if p.stmts.iter().all(|s| matches!(s, Stmt::Assign { .. })) {
            let has_reset = |t: &SigId| matches!(&m.sig(*t).kind, SigKind::Reg(r) if r.reset.is_some());
            let together = &mut plain[usize::from(p.targets.iter().any(has_reset))];
            together.targets.extend(p.targets);
            together.stmts.extend(p.stmts);
        } else {
            out.push(p);
        }
    }
    out.extend(plain.into_iter().filter(|p| !p.stmts.is_empty()));
    out
}

/// Combinational processes of the signals in `keep`. Signals share one only if none of them feeds another: inside an
/// `always` block a later statement would read the value so far, not the final one.
pub(super) fn combinational(m: &Module, keep: &HashSet<SigId>) -> Vec<Process> {
    let stmts = project(&m.stmts, &|t| keep.contains(&t));
    let mut out = Vec::new();
    for p in clusters(&stmts) {
        if p.targets.len() == 1 || !feeds_itself(m, &p) {
            out.push(p);
            continue;
        }
        for t in p.targets {
            out.push(Process { targets: vec![t], stmts: project(&p.stmts, &|x| x == t) });
        }
    }
    out
}

fn expressions(stmts: &[Stmt], out: &mut Vec<NodeId>) {
    for s in stmts {
        match s {
            Stmt::Assign { value, .. } => out.push(*value),
            Stmt::If { cond, then, otherwise, .. } => {
                out.push(*cond);
                expressions(then, out);
                expressions(otherwise, out);
            }
            Stmt::Switch { subject, arms, default, .. } => {
                out.push(*subject);
                arms.iter().for_each(|(_, b)| expressions(b, out));
                expressions(default, out);
            }
        }
    }
}

fn feeds_itself(m: &Module, p: &Process) -> bool {
    let mut work = Vec::new();
    expressions(&p.stmts, &mut work);
    let mut seen: HashSet<NodeId> = HashSet::new();
    let mut seen_sigs: HashSet<SigId> = HashSet::new();
    while let Some(n) = work.pop() {
        if !seen.insert(n) {
            continue;
        }
        let Op::Sig(s) = m.node(n).op else {
            work.extend(m.node(n).op.operands());
            continue;
        };
        if p.targets.contains(&s) {
            return true;
        }
        let combinational = matches!(m.sig(s).kind, SigKind::Comb | SigKind::InstIn { .. });
        if combinational && seen_sigs.insert(s) {
            expressions(&project(&m.stmts, &|t| t == s), &mut work);
        }
        if let SigKind::InstOut { inst, .. } = m.sig(s).kind {
            // An output may depend on any of its instance's inputs.
            for pin in &m.insts[inst as usize].pins {
                if p.targets.contains(pin) {
                    return true;
                }
                if seen_sigs.insert(*pin) {
                    expressions(&project(&m.stmts, &|t| t == *pin), &mut work);
                }
            }
        }
    }
    false
}

/// Text of statements, `=` or `<=`.
pub(super) fn text(p: &Printer<'_>, stmts: &[Stmt], assign: &str, indent: usize, out: &mut Vec<String>) {
    let pad = "    ".repeat(indent);
    for s in stmts {
        match s {
            Stmt::Assign { target, lsb, value, .. } => {
                let sig = p.m.sig(*target);
                let states = match &sig.kind {
                    SigKind::Reg(r) => r.states.as_ref(),
                    _ => None,
                };
                let width = p.m.node(*value).width;
                let part = match (width == sig.width, width) {
                    (true, _) => String::new(),
                    (false, 1) => format!("[{lsb}]"),
                    (false, _) => format!("[{}:{lsb}]", lsb + width - 1),
                };
                out.push(format!("{pad}{}{part} {assign} {};", p.sig(*target), p.expr_of_state(*value, states)));
            }
            Stmt::If { cond, then, otherwise, .. } => if_text(p, *cond, then, otherwise, assign, indent, "", out),
            Stmt::Switch { subject, arms, default, .. } => {
                out.push(format!("{pad}case ({})", p.expr(*subject)));
                let states = match p.m.node(*subject).op {
                    Op::Sig(s) => match &p.m.sig(s).kind {
                        SigKind::Reg(r) => r.states.as_ref(),
                        _ => None,
                    },
                    _ => None,
                };
                for (values, body) in
                    arms.iter().filter(|(v, b)| !v.is_empty() && (!b.is_empty() || !default.is_empty()))
                {
                    let labels: Vec<String> = values.iter().map(|v| p.constant(v, states)).collect();
                    arm(p, &labels.join(", "), body, assign, indent + 1, out);
                }
                arm(p, "default", default, assign, indent + 1, out);
                out.push(format!("{pad}endcase"));
            }
        }
    }
}

fn arm(p: &Printer<'_>, label: &str, body: &[Stmt], assign: &str, indent: usize, out: &mut Vec<String>) {
    let pad = "    ".repeat(indent);
    if body.is_empty() {
        out.push(format!("{pad}{label}: ;"));
        return;
    }
    out.push(format!("{pad}{label}: begin"));
    text(p, body, assign, indent + 1, out);
    out.push(format!("{pad}end"));
}

#[allow(clippy::too_many_arguments)]
fn if_text(
    p: &Printer<'_>,
    cond: NodeId,
    then: &[Stmt],
    otherwise: &[Stmt],
    assign: &str,
    indent: usize,
    lead: &str,
    out: &mut Vec<String>,
) {
    let pad = "    ".repeat(indent);
    let condition = p.expr(cond);
    if then.is_empty() {
        out.push(format!("{pad}{lead}if (!({condition})) begin"));
        text(p, otherwise, assign, indent + 1, out);
        out.push(format!("{pad}end"));
        return;
    }
    out.push(format!("{pad}{lead}if ({condition}) begin"));
    text(p, then, assign, indent + 1, out);
    match otherwise {
        [] => out.push(format!("{pad}end")),
        [Stmt::If { cond, then, otherwise, .. }] => {
            if_text(p, *cond, then, otherwise, assign, indent, "end else ", out);
        }
        _ => {
            out.push(format!("{pad}end else begin"));
            text(p, otherwise, assign, indent + 1, out);
            out.push(format!("{pad}end"));
        }
    }
}
