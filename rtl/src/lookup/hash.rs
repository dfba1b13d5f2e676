//! Row hashes of the exact-match tables: which row of each way a key may stand in.
//!
//! A key of `key_w` bits is mixed, `m = k ^ rotl(k, a) ^ rotl(k, b)`, then each hex digit of `m` looks up a table of
//! random words and the row is their exclusive or (simple tabulation). The mix spreads keys that differ in a few low
//! bits, such as one subnet's addresses, over several digits; the tables are not linear, so that no pattern of addresses
//! and functions lines up with them. A CRC would be linear: its image of a regular set of keys (eight hosts in each of
//! 256 subnets, one a function) can have a rank too few, and then half of a way stays empty.
//!
//! Table word: `splitmix(Self::SEED ^ splitmix(way << 32 | digit << 8 | value))`, low `row_w` bits, digit 0 the lowest;
//! `splitmix` is the output function of SplitMix64 (Steele, Lea, Flood 2014).

use hdl::{Bits, Value, cat, lit, select};

/// Clocks of [`RowHash::rows`].
pub(super) const LATENCY: u32 = 2;

/// The row hashes of one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowHash {
    /// Bits of a key: a multiple of 4 from 12 to 128.
    pub key_w: u32,
    /// Number of ways.
    pub ways: u32,
    /// Bits of a row number.
    pub row_w: u32,
}

fn splitmix(x: u64) -> u64 {
    let z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl RowHash {
    /// Chosen once; any other value serves as well.
    pub const SEED: u64 = 5;

    /// Hex digits of a key.
    pub fn digits(&self) -> u32 {
        self.key_w / 4
    }

    /// The two rotations of the mix. For 48 and 32 bits they make it a bijection, and were chosen by how full the tables
    /// become (`docs/decisions/row-hash.md`).
    pub fn rotations(&self) -> [u32; 2] {
        match self.key_w {
            48 => [15, 25],
            width => [width / 9, width * 5 / 12],
        }
    }

    /// Table word of one way for `value` (0 to 15) of one digit of the mixed key.
    pub fn word(&self, way: u32, digit: u32, value: u32) -> u64 {
        let index = u64::from(way) << 32 | u64::from(digit) << 8 | u64::from(value);
        splitmix(Self::SEED ^ splitmix(index)) & ((1 << self.row_w) - 1)
    }

    /// The row of `way` in which `key` may stand.
    pub fn row_of(&self, way: u32, key: u128) -> u32 {
        let mixed = self.mix_value(key);
        let word = |digit| self.word(way, digit, (mixed >> (4 * digit)) as u32 & 15);
        (0..self.digits()).fold(0, |row, digit| row ^ word(digit)) as u32
    }

    fn mix_value(&self, key: u128) -> u128 {
        let mask = u128::MAX >> (128 - self.key_w);
        let rotl = |n: u32| (key << n | key >> (self.key_w - n)) & mask;
        self.rotations().into_iter().fold(key & mask, |mixed, n| mixed ^ rotl(n))
    }

    /// The mixed key, combinational: one level of three-input gates.
    pub(super) fn mix(&self, key: Bits) -> Bits {
        let rotl = |n: u32| cat([key.trunc(self.key_w - n), key.slice(self.key_w - n..)]);
        self.rotations().into_iter().fold(key, |mixed, n| mixed ^ rotl(n))
    }

    /// The words of all ways side by side, way 0 lowest.
    fn words(&self, digit: u32, value: u32) -> Value {
        (0..self.ways).fold(Value::zero(0), |low, way| {
            Value::new(self.row_w, u128::from(self.word(way, digit, value))).concat(&low)
        })
    }

    /// Contents of a ROM for hashing one way a digit at a time, addressed by way (highest), digit (`digit_w` bits) and
    /// value (4 bits).
    pub(super) fn rom(&self, digit_w: u32) -> Vec<Value> {
        let word = |way, at: u32| Value::new(self.row_w, self.word(way, at >> 4, at & 15).into());
        (0..self.ways).flat_map(|way| (0..16 << digit_w).map(move |at| word(way, at))).collect()
    }

    /// One row number a way, [`LATENCY`] clocks after the key and one level of gates: the mix, tables of up to four digits
    /// and their sum, and what is left of the sum.
    pub(super) fn rows(&self, key: Bits) -> Vec<Bits> {
        let width = self.ways * self.row_w;
        let digits: Vec<Bits> = self.mix(key).delay().named("mixed_key").chunks(4);
        let mut sums = Vec::new();
        for (group, members) in digits.chunks(4).enumerate() {
            let mut sum = lit(width, 0);
            for (i, digit) in members.iter().enumerate() {
                let at = (4 * group + i) as u32;
                let table: Vec<Bits> = (0..16).map(|value| hdl::constant(self.words(at, value))).collect();
                sum = sum ^ select(*digit, &table).named(&format!("digit{at}_word"));
            }
            sums.push(sum.delay().named(&format!("hash_part{group}")));
        }
        let rows = sums.into_iter().reduce(|a, b| a ^ b).unwrap_or_else(|| lit(width, 0));
        rows.named("hash_rows").chunks(self.row_w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAT: RowHash = RowHash { key_w: 48, ways: 4, row_w: 9 };

    #[test]
    fn the_mix_is_a_bijection() {
        for key_w in [48, 32] {
            let hash = RowHash { key_w, ..NAT };
            let bits = key_w as usize;
            let mut columns: Vec<u128> = (0..key_w).map(|bit| hash.mix_value(1 << bit)).collect();
            let mut rank = 0;
            for bit in 0..bits {
                let Some(pivot) = (rank..bits).find(|&i| columns[i] >> bit & 1 == 1) else { continue };
                columns.swap(rank, pivot);
                let base = columns[rank];
                columns.iter_mut().skip(rank + 1).filter(|c| **c >> bit & 1 == 1).for_each(|c| *c ^= base);
                rank += 1;
            }
            assert_eq!(rank, bits);
        }
    }

    #[test]
    fn splitmix_is_the_published_function() {
        // First output of SplitMix64 from state 0.
        assert_eq!(splitmix(0), 0xe220_a839_7b1d_cdaf);
    }

    /// Computed by an independent program from the description at the head of this file.
    #[test]
    fn rows_are_those_of_the_description() {
        let rows = |function: u128, address| [0, 1, 2, 3].map(|way| NAT.row_of(way, function << 32 | address));
        assert_eq!(rows(0, 0), [310, 498, 310, 217]);
        assert_eq!(rows(1, 0xc000_020a), [177, 229, 412, 21]);
        assert_eq!(rows(0xffff, 0xffff_ffff), [251, 36, 33, 252]);
    }

    #[test]
    fn ways_and_rows_are_used_evenly() {
        for way in 0..4 {
            let mut used = [0u32; 512];
            (0..51_200u128).for_each(|i| used[NAT.row_of(way, 7 << 32 | (0x0a00_0000 + i)) as usize] += 1);
            assert!(used.iter().all(|n| (40..200).contains(n)), "way {way}: {used:?}");
        }
        let alike = (0..10_000u128).filter(|key| NAT.row_of(0, *key) == NAT.row_of(1, *key)).count();
        assert!(alike < 60, "{alike} of 10,000 keys have one row in two ways, 20 expected");
    }
}
