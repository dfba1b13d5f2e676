//! Signals and the operators on them.

use crate::{
    Value,
    build::{Builder, with},
    cat,
    error::Fault,
    ir::*,
};
use std::{
    ops::{Add, BitAnd, BitOr, BitXor, Bound, Mul, Not, RangeBounds, Sub},
    panic::Location,
};

/// An unsigned signal: a handle to an expression, a register, a wire or a port. Copying it copies the handle.
///
/// Operands must have equal widths (an integer takes the width of the signal beside it); nothing is extended or cut
/// unless [`zext`](Bits::zext), [`trunc`](Bits::trunc) or a `grow_` method says so.
#[derive(Clone, Copy, Debug)]
pub struct Bits {
    pub(crate) id: NodeId,
    pub(crate) width: u32,
    pub(crate) serial: u32,
}

/// Something that can stand as an operand beside a signal: another signal, an integer, a bool or a [`Value`].
pub trait Operand {
    /// The operand as a signal of `width` bits; an error names `what` was being done.
    fn operand(self, width: u32, loc: Loc, what: &str) -> Bits;
}

impl Operand for Bits {
    fn operand(self, _: u32, _: Loc, _: &str) -> Bits {
        self
    }
}

impl Operand for u64 {
    fn operand(self, width: u32, loc: Loc, what: &str) -> Bits {
        if width < 64 && self >> width != 0 {
            with(|b| {
                b.error(Fault::Width, loc, format!("the integer {self} of `{what}` does not fit in {width} bits"))
            });
        }
        literal(Value::new(width, u128::from(self)), loc)
    }
}

impl Operand for bool {
    fn operand(self, width: u32, loc: Loc, what: &str) -> Bits {
        u64::from(self).operand(width, loc, what)
    }
}

impl Operand for Value {
    fn operand(self, _: u32, loc: Loc, _: &str) -> Bits {
        literal(self, loc)
    }
}

fn literal(v: Value, loc: Loc) -> Bits {
    with(|b| {
        let id = b.constant(v, loc);
        b.bits(id)
    })
}

/// A constant of `width` bits.
///
/// # Errors
/// [`Fault::Width`] at elaboration if the value does not fit.
#[track_caller]
pub fn lit(width: u32, value: u128) -> Bits {
    let loc = Location::caller();
    if width == 0 {
        with(|b| b.error(Fault::Width, loc, "a literal needs at least 1 bit".into()));
        return literal(Value::zero(1), loc);
    }
    if width < 128 && value >> width != 0 {
        with(|b| b.error(Fault::Width, loc, format!("the literal {value} does not fit in {width} bits")));
    }
    literal(Value::new(width, value), loc)
}

/// A constant of any width.
#[track_caller]
pub fn constant(value: Value) -> Bits {
    literal(value, Location::caller())
}

/// Makes a two-operand node after the width check.
fn binary(
    a: Bits,
    b: impl Operand,
    what: &str,
    loc: Loc,
    make: impl FnOnce(NodeId, NodeId) -> Op,
    result: Option<u32>,
) -> Bits {
    let b = b.operand(a.width, loc, what);
    with(|bu| {
        let (x, y) = (bu.own(a, loc), bu.own(b, loc));
        if a.width != b.width {
            let message = format!("widths differ in `{what}`: left {}, right {}", bu.describe(x), bu.describe(y));
            bu.error(Fault::Width, loc, message);
            let id = bu.constant(Value::zero(result.unwrap_or(a.width)), loc);
            return bu.bits(id);
        }
        let id = bu.node(make(x, y), result.unwrap_or(a.width), loc);
        bu.bits(id)
    })
}

fn unary(a: Bits, loc: Loc, width: u32, make: impl FnOnce(NodeId) -> Op) -> Bits {
    with(|bu| {
        let x = bu.own(a, loc);
        let id = bu.node(make(x), width, loc);
        bu.bits(id)
    })
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident, $text:literal) => {
        impl<T: Operand> $trait<T> for Bits {
            type Output = Bits;
            #[track_caller]
            fn $method(self, other: T) -> Bits {
                binary(self, other, $text, Location::caller(), Op::$op, None)
            }
        }
    };
}
operator!(BitAnd, bitand, And, "&");
operator!(BitOr, bitor, Or, "|");
operator!(BitXor, bitxor, Xor, "^");
operator!(Add, add, Add, "+");
operator!(Sub, sub, Sub, "-");

/// The full product: the result is as wide as both operands together.
impl<T: Operand> Mul<T> for Bits {
    type Output = Bits;
    #[allow(clippy::suspicious_arithmetic_impl)] // widths add up
    #[track_caller]
    fn mul(self, other: T) -> Bits {
        let loc = Location::caller();
        let other = other.operand(self.width, loc, "*");
        let width = self.width + other.width;
        binary(self.zext(width), other.zext(width), "*", loc, Op::Mul, None)
    }
}

impl Not for Bits {
    type Output = Bits;
    #[track_caller]
    fn not(self) -> Bits {
        unary(self, Location::caller(), self.width, Op::Not)
    }
}

impl Bits {
    /// Width in bits.
    pub fn width(self) -> u32 {
        self.width
    }

    /// 1 bit: equal.
    #[track_caller]
    pub fn eq(self, other: impl Operand) -> Bits {
        binary(self, other, "eq", Location::caller(), Op::Eq, Some(1))
    }

    /// 1 bit: not equal.
    #[track_caller]
    pub fn ne(self, other: impl Operand) -> Bits {
        !binary(self, other, "ne", Location::caller(), Op::Eq, Some(1))
    }

    /// 1 bit: unsigned less than.
    #[track_caller]
    pub fn lt(self, other: impl Operand) -> Bits {
        binary(self, other, "lt", Location::caller(), Op::Ult, Some(1))
    }

    /// 1 bit: unsigned at least.
    #[track_caller]
    pub fn ge(self, other: impl Operand) -> Bits {
        !binary(self, other, "ge", Location::caller(), Op::Ult, Some(1))
    }

    /// 1 bit: unsigned greater than.
    #[track_caller]
    pub fn gt(self, other: impl Operand) -> Bits {
        binary(self, other, "gt", Location::caller(), |a, b| Op::Ult(b, a), Some(1))
    }

    /// 1 bit: unsigned at most.
    #[track_caller]
    pub fn le(self, other: impl Operand) -> Bits {
        !binary(self, other, "le", Location::caller(), |a, b| Op::Ult(b, a), Some(1))
    }

    /// The sum with its carry: one bit wider than the operands.
    #[track_caller]
    pub fn grow_add(self, other: impl Operand) -> Bits {
        let loc = Location::caller();
        let other = other.operand(self.width, loc, "grow_add");
        binary(self.zext(self.width + 1), other.zext(other.width + 1), "grow_add", loc, Op::Add, None)
    }

    /// The difference with its borrow on top: one bit wider than the operands; the top bit is 1 when it is negative.
    #[track_caller]
    pub fn grow_sub(self, other: impl Operand) -> Bits {
        let loc = Location::caller();
        let other = other.operand(self.width, loc, "grow_sub");
        binary(self.zext(self.width + 1), other.zext(other.width + 1), "grow_sub", loc, Op::Sub, None)
    }

    /// Zero-extended to `width`.
    #[track_caller]
    pub fn zext(self, width: u32) -> Bits {
        let loc = Location::caller();
        if width < self.width {
            self.bad(loc, format!("zext to {width} bits would cut a {}-bit signal: use trunc", self.width), width)
        } else if width == self.width {
            self
        } else {
            cat([literal(Value::zero(width - self.width), loc), self])
        }
    }

    /// Sign-extended to `width`.
    #[track_caller]
    pub fn sext(self, width: u32) -> Bits {
        let loc = Location::caller();
        if width < self.width {
            self.bad(loc, format!("sext to {width} bits would cut a {}-bit signal: use trunc", self.width), width)
        } else if width == self.width {
            self
        } else {
            cat([self.msb().repeat(width - self.width), self])
        }
    }

    /// The low `width` bits.
    #[track_caller]
    pub fn trunc(self, width: u32) -> Bits {
        self.slice(0..width)
    }

    /// Bits `lo..hi` (`hi` excluded): `x.slice(8..16)` is `x[15:8]`.
    #[track_caller]
    pub fn slice(self, range: impl RangeBounds<u32>) -> Bits {
        let loc = Location::caller();
        let lo = match range.start_bound() {
            Bound::Included(n) => *n,
            Bound::Excluded(n) => n.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let hi = match range.end_bound() {
            Bound::Included(n) => n.saturating_add(1),
            Bound::Excluded(n) => *n,
            Bound::Unbounded => self.width,
        };
        if lo >= hi || hi > self.width {
            let width = hi.saturating_sub(lo).clamp(1, self.width.max(1));
            return self.bad(loc, format!("slice {lo}..{hi} does not lie in a {}-bit signal", self.width), width);
        }
        unary(self, loc, hi - lo, |x| Op::Slice(x, lo))
    }

    /// Bit `i`.
    #[track_caller]
    pub fn bit(self, i: u32) -> Bits {
        self.slice(i..=i)
    }

    /// Byte `i`: bits `8 i + 7 .. 8 i`.
    #[track_caller]
    pub fn byte(self, i: u32) -> Bits {
        let lo = i.saturating_mul(8);
        self.slice(lo..lo.saturating_add(8))
    }

    /// The most significant bit.
    #[track_caller]
    pub fn msb(self) -> Bits {
        self.bit(self.width - 1)
    }

    /// The bits one by one, bit 0 first.
    #[track_caller]
    pub fn to_bits(self) -> Vec<Bits> {
        let loc = Location::caller();
        (0..self.width).map(|i| if self.width == 1 { self } else { unary(self, loc, 1, |x| Op::Slice(x, i)) }).collect()
    }

    /// In chunks of `width` bits, the lowest first; the width must divide the signal's.
    #[track_caller]
    pub fn chunks(self, width: u32) -> Vec<Bits> {
        let loc = Location::caller();
        if width == 0 || !self.width.is_multiple_of(width) {
            return vec![self.bad(
                loc,
                format!("{} bits are no whole number of {width}-bit chunks", self.width),
                width.max(1),
            )];
        }
        (0..self.width / width).map(|i| self.slice(i * width..(i + 1) * width)).collect()
    }

    /// The bytes in the opposite order. The width must be a multiple of 8.
    #[track_caller]
    pub fn swap_bytes(self) -> Bits {
        cat(self.chunks(8))
    }

    /// `n` copies side by side.
    #[track_caller]
    pub fn repeat(self, n: u32) -> Bits {
        let loc = Location::caller();
        match self.width.checked_mul(n) {
            Some(width) if width > 0 => unary(self, loc, width, |x| Op::Repeat(x, n)),
            _ => self.bad(loc, format!("{n} copies of {} bits are no signal", self.width), self.width),
        }
    }

    /// All bits one (1 bit).
    #[track_caller]
    pub fn all(self) -> Bits {
        unary(self, Location::caller(), 1, Op::RedAnd)
    }

    /// Any bit one (1 bit).
    #[track_caller]
    pub fn any(self) -> Bits {
        unary(self, Location::caller(), 1, Op::RedOr)
    }

    /// Parity: exclusive or of all bits (1 bit).
    #[track_caller]
    pub fn parity(self) -> Bits {
        unary(self, Location::caller(), 1, Op::RedXor)
    }

    /// Shifted left by a constant; zeros come in, the width stays: nothing but zeros from a shift by the width on.
    #[track_caller]
    pub fn shl(self, n: u32) -> Bits {
        match n {
            0 => self,
            n if n >= self.width => lit(self.width, 0),
            n => cat([self.slice(0..self.width - n), lit(n, 0)]),
        }
    }

    /// Shifted right by a constant; zeros come in, the width stays: nothing but zeros from a shift by the width on.
    #[track_caller]
    pub fn shr(self, n: u32) -> Bits {
        match n {
            0 => self,
            n if n >= self.width => lit(self.width, 0),
            n => cat([lit(n, 0), self.slice(n..)]),
        }
    }

    /// Shifted left by a signal; an amount of the width or more gives zero.
    #[track_caller]
    pub fn shl_by(self, amount: Bits) -> Bits {
        self.shift(amount, Op::Shl)
    }

    /// Shifted right by a signal; an amount of the width or more gives zero.
    #[track_caller]
    pub fn shr_by(self, amount: Bits) -> Bits {
        self.shift(amount, Op::Shr)
    }

    #[track_caller]
    pub(crate) fn shift(self, amount: Bits, make: fn(NodeId, NodeId) -> Op) -> Bits {
        let loc = Location::caller();
        with(|bu| {
            let (x, n) = (bu.own(self, loc), bu.own(amount, loc));
            let id = bu.node(make(x, n), self.width, loc);
            bu.bits(id)
        })
    }

    /// This value as a signed number.
    pub fn signed(self) -> crate::Signed {
        crate::Signed(self)
    }

    /// Assigns the signal, or the slice of it that this handle is, in the present `when` and `switch`.
    ///
    /// # Errors
    /// [`Fault::Access`] at elaboration if it is an input or an expression, [`Fault::Width`] if the widths differ.
    #[track_caller]
    pub fn set(self, value: impl Operand) {
        let loc = Location::caller();
        let value = value.operand(self.width, loc, "set");
        with(|b| {
            let (target, value) = (b.own(self, loc), b.own(value, loc));
            assign(b, target, value, loc);
        });
    }

    /// Gives it a name in Verilog, waveforms and messages, unless it has one.
    pub fn named(self, name: &str) -> Bits {
        with(|b| name_node(b, self, name));
        self
    }

    /// Declares that this signal's unused bits are unused on purpose; the emitter ties them to one named sink.
    #[track_caller]
    pub fn ignore(self) {
        let loc = Location::caller();
        with(|b| {
            let id = b.own(self, loc);
            b.module.ignored.push(id);
        });
    }

    #[track_caller]
    fn bad(self, loc: Loc, message: String, width: u32) -> Bits {
        with(|b| b.error(Fault::Width, loc, message));
        literal(Value::zero(width), loc)
    }
}

fn assign(b: &mut Builder, target: NodeId, value: NodeId, loc: Loc) {
    let (tw, vw) = (b.module.node(target).width, b.module.node(value).width);
    let Some((sig, lsb)) = b.sig_of(target) else {
        let message = format!("{} is an expression and cannot be assigned", b.describe(target));
        return b.error(Fault::Access, loc, message);
    };
    if !matches!(b.module.sig(sig).kind, SigKind::Comb | SigKind::Reg(_) | SigKind::InstIn { .. }) {
        let message = format!("{} is an input here and cannot be assigned", b.describe(target));
        return b.error(Fault::Access, loc, message);
    }
    if tw != vw {
        let message = format!("widths differ in `set`: {} is assigned {}", b.describe(target), b.describe(value));
        return b.error(Fault::Width, loc, message);
    }
    b.push_stmt(Stmt::Assign { target: sig, lsb, value, loc });
}

fn name_node(b: &mut Builder, bits: Bits, name: &str) {
    if !b.is_own(bits) {
        return;
    }
    match b.module.node(bits.id).op.clone() {
        Op::Const(_) => {}
        Op::Sig(s) => {
            if let SigKind::InstIn { inst, .. } | SigKind::InstOut { inst, .. } = b.module.sig(s).kind {
                let inst = &mut b.module.insts[inst as usize];
                if inst.name.is_empty() {
                    inst.name = name.into();
                }
            } else if b.module.sig(s).name.is_empty() {
                b.module.sigs[s.0 as usize].name = name.into();
            }
        }
        _ => {
            let node = &mut b.module.nodes[bits.id.0 as usize];
            if node.name.is_none() {
                node.name = Some(name.into());
            }
        }
    }
}
