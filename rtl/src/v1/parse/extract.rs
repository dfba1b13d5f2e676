//! Catches the header fields as their words go by.
//!
//! ```text
//!            ┌───────────┐
//!  word ────▶│  extract  │────▶ headers, ihl
//!            └───────────┘
//! ```
//! Latency: 1 clock from `word_valid` to `headers_valid`. Throughput: a word a clock. It never stalls and drops nothing.
//!
//! 1. A field is taken from its own place only: IPv4 and IPv6 fields at constant places, layer 4 fields behind the IPv4
//!    header, whose length is `ihl` words.
//! 2. A field that the frame does not have keeps any value: whoever reads it looks at the lengths first.
//! 3. `headers` stands for the one clock of `headers_valid`.

use crate::v1::packet::{Headers, Word, half};
use hdl::*;

/// The block.
#[derive(Clone, Debug)]
pub struct Extract {
    /// Bits that count the beats of a frame.
    pub beats_w: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct ExtractIo<S> {
    /// Words in.
    #[input]
    #[shape(Word::shape(beats_w))]
    pub word: Word<S>,
    /// Length of the IPv4 header in words, from the clock after its first word.
    #[output]
    #[width(4)]
    pub ihl: S,
    /// Fields out.
    #[output]
    #[shape(Headers::shape(beats_w))]
    pub headers: Headers<S>,
}

impl Block for Extract {
    type Io<S> = ExtractIo<S>;

    fn name(&self) -> String {
        "extract".into()
    }

    fn doc(&self) -> String {
        "Catches the header fields as their words go by.".into()
    }

    fn io(&self) -> ExtractIo<Shape> {
        ExtractIo::shape(self.beats_w)
    }

    #[names]
    fn build(&self, io: &ExtractIo<Bits>) {
        let word = &io.word;
        let data = word.data;
        let caught = |value: Bits, word_index: u32| value.delay_enable(word.at.bit(word_index));

        // Layer 3: constant places.
        let ihl = caught(data.slice(0..4), 0);
        let fragment = half(data, 3);

        // Layer 4 begins in word ihl / 4, in a quarter of it that ihl mod 4 names: a field is in that word or the next.
        let quarter = ihl.slice(0..2);
        let row = ihl.slice(2..4);
        let in_row = select(row, &[word.at.bit(0), word.at.bit(1), word.at.bit(2), word.at.bit(3)]);
        let in_next = select(row, &[word.at.bit(1), word.at.bit(2), word.at.bit(3), word.at.bit(4)]);
        let behind_header = |offset: u32, field: &dyn Fn(u32) -> Bits| {
            let places: Vec<(Bits, Bits)> = (0..4)
                .map(|q| {
                    let byte = 4 * q + offset;
                    let (here, lane) = (if byte < 16 { in_row } else { in_next }, byte % 16);
                    (here, field(lane))
                })
                .collect();
            let here: Vec<Bits> = places.iter().map(|p| p.0).collect();
            let value: Vec<Bits> = places.iter().map(|p| p.1).collect();
            select(quarter, &value).delay_enable(select(quarter, &here))
        };

        let half_at = |lane: u32| half(data, lane / 2);
        let byte_at = |lane: u32| data.byte(lane);
        let high_nibble_at = |lane: u32| data.byte(lane).slice(4..8);

        let headers = Headers {
            valid: word.valid.delay_reset(0),
            end: delay(&word.end),
            ethernet: delay(&word.ethernet),
            version: caught(data.slice(4..8), 0),
            ihl,
            total_length: caught(half(data, 1), 0),
            more_fragments: caught(fragment.bit(13), 0),
            fragment_offset: caught(fragment.slice(0..13), 0),
            protocol: caught(data.byte(9), 0),
            ipv4_checksum: caught(half(data, 5), 0),
            source: caught(cat([half(data, 6), half(data, 7)]), 0),
            udp_port: behind_header(2, &half_at),
            udp_length: behind_header(4, &half_at),
            udp_checksum: behind_header(6, &half_at),
            data_offset: behind_header(12, &high_nibble_at),
            tcp_checksum: behind_header(16, &half_at),
            icmp_type: behind_header(0, &byte_at),
            payload_length: caught(half(data, 2), 0),
            next_header: caught(data.byte(6), 0),
            source6_prefix: caught(half(data, 4).slice(6..16), 0),
            source6_high_zero: caught(!data.slice(64..128).any(), 0),
            source6_low_zero: caught(!data.slice(0..64).any(), 1),
            behind: caught(half(data, 4), 2),
            behind_options: caught(data.byte(0), 3),
        };
        headers.visit(|at, field| {
            field.named(&at.name);
        });
        assign(&io.headers, &headers);
        io.ihl.set(ihl);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_output_depends_combinationally_on_an_input() {
        check::assert_no_combinational_paths(&Extract { beats_w: 10 });
    }
}
