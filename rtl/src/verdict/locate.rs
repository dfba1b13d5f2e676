//! Finds where a frame's address and checksums are, and prepares the old checksums for their update.
//!
//! ```text
//!             ┌──────────┐
//!  headers ──▶│  locate  │────▶ place
//!             └──────────┘
//! ```
//! Latency: [`LATENCY`] clocks. Throughput: a frame a clock. It never stalls.
//!
//! 1. Places are half-words from the frame's beginning (byte by 2). They mean something only for frames that are
//!    translated, whose lengths have been found right.
//! 2. A checksum goes in complemented, as equation 3 of RFC 1624 adds it up. Of an ICMP error the changed address and the
//!    changed header checksum of the quoted datagram cancel out (both are in the sum), so that only the quoted layer 4
//!    checksum counts; but a sum of 0 becomes FFFF, as if all had been added.
//! 3. A UDP checksum of 0, the frame's or the quoted one, is not updated (RFC 768).
//! 4. An ICRC is the last word of a datagram of whole words. Ethernet headers end in the middle of a word of the frame,
//!    and so begins the ICRC there.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/rx_locate` | LFE5UM5G-45F-8 | 324 | 392 | 0 | 282 / 292 / 311 | 162.5 |
//! | `ecp5/tx_locate` | LFE5UM5G-45F-8 | 317 | 392 | 0 | 296 / 297 / 302 | 162.5 |

use crate::packet::{
    Direction, Headers, Size,
    number::{ICMP_ERRORS, ROCE_PORT, protocol},
};
use hdl::*;

/// Clocks from `headers_valid` to the place.
pub const LATENCY: u32 = 3;

/// What one hop less adds to the ones'-complement sum of the IPv4 header: ~m + m' of the half-word of TTL and protocol.
const HOP: u64 = 0xFEFF;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Locate {
    /// Sizes of the path.
    pub size: Size,
    /// Which way the path goes.
    pub direction: Direction,
}

/// Where a frame's address and checksums are, and the old checksums complemented.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size)]
pub struct Place<S> {
    /// One tag at least: IPv4 begins at byte 18 or 22, not 14.
    pub tagged: S,
    /// Two tags: IPv4 begins at byte 22.
    pub double: S,
    /// Time to live, less one.
    #[width(8)]
    pub ttl: S,
    /// Time to live is 0 or 1.
    pub ttl_over: S,
    /// IPv4 header checksum, complemented.
    #[width(16)]
    pub ipv4_sum: S,
    /// The same with one hop less.
    #[width(16)]
    pub ipv4_sum_routed: S,
    /// There is a layer 4 checksum that changes.
    pub l4: S,
    /// It is UDP's.
    pub udp: S,
    /// Its place.
    #[width(6)]
    pub l4_half: S,
    /// The layer 4 checksum, complemented.
    #[width(16)]
    pub l4_sum: S,
    /// The frame is an ICMP error: layer 4 is ICMP's, and the quoted datagram changes too.
    pub quoted: S,
    /// Place of the quoted IPv4 header.
    #[width(6)]
    pub quoted_half: S,
    /// Quoted IPv4 header checksum, complemented.
    #[width(16)]
    pub quoted_sum: S,
    /// There is a quoted layer 4 checksum that changes.
    pub quoted_l4: S,
    /// It is UDP's.
    pub quoted_udp: S,
    /// Its place.
    #[width(6)]
    pub quoted_l4_half: S,
    /// The quoted layer 4 checksum, complemented.
    #[width(16)]
    pub quoted_l4_sum: S,
    /// A datagram to the port of RoCEv2, which has an ICRC.
    #[present(size.has_roce())]
    pub icrc: Option<S>,
    /// Its place: it begins with the second half-word of this word (four bytes).
    #[present(size.has_roce())]
    #[width(size.icrc_w)]
    pub icrc_word: Option<S>,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, direction: Direction)]
pub struct LocateIo<S> {
    /// Fields of the headers.
    #[input]
    #[shape(Headers::shape(size, direction))]
    pub headers: Headers<S>,
    /// The places.
    #[output]
    #[shape(Place::shape(size))]
    pub place: Place<S>,
}

/// `bytes` behind the Ethernet header, as a half-word of the frame.
fn behind_ethernet(h: &Headers<Bits>, bytes: u32) -> Bits {
    let half = |begin: u32| lit(6, u128::from((begin + bytes) / 2));
    mux(h.ethernet.tagged, mux(h.ethernet.double, half(22), half(18)), half(14))
}

impl Block for Locate {
    type Io<S> = LocateIo<S>;

    fn name(&self) -> String {
        format!("{}_locate", self.direction.name())
    }

    fn doc(&self) -> String {
        "Finds where a frame's address and checksums are.".into()
    }

    fn io(&self) -> LocateIo<Shape> {
        LocateIo::shape(self.size, self.direction)
    }

    #[names]
    fn build(&self, io: &LocateIo<Bits>) {
        let (h, q) = (&io.headers, &io.headers.quoted);

        // Clock 1: what kind it is; the one layer 4 checksum; places relative to the end of the Ethernet header.
        let has_l4 = h.fragment_offset.eq(0);
        let is_udp = h.protocol.eq(protocol::UDP);
        let is_icmp = h.protocol.eq(protocol::ICMP);
        let error_type = ICMP_ERRORS.into_iter().fold(lit(1, 0), |any, t| any | h.icmp_type.eq(t)).delay();
        let udp = (has_l4 & is_udp).delay();
        let tcp = (has_l4 & h.protocol.eq(protocol::TCP)).delay();
        let icmp = (has_l4 & is_icmp).delay();
        let udp_sum_there = h.udp_checksum.any().delay();
        let l4_checksum = mux(is_icmp, h.icmp_checksum, mux(is_udp, h.udp_checksum, h.tcp_checksum)).delay();
        let l4_base =
            mux(is_icmp, behind_ethernet(h, 2), mux(is_udp, behind_ethernet(h, 6), behind_ethernet(h, 16))).delay();
        let quoted_base = behind_ethernet(h, 8).delay();
        let ihl = h.ihl.delay();
        let hop_less = (!h.ipv4_checksum).grow_add(HOP).delay();
        let ttl = (h.ttl - 1).delay();
        let ttl_over = h.ttl.lt(2).delay();
        let quoted_is_udp = q.protocol.eq(protocol::UDP);
        let quoted_first = q.fragment_offset.eq(0);
        let quoted_udp = quoted_is_udp.delay();
        let quoted_udp_l4 = (quoted_first & quoted_is_udp & q.udp_checksum.any()).delay();
        let quoted_tcp_l4 = (quoted_first & q.protocol.eq(protocol::TCP)).delay();
        let quoted_l4_checksum = mux(quoted_is_udp, q.udp_checksum, q.tcp_checksum).delay();
        let ip_payload = (h.total_length - cat([h.ihl, lit(2, 0)]).zext(16)).delay();

        // Clock 2: places; whether the quoted checksum is within the datagram (8 bytes of ICMP, 20 of IPv4 before it).
        let header_halves = cat([lit(1, 0), ihl, lit(1, 0)]);
        let l4_half = (l4_base + header_halves).delay();
        let quoted_half = (quoted_base + header_halves).delay();
        let error = (icmp & error_type).delay();
        let plain_l4 = ((udp & udp_sum_there) | tcp).delay();
        let holds_udp_checksum = ip_payload.ge(8 + 28).delay();
        let holds_tcp_checksum = ip_payload.ge(8 + 38).delay();
        let no_sum = l4_checksum.all().delay();
        let folded = hop_less.slice(0..16) + hop_less.bit(16).zext(16);
        let ipv4_sum_routed = folded.delay();

        // The same of the ICRC: its word is that of the datagram, three or more further on, less the ICRC itself.
        let has_icrc = self.size.has_roce().then(|| (udp & h.udp_port.eq(ROCE_PORT).delay()).delay_by(2));
        let icrc_word = self.size.has_roce().then(|| {
            let words = h.total_length.slice(2..2 + self.size.icrc_w).delay();
            let before = |words: u32| lit(self.size.icrc_w, u128::from(words));
            let tags = mux(h.ethernet.tagged, mux(h.ethernet.double, before(4), before(3)), before(2)).delay();
            (words + tags).delay_by(2)
        });

        // Clock 3.
        let udp_there = quoted_udp_l4.delay() & holds_udp_checksum;
        let tcp_there = quoted_tcp_l4.delay() & holds_tcp_checksum;
        let l4_sum = (!l4_checksum).delay();
        let quoted_l4_offset = mux(quoted_udp.delay(), lit(6, 10 + 3), lit(6, 10 + 8));
        let place = Place {
            tagged: h.ethernet.tagged.delay_by(LATENCY),
            double: h.ethernet.double.delay_by(LATENCY),
            ttl: ttl.delay_by(2),
            ttl_over: ttl_over.delay_by(2),
            ipv4_sum: (!h.ipv4_checksum).delay_by(LATENCY),
            ipv4_sum_routed: ipv4_sum_routed.delay(),
            l4: (plain_l4 | error).delay(),
            udp: udp.delay_by(2),
            l4_half: l4_half.delay(),
            l4_sum: (l4_sum | (error & no_sum).repeat(16)).delay(),
            quoted: error.delay(),
            quoted_half: quoted_half.delay(),
            quoted_sum: (!q.checksum).delay_by(LATENCY),
            quoted_l4: (error & (udp_there | tcp_there)).delay(),
            quoted_udp: quoted_udp.delay_by(2),
            quoted_l4_half: (quoted_half + quoted_l4_offset).delay(),
            quoted_l4_sum: (!quoted_l4_checksum).delay_by(2),
            icrc: has_icrc,
            icrc_word,
        };
        assign(&io.place, &place);
        ignore_rest(h);
        if !self.size.has_roce() {
            h.udp_port.ignore();
        }
    }
}

/// Fields that only the judgement looks at.
fn ignore_rest(h: &Headers<Bits>) {
    h.end.visit(|_, field| field.ignore());
    let (e, q) = (&h.ethernet, &h.quoted);
    let fields = [h.valid, e.triple, e.ipv4, e.ipv6, h.version, h.more_fragments, h.address, h.udp_length];
    let others = [h.data_offset, h.payload_length, h.next_header, q.version, q.ihl, q.address];
    let some = [h.eth_dst, h.source6_prefix, h.source6_high_zero, h.source6_low_zero, h.behind, h.behind_options];
    fields.into_iter().chain(others).chain(some.into_iter().flatten()).for_each(Bits::ignore);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_elaborates_both_ways() {
        for direction in [Direction::Tx, Direction::Rx] {
            elaborate(&Locate { size: Size { data_w: 128, beats_w: 10, icrc_w: 12 }, direction }).unwrap();
        }
    }
}
