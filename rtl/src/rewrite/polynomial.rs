//! Arithmetic of polynomials over GF(2) modulo that of CRC-32, on numbers and in hardware. Bit `i` of a number is the
//! coefficient of x^i.

use hdl::{crc::CrcSpec, *};

/// Degree of the modulus.
pub const DEGREE: u32 = 32;

/// The modulus without x^32: that of CRC-32 (IEEE 802.3, section 3.2.9; IBTA volume 1, section 7.8.1).
pub const MODULUS: u32 = CrcSpec::CRC32.poly as u32;

/// x is of this order: its powers repeat after so many.
const ORDER: u64 = u32::MAX as u64;

/// x `a`.
const fn times_x(a: u32) -> u32 {
    a << 1 ^ if a >> 31 == 1 { MODULUS } else { 0 }
}

/// `a` `b`.
pub const fn product(a: u32, b: u32) -> u32 {
    let (mut sum, mut bit) = (0, 32);
    while bit > 0 {
        bit -= 1;
        sum = times_x(sum) ^ if b >> bit & 1 == 1 { a } else { 0 };
    }
    sum
}

/// x to this power, which may be negative.
pub const fn power(exponent: i64) -> u32 {
    let mut left = exponent.rem_euclid(ORDER as i64) as u64;
    let (mut result, mut square) = (1, 2);
    while left > 0 {
        if left & 1 == 1 {
            result = product(result, square);
        }
        square = product(square, square);
        left >>= 1;
    }
    result
}

/// `value`, of any degree, modulo the polynomial.
pub fn reduced(value: Bits) -> Bits {
    let high: Vec<(Bits, u32)> =
        (DEGREE..value.width()).map(|exponent| (value.bit(exponent), power(i64::from(exponent)))).collect();
    let bits = (0..DEGREE).rev().map(|i| {
        let folded = high.iter().filter(|(_, remainder)| remainder >> i & 1 == 1);
        folded.fold(value.bit(i), |sum, (coefficient, _)| sum ^ *coefficient)
    });
    cat(bits.collect::<Vec<_>>())
}

/// `a` `b`, not reduced: one bit less than both have together.
pub fn long_product(a: Bits, b: Bits) -> Bits {
    let coefficient = |degree: u32| {
        let pairs = (0..a.width()).filter(|i| (0..b.width()).contains(&degree.wrapping_sub(*i)));
        let terms = pairs.map(|i| a.bit(i) & b.bit(degree - i));
        terms.reduce(|sum, term| sum ^ term).unwrap_or(lit(1, 0))
    };
    cat((0..a.width() + b.width() - 1).rev().map(coefficient).collect::<Vec<_>>())
}

/// A word in network order as a polynomial, or back. CRC-32 takes the first byte first and the low bit of each byte first,
/// and the first bit has the highest power.
pub fn reflected(word: Bits) -> Bits {
    cat(word.chunks(8).into_iter().rev().flat_map(Bits::to_bits).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_x_are_those_of_a_shift_register() {
        let mut shifted = 1;
        for exponent in 0..1000 {
            assert_eq!(power(exponent), shifted, "x^{exponent}");
            assert_eq!(product(power(exponent), power(-exponent)), 1, "x^-{exponent}");
            shifted = times_x(shifted);
        }
        assert_eq!(power(32), MODULUS);
    }

    /// If x^n = 1 for n the order only, and for no divisor of it, every power differs.
    #[test]
    fn x_has_the_full_order() {
        let mut all = 1;
        for _ in 0..32 {
            all = product(product(all, all), 2);
        }
        assert_eq!(all, 1, "x^(2^32 - 1)");
        for prime in [3, 5, 17, 257, 65_537] {
            assert_ne!(power(ORDER as i64 / prime), 1, "{prime}");
        }
    }
}
