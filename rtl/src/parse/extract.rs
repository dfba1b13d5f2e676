//! Catches the header fields as their words go by.
//!
//! ```text
//!            ┌───────────┐
//!  word ────▶│  extract  │────▶ headers
//!            └───────────┘
//! ```
//! Latency: 1 clock from `word_valid` to `headers_valid`. Throughput: a word a clock. It never stalls and drops nothing.
//!
//! Fields of IPv4 and IPv6 stand at fixed places. Layer 4 begins at quarter `q` of a word (a quarter is four bytes), so
//! each word is turned by `q` quarters: byte `o` of layer 4 then stands in lane `o` mod `LANES`, in the word that layer 4
//! begins in or `(4 q + o) / LANES` words later.
//!
//! 1. A field is taken from its own place only: IPv4 and IPv6 fields at fixed places, layer 4 fields behind the IPv4
//!    header, whose length is `ihl` words; fields of a quoted datagram 8 bytes behind the beginning of layer 4, those of
//!    its layer 4 behind a header of 20 bytes.
//! 2. A field that the frame does not have keeps any value: whoever reads it looks at the lengths first.
//! 3. `headers` stands for the one clock of `headers_valid`.

use crate::packet::{Direction, Headers, Quoted, Size, Word};
use hdl::*;
use std::ops::Range;

/// Least length of an IPv4 header in words.
const LEAST_IHL: u32 = 5;
/// Most.
const MOST_IHL: u32 = 15;
/// Bytes from the beginning of an ICMP error to the datagram that it quotes.
const QUOTED: u32 = 8;
/// Bytes from the beginning of an ICMP error to layer 4 of the datagram that it quotes.
const QUOTED_L4: u32 = QUOTED + 20;
/// Bytes of layer 4 that are looked at: all until the end of the TCP checksum that an ICMP error quotes.
const L4_REACH: u32 = QUOTED_L4 + 18;

/// The block.
#[derive(Clone, Debug)]
pub struct Extract {
    /// Widths.
    pub size: Size,
    /// Which address is of interest, and which other fields.
    pub direction: Direction,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, direction: Direction)]
pub struct ExtractIo<S> {
    /// Words in.
    #[input]
    #[shape(Word::shape(size, direction))]
    pub word: Word<S>,
    /// Fields out.
    #[output]
    #[shape(Headers::shape(size, direction))]
    pub headers: Headers<S>,
}

/// Layer 4 of the words that go by.
struct Layer4 {
    lanes: u32,
    data: Bits,
    /// The quarter that layer 4 begins at.
    quarter: Bits,
    /// Element `n`: it is quarter `n` + 1 or a later one.
    beyond: Vec<Bits>,
    /// Bit `k`: the word is the `k`-th behind the one that layer 4 begins in.
    at: Vec<Bits>,
}

impl Layer4 {
    /// Follows layer 4 through the words. The row of `ihl` is the word that layer 4 begins in.
    #[names]
    fn new(lanes: u32, word: &Word<Bits>) -> Layer4 {
        let quarters = lanes / 4;
        let quarter_w = clog2(u64::from(quarters));
        let [first_row, last_row] = [LEAST_IHL, MOST_IHL].map(|ihl| (4 * ihl / lanes) as i32);
        let is_row = |row: i32| {
            if quarter_w == 4 { lit(1, 1) } else { word.ihl.slice(quarter_w..4).eq(row as u64) }
        };

        // One bit for each number that the coming word can have; negative ones come before layer 4 begins. Word 0 loads
        // it: the next one is word 1 and so number 1 - row.
        let last_number = ((lanes - 4 + L4_REACH - 1) / lanes) as i32;
        let numbers: Vec<i32> = (1 - last_row..=last_number).collect();
        let begins = word.at.bit(0);

        // Where layer 4 does not begin in word 0, there is time to take the quarter from a register of its own.
        let known = |value: Bits| if first_row > 0 { value.delay_enable(begins) } else { value };
        let quarter_now = word.ihl.slice(0..quarter_w);
        let quarter = known(quarter_now);
        let beyond = (1..quarters).map(|n| known(quarter_now.ge(u64::from(n))).named(&format!("beyond{n}"))).collect();
        let loaded = numbers.iter().map(|k| if *k <= 1 - first_row { is_row(1 - k) } else { lit(1, 0) });
        let loaded = cat(loaded.collect::<Vec<_>>().into_iter().rev());
        let coming = reg(numbers.len() as u32);
        when(begins, || coming.set(loaded)).elsewhen(word.next, || coming.set(coming.shl(1)));
        let at = (0..=last_number).map(|k| {
            let later = numbers.iter().position(|n| *n == k).map(|i| word.next & coming.bit(i as u32));
            let at_once = (k == 0 && first_row == 0).then(|| begins & is_row(0));
            match (later, at_once) {
                (Some(later), Some(at_once)) => later | at_once,
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => lit(1, 0),
            }
        });
        Layer4 { lanes, data: word.data, quarter, beyond, at: at.collect() }
    }

    /// Bits of byte `offset` of layer 4, in the clock of [`here`](Self::here). Built as a tree of two-to-one multiplexers,
    /// which lookup tables take better than a comparison for each quarter.
    fn byte(&self, offset: u32, bits: Range<u32>) -> Bits {
        let place = |q: u32| self.data.byte((4 * q + offset) % self.lanes).slice(bits.clone());
        let places: Vec<Bits> = (0..self.lanes / 4).map(place).collect();
        let by_bit = |places: Vec<Bits>, bit: Bits| places.chunks(2).map(|p| mux(bit, p[1], p[0])).collect();
        self.quarter.to_bits().into_iter().fold(places, by_bit)[0]
    }

    /// 1 bit: byte `offset` of layer 4 is in this word.
    fn here(&self, offset: u32) -> Bits {
        let (words, lane) = (offset / self.lanes, offset % self.lanes);
        let quarter = (self.lanes - lane).div_ceil(4);
        let soonest = self.at[words as usize];
        if quarter >= self.lanes / 4 {
            return soonest;
        }
        mux(self.beyond[quarter as usize - 1], self.at[words as usize + 1], soonest)
    }

    /// `bytes` bytes from `offset` on, which lie in one quarter, in network order, caught as they go by.
    fn caught(&self, offset: u32, bytes: u32) -> Bits {
        self.caught_low(offset, 8 * bytes)
    }

    /// The low `width` bits of as many bytes as hold them.
    fn caught_low(&self, offset: u32, width: u32) -> Bits {
        let bytes = width.div_ceil(8);
        let of_byte = |i: u32| self.byte(offset + i, 0..if i == 0 { width - 8 * (bytes - 1) } else { 8 });
        cat((0..bytes).map(of_byte)).delay_enable(self.here(offset))
    }
}

impl Block for Extract {
    type Io<S> = ExtractIo<S>;

    fn name(&self) -> String {
        format!("{}_extract", self.direction.name())
    }

    fn doc(&self) -> String {
        "Catches the header fields as their words go by.".into()
    }

    fn check(&self) -> Result<(), String> {
        self.size.check("extract")
    }

    fn io(&self) -> ExtractIo<Shape> {
        ExtractIo::shape(self.size, self.direction)
    }

    #[names]
    fn build(&self, io: &ExtractIo<Bits>) {
        let (word, direction, lanes) = (&io.word, self.direction, self.size.lanes());
        word.at.ignore(); // some words have no field at a fixed place

        // Layer 3. Fields of IPv4 and IPv6 that share their bytes share their registers.
        let caught = |value: Bits, byte: u32| value.delay_enable(word.at.bit(byte / lanes));
        let byte = |at: u32| word.data.byte(at % lanes);
        let bytes = |at: u32, n: u32| caught(cat((at..at + n).map(byte)), at);
        let is_zero = |at: u32| caught(!word.data.slice(8 * (at % lanes)..8 * (at % lanes + 8)).any(), at);
        let fragment = bytes(6, 2);
        let ttl = bytes(8, 1);
        let protocol = bytes(9, 1);
        let tx_only = |field: &dyn Fn() -> Bits| direction.is_tx().then(field);

        // Layer 4, in the same way: the ICMP checksum stands where UDP has its destination port, the quoted protocol in
        // the low byte of the TCP checksum.
        let l4 = Layer4::new(lanes, word);
        let port_or_checksum = l4.caught(2, 2);
        let tcp_checksum = l4.caught(16, 2);
        let quoted_begins = l4.caught(QUOTED, 1);
        let quoted = Quoted {
            version: quoted_begins.slice(4..8),
            ihl: quoted_begins.slice(0..4),
            fragment_offset: l4.caught_low(QUOTED + 6, 13),
            protocol: tcp_checksum.slice(0..8),
            checksum: l4.caught(QUOTED + 10, 2),
            address: l4.caught(QUOTED + direction.quoted_address_at(), 4),
            udp_checksum: l4.caught(QUOTED_L4 + 6, 2),
            tcp_checksum: l4.caught(QUOTED_L4 + 16, 2),
        };
        let data_offset = l4.byte(12, 4..8).delay_enable(l4.here(12));
        let headers = Headers {
            valid: word.valid.delay_reset(0),
            end: delay(&word.end),
            eth_dst: word.eth_dst.map(Bits::delay),
            ethernet: delay(&word.ethernet),
            version: caught(byte(0).slice(4..8), 0),
            ihl: word.ihl.delay(),
            total_length: bytes(2, 2),
            more_fragments: fragment.bit(13),
            fragment_offset: fragment.slice(0..13),
            ttl,
            protocol,
            ipv4_checksum: bytes(10, 2),
            address: bytes(direction.address_at(), 4),
            udp_port: port_or_checksum,
            udp_length: l4.caught(4, 2),
            udp_checksum: l4.caught(6, 2),
            data_offset,
            tcp_checksum,
            icmp_type: l4.caught(0, 1),
            icmp_checksum: port_or_checksum,
            quoted,
            payload_length: bytes(4, 2),
            next_header: fragment.slice(8..16),
            source6_prefix: tx_only(&|| cat([ttl, protocol.slice(6..8)])),
            source6_high_zero: tx_only(&|| is_zero(8)),
            source6_low_zero: tx_only(&|| is_zero(16)),
            behind: tx_only(&|| bytes(40, 2)),
            behind_options: tx_only(&|| bytes(48, 1)),
        };
        headers.visit(|at, field| {
            field.named(&at.name);
        });
        assign(&io.headers, &headers);
    }
}
