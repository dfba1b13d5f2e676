//! Bits of an expression that are the same whatever the signals are: those of constants, through wiring, masks and
//! comparisons. An expression of known bits only is a constant; lint tools find that out too, and call a comparison with
//! it a fault.

use crate::{Value, build::Builder, ir::*};

/// Which bits are known, and what they are (0 where they are not known).
#[derive(Clone, Debug)]
pub(crate) struct Known {
    mask: Value,
    bits: Value,
}

impl Known {
    fn nothing(width: u32) -> Self {
        Known { mask: Value::zero(width), bits: Value::zero(width) }
    }

    /// One bit.
    fn truth(value: Option<bool>) -> Self {
        let bit = |on: bool| Value::new(1, u128::from(on));
        Known { mask: bit(value.is_some()), bits: bit(value == Some(true)) }
    }

    /// The greatest number that it can be; the least is `bits`.
    fn most(&self) -> Value {
        self.bits.zip(&self.mask, |b, m| b | !m)
    }

    /// Is there a bit that is known of both, and not the same?
    fn differs(&self, other: &Known) -> bool {
        let both = self.mask.zip(&other.mask, |a, b| a & b);
        !self.bits.zip(&other.bits, |a, b| a ^ b).zip(&both, |d, m| d & m).is_zero()
    }

    fn map(&self, f: impl Fn(&Value) -> Value) -> Self {
        Known { mask: f(&self.mask), bits: f(&self.bits) }
    }

    fn not(&self) -> Self {
        Known { bits: self.bits.not().zip(&self.mask, |b, m| b & m), mask: self.mask.clone() }
    }

    /// A bit is known if both are, or if one is 0.
    fn and(&self, other: &Known) -> Self {
        let bits = self.bits.zip(&other.bits, |a, b| a & b);
        let zero = |k: &Known| k.mask.zip(&k.bits, |m, b| m & !b);
        let zeros = zero(self).zip(&zero(other), |a, b| a | b);
        Known { mask: zeros.zip(&bits, |z, b| z | b), bits }
    }

    fn xor(&self, other: &Known) -> Self {
        let mask = self.mask.zip(&other.mask, |a, b| a & b);
        Known { bits: self.bits.zip(&other.bits, |a, b| a ^ b).zip(&mask, |b, m| b & m), mask }
    }

    /// What is known of a choice between the two.
    fn either(&self, other: &Known) -> Self {
        let both = self.mask.zip(&other.mask, |a, b| a & b);
        let same = self.bits.zip(&other.bits, |a, b| !(a ^ b));
        let mask = both.zip(&same, |a, b| a & b);
        Known { bits: self.bits.zip(&mask, |b, m| b & m), mask }
    }
}

impl Builder {
    /// The value of a node that is a constant, or whose bits are all known.
    pub(crate) fn fixed_value(&self, id: NodeId) -> Option<Value> {
        let known = || self.bits_known.get(&id).filter(|k| k.mask.is_ones()).map(|k| k.bits.clone());
        self.as_const(id).cloned().or_else(known)
    }

    /// The value of `op` if every bit of it is known from its operands, else what is known of it.
    pub(crate) fn known_value(&self, op: &Op, width: u32) -> Result<Value, Option<Known>> {
        let some = |id: &NodeId| {
            self.bits_known.get(id).cloned().or_else(|| {
                let v = self.as_const(*id)?;
                Some(Known { mask: Value::ones(v.width()), bits: v.clone() })
            })
        };
        let get = |id: &NodeId| some(id).unwrap_or_else(|| Known::nothing(self.module.node(*id).width));
        let wanted = matches!(
            op,
            Op::Not(_)
                | Op::And(..)
                | Op::Or(..)
                | Op::Xor(..)
                | Op::Mux(..)
                | Op::Slice(..)
                | Op::Concat(_)
                | Op::Repeat(..)
                | Op::Eq(..)
                | Op::Ult(..)
                | Op::RedAnd(_)
                | Op::RedOr(_)
                | Op::RedXor(_)
        );
        if !wanted || op.operands().iter().all(|o| some(o).is_none()) {
            return Err(None);
        }
        let known = match op {
            Op::Not(a) => get(a).not(),
            Op::And(a, b) => get(a).and(&get(b)),
            Op::Or(a, b) => get(a).not().and(&get(b).not()).not(),
            Op::Xor(a, b) => get(a).xor(&get(b)),
            Op::Mux(_, t, f) => get(t).either(&get(f)),
            Op::Slice(a, lsb) => get(a).map(|v| v.slice(*lsb, width)),
            Op::Concat(parts) => parts.iter().fold(Known::nothing(0), |high, p| {
                let low = get(p);
                Known { mask: high.mask.concat(&low.mask), bits: high.bits.concat(&low.bits) }
            }),
            Op::Repeat(a, n) => get(a).map(|v| (0..*n).fold(Value::zero(0), |high, _| high.concat(v))),
            Op::Eq(a, b) => Known::truth(get(a).differs(&get(b)).then_some(false)),
            Op::Ult(a, b) => {
                let (a, b) = (get(a), get(b));
                let always = a.most().ult(&b.bits);
                let never = !a.bits.ult(&b.most());
                Known::truth((always || never).then_some(always))
            }
            Op::RedAnd(a) => Known::truth(get(a).not().bits.words().iter().any(|w| *w != 0).then_some(false)),
            Op::RedOr(a) => Known::truth((!get(a).bits.is_zero()).then_some(true)),
            Op::RedXor(a) => Known::truth(get(a).mask.is_ones().then(|| get(a).bits.count_ones() % 2 == 1)),
            _ => return Err(None),
        };
        match known {
            // A constant in a slice's place would leave bits of its operand unused, for which nobody is to blame.
            k if k.mask.is_ones() && !matches!(op, Op::Slice(..)) => Ok(k.bits),
            k if k.mask.is_zero() => Err(None),
            k => Err(Some(k)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way of knowing two bits each of `a` and `b`, against all values that fit.
    #[test]
    fn what_is_known_holds_for_every_value_that_fits() {
        let all = |f: &mut dyn FnMut(Known)| {
            for (mask, bits) in (0..4u128).flat_map(|m| (0..4u128).map(move |b| (m, b))).filter(|(m, b)| b & !m == 0) {
                f(Known { mask: Value::new(2, mask), bits: Value::new(2, bits) });
            }
        };
        let fits = |k: &Known, v: u64| v & k.mask.to_u64() == k.bits.to_u64();
        all(&mut |a| {
            all(&mut |b| {
                let results = [a.and(&b), a.xor(&b), a.not(), a.either(&b)];
                for (x, y) in
                    (0..4).flat_map(|x| (0..4).map(move |y| (x, y))).filter(|(x, y)| fits(&a, *x) && fits(&b, *y))
                {
                    for (k, values) in results.iter().zip([vec![x & y], vec![x ^ y], vec![!x & 3], vec![x, y]]) {
                        assert!(values.iter().all(|v| fits(k, *v)), "{a:?} {b:?} {k:?}");
                    }
                    assert!(!(a.differs(&b) && x == y), "{a:?} {b:?}");
                    assert!(a.bits.to_u64() <= x && x <= a.most().to_u64(), "{a:?}");
                }
                // And nothing less is said than can be: a zero on one side settles a conjunction.
                let zeros = (a.mask.to_u64() & !a.bits.to_u64()) | (b.mask.to_u64() & !b.bits.to_u64());
                assert_eq!(a.and(&b).mask.to_u64(), zeros | (a.bits.to_u64() & b.bits.to_u64()));
            });
        });
    }
}
