//! Judges a frame by its headers alone: malformed, without a rule, or to be translated.
//!
//! ```text
//!                           ┌────────────┐
//!  headers, checksum_good ─▶│  classify  │────▶ classified
//!                           └────────────┘
//! ```
//! Latency: [`LATENCY`] clocks. Throughput: a frame a clock. It never stalls and drops nothing itself.
//!
//! 1. The first condition that holds decides, in this order: bad frame, oversize, runt; a tag cut off; three tags, or
//!    neither IPv4 nor IPv6 (no rule); over IPv4: header cut off, version, header length, total length, checksum, a layer
//!    4 header that does not fit, source 0.0.0.0 (no rule), then AH, UDP-Lite and DCCP, ICMP errors and RoCEv2 (punted if
//!    the source is mapped), all else (translated if the source is mapped); over IPv6: malformed, neighbour discovery,
//!    MLD and sources without a network (no rule), all else (no mapping).
//! 2. No length wraps: every difference has its borrow, every sum its carry.
//! 3. Layer 4 lengths count in whole datagrams only; layer 4 headers are there in whole datagrams and first fragments.
//! 4. A condition that reads a field stands behind the one that says whether the field is there.

use crate::{
    outcome::Outcome,
    v1::packet::{Classified, Extent, Headers, Place, ROCE_PORT, first_of, later, outcome, protocol},
};
use hdl::*;

/// Clocks from `headers_valid` to `classified_valid`.
pub const LATENCY: u32 = 7;
/// Clocks from `headers_valid` to `checksum_good`.
pub const CHECKSUM_AFTER: u32 = 6;

/// The block.
#[derive(Clone, Debug)]
pub struct Classify {
    /// Bits that count the beats of a frame.
    pub beats_w: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct ClassifyIo<S> {
    /// Fields of the headers.
    #[input]
    #[shape(Headers::shape(beats_w))]
    pub headers: Headers<S>,
    /// The IPv4 header checksum is right; six clocks after `headers_valid`.
    #[input]
    pub checksum_good: S,
    /// The judgement.
    #[output]
    #[shape(Classified::shape(beats_w))]
    pub classified: Classified<S>,
}

/// Is it an ICMPv6 type of neighbour discovery or MLD (130 to 137, 143)?
fn local_icmpv6(kind: Bits) -> Bits {
    (130..=137).chain([143]).fold(lit(1, 0), |any, k| any | kind.eq(k))
}

/// Bytes of the frame, as `beats` and `lane` give them, less than `bytes`? (A frame of `b` beats that ends in lane `l`
/// has `16 b + l - 15` bytes.)
fn shorter(extent: &Extent<Bits>, bytes: u64) -> Bits {
    cat([extent.beats, extent.lane]).lt(bytes + 15)
}

impl Block for Classify {
    type Io<S> = ClassifyIo<S>;

    fn name(&self) -> String {
        "classify".into()
    }

    fn doc(&self) -> String {
        "Judges a frame by its headers alone.".into()
    }

    fn io(&self) -> ClassifyIo<Shape> {
        ClassifyIo::shape(self.beats_w)
    }

    #[names]
    fn build(&self, io: &ClassifyIo<Bits>) {
        let h = &io.headers;

        // Clock 1: differences, sums, and everything that looks at one field.
        let ends_at = cat([h.end.extent.beats, h.end.extent.lane]);
        let before = mux(h.ethernet.tagged, mux(h.ethernet.double, lit(6, 22 + 15), lit(6, 18 + 15)), lit(6, 14 + 15));
        let there = ends_at.grow_sub(before.zext(ends_at.width())).delay();
        let header_bytes = cat([h.ihl, lit(2, 0)]);
        let ip_payload = h.total_length.grow_sub(header_bytes.zext(16)).delay();
        let total_length = h.total_length.delay();
        let ends6_at = h.payload_length.grow_add(40).delay();
        let payload6 = h.payload_length.delay();
        let udp_length = h.udp_length.delay();
        let tcp_header = cat([h.data_offset, lit(2, 0)]).delay();
        let tcp_short = h.data_offset.lt(5).delay();
        let not_version4 = h.version.ne(4).delay();
        let not_version6 = h.version.ne(6).delay();
        let short_ihl = h.ihl.lt(5).delay();
        let has_l4 = h.fragment_offset.eq(0).delay();
        let whole = (h.fragment_offset.eq(0) & !h.more_fragments).delay();
        let is = |number: u64| h.protocol.eq(number).delay();
        let (udp, tcp, icmp) = (is(protocol::UDP), is(protocol::TCP), is(protocol::ICMP));
        let opaque =
            (h.protocol.eq(protocol::AH) | h.protocol.eq(protocol::UDP_LITE) | h.protocol.eq(protocol::DCCP)).delay();
        let error_type = [3, 4, 5, 11, 12].into_iter().fold(lit(1, 0), |any, t| any | h.icmp_type.eq(t)).delay();
        let roce_port = h.udp_port.eq(ROCE_PORT).delay();
        let no_source = h.source.eq(0).delay();
        let udp_without_sum = h.udp_checksum.eq(0).delay();
        let l4_checksum = mux(h.protocol.eq(protocol::UDP), h.udp_checksum, h.tcp_checksum).delay();
        let l4_ihl = h.ihl.delay();
        let l4_base = mux(
            h.protocol.eq(protocol::UDP),
            mux(h.ethernet.tagged, mux(h.ethernet.double, lit(6, 11 + 3), lit(6, 9 + 3)), lit(6, 7 + 3)),
            mux(h.ethernet.tagged, mux(h.ethernet.double, lit(6, 11 + 8), lit(6, 9 + 8)), lit(6, 7 + 8)),
        )
        .delay();
        let link_local = h.source6_prefix.eq(0xFE80 >> 6);
        let no_network = ((h.source6_high_zero & h.source6_low_zero) | link_local).delay();
        let icmpv6 = h.next_header.eq(protocol::ICMPV6).delay();
        let local_behind = local_icmpv6(h.behind.slice(8..16)).delay();
        let hop_by_hop = (h.next_header.eq(protocol::HOP_BY_HOP) & h.behind.eq(protocol::ICMPV6 << 8)).delay();
        let local_behind_options = local_icmpv6(h.behind_options).delay();
        let tag_cut_off = (h.ethernet.tagged & shorter(&h.end.extent, 18)).delay();
        let second_cut_off = (h.ethernet.tagged & h.ethernet.double & shorter(&h.end.extent, 22)).delay();
        let three_tags = (h.ethernet.tagged & h.ethernet.double & h.ethernet.triple).delay();
        let ipv4 = h.ethernet.ipv4.delay();
        let ipv6 = h.ethernet.ipv6.delay();

        // Clock 2: comparisons of lengths.
        let missing = there.msb();
        let available = there.trunc(there.width() - 1);
        let less = |bytes: u64| (missing | available.lt(bytes)).delay();
        let (cut_off4, cut_off6) = (less(20), less(40));
        let beyond4 = (ip_payload.msb() | total_length.gt(available.zext(16))).delay();
        let beyond6 = ends6_at.gt(available.zext(17)).delay();
        let payload4 = ip_payload.trunc(16);
        let payload_below_8 = payload4.lt(8).delay();
        let payload_below_20 = payload4.lt(20).delay();
        let udp_misfit = (udp_length.lt(8) | udp_length.gt(payload4)).delay();
        let tcp_misfit = (tcp_short | tcp_header.zext(16).gt(payload4)).delay();
        let some_behind = payload6.ne(0).delay();
        let nine_behind = payload6.ge(9).delay();
        let l4_half = (l4_base + cat([lit(1, 0), l4_ihl, lit(1, 0)])).delay();

        // Clock 3: what is wrong with layer 4, what has no rule.
        let at3 = |one: Bits| one.delay();
        let udp_first = at3(has_l4 & udp);
        let udp_whole = at3(whole & udp);
        let tcp_first = at3(has_l4 & tcp);
        let tcp_whole = at3(whole & tcp);
        let icmp_first = at3(has_l4 & icmp);
        let bad_udp = ((udp_first & payload_below_8) | (udp_whole & udp_misfit)).delay();
        let bad_tcp = ((tcp_first & payload_below_20) | (tcp_whole & tcp_misfit)).delay();
        let bad_icmp = (icmp_first & payload_below_8).delay();
        let neighbour_type = at3(icmpv6 & local_behind);
        let listener_type = at3(hop_by_hop & local_behind_options);
        let neighbour = neighbour_type & some_behind;
        let listener = listener_type & nine_behind;
        let local6 = (neighbour | listener | at3(no_network)).delay();
        let malformed6 = (cut_off6 | beyond6 | at3(not_version6)).delay();
        let icmp_error = (icmp_first & at3(error_type)).delay();
        let roce = (udp_first & at3(roce_port)).delay();
        let l4_updated = ((udp_first & !at3(udp_without_sum)) | tcp_first).delay();

        // Clock 4: one answer for each family and layer.
        let two_later = |b: Bits| b.delay_by(2);
        let three_later = |b: Bits| b.delay_by(3);
        let (bad, oversize, runt) = (h.end.bad.delay_by(3), h.end.oversize.delay_by(3), h.end.runt.delay_by(3));
        let accounted = (bad | oversize | runt).delay();
        let account =
            first_of(&[(bad, Outcome::BadFrame), (oversize, Outcome::Oversize)], outcome(Outcome::Runt)).delay();
        let tag_fault = (two_later(tag_cut_off) | two_later(second_cut_off)).delay();
        let no_rule = (two_later(three_tags) | !(two_later(ipv4) | two_later(ipv6))).delay();
        let six = three_later(ipv6);
        let six_malformed = malformed6.delay();
        let six_local = local6.delay();
        let length_fault = cut_off4.delay();
        let header_fault =
            (cut_off4.delay() | two_later(not_version4) | two_later(short_ihl) | beyond4.delay()).delay();
        let header_outcome = first_of(
            &[
                (length_fault, Outcome::MalformedIpv4Length),
                (two_later(not_version4), Outcome::MalformedIpv4Version),
                (two_later(short_ihl), Outcome::MalformedIhl),
            ],
            outcome(Outcome::MalformedIpv4Length),
        )
        .delay();
        let l4_fault = (bad_udp | bad_tcp | bad_icmp).delay();
        let l4_outcome = first_of(
            &[(bad_udp, Outcome::MalformedUdp), (bad_tcp, Outcome::MalformedTcp)],
            outcome(Outcome::MalformedIcmp),
        )
        .delay();
        let mapped_outcome = first_of(
            &[
                (two_later(opaque), Outcome::PuntUnsupportedL4),
                (icmp_error, Outcome::PuntIcmpError),
                (roce, Outcome::PuntRoce),
            ],
            outcome(Outcome::Net0),
        )
        .delay();
        let sourceless = three_later(no_source);

        // Clock 5: everything but IPv4 behind its header; IPv4's layer 4 and source apart.
        let early = (accounted | tag_fault | no_rule | six | header_fault).delay();
        let early_unmatched = (!accounted & !tag_fault & (no_rule | (six & !six_malformed & six_local))).delay();
        let six_outcome = mux(six_malformed, outcome(Outcome::MalformedIpv6), outcome(Outcome::NatSource));
        let ip_outcome = mux(six, six_outcome, header_outcome);
        let early_outcome = mux(accounted, account, mux(tag_fault, outcome(Outcome::MalformedEth), ip_outcome)).delay();
        let late_unmatched = (!l4_fault & sourceless).delay();
        let late_mapped = (!l4_fault & !sourceless).delay();
        let late_outcome = mux(l4_fault, l4_outcome, mapped_outcome).delay();

        // Clock 7, when the checksum is known: one answer.
        let (early6, early_unmatched6, early_outcome6) =
            (early.delay(), early_unmatched.delay(), early_outcome.delay());
        let (late_unmatched6, late_mapped6, late_outcome6) =
            (late_unmatched.delay(), late_mapped.delay(), late_outcome.delay());
        let good = io.checksum_good;
        let ipv4_outcome = mux(good, late_outcome6, outcome(Outcome::MalformedIpv4Checksum));
        let final_outcome = mux(early6, early_outcome6, ipv4_outcome).delay();
        let unmatched = mux(early6, early_unmatched6, good & late_unmatched6).delay();
        let mapped = (!early6 & good & late_mapped6).delay();

        let place = Place {
            tagged: h.ethernet.tagged.delay_by(LATENCY),
            double: h.ethernet.double.delay_by(LATENCY),
            source: h.source.delay_by(LATENCY),
            ipv4_checksum: h.ipv4_checksum.delay_by(LATENCY),
            l4: l4_updated.delay_by(LATENCY - 3),
            udp: udp.delay_by(LATENCY - 1),
            l4_half: l4_half.delay_by(LATENCY - 2),
            l4_checksum: l4_checksum.delay_by(LATENCY - 1),
        };
        let classified = Classified {
            valid: (0..LATENCY).fold(h.valid, |v, _| v.delay_reset(0)),
            extent: later("extent", &h.end.extent, LATENCY),
            accounted: accounted.delay_by(LATENCY - 4),
            unmatched,
            mapped,
            outcome: final_outcome,
            place,
        };
        assign(&io.classified, &classified);
    }
}
