//! What drives each signal: on every path, and only once.

use super::{bits_text, describe, error, place, range, verb};
use crate::{
    Value,
    error::{ElabError, Fault},
    ir::*,
};
use std::collections::HashMap;

/// One assignment, with the conditions it stands under.
pub(super) struct Driver {
    pub lsb: u32,
    pub value: NodeId,
    pub loc: Loc,
    /// Conditions of the enclosing `when`s and subjects of the enclosing `switch`es, outermost first.
    pub conds: Vec<NodeId>,
}

/// The assignments to each signal of a module.
pub(super) struct Drivers(Vec<Vec<Driver>>);

impl Drivers {
    pub fn of(m: &Module) -> Self {
        let mut all = Drivers(m.sigs.iter().map(|_| vec![]).collect());
        all.collect(&m.stmts, &mut vec![]);
        all
    }

    fn collect(&mut self, stmts: &[Stmt], conds: &mut Vec<NodeId>) {
        for s in stmts {
            match s {
                Stmt::Assign { target, lsb, value, loc } => {
                    let driver = Driver { lsb: *lsb, value: *value, loc, conds: conds.clone() };
                    self.0[target.0 as usize].push(driver);
                }
                Stmt::If { cond, then, otherwise, .. } => {
                    conds.push(*cond);
                    self.collect(then, conds);
                    self.collect(otherwise, conds);
                    conds.pop();
                }
                Stmt::Switch { subject, arms, default, .. } => {
                    conds.push(*subject);
                    for (_, body) in arms {
                        self.collect(body, conds);
                    }
                    self.collect(default, conds);
                    conds.pop();
                }
            }
        }
    }

    pub fn get(&self, s: SigId) -> &[Driver] {
        &self.0[s.0 as usize]
    }
}

pub(super) fn check(m: &Module, drivers: &Drivers, errors: &mut Vec<ElabError>) {
    undriven(m, drivers, errors);
    twice(m, &m.stmts, &mut vec![], errors);
}

fn undriven(m: &Module, drivers: &Drivers, errors: &mut Vec<ElabError>) {
    let always = always_assigned(m, &m.stmts);
    for (i, s) in m.sigs.iter().enumerate() {
        let id = SigId(i as u32);
        if matches!(s.kind, SigKind::Input | SigKind::InstOut { .. }) {
            continue;
        }
        let what = describe(m, id);
        let mut sometimes = Value::zero(s.width);
        for d in drivers.get(id) {
            sometimes = sometimes.zip(&range(s.width, d.lsb, m.node(d.value).width), |a, b| a | b);
        }
        if sometimes.is_zero() {
            let message = format!("{what} is never assigned: assign it with `set`, or remove it");
            errors.push(error(m, Fault::Undriven, s.loc, message));
            continue;
        }
        let never = sometimes.not();
        if !never.is_zero() {
            let message = format!("{} of {what} {} never assigned", bits_text(&never), verb(&never));
            errors.push(error(m, Fault::Undriven, s.loc, message));
            continue;
        }
        if matches!(s.kind, SigKind::Reg(_)) {
            continue;
        }
        let missing = always.get(&id).map_or_else(|| Value::ones(s.width), Value::not);
        if let Some(bit) = (0..s.width).find(|b| missing.bit(*b)) {
            let part = if missing.is_ones() { what } else { format!("{} of {what}", bits_text(&missing)) };
            let is = if missing.is_ones() { "is" } else { verb(&missing) };
            let hole = hole(m, &m.stmts, id, bit).unwrap_or_default();
            let message = format!(
                "{part} {is} not assigned on every path (a latch): nothing assigns it {hole}; \
                 assign it there, or give it a default before"
            );
            errors.push(error(m, Fault::Undriven, s.loc, message));
        }
    }
}

type Masks = HashMap<SigId, Value>;

fn merge(into: &mut Masks, target: SigId, mask: Value) {
    let known = into.entry(target).or_insert_with(|| Value::zero(mask.width()));
    *known = known.zip(&mask, |a, b| a | b);
}

/// The bits that are assigned whatever the conditions are.
fn always_assigned(m: &Module, stmts: &[Stmt]) -> Masks {
    let mut all = Masks::new();
    for s in stmts {
        match s {
            Stmt::Assign { target, lsb, value, .. } => {
                merge(&mut all, *target, range(m.sig(*target).width, *lsb, m.node(*value).width));
            }
            Stmt::If { then, otherwise, .. } => {
                for (sig, mask) in common(m, &[then, otherwise]) {
                    merge(&mut all, sig, mask);
                }
            }
            Stmt::Switch { subject, arms, default, .. } => {
                let mut bodies: Vec<&Vec<Stmt>> = arms.iter().map(|(_, body)| body).collect();
                if !covers_all(m, *subject, arms) {
                    bodies.push(default);
                }
                for (sig, mask) in common(m, &bodies) {
                    merge(&mut all, sig, mask);
                }
            }
        }
    }
    all
}

/// Do the arms name every value of the subject? (No value stands in two arms.)
fn covers_all(m: &Module, subject: NodeId, arms: &[(Vec<Value>, Vec<Stmt>)]) -> bool {
    let named: u64 = arms.iter().map(|(values, _)| values.len() as u64).sum();
    let width = m.node(subject).width;
    width < 64 && named >= 1 << width
}

/// The bits that every one of the branches assigns.
fn common(m: &Module, branches: &[&Vec<Stmt>]) -> Masks {
    let Some((first, rest)) = branches.split_first() else { return Masks::new() };
    let mut all = always_assigned(m, first);
    for branch in rest {
        let here = always_assigned(m, branch);
        all.retain(|sig, mask| match here.get(sig) {
            Some(other) => {
                *mask = mask.zip(other, |a, b| a & b);
                true
            }
            None => false,
        });
    }
    all
}

fn assigns(m: &Module, stmts: &[Stmt], sig: SigId, bit: u32) -> bool {
    always_assigned(m, stmts).get(&sig).is_some_and(|mask| mask.bit(bit))
}

fn condition(m: &Module, cond: NodeId, loc: Loc) -> String {
    let node = m.node(cond);
    match (&node.name, &node.op) {
        (Some(name), _) => format!("`{name}` ({})", place(loc)),
        (None, Op::Sig(s)) => format!("`{}` ({})", m.sig(*s).name, place(loc)),
        _ => format!("the condition at {}", place(loc)),
    }
}

/// Words for a path on which bit `bit` of `sig` stays unassigned; none if `stmts` assign it always or never.
fn hole(m: &Module, stmts: &[Stmt], sig: SigId, bit: u32) -> Option<String> {
    if assigns(m, stmts, sig, bit) {
        return None;
    }
    stmts.iter().find_map(|s| match s {
        Stmt::Assign { .. } => None,
        Stmt::If { cond, then, otherwise, loc } => {
            let cond = condition(m, *cond, loc);
            let (inner_then, inner_else) = (hole(m, then, sig, bit), hole(m, otherwise, sig, bit));
            let (in_then, in_else) = (assigns(m, then, sig, bit), assigns(m, otherwise, sig, bit));
            match (in_then, in_else, inner_then, inner_else) {
                (true, _, _, None) => Some(format!("when {cond} is 0")),
                (true, _, _, Some(deeper)) => Some(format!("when {cond} is 0 and {deeper}")),
                (_, true, None, _) => Some(format!("when {cond} is 1")),
                (_, true, Some(deeper), _) | (_, _, Some(deeper), _) => Some(format!("when {cond} is 1 and {deeper}")),
                (_, _, None, Some(deeper)) => Some(format!("when {cond} is 0 and {deeper}")),
                (false, false, None, None) => None,
            }
        }
        Stmt::Switch { subject, arms, default, loc } => {
            let subject_text = condition(m, *subject, loc);
            let bodies = || arms.iter().map(|(_, body)| body).chain([default]);
            if !bodies().any(|b| assigns(m, b, sig, bit) || hole(m, b, sig, bit).is_some()) {
                return None;
            }
            let arm = arms.iter().find(|(_, body)| !assigns(m, body, sig, bit));
            let (case, body) = match arm {
                Some((values, body)) => {
                    let values: Vec<String> = values.iter().map(Value::to_string).collect();
                    (format!("when {subject_text} is {}", values.join(" or ")), body)
                }
                None => (format!("when {subject_text} matches no case"), default),
            };
            Some(match hole(m, body, sig, bit) {
                Some(deeper) => format!("{case} and {deeper}"),
                None => case,
            })
        }
    })
}

/// A plain assignment that stands later, in the same scope or in one around it.
struct Later {
    target: SigId,
    lsb: u32,
    end: u32,
    loc: Loc,
}

/// Assignments that a later one overwrites whatever the conditions are. A default that a later assignment refines in a
/// part of its bits is none.
fn twice(m: &Module, stmts: &[Stmt], later: &mut Vec<Later>, errors: &mut Vec<ElabError>) {
    let outside = later.len();
    for s in stmts.iter().rev() {
        match s {
            Stmt::Assign { target, lsb, value, loc } => {
                let end = lsb + m.node(*value).width;
                if let Some((again, bits)) = overwritten(m, *target, *lsb, end, later) {
                    let what = describe(m, *target);
                    let part = if bits.is_ones() { what } else { format!("{} of {what}", bits_text(&bits)) };
                    let message = format!(
                        "{part} {} driven twice: this assignment never counts, the one at {} always follows it; \
                         remove one, or put the later one under a `when`",
                        if bits.is_ones() { "is" } else { verb(&bits) },
                        place(again)
                    );
                    errors.push(error(m, Fault::DoublyDriven, loc, message));
                }
                later.push(Later { target: *target, lsb: *lsb, end, loc });
            }
            Stmt::If { then, otherwise, .. } => {
                twice(m, then, later, errors);
                twice(m, otherwise, later, errors);
            }
            Stmt::Switch { arms, default, .. } => {
                for (_, body) in arms {
                    twice(m, body, later, errors);
                }
                twice(m, default, later, errors);
            }
        }
    }
    later.truncate(outside);
}

fn overwritten(m: &Module, target: SigId, lsb: u32, end: u32, later: &[Later]) -> Option<(Loc, Value)> {
    let width = m.sig(target).width;
    let mine = range(width, lsb, end - lsb);
    let mut refined = Value::zero(width);
    for l in later.iter().filter(|l| l.target == target && l.lsb < end && lsb < l.end) {
        let both = mine.zip(&range(width, l.lsb, l.end - l.lsb), |a, b| a & b);
        let inside = lsb <= l.lsb && l.end <= end && (l.lsb, l.end) != (lsb, end);
        refined = refined.zip(&both, |a, b| a | b);
        if !inside || refined == mine {
            return Some((l.loc, both));
        }
    }
    None
}
