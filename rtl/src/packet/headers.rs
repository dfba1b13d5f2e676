//! What the parser finds in a frame.

use super::{Direction, FrameEnd, Size};
use hdl::Bundle;

/// What the Ethernet header says, valid when the frame is long enough for it.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct Ethernet<S> {
    /// A tag follows the addresses.
    pub tagged: S,
    /// A second tag follows the first (only if `tagged`).
    pub double: S,
    /// A third tag follows the second (only if `double`).
    pub triple: S,
    /// The type behind the tags is IPv4's.
    pub ipv4: S,
    /// The type behind the tags is IPv6's.
    pub ipv6: S,
}

/// A beat's width of what follows the Ethernet header, wherever that ends. Word `i` has bytes `LANES` i to
/// `LANES` i + `LANES` - 1 of it.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, direction: Direction)]
pub struct Word<S> {
    /// The frame is over: `end` and `ethernet` stand, and no later word belongs to it.
    pub valid: S,
    /// One bit a word that has fields at fixed places: the data are this word.
    #[width(size.fixed_words(direction))]
    pub at: S,
    /// The data are the word behind the last one, and not word 0.
    pub next: S,
    /// The bytes, the first in the low lane. Lanes beyond the frame hold anything.
    #[width(size.data_w)]
    pub data: S,
    /// IPv4 header length in words, from word 0 on.
    #[width(4)]
    pub ihl: S,
    /// Ethernet destination address; of interest on the way in only.
    #[present(!direction.is_tx())]
    #[width(48)]
    pub eth_dst: Option<S>,
    /// What the Ethernet header says.
    pub ethernet: Ethernet<S>,
    /// The frame as a whole.
    #[shape(FrameEnd::shape(size))]
    pub end: FrameEnd<S>,
}

/// Fields of the headers. Each means something only if the lengths say that it is there.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, direction: Direction)]
pub struct Headers<S> {
    /// A frame's headers are there.
    pub valid: S,
    /// The frame as a whole.
    #[shape(FrameEnd::shape(size))]
    pub end: FrameEnd<S>,
    /// Ethernet destination address; on the way in only.
    #[present(!direction.is_tx())]
    #[width(48)]
    pub eth_dst: Option<S>,
    /// What the Ethernet header says.
    pub ethernet: Ethernet<S>,
    /// IP version.
    #[width(4)]
    pub version: S,
    /// IPv4 header length in words.
    #[width(4)]
    pub ihl: S,
    /// IPv4 total length.
    #[width(16)]
    pub total_length: S,
    /// IPv4 flag MF.
    pub more_fragments: S,
    /// IPv4 fragment offset.
    #[width(13)]
    pub fragment_offset: S,
    /// IPv4 time to live.
    #[width(8)]
    pub ttl: S,
    /// IPv4 protocol.
    #[width(8)]
    pub protocol: S,
    /// IPv4 header checksum.
    #[width(16)]
    pub ipv4_checksum: S,
    /// The IPv4 address that is translated: the source on the way out, the destination on the way in.
    #[width(32)]
    pub address: S,
    /// UDP destination port.
    #[width(16)]
    pub udp_port: S,
    /// UDP length.
    #[width(16)]
    pub udp_length: S,
    /// UDP checksum.
    #[width(16)]
    pub udp_checksum: S,
    /// TCP data offset in words.
    #[width(4)]
    pub data_offset: S,
    /// TCP checksum.
    #[width(16)]
    pub tcp_checksum: S,
    /// ICMP type.
    #[width(8)]
    pub icmp_type: S,
    /// ICMP checksum.
    #[width(16)]
    pub icmp_checksum: S,
    /// The datagram behind the ICMP header.
    pub quoted: Quoted<S>,
    /// IPv6 payload length.
    #[width(16)]
    pub payload_length: S,
    /// IPv6 next header.
    #[width(8)]
    pub next_header: S,
    /// First ten bits of the IPv6 source; on the way out only, as the rest.
    #[present(direction.is_tx())]
    #[width(10)]
    pub source6_prefix: Option<S>,
    /// The first half of the IPv6 source is zero.
    #[present(direction.is_tx())]
    pub source6_high_zero: Option<S>,
    /// The second half of the IPv6 source is zero.
    #[present(direction.is_tx())]
    pub source6_low_zero: Option<S>,
    /// First two bytes behind the IPv6 header: ICMPv6 type, or next header and length of hop-by-hop options.
    #[present(direction.is_tx())]
    #[width(16)]
    pub behind: Option<S>,
    /// Ninth byte behind the IPv6 header: ICMPv6 type behind hop-by-hop options of eight bytes.
    #[present(direction.is_tx())]
    #[width(8)]
    pub behind_options: Option<S>,
}

/// Fields of the IPv4 datagram that an ICMP error quotes, eight bytes behind the ICMP header's beginning; layer 4 as
/// behind a header of five words.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct Quoted<S> {
    /// IP version.
    #[width(4)]
    pub version: S,
    /// Header length in words.
    #[width(4)]
    pub ihl: S,
    /// Fragment offset.
    #[width(13)]
    pub fragment_offset: S,
    /// Protocol.
    #[width(8)]
    pub protocol: S,
    /// Header checksum.
    #[width(16)]
    pub checksum: S,
    /// The address that must be the frame's translated one: the quoted destination on the way out, the quoted source on
    /// the way in.
    #[width(32)]
    pub address: S,
    /// UDP checksum.
    #[width(16)]
    pub udp_checksum: S,
    /// TCP checksum.
    #[width(16)]
    pub tcp_checksum: S,
}
