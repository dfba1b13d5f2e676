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
//!    4 header that does not fit, an ICMP error whose quoted header does not fit, on the way out source 0.0.0.0 (no
//!    rule); then, if the address is mapped, AH, UDP-Lite and DCCP, ICMP errors with a quoted header that cannot be
//!    followed and RoCEv2 whose ICRC cannot be patched (punted), all else (translated); over IPv6: malformed; on the way
//!    out neighbour discovery, MLD and sources without a network (no rule), all else (no mapping); on the way in no rule.
//! 2. No length wraps: every difference has its borrow, every sum its carry.
//! 3. Layer 4 lengths count in whole datagrams only; layer 4 headers are there in whole datagrams and first fragments.
//! 4. Of RoCEv2 whole datagrams are translated whose lengths leave no doubt where the ICRC is: UDP's is IPv4's, a whole
//!    number of words, and enough for a UDP header, a base transport header and the ICRC; if there is hardware for it.
//! 5. A condition that reads a field stands behind the one that says whether the field is there.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/rx_classify` | LFE5UM5G-45F-8 | 366 | 224 | 0 | 263 / 281 / 301 | 162.5 |
//! | `ecp5/tx_classify` | LFE5UM5G-45F-8 | 433 | 255 | 0 | 229 / 268 / 280 | 162.5 |

use crate::{
    outcome::Outcome,
    packet::{
        Direction, Extent, Headers, Size, first_of,
        number::{ICMP_ERRORS, LEAST_ROCE, ROCE_PORT, protocol},
        outcome,
    },
    parse::CHECKSUM_AFTER,
};
use hdl::*;

/// Clocks from `headers_valid` to `classified_valid`.
pub const LATENCY: u32 = CHECKSUM_AFTER + 1;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Classify {
    /// Sizes of the path.
    pub size: Size,
    /// Which way the path goes.
    pub direction: Direction,
}

/// What a frame is, whatever the tables say.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct Classified<S> {
    /// A frame is there.
    pub valid: S,
    /// `outcome` stands whatever the tables say (bad frame, oversize, runt).
    pub accounted: S,
    /// The frame is one that there is no rule for.
    pub unmatched: S,
    /// The address needs a mapping; with one, `outcome` stands (net0 stands for every way forward).
    pub mapped: S,
    /// Code of the outcome; with neither of the flags above it is a drop.
    #[width(Outcome::WIDTH)]
    pub outcome: S,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, direction: Direction)]
pub struct ClassifyIo<S> {
    /// Fields of the headers.
    #[input]
    #[shape(Headers::shape(size, direction))]
    pub headers: Headers<S>,
    /// The IPv4 header checksum is right; [`CHECKSUM_AFTER`] clocks after `headers_valid`.
    #[input]
    pub checksum_good: S,
    /// The judgement.
    #[output]
    pub classified: Classified<S>,
}

/// Is it an ICMPv6 type of neighbour discovery or MLD (130 to 137, 143)?
fn local_icmpv6(kind: Bits) -> Bits {
    (130..=137).chain([143]).fold(lit(1, 0), |any, k| any | kind.eq(k))
}

/// Is it a protocol whose checksum covers the addresses in a way that the EM does not follow?
fn is_opaque(number: Bits) -> Bits {
    number.eq(protocol::AH) | number.eq(protocol::UDP_LITE) | number.eq(protocol::DCCP)
}

/// Bytes of the frame less than `bytes`? (`beats` and `lane` side by side are the frame's bytes, and a beat less one.)
fn shorter(size: Size, extent: &Extent<Bits>, bytes: u32) -> Bits {
    cat([extent.beats, extent.lane]).lt(u64::from(bytes + size.lanes() - 1))
}

/// 1 bit, two clocks later: the source is none that a network could have given (`::`, fe80::/10), or the frame is
/// neighbour discovery or MLD. Of IPv6 on the way out.
#[names]
fn stays_local(h: &Headers<Bits>, some_behind: Bits, nine_behind: Bits) -> Bits {
    let here = |field: Option<Bits>| field.expect("fields of IPv6 are caught on the way out");
    let link_local = here(h.source6_prefix).eq(0xFE80 >> 6);
    let unspecified = here(h.source6_high_zero) & here(h.source6_low_zero);
    let no_network = (unspecified | link_local).delay();
    let icmpv6 = h.next_header.eq(protocol::ICMPV6).delay();
    let behind = here(h.behind);
    let local_behind = local_icmpv6(behind.slice(8..16)).delay();
    let hop_by_hop = (h.next_header.eq(protocol::HOP_BY_HOP) & behind.eq(protocol::ICMPV6 << 8)).delay();
    let local_behind_options = local_icmpv6(here(h.behind_options)).delay();
    let neighbour_type = (icmpv6 & local_behind).delay();
    let listener_type = (hop_by_hop & local_behind_options).delay();
    (neighbour_type & some_behind) | (listener_type & nine_behind) | no_network.delay()
}

impl Block for Classify {
    type Io<S> = ClassifyIo<S>;

    fn name(&self) -> String {
        format!("{}_classify", self.direction.name())
    }

    fn doc(&self) -> String {
        "Judges a frame by its headers alone.".into()
    }

    fn io(&self) -> ClassifyIo<Shape> {
        ClassifyIo::shape(self.size, self.direction)
    }

    #[names]
    fn build(&self, io: &ClassifyIo<Bits>) {
        let h = &io.headers;
        let size = self.size;
        let tx = self.direction.is_tx();

        // Clock 1: differences, sums, and everything that looks at one field.
        let ends_at = cat([h.end.extent.beats, h.end.extent.lane]);
        let header_end = |bytes: u32| lit(8, u128::from(bytes + size.lanes() - 1));
        let before = mux(h.ethernet.tagged, mux(h.ethernet.double, header_end(22), header_end(18)), header_end(14));
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
        let opaque = is_opaque(h.protocol).delay();
        let error_type = ICMP_ERRORS.into_iter().fold(lit(1, 0), |any, t| any | h.icmp_type.eq(t)).delay();
        let quote_malformed = (h.quoted.version.ne(4) | h.quoted.ihl.lt(5)).delay();
        let quote_options = h.quoted.ihl.gt(5).delay();
        let quote_opaque = is_opaque(h.quoted.protocol).delay();
        let address_bytes = h.address.chunks(8).into_iter().zip(h.quoted.address.chunks(8));
        let same_bytes = cat(address_bytes.map(|(a, b)| a.eq(b)).collect::<Vec<_>>()).delay();
        let roce_port = h.udp_port.eq(ROCE_PORT).delay();
        let no_address = h.address.eq(0).delay();
        let tag_cut_off = (h.ethernet.tagged & shorter(size, &h.end.extent, 18)).delay();
        let second_cut_off = (h.ethernet.tagged & h.ethernet.double & shorter(size, &h.end.extent, 22)).delay();
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
        let payload_below_28 = payload4.lt(28).delay();
        let udp_misfit = (udp_length.lt(8) | udp_length.gt(payload4)).delay();
        let tcp_misfit = (tcp_short | tcp_header.zext(16).gt(payload4)).delay();
        let icrc_misfit =
            (udp_length.ne(payload4) | payload4.lt(u64::from(LEAST_ROCE)) | payload4.trunc(2).any()).delay();
        let some_behind = payload6.ne(0).delay();
        let nine_behind = payload6.ge(9).delay();
        let same_address = same_bytes.all().delay();

        // Clock 3: what is wrong with layer 4, what has no rule.
        let at3 = |one: Bits| one.delay();
        let udp_first = at3(has_l4 & udp);
        let udp_whole = at3(whole & udp);
        let tcp_first = at3(has_l4 & tcp);
        let tcp_whole = at3(whole & tcp);
        let icmp_first = at3(has_l4 & icmp);
        let icmp_quotes = at3(has_l4 & icmp & error_type);
        let bad_udp = ((udp_first & payload_below_8) | (udp_whole & udp_misfit)).delay();
        let bad_tcp = ((tcp_first & payload_below_20) | (tcp_whole & tcp_misfit)).delay();
        let bad_quote = icmp_quotes & (payload_below_28 | at3(quote_malformed));
        let bad_icmp = ((icmp_first & payload_below_8) | bad_quote).delay();
        let malformed6 = (cut_off6 | beyond6 | at3(not_version6)).delay();
        let odd_quote = at3(quote_options | quote_opaque);
        let quote_outcome = first_of(
            &[(at3(quote_options), Outcome::PuntIcmpQuoteOptions), (at3(quote_opaque), Outcome::PuntUnsupportedL4)],
            outcome(Outcome::PuntIcmpQuoteAddress),
        )
        .delay();
        let quote_punted = (icmp_quotes & (odd_quote | !same_address)).delay();
        let icrc_patched = if size.has_roce() { udp_whole & !icrc_misfit } else { lit(1, 0) };
        let roce_punted = (udp_first & at3(roce_port) & !icrc_patched).delay();

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
        let six_unmatched = if tx { stays_local(h, some_behind, nine_behind).delay_by(2) } else { lit(1, 1) };
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
        let forward = mux(roce_punted, outcome(Outcome::PuntRoce), outcome(Outcome::Net0));
        let followed = mux(quote_punted, quote_outcome, forward);
        let mapped_outcome = mux(two_later(opaque), outcome(Outcome::PuntUnsupportedL4), followed).delay();
        let addressless = if tx { three_later(no_address) } else { lit(1, 0) };

        // Clock 5: everything but IPv4 behind its header; IPv4's layer 4 and address apart.
        let early = (accounted | tag_fault | no_rule | six | header_fault).delay();
        let early_unmatched = (!accounted & !tag_fault & (no_rule | (six & !six_malformed & six_unmatched))).delay();
        let six_outcome = mux(six_malformed, outcome(Outcome::MalformedIpv6), outcome(Outcome::NatSource));
        let ip_outcome = mux(six, six_outcome, header_outcome);
        let early_outcome = mux(accounted, account, mux(tag_fault, outcome(Outcome::MalformedEth), ip_outcome)).delay();
        let late_unmatched = (!l4_fault & addressless).delay();
        let late_mapped = (!l4_fault & !addressless).delay();
        let late_outcome = mux(l4_fault, l4_outcome, mapped_outcome).delay();

        // Clock 7, when the checksum is known: one answer.
        let (early6, early_unmatched6, early_outcome6) =
            (early.delay(), early_unmatched.delay(), early_outcome.delay());
        let (late_unmatched6, late_mapped6, late_outcome6) =
            (late_unmatched.delay(), late_mapped.delay(), late_outcome.delay());
        let good = io.checksum_good;
        let ipv4_outcome = mux(good, late_outcome6, outcome(Outcome::MalformedIpv4Checksum));
        let classified = Classified {
            valid: (0..LATENCY).fold(h.valid, |v, _| v.delay_reset(0)),
            accounted: accounted.delay_by(LATENCY - 4),
            unmatched: mux(early6, early_unmatched6, good & late_unmatched6).delay(),
            mapped: (!early6 & good & late_mapped6).delay(),
            outcome: mux(early6, early_outcome6, ipv4_outcome).delay(),
        };
        assign(&io.classified, &classified);
        self.ignore_rest(h);
        if !size.has_roce() {
            icrc_misfit.ignore();
        }
        if !tx {
            no_address.ignore();
            some_behind.ignore();
            nine_behind.ignore();
            h.next_header.ignore();
        }
    }
}

impl Classify {
    /// Fields that only the tables or the rewrite look at.
    fn ignore_rest(&self, h: &Headers<Bits>) {
        let others = [h.ttl, h.ipv4_checksum, h.udp_checksum, h.tcp_checksum, h.icmp_checksum];
        let ends = [h.end.egress, h.end.extent.port, h.end.extent.function];
        let quoted = [h.quoted.fragment_offset, h.quoted.checksum, h.quoted.udp_checksum, h.quoted.tcp_checksum];
        others.into_iter().chain(ends).chain(quoted).chain(h.eth_dst).for_each(Bits::ignore);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_elaborates_at_every_width_and_both_ways() {
        for (data_w, beats_w) in [(64, 9), (128, 10), (256, 9), (512, 8)] {
            for direction in [Direction::Tx, Direction::Rx] {
                let size = Size { data_w, beats_w, icrc_w: 12 };
                elaborate(&Classify { size, direction }).unwrap_or_else(|e| panic!("{direction:?} {data_w}: {e}"));
            }
        }
    }
}
