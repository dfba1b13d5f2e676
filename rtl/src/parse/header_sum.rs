//! Verifies the IPv4 header checksum (RFC 1071): the ones'-complement sum of the header's half-words must be FFFF.
//!
//! ```text
//!            ┌──────────────┐
//!  word ────▶│  header_sum  │────▶ good
//!            └──────────────┘
//! ```
//! Latency: [`CHECKSUM_AFTER`] + 1 clocks from `word_valid` to `good`. Throughput: a word a clock. It never stalls.
//!
//! 1. Only the `ihl` words of the header count (a quarter of a beat's word is one of them); every other quarter is
//!    masked, so that no byte beyond the header matters. The first five words always count: a shorter header is
//!    malformed, whatever its sum.
//! 2. No carry is lost: the sum grows with its operands and is folded at its end. A sum of 60 bytes has at most 21 bits,
//!    and after one fold it is FFFF exactly if its ones'-complement sum is.

use crate::packet::half;
use hdl::*;

/// Clocks from `headers_valid` to `checksum_good`.
pub const CHECKSUM_AFTER: u32 = 6;

/// Clocks from a frame's last word to `good`: the headers stand a clock after it.
const LATENCY: u32 = CHECKSUM_AFTER + 1;
/// Words of the longest header.
const MOST: u32 = 15;
/// Words of the shortest.
const LEAST: u32 = 5;
/// Bits of the sum of the longest header's half-words.
const SUM_W: u32 = 21;

/// The block.
#[derive(Clone, Debug)]
pub struct HeaderSum {
    /// Bits of a beat.
    pub data_w: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(data_w: u32)]
pub struct HeaderSumIo<S> {
    /// The data are word 0: the header begins.
    #[input]
    pub begins: S,
    /// The data are the next word.
    #[input]
    pub next: S,
    /// The bytes.
    #[input]
    #[width(data_w)]
    pub data: S,
    /// Length of the header in words.
    #[input]
    #[width(4)]
    pub ihl: S,
    /// The checksum of the header whose frame's last word went by seven clocks ago is right.
    #[output]
    pub good: S,
}

impl Block for HeaderSum {
    type Io<S> = HeaderSumIo<S>;

    fn name(&self) -> String {
        "header_sum".into()
    }

    fn doc(&self) -> String {
        "Verifies the IPv4 header checksum.".into()
    }

    fn io(&self) -> HeaderSumIo<Shape> {
        HeaderSumIo::shape(self.data_w)
    }

    #[names]
    fn build(&self, io: &HeaderSumIo<Bits>) {
        let quarters = self.data_w / 32;
        let in_header = |number: u32| if number < LEAST { lit(1, 1) } else { io.ihl.gt(u64::from(number)) };

        // Which quarters of the next words belong to the header: a bit each, moved on by each word.
        let behind: Vec<Bits> = (quarters..MOST).map(in_header).collect();
        let remaining = (!behind.is_empty()).then(|| {
            let remaining = reg(MOST - quarters);
            when(io.begins, || remaining.set(cat(behind.iter().rev().copied())))
                .elsewhen(io.next, || remaining.set(remaining.shr(quarters)));
            remaining
        });

        // Sum of each quarter's half-words, 0 beyond the header. A header that lies in word 0 altogether needs no total:
        // its quarters stay until the next one.
        let mut terms = Vec::new();
        for q in 0..quarters.min(MOST) {
            let sum = half(io.data, 2 * q).grow_add(half(io.data, 2 * q + 1));
            let begins = io.begins & in_header(q);
            let term = match remaining {
                Some(r) if q < r.width() => mux(begins | (io.next & r.bit(q)), sum, lit(17, 0)).delay(),
                Some(_) => mux(begins, sum, lit(17, 0)).delay(),
                None => mux(in_header(q), sum, lit(17, 0)).delay_enable(io.begins),
            };
            terms.push(term.named(&format!("quarter{q}")));
        }
        let mut clocks = 1;

        // Add up, a level a clock.
        while terms.len() > 1 {
            terms = terms
                .chunks(2)
                .map(|t| if t.len() == 2 { t[0].grow_add(t[1]) } else { t[0].zext(t[0].width() + 1) }.delay())
                .collect();
            clocks += 1;
        }
        let word_sum = terms[0].zext(SUM_W);
        let total = match remaining {
            None => word_sum,
            Some(_) => {
                let begins = io.begins.delay_by(clocks);
                let total = reg(SUM_W);
                total.set(word_sum + mux(begins, lit(SUM_W, 0), total));
                clocks += 1;
                total
            }
        };

        // Fold once and compare.
        let folded = total.slice(0..16).grow_add(total.slice(16..).zext(16)).delay();
        let good = folded.eq(0xFFFF).delay();
        io.good.set(good.delay_by(LATENCY - clocks - 2));
        if remaining.is_none() {
            // Word 0 has the whole header, and its last quarter never is of it.
            io.next.ignore();
            io.data.ignore();
        }
    }
}
