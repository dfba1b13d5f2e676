//! Ones'-complement sums (RFC 1071) as what they are: residues modulo 65,535.
//!
//! Adding with end-around carry is addition modulo FFFF, whose residue 0 is written FFFF unless every term was 0.
//! So nothing here folds carries; hardware that does must come to the same values.

const MODULUS: i64 = 0xffff;

/// The plain sum of the big-endian words of `bytes`; an odd last byte is padded with 0.
pub(crate) fn words(bytes: &[u8]) -> i64 {
    let high: i64 = bytes.iter().step_by(2).map(|&byte| i64::from(byte) * 256).sum();
    let low: i64 = bytes.iter().skip(1).step_by(2).map(|&byte| i64::from(byte)).sum();
    high + low
}

/// Whether a sum that includes its checksum field is that of intact data. All-zero data is not: its folded sum is 0, not FFFF.
pub(crate) fn is_right(sum: i64) -> bool {
    sum != 0 && sum % MODULUS == 0
}

/// The checksum field over data whose sum is `sum`, of which at least one word is not 0.
pub(crate) fn field(sum: i64) -> u16 {
    let residue = sum.rem_euclid(MODULUS);
    // Residue 0 is FFFF in a sum of something, and its complement 0.
    if residue == 0 { 0 } else { (MODULUS - residue) as u16 }
}

/// `checksum` after words that sum to `before` became words that sum to `after`: RFC 1624 eq. 3. What `checksum` was off
/// by, the result is off by. Not for the one case that eq. 3 answers with FFFF: checksum FFFF, all words FFFF, then all 0.
pub(crate) fn updated(checksum: u16, before: i64, after: i64) -> u16 {
    field(MODULUS - i64::from(checksum) - before + after)
}

/// As [`updated`] for UDP (RFC 768): 0 says "none" and stays, a result of 0 is sent as FFFF.
pub(crate) fn updated_udp(checksum: u16, before: i64, after: i64) -> u16 {
    match checksum {
        0 => 0,
        _ => match updated(checksum, before, after) {
            0 => 0xffff,
            result => result,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eq. 3 word by word, as RFC 1624 section 3 writes it.
    fn eq3(checksum: u16, words: &[(u16, u16)]) -> u16 {
        let add = |a: u16, b: u16| {
            let (sum, carry) = a.overflowing_add(b);
            sum + u16::from(carry)
        };
        !words.iter().fold(!checksum, |sum, &(old, new)| add(add(sum, !old), new))
    }

    proptest::proptest! {
        #[test]
        fn residues_agree_with_rfc_1624(checksum: u16, words in proptest::collection::vec(proptest::prelude::any::<(u16, u16)>(), 1..9)) {
            let before = words.iter().map(|pair| i64::from(pair.0)).sum();
            let after = words.iter().map(|pair| i64::from(pair.1)).sum();
            proptest::prop_assert_eq!(updated(checksum, before, after), eq3(checksum, &words));
        }
    }

    #[test]
    fn every_checksum_and_the_corner_words() {
        for checksum in 0..=u16::MAX {
            for words in [
                [(0, 0), (0, 0)],
                [(0xffff, 0), (0, 0xffff)],
                [(0, 0xffff), (1, 0)],
                [(0xc000, 0xcb00), (0x20a, 0x7105)],
            ] {
                let before = words.iter().map(|pair| i64::from(pair.0)).sum();
                let after = words.iter().map(|pair| i64::from(pair.1)).sum();
                assert_eq!(updated(checksum, before, after), eq3(checksum, &words), "{checksum:04x} {words:x?}");
            }
        }
    }

    #[test]
    fn example_of_rfc_1624_section_4() {
        assert_eq!(updated(0xdd2f, 0x5555, 0x3285), 0);
    }
}
