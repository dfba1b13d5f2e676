//! Text of expressions.

use super::plan::Plan;
use crate::{Value, ir::*};
use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

/// Prints expressions of one module.
pub(super) struct Printer<'a> {
    pub m: &'a Module,
    pub plan: &'a Plan,
    /// State constants that were printed, to be declared.
    pub states: RefCell<StateConstants>,
}

/// Names of state constants, by enum, code, variant and width: enums of one name may differ.
pub(super) type StateConstants = BTreeMap<(&'static str, u64, &'static str, u32), String>;

/// Text and whether it can stand as an operand without parentheses.
struct Text(String, bool);

impl Printer<'_> {
    /// The expression's text, by its name if it has one.
    pub fn expr(&self, id: NodeId) -> String {
        self.text(id, None).0
    }

    /// The expression as a value of a state register.
    pub fn expr_of_state(&self, id: NodeId, states: Option<&Rc<StateNames>>) -> String {
        self.text(id, states).0
    }

    /// The text that defines a named expression.
    pub fn definition(&self, id: NodeId) -> String {
        self.build(id, None).0
    }

    /// The name of a signal at its place: an inlined pin reads as what drives it.
    pub fn sig(&self, id: SigId) -> String {
        if let Some(value) = self.plan.inlined.get(&id) {
            return self.expr(*value);
        }
        if let Some(port) = self.plan.bound.get(&id) {
            return self.m.sig(*port).name.clone();
        }
        self.m.sig(id).name.clone()
    }

    fn operand(&self, id: NodeId) -> String {
        match self.text(id, None) {
            Text(t, true) => t,
            Text(t, false) => format!("({t})"),
        }
    }

    /// The operand of a reduction. A complement stands in parentheses, for `^~` is an operator of its own.
    fn reduced(&self, id: NodeId) -> String {
        match self.operand(id) {
            t if t.starts_with(['~', '!']) => format!("({t})"),
            t => t,
        }
    }

    fn text(&self, id: NodeId, states: Option<&Rc<StateNames>>) -> Text {
        match self.plan.wires.get(&id) {
            Some(name) => Text(name.clone(), true),
            None => self.build(id, states),
        }
    }

    fn states_of(&self, id: NodeId) -> Option<&Rc<StateNames>> {
        match &self.m.node(id).op {
            Op::Sig(s) => match &self.m.sig(*s).kind {
                SigKind::Reg(r) => r.states.as_ref(),
                _ => None,
            },
            _ => None,
        }
    }

    fn build(&self, id: NodeId, states: Option<&Rc<StateNames>>) -> Text {
        let node = self.m.node(id);
        let infix =
            |a: NodeId, op: &str, b: NodeId| Text(format!("{} {op} {}", self.operand(a), self.operand(b)), false);
        match &node.op {
            Op::Const(v) => Text(self.constant(v, states), true),
            Op::Sig(s) => match self.plan.inlined.get(s) {
                Some(value) => self.text(*value, states),
                None => Text(self.sig(*s), true),
            },
            Op::Not(a) => match &self.m.node(*a).op {
                Op::Eq(x, y) if !self.plan.wires.contains_key(a) => {
                    let value = self.compared(*x, *y);
                    Text(format!("{} != {value}", self.operand(*x)), false)
                }
                Op::Ult(x, y) if !self.plan.wires.contains_key(a) => infix(*x, ">=", *y),
                _ => Text(format!("{}{}", if node.width == 1 { "!" } else { "~" }, self.operand(*a)), true),
            },
            Op::And(a, b) => self.chain(*a, "&", *b, |op| matches!(op, Op::And(..))),
            Op::Or(a, b) => self.chain(*a, "|", *b, |op| matches!(op, Op::Or(..))),
            Op::Xor(a, b) => self.chain(*a, "^", *b, |op| matches!(op, Op::Xor(..))),
            Op::Add(a, b) => self.chain(*a, "+", *b, |op| matches!(op, Op::Add(..))),
            Op::Sub(a, b) => infix(*a, "-", *b),
            Op::Mul(a, b) => infix(*a, "*", *b),
            Op::Eq(a, b) => {
                let value = self.compared(*a, *b);
                Text(format!("{} == {value}", self.operand(*a)), false)
            }
            Op::Ult(a, b) => infix(*a, "<", *b),
            Op::Slt(a, b) => Text(format!("$signed({}) < $signed({})", self.expr(*a), self.expr(*b)), false),
            Op::Shl(a, n) => infix(*a, "<<", *n),
            Op::Shr(a, n) => infix(*a, ">>", *n),
            Op::Sar(a, n) => Text(format!("$unsigned($signed({}) >>> {})", self.expr(*a), self.operand(*n)), true),
            Op::Slice(a, lsb) => Text(self.slice(*a, *lsb, node.width), true),
            Op::Concat(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.expr(*p)).collect();
                Text(format!("{{{}}}", parts.join(", ")), true)
            }
            Op::Repeat(a, n) => Text(format!("{{{n}{{{}}}}}", self.expr(*a)), true),
            Op::Mux(c, t, f) => {
                let side = |id: NodeId| match self.text(id, states) {
                    Text(t, true) => t,
                    Text(t, false) => format!("({t})"),
                };
                Text(format!("{} ? {} : {}", self.operand(*c), side(*t), side(*f)), false)
            }
            Op::Select(..) => unreachable!("a select is always a wire"),
            Op::RedAnd(a) => Text(format!("&{}", self.reduced(*a)), false),
            Op::RedOr(a) => Text(format!("|{}", self.reduced(*a)), false),
            Op::RedXor(a) => Text(format!("^{}", self.reduced(*a)), false),
        }
    }

    /// An operator that groups from the left needs no parentheses round a left operand of its own kind.
    fn chain(&self, a: NodeId, op: &str, b: NodeId, same: fn(&Op) -> bool) -> Text {
        let inlined = same(&self.m.node(a).op) && !self.plan.wires.contains_key(&a);
        let left = if inlined { self.expr(a) } else { self.operand(a) };
        Text(format!("{left} {op} {}", self.operand(b)), false)
    }

    /// The right side of a comparison: a state's name where the left side is a state register.
    fn compared(&self, a: NodeId, b: NodeId) -> String {
        match (&self.m.node(b).op, self.states_of(a)) {
            (Op::Const(v), Some(states)) => self.constant(v, Some(states)),
            _ => self.operand(b),
        }
    }

    fn slice(&self, a: NodeId, lsb: u32, width: u32) -> String {
        let base = match &self.m.node(a).op {
            // A pin that is inlined as a slice or a constant has no name to slice: slice what drives it.
            Op::Sig(s)
                if let Some(value) = self.plan.inlined.get(s)
                    && !self.plan.wires.contains_key(value) =>
            {
                return match &self.m.node(*value).op {
                    Op::Slice(inner, offset) => self.slice(*inner, offset + lsb, width),
                    Op::Const(v) => literal(&v.slice(lsb, width)),
                    _ => self.slice(*value, lsb, width),
                };
            }
            _ => self.expr(a),
        };
        match (width, self.m.node(a).width) {
            (1, 1) => base,
            (1, _) => format!("{base}[{lsb}]"),
            _ => format!("{base}[{}:{lsb}]", lsb + width - 1),
        }
    }

    /// A constant, by its state's name where it is one.
    pub fn constant(&self, v: &Value, states: Option<&Rc<StateNames>>) -> String {
        let found = states.and_then(|s| s.variants.iter().find(|(_, code)| *code == v.to_u64()).map(|f| (s, f)));
        let Some((states, (variant, code))) = found else { return literal(v) };
        let unique = || {
            let wanted = format!("{}_{}", upper_snake(states.name), upper_snake(variant));
            self.plan.taken.borrow_mut().unique(&wanted)
        };
        let key = (states.name, *code, *variant, v.width());
        self.states.borrow_mut().entry(key).or_insert_with(unique).clone()
    }
}

/// A sized literal: binary for one bit, decimal for small numbers, else hexadecimal.
pub(super) fn literal(v: &Value) -> String {
    match v.width() {
        1 => format!("1'b{}", v.to_u64()),
        w if w <= 64 && v.to_u64() < 10 => format!("{w}'d{}", v.to_u64()),
        w if v.is_zero() => format!("{w}'d0"),
        w => format!("{w}'h{v:x}"),
    }
}

fn upper_snake(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}
