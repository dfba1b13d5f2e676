//! What an IPv4 datagram carries: UDP, TCP, ICMP and its errors, anything else.

use super::{INSIDES, Own};
use crate::em::craft::{REMOTE, ROCE_PORT, ones_sum, set_icrc};
use proptest::{collection::vec, prelude::*, sample::select};

/// Protocol and contents.
#[derive(Clone, Debug)]
pub(super) enum Transport {
    /// A header with payload; its checksum is put right, unless it is 0 or there is none.
    Plain(u8, Vec<u8>),
    /// An ICMP error and what it quotes.
    Error(IcmpError),
    /// A UDP segment with a base transport header and an ICRC, which is right or wrong by so much.
    Roce(Vec<u8>, u32),
}

/// The fields of an ICMP error that vary.
#[derive(Clone, Debug)]
pub(super) struct IcmpError {
    kind: u8,
    /// Bytes 4 to 7 of the message.
    rest: [u8; 4],
    quoted: Quoted,
    /// Bytes of the quoted datagram that are there, at most.
    cut: usize,
    checksum_off_by: u16,
}

/// The quoted datagram.
#[derive(Clone, Debug)]
struct Quoted {
    /// Version and header length.
    first: u8,
    flags: u16,
    protocol: u8,
    segment: Vec<u8>,
    /// Its address at the module's side is another one.
    stranger: bool,
    checksum: u16,
}

impl Transport {
    pub fn protocol(&self) -> u8 {
        match self {
            Transport::Plain(protocol, _) => *protocol,
            Transport::Error(_) => 1,
            Transport::Roce(..) => 17,
        }
    }

    pub fn bytes(&self, own: Own, source: [u8; 4], destination: [u8; 4]) -> Vec<u8> {
        match self {
            Transport::Plain(protocol, segment) => with_checksum(*protocol, segment, source, destination),
            Transport::Error(error) => error.bytes(own),
            Transport::Roce(segment, _) => with_checksum(17, segment, source, destination),
        }
    }

    /// Puts an ICRC at the end of the finished datagram, if it has one.
    pub fn finish(&self, datagram: &mut [u8]) {
        if let Transport::Roce(_, wrong_by) = self {
            set_icrc(datagram);
            let end = datagram.len() - 4;
            datagram[end..].iter_mut().zip(wrong_by.to_be_bytes()).for_each(|(byte, wrong)| *byte ^= wrong);
        }
    }
}

/// The transport checksum covers a pseudo header with the addresses (RFC 768, RFC 9293).
fn with_checksum(protocol: u8, segment: &[u8], source: [u8; 4], destination: [u8; 4]) -> Vec<u8> {
    let mut segment = segment.to_vec();
    let at = match protocol {
        6 => 16,
        17 => 6,
        _ => usize::MAX,
    };
    if segment.len() >= at.saturating_add(2) && segment[at..at + 2] != [0, 0] {
        segment[at..at + 2].fill(0);
        let mut covered = [source, destination].concat();
        covered.extend([0, protocol]);
        covered.extend((segment.len() as u16).to_be_bytes());
        covered.extend(&segment);
        let sum = !ones_sum(&covered);
        segment[at..at + 2].copy_from_slice(&sum.to_be_bytes());
    }
    segment
}

impl IcmpError {
    fn bytes(&self, own: Own) -> Vec<u8> {
        let q = &self.quoted;
        // The datagram that the error is about went the other way.
        let mine = |address| if q.stranger { INSIDES[3] } else { address };
        let (source, destination) = match own {
            Own::Source(address) => (REMOTE, mine(address)),
            Own::Destination(address) => (mine(address), REMOTE),
        };
        let mut quoted = vec![q.first, 0];
        quoted.extend(((20 + q.segment.len()) as u16).to_be_bytes());
        quoted.extend([0x43, 0x21]);
        quoted.extend(q.flags.to_be_bytes());
        quoted.extend([1, q.protocol]);
        quoted.extend(q.checksum.to_be_bytes());
        quoted.extend(source);
        quoted.extend(destination);
        quoted.extend(&q.segment);
        quoted.truncate(self.cut);
        let mut message = vec![self.kind, 1, 0, 0];
        message.extend(self.rest);
        message.extend(quoted);
        let sum = !ones_sum(&message) ^ self.checksum_off_by;
        message[2..4].copy_from_slice(&sum.to_be_bytes());
        message
    }
}

/// Anything that a datagram may carry.
pub(super) fn transport() -> BoxedStrategy<Transport> {
    let other = prop_oneof![2 => any::<u8>(), 1 => select(vec![33u8, 47, 50, 51, 136])];
    let plain = prop_oneof![
        6 => udp(),
        6 => tcp(),
        2 => icmp(),
        3 => (other, payload()),
    ];
    let transport = prop_oneof![
        17 => plain.prop_map(|(protocol, segment)| Transport::Plain(protocol, segment)),
        4 => icmp_error().prop_map(Transport::Error),
        5 => roce(),
    ];
    transport.boxed()
}

fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => vec(any::<u8>(), 0..80),
        1 => vec(any::<u8>(), 80..1500),
        1 => Just(vec![]),
        1 => Just(vec![0; 18]),
    ]
}

fn udp() -> impl Strategy<Value = (u8, Vec<u8>)> {
    let port = prop_oneof![6 => any::<u16>(), 1 => Just(ROCE_PORT), 1 => Just(4789)];
    let off = prop_oneof![12 => Just(0i32), 1 => -12..12i32];
    (any::<u16>(), port, off, prop::bool::weighted(0.2), payload()).prop_map(|(source, port, off, no_sum, data)| {
        let length = (8 + data.len() as i32 + off).clamp(0, 65_535) as u16;
        (17, udp_segment([source, port], length, no_sum, data))
    })
}

/// A UDP header and what follows; a checksum other than 0 is written over later.
fn udp_segment(ports: [u16; 2], length: u16, no_sum: bool, data: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let header = [ports[0], ports[1], length, if no_sum { 0 } else { 0x0101 }];
    header.into_iter().flat_map(u16::to_be_bytes).chain(data).collect()
}

/// RoCEv2 of many lengths, whole words mostly; behind a UDP length that is mostly right.
fn roce() -> BoxedStrategy<Transport> {
    let words = prop_oneof![3 => Just(0usize), 8 => 0..40usize, 2 => 40..300usize, 1 => 300..1100usize];
    let odd = prop_oneof![12 => Just(0usize), 1 => 1..4usize];
    let off = prop_oneof![20 => Just(0i32), 1 => -5..5i32];
    let wrong = prop_oneof![3 => Just(0u32), 1 => any::<u32>(), 1 => (0..32u32).prop_map(|bit| 1 << bit)];
    let parts = (any::<u16>(), words, odd, off, prop::bool::weighted(0.5), wrong, any::<[u8; 16]>());
    let roce = parts.prop_map(|(source, words, odd, off, no_sum, wrong, seed)| {
        let data = 12 + 4 * words + odd + 4;
        let length = ((8 + data) as i32 + off) as u16;
        let bytes = (0..data).map(|i| seed[i % 16].wrapping_add((i / 16) as u8));
        Transport::Roce(udp_segment([source, ROCE_PORT], length, no_sum, bytes), wrong)
    });
    roce.boxed()
}

fn tcp() -> impl Strategy<Value = (u8, Vec<u8>)> {
    let words = prop_oneof![8 => Just(5u8), 3 => 5..=15u8, 1 => 0..5u8];
    (any::<[u8; 12]>(), words, prop::bool::weighted(0.1), payload()).prop_map(|(start, words, zero_sum, data)| {
        let mut t = start.to_vec();
        t.extend([words << 4, 0x18, 1, 0]);
        t.extend(if zero_sum { [0, 0] } else { [1, 1] });
        t.extend([0, 0]);
        t.extend(vec![1; 4 * usize::from(words.saturating_sub(5))]);
        t.extend(data);
        (6, t)
    })
}

fn icmp() -> impl Strategy<Value = (u8, Vec<u8>)> {
    (select(vec![0u8, 3, 4, 5, 8, 11, 12, 13]), vec(any::<u8>(), 0..60)).prop_map(|(kind, rest)| {
        let mut i = vec![kind];
        i.extend(rest);
        (1, i)
    })
}

fn icmp_error() -> BoxedStrategy<IcmpError> {
    let first = prop_oneof![12 => Just(0x45u8), 1 => Just(0x46), 1 => Just(0x44), 1 => any::<u8>()];
    let flags = prop_oneof![8 => Just(0x4000u16), 1 => Just(0x2000), 2 => 1..0x1fffu16];
    let protocol = prop_oneof![5 => Just(17u8), 5 => Just(6), 1 => Just(1), 1 => select(vec![33u8, 51, 136])];
    // Checksums of 0 and near the ends have their own rules.
    let word = prop_oneof![4 => any::<u16>(), 1 => Just(0), 1 => Just(0xffff)];
    let quoted = (first, flags, protocol, vec(any::<u8>(), 0..60), word.clone(), word, prop::bool::weighted(0.05));
    let quoted = quoted.prop_map(|(first, flags, protocol, mut segment, checksum, inner, stranger)| {
        let at = if protocol == 17 { 6 } else { 16 };
        if let Some(field) = segment.get_mut(at..at + 2) {
            field.copy_from_slice(&inner.to_be_bytes());
        }
        Quoted { first, flags, protocol, segment, stranger, checksum }
    });
    let cut = prop_oneof![4 => Just(usize::MAX), 3 => Just(28), 1 => 0..20usize, 2 => 20..50usize];
    let sum = prop_oneof![12 => Just(0u16), 1 => any::<u16>()];
    let kind = select(vec![3u8, 4, 5, 11, 12]);
    let parts = (kind, any::<[u8; 4]>(), quoted, cut, sum);
    let error = parts.prop_map(|(kind, rest, quoted, cut, checksum_off_by)| IcmpError {
        kind,
        rest,
        quoted,
        cut,
        checksum_off_by,
    });
    error.boxed()
}
