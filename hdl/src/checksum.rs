//! Ones'-complement sums of the Internet checksum (RFC 1071), in pieces between which a pipeline can register.
//!
//! [`ones_sum`] adds without folding, [`fold_once`] and [`end_around`] fold; [`fold16`] is both. Since the sum does not
//! depend on the order of the words, partial sums of beats can be added again with [`ones_sum`].

use crate::{Bits, build::with, cat, error::Fault};
use std::panic::Location;

/// The 16-bit words of a vector in network order: byte lane 0 is the high byte of the first word.
///
/// # Errors
/// [`Fault::Width`] if the vector is no whole number of words.
#[track_caller]
pub fn network_words(data: Bits) -> Vec<Bits> {
    data.chunks(16).into_iter().map(|w| if w.width() == 16 { cat([w.byte(0), w.byte(1)]) } else { w }).collect()
}

/// The plain sum of words and partial sums of up to 64 bits, just wide enough never to overflow: `n` words of 16 bits
/// give `16 + clog2(n)` bits. One chain of additions, from which synthesis makes carry-save rows and one adder.
///
/// # Errors
/// [`Fault::Config`] if there are no words.
#[track_caller]
pub fn ones_sum(words: &[Bits]) -> Bits {
    let loc = Location::caller();
    let most = words.iter().fold(0u128, |sum, w| sum + ((1u128 << w.width().min(64)) - 1));
    let width = 128 - most.leading_zeros();
    match words.split_first() {
        Some((first, rest)) => rest.iter().fold(first.zext(width), |sum, w| sum + w.zext(width)),
        None => {
            with(|b| b.error(Fault::Config, loc, "`ones_sum` needs at least one word".into()));
            crate::lit(16, 0)
        }
    }
}

/// First fold: the low 16 bits plus the bits above them, 17 bits. The sum has 17 to 32 bits; one of 16 or fewer bits is
/// only extended.
///
/// # Errors
/// [`Fault::Width`] if the sum is wider than 32 bits.
#[track_caller]
pub fn fold_once(sum: Bits) -> Bits {
    let loc = Location::caller();
    match sum.width() {
        0..=17 => sum.zext(17),
        18..=32 => sum.slice(..16).zext(17) + sum.slice(16..).zext(17),
        wide => {
            with(|b| {
                b.error(Fault::Width, loc, format!("a sum of {wide} bits cannot be folded at once: use at most 32"))
            });
            sum.slice(..17)
        }
    }
}

/// Last fold: bit 16 is added at the bottom, 16 bits. The sum has 17 bits and is at most 0x1fffe, as every sum of two
/// words and every result of [`fold_once`] is.
///
/// # Errors
/// [`Fault::Width`] if the sum has not 17 bits.
#[track_caller]
pub fn end_around(sum: Bits) -> Bits {
    let loc = Location::caller();
    if sum.width() != 17 {
        with(|b| b.error(Fault::Width, loc, format!("the last fold takes 17 bits, not {}", sum.width())));
        return crate::lit(16, 0);
    }
    sum.slice(..16) + sum.slice(16..).zext(16)
}

/// The ones'-complement sum of 16 bits from a plain sum of [`ones_sum`]: [`fold_once`] and [`end_around`].
#[track_caller]
pub fn fold16(sum: Bits) -> Bits {
    end_around(fold_once(sum))
}

/// The plain sum for an incremental update (RFC 1624, equation 3): `~HC + ~m + m'` over the words that change. Complement
/// the [`fold16`] of it to get the new checksum.
#[track_caller]
pub fn update_sum(checksum: Bits, old: &[Bits], new: &[Bits]) -> Bits {
    let gone = old.iter().map(|w| !*w);
    let words: Vec<Bits> = std::iter::once(!checksum).chain(gone).chain(new.iter().copied()).collect();
    ones_sum(&words)
}

/// The checksum after the words `old` were replaced by `new` (RFC 1624, equation 3), in one clock: `~HC' = ~HC + ~m + m'`.
/// A UDP checksum that comes out as 0 must be sent as 0xffff (RFC 768), and one that was 0 must stay.
#[track_caller]
pub fn update(checksum: Bits, old: &[Bits], new: &[Bits]) -> Bits {
    !fold16(update_sum(checksum, old, new))
}
