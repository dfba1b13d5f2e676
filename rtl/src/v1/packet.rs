//! What the stages of the packet path hand to each other, and the numbers of the protocols they know.
//!
//! Half-words and words of a header are in network order: the first byte on the wire is the most significant.

use crate::outcome::Outcome;
use hdl::{Bits, Bundle, cat, mux, reg};

/// Bits of a beat.
pub const DATA_W: u32 = 128;
/// Bytes of a beat.
pub const LANES: u32 = DATA_W / 8;
/// Bits that number a lane.
pub const LANE_W: u32 = 4;
/// Bits of a function number.
pub const FUNCTION_W: u32 = 16;

/// Words of sixteen bytes that the parser looks at: the TCP checksum behind an IPv4 header of 60 bytes ends at byte 78.
pub const WORDS: u32 = 5;

/// EtherTypes (IEEE 802 numbers).
pub mod ethertype {
    /// IPv4.
    pub const IPV4: u64 = 0x0800;
    /// IPv6.
    pub const IPV6: u64 = 0x86DD;
    /// 802.1Q tag.
    pub const VLAN: u64 = 0x8100;
    /// 802.1ad service tag.
    pub const SERVICE_VLAN: u64 = 0x88A8;
}

/// Protocol numbers of IPv4 and next headers of IPv6 (IANA).
pub mod protocol {
    /// IPv6 hop-by-hop options.
    pub const HOP_BY_HOP: u64 = 0;
    /// ICMP.
    pub const ICMP: u64 = 1;
    /// TCP.
    pub const TCP: u64 = 6;
    /// UDP.
    pub const UDP: u64 = 17;
    /// DCCP.
    pub const DCCP: u64 = 33;
    /// Authentication header.
    pub const AH: u64 = 51;
    /// ICMPv6.
    pub const ICMPV6: u64 = 58;
    /// UDP-Lite.
    pub const UDP_LITE: u64 = 136;
}

/// UDP port of RoCEv2.
pub const ROCE_PORT: u64 = 4791;

/// How much of a frame there is and whose it is: what goes with it unchanged to the end.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct Extent<S> {
    /// Beats of it in the frame buffer; 1 or more.
    #[width(beats_w)]
    pub beats: S,
    /// Last valid lane of the last beat.
    #[width(LANE_W)]
    pub lane: S,
    /// Function that sent it.
    #[width(FUNCTION_W)]
    pub function: S,
}

/// What is known of a frame when its last beat is in.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct FrameEnd<S> {
    /// How much of it there is.
    #[shape(Extent::shape(beats_w))]
    pub extent: Extent<S>,
    /// `tuser` said bad.
    pub bad: S,
    /// Longer than the maximum; the buffer holds only its beginning.
    pub oversize: S,
    /// Shorter than an Ethernet header.
    pub runt: S,
}

/// A beat on its way past the parser. Never stalled; gaps are clocks without `valid`.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct Beat<S> {
    /// The beat is there.
    pub valid: S,
    /// First of its frame.
    pub first: S,
    /// Last of its frame; only then `end` means anything.
    pub last: S,
    /// The bytes.
    #[width(DATA_W)]
    pub data: S,
    /// The frame as a whole.
    #[shape(FrameEnd::shape(beats_w))]
    pub end: FrameEnd<S>,
}

/// Read port of the frame buffer: data follow two clocks after the address.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(addr_w: u32)]
pub struct BufferRead<S> {
    /// Read.
    pub re: S,
    /// Beat's address.
    #[width(addr_w)]
    pub raddr: S,
    /// The beat.
    #[flip]
    #[width(DATA_W)]
    pub rdata: S,
}

/// What the reading side gives back to the writing side.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct Release<S> {
    /// Beats of the buffer that are free again.
    #[width(beats_w)]
    pub beats: S,
    /// A frame has left the queue of actions.
    pub frame: S,
}

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

/// Sixteen bytes of what follows the Ethernet header, wherever that ends.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct Word<S> {
    /// The frame is over: `end` and `ethernet` stand, and no later word belongs to it.
    pub valid: S,
    /// One bit a word: the data are this word of the header, bytes 16 i to 16 i + 15.
    #[width(WORDS)]
    pub at: S,
    /// The bytes, the first in the low lane. Lanes beyond the frame hold anything.
    #[width(DATA_W)]
    pub data: S,
    /// What the Ethernet header says.
    pub ethernet: Ethernet<S>,
    /// The frame as a whole.
    #[shape(FrameEnd::shape(beats_w))]
    pub end: FrameEnd<S>,
}

/// Fields of the headers. Each means something only if the lengths say that it is there.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct Headers<S> {
    /// A frame's headers are there.
    pub valid: S,
    /// The frame as a whole.
    #[shape(FrameEnd::shape(beats_w))]
    pub end: FrameEnd<S>,
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
    /// IPv4 protocol.
    #[width(8)]
    pub protocol: S,
    /// IPv4 header checksum.
    #[width(16)]
    pub ipv4_checksum: S,
    /// IPv4 source address.
    #[width(32)]
    pub source: S,
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
    /// IPv6 payload length.
    #[width(16)]
    pub payload_length: S,
    /// IPv6 next header.
    #[width(8)]
    pub next_header: S,
    /// First ten bits of the IPv6 source.
    #[width(10)]
    pub source6_prefix: S,
    /// The first half of the IPv6 source is zero.
    pub source6_high_zero: S,
    /// The second half of the IPv6 source is zero.
    pub source6_low_zero: S,
    /// First two bytes behind the IPv6 header: ICMPv6 type, or next header and length of hop-by-hop options.
    #[width(16)]
    pub behind: S,
    /// Ninth byte behind the IPv6 header: ICMPv6 type behind hop-by-hop options of eight bytes.
    #[width(8)]
    pub behind_options: S,
}

/// What a frame is, whatever its function; and what a rewrite of it needs.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct Classified<S> {
    /// A frame is there.
    pub valid: S,
    /// How much of it there is.
    #[shape(Extent::shape(beats_w))]
    pub extent: Extent<S>,
    /// `outcome` stands whatever the function says (bad frame, oversize, runt).
    pub accounted: S,
    /// The frame is one that the mode `nat` has no rule for.
    pub unmatched: S,
    /// The source needs a mapping; with one, `outcome` stands.
    pub mapped: S,
    /// Code of the outcome.
    #[width(Outcome::WIDTH)]
    pub outcome: S,
    /// What a rewrite needs.
    pub place: Place<S>,
}

/// Where a frame's address and checksums are, and what they were.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct Place<S> {
    /// One tag at least: IPv4 begins at byte 18 or 22, not 14.
    pub tagged: S,
    /// Two tags: IPv4 begins at byte 22.
    pub double: S,
    /// IPv4 source address.
    #[width(32)]
    pub source: S,
    /// IPv4 header checksum.
    #[width(16)]
    pub ipv4_checksum: S,
    /// The layer 4 checksum is there and covers the address.
    pub l4: S,
    /// It is UDP's.
    pub udp: S,
    /// Its place in half-words from the frame's beginning.
    #[width(6)]
    pub l4_half: S,
    /// The layer 4 checksum.
    #[width(16)]
    pub l4_checksum: S,
}

/// What is to be done with a frame: what the reading side works from.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct Action<S> {
    /// A frame is there.
    pub valid: S,
    /// Code of the outcome.
    #[width(Outcome::WIDTH)]
    pub outcome: S,
    /// How much of the frame there is.
    #[shape(Extent::shape(beats_w))]
    pub extent: Extent<S>,
    /// What is written over the frame.
    pub rewrite: Rewrite<S>,
}

/// What is written over a frame, and where: see [`Place`].
#[derive(Bundle, Clone, Copy, Debug)]
pub struct Rewrite<S> {
    /// Write the address and the checksums; otherwise the frame leaves as it came.
    pub translate: S,
    /// One tag at least.
    pub tagged: S,
    /// Two tags.
    pub double: S,
    /// Address to write.
    #[width(32)]
    pub address: S,
    /// IPv4 header checksum to write.
    #[width(16)]
    pub ipv4_checksum: S,
    /// Write the layer 4 checksum too.
    pub l4: S,
    /// Its place in half-words from the frame's beginning.
    #[width(6)]
    pub l4_half: S,
    /// Layer 4 checksum to write.
    #[width(16)]
    pub l4_checksum: S,
}

/// Half-word `i` of a beat or word, in network order.
pub fn half(data: Bits, i: u32) -> Bits {
    cat([data.byte(2 * i), data.byte(2 * i + 1)])
}

/// A bundle `n` clocks later. Leaves called `valid` are reset to 0, the others are not reset. Registers are named after
/// the bundle and the stage.
#[track_caller]
pub fn later<B: Bundle<Bits, With<Bits> = B> + Clone>(name: &str, bundle: &B, n: u32) -> B {
    let mut now = bundle.clone();
    for stage in 1..=n {
        now = now.map(|at, b| {
            let r = if at.name == "valid" { reg(b.width()).reset(0) } else { reg(b.width()) };
            r.set(*b);
            r.named(&format!("{name}{stage}_{}", at.name))
        });
    }
    now
}

/// A constant [`Outcome`].
pub fn outcome(o: Outcome) -> Bits {
    hdl::lit(Outcome::WIDTH, u128::from(o.code()))
}

/// The first outcome whose condition holds, else `otherwise`.
pub fn first_of(choices: &[(Bits, Outcome)], otherwise: Bits) -> Bits {
    choices.iter().rev().fold(otherwise, |rest, (cond, o)| mux(*cond, outcome(*o), rest))
}
