//! pcapng: sections of blocks; interfaces are described, then frames refer to them.

use super::bytes::Bytes;
use super::error::Fault;
use super::{Capture, CapturedFrame, ETHERNET, Interface, MAX_FRAME, check_lengths};

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

const OPTION_END: u16 = 0;
const OPTION_IF_NAME: u16 = 2;
const OPTION_IF_TSRESOL: u16 = 9;

/// An interface of the present section.
struct Source {
    /// Its place in the capture's list.
    index: usize,
    link_type: u32,
    snap_length: u32,
    /// `if_tsresol`: a negative power of ten, or of two if the top bit is set.
    resolution: u8,
}

/// Reads a file that begins with a section header's type.
pub(crate) fn parse(bytes: &[u8]) -> Result<Capture, Fault> {
    let mut bytes = Bytes { rest: bytes, big_endian: false };
    let mut capture = Capture::default();
    let mut sources: Vec<Source> = Vec::new();
    let mut sections = 0;
    while !bytes.rest.is_empty() {
        let record = if sections == 0 { 0 } else { capture.frames.len() as u64 + 1 };
        let (kind, mut body) = next_block(&mut bytes, record)?;
        let malformed = |reason: &str| Fault::Malformed { record, reason: reason.to_owned() };
        match kind {
            SECTION_HEADER => {
                sections += 1;
                sources.clear();
            }
            INTERFACE_DESCRIPTION => {
                let fields = (body.u16(), body.u16(), body.u32());
                let (Some(link_type), Some(_), Some(snap_length)) = fields else {
                    return Err(malformed("follows an interface description that is too short"));
                };
                let (name, resolution) = interface_options(body);
                let source =
                    Source { index: capture.interfaces.len(), link_type: link_type.into(), snap_length, resolution };
                sources.push(source);
                capture.interfaces.push(Interface { name });
            }
            OBSOLETE_PACKET | SIMPLE_PACKET | ENHANCED_PACKET => {
                let frame = packet(kind, body, &sources, record)?;
                capture.frames.push(frame);
            }
            _ => {}
        }
    }
    Ok(capture)
}

/// The next block's type and body; a section header sets the byte order.
fn next_block<'a>(bytes: &mut Bytes<'a>, record: u64) -> Result<(u32, Bytes<'a>), Fault> {
    let malformed = |reason: &str| Fault::Malformed { record: record.max(1), reason: reason.to_owned() };
    let truncated = Fault::Truncated { record };
    if let [0x0A, 0x0D, 0x0D, 0x0A, rest @ ..] = bytes.rest {
        match rest.get(4..8) {
            Some([0x1A, 0x2B, 0x3C, 0x4D]) => bytes.big_endian = true,
            Some([0x4D, 0x3C, 0x2B, 0x1A]) => bytes.big_endian = false,
            Some(_) if record == 0 => return Err(Fault::NotACapture("its section header has no byte-order mark")),
            Some(_) => return Err(malformed("is a section header without a byte-order mark")),
            None => return Err(truncated),
        }
    }
    let (Some(kind), Some(length)) = (bytes.u32(), bytes.u32()) else { return Err(truncated) };
    // A body may hold a frame and options; far beyond that the length is wrong, not the file short.
    if length < 12 || length % 4 != 0 || length > 16 * MAX_FRAME {
        return Err(malformed(&format!("has a block length of {length}")));
    }
    let Some(body) = bytes.take(length as usize - 12) else { return Err(truncated) };
    match bytes.u32() {
        Some(trailer) if trailer == length => Ok((kind, Bytes { rest: body, big_endian: bytes.big_endian })),
        Some(trailer) => Err(malformed(&format!("has block lengths {length} and {trailer} that differ"))),
        None => Err(truncated),
    }
}

/// `if_name` and `if_tsresol` of an interface. A list that is cut short counts as far as it goes.
fn interface_options(mut body: Bytes) -> (Option<String>, u8) {
    let (mut name, mut resolution) = (None, 6);
    while let (Some(code), Some(length)) = (body.u16(), body.u16()) {
        let length = usize::from(length);
        let Some(value) = body.take(length) else { break };
        match (code, value) {
            (OPTION_END, _) => break,
            (OPTION_IF_NAME, value) => name = Some(String::from_utf8_lossy(value).trim_end_matches('\0').to_owned()),
            (OPTION_IF_TSRESOL, [value, ..]) => resolution = *value,
            _ => {}
        }
        if body.take(length.next_multiple_of(4) - length).is_none() {
            break;
        }
    }
    (name, resolution)
}

/// The frame of a packet block.
fn packet(kind: u32, mut body: Bytes, sources: &[Source], record: u64) -> Result<CapturedFrame, Fault> {
    let malformed = |reason: &str| Fault::Malformed { record, reason: reason.to_owned() };
    let too_short = || malformed("is too short for its fields");
    let interface = match kind {
        SIMPLE_PACKET => 0,
        ENHANCED_PACKET => body.u32().ok_or_else(too_short)?,
        _ => {
            let (interface, _drops) = (body.u16().ok_or_else(too_short)?, body.u16().ok_or_else(too_short)?);
            interface.into()
        }
    };
    let source =
        sources.get(interface as usize).ok_or_else(|| malformed("names an interface that is not described"))?;
    let mut field = || body.u32().ok_or_else(too_short);
    let (ticks, captured, original) = if kind == SIMPLE_PACKET {
        let original = field()?;
        let limit = if source.snap_length == 0 { u32::MAX } else { source.snap_length };
        (0, original.min(limit), original)
    } else {
        let ticks = u64::from(field()?) << 32 | u64::from(field()?);
        (ticks, field()?, field()?)
    };
    if source.link_type != ETHERNET {
        return Err(Fault::LinkType(source.link_type));
    }
    check_lengths(record, captured, original)?;
    let data = body.take(captured as usize).ok_or_else(|| malformed("is longer than its block"))?.to_vec();
    Ok(CapturedFrame { interface: source.index, time_ns: nanoseconds(ticks, source.resolution), data })
}

/// Ticks of an `if_tsresol` in nanoseconds; as large as possible where they do not fit.
fn nanoseconds(ticks: u64, resolution: u8) -> u64 {
    let exponent = u32::from(resolution & 0x7F);
    let per_second = if resolution & 0x80 == 0 { 10u128.checked_pow(exponent) } else { 1u128.checked_shl(exponent) };
    let per_second = per_second.unwrap_or(u128::MAX);
    u64::try_from(u128::from(ticks) * 1_000_000_000 / per_second).unwrap_or(u64::MAX)
}
