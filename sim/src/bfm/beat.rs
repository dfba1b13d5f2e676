//! One beat of a stream, and the ports it is read from.

use std::fmt;

use super::BenchError;
use crate::verilated::{Model, PortId};

/// Widest `tdata`, in bytes.
pub(crate) const MAX_LANES: usize = 64;
/// Widest `tuser`, in bytes.
pub(crate) const MAX_USER: usize = 64;

/// The payload of one beat.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    /// The cycle it was seen in.
    pub cycle: u64,
    /// `tdata` by lane; lanes beyond the stream's width are 0.
    pub data: [u8; MAX_LANES],
    /// `tkeep`; all lanes of the stream's width if it has none.
    pub keep: u64,
    /// `tlast`; true if the stream has none.
    pub last: bool,
    /// `tuser` as little-endian bytes; 0 if the stream has none.
    pub user: [u8; MAX_USER],
    lanes: u8,
    user_bytes: u8,
}

impl Beat {
    /// The lanes, kept or not.
    pub fn lanes(&self) -> &[u8] {
        &self.data[..usize::from(self.lanes)]
    }

    /// The bytes that `tkeep` keeps, for a contiguous `tkeep`.
    pub fn bytes(&self) -> &[u8] {
        &self.data[..(self.keep.trailing_ones() as usize).min(MAX_LANES)]
    }

    /// The low 64 bits of `tuser`.
    pub fn user_low(&self) -> u64 {
        u64::from_le_bytes(self.user[..8].try_into().unwrap_or_default())
    }

    /// The bytes of `tuser` that the stream's width needs.
    pub fn user_bytes(&self) -> &[u8] {
        &self.user[..usize::from(self.user_bytes)]
    }

    /// The first field in which it differs from `other`, the cycle apart.
    pub(crate) fn difference(&self, other: &Beat) -> Option<&'static str> {
        if self.data != other.data {
            return Some("tdata");
        }
        if self.keep != other.keep {
            return Some("tkeep");
        }
        if self.last != other.last {
            return Some("tlast");
        }
        (self.user != other.user).then_some("tuser")
    }
}

impl fmt::Debug for Beat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One line; `tdata` by lane from lane 0, in groups of eight.
impl fmt::Display for Beat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = usize::from(self.lanes).div_ceil(4);
        write!(f, "cycle {:>6}  tlast {}  tkeep {:0digits$x}  tuser ", self.cycle, u8::from(self.last), self.keep)?;
        for byte in self.user_bytes().iter().rev() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str("  tdata")?;
        for group in self.lanes().chunks(8) {
            f.write_str(" ")?;
            for byte in group {
                write!(f, "{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// The ports of one stream.
#[derive(Clone, Debug)]
pub(crate) struct StreamPorts {
    /// The prefix without its last `_`.
    pub name: String,
    pub data: PortId,
    pub keep: Option<PortId>,
    pub last: Option<PortId>,
    pub user: Option<PortId>,
    pub valid: PortId,
    pub ready: PortId,
    /// Bytes of `tdata`.
    pub lanes: usize,
    /// Bits of `tuser`.
    pub user_bits: u32,
}

impl StreamPorts {
    /// The ports whose names begin with `prefix`. `tkeep`, `tlast` and `tuser` may be missing.
    pub(crate) fn find(model: &Model, prefix: &str) -> Result<Self, BenchError> {
        let port = |signal: &str| model.port(&format!("{prefix}{signal}"));
        let optional = |signal: &str| model.find_port(&format!("{prefix}{signal}"));
        let data = port("tdata")?;
        let width = model.port_info(data).width;
        let wrong = |id: PortId, wanted| {
            let info = model.port_info(id);
            BenchError::Width { port: info.name.clone(), width: info.width, wanted }
        };
        if !width.is_multiple_of(8) || width as usize > 8 * MAX_LANES {
            return Err(wrong(data, "tdata may have whole bytes up to 512 bits"));
        }
        let (keep, user) = (optional("tkeep"), optional("tuser"));
        if let Some(keep) = keep.filter(|keep| model.port_info(*keep).width != width / 8) {
            return Err(wrong(keep, "tkeep has one bit for each byte of tdata"));
        }
        let user_bits = user.map_or(0, |user| model.port_info(user).width);
        if let Some(user) = user.filter(|_| user_bits as usize > 8 * MAX_USER) {
            return Err(wrong(user, "tuser may have up to 512 bits"));
        }
        let name = prefix.trim_end_matches('_').to_owned();
        let (valid, ready, last) = (port("tvalid")?, port("tready")?, optional("tlast"));
        Ok(Self { name, data, keep, last, user, valid, ready, lanes: width as usize / 8, user_bits })
    }

    /// `tkeep` with all lanes.
    pub(crate) fn full_keep(&self) -> u64 {
        u64::MAX >> (64 - self.lanes)
    }

    /// The payload on the ports now.
    pub(crate) fn read(&self, model: &Model, cycle: u64) -> Beat {
        let user_bytes = self.user_bits.div_ceil(8) as u8;
        let mut beat = Beat {
            cycle,
            data: [0; MAX_LANES],
            keep: self.keep.map_or(self.full_keep(), |keep| model.peek(keep)),
            last: self.last.is_none_or(|last| model.is_high(last)),
            user: [0; MAX_USER],
            lanes: self.lanes as u8,
            user_bytes,
        };
        beat.data[..self.lanes].copy_from_slice(model.bytes(self.data));
        if let Some(user) = self.user {
            beat.user[..usize::from(user_bytes)].copy_from_slice(model.bytes(user));
        }
        beat
    }
}
