//! Captures out. A file has its name only once it is finished.

use std::borrow::Cow;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriter};
use pcap_file::{DataLink, Endianness, TsResolution};
use tempfile::NamedTempFile;

use super::{CaptureError, MAX_FRAME};

/// Longest comment written; an option's length has 16 bits.
const MAX_COMMENT: usize = 4096;

type Out = BufWriter<NamedTempFile>;

/// A classic pcap being written, with times in nanoseconds.
pub struct PcapFile {
    path: PathBuf,
    writer: PcapWriter<Out>,
}

impl PcapFile {
    /// Begins the capture that will be `path`.
    pub fn create(path: &Path) -> Result<Self, CaptureError> {
        let header = PcapHeader {
            snaplen: MAX_FRAME,
            datalink: DataLink::ETHERNET,
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::Little,
            ..PcapHeader::default()
        };
        let writer = PcapWriter::with_header(begin(path)?, header).map_err(|error| failed(path, error))?;
        Ok(Self { path: path.to_owned(), writer })
    }

    /// Adds a frame, `time_ns` nanoseconds after 1970; times after 2106 do not fit and become the last that does.
    pub fn write(&mut self, time_ns: u64, data: &[u8]) -> Result<(), CaptureError> {
        let time = Duration::from_nanos(time_ns).min(Duration::from_secs(u64::from(u32::MAX)));
        let length = data.len().try_into().unwrap_or(u32::MAX);
        let packet = PcapPacket::new(time, length, data);
        self.writer.write_packet(&packet).map(drop).map_err(|error| failed(&self.path, error))
    }

    /// Writes what is left, and gives the file its name.
    pub fn finish(self) -> Result<(), CaptureError> {
        self.close()?.name()
    }

    /// Writes what is left; the file has no name yet.
    pub(crate) fn close(self) -> Result<Closed, CaptureError> {
        close(self.writer.into_writer(), self.path)
    }
}

/// A pcapng being written, with named interfaces and times in nanoseconds.
pub struct PcapngFile {
    path: PathBuf,
    writer: PcapNgWriter<Out>,
    interfaces: u32,
}

impl PcapngFile {
    /// Begins the capture that will be `path`.
    pub fn create(path: &Path) -> Result<Self, CaptureError> {
        let writer = PcapNgWriter::with_endianness(begin(path)?, Endianness::Little);
        let writer = writer.map_err(|error| failed(path, error))?;
        Ok(Self { path: path.to_owned(), writer, interfaces: 0 })
    }

    /// Adds an interface called `name`, as `fn3`, and gives its number for [`write`](Self::write).
    pub fn interface(&mut self, name: &str) -> Result<u32, CaptureError> {
        let mut block = InterfaceDescriptionBlock::new(DataLink::ETHERNET, 0);
        block.options = vec![
            InterfaceDescriptionOption::IfName(Cow::Borrowed(shorten(name))),
            InterfaceDescriptionOption::IfTsResol(9),
        ];
        self.put(block)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Adds a frame of `interface`, with a comment if there is something to say of it.
    pub fn write(
        &mut self,
        interface: u32,
        time_ns: u64,
        data: &[u8],
        comment: Option<&str>,
    ) -> Result<(), CaptureError> {
        if interface >= self.interfaces {
            return Err(failed(&self.path, format!("interface {interface} was not added")));
        }
        let options = comment.map(|text| EnhancedPacketOption::Comment(Cow::Borrowed(shorten(text))));
        self.put(EnhancedPacketBlock {
            interface_id: interface,
            timestamp: Duration::from_nanos(time_ns),
            original_len: data.len().try_into().unwrap_or(u32::MAX),
            data: Cow::Borrowed(data),
            options: options.into_iter().collect(),
        })
    }

    fn put<'a>(&mut self, block: impl PcapNgBlock<'a>) -> Result<(), CaptureError> {
        self.writer.write_pcapng_block(block).map(drop).map_err(|error| failed(&self.path, error))
    }

    /// Writes what is left, and gives the file its name.
    pub fn finish(self) -> Result<(), CaptureError> {
        self.close()?.name()
    }

    /// Writes what is left; the file has no name yet.
    pub(crate) fn close(self) -> Result<Closed, CaptureError> {
        close(self.writer.into_inner(), self.path)
    }
}

/// A temporary file beside `path`, with the permissions that a new file gets.
fn begin(path: &Path) -> Result<Out, CaptureError> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".em-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory).map(BufWriter::new).map_err(|error| failed(path, error))
}

/// A whole capture without its name.
pub(crate) struct Closed {
    path: PathBuf,
    file: NamedTempFile,
}

impl Closed {
    /// Gives the file its name.
    pub(crate) fn name(self) -> Result<(), CaptureError> {
        self.file.persist(&self.path).map(drop).map_err(|error| failed(&self.path, error.error))
    }
}

fn close(mut out: Out, path: PathBuf) -> Result<Closed, CaptureError> {
    out.flush().map_err(|error| failed(&path, error))?;
    match out.into_inner() {
        Ok(file) => Ok(Closed { path, file }),
        Err(error) => Err(failed(&path, error)),
    }
}

fn failed(path: &Path, reason: impl std::fmt::Display) -> CaptureError {
    CaptureError::Write { file: path.to_owned(), reason: reason.to_string() }
}

fn shorten(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_COMMENT)]
}
