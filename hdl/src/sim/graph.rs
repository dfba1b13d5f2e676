//! The flattened design as one graph: hash-consed expressions over *sources* (inputs, resets, registers, memory outputs).

use crate::{
    Value,
    eval::eval,
    ir::{NodeId, Op, SigId},
};
use std::collections::HashMap;

/// An expression of the flat graph. In [`Expr::Op`], `Op::Sig` names a source by its number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Expr {
    Op(Op),
    /// The word that a distributed memory holds at an address.
    Read {
        mem: u32,
        addr: NodeId,
    },
}

impl Expr {
    pub fn operands(&self) -> Vec<NodeId> {
        match self {
            Expr::Op(op) => op.operands(),
            Expr::Read { addr, .. } => vec![*addr],
        }
    }
}

/// Operands always have smaller ids than their users.
#[derive(Default)]
pub(super) struct Graph {
    pub nodes: Vec<(Expr, u32)>,
    known: HashMap<(Expr, u32), NodeId>,
    sources: u32,
}

impl Graph {
    pub fn width(&self, id: NodeId) -> u32 {
        self.nodes[id.0 as usize].1
    }

    pub fn expr(&self, id: NodeId) -> &Expr {
        &self.nodes[id.0 as usize].0
    }

    pub fn op(&self, id: NodeId) -> Option<&Op> {
        match self.expr(id) {
            Expr::Op(op) => Some(op),
            Expr::Read { .. } => None,
        }
    }

    pub fn is_source(&self, id: NodeId) -> bool {
        matches!(self.op(id), Some(Op::Sig(_)))
    }

    fn intern(&mut self, expr: Expr, width: u32) -> NodeId {
        let key = (expr, width);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(key.clone());
        self.known.insert(key, id);
        id
    }

    pub fn source(&mut self, width: u32) -> NodeId {
        self.sources += 1;
        self.intern(Expr::Op(Op::Sig(SigId(self.sources - 1))), width)
    }

    pub fn read(&mut self, mem: u32, addr: NodeId, width: u32) -> NodeId {
        self.intern(Expr::Read { mem, addr }, width)
    }

    pub fn constant(&mut self, v: Value) -> NodeId {
        let width = v.width();
        self.intern(Expr::Op(Op::Const(v)), width)
    }

    pub fn as_const(&self, id: NodeId) -> Option<&Value> {
        match self.op(id) {
            Some(Op::Const(v)) => Some(v),
            _ => None,
        }
    }

    /// The part of a node from `lsb` upwards.
    pub fn slice(&mut self, id: NodeId, lsb: u32, width: u32) -> NodeId {
        self.add(Op::Slice(id, lsb), width)
    }

    /// `c ? t : f`.
    pub fn mux(&mut self, c: NodeId, t: NodeId, f: NodeId) -> NodeId {
        let width = self.width(t);
        self.add(Op::Mux(c, t, f), width)
    }

    /// Makes a node or finds one that computes the same.
    pub fn add(&mut self, op: Op, width: u32) -> NodeId {
        let op = match op {
            Op::Concat(parts) => Op::Concat(self.flat_parts(parts)),
            Op::Repeat(a, n) if self.width(a) > 1 && n > 1 => Op::Concat(vec![a; n as usize]),
            other => other,
        };
        match self.simplify(&op, width) {
            Some(id) => id,
            None => self.intern(Expr::Op(op), width),
        }
    }

    /// Parts of a concatenation with inner ones opened, neighbouring slices joined and neighbouring constants joined.
    fn flat_parts(&mut self, parts: Vec<NodeId>) -> Vec<NodeId> {
        let mut flat: Vec<NodeId> = Vec::new();
        for p in parts {
            match self.op(p) {
                Some(Op::Concat(inner)) => flat.extend(inner.clone()),
                _ => flat.push(p),
            }
        }
        let mut joined: Vec<NodeId> = Vec::new();
        for low in flat {
            let both = joined.last().and_then(|high| self.joined(*high, low));
            match both {
                Some((op, width)) => {
                    joined.pop();
                    let id = self.add(op, width);
                    joined.push(id);
                }
                None => joined.push(low),
            }
        }
        joined
    }

    fn joined(&self, high: NodeId, low: NodeId) -> Option<(Op, u32)> {
        let width = self.width(high) + self.width(low);
        match (self.op(high)?, self.op(low)?) {
            (Op::Const(h), Op::Const(l)) => Some((Op::Const(h.concat(l)), width)),
            (Op::Slice(a, at), Op::Slice(b, lsb)) if a == b && lsb + self.width(low) == *at => {
                Some((Op::Slice(*a, *lsb), width))
            }
            _ => None,
        }
    }

    fn simplify(&mut self, op: &Op, width: u32) -> Option<NodeId> {
        let operands = op.operands();
        if !operands.is_empty() && operands.iter().all(|o| self.as_const(*o).is_some()) {
            let v = eval(op, width, |id| self.as_const(id).cloned().expect("checked above"))?;
            return Some(self.constant(v));
        }
        let zero = |id: &NodeId| self.as_const(*id).is_some_and(Value::is_zero);
        let ones = |id: &NodeId| self.as_const(*id).is_some_and(Value::is_ones);
        match op {
            Op::Not(a) => match self.op(*a) {
                Some(Op::Not(inner)) => Some(*inner),
                _ => None,
            },
            Op::And(a, b) if zero(a) || ones(b) || a == b => Some(*a),
            Op::And(a, b) if zero(b) || ones(a) => Some(*b),
            Op::Or(a, b) if zero(b) || ones(a) || a == b => Some(*a),
            Op::Or(a, b) if zero(a) || ones(b) => Some(*b),
            Op::Xor(a, b) | Op::Add(a, b) if zero(a) => Some(*b),
            Op::Xor(a, b) | Op::Add(a, b) | Op::Sub(a, b) if zero(b) => Some(*a),
            Op::Eq(a, b) if self.width(*a) == 1 && ones(b) => Some(*a),
            Op::Eq(a, b) if self.width(*a) == 1 && ones(a) => Some(*b),
            Op::Eq(a, b) if self.width(*a) == 1 && zero(b) => Some(self.add(Op::Not(*a), 1)),
            Op::Eq(a, b) if self.width(*a) == 1 && zero(a) => Some(self.add(Op::Not(*b), 1)),
            Op::Mux(c, t, f) => self.simplify_mux(*c, *t, *f),
            Op::Slice(a, lsb) => self.simplify_slice(*a, *lsb, width),
            Op::Concat(parts) if parts.len() == 1 => Some(parts[0]),
            Op::Select(i, options) => match self.as_const(*i) {
                Some(v) if v.words().iter().skip(1).all(|w| *w == 0) => {
                    Some(options[usize::try_from(v.to_u64()).unwrap_or(usize::MAX).min(options.len() - 1)])
                }
                Some(_) => options.last().copied(),
                None if options.iter().all(|o| o == &options[0]) => Some(options[0]),
                None => None,
            },
            Op::Repeat(a, 1) => Some(*a),
            Op::RedAnd(a) | Op::RedOr(a) | Op::RedXor(a) if self.width(*a) == 1 => Some(*a),
            _ => None,
        }
    }

    fn simplify_mux(&mut self, c: NodeId, t: NodeId, f: NodeId) -> Option<NodeId> {
        if let Some(c) = self.as_const(c) {
            return Some(if c.is_true() { t } else { f });
        }
        if t == f {
            return Some(t);
        }
        if let Some(Op::Not(inner)) = self.op(c) {
            let inner = *inner;
            return Some(self.mux(inner, f, t));
        }
        match (self.as_const(t), self.as_const(f)) {
            (Some(t), Some(f)) if t.width() == 1 && t.is_ones() && f.is_zero() => Some(c),
            _ => None,
        }
    }

    fn simplify_slice(&mut self, a: NodeId, lsb: u32, width: u32) -> Option<NodeId> {
        if lsb == 0 && width == self.width(a) {
            return Some(a);
        }
        match self.op(a)?.clone() {
            Op::Slice(inner, offset) => Some(self.slice(inner, offset + lsb, width)),
            Op::Concat(parts) => {
                let mut end = self.width(a);
                for p in parts {
                    let start = end - self.width(p);
                    if lsb >= start && lsb + width <= end {
                        return Some(self.slice(p, lsb - start, width));
                    }
                    end = start;
                }
                None
            }
            _ => None,
        }
    }
}
