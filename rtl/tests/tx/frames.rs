//! Frames made by hand, with checksums computed from scratch.

/// A frame from the host.
#[derive(Clone, Debug)]
pub struct HostFrame {
    pub bytes: Vec<u8>,
    pub function: u16,
    pub bad: bool,
}

impl HostFrame {
    pub fn new(function: u16, bytes: Vec<u8>) -> Self {
        HostFrame { bytes, function, bad: false }
    }
}

/// The ones'-complement sum of big-endian half-words, complemented (RFC 1071).
pub fn checksum(parts: &[&[u8]]) -> u16 {
    let bytes: Vec<u8> = parts.concat();
    let mut sum: u64 = 0;
    for pair in bytes.chunks(2) {
        sum += u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
    }
    while sum > 0xFFFF {
        sum = (sum >> 16) + (sum & 0xFFFF);
    }
    !(sum as u16)
}

/// An IPv4 datagram in Ethernet. Everything may be set wrong on purpose.
#[derive(Clone, Debug)]
pub struct Ipv4 {
    pub tags: Vec<u16>,
    pub options: Vec<u8>,
    pub fragment: u16,
    pub protocol: u8,
    pub source: [u8; 4],
    pub payload: Vec<u8>,
    pub padding: Vec<u8>,
}

pub const INSIDE: [u8; 4] = [192, 0, 2, 10];
pub const OUTSIDE: [u8; 4] = [203, 0, 113, 5];
pub const PEER: [u8; 4] = [198, 51, 100, 7];

impl Ipv4 {
    pub fn new(protocol: u8, payload: Vec<u8>) -> Self {
        Ipv4 { tags: vec![], options: vec![], fragment: 0, protocol, source: INSIDE, payload, padding: vec![] }
    }

    /// UDP with `data` behind its header.
    pub fn udp(data: &[u8]) -> Self {
        let length = (8 + data.len()) as u16;
        let mut payload = vec![0x0F, 0xA0, 0x13, 0x88];
        payload.extend(length.to_be_bytes());
        payload.extend([0, 0]);
        payload.extend(data);
        Self::new(17, payload)
    }

    /// TCP with `data` behind its header.
    pub fn tcp(data: &[u8]) -> Self {
        let mut payload = vec![0x0F, 0xA0, 0x01, 0xBB, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10, 0x20, 0, 0, 0, 0, 0];
        payload.extend(data);
        Self::new(6, payload)
    }

    /// Offset of the IPv4 header.
    pub fn begins(&self) -> usize {
        14 + 4 * self.tags.len()
    }

    /// Offset of what follows the IPv4 header.
    pub fn l4(&self) -> usize {
        self.begins() + 20 + self.options.len()
    }

    /// The frame; UDP and TCP checksums are right for `source` where the payload has the field.
    pub fn bytes(&self) -> Vec<u8> {
        let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
        for tag in &self.tags {
            frame.extend(tag.to_be_bytes());
            frame.extend([0, 100]);
        }
        frame.extend([8, 0]);
        let header_len = 20 + self.options.len();
        let mut header = vec![0x40 | (header_len / 4) as u8, 0];
        header.extend(((header_len + self.payload.len()) as u16).to_be_bytes());
        header.extend([0x30, 0x01]);
        header.extend(self.fragment.to_be_bytes());
        header.extend([64, self.protocol, 0, 0]);
        header.extend(self.source);
        header.extend(PEER);
        header.extend(&self.options);
        let sum = checksum(&[&header]);
        header[10..12].copy_from_slice(&sum.to_be_bytes());
        frame.extend(header);
        let mut payload = self.payload.clone();
        let at = match self.protocol {
            17 => 6,
            6 => 16,
            _ => usize::MAX,
        };
        if payload.len().checked_sub(2).is_some_and(|last| at <= last) && self.fragment & 0x1FFF == 0 {
            let length = (payload.len() as u16).to_be_bytes();
            let pseudo = [&self.source[..], &PEER[..], &[0, self.protocol], &length].concat();
            let sum = checksum(&[&pseudo, &payload]);
            let sum = if self.protocol == 17 && sum == 0 { 0xFFFF } else { sum };
            payload[at..at + 2].copy_from_slice(&sum.to_be_bytes());
        }
        frame.extend(payload);
        frame.extend(&self.padding);
        frame
    }

    /// The frame as it leaves: the same with the outside address.
    pub fn translated(&self) -> Vec<u8> {
        Ipv4 { source: OUTSIDE, ..self.clone() }.bytes()
    }
}

/// An IPv6 packet in Ethernet.
pub fn ipv6(next_header: u8, source: [u8; 16], payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xDD, 0x60, 0, 0, 0];
    frame.extend((payload.len() as u16).to_be_bytes());
    frame.extend([next_header, 255]);
    frame.extend(source);
    frame.extend([0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    frame.extend(payload);
    frame
}

/// A frame of another EtherType, `length` bytes long.
pub fn other(kind: u16, length: usize) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    frame.extend(kind.to_be_bytes());
    frame.extend((0..).map(|i: u32| i as u8).take(length.saturating_sub(14)));
    frame.truncate(length);
    frame
}
