//! What is wrong with a capture, in sentences for its user.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A capture could not be read or written. Each text names the file, what is wrong and the remedy.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CaptureError {
    /// It could not be opened.
    #[error("{file}: {source}. Check the name and the permissions.")]
    Open {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: Arc<std::io::Error>,
    },
    /// It is something else.
    #[error("{file} is not a pcap or pcapng capture: {hint}.")]
    NotACapture {
        /// The file.
        file: PathBuf,
        /// What it is, or what to do.
        hint: &'static str,
    },
    /// It ends too early.
    #[error("{file} is truncated: it ends within {}. Capture it again, or keep the whole records with `editcap -r`.",
        if *record == 0 { "its header".to_owned() } else { format!("record {record}") })]
    Truncated {
        /// The file.
        file: PathBuf,
        /// The record, from 1; 0 for the file header.
        record: u64,
    },
    /// Its frames are not Ethernet frames.
    #[error(
        "{file} holds frames of link type {link_type}, and only Ethernet is taken. Capture on an Ethernet interface (not `any`)."
    )]
    LinkType {
        /// The file.
        file: PathBuf,
        /// The link type's name and number.
        link_type: String,
    },
    /// A frame was cut by the capture's snap length.
    #[error(
        "record {record} of {file} holds only {captured} of the frame's {original} bytes. Capture again with the snap length 0 (`tcpdump -s 0`)."
    )]
    Cut {
        /// The file.
        file: PathBuf,
        /// The record, from 1.
        record: u64,
        /// Bytes in the file.
        captured: u32,
        /// Bytes on the wire.
        original: u32,
    },
    /// A record contradicts itself.
    #[error("record {record} of {file} {reason}. The file is damaged there: remove the record with `editcap`.")]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The record, from 1.
        record: u64,
        /// What is wrong.
        reason: String,
    },
    /// It could not be written.
    #[error("{file} cannot be written: {reason}. Check the directory, its permissions and the free space.")]
    Write {
        /// The file.
        file: PathBuf,
        /// The cause.
        reason: String,
    },
}

/// The same without the file.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    NotACapture(&'static str),
    Truncated { record: u64 },
    LinkType(u32),
    CheckSequence,
    Cut { record: u64, captured: u32, original: u32 },
    Malformed { record: u64, reason: String },
}

impl Fault {
    pub(crate) fn of(self, file: &Path) -> CaptureError {
        let file = file.to_owned();
        match self {
            Fault::NotACapture(hint) => CaptureError::NotACapture { file, hint },
            Fault::Truncated { record } => CaptureError::Truncated { file, record },
            Fault::LinkType(number) => {
                let name = format!("{:?}", pcap_file::DataLink::from(number));
                let link_type =
                    if name.starts_with("Unknown") { number.to_string() } else { format!("{name} ({number})") };
                CaptureError::LinkType { file, link_type }
            }
            Fault::CheckSequence => {
                CaptureError::LinkType { file, link_type: "Ethernet with its frame check sequence".into() }
            }
            Fault::Cut { record, captured, original } => CaptureError::Cut { file, record, captured, original },
            Fault::Malformed { record, reason } => CaptureError::Malformed { file, record, reason },
        }
    }
}
