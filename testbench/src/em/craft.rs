//! Frames made by hand: right in every field, so that a test spoils exactly what it is about.

use super::traffic::ones_sum;

/// Destination of every IPv4 datagram made here.
const DESTINATION: [u8; 4] = [198, 51, 100, 7];
/// Bytes of an Ethernet header.
pub const ETHERNET: usize = 14;
/// Bytes before a UDP datagram's payload: Ethernet, IPv4 without options, UDP.
pub const UDP_HEADERS: usize = ETHERNET + 20 + 8;
/// Type that nobody speaks (IEEE 802.3's local experimental type 1).
pub const UNKNOWN_TYPE: u16 = 0x88B5;

/// An untagged frame of this EtherType.
pub fn ethernet(ethertype: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    frame.extend(ethertype.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A frame of an unknown type with `length` bytes in all, the payload counting up from `mark`.
///
/// # Panics
/// Below 14 bytes.
pub fn unknown(length: usize, mark: u8) -> Vec<u8> {
    ethernet(UNKNOWN_TYPE, &counting(length - ETHERNET, mark))
}

/// An IPv4 datagram without options; its header checksum is right. `fragment` holds flags and offset (RFC 791).
pub fn ipv4(source: [u8; 4], protocol: u8, fragment: u16, payload: &[u8]) -> Vec<u8> {
    let mut header = vec![0x45, 0];
    header.extend(((20 + payload.len()) as u16).to_be_bytes());
    header.extend([0x12, 0x34]);
    header.extend(fragment.to_be_bytes());
    header.extend([64, protocol, 0, 0]);
    header.extend(source);
    header.extend(DESTINATION);
    let sum = !ones_sum(&header);
    header[10..12].copy_from_slice(&sum.to_be_bytes());
    header.extend(payload);
    ethernet(0x0800, &header)
}

/// A UDP datagram with right checksums.
pub fn udp(source: [u8; 4], destination_port: u16, data: &[u8]) -> Vec<u8> {
    let mut segment = vec![0x12, 0x34];
    segment.extend(destination_port.to_be_bytes());
    segment.extend(((8 + data.len()) as u16).to_be_bytes());
    segment.extend([0, 0]);
    segment.extend(data);
    // A sum of 0 is sent as FFFF (RFC 768).
    let sum = match transport_sum(source, 17, &segment) {
        0 => 0xFFFF,
        sum => sum,
    };
    segment[6..8].copy_from_slice(&sum.to_be_bytes());
    ipv4(source, 17, 0x4000, &segment)
}

/// A UDP datagram in a frame of `length` bytes, the payload counting up from `mark`.
///
/// # Panics
/// Below 42 bytes.
pub fn udp_of_length(source: [u8; 4], length: usize, mark: u8) -> Vec<u8> {
    udp(source, 2000, &counting(length - UDP_HEADERS, mark))
}

/// A TCP segment without options, with right checksums.
pub fn tcp(source: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut segment = vec![0x12, 0x34, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x18, 1, 0, 0, 0, 0, 0];
    segment.extend(data);
    let sum = transport_sum(source, 6, &segment);
    segment[16..18].copy_from_slice(&sum.to_be_bytes());
    ipv4(source, 6, 0x4000, &segment)
}

/// Bytes that count up from `mark` and are never 0xEE, which the driver puts on lanes without a byte.
pub fn counting(length: usize, mark: u8) -> Vec<u8> {
    (0..length).map(|i| (i as u8).wrapping_add(mark)).map(|byte| if byte == 0xEE { 0 } else { byte }).collect()
}

/// Checksum over pseudo header and segment, whose own checksum is 0 (RFC 768, RFC 9293).
fn transport_sum(source: [u8; 4], protocol: u8, segment: &[u8]) -> u16 {
    let mut covered = [source, DESTINATION].concat();
    covered.extend([0, protocol]);
    covered.extend((segment.len() as u16).to_be_bytes());
    covered.extend(segment);
    !ones_sum(&covered)
}
