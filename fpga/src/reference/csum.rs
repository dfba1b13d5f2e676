//! The update of an Internet checksum when an IPv4 address changes.

use hdl::{checksum, *};

/// RFC 1624, equation 3, over one 32-bit field; latency 1 clock.
#[derive(Clone, Copy, Debug)]
pub struct Csum;

/// Ports.
#[derive(Bundle, Clone)]
pub struct CsumIo<S> {
    /// The checksum in the packet.
    #[input]
    #[width(16)]
    pub hc: S,
    /// The field before.
    #[input]
    #[width(32)]
    pub old: S,
    /// The field after.
    #[input]
    #[width(32)]
    pub new_: S,
    /// The checksum that fits.
    #[output]
    #[width(16)]
    pub hc_new: S,
}

impl Block for Csum {
    type Io<S> = CsumIo<S>;

    fn name(&self) -> String {
        "csum".into()
    }

    fn doc(&self) -> String {
        "Incremental update of an Internet checksum (RFC 1624, equation 3).".into()
    }

    fn io(&self) -> CsumIo<Shape> {
        CsumIo::shape()
    }

    #[names]
    fn build(&self, io: &CsumIo<Bits>) {
        let updated = checksum::update(io.hc, &io.old.chunks(16), &io.new_.chunks(16));
        io.hc_new.registered().set(updated);
    }
}
