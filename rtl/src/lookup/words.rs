//! Parts of the management side: words checked and compared in groups of bits, the checksum delta, damage for tests.

use super::layout::{KEY_W, VALUE_W};
use hdl::{checksum::ones_sum, *};

/// Bits that one comparator or parity of the first stage takes.
const GROUP: u32 = 16;

/// Ranges of up to [`GROUP`] bits that cover `width`.
fn groups(width: u32) -> impl Iterator<Item = std::ops::Range<u32>> {
    (0..width).step_by(GROUP as usize).map(move |lsb| lsb..(lsb + GROUP).min(width))
}

/// The parity of each group of bits.
pub(super) fn parities(name: &str, word: Bits) -> Bits {
    let odd = |(i, group)| word.slice(group).parity().named(&format!("{name}_odd{i}"));
    cat(groups(word.width()).enumerate().map(odd))
}

/// Which groups of bits differ.
pub(super) fn differences(one: Bits, other: Bits) -> Bits {
    cat(groups(one.width()).map(|group| one.slice(group.clone()).ne(other.slice(group))))
}

/// What a checksum over address `old` is updated by when `new` takes its place (RFC 1624, equation 3), four clocks later:
/// the ones'-complement sum of the complement of `old` and of `new`, in the form that is never 0.
#[names]
pub(super) fn delta(old: Bits, new: Bits) -> Bits {
    let halves = |address: Bits| ones_sum(&address.chunks(16)).delay();
    let (gone, come) = (halves(!old), halves(new));
    let sum = ones_sum(&[gone, come]).delay();
    let folded = checksum::fold_once(sum).delay();
    let delta = checksum::end_around(folded);
    mux(delta.any(), delta, constant(Value::ones(16))).delay()
}

/// Which bit of a packed content, or its parity, is inverted, two clocks later: `bit` counts as
/// [`TableManage::flip_bit`](super::TableManage::flip_bit) does, with 64 bits of value.
#[names]
pub(super) fn flip_mask(bit: Bits, flips: Bits) -> (Bits, Bits) {
    const LINE: u32 = 16;
    const VALUE: u32 = 2 + KEY_W;
    const DELTA: u32 = VALUE + 64;
    const PARITY: u32 = DELTA + 16;
    let column = onehot::one_hot(bit.trunc(4), LINE).delay();
    let line = onehot::one_hot(bit.slice(4..), PARITY / LINE + 1);
    let line = (line & flips.repeat(line.width())).delay();
    let at = |places: std::ops::Range<u32>| {
        let lines = (places.start / LINE..places.end.div_ceil(LINE)).rev();
        cat(lines.map(|n| {
            let from = places.start.max(n * LINE) - n * LINE;
            let columns = column.slice(from..(places.end - n * LINE).min(LINE));
            line.bit(n).repeat(columns.width()) & columns
        }))
    };
    let flipped_entry = at(0..VALUE);
    let flipped_value = at(VALUE..VALUE + VALUE_W);
    let flipped_delta = at(DELTA..PARITY);
    (cat([flipped_delta, flipped_value, flipped_entry]), at(PARITY..PARITY + 1))
}
