//! IPv4 datagrams with any field out of order.

use super::{
    Own, ethernet,
    transport::{Transport, transport},
};
use crate::em::craft::{REMOTE, ones_sum};
use proptest::{collection::vec, prelude::*};

/// The fields of a datagram that vary.
#[derive(Clone, Debug)]
struct Datagram {
    options: Vec<u8>,
    flags: u16,
    ttl: u8,
    total_off_by: i32,
    checksum_off_by: u16,
    transport: Transport,
}

/// A frame with a datagram in which `own` is the module's side.
pub(super) fn ipv4_frame(own: Own) -> BoxedStrategy<Vec<u8>> {
    let words = prop_oneof![5 => Just(0usize), 1 => Just(10), 2 => 1..10usize];
    let options = words.prop_flat_map(|n| vec(any::<u8>(), 4 * n));
    let flags = prop_oneof![
        8 => Just(0x4000u16),
        2 => Just(0),
        1 => Just(0x2000),
        1 => 1..0x1fffu16,
        1 => 0x2001..0x3fffu16,
        1 => Just(0x8000),
    ];
    let ttl = prop_oneof![6 => Just(64u8), 1 => 0..3u8, 1 => any::<u8>()];
    let total = prop_oneof![20 => Just(0), 1 => -40..40, 1 => Just(-10_000), 1 => Just(10_000)];
    let sum = prop_oneof![20 => Just(0u16), 1 => any::<u16>()];
    let parts = (ethernet(), options, flags, ttl, total, sum, transport());
    let frame = parts.prop_map(move |(mut frame, options, flags, ttl, total_off_by, checksum_off_by, transport)| {
        frame.extend([0x08, 0x00]);
        frame.extend(Datagram { options, flags, ttl, total_off_by, checksum_off_by, transport }.bytes(own));
        frame
    });
    frame.boxed()
}

impl Datagram {
    fn bytes(&self, own: Own) -> Vec<u8> {
        let (source, destination) = match own {
            Own::Source(address) => (address, REMOTE),
            Own::Destination(address) => (REMOTE, address),
        };
        let transport = self.transport.bytes(own, source, destination);
        let header = 20 + self.options.len();
        let total = (header + transport.len()) as i32 + self.total_off_by;
        let mut d = vec![0x40 | (header / 4) as u8, 0];
        d.extend((total.clamp(0, 65_535) as u16).to_be_bytes());
        d.extend([0x12, 0x34]);
        d.extend(self.flags.to_be_bytes());
        d.extend([self.ttl, self.transport.protocol(), 0, 0]);
        d.extend(source);
        d.extend(destination);
        d.extend(&self.options);
        let sum = !ones_sum(&d) ^ self.checksum_off_by;
        d[10..12].copy_from_slice(&sum.to_be_bytes());
        d.extend(transport);
        self.transport.finish(&mut d);
        d
    }
}
