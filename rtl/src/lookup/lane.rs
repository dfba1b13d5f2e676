//! The lane of the management side on which words pass piece by piece: compared, damaged, summed up and sent.
//!
//! ```text
//!  command ──▶ mux ──▶ wanted ───┐
//!                        │       ▼
//!  found (of a table) ───┼──▶ compare ──▶ key, value differ
//!         │              ▼
//!         └──────────▶ mux, damage ──▶ sent piece ──▶ parity
//!                                          └────────▶ word registers of all tables
//! ```
//!
//! Pieces that were found are sent back, so that a table's word register holds the word of it that was read last. A piece
//! takes two clocks from `passes` to `sent`, and one more to what is known of it.

use super::{
    TableManage,
    layout::{KEY_W, VALUE_W},
    pieces::{AT_W, DELTA, FIRST_OF_DIRECT, LAST, PIECE_W, TOP_W, cut, last},
    words::{damage, delta},
};
use hdl::*;

/// What passes, and for what command.
pub(super) struct Passing {
    /// A piece of a word that was read.
    pub found: Bits,
    /// It; 0 otherwise.
    pub found_piece: Bits,
    /// Or a piece of the word to insert.
    pub composed: Bits,
    /// Number of the piece.
    pub at: Bits,
    /// A command begins.
    pub begins: Bits,
    /// It is an insert.
    pub inserts: Bits,
    /// It writes a word that may be damaged.
    pub edits: Bits,
    /// Its table is a direct one.
    pub direct: Bits,
    /// Its table stores a checksum delta.
    pub translates: Bits,
}

/// What is known of the pieces that passed.
pub(super) struct Lane {
    /// Key of the word that was read last.
    pub old_key: Bits,
    /// Its value.
    pub old_value: Bits,
    /// Its validities.
    pub old_bits: Bits,
    /// Its key is not the command's.
    pub key_differs: Bits,
    /// Its value is not the command's.
    pub value_differs: Bits,
    /// Its parity is right.
    pub sound: Bits,
    /// A piece is sent.
    pub sent: Bits,
    /// Number of the piece.
    pub sent_at: Bits,
    /// The piece.
    pub sent_piece: Bits,
    /// The parity of all pieces but the last one, without damage.
    odd: Bits,
    /// The highest bits of the value that is written.
    top: Bits,
    /// Damage to the last piece.
    damage: Bits,
}

impl Lane {
    #[names]
    pub(super) fn new(command: &TableManage<Bits>, passing: &Passing) -> Self {
        let direct = passing.direct;
        let (key, value) = (cut(command.key), cut(command.value.trunc(VALUE_W)));
        let none = lit(PIECE_W, 0);
        let wanted = [key[0], key[1], key[2], none, value[0], value[1], value[2], value[3].zext(PIECE_W)];
        let wanted = select(passing.at, &wanted).delay();
        let found_piece = passing.found_piece.delay();
        let at = passing.at.delay();
        let found = passing.found.delay_reset(0);
        let composed = passing.composed.delay_reset(0);

        let old_key = reg(KEY_W);
        let old_value = reg(VALUE_W);
        let old_bits = reg(2);
        // A direct table has none.
        when(passing.begins, || old_key.set(0));
        for (i, piece) in cut(old_key).into_iter().enumerate() {
            when(found & at.eq(i as u64), || piece.set(found_piece));
        }
        for (i, piece) in cut(old_value).into_iter().enumerate() {
            when(found & at.eq(FIRST_OF_DIRECT + i as u64), || piece.set(found_piece.trunc(piece.width())));
        }
        when(found & at.eq(LAST), || old_bits.set(found_piece.slice(14..)));

        let damage = damage(command.flip_bit, command.flip & passing.edits);
        let new_delta = delta(found, at, wanted) & passing.translates.repeat(PIECE_W);
        let differs_low = wanted.trunc(TOP_W).ne(found_piece.trunc(TOP_W));
        let differs_high = wanted.slice(TOP_W..).ne(found_piece.slice(TOP_W..)) & at.ne(LAST);
        let differs = (differs_low | differs_high).delay();
        let damaged = damage.early & at.eq(damage.at);
        let new_piece = mux(composed, mux(at.eq(DELTA), new_delta, wanted), found_piece);
        let sent_piece = reg(PIECE_W);
        let sent = reg(1).reset(0);
        let sent_at = reg(AT_W);
        sent_piece.set(new_piece ^ (damage.column & damaged.repeat(PIECE_W)));
        sent.set(found | composed);
        sent_at.set(at);

        let judging = found.delay_reset(0);
        let odd_piece = sent_piece.parity() ^ damaged.delay();
        let sent_first = sent_at.trunc(2).eq(0) & sent_at.bit(2).eq(direct);
        let sent_last = sent_at.eq(LAST);
        let of_value = sent_at.bit(2);
        let odd = reg(1);
        let key_differs = reg(1);
        let value_differs = reg(1);
        let sound = reg(1);
        when(sent & !sent_last, || odd.set((odd & !sent_first) ^ odd_piece));
        when(judging, || {
            key_differs.set((key_differs & !sent_first) | (differs & !of_value & sent_at.ne(DELTA)));
            value_differs.set((value_differs & !sent_first) | (differs & of_value));
            when(sent_last, || sound.set(odd.eq(odd_piece)));
        });
        let top = mux(passing.inserts, value[3], old_value.slice(VALUE_W - TOP_W..));
        Lane {
            old_key,
            old_value,
            old_bits,
            key_differs,
            value_differs,
            sound,
            sent,
            sent_at,
            sent_piece,
            odd,
            top,
            damage: damage.last,
        }
    }

    /// Sends the last piece of the word that is written, of which all others were sent, and known for a clock.
    pub(super) fn send_last(&self, valid: Bits) {
        let parity = cat([self.odd, valid, self.top]).parity();
        self.sent.set(1);
        self.sent_at.set(LAST);
        self.sent_piece.set(last(valid, parity, self.top) ^ self.damage);
    }
}
