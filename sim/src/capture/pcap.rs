//! Classic pcap: a 24-byte header, then records of 16 bytes and the frame.

use super::bytes::Bytes;
use super::error::Fault;
use super::{Capture, CapturedFrame, ETHERNET, Interface, check_lengths};

/// Reads a file whose magic number is known to be right; `fraction_ns` nanoseconds are one unit of a time's fraction.
pub(crate) fn parse(bytes: &[u8], fraction_ns: u64) -> Result<Capture, Fault> {
    let mut bytes = Bytes { rest: bytes, big_endian: bytes.first() == Some(&0xA1) };
    // Magic, version, time zone, accuracy, snap length.
    let link_type = bytes.take(20).and_then(|_| bytes.u32()).ok_or(Fault::Truncated { record: 0 })?;
    // The upper half tells of check sequences.
    if link_type & 0xFFFF != ETHERNET {
        return Err(Fault::LinkType(link_type & 0xFFFF));
    }
    if link_type & 0x0400_0000 != 0 && link_type >> 28 != 0 {
        return Err(Fault::CheckSequence);
    }
    let mut capture = Capture { interfaces: vec![Interface::default()], frames: Vec::new() };
    while !bytes.rest.is_empty() {
        let number = capture.frames.len() as u64 + 1;
        let truncated = || Fault::Truncated { record: number };
        let mut field = || bytes.u32().ok_or_else(truncated);
        let (seconds, fraction, captured, original) = (field()?, field()?, field()?, field()?);
        check_lengths(number, captured, original)?;
        let data = bytes.take(captured as usize).ok_or_else(truncated)?.to_vec();
        let time_ns = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * fraction_ns;
        capture.frames.push(CapturedFrame { interface: 0, time_ns, data });
    }
    Ok(capture)
}
