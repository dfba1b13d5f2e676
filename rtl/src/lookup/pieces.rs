//! The pieces of 16 bits in which management moves the words of tables, and the word that is put together of them.
//!
//! | number | piece |
//! |---|---|
//! | 0 to 2 | key, its low bits first |
//! | 3 | checksum delta |
//! | 4 to 6 | value, its low bits first |
//! | 7 | bits 15 and 14 validity in bank 1 and 0, 13 parity, 3 to 0 the highest bits of the value |
//!
//! All tables number them alike; the bits that a table does not store are 0 when they are read, and are not kept when
//! they are put. Of a direct table the pieces from 4 on are enough.

use super::{
    Layout, SlotAccess,
    layout::{Content, expand, squeeze},
};
use hdl::*;

/// Bits of a piece.
pub(super) const PIECE_W: u32 = 16;
/// Bits of a piece's number.
pub(super) const AT_W: u32 = 3;
/// Pieces of a word.
pub(super) const PIECES: usize = 8;
/// The checksum delta.
pub(super) const DELTA: u64 = 3;
/// The first piece that a direct table stores.
pub(super) const FIRST_OF_DIRECT: u64 = 4;
/// Validity, parity and the highest bits of the value.
pub(super) const LAST: u64 = 7;
/// Bits of the value in the last piece.
pub(super) const TOP_W: u32 = 4;
/// Zeros in the last piece.
pub(super) const GAP_W: u32 = PIECE_W - TOP_W - 3;

/// The bits of each piece that a table stores.
fn masks(layout: &Layout) -> [u64; PIECES] {
    let part = |mask: u64, i: u32| mask >> (PIECE_W * i) & 0xffff;
    let (key, value) = (layout.key_mask, layout.value_mask);
    let valid = (1 << layout.valid_w) - 1;
    let last = valid << 14 | 1 << 13 | part(value, 3);
    let delta = if layout.delta { 0xffff } else { 0 };
    [part(key, 0), part(key, 1), part(key, 2), delta, part(value, 0), part(value, 1), part(value, 2), last]
}

/// Pieces of a key or a value, the lowest first; the last one may be narrower.
pub(super) fn cut(bits: Bits) -> Vec<Bits> {
    let width = bits.width();
    (0..width).step_by(PIECE_W as usize).map(|lsb| bits.slice(lsb..(lsb + PIECE_W).min(width))).collect()
}

/// The last piece.
pub(super) fn last(valid: Bits, parity: Bits, top: Bits) -> Bits {
    cat([valid, parity, lit(GAP_W, 0), top])
}

/// The pieces of a table's word.
pub(super) fn pieces(layout: &Layout, word: Bits) -> [Bits; PIECES] {
    let (content, parity) = layout.unpack(word);
    let (key, value) = (cut(content.key), cut(content.value));
    [key[0], key[1], key[2], content.delta, value[0], value[1], value[2], last(content.valid, parity, value[3])]
}

/// The word that management writes next: a register that takes a piece a clock.
pub(super) fn word_of(layout: &Layout, slot: &SlotAccess<Bits>) -> Bits {
    // Not every table stores each of the bits.
    slot.piece.ignore();
    let kept = |(i, mask): (usize, u64)| {
        if mask == 0 {
            return lit(PIECE_W, 0);
        }
        let piece = reg(mask.count_ones()).reset(0).named(&format!("word_piece{i}"));
        when(slot.all, || piece.set(0))
            .elsewhen(slot.put & slot.at.eq(i as u64), || piece.set(squeeze(mask, slot.piece)));
        expand(mask, PIECE_W, piece)
    };
    let kept: Vec<Bits> = masks(layout).into_iter().enumerate().map(kept).collect();
    let last = kept[7];
    let content = Content {
        valid: last.slice(14..),
        key: cat([kept[2], kept[1], kept[0]]),
        value: cat([last.trunc(TOP_W), kept[6], kept[5], kept[4]]),
        delta: kept[3],
    };
    layout.pack(&content, last.bit(13))
}
