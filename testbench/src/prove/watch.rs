//! What the harnesses have in common: numbering the beats of a stream, and one beat, of any number, to watch.

use em_rtl::stream::{Axis, Beat, is_well_formed};
use hdl::{Bits, Bundle, assert_that, bundle::pack, bundle::unpack, ir::Dir, lit, names, reg, select, when};

/// Beats in flight through a block, numbered modulo 2^width in the order they came in.
///
/// The watched number is arbitrary but fixed, so what holds for it holds for every beat: if beat number `n` out is beat
/// number `n` in, for every `n`, then nothing is lost, doubled, invented or reordered.
pub struct Watch {
    /// Number of the beat that comes in next.
    pub count_in: Bits,
    /// How many beats are in the block.
    pub held: Bits,
    /// How many beats are in front of the watched one; meaningful while it is inside.
    pub ahead: Bits,
    /// 1 bit: the watched beat is in the block.
    pub inside: Bits,
    /// The watched beat, as it came in.
    pub caught: Bits,
}

impl Watch {
    /// Watches beat `number` (its width is that of the counts) from `taken`, with `beat`, to `given`.
    #[names]
    pub fn new(number: Bits, taken: Bits, beat: Bits, given: Bits) -> Watch {
        let count_in = reg(number.width()).reset(0);
        let count_out = reg(number.width()).reset(0);
        let caught = reg(beat.width());
        when(taken, || count_in.set(count_in + 1));
        when(given, || count_out.set(count_out + 1));
        when(taken & count_in.eq(number), || caught.set(beat));
        Watch::between(number, count_in, count_out, caught)
    }

    /// The same for counts that are kept elsewhere.
    #[names]
    pub fn between(number: Bits, count_in: Bits, count_out: Bits, caught: Bits) -> Watch {
        let held = count_in - count_out;
        let ahead = number - count_out;
        let inside = ahead.lt(held);
        Watch { count_in, held, ahead, inside, caught }
    }

    /// 1 bit: `place` places behind the output, where the block has its next beat but `place`, there is `beat`; the
    /// watched one, if it is its turn. Only while `there`.
    pub fn at(&self, place: Bits, there: Bits, beat: Bits) -> Bits {
        let here = self.inside & there & self.ahead.eq(place.zext(self.ahead.width()));
        !here | beat.eq(self.caught)
    }

    /// Asserts what an observer of the output sees: order, nothing from nothing, and that a held beat is offered within
    /// `latency` clocks.
    #[names]
    pub fn assert_output(&self, m_axis: &Axis<Bits>, latency: u64) {
        assert_that(
            "in_order",
            "2: beat number n out is beat number n in",
            self.at(lit(1, 0), m_axis.tvalid, pack(&m_axis.beat())),
        );
        assert_that("nothing_invented", "2: what comes out has come in", !m_axis.tvalid | self.held.any());
        let waited = reg(4).reset(0);
        when(self.held.any() & !m_axis.tvalid, || waited.set(waited + 1)).otherwise(|| waited.set(0));
        assert_that("not_held_back", "4: a beat that is in is offered, whatever follows it", waited.lt(latency));
    }
}

/// Most inputs of a harness are there for its properties only.
pub fn only_for_properties(io: &impl Bundle<Bits>) {
    io.visit(|at, leaf| {
        if at.dir == Dir::In {
            leaf.ignore();
        }
    });
}

/// Asserts that while the output is taken, the input does not wait for `limit` clocks.
#[names]
pub fn assert_flows(s_axis: &Axis<Bits>, m_axis: &Axis<Bits>, limit: u64) {
    let blocked = reg(4).reset(0);
    when(m_axis.tready & !s_axis.tready, || blocked.set(blocked + 1)).otherwise(|| blocked.set(0));
    assert_that("flows", "3: while the output is taken, there is soon room again", blocked.lt(limit));
}

/// The words of a block's memory, whose depth is a power of two.
pub struct MemoryWords {
    words: Vec<Bits>,
    read_address: Bits,
}

impl MemoryWords {
    /// The memory's words of `word_w` bits, all in one signal, and the block's read pointer (an address and a lap bit).
    pub fn new(words: Bits, read_pointer: Bits, word_w: u32) -> MemoryWords {
        MemoryWords { words: words.chunks(word_w), read_address: read_pointer.trunc(read_pointer.width() - 1) }
    }

    /// The word where the beat of this number is.
    pub fn word(&self, number: Bits) -> Bits {
        select(number.trunc(self.read_address.width()), &self.words)
    }

    /// Asserts that the `stored` words from the read pointer on are well-formed beats.
    pub fn assert_well_formed(&self, stored: Bits, user_w: u32) {
        for (i, word) in self.words.iter().enumerate() {
            let ahead = lit(self.read_address.width(), i as u128) - self.read_address;
            let holds_beat = ahead.zext(stored.width()).lt(stored);
            let data_w = (word.width() - 1 - user_w) * 8 / 9;
            let beat = unpack(&Beat::shape(data_w, user_w), *word);
            let right = !holds_beat | is_well_formed(&beat);
            assert_that(&format!("word{i}_well_formed"), "1: a beat in memory is well formed", right);
        }
    }
}
