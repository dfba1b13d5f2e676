//! What is to be done with a frame.

use super::{Direction, Extent, Size};
use crate::outcome::Outcome;
use hdl::Bundle;

/// What is to be done with a frame: what the reading side works from.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, direction: Direction)]
pub struct Action<S> {
    /// A frame is there.
    pub valid: S,
    /// Code of the outcome; it names the output.
    #[width(Outcome::WIDTH)]
    pub outcome: S,
    /// The frame is counted as its function's.
    pub function_known: S,
    /// How much of the frame there is.
    #[shape(Extent::shape(size))]
    pub extent: Extent<S>,
    /// What is written over the frame.
    #[shape(Rewrite::shape(size, direction))]
    pub rewrite: Rewrite<S>,
}

/// What is written over a frame, and where. Places are half-words from the frame's beginning (byte by 2). N is the
/// length of the Ethernet header with its tags: 14, 18 or 22.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, direction: Direction)]
pub struct Rewrite<S> {
    /// Write `address` at N + 12 (out) or N + 16 (in), and `ipv4_checksum` at N + 10; without it nothing is written.
    pub translate: S,
    /// One tag at least: IPv4 begins at byte 18 or 22, not 14.
    pub tagged: S,
    /// Two tags: IPv4 begins at byte 22.
    pub double: S,
    /// Address to write.
    #[width(32)]
    pub address: S,
    /// IPv4 header checksum to write.
    #[width(16)]
    pub ipv4_checksum: S,
    /// Write `l4_checksum` (TCP, UDP, or ICMP of an error message) at `l4_half`.
    pub l4: S,
    /// Its place.
    #[width(6)]
    pub l4_half: S,
    /// Layer 4 checksum to write.
    #[width(16)]
    pub l4_checksum: S,
    /// An ICMP error: write `address` at 16 (out) or 12 (in) bytes behind `quoted_half`, and `quoted_checksum` at 10.
    pub quoted: S,
    /// Place of the quoted IPv4 header.
    #[width(6)]
    pub quoted_half: S,
    /// Quoted IPv4 header checksum to write.
    #[width(16)]
    pub quoted_checksum: S,
    /// Write `quoted_l4_checksum` at `quoted_l4_half`.
    pub quoted_l4: S,
    /// Its place.
    #[width(6)]
    pub quoted_l4_half: S,
    /// Quoted layer 4 checksum to write.
    #[width(16)]
    pub quoted_l4_checksum: S,
    /// Write `eth_dst` at byte 0 and, on the way out, `eth_src` at byte 6.
    pub next_hop: S,
    /// Ethernet destination address to write; the first byte on the wire is the most significant.
    #[width(48)]
    pub eth_dst: S,
    /// Ethernet source address to write; on the way out only.
    #[present(direction.is_tx())]
    #[width(48)]
    pub eth_src: Option<S>,
    /// Write `ttl` at N + 8.
    pub route: S,
    /// Time to live to write.
    #[width(8)]
    pub ttl: S,
    /// A RoCEv2 datagram: put what the address changes the ICRC by (it comes later) on the one at `icrc_word`.
    #[present(size.has_roce())]
    pub icrc: Option<S>,
    /// Its place: the ICRC begins with the second half-word of this word (four bytes) of the frame.
    #[present(size.has_roce())]
    #[width(size.icrc_w)]
    pub icrc_word: Option<S>,
}
