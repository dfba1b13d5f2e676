//! The invariant CRC of RoCEv2 (IBTA annex A17.3.3): it covers the addresses, so NAT has to patch it.
//!
//! It is computed twice in full, over the frame as it came and as it leaves, and the difference put on the one that came:
//! a wrong ICRC stays wrong.

use crate::parse::{Ipv4, UDP, pair};

/// The UDP destination port of RoCEv2.
const PORT: u16 = 4791;
/// UDP header, base transport header, ICRC.
const LEAST: usize = 8 + 12 + 4;

/// Whether the packet goes to the port of RoCEv2.
pub(crate) fn is_roce(frame: &[u8], ip: &Ipv4) -> bool {
    ip.carries(UDP) && pair(frame, ip.payload + 2) == PORT
}

/// Whether the lengths leave no doubt where the ICRC is: everything before it is a whole number of words (IBTA section
/// 9.2.5: a payload is padded to one).
pub(crate) fn fits(frame: &[u8], ip: &Ipv4) -> bool {
    let length = ip.payload_len();
    usize::from(pair(frame, ip.payload + 4)) == length && length >= LEAST && length.is_multiple_of(4)
}

/// Patches the ICRC of `out`, which was `old` before its translation.
pub(crate) fn patch(out: &mut [u8], old: &[u8], ip: &Ipv4) {
    let difference = over(out, ip) ^ over(old, ip);
    let field = &mut out[ip.end - 4..ip.end];
    for (byte, change) in field.iter_mut().zip(difference.to_le_bytes()) {
        *byte ^= change;
    }
}

/// The ICRC of the packet, with the fields that routers may change read as ones.
pub(crate) fn over(frame: &[u8], ip: &Ipv4) -> u32 {
    let mut masked = vec![0xff; 8];
    masked.extend_from_slice(&frame[ip.start..ip.end - 4]);
    let (header, payload) = (8, 8 + ip.payload - ip.start);
    // TOS, TTL, header checksum; UDP checksum; the reserved byte of the BTH.
    for at in [header + 1, header + 8, header + 10, header + 11, payload + 6, payload + 7, payload + 8 + 4] {
        masked[at] = 0xff;
    }
    crc32(&masked)
}

/// CRC-32 of IEEE 802.3 section 3.2.9, bit by bit, least significant bit first.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc % 2 == 1 { (crc / 2) ^ 0xedb8_8320 } else { crc / 2 };
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    #[test]
    fn crc32_check_value() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926);
    }
}
