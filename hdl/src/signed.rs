//! Signed (two's complement) arithmetic.

use crate::{Bits, Operand, ir::Op, mux};
use std::ops::{Add, Mul, Sub};

/// A signal read as a two's complement number. The rules of [`Bits`] on widths hold.
#[derive(Clone, Copy, Debug)]
pub struct Signed(pub Bits);

impl Signed {
    /// The same bits, unsigned.
    pub fn bits(self) -> Bits {
        self.0
    }

    /// Width in bits.
    pub fn width(self) -> u32 {
        self.0.width()
    }

    /// Sign-extended to `width`.
    #[track_caller]
    pub fn sext(self, width: u32) -> Signed {
        Signed(self.0.sext(width))
    }

    /// 1 bit: less than.
    #[track_caller]
    pub fn lt(self, other: Signed) -> Bits {
        let (a, b) = (flip_sign(self.0), flip_sign(other.0));
        // The flipped comparison checks widths and names this line; the node itself is the signed one.
        let unsigned = a.lt(b);
        if self.width() == other.width() { signed_less(self.0, other.0) } else { unsigned }
    }

    /// 1 bit: at least.
    #[track_caller]
    pub fn ge(self, other: Signed) -> Bits {
        !self.lt(other)
    }

    /// 1 bit: negative.
    #[track_caller]
    pub fn is_negative(self) -> Bits {
        self.0.msb()
    }

    /// The sum, one bit wider, never overflowing.
    #[track_caller]
    pub fn grow_add(self, other: Signed) -> Signed {
        Signed(self.0.sext(self.width() + 1) + other.0.sext(other.width() + 1))
    }

    /// The difference, one bit wider, never overflowing.
    #[track_caller]
    pub fn grow_sub(self, other: Signed) -> Signed {
        Signed(self.0.sext(self.width() + 1) - other.0.sext(other.width() + 1))
    }

    /// Arithmetic shift right by a constant.
    #[track_caller]
    pub fn shr(self, n: u32) -> Signed {
        Signed(self.0.slice(n..).sext(self.width()))
    }

    /// Arithmetic shift right by a signal.
    #[track_caller]
    pub fn shr_by(self, amount: Bits) -> Signed {
        Signed(self.0.shift(amount, Op::Sar))
    }

    /// The absolute value, one bit narrower range kept: the most negative number stays as it is, read unsigned.
    #[track_caller]
    pub fn abs(self) -> Bits {
        mux(self.0.msb(), !self.0 + 1, self.0)
    }
}

#[track_caller]
fn flip_sign(b: Bits) -> Bits {
    b ^ crate::Value::zero(b.width()).not().shl(b.width() - 1)
}

#[track_caller]
fn signed_less(a: Bits, b: Bits) -> Bits {
    let loc = std::panic::Location::caller();
    crate::build::with(|bu| {
        let (x, y) = (bu.own(a, loc), bu.own(b, loc));
        let id = bu.node(Op::Slt(x, y), 1, loc);
        bu.bits(id)
    })
}

/// Sum modulo 2^width.
impl Add for Signed {
    type Output = Signed;
    #[track_caller]
    fn add(self, other: Signed) -> Signed {
        Signed(self.0 + other.0)
    }
}

/// Difference modulo 2^width.
impl Sub for Signed {
    type Output = Signed;
    #[track_caller]
    fn sub(self, other: Signed) -> Signed {
        Signed(self.0 - other.0)
    }
}

/// The full product: as wide as both operands together.
impl Mul for Signed {
    type Output = Signed;
    #[allow(clippy::suspicious_arithmetic_impl)] // widths add up
    #[track_caller]
    fn mul(self, other: Signed) -> Signed {
        let width = self.width() + other.width();
        let loc = std::panic::Location::caller();
        let (a, b) = (self.0.sext(width), other.0.sext(width));
        Signed(crate::build::with(|bu| {
            let (x, y) = (bu.own(a, loc), bu.own(b, loc));
            let id = bu.node(Op::Mul(x, y), width, loc);
            bu.bits(id)
        }))
    }
}

impl Signed {
    /// A signed constant of `width` bits.
    #[track_caller]
    pub fn lit(width: u32, value: i64) -> Signed {
        let loc = std::panic::Location::caller();
        let fits = width >= 64 || width > 0 && (-(1i64 << (width - 1))..(1i64 << (width - 1))).contains(&value);
        if !fits {
            let message = format!("the signed literal {value} does not fit in {width} bits");
            crate::build::with(|b| b.error(crate::Fault::Width, loc, message));
        }
        let width = width.max(1);
        let v = crate::Value::from_words(width.min(64), &[value as u64]).sign_extend(width);
        Signed(v.operand(width, loc, "lit"))
    }
}
