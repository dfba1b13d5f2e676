//! Reading numbers off the front of a slice.

/// A slice that is eaten from the front, in one byte order.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    pub rest: &'a [u8],
    pub big_endian: bool,
}

impl<'a> Bytes<'a> {
    /// The next `count` bytes; `None` if there are fewer.
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        let bytes = self.take(2)?.try_into().ok()?;
        Some(if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        let bytes = self.take(4)?.try_into().ok()?;
        Some(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }
}
