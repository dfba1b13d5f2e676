//! Captures: pcap and pcapng in and out, Ethernet frames without their check sequence.
//!
//! [`read`] takes either format by its content. Reading is done here rather than by the crate `pcap-file`, which writes:
//! version 2.0.0 of that crate refuses valid files (an option list without its end mark; any record longer than the
//! header's snap length, and a snap length of 0), reads every pcapng time as nanoseconds whatever the interface says, slices
//! name-resolution blocks without a check, and cannot tell which record is at fault.
//!
//! Output files appear only when [`PcapFile::finish`] or [`PcapngFile::finish`] renames a temporary file to their name.

mod bytes;
mod error;
mod pcap;
mod pcapng;
mod write;

use std::path::Path;

pub use error::CaptureError;
pub use write::{PcapFile, PcapngFile};

use error::Fault;

/// The longest frame a record may claim; beyond it the file is taken as damaged.
pub(crate) const MAX_FRAME: u32 = 1 << 20;
/// The link type of Ethernet frames.
const ETHERNET: u32 = 1;

/// A capture, read whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// Its interfaces; one without a name for a classic pcap.
    pub interfaces: Vec<Interface>,
    /// Its frames in file order.
    pub frames: Vec<CapturedFrame>,
}

/// Where frames were captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// The pcapng option `if_name`.
    pub name: Option<String>,
}

impl Interface {
    /// `N` if the name is `fnN`: the function whose frames these are.
    pub fn function(&self) -> Option<u32> {
        let digits = self.name.as_deref()?.strip_prefix("fn")?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
        digits.parse().ok().filter(|_| plain)
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedFrame {
    /// Its place in [`Capture::interfaces`].
    pub interface: usize,
    /// Nanoseconds since 1970.
    pub time_ns: u64,
    /// Its bytes; at least one.
    pub data: Vec<u8>,
}

/// Reads the capture `file`.
pub fn read(file: &Path) -> Result<Capture, CaptureError> {
    let bytes =
        std::fs::read(file).map_err(|source| CaptureError::Open { file: file.to_owned(), source: source.into() })?;
    parse(&bytes).map_err(|fault| fault.of(file))
}

/// Reads a capture from memory; `file` is its name in errors.
pub fn read_bytes(bytes: &[u8], file: &Path) -> Result<Capture, CaptureError> {
    parse(bytes).map_err(|fault| fault.of(file))
}

fn parse(bytes: &[u8]) -> Result<Capture, Fault> {
    match bytes {
        [0x0A, 0x0D, 0x0D, 0x0A, ..] => pcapng::parse(bytes),
        [0xD4, 0xC3, 0xB2, 0xA1, ..] | [0xA1, 0xB2, 0xC3, 0xD4, ..] => pcap::parse(bytes, 1_000),
        [0x4D, 0x3C, 0xB2, 0xA1, ..] | [0xA1, 0xB2, 0x3C, 0x4D, ..] => pcap::parse(bytes, 1),
        [0x1F, 0x8B, ..] => Err(Fault::NotACapture("it is compressed; unpack it with gunzip")),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Err(Fault::NotACapture("it is compressed; unpack it with zstd -d")),
        [] => Err(Fault::NotACapture("it is empty")),
        _ => Err(Fault::NotACapture("save it as pcap or pcapng")),
    }
}

/// The lengths of a record are right for `number`, counted from 1.
fn check_lengths(number: u64, captured: u32, original: u32) -> Result<(), Fault> {
    if captured > MAX_FRAME {
        return Err(Fault::Malformed { record: number, reason: format!("claims {captured} bytes") });
    }
    if captured < original {
        return Err(Fault::Cut { record: number, captured, original });
    }
    if captured > original {
        let reason = format!("holds {captured} bytes of a frame of {original}");
        return Err(Fault::Malformed { record: number, reason });
    }
    if captured == 0 {
        return Err(Fault::Malformed { record: number, reason: "holds a frame of no bytes".into() });
    }
    Ok(())
}
