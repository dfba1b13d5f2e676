//! From bytes to what NAT has to know; every fault of a header.

use crate::DropReason;
use crate::sum;

/// Bytes of an Ethernet header without tags.
pub(crate) const ETHERNET: usize = 14;
const TPIDS: [u16; 2] = [0x8100, 0x88a8];
const TAGS_MOST: usize = 2;

pub(crate) const ICMP: u8 = 1;
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;
const ICMPV6: u8 = 58;
/// DCCP, AH and UDP-Lite.
pub(crate) const UNSUPPORTED: [u8; 3] = [33, 51, 136];

/// What follows the Ethernet header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Network {
    /// Nothing that NAT has a rule for.
    Other,
    Ipv4(Ipv4),
    /// `own_link`: neighbour discovery, MLD or a source that never leaves its link.
    Ipv6 {
        own_link: bool,
    },
}

/// Which part of its datagram an IPv4 packet is (RFC 791 section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The whole of it.
    Whole,
    /// The first fragment.
    First,
    /// Any other fragment, which has no L4 header.
    Later,
}

/// An IPv4 packet whose lengths are sound.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ipv4 {
    /// Offset of the header in the frame.
    pub start: usize,
    /// Offset of the payload in the frame.
    pub payload: usize,
    /// Offset of the first byte behind the payload, padding or the frame's end.
    pub end: usize,
    pub source: [u8; 4],
    pub destination: [u8; 4],
    pub ttl: u8,
    pub protocol: u8,
    pub piece: Piece,
}

impl Ipv4 {
    /// Bytes of payload.
    pub fn payload_len(&self) -> usize {
        self.end - self.payload
    }

    /// Whether the packet has an L4 header of `protocol`.
    pub fn carries(&self, protocol: u8) -> bool {
        self.protocol == protocol && self.piece != Piece::Later
    }
}

/// The big-endian pair at `at`.
pub(crate) fn pair(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// Steps 7 to 20 and 30 to 33. `frame` has an Ethernet header.
pub(crate) fn network(frame: &[u8]) -> Result<Network, DropReason> {
    let mut at = ETHERNET - 2;
    let mut tags = 0;
    while TPIDS.contains(&pair(frame, at)) {
        if tags == TAGS_MOST {
            return Ok(Network::Other);
        }
        tags += 1;
        at += 4;
        if frame.len() < at + 2 {
            return Err(DropReason::MalformedEth);
        }
    }
    match pair(frame, at) {
        0x0800 => ipv4(frame, at + 2).map(Network::Ipv4),
        0x86dd => ipv6(&frame[at + 2..]),
        _ => Ok(Network::Other),
    }
}

fn ipv4(frame: &[u8], start: usize) -> Result<Ipv4, DropReason> {
    let packet = &frame[start..];
    let Some(header) = packet.first_chunk::<20>() else { return Err(DropReason::MalformedIpv4Length) };
    let (version, ihl) = (header[0] / 16, usize::from(header[0] % 16));
    if version != 4 {
        return Err(DropReason::MalformedIpv4Version);
    }
    if ihl < 5 {
        return Err(DropReason::MalformedIhl);
    }
    let total = usize::from(pair(header, 2));
    let Some(packet) = packet.get(..total) else { return Err(DropReason::MalformedIpv4Length) };
    let Some((header, payload)) = packet.split_at_checked(4 * ihl) else {
        return Err(DropReason::MalformedIpv4Length);
    };
    if !sum::is_right(sum::words(header)) {
        return Err(DropReason::MalformedIpv4Checksum);
    }
    let fragment = pair(header, 6) % 0x4000;
    let piece = match (fragment / 0x2000 == 1, fragment % 0x2000) {
        (false, 0) => Piece::Whole,
        (true, 0) => Piece::First,
        _ => Piece::Later,
    };
    if piece != Piece::Later {
        layer4(header[9], payload, piece == Piece::Whole)?;
    }
    Ok(Ipv4 {
        start,
        payload: start + header.len(),
        end: start + total,
        source: [header[12], header[13], header[14], header[15]],
        destination: [header[16], header[17], header[18], header[19]],
        ttl: header[8],
        protocol: header[9],
        piece,
    })
}

/// Steps 16 to 20: `payload` starts with an L4 header; `whole`: nothing follows in another fragment.
fn layer4(protocol: u8, payload: &[u8], whole: bool) -> Result<(), DropReason> {
    let room = payload.len();
    match protocol {
        UDP if room < 8 => Err(DropReason::MalformedUdp),
        UDP if whole && !(8..=room).contains(&usize::from(pair(payload, 4))) => Err(DropReason::MalformedUdp),
        TCP if room < 20 => Err(DropReason::MalformedTcp),
        TCP if whole && !(20..=room).contains(&(usize::from(payload[12] / 16) * 4)) => Err(DropReason::MalformedTcp),
        ICMP if room < 8 => Err(DropReason::MalformedIcmp),
        _ => Ok(()),
    }
}

/// Steps 30 to 33.
fn ipv6(packet: &[u8]) -> Result<Network, DropReason> {
    let Some((header, rest)) = packet.split_first_chunk::<40>() else { return Err(DropReason::MalformedIpv6) };
    if header[0] / 16 != 6 {
        return Err(DropReason::MalformedIpv6);
    }
    let Some(payload) = rest.get(..usize::from(pair(header, 4))) else { return Err(DropReason::MalformedIpv6) };
    let icmp = match (header[6], payload) {
        (ICMPV6, [kind, ..]) => Some(*kind),
        // A hop-by-hop header of 8 bytes.
        (0, [ICMPV6, 0, _, _, _, _, _, _, kind, ..]) => Some(*kind),
        _ => None,
    };
    let source = &header[8..24];
    let link_local = source[0] == 0xfe && source[1] & 0xc0 == 0x80;
    let unspecified = source.iter().all(|&byte| byte == 0);
    Ok(Network::Ipv6 { own_link: matches!(icmp, Some(130..=137 | 143)) || link_local || unspecified })
}
