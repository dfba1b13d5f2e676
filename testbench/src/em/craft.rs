//! Frames made by hand: right in every field, so that a test spoils exactly what it is about.

/// The other end of every IPv4 datagram made here, unless it is given.
pub const REMOTE: [u8; 4] = [198, 51, 100, 7];
/// Bytes of an Ethernet header.
pub const ETHERNET: usize = 14;
/// Bytes of an IPv4 header without options.
pub const IPV4: usize = 20;
/// Bytes before a UDP datagram's payload: Ethernet, IPv4 without options, UDP.
pub const UDP_HEADERS: usize = ETHERNET + IPV4 + 8;
/// Type that nobody speaks (IEEE 802.3's local experimental type 1).
pub const UNKNOWN_TYPE: u16 = 0x88B5;
/// Flags and fragment offset of a datagram that must not be fragmented.
pub const DONT_FRAGMENT: u16 = 0x4000;

/// UDP port of RoCEv2.
pub const ROCE_PORT: u16 = 4791;

/// An untagged frame of this EtherType.
pub fn ethernet(ethertype: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    frame.extend(ethertype.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The frame with another destination MAC address.
pub fn addressed_to(mac: [u8; 6], mut frame: Vec<u8>) -> Vec<u8> {
    frame[..6].copy_from_slice(&mac);
    frame
}

/// A frame of an unknown type with `length` bytes in all, the payload counting up from `mark`.
///
/// # Panics
/// Below 14 bytes.
pub fn unknown(length: usize, mark: u8) -> Vec<u8> {
    ethernet(UNKNOWN_TYPE, &counting(length - ETHERNET, mark))
}

/// Source and destination of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// Source address.
    pub source: [u8; 4],
    /// Destination address.
    pub destination: [u8; 4],
}

impl Ends {
    /// From this address to [`REMOTE`].
    pub fn from(source: [u8; 4]) -> Self {
        Ends { source, destination: REMOTE }
    }

    /// From [`REMOTE`] to this address.
    pub fn to(destination: [u8; 4]) -> Self {
        Ends { source: REMOTE, destination }
    }

    /// An IPv4 datagram without options, time to live 64; its header checksum is right. `fragment` holds flags and offset
    /// (RFC 791).
    pub fn datagram(self, protocol: u8, fragment: u16, payload: &[u8]) -> Vec<u8> {
        let mut header = vec![0x45, 0];
        header.extend(((IPV4 + payload.len()) as u16).to_be_bytes());
        header.extend([0x12, 0x34]);
        header.extend(fragment.to_be_bytes());
        header.extend([64, protocol, 0, 0]);
        header.extend(self.source);
        header.extend(self.destination);
        let sum = !ones_sum(&header);
        header[10..12].copy_from_slice(&sum.to_be_bytes());
        header.extend(payload);
        header
    }

    /// A UDP datagram with a right checksum.
    pub fn udp_segment(self, destination_port: u16, data: &[u8]) -> Vec<u8> {
        let mut segment = vec![0x12, 0x34];
        segment.extend(destination_port.to_be_bytes());
        segment.extend(((8 + data.len()) as u16).to_be_bytes());
        segment.extend([0, 0]);
        segment.extend(data);
        // A sum of 0 is sent as FFFF (RFC 768).
        let sum = match self.transport_sum(17, &segment) {
            0 => 0xFFFF,
            sum => sum,
        };
        segment[6..8].copy_from_slice(&sum.to_be_bytes());
        segment
    }

    /// A TCP segment without options, with a right checksum.
    pub fn tcp_segment(self, data: &[u8]) -> Vec<u8> {
        let mut segment = vec![0x12, 0x34, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x18, 1, 0, 0, 0, 0, 0];
        segment.extend(data);
        let sum = self.transport_sum(6, &segment);
        segment[16..18].copy_from_slice(&sum.to_be_bytes());
        segment
    }

    /// A frame with an IPv4 datagram.
    pub fn ipv4(self, protocol: u8, fragment: u16, payload: &[u8]) -> Vec<u8> {
        ethernet(0x0800, &self.datagram(protocol, fragment, payload))
    }

    /// A frame with a UDP datagram.
    pub fn udp(self, destination_port: u16, data: &[u8]) -> Vec<u8> {
        self.ipv4(17, DONT_FRAGMENT, &self.udp_segment(destination_port, data))
    }

    /// A frame with a RoCEv2 datagram: base transport header and more in `data`, and a right ICRC.
    pub fn roce(self, data: &[u8]) -> Vec<u8> {
        let mut frame = self.udp(ROCE_PORT, &[data, &[0; 4]].concat());
        set_icrc(&mut frame[ETHERNET..]);
        frame
    }

    /// A UDP datagram in a frame of `length` bytes, the payload counting up from `mark`.
    ///
    /// # Panics
    /// Below 42 bytes.
    pub fn udp_of_length(self, length: usize, mark: u8) -> Vec<u8> {
        self.udp(2000, &counting(length - UDP_HEADERS, mark))
    }

    /// A frame with a TCP segment.
    pub fn tcp(self, data: &[u8]) -> Vec<u8> {
        self.ipv4(6, DONT_FRAGMENT, &self.tcp_segment(data))
    }

    /// A frame with an ICMP message of this type, whose checksum is right; `rest` follows the type's code (RFC 792: bytes 4
    /// to 7 and the data).
    pub fn icmp(self, kind: u8, rest: &[u8]) -> Vec<u8> {
        let mut message = vec![kind, 0, 0, 0];
        message.extend(rest);
        let sum = !ones_sum(&message);
        message[2..4].copy_from_slice(&sum.to_be_bytes());
        self.ipv4(1, 0, &message)
    }

    /// A frame with the ICMP error "destination unreachable" about a datagram.
    pub fn unreachable(self, quoted: &[u8]) -> Vec<u8> {
        self.icmp(3, &[&[0; 4], quoted].concat())
    }

    /// Checksum over pseudo header and segment, whose own checksum is 0 (RFC 768, RFC 9293).
    fn transport_sum(self, protocol: u8, segment: &[u8]) -> u16 {
        let mut covered = [self.source, self.destination].concat();
        covered.extend([0, protocol]);
        covered.extend((segment.len() as u16).to_be_bytes());
        covered.extend(segment);
        !ones_sum(&covered)
    }
}

/// A frame with an IPv4 datagram to [`REMOTE`]. `fragment` holds flags and offset (RFC 791).
pub fn ipv4(source: [u8; 4], protocol: u8, fragment: u16, payload: &[u8]) -> Vec<u8> {
    Ends::from(source).ipv4(protocol, fragment, payload)
}

/// A frame with a UDP datagram to [`REMOTE`].
pub fn udp(source: [u8; 4], destination_port: u16, data: &[u8]) -> Vec<u8> {
    Ends::from(source).udp(destination_port, data)
}

/// A UDP datagram to [`REMOTE`] in a frame of `length` bytes, the payload counting up from `mark`.
///
/// # Panics
/// Below 42 bytes.
pub fn udp_of_length(source: [u8; 4], length: usize, mark: u8) -> Vec<u8> {
    Ends::from(source).udp_of_length(length, mark)
}

/// A frame with a TCP segment to [`REMOTE`].
pub fn tcp(source: [u8; 4], data: &[u8]) -> Vec<u8> {
    Ends::from(source).tcp(data)
}

/// The frame of an untagged IPv4 datagram without options, with this time to live and a right header checksum.
pub fn with_ttl(ttl: u8, mut frame: Vec<u8>) -> Vec<u8> {
    let header = &mut frame[ETHERNET..ETHERNET + IPV4];
    header[8] = ttl;
    header[10..12].fill(0);
    let sum = !ones_sum(header);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    frame
}

/// Writes the right ICRC in the last four bytes of an IPv4 datagram (IBTA volume 1, annex A17.3.3): a CRC-32 over 8 bytes of
/// ones, and the datagram with ones for type of service, time to live, header checksum, UDP checksum and the reserved byte
/// of the base transport header.
///
/// # Panics
/// If no base transport header and ICRC fit into it.
pub fn set_icrc(datagram: &mut [u8]) {
    let end = datagram.len() - 4;
    let segment = 4 * usize::from(datagram[0] & 15);
    let mut covered = [&[0xFF; 8], &datagram[..end]].concat();
    for at in [1, 8, 10, 11, segment + 6, segment + 7, segment + 12] {
        covered[8 + at] = 0xFF;
    }
    let icrc = hdl::crc::CrcSpec::CRC32.of(&covered) as u32;
    datagram[end..].copy_from_slice(&icrc.to_le_bytes());
}

/// Bytes that count up from `mark` and are never 0xEE, which the driver puts on lanes without a byte.
pub fn counting(length: usize, mark: u8) -> Vec<u8> {
    (0..length).map(|i| (i as u8).wrapping_add(mark)).map(|byte| if byte == 0xEE { 0 } else { byte }).collect()
}

/// Ones'-complement sum of big-endian 16-bit words, an odd byte padded with zero (RFC 1071).
pub(super) fn ones_sum(bytes: &[u8]) -> u16 {
    let mut sum: u32 = bytes.chunks(2).map(|c| u32::from(c[0]) << 8 | u32::from(c.get(1).copied().unwrap_or(0))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}
