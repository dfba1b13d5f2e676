//! What a slot holds, and how each table lays it out in a word of its memory.
//!
//! All tables have one form of content, of which each stores the bits that it needs: the numbers of functions and next
//! hops that there are, and no checksum delta where no address is translated.

use hdl::*;
use std::ops::Range;

/// Bits of the widest key.
pub(super) const KEY_W: u32 = 48;
/// Bits of the widest value.
pub(super) const VALUE_W: u32 = 52;

/// What a slot holds, in the form that all tables share. A parity beside it makes the number of ones in the word even.
#[derive(Bundle, Clone, Debug)]
pub(super) struct Content<S> {
    /// The entry is valid in bank 0 (bit 0), in bank 1 (bit 1). A slot of a direct table belongs to one bank: bit 0.
    #[width(2)]
    pub valid: S,
    /// Its key.
    #[width(KEY_W)]
    pub key: S,
    /// Its value.
    #[width(VALUE_W)]
    pub value: S,
    /// What a checksum over the translated address is updated by.
    #[width(16)]
    pub delta: S,
}

/// Which bits of a slot's content a table stores, the validity lowest, the parity highest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Validities: 2 where a slot belongs to both banks, 1 where it belongs to one.
    pub valid_w: u32,
    /// Bits of the key that may be 1.
    pub key_mask: u64,
    /// Bits of the value that may be 1.
    pub value_mask: u64,
    /// There is a checksum delta.
    pub delta: bool,
}

/// The runs of ones in `mask`.
fn runs(mask: u64) -> Vec<Range<u32>> {
    let one = |i: u32| i < 64 && mask >> i & 1 == 1;
    let starts = (0..64).filter(|&i| one(i) && (i == 0 || !one(i - 1)));
    starts.map(|start| start..(start..).find(|&i| !one(i)).unwrap_or(64)).collect()
}

/// The bits of `value` that are 1 in `mask`, side by side, in pieces from the lowest.
fn pieces(mask: u64, value: Bits) -> Vec<Bits> {
    runs(mask).into_iter().map(|run| value.slice(run)).collect()
}

/// The bits of `value` that are 1 in `mask`, side by side.
pub(super) fn squeeze(mask: u64, value: Bits) -> Bits {
    cat(pieces(mask, value).into_iter().rev())
}

/// The inverse of [`squeeze`], `width` bits wide: zeros where `mask` is 0.
pub(super) fn expand(mask: u64, width: u32, packed: Bits) -> Bits {
    let mut parts = Vec::new();
    let (mut at, mut from) = (0, 0);
    for run in runs(mask) {
        if run.start > at {
            parts.push(lit(run.start - at, 0));
        }
        let length = run.end - run.start;
        parts.push(packed.slice(from..from + length));
        (at, from) = (run.end, from + length);
    }
    if at < width {
        parts.push(lit(width - at, 0));
    }
    parts.reverse();
    cat(parts)
}

impl Layout {
    /// Stored bits of the key.
    pub fn key_w(&self) -> u32 {
        self.key_mask.count_ones()
    }

    /// Stored bits of the value and, above it, the delta.
    pub fn data_w(&self) -> u32 {
        self.value_mask.count_ones() + if self.delta { 16 } else { 0 }
    }

    /// Bits of a word.
    pub fn width(&self) -> u32 {
        self.valid_w + self.key_w() + self.data_w() + 1
    }

    /// The word of a slot.
    pub(super) fn pack(&self, content: &Content<Bits>, parity: Bits) -> Bits {
        let mut parts = vec![content.valid.trunc(self.valid_w)];
        parts.extend(pieces(self.key_mask, content.key));
        parts.extend(pieces(self.value_mask, content.value));
        parts.extend(self.delta.then_some(content.delta));
        parts.push(parity);
        parts.reverse();
        cat(parts)
    }

    /// Content and parity of a word; what is not stored is 0.
    pub(super) fn unpack(&self, word: Bits) -> (Content<Bits>, Bits) {
        let entry = self.entry(word);
        let value_w = self.value_mask.count_ones();
        let content = Content {
            valid: entry.valid.zext(2),
            key: entry.key.map_or_else(|| lit(KEY_W, 0), |key| expand(self.key_mask, KEY_W, key)),
            value: expand(self.value_mask, VALUE_W, entry.data.trunc(value_w)),
            delta: if self.delta { entry.data.slice(value_w..) } else { lit(16, 0) },
        };
        (content, word.msb())
    }

    /// The stored fields of a word.
    pub(super) fn entry(&self, word: Bits) -> Entry {
        let data_at = self.valid_w + self.key_w();
        Entry {
            valid: word.trunc(self.valid_w),
            key: (self.key_mask != 0).then(|| word.slice(self.valid_w..data_at)),
            data: word.slice(data_at..data_at + self.data_w()),
        }
    }
}

/// The stored fields of a word.
pub(super) struct Entry {
    /// Validities.
    pub valid: Bits,
    /// Key, of an exact table.
    pub key: Option<Bits>,
    /// Value and, above it, the delta.
    pub data: Bits,
}
