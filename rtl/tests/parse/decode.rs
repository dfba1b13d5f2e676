//! What a parser must find in a frame, read from its bytes.

use em_rtl::packet::Direction;

/// Name of a field in `Headers`, and its value: only of those that the frame has.
pub type Fields = Vec<(&'static str, u64)>;

/// A part of a frame that begins somewhere.
#[derive(Clone, Copy)]
struct Part<'a>(&'a [u8]);

impl Part<'_> {
    fn number(self, at: usize, bytes: usize) -> Option<u64> {
        let bytes = self.0.get(at..at + bytes)?;
        Some(bytes.iter().fold(0, |n, b| n << 8 | u64::from(*b)))
    }

    fn bits(self, at: usize, bytes: usize, low: u32, width: u32) -> Option<u64> {
        Some(self.number(at, bytes)? >> low & ((1 << width) - 1))
    }

    fn behind(self, at: usize) -> Self {
        Part(self.0.get(at..).unwrap_or(&[]))
    }
}

/// Every field that the frame is long enough for, wherever IPv4, IPv6, UDP, TCP or ICMP would have it.
pub fn fields(frame: &[u8], direction: Direction) -> Fields {
    let tx = direction == Direction::Tx;
    let whole = Part(frame);
    let mut fields = Fields::new();
    let mut add = |name: &'static str, value: Option<u64>| fields.extend(value.map(|v| (name, v)));

    // Ethernet: at most two tags are skipped.
    let tag = |at: usize| whole.number(at, 2).map(|kind| kind == 0x8100 || kind == 0x88A8);
    let tagged = tag(12);
    let double = tagged.and_then(|is| if is { tag(16) } else { None });
    let triple = double.and_then(|is| if is { tag(20) } else { None });
    let begins = match (tagged, double) {
        (Some(true), Some(true)) => 22,
        (Some(true), _) => 18,
        _ => 14,
    };
    let kind = whole.number(begins - 2, 2);
    add("ethernet_tagged", tagged.map(u64::from));
    add("ethernet_double", double.map(u64::from));
    add("ethernet_triple", triple.map(u64::from));
    add("ethernet_ipv4", kind.map(|k| u64::from(k == 0x0800)));
    add("ethernet_ipv6", kind.map(|k| u64::from(k == 0x86DD)));
    if !tx {
        // A frame without it is a runt.
        add("eth_dst", if frame.len() >= 14 { whole.number(0, 6) } else { None });
    }

    let ip = whole.behind(begins);
    let (own, other) = if tx { (12, 16) } else { (16, 12) };
    add("version", ip.bits(0, 1, 4, 4));
    add("ihl", ip.bits(0, 1, 0, 4));
    add("total_length", ip.number(2, 2));
    add("more_fragments", ip.bits(6, 2, 13, 1));
    add("fragment_offset", ip.bits(6, 2, 0, 13));
    add("ttl", ip.number(8, 1));
    add("protocol", ip.number(9, 1));
    add("ipv4_checksum", ip.number(10, 2));
    add("address", ip.number(own, 4));
    add("payload_length", ip.number(4, 2));
    add("next_header", ip.number(6, 1));
    if tx {
        let zero = |at: usize| ip.number(at, 8).map(|n| u64::from(n == 0));
        add("source6_prefix", ip.bits(8, 2, 6, 10));
        add("source6_high_zero", zero(8));
        add("source6_low_zero", zero(16));
        add("behind", ip.number(40, 2));
        add("behind_options", ip.number(48, 1));
    }

    // Layer 4 needs an IPv4 header of a possible length.
    let Some(ihl) = ip.bits(0, 1, 0, 4).filter(|ihl| *ihl >= 5) else { return fields };
    let mut add = |name: &'static str, value: Option<u64>| fields.extend(value.map(|v| (name, v)));
    let l4 = ip.behind(4 * ihl as usize);
    add("udp_port", l4.number(2, 2));
    add("udp_length", l4.number(4, 2));
    add("udp_checksum", l4.number(6, 2));
    add("data_offset", l4.bits(12, 1, 4, 4));
    add("tcp_checksum", l4.number(16, 2));
    add("icmp_type", l4.number(0, 1));
    add("icmp_checksum", l4.number(2, 2));
    let quoted = l4.behind(8);
    add("quoted_version", quoted.bits(0, 1, 4, 4));
    add("quoted_ihl", quoted.bits(0, 1, 0, 4));
    add("quoted_fragment_offset", quoted.bits(6, 2, 0, 13));
    add("quoted_protocol", quoted.number(9, 1));
    add("quoted_checksum", quoted.number(10, 2));
    add("quoted_address", quoted.number(other, 4));
    let quoted_l4 = quoted.behind(20);
    add("quoted_udp_checksum", quoted_l4.number(6, 2));
    add("quoted_tcp_checksum", quoted_l4.number(16, 2));
    fields
}

/// Is the IPv4 header's checksum right? None: no header of a possible length is there.
pub fn checksum_is_good(frame: &[u8]) -> Option<bool> {
    let found = fields(frame, Direction::Tx);
    let get = |name: &str| found.iter().find(|f| f.0 == name).map(|f| f.1);
    if get("ethernet_ipv4") != Some(1) {
        return None;
    }
    let ihl = get("ihl").filter(|ihl| *ihl >= 5)? as usize;
    let depth = get("ethernet_tagged")? + get("ethernet_double").unwrap_or(0);
    let begins = 14 + 4 * depth as usize;
    let header = frame.get(begins..begins + 4 * ihl)?;
    let mut sum: u64 = header.chunks(2).map(|c| u64::from(u16::from_be_bytes([c[0], c[1]]))).sum();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    Some(sum == 0xFFFF)
}
