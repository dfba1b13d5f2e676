//! A header parser for untagged Ethernet and IPv4 in the first beat.

use hdl::*;

/// Fields of the first beat of a frame, all 64 bytes in one beat; latency 1 clock.
#[derive(Clone, Copy, Debug)]
pub struct Parser;

/// Header fields, in the standards' byte order.
#[derive(Bundle, Clone)]
pub struct Fields<S> {
    /// Destination MAC address.
    #[width(48)]
    pub dmac: S,
    /// Source MAC address.
    #[width(48)]
    pub smac: S,
    /// EtherType.
    #[width(16)]
    pub ethertype: S,
    /// IPv4 time to live.
    #[width(8)]
    pub ttl: S,
    /// IPv4 protocol.
    #[width(8)]
    pub proto: S,
    /// IPv4 header checksum.
    #[width(16)]
    pub csum: S,
    /// IPv4 source address.
    #[width(32)]
    pub sip: S,
    /// IPv4 destination address.
    #[width(32)]
    pub dip: S,
    /// IPv4 without options.
    pub is_ip4: S,
}

/// Ports.
#[derive(Bundle, Clone)]
pub struct ParserIo<S> {
    /// The beat, lane 0 first on the wire.
    #[input]
    #[width(512)]
    pub tdata: S,
    /// The beat is there.
    #[input]
    pub tvalid: S,
    /// It is the frame's first.
    #[input]
    pub sof: S,
    /// The fields of the latest first beat.
    #[output]
    #[shape(Fields::shape())]
    pub hdr: Fields<S>,
    /// They are new.
    #[output]
    pub hdr_valid: S,
}

impl Block for Parser {
    type Io<S> = ParserIo<S>;

    fn name(&self) -> String {
        "parser".into()
    }

    fn doc(&self) -> String {
        "Fields of an untagged Ethernet and IPv4 header.".into()
    }

    fn io(&self) -> ParserIo<Shape> {
        ParserIo::shape()
    }

    #[names]
    fn build(&self, io: &ParserIo<Bits>) {
        io.tdata.ignore();
        // A field of `n` bytes from byte `at` of the frame.
        let field = |at: u32, n: u32| io.tdata.slice(8 * at..8 * (at + n)).swap_bytes();
        let ethertype = field(12, 2);
        let version_ihl = field(14, 1);
        let found = Fields {
            dmac: field(0, 6),
            smac: field(6, 6),
            ethertype,
            ttl: field(22, 1),
            proto: field(23, 1),
            csum: field(24, 2),
            sip: field(26, 4),
            dip: field(30, 4),
            is_ip4: ethertype.eq(0x0800) & version_ihl.eq(0x45),
        };
        let first = io.tvalid & io.sof;
        io.hdr.visit(|_, leaf| {
            leaf.registered();
        });
        when(first, || assign(&io.hdr, &found));
        io.hdr_valid.registered().set(first);
    }
}
