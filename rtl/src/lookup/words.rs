//! Parts of the management side that work on a word piece by piece: the checksum delta, damage for tests.

use super::pieces::{AT_W, PIECE_W, last};
use hdl::*;

/// What a checksum over an address is updated by when another takes its place (RFC 1624, equation 3): the
/// ones'-complement sum of the complement of the key's low half-words and of the value's, in the form that is never 0.
/// The pieces of key and value pass one by one, all of them; the delta is there from the second clock after the last one
/// on, until the next piece 0.
#[names]
pub(super) fn delta(passes: Bits, at: Bits, piece: Bits) -> Bits {
    let delta_sum = reg(PIECE_W + 1);
    let first = at.eq(0);
    let none = lit(PIECE_W, 0);
    // The clocks with nothing to add are enough to bring the carry around twice.
    let addend = select(at, &[!piece, !piece, none, none, piece, piece, none, none]);
    let before = delta_sum & (!first).repeat(PIECE_W + 1);
    // One chain: the carry of the last addition comes in below.
    let sum = cat([before.trunc(PIECE_W), lit(1, 1)]).grow_add(cat([addend, before.msb()]));
    sum.bit(0).ignore();
    when(passes, || delta_sum.set(sum.slice(1..)));
    let folded = delta_sum.trunc(PIECE_W);
    mux(folded.any(), folded, constant(Value::ones(PIECE_W)))
}

/// Which bit of a word is inverted, two clocks after the command's fields.
pub(super) struct Damage {
    /// It is in a piece before the last one.
    pub early: Bits,
    /// Number of that piece.
    pub at: Bits,
    /// The place in that piece, one-hot.
    pub column: Bits,
    /// What of the last piece is inverted.
    pub last: Bits,
}

/// `bit` counts as [`TableManage::flip_bit`](super::TableManage::flip_bit) does, with 64 bits of value.
#[names]
pub(super) fn damage(bit: Bits, flips: Bits) -> Damage {
    // Lines of 16 bits, of which the first begins with the key. The validities are at the end of line 15.
    const TOP: u64 = 6;
    const PARITY: u64 = 8;
    const VALID: u64 = 15;
    let damage_place = (bit - 2).delay();
    let line = damage_place.slice(4..);
    let piece_of_line = [0, 1, 2, 4, 5, 6, 0, 3].map(|at| lit(AT_W, at));
    let damage_at = select(line.trunc(3), &piece_of_line).delay();
    let damage_early = (flips & line.lt(PARITY) & line.ne(TOP)).delay();
    let damage_column = onehot::one_hot(damage_place.trunc(4), PIECE_W).delay();
    let in_line = |n: u64| (flips & line.eq(n)).delay();
    let damage_top = in_line(TOP);
    let damage_parity = in_line(PARITY);
    let damage_valid = in_line(VALID);
    let within = |here: Bits, bits: Bits| here.repeat(bits.width()) & bits;
    let last = last(
        within(damage_valid, damage_column.slice(14..)),
        damage_parity & damage_column.bit(0),
        within(damage_top, damage_column.trunc(4)),
    );
    Damage { early: damage_early, at: damage_at, column: damage_column, last }
}
