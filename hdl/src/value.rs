//! Bit vectors of any width, as constants, as simulator values and as what tests compare.

use std::fmt;

/// A bit vector of `width` bits, least significant word first. Unused high bits of the last word are zero.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    width: u32,
    words: Vec<u64>,
}

/// Number of 64-bit words that hold `width` bits.
pub(crate) const fn words_for(width: u32) -> usize {
    width.div_ceil(64) as usize
}

impl Value {
    /// All zeros.
    pub fn zero(width: u32) -> Self {
        Value { width, words: vec![0; words_for(width)] }
    }

    /// All ones.
    pub fn ones(width: u32) -> Self {
        Self::from_words(width, &vec![u64::MAX; words_for(width)])
    }

    /// The low `width` bits of `value`.
    pub fn new(width: u32, value: u128) -> Self {
        Self::from_words(width, &[value as u64, (value >> 64) as u64])
    }

    /// From words, least significant first; missing words are zero, surplus bits are cut.
    pub fn from_words(width: u32, words: &[u64]) -> Self {
        let mut v = Self::zero(width);
        let n = v.words.len().min(words.len());
        v.words[..n].copy_from_slice(&words[..n]);
        v.mask();
        v
    }

    /// From bytes, byte 0 in bits 7..0 (the lane order of AXI4-Stream).
    pub fn from_bytes(width: u32, bytes: &[u8]) -> Self {
        let mut v = Self::zero(width);
        for (i, b) in bytes.iter().enumerate().take(v.words.len() * 8) {
            v.words[i / 8] |= u64::from(*b) << (8 * (i % 8));
        }
        v.mask();
        v
    }

    /// The bytes, bits 7..0 first; `ceil(width / 8)` of them.
    pub fn to_bytes(&self) -> Vec<u8> {
        (0..self.width.div_ceil(8) as usize).map(|i| (self.words[i / 8] >> (8 * (i % 8))) as u8).collect()
    }

    fn mask(&mut self) {
        let rest = self.width % 64;
        if rest != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1u64 << rest) - 1;
        }
    }

    /// Width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The words, least significant first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The low 64 bits.
    pub fn to_u64(&self) -> u64 {
        self.words.first().copied().unwrap_or(0)
    }

    /// The low 128 bits.
    pub fn to_u128(&self) -> u128 {
        u128::from(self.to_u64()) | u128::from(self.words.get(1).copied().unwrap_or(0)) << 64
    }

    /// Is bit 0 set?
    pub fn is_true(&self) -> bool {
        self.to_u64() & 1 == 1
    }

    /// Is every bit zero?
    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|w| *w == 0)
    }

    /// Is every bit one?
    pub fn is_ones(&self) -> bool {
        *self == Self::ones(self.width)
    }

    /// Bit `i`; bits beyond the width are zero.
    pub fn bit(&self, i: u32) -> bool {
        i < self.width && self.words[(i / 64) as usize] >> (i % 64) & 1 == 1
    }

    /// Sets bit `i`, which must lie within the width.
    pub fn set_bit(&mut self, i: u32, on: bool) {
        assert!(i < self.width, "bit {i} of a {}-bit value", self.width);
        let (w, m) = ((i / 64) as usize, 1u64 << (i % 64));
        if on {
            self.words[w] |= m;
        } else {
            self.words[w] &= !m;
        }
    }

    /// `width` bits from bit `lsb` upwards; bits beyond the end are zero.
    pub fn slice(&self, lsb: u32, width: u32) -> Self {
        let mut v = Self::zero(width);
        let (skip, shift) = ((lsb / 64) as usize, lsb % 64);
        for i in 0..v.words.len() {
            let low = self.words.get(i + skip).copied().unwrap_or(0) >> shift;
            let high = if shift == 0 { 0 } else { self.words.get(i + skip + 1).copied().unwrap_or(0) << (64 - shift) };
            v.words[i] = low | high;
        }
        v.mask();
        v
    }

    /// Zero-extended or cut to `width`.
    pub fn resize(&self, width: u32) -> Self {
        self.slice(0, width)
    }

    /// Sign-extended (or cut) to `width`.
    pub fn sign_extend(&self, width: u32) -> Self {
        let mut v = self.resize(width);
        if self.width > 0 && self.bit(self.width - 1) {
            for i in self.width..width {
                v.set_bit(i, true);
            }
        }
        v
    }

    /// `{self, low}`: `self` above `low`.
    pub fn concat(&self, low: &Value) -> Self {
        let mut v = low.resize(self.width + low.width);
        v.or_shifted(self, low.width);
        v
    }

    /// `self |= other << lsb`, cut to the width of `self`.
    fn or_shifted(&mut self, other: &Value, lsb: u32) {
        let (skip, shift) = ((lsb / 64) as usize, lsb % 64);
        for (i, w) in other.words.iter().enumerate() {
            if let Some(t) = self.words.get_mut(i + skip) {
                *t |= w << shift;
            }
            if shift != 0
                && let Some(t) = self.words.get_mut(i + skip + 1)
            {
                *t |= w >> (64 - shift);
            }
        }
        self.mask();
    }

    /// Shifted left by `n`, same width.
    pub fn shl(&self, n: u32) -> Self {
        let mut v = Self::zero(self.width);
        if n < self.width {
            v.or_shifted(self, n);
        }
        v
    }

    /// Bitwise combination of two values of one width.
    pub fn zip(&self, other: &Value, f: impl Fn(u64, u64) -> u64) -> Self {
        debug_assert_eq!(self.width, other.width);
        let words: Vec<u64> = self.words.iter().zip(&other.words).map(|(a, b)| f(*a, *b)).collect();
        Self::from_words(self.width, &words)
    }

    /// Bitwise complement.
    pub fn not(&self) -> Self {
        let words: Vec<u64> = self.words.iter().map(|w| !w).collect();
        Self::from_words(self.width, &words)
    }

    /// Sum modulo 2^width.
    pub fn add(&self, other: &Value) -> Self {
        let mut v = self.clone();
        let mut carry = false;
        for (a, b) in v.words.iter_mut().zip(&other.words) {
            let (s, c1) = a.overflowing_add(*b);
            let (s, c2) = s.overflowing_add(u64::from(carry));
            *a = s;
            carry = c1 || c2;
        }
        v.mask();
        v
    }

    /// Difference modulo 2^width.
    pub fn sub(&self, other: &Value) -> Self {
        self.add(&other.not().add(&Value::new(self.width, 1)))
    }

    /// Product modulo 2^width, of operands already extended to that width.
    pub fn mul(&self, other: &Value) -> Self {
        let n = self.words.len();
        let mut words = vec![0u64; n];
        for i in 0..n {
            let mut carry = 0u128;
            for j in 0..n - i {
                let t = u128::from(self.words[i]) * u128::from(other.words[j]) + u128::from(words[i + j]) + carry;
                words[i + j] = t as u64;
                carry = t >> 64;
            }
        }
        Self::from_words(self.width, &words)
    }

    /// Unsigned comparison.
    pub fn ult(&self, other: &Value) -> bool {
        self.words.iter().rev().lt(other.words.iter().rev())
    }

    /// Signed (two's complement) comparison.
    pub fn slt(&self, other: &Value) -> bool {
        let (a, b) = (self.bit(self.width - 1), other.bit(other.width - 1));
        if a != b { a } else { self.ult(other) }
    }

    /// Number of ones.
    pub fn count_ones(&self) -> u32 {
        self.words.iter().map(|w| w.count_ones()).sum()
    }
}

impl fmt::LowerHex for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.width.div_ceil(4).max(1);
        for d in (0..digits).rev() {
            write!(f, "{:x}", self.slice(d * 4, 4).to_u64())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}'h{:x}", self.width, self)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_and_concatenations_cross_word_borders() {
        let low = Value::new(60, 0xfff_ffff_ffff_fff5);
        let high = Value::new(70, 0x2a_1234_5678_9abc_def0);
        let both = high.concat(&low);
        assert_eq!(both.width(), 130);
        assert_eq!(both.slice(0, 60), low);
        assert_eq!(both.slice(60, 70), high);
        assert_eq!(Value::from_bytes(130, &both.to_bytes()), both);
    }

    #[test]
    fn arithmetic_wraps_at_the_width() {
        assert_eq!(Value::ones(65).add(&Value::new(65, 1)), Value::zero(65));
        assert_eq!(Value::zero(65).sub(&Value::new(65, 1)), Value::ones(65));
        assert_eq!(
            Value::new(100, u64::MAX as u128).mul(&Value::new(100, 1 << 40)).to_u128(),
            ((u64::MAX as u128) << 40) & ((1 << 100) - 1)
        );
        assert!(Value::ones(70).slt(&Value::zero(70)) && !Value::ones(70).ult(&Value::zero(70)));
        assert_eq!(format!("{:x}", Value::new(10, 0x2ff)), "2ff");
        assert_eq!(Value::new(3, 6).sign_extend(5), Value::new(5, 0b11110));
    }
}
