//! Writes new addresses and checksums into the beats as they leave the frame buffer.
//!
//! ```text
//!     reading ─▶┌───────┐
//!      detail ─▶│ patch │──▶ leaving
//!  difference ─▶│       │
//!       rdata ─▶└───────┘
//! ```
//! Latency: 3 clocks from `reading`, of which the buffer takes 2; `detail` comes a clock after `reading`. Throughput: a
//! beat a clock, each of another frame if need be. It never stalls.
//!
//! While the buffer is read it is found out which bytes of the beat are written from where, so that behind the buffer
//! there is but one and-or (and, at the end, an exclusive or). An Ethernet header has an odd number of half-words, and headers of IPv4 an even one: the first
//! half-word of an address stands at an odd place in the frame, the second one and IPv4 checksums at even ones.
//!
//! An ICRC is not written but changed: its difference is put on it, by exclusive or. It may stand anywhere in the frame, its
//! first half-word at an odd place, its second one perhaps in the next beat.
//!
//! 1. What [`Rewrite`](crate::packet::Rewrite) says is written; every other byte leaves as it came.
//! 2. Each byte is written or changed from one place at most.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/rx_patch` | LFE5UM5G-45F-8 | 690 | 402 | 0 | 184 / 206 / 217 | 162.5 |
//! | `ecp5/tx_patch` | LFE5UM5G-45F-8 | 828 | 456 | 0 | 204 / 214 / 227 | 162.5 |

use super::bundles::{Detail, Leaving, Reading, Sizes};
use hdl::*;
use std::collections::BTreeMap;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Sizes.
    pub sizes: Sizes,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes)]
pub struct PatchIo<S> {
    /// The beat that is being read.
    #[input]
    #[shape(Reading::shape(sizes))]
    pub reading: Reading<S>,
    /// What it needs, a clock later.
    #[input]
    #[shape(Detail::shape(sizes.direction, sizes.size))]
    pub detail: Detail<S>,
    /// The buffer's answer, another clock later.
    #[input]
    #[width(sizes.size.data_w)]
    pub rdata: S,
    /// What changes in its frame's ICRC, in network order; with `rdata`.
    #[input]
    #[present(sizes.size.has_roce())]
    #[width(32)]
    pub difference: Option<S>,
    /// The beat as it leaves.
    #[output]
    #[shape(Leaving::shape(sizes))]
    pub leaving: Leaving<S>,
}

/// What can be written over a half-word: both its bytes, or the first one only.
#[derive(Clone, Copy)]
struct Source {
    name: &'static str,
    /// In the clock of `rdata`.
    value: Bits,
    /// It is put on what is there.
    changes: bool,
}

fn source(name: &'static str, value: Bits) -> Source {
    Source { name, value: value.delay(), changes: false }
}

/// Which sources are written where in the beat: source and enable, by lane in half-words.
struct Writes {
    halves: u32,
    by_lane: Vec<BTreeMap<&'static str, (Source, Bits)>>,
}

impl Writes {
    fn add(&mut self, lane: u32, source: Source, enable: Bits) {
        let entry = self.by_lane[lane as usize].entry(source.name).or_insert((source, lit(1, 0)));
        entry.1 = entry.1 | enable;
    }

    /// At the constant place `half` of the frame.
    fn at(&mut self, half: u32, beat: &Beat, source: Source, enable: Bits) {
        self.add(half % self.halves, source, enable & beat.is(half / self.halves));
    }

    /// `offset` half-words behind the place `half`; `parities` are those that the sum can have.
    fn behind(&mut self, half: Bits, offset: u32, parities: &[u32], beat: &Beat, source: Source, enable: Bits) {
        let lane_w = clog2(u64::from(self.halves));
        let (from_lane, from_beat) = (half.trunc(lane_w), half.slice(lane_w..));
        // A lane here is reached from one lane there, with a known number of beats between the two.
        for lane in (0..self.halves).filter(|lane| parities.contains(&(lane % 2))) {
            let from = (lane + 16 * self.halves - offset) % self.halves;
            let beats = (from + offset) / self.halves;
            let here = enable & from_lane.eq(u64::from(from)) & beat.is_behind(from_beat, beats);
            self.add(lane, source, here);
        }
    }

    /// Both half-words of an ICRC that begins with the second half-word of `word` of the frame.
    fn icrc(&mut self, word: Bits, beat: &Beat, [first, second]: [Source; 2], enable: Bits) {
        let words = self.halves / 2;
        let word_w = clog2(u64::from(words));
        let (from_word, from_beat) = (word.trunc(word_w), word.slice(word_w..));
        let width = from_beat.width().max(beat.number.width());
        let same = |number: Bits| enable & number.zext(width).eq(from_beat.zext(width));
        let (this, next) = (same(beat.number), same(beat.number_before));
        for from in 0..words {
            let here = from_word.eq(u64::from(from));
            self.add(2 * from + 1, first, this & here);
            if from + 1 < words {
                self.add(2 * from + 2, second, this & here);
            } else {
                self.add(0, second, next & here);
            }
        }
    }
}

/// Number of the beat within its frame, ready to be compared.
struct Beat {
    /// By number of beats to go back: the number less that many. Numbers below 0 and numbers beyond the reach of a
    /// rewrite have their top bit set.
    less: Vec<Bits>,
    /// The number in full.
    number: Bits,
    /// The number less one, all ones if it is 0.
    number_before: Bits,
}

impl Beat {
    /// A clock after `index`; of its numbers `reach_w` bits can be those of a rewrite. Up to `most` beats back.
    fn of(index: Bits, reach_w: u32, most: u64) -> Beat {
        let (low, beyond) = match index.width() > reach_w {
            true => (index.trunc(reach_w), index.slice(reach_w..).any()),
            false => (index.zext(reach_w), lit(1, 0)),
        };
        let less = |back: u64| {
            let difference = if back == 0 { low.zext(reach_w + 1) } else { low.grow_sub(back) };
            let outside = beyond | difference.msb();
            cat([outside, difference.trunc(reach_w)]).delay().named(&format!("index_less_{back}"))
        };
        let less = (0..=most).map(less).collect();
        Beat { less, number: index.delay(), number_before: (index - 1).delay() }
    }

    fn is(&self, beat: u32) -> Bits {
        self.less[0].eq(u64::from(beat))
    }

    fn is_behind(&self, from: Bits, beats: u32) -> Bits {
        let less = self.less[beats as usize];
        less.eq(from.zext(less.width()))
    }
}

const EVEN: [u32; 1] = [0];
const ODD: [u32; 1] = [1];
const ANY: [u32; 2] = [0, 1];

impl Block for Patch {
    type Io<S> = PatchIo<S>;

    fn name(&self) -> String {
        format!("{}_patch", self.sizes.direction.name())
    }

    fn doc(&self) -> String {
        "Writes new addresses and checksums into the beats as they leave the frame buffer.".into()
    }

    fn io(&self) -> PatchIo<Shape> {
        PatchIo::shape(self.sizes)
    }

    #[names]
    fn build(&self, io: &PatchIo<Bits>) {
        let Sizes { size, direction, .. } = self.sizes;
        let rewrite = &io.detail.rewrite;
        // Nothing is written further behind a place that is known than the last half-word of a quoted address.
        let quoted_address = direction.quoted_address_at() / 2;
        let most_beats = (size.halves() - 1 + quoted_address + 1) / size.halves();
        let beat = Beat::of(io.reading.index, self.sizes.reach_w(), u64::from(most_beats));
        let mut writes = Writes { halves: size.halves(), by_lane: vec![BTreeMap::new(); size.halves() as usize] };

        // Which half-words of this beat are written, and from where.
        let address_high = source("address_high", rewrite.address.slice(16..32));
        let address_low = source("address_low", rewrite.address.slice(0..16));
        let checksum = source("checksum", rewrite.ipv4_checksum);
        let ttl = source("ttl", rewrite.ttl);
        let untagged = !rewrite.tagged;
        let one_tag = rewrite.tagged & !rewrite.double;
        let two_tags = rewrite.tagged & rewrite.double;
        for (tags, header) in [(untagged, 14), (one_tag, 18), (two_tags, 22)] {
            let translated = rewrite.translate & tags;
            writes.at((header + 8) / 2, &beat, ttl, rewrite.route & tags);
            writes.at((header + 10) / 2, &beat, checksum, translated);
            writes.at((header + direction.address_at()) / 2, &beat, address_high, translated);
            writes.at((header + direction.address_at()) / 2 + 1, &beat, address_low, translated);
        }
        let l4 = source("l4", rewrite.l4_checksum);
        writes.behind(rewrite.l4_half, 0, &ANY, &beat, l4, rewrite.l4);
        let quoted = rewrite.quoted_half;
        let quoted_checksum = source("quoted_checksum", rewrite.quoted_checksum);
        writes.behind(quoted, 5, &EVEN, &beat, quoted_checksum, rewrite.quoted);
        writes.behind(quoted, quoted_address, &ODD, &beat, address_high, rewrite.quoted);
        writes.behind(quoted, quoted_address + 1, &EVEN, &beat, address_low, rewrite.quoted);
        let quoted_l4 = source("quoted_l4", rewrite.quoted_l4_checksum);
        writes.behind(rewrite.quoted_l4_half, 0, &ANY, &beat, quoted_l4, rewrite.quoted_l4);
        if let (Some(word), Some(enable), Some(difference)) = (rewrite.icrc_word, rewrite.icrc, io.difference) {
            let change = |name, value| Source { name, value, changes: true };
            let high = change("icrc_high", difference.slice(16..32));
            let low = change("icrc_low", difference.slice(0..16));
            writes.icrc(word, &beat, [high, low], enable);
        }
        let mut eth = vec![("eth_dst", 0, rewrite.eth_dst)];
        eth.extend(rewrite.eth_src.map(|value| ("eth_src", 3, value)));
        for (name, first, address) in eth {
            for (half, value) in address.chunks(16).into_iter().rev().enumerate() {
                writes.at(first + half as u32, &beat, source(name, value), rewrite.next_hop);
            }
        }

        // When the beat is there: write.
        io.reading.further.ignore();
        let output = io.reading.output.delay_reset(0).delay_reset(0);
        let mut bytes = Vec::new();
        let mut twice = lit(1, 0);
        for (lane, sources) in writes.by_lane.iter().enumerate() {
            let mut from = Vec::new();
            for (name, (source, enable)) in sources {
                let enable = enable.delay().named(&format!("write_{name}_in_{lane}"));
                let in_order: Vec<Bits> = source.value.chunks(8).into_iter().rev().collect();
                from.push((enable, source.changes, in_order));
            }
            for byte in 0..2 {
                let mut touched = lit(1, 0);
                let mut written = lit(1, 0);
                let mut value = lit(8, 0);
                for (enable, changes, new) in &from {
                    let Some(new) = new.get(byte as usize) else { continue };
                    twice = twice | (touched & *enable);
                    touched = touched | *enable;
                    if !changes {
                        written = written | *enable;
                    }
                    value = value | (enable.repeat(8) & *new);
                }
                let kept = io.rdata.byte(2 * lane as u32 + byte);
                bytes.push(value ^ ((!written).repeat(8) & kept));
            }
        }
        let data = cat(bytes.into_iter().rev());
        let leaving = Leaving {
            output,
            data,
            lane: io.detail.lane.delay(),
            last: io.reading.last.delay().delay(),
            reason: io.detail.reason.delay(),
            port: io.detail.port.delay(),
            function: io.detail.function.delay(),
        };
        io.leaving.output.reset(0);
        io.leaving.visit(|_, leaf| {
            leaf.registered();
        });
        assign(&io.leaving, &leaving);

        assert_that(
            "written_once",
            "2: each byte is written or changed from one place at most",
            !(output.any() & twice),
        );
    }
}
