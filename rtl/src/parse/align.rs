//! Turns beats into words of what follows the Ethernet header, whatever the number of VLAN tags.
//!
//! ```text
//!            ┌─────────┐
//!  beat ────▶│  align  │────▶ word
//!            └─────────┘
//! ```
//! Latency: 1 clock from a beat to the word that it completes, 2 from the last beat to `word_valid`. Throughput: a beat
//! a clock. It never stalls and drops nothing.
//!
//! At 128 bits, an untagged frame of three beats, and behind it one of one beat:
//!
//! ```text
//! cycle        0  1  2  3  4  5  6  7
//! beat_valid  ‾‾‾‾‾‾‾‾‾‾‾‾\___________
//! beat_first  ‾‾‾\_____/‾‾\___________
//! beat_last   ______/‾‾‾‾‾\___________
//! word_at     |0    |1 |2 |4 |1 |0
//! word_next   _________/‾‾‾‾‾\________
//! word_valid  ____________/‾‾‾‾‾\_____
//! ```
//!
//! 1. Word `i` holds bytes `N + LANES i` to `N + LANES i + LANES - 1` of the frame, N = 14, 18 or 22 with none, one or two
//!    tags (8100 and 88A8 in any combination).
//! 2. Every word that has a byte of the frame in it comes out: word 0 with bit 0 of `at`, each further one with `next`;
//!    so does the part behind the last whole word, in the clock after the last beat. This clock is always free: it is
//!    idle or holds the next frame's first beat, which completes no word. `next` may stand before word 0, too.
//! 3. `word_valid` comes once a frame, with its last word or later, before any word of the next frame.
//! 4. Bytes beyond the frame are whatever was there: the lengths decide what is read.
//! 5. `ihl` is the low half of word 0's first byte, from that word to the next frame's.

use crate::packet::{Beat, Direction, Ethernet, Size, Word, half, number::ethertype};
use hdl::*;

/// Lengths of the Ethernet header without tag, with one and with two. At every width the tagged ones end in one beat.
const ETHERNET: [u32; 3] = [14, 18, 22];

/// The block.
#[derive(Clone, Debug)]
pub struct Align {
    /// Widths.
    pub size: Size,
    /// On the way in the Ethernet destination is caught.
    pub direction: Direction,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, direction: Direction)]
pub struct AlignIo<S> {
    /// Beats in.
    #[input]
    #[shape(Beat::shape(size))]
    pub beat: Beat<S>,
    /// Words out.
    #[output]
    #[shape(Word::shape(size, direction))]
    pub word: Word<S>,
}

fn is_tag(kind: Bits) -> Bits {
    kind.eq(ethertype::VLAN) | kind.eq(ethertype::SERVICE_VLAN)
}

impl Block for Align {
    type Io<S> = AlignIo<S>;

    fn name(&self) -> String {
        format!("{}_align", self.direction.name())
    }

    fn doc(&self) -> String {
        "Turns beats into words of what follows the Ethernet header.".into()
    }

    fn check(&self) -> Result<(), String> {
        self.size.check("align")
    }

    fn io(&self) -> AlignIo<Shape> {
        AlignIo::shape(self.size, self.direction)
    }

    #[names]
    fn build(&self, io: &AlignIo<Bits>) {
        let (beat, word) = (&io.beat, &io.word);
        let lanes = self.size.lanes();
        let fixed = self.size.fixed_words(self.direction);
        let [plain_beat, tagged_beat, _] = ETHERNET.map(|n| n / lanes);
        let never_held = ETHERNET.iter().fold(lanes, |least, n| least.min(n % lanes));

        // Hold each beat until the next one: of its bytes those that a word can begin with. One bit a beat tells which
        // it is.
        let held_data = beat.data.slice(8 * never_held..).delay_enable(beat.valid);
        let held_place = reg(tagged_beat + fixed);
        when(beat.valid, || {
            let moved = held_place.shl(1);
            held_place.set(if held_place.width() == 1 {
                beat.first
            } else {
                cat([mux(beat.first, lit(held_place.width() - 1, 0), moved.slice(1..)), beat.first])
            });
        });
        let over = (beat.valid & beat.last).delay_reset(0);
        let held_dst = word.eth_dst.map(|_| beat.data.slice(0..48).swap_bytes().delay_enable(beat.valid & beat.first));

        // Note what stands in the type fields: bytes 12, 16 and 20.
        let type_field = |byte: u32| {
            let here = match byte / lanes {
                0 => beat.first,
                n => !beat.first & held_place.bit(n - 1),
            };
            (half(beat.data, byte % lanes / 2), beat.valid & here)
        };
        let type_fields = [12, 16, 20].map(type_field);
        let [tag12, tag16, tag20] = type_fields.map(|(kind, here)| is_tag(kind).delay_enable(here));
        let [four12, four16, four20] = type_fields.map(|(kind, here)| kind.eq(ethertype::IPV4).delay_enable(here));
        let [six12, six16, six20] = type_fields.map(|(kind, here)| kind.eq(ethertype::IPV6).delay_enable(here));
        let by_depth = |none: Bits, one: Bits, two: Bits| mux(tag12, mux(tag16, two, one), none);

        // Join the held beat with the next one; behind the last beat there is nothing to join.
        let moves = (beat.valid & !beat.first) | over;
        let [none, one, two] = ETHERNET.map(|n| match n % lanes {
            0 => held_data,
            from => cat([beat.data.slice(0..8 * from), held_data.slice(8 * (from - never_held)..)]),
        });
        let data = by_depth(none, one, two);
        let at_word = |i: u32| mux(tag12, held_place.bit(tagged_beat + i), held_place.bit(plain_beat + i));
        let at: Vec<Bits> = (0..fixed).map(|i| moves & at_word(i)).collect();
        let next = moves & !at_word(0);

        word.valid.reset(0).set(over);
        word.at.reset(0).set(cat(at.iter().rev().copied()));
        word.next.reset(0).set(next);
        word.data.registered().set(data);
        when(at[0], || word.ihl.registered().set(data.slice(0..4)));
        if let (Some(out), Some(held)) = (word.eth_dst, held_dst) {
            out.registered().set(held);
        }
        let ethernet = Ethernet {
            tagged: tag12,
            double: tag16,
            triple: tag20,
            ipv4: by_depth(four12, four16, four20),
            ipv6: by_depth(six12, six16, six20),
        };
        assign(&word.ethernet, &delay(&ethernet));
        assign(&word.end, &delay(&beat.end));
    }
}
