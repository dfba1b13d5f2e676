//! What a new node is replaced by: constants are folded and slices looked through, so that plain text comes out of
//! plain code, and what linters call a constant comparison or a useless operation is none in the text.

use crate::{Value, build::Builder, eval::eval, ir::*};

impl Builder {
    /// The node that `op` stands for, if there is a plainer one.
    pub(crate) fn simplify(&mut self, op: &Op, width: u32, loc: Loc) -> Option<NodeId> {
        let operands = op.operands();
        if !operands.is_empty() && operands.iter().all(|o| self.as_const(*o).is_some()) {
            let v = eval(op, width, |id| self.as_const(id).cloned().expect("checked above"))?;
            return Some(self.constant(v, loc));
        }
        match op {
            Op::Not(a) => match self.module.node(*a).op {
                Op::Not(inner) => Some(inner),
                _ => None,
            },
            Op::And(..) | Op::Or(..) | Op::Xor(..) => self.simplify_bitwise(op, width, loc),
            Op::Add(..) | Op::Sub(..) | Op::Mul(..) => self.simplify_arithmetic(op, width, loc),
            Op::Eq(..) | Op::Ult(..) | Op::Slt(..) => self.simplify_comparison(op, loc),
            Op::Shl(a, n) | Op::Shr(a, n) | Op::Sar(a, n) => self.simplify_shift(op, *a, *n, width, loc),
            Op::Mux(c, t, f) => match self.as_const(*c).map(Value::is_true) {
                Some(true) => Some(*t),
                Some(false) => Some(*f),
                None if t == f => Some(*t),
                None => None,
            },
            Op::Slice(a, lsb) => self.simplify_slice(*a, *lsb, width, loc),
            Op::Concat(parts) if parts.len() == 1 => Some(parts[0]),
            Op::Repeat(a, 1) => Some(*a),
            Op::RedAnd(a) | Op::RedOr(a) | Op::RedXor(a) if self.module.node(*a).width == 1 => Some(*a),
            _ => None,
        }
    }

    fn is_zero(&self, id: NodeId) -> bool {
        self.as_const(id).is_some_and(Value::is_zero)
    }

    fn is_ones(&self, id: NodeId) -> bool {
        self.as_const(id).is_some_and(Value::is_ones)
    }

    /// Is one of them the complement of the other?
    fn are_complements(&self, a: NodeId, b: NodeId) -> bool {
        let is_not = |x: NodeId, y: NodeId| self.module.node(x).op == Op::Not(y);
        is_not(a, b) || is_not(b, a)
    }

    fn simplify_bitwise(&mut self, op: &Op, width: u32, loc: Loc) -> Option<NodeId> {
        Some(match op {
            Op::And(a, b) if self.is_zero(*a) || self.is_ones(*b) || a == b => *a,
            Op::And(a, b) if self.is_zero(*b) || self.is_ones(*a) => *b,
            Op::And(a, b) if self.are_complements(*a, *b) => self.constant(Value::zero(width), loc),
            Op::Or(a, b) if self.is_zero(*b) || self.is_ones(*a) || a == b => *a,
            Op::Or(a, b) if self.is_zero(*a) || self.is_ones(*b) => *b,
            Op::Or(a, b) if self.are_complements(*a, *b) => self.constant(Value::ones(width), loc),
            Op::Xor(a, b) if self.is_zero(*b) => *a,
            Op::Xor(a, b) if self.is_zero(*a) => *b,
            Op::Xor(a, b) if a == b => self.constant(Value::zero(width), loc),
            Op::Xor(a, b) if self.are_complements(*a, *b) => self.constant(Value::ones(width), loc),
            Op::Xor(a, b) if self.is_ones(*b) => self.node(Op::Not(*a), width, loc),
            Op::Xor(a, b) if self.is_ones(*a) => self.node(Op::Not(*b), width, loc),
            _ => return None,
        })
    }

    fn simplify_arithmetic(&mut self, op: &Op, width: u32, loc: Loc) -> Option<NodeId> {
        Some(match op {
            Op::Add(a, b) | Op::Sub(a, b) if self.is_zero(*b) => *a,
            Op::Add(a, b) if self.is_zero(*a) => *b,
            Op::Sub(a, b) if a == b => self.constant(Value::zero(width), loc),
            Op::Mul(a, b) if self.is_zero(*a) || self.is_zero(*b) => self.constant(Value::zero(width), loc),
            _ => return None,
        })
    }

    fn simplify_comparison(&mut self, op: &Op, loc: Loc) -> Option<NodeId> {
        let fixed = |b: &mut Self, on: bool| b.constant(Value::new(1, u128::from(on)), loc);
        let differ = |b: &mut Self, x: NodeId, y: NodeId| {
            let equal = b.node(Op::Eq(x, y), 1, loc);
            b.node(Op::Not(equal), 1, loc)
        };
        Some(match op {
            Op::Eq(a, b) if a == b => fixed(self, true),
            Op::Eq(a, b) if self.are_complements(*a, *b) => fixed(self, false),
            Op::Eq(a, b) if self.module.node(*a).width == 1 => match (self.as_const(*a), self.as_const(*b)) {
                (_, Some(v)) if v.is_true() => *a,
                (Some(v), _) if v.is_true() => *b,
                (_, Some(_)) => self.node(Op::Not(*a), 1, loc),
                (Some(_), _) => self.node(Op::Not(*b), 1, loc),
                (None, None) => return None,
            },
            Op::Eq(a, b) if self.as_const(*a).is_some() => self.node(Op::Eq(*b, *a), 1, loc),
            Op::Ult(a, b) if a == b || self.is_zero(*b) || self.is_ones(*a) => fixed(self, false),
            Op::Ult(a, b) if self.is_zero(*a) => differ(self, *b, *a),
            Op::Ult(a, b) if self.is_ones(*b) => differ(self, *a, *b),
            Op::Slt(a, b) => {
                let is = |b: &Self, id: NodeId, v: &Value| b.as_const(id) == Some(v);
                let width = self.module.node(*a).width;
                let lowest = Value::new(width, 1).shl(width - 1);
                let highest = lowest.not();
                if a == b || is(self, *b, &lowest) || is(self, *a, &highest) {
                    fixed(self, false)
                } else if is(self, *a, &lowest) {
                    differ(self, *b, *a)
                } else if is(self, *b, &highest) {
                    differ(self, *a, *b)
                } else {
                    return None;
                }
            }
            _ => return None,
        })
    }

    fn simplify_shift(&mut self, op: &Op, a: NodeId, n: NodeId, width: u32, loc: Loc) -> Option<NodeId> {
        if self.is_zero(n) || self.is_zero(a) || (matches!(op, Op::Sar(..)) && self.is_ones(a)) {
            return Some(a);
        }
        // A shift by a constant of more than 32 bits is an error to Verilator, also where it finds the constant itself.
        let v = self.fixed_value(n)?;
        let v_width = v.width();
        let far = v.words().iter().skip(1).any(|w| *w != 0) || v.to_u64() >= u64::from(width);
        Some(match op {
            _ if !far => return None,
            // Verilator 5.052 takes `>>>` by a constant of the width or more for zero, whatever the sign.
            Op::Sar(..) => {
                let most = self.constant(Value::new(v_width, u128::from(width - 1)), loc);
                self.node(Op::Sar(a, most), width, loc)
            }
            _ => self.constant(Value::zero(width), loc),
        })
    }

    fn simplify_slice(&mut self, a: NodeId, lsb: u32, width: u32, loc: Loc) -> Option<NodeId> {
        let node = self.module.node(a).clone();
        if lsb == 0 && width == node.width {
            return Some(a);
        }
        match node.op {
            Op::Slice(inner, offset) if node.name.is_none() => {
                Some(self.node(Op::Slice(inner, offset + lsb), width, loc))
            }
            Op::Concat(parts) => {
                let (mut end, mut taken) = (node.width, Vec::new());
                for p in parts {
                    let start = end - self.module.node(p).width;
                    let (lo, hi) = (lsb.max(start), (lsb + width).min(end));
                    if lo < hi {
                        taken.push((p, lo - start, hi - lo));
                    }
                    end = start;
                }
                // A named concatenation that is cut across its parts keeps its name in the text.
                if taken.len() > 1 && node.name.is_some() {
                    return None;
                }
                let parts = taken.into_iter().map(|(p, lo, n)| self.node(Op::Slice(p, lo), n, loc)).collect::<Vec<_>>();
                Some(if let [only] = parts[..] { only } else { self.node(Op::Concat(parts), width, loc) })
            }
            _ => None,
        }
    }
}
