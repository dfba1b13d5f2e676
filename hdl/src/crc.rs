//! Cyclic redundancy checks: the serial definition, unrolled over a beat. Synthesis finds smaller logic in this form than
//! in a flat exclusive-or mask for each result bit.
//!
//! Bytes go in lane order: bits 7..0 of the data first. A reflected CRC (Ethernet's) takes the low bit of a byte first
//! and keeps its register mirrored, as is usual.

use crate::{Bits, Value, build::with, cat, error::Fault, lit};
use std::panic::Location;

/// A CRC as catalogues give it (the Rocksoft model with `refin` equal to `refout`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CrcSpec {
    /// Bits of the register, 1 to 64.
    pub width: u32,
    /// Polynomial without its top term, most significant term first.
    pub poly: u64,
    /// Low bit of each byte first.
    pub reflected: bool,
    /// Register before the first byte, not mirrored.
    pub init: u64,
    /// Exclusive-or-ed to the register at the end.
    pub xorout: u64,
}

impl CrcSpec {
    /// CRC-32 of Ethernet (IEEE 802.3, clause 3.2.9).
    pub const CRC32: Self = Self::new(32, 0x04c1_1db7, true, 0xffff_ffff, 0xffff_ffff);
    /// CRC-32C, Castagnoli's, of iSCSI (RFC 3720, 12.1) and SCTP.
    pub const CRC32C: Self = Self::new(32, 0x1edc_6f41, true, 0xffff_ffff, 0xffff_ffff);
    /// CRC-16 with the polynomial of ITU-T V.41, initialised with ones, high bit first.
    pub const CRC16_CCITT: Self = Self::new(16, 0x1021, false, 0xffff, 0);
    /// CRC-8 of SMBus.
    pub const CRC8: Self = Self::new(8, 0x07, false, 0, 0);

    /// A CRC from its catalogue entry.
    pub const fn new(width: u32, poly: u64, reflected: bool, init: u64, xorout: u64) -> Self {
        CrcSpec { width, poly, reflected, init, xorout }
    }

    /// The register before the first byte, as [`crc_serial`] wants it.
    pub fn start(&self) -> Value {
        Value::new(self.width, u128::from(if self.reflected { mirror(self.init, self.width) } else { self.init }))
    }

    /// The CRC of bytes in software, by table; shares nothing with the hardware form.
    pub fn of(&self, bytes: &[u8]) -> u64 {
        // The register stands at the top of a word, so that one table serves every width.
        let up = 64 - self.width;
        let table: Vec<u64> = (0..256u64)
            .map(|byte| (0..8).fold(byte << 56, |r, _| if r >> 63 == 1 { r << 1 ^ self.poly << up } else { r << 1 }))
            .collect();
        let register = bytes.iter().fold(self.init << up, |r, b| {
            let b = if self.reflected { b.reverse_bits() } else { *b };
            let r_shifted = r << 8;
            r_shifted ^ table[((r >> 56) as u8 ^ b) as usize]
        });
        let register = register >> up;
        (if self.reflected { mirror(register, self.width) } else { register }) ^ self.xorout
    }
}

/// The low `width` bits in the opposite order.
fn mirror(v: u64, width: u32) -> u64 {
    v.reverse_bits() >> (64 - width)
}

/// The register after each byte of `data`, given the register before: the last one is that of the whole beat, the
/// others serve beats that are not full. The cost for a beat of 64 bytes of CRC-32 is some 16 k exclusive-ors before
/// synthesis shares them; register the result.
///
/// # Errors
/// [`Fault::Width`] if `state` has not the CRC's width or `data` is no whole number of bytes.
#[track_caller]
pub fn crc_states(spec: &CrcSpec, state: Bits, data: Bits) -> Vec<Bits> {
    let loc = Location::caller();
    if state.width() != spec.width || !data.width().is_multiple_of(8) {
        let message = format!(
            "a CRC of {} bits over bytes cannot take a state of {} bits and data of {} bits",
            spec.width,
            state.width(),
            data.width()
        );
        with(|b| b.error(Fault::Width, loc, message));
        return vec![state];
    }
    let poly = if spec.reflected { mirror(spec.poly, spec.width) } else { spec.poly };
    let poly = Value::new(spec.width, u128::from(poly));
    let mut register = state;
    let mut states = Vec::new();
    for byte in 0..data.width() / 8 {
        for i in 0..8 {
            let bit = data.bit(8 * byte + if spec.reflected { i } else { 7 - i });
            let out = if spec.reflected { register.bit(0) } else { register.msb() };
            let shifted = match (spec.width, spec.reflected) {
                (1, _) => lit(1, 0),
                (_, true) => cat([lit(1, 0), register.slice(1..)]),
                (_, false) => cat([register.slice(..spec.width - 1), lit(1, 0)]),
            };
            register = (shifted ^ ((out ^ bit).repeat(spec.width) & poly.clone())).named(&format!("crc_{byte}_{i}"));
        }
        states.push(register);
    }
    states
}

/// The register after all bytes of `data`: the last of [`crc_states`].
#[track_caller]
pub fn crc_serial(spec: &CrcSpec, state: Bits, data: Bits) -> Bits {
    crc_states(spec, state, data).pop().unwrap_or(state)
}

/// The CRC itself from the register after the last byte. For a reflected CRC its low byte is the first on the wire.
#[track_caller]
pub fn crc_finish(spec: &CrcSpec, state: Bits) -> Bits {
    state ^ Value::new(spec.width, u128::from(spec.xorout))
}
