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
//! An untagged frame of three beats, and behind it one of one beat:
//!
//! ```text
//! cycle        0  1  2  3  4  5  6  7
//! beat_valid  ‾‾‾‾‾‾‾‾‾‾‾‾\___________
//! beat_first  ‾‾‾\_____/‾‾\___________
//! beat_last   ______/‾‾‾‾‾\___________
//! word_at     |0    |1 |2 |4 |1 |0
//! word_valid  ____________/‾‾‾‾‾\_____
//! ```
//!
//! 1. Word `i` holds bytes `N + 16 i` to `N + 16 i + 15` of the frame, N = 14, 18 or 22 with none, one or two tags
//!    (8100 and 88A8 in any combination).
//! 2. Every word that has a byte of the frame in it comes out, the first five of them marked in `at`; so does the part
//!    behind the last whole word, in the clock after the last beat. This clock is always free: it is idle or holds the
//!    next frame's first beat, which completes no word.
//! 3. `word_valid` comes once a frame, with its last word or later, before any word of the next frame.
//! 4. Bytes beyond the frame are whatever was there: the lengths decide what is read.

use crate::v1::packet::{Beat, Ethernet, LANES, WORDS, Word, ethertype, half};
use hdl::*;

/// The block.
#[derive(Clone, Debug)]
pub struct Align {
    /// Bits that count the beats of a frame.
    pub beats_w: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct AlignIo<S> {
    /// Beats in.
    #[input]
    #[shape(Beat::shape(beats_w))]
    pub beat: Beat<S>,
    /// Words out.
    #[output]
    #[shape(Word::shape(beats_w))]
    pub word: Word<S>,
}

/// Sixteen bytes from byte `from` of the held beat, of which `held` is all but the first [`NEVER_LATER`], and `next`
/// the one behind it.
fn window(held: Bits, next: Bits, from: u32) -> Bits {
    let from = 8 * (from - NEVER_LATER);
    cat([next, held]).slice(from..from + 8 * LANES)
}

/// Bytes at the beginning of a beat that are never held for the next one: IPv4 and IPv6 begin at byte 2 of a beat or later.
const NEVER_LATER: u32 = 2;

fn is_tag(kind: Bits) -> Bits {
    kind.eq(ethertype::VLAN) | kind.eq(ethertype::SERVICE_VLAN)
}

impl Block for Align {
    type Io<S> = AlignIo<S>;

    fn name(&self) -> String {
        "align".into()
    }

    fn doc(&self) -> String {
        "Turns beats into words of what follows the Ethernet header.".into()
    }

    fn io(&self) -> AlignIo<Shape> {
        AlignIo::shape(self.beats_w)
    }

    #[names]
    fn build(&self, io: &AlignIo<Bits>) {
        let beat = &io.beat;

        // Hold each beat until the next one, and note what stands in the type fields: bytes 12, 16 and 20.
        let held_data = beat.data.slice(8 * NEVER_LATER..).delay_enable(beat.valid);
        let held_index = reg(3);
        let second = !beat.first & held_index.eq(0);
        when(beat.valid, || {
            when(beat.first, || held_index.set(0)).elsewhen(!held_index.all(), || held_index.set(held_index + 1));
        });
        let in_first = beat.valid & beat.first;
        let in_second = beat.valid & second;
        let type_fields =
            [(half(beat.data, 6), in_first), (half(beat.data, 0), in_second), (half(beat.data, 2), in_second)];
        let [tag12, tag16, tag20] = type_fields.map(|(kind, here)| is_tag(kind).delay_enable(here));
        let [four12, four16, four20] = type_fields.map(|(kind, here)| kind.eq(ethertype::IPV4).delay_enable(here));
        let [six12, six16, six20] = type_fields.map(|(kind, here)| kind.eq(ethertype::IPV6).delay_enable(here));
        let flush = (beat.valid & beat.last).delay_reset(0);
        let held_end = delay(&beat.end);

        // Join the held beat with the next one; behind the last beat there is nothing to join.
        let moves = (beat.valid & !beat.first) | flush;
        let data = mux(
            tag12,
            mux(tag16, window(held_data, beat.data, 6), window(held_data, beat.data, 2)),
            window(held_data, beat.data, 14),
        );
        let at: Vec<Bits> =
            (0..u64::from(WORDS)).map(|i| moves & mux(tag12, held_index.eq(i + 1), held_index.eq(i))).collect();
        let by_depth = |none: Bits, one: Bits, two: Bits| mux(tag12, mux(tag16, two, one), none);
        let ethernet = Ethernet {
            tagged: tag12,
            double: tag16,
            triple: tag20,
            ipv4: by_depth(four12, four16, four20),
            ipv6: by_depth(six12, six16, six20),
        };
        io.word.at.reset(0);
        io.word.valid.reset(0);
        io.word.visit(|_, leaf| {
            leaf.registered();
        });
        assign(&io.word, &Word { valid: flush, at: cat(at.into_iter().rev()), data, ethernet, end: held_end });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_output_depends_combinationally_on_an_input() {
        check::assert_no_combinational_paths(&Align { beats_w: 10 });
    }
}
