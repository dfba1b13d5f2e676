//! The row hash of one way of any exact table, a digit a clock, from one memory.

use super::{RowHash, ram};
use hdl::*;

/// Hashes keys of two widths. Narrower keys have fewer digits and rows fewer bits, of the same words.
pub(super) struct SerialHash {
    /// The hash of the widest keys, with the most ways and the widest rows of any table.
    pub hash: RowHash,
    /// Bits of the narrower keys.
    pub narrow_w: u32,
}

/// What steers a [`SerialHash`].
pub(super) struct Steps {
    /// Takes the key.
    pub load: Bits,
    /// Sums up a digit a clock, [`SerialHash::clocks`] clocks long from the clock after `load` on.
    pub run: Bits,
    /// The way, as long as `run`.
    pub way: Bits,
}

impl SerialHash {
    /// Clocks from the first digit to the row.
    pub(super) fn clocks(&self) -> u32 {
        self.hash.digits() + ram::LATENCY
    }

    /// The row in the way; the low bits are those of a table with fewer rows. It stays until the next key is loaded.
    #[names]
    pub(super) fn row(&self, key: Bits, is_narrow: Bits, steps: &Steps) -> Bits {
        let (hash, narrow) = (self.hash, RowHash { key_w: self.narrow_w, ..self.hash });
        let digit_w = clog2(u64::from(hash.digits()));
        let way_w = clog2(u64::from(hash.ways));
        let contents = hash.rom(digit_w);
        let words = memory::rom(16 << (digit_w + way_w), contents).latency(ram::LATENCY).read_only();
        let wide_mix = hash.mix(key);
        let narrow_mix = narrow.mix(key.trunc(self.narrow_w)).zext(hash.key_w);
        let digits = mux(is_narrow, lit(digit_w + 1, narrow.digits().into()), u64::from(hash.digits()));
        let digits_left = reg(hash.key_w);
        let digit = reg(digit_w + 1);
        let row_sum = reg(hash.row_w);
        let reads = steps.run & digit.lt(digits);
        words.re.set(reads);
        words.raddr.set(cat([steps.way.trunc(way_w), digit.trunc(digit_w), digits_left.trunc(4)]));
        let arrives = reads.delay_reset(0).delay_reset(0);
        when(steps.load, || {
            digits_left.set(mux(is_narrow, narrow_mix, wide_mix));
            digit.set(0);
            row_sum.set(0);
        })
        .otherwise(|| {
            digits_left.set(digits_left.shr(4));
            when(reads, || digit.set(digit + 1));
            when(arrives, || row_sum.set(row_sum ^ words.rdata));
        });
        row_sum
    }
}
