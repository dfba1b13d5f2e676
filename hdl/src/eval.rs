//! What each operation means, on values: the one definition that constant folding and the simulator's own tests use.

use crate::{
    Value,
    ir::{NodeId, Op},
};

/// The value of `op` with result width `width`, given its operands' values. `Op::Sig` has no value here.
pub fn eval(op: &Op, width: u32, get: impl Fn(NodeId) -> Value) -> Option<Value> {
    let bit = |b: bool| Value::new(1, u128::from(b));
    let amount = |n: NodeId| {
        let v = get(n);
        if v.words().iter().skip(1).any(|w| *w != 0) || v.to_u64() > u64::from(u32::MAX) {
            u32::MAX
        } else {
            v.to_u64() as u32
        }
    };
    Some(match op {
        Op::Const(v) => v.clone(),
        Op::Sig(_) => return None,
        Op::Not(a) => get(*a).not(),
        Op::And(a, b) => get(*a).zip(&get(*b), |x, y| x & y),
        Op::Or(a, b) => get(*a).zip(&get(*b), |x, y| x | y),
        Op::Xor(a, b) => get(*a).zip(&get(*b), |x, y| x ^ y),
        Op::Add(a, b) => get(*a).add(&get(*b)),
        Op::Sub(a, b) => get(*a).sub(&get(*b)),
        Op::Mul(a, b) => get(*a).mul(&get(*b)),
        Op::Eq(a, b) => bit(get(*a) == get(*b)),
        Op::Ult(a, b) => bit(get(*a).ult(&get(*b))),
        Op::Slt(a, b) => bit(get(*a).slt(&get(*b))),
        Op::Shl(a, n) => get(*a).shl(amount(*n)),
        Op::Shr(a, n) => {
            let (a, n) = (get(*a), amount(*n));
            if n >= width { Value::zero(width) } else { a.slice(n, width) }
        }
        Op::Sar(a, n) => {
            let (a, n) = (get(*a), amount(*n).min(width - 1));
            a.slice(n, width - n).sign_extend(width)
        }
        Op::Slice(a, lsb) => get(*a).slice(*lsb, width),
        Op::Concat(parts) => parts.iter().fold(Value::zero(0), |acc, p| acc.concat(&get(*p))),
        Op::Repeat(a, n) => {
            let a = get(*a);
            (0..*n).fold(Value::zero(0), |acc, _| acc.concat(&a))
        }
        Op::Mux(c, t, f) => get(if get(*c).is_true() { *t } else { *f }),
        Op::Select(index, options) => get(options[(amount(*index) as usize).min(options.len() - 1)]),
        Op::RedAnd(a) => bit(get(*a).is_ones()),
        Op::RedOr(a) => bit(!get(*a).is_zero()),
        Op::RedXor(a) => bit(get(*a).count_ones() % 2 == 1),
    })
}
