//! Verifies the IPv4 header checksum (RFC 1071): the ones'-complement sum of the header's half-words must be FFFF.
//!
//! ```text
//!                 ┌──────────────┐
//!  word, ihl ────▶│  header_sum  │────▶ good
//!                 └──────────────┘
//! ```
//! Latency: [`LATENCY`] clocks from `word_valid` to `good`. Throughput: a word a clock. It never stalls.
//!
//! 1. Only the `ihl` words of the header count; every other lane is masked, so that no byte beyond it matters.
//! 2. No carry is lost: the sum grows with its operands and is folded at its end. A sum of 60 bytes has at most 21 bits,
//!    and after one fold it is FFFF exactly if its ones'-complement sum is.

use crate::v1::packet::{DATA_W, half};
use hdl::*;

/// Clocks from `word_valid` to `good`.
pub const LATENCY: u32 = 7;

/// Words of sixteen bytes that an IPv4 header can reach into.
const HEADER_WORDS: u32 = 4;

/// The block.
#[derive(Clone, Debug)]
pub struct HeaderSum {}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct HeaderSumIo<S> {
    /// One bit a word: the data are this word of the header.
    #[input]
    #[width(HEADER_WORDS)]
    pub at: S,
    /// Its bytes.
    #[input]
    #[width(DATA_W)]
    pub data: S,
    /// Length of the header in words, known from its second word on.
    #[input]
    #[width(4)]
    pub ihl: S,
    /// The checksum of the header whose frame ended seven clocks ago is right.
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
        HeaderSumIo::shape()
    }

    #[names]
    fn build(&self, io: &HeaderSumIo<Bits>) {
        // Mask: quarter q of word w is the header's word 4 w + q. The first word is all header (a length below 5 is
        // malformed, whatever the sum).
        let mut masked = Vec::new();
        for q in 0..4 {
            let in_header = (1..HEADER_WORDS).fold(io.at.bit(0), |any, w| {
                let number = u64::from(4 * w + q);
                any | if number < 15 { io.at.bit(w) & io.ihl.gt(number) } else { lit(1, 0) }
            });
            for h in [2 * q, 2 * q + 1] {
                masked.push((half(io.data, h) & in_header.repeat(16)).delay().named(&format!("masked{h}")));
            }
        }

        // Add up, a level a clock.
        let level = |terms: &[Bits]| -> Vec<Bits> { terms.chunks(2).map(|p| p[0].grow_add(p[1]).delay()).collect() };
        let pairs = level(&masked);
        let fours = level(&pairs);
        let eights = level(&fours);
        let word_sum = eights[0];
        let begins = io.at.bit(0).delay_by(4);
        let total = reg(21);
        total.set(mux(begins, word_sum.zext(21), total + word_sum.zext(21)));

        // Fold once and compare.
        let folded = total.slice(0..16).grow_add(total.slice(16..21).zext(16)).delay();
        let good = folded.eq(0xFFFF).delay();
        io.good.set(good);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_output_depends_combinationally_on_an_input() {
        check::assert_no_combinational_paths(&HeaderSum {});
    }
}
