//! What drives each signal of one module: the statement trees turned into expressions, once a module.

use crate::{Value, ir::*};
use std::collections::{BTreeMap, BTreeSet};

/// Subjects up to this width with at least [`TABLE_ARMS`] arms become a table lookup instead of a chain of comparisons.
const TABLE_WIDTH: u32 = 8;
const TABLE_ARMS: usize = 3;

/// A part of a signal that is always driven as a whole.
pub(super) struct Piece {
    pub lsb: u32,
    pub width: u32,
    /// Its value at the end of the statements, an index in [`Driven::nodes`].
    pub value: NodeId,
}

/// A module's expressions, extended by those that its statements make.
pub(super) struct Driven {
    pub nodes: Vec<(Op, u32)>,
    /// By signal; empty for signals that the module does not drive.
    pub pieces: Vec<Vec<Piece>>,
}

type Changes = BTreeMap<usize, NodeId>;

struct Walk {
    nodes: Vec<(Op, u32)>,
    /// First of each signal's pieces in `values`.
    first: Vec<usize>,
    places: Vec<(u32, u32)>,
    values: Vec<NodeId>,
    /// Pieces written in the present branch, with their values before it.
    log: Vec<(usize, NodeId)>,
}

/// Walks the statements of a module.
pub(super) fn driven(m: &Module) -> Driven {
    let mut cuts: Vec<BTreeSet<u32>> = m.sigs.iter().map(|s| BTreeSet::from([0, s.width])).collect();
    find_cuts(m, &m.stmts, &mut cuts);
    let nodes: Vec<(Op, u32)> = m.nodes.iter().map(|n| (n.op.clone(), n.width)).collect();
    let mut w = Walk { nodes, first: vec![], places: vec![], values: vec![], log: vec![] };
    for (i, s) in m.sigs.iter().enumerate() {
        w.first.push(w.places.len());
        let ends: Vec<u32> = cuts[i].iter().copied().collect();
        for pair in ends.windows(2) {
            let (lsb, width) = (pair[0], pair[1] - pair[0]);
            let start = match s.kind {
                SigKind::Reg(_) => {
                    let whole = w.make(Op::Sig(SigId(i as u32)), s.width);
                    w.slice(whole, lsb, width)
                }
                _ => w.make(Op::Const(Value::zero(width)), width),
            };
            w.places.push((lsb, width));
            w.values.push(start);
        }
    }
    w.first.push(w.places.len());
    w.stmts(&m.stmts);
    let mut pieces = Vec::new();
    for (i, s) in m.sigs.iter().enumerate() {
        let of_sig = w.first[i]..w.first[i + 1];
        let piece = |p: usize| Piece { lsb: w.places[p].0, width: w.places[p].1, value: w.values[p] };
        pieces.push(match s.kind {
            SigKind::Comb | SigKind::Reg(_) | SigKind::InstIn { .. } => of_sig.map(piece).collect(),
            SigKind::Input | SigKind::InstOut { .. } => vec![],
        });
    }
    Driven { nodes: w.nodes, pieces }
}

fn find_cuts(m: &Module, stmts: &[Stmt], cuts: &mut [BTreeSet<u32>]) {
    for s in stmts {
        match s {
            Stmt::Assign { target, lsb, value, .. } => {
                cuts[target.0 as usize].extend([*lsb, *lsb + m.node(*value).width]);
            }
            Stmt::If { then, otherwise, .. } => {
                find_cuts(m, then, cuts);
                find_cuts(m, otherwise, cuts);
            }
            Stmt::Switch { arms, default, .. } => {
                arms.iter().for_each(|(_, body)| find_cuts(m, body, cuts));
                find_cuts(m, default, cuts);
            }
        }
    }
}

impl Walk {
    fn make(&mut self, op: Op, width: u32) -> NodeId {
        self.nodes.push((op, width));
        NodeId(self.nodes.len() as u32 - 1)
    }

    fn width(&self, id: NodeId) -> u32 {
        self.nodes[id.0 as usize].1
    }

    fn slice(&mut self, id: NodeId, lsb: u32, width: u32) -> NodeId {
        if lsb == 0 && width == self.width(id) { id } else { self.make(Op::Slice(id, lsb), width) }
    }

    fn write(&mut self, piece: usize, value: NodeId) {
        self.log.push((piece, self.values[piece]));
        self.values[piece] = value;
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for s in stmts {
            match s {
                Stmt::Assign { target, lsb, value, .. } => self.assign(target.0 as usize, *lsb, *value),
                Stmt::If { cond, then, otherwise, .. } => {
                    let (t, f) = (self.branch(then), self.branch(otherwise));
                    for piece in touched(&[&t, &f]) {
                        let before = self.values[piece];
                        let (t, f) = (*t.get(&piece).unwrap_or(&before), *f.get(&piece).unwrap_or(&before));
                        let merged = self.make(Op::Mux(*cond, t, f), self.places[piece].1);
                        self.write(piece, merged);
                    }
                }
                Stmt::Switch { subject, arms, default, .. } => self.switch(*subject, arms, default),
            }
        }
    }

    fn assign(&mut self, sig: usize, lsb: u32, value: NodeId) {
        let end = lsb + self.width(value);
        for piece in self.first[sig]..self.first[sig + 1] {
            let (at, width) = self.places[piece];
            if at >= lsb && at + width <= end {
                let part = self.slice(value, at - lsb, width);
                self.write(piece, part);
            }
        }
    }

    /// What a branch changes; the values are put back.
    fn branch(&mut self, stmts: &[Stmt]) -> Changes {
        let outer = std::mem::take(&mut self.log);
        self.stmts(stmts);
        let mut changes = Changes::new();
        let log = std::mem::replace(&mut self.log, outer);
        for (piece, before) in log.into_iter().rev() {
            changes.entry(piece).or_insert(self.values[piece]);
            self.values[piece] = before;
        }
        changes
    }

    fn switch(&mut self, subject: NodeId, arms: &[(Vec<Value>, Vec<Stmt>)], default: &[Stmt]) {
        let bodies: Vec<Changes> = arms.iter().map(|(_, body)| self.branch(body)).collect();
        let fallback = self.branch(default);
        let all: Vec<&Changes> = bodies.iter().chain([&fallback]).collect();
        let pieces = touched(&all);
        let width = self.width(subject);
        let table = width <= TABLE_WIDTH && arms.len() >= TABLE_ARMS;
        let hits: Vec<NodeId> =
            if table { vec![] } else { arms.iter().map(|(vs, _)| self.any_of(subject, vs)).collect() };
        for piece in pieces {
            let before = self.values[piece];
            let of = |c: &Changes| *c.get(&piece).unwrap_or(&before);
            let piece_width = self.places[piece].1;
            let merged = if table {
                let mut options = vec![of(&fallback); 1 << width];
                for ((values, _), body) in arms.iter().zip(&bodies) {
                    values.iter().for_each(|v| options[v.to_u64() as usize] = of(body));
                }
                self.make(Op::Select(subject, options), piece_width)
            } else {
                let mut value = of(&fallback);
                for (hit, body) in hits.iter().zip(&bodies).rev() {
                    value = self.make(Op::Mux(*hit, of(body), value), piece_width);
                }
                value
            };
            self.write(piece, merged);
        }
    }

    fn any_of(&mut self, subject: NodeId, values: &[Value]) -> NodeId {
        let mut any = self.make(Op::Const(Value::zero(1)), 1);
        for v in values {
            let constant = self.make(Op::Const(v.clone()), v.width());
            let hit = self.make(Op::Eq(subject, constant), 1);
            any = self.make(Op::Or(any, hit), 1);
        }
        any
    }
}

fn touched(branches: &[&Changes]) -> BTreeSet<usize> {
    branches.iter().flat_map(|c| c.keys().copied()).collect()
}
