//! One-hot codes, priorities and selections: pure functions, no registers.
//!
//! Bit numbers count from 0 at the least significant end; *lowest* means the smallest number.

use crate::{Bits, Value, cat, clog2, error::Fault, lit};
use std::panic::Location;

/// Bit `index` of `width` bits is 1, the others 0; all are 0 for an index beyond the width. One comparison with a
/// constant a bit.
#[track_caller]
pub fn one_hot(index: Bits, width: u32) -> Bits {
    let reachable = |i: u32| index.width() >= 32 || i >> index.width() == 0;
    let bits = (0..width).rev().map(|i| if reachable(i) { index.eq(u64::from(i)) } else { lit(1, 0) });
    cat(bits)
}

/// Number of the bit that is 1, `clog2(width)` bits (at least 1) wide. Zero gives 0; of several ones the numbers come
/// out or-ed. An or over half of the bits for each result bit.
#[track_caller]
pub fn index_of(one_hot: Bits) -> Bits {
    let (width, bits) = (one_hot.width(), clog2(u64::from(one_hot.width())).max(1));
    // Masks and not slices: bit 0 contributes to no result bit, but is no unused bit either.
    let bit = |k: u32| {
        let mut mask = Value::zero(width);
        (0..width).filter(|i| i >> k & 1 == 1).for_each(|i| mask.set_bit(i, true));
        (one_hot & mask).any()
    };
    if width == 1 { lit(1, 0) } else { cat((0..bits).rev().map(bit)) }
}

/// 1 bit: at most one bit is 1. One decrement.
#[track_caller]
pub fn is_one_hot_or_zero(b: Bits) -> Bits {
    (b & (b - 1)).eq(Value::zero(b.width()))
}

/// 1 bit: exactly one bit is 1. One decrement.
#[track_caller]
pub fn is_one_hot(b: Bits) -> Bits {
    b.any() & is_one_hot_or_zero(b)
}

/// Only the lowest 1, zero for zero: the grant of a priority arbiter. One negation (a carry chain).
#[track_caller]
pub fn lowest_set(b: Bits) -> Bits {
    b & (!b + 1)
}

/// Only the highest 1, zero for zero. One negation of the reversed bits.
#[track_caller]
pub fn highest_set(b: Bits) -> Bits {
    reverse(lowest_set(reverse(b)))
}

/// Number of the lowest 1 (the count of trailing zeros), `clog2(width)` bits; 0 for zero. A [`lowest_set`] and an
/// [`index_of`].
#[track_caller]
pub fn trailing_index(b: Bits) -> Bits {
    index_of(lowest_set(b))
}

/// Number of the highest 1 (the integer logarithm), `clog2(width)` bits; 0 for zero. A [`highest_set`] and an
/// [`index_of`].
#[track_caller]
pub fn leading_index(b: Bits) -> Bits {
    index_of(highest_set(b))
}

/// The bits in the opposite order. Wiring only.
#[track_caller]
pub fn reverse(b: Bits) -> Bits {
    cat(b.to_bits())
}

/// The option whose bit of `select` is 1; zero for none, or-ed for several. One and-or a bit and option, shallower than
/// a chain of `mux`es.
///
/// # Errors
/// [`Fault::Width`] if there are not as many options as `select` has bits, or if they differ in width.
#[track_caller]
pub fn mux_one_hot(select: Bits, options: &[Bits]) -> Bits {
    let loc = Location::caller();
    let Some(first) = options.first() else {
        crate::build::with(|b| b.error(Fault::Config, loc, "`mux_one_hot` needs at least one option".into()));
        return select;
    };
    if options.len() != select.width() as usize {
        let message = format!("`mux_one_hot` has {} options and {} select bits", options.len(), select.width());
        crate::build::with(|b| b.error(Fault::Width, loc, message));
        return *first;
    }
    let gated = options.iter().zip(select.to_bits()).map(|(o, s)| s.repeat(o.width()) & *o);
    gated.reduce(|a, b| a | b).expect("one option at least")
}
