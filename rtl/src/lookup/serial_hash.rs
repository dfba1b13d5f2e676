//! The row hashes of all exact tables, a digit a clock, from one memory.

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
    /// Sums up a digit a clock, [`SerialHash::clocks`] clocks long.
    pub run: Bits,
    /// Counts these clocks from 0 on.
    pub count: Bits,
}

impl SerialHash {
    /// Clocks from the first digit to the rows.
    pub(super) fn clocks(&self) -> u32 {
        self.hash.digits() + ram::LATENCY
    }

    /// A row for each way; the low bits are those of a table with fewer rows. They stay until the next key is loaded.
    #[names]
    pub(super) fn rows(&self, key: Bits, is_narrow: Bits, steps: &Steps) -> Vec<Bits> {
        let (hash, narrow) = (self.hash, RowHash { key_w: self.narrow_w, ..self.hash });
        let digit_w = clog2(u64::from(hash.digits()));
        let words = memory::rom(hash.digits() * 16, hash.rom()).latency(ram::LATENCY).read_only();
        let mixed = mux(is_narrow, narrow.mix(key.trunc(self.narrow_w)).zext(hash.key_w), hash.mix(key));
        let digits = mux(is_narrow, lit(steps.count.width(), narrow.digits().into()), u64::from(hash.digits()));
        let digits_left = reg(hash.key_w);
        let row_sums = reg(hash.ways * hash.row_w);
        let reads = steps.run & steps.count.lt(digits);
        words.re.set(reads);
        words.raddr.set(cat([steps.count.trunc(digit_w), digits_left.trunc(4)]));
        let arrives = reads.delay_reset(0).delay_reset(0);
        when(steps.load, || {
            digits_left.set(mixed);
            row_sums.set(0);
        })
        .otherwise(|| {
            digits_left.set(digits_left.shr(4));
            when(arrives, || row_sums.set(row_sums ^ words.rdata));
        });
        row_sums.chunks(hash.row_w)
    }
}
