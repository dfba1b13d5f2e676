//! Random traffic that is mostly right and wrong in one place at a time: every header, length, option, fragment and
//! checksum corner of IPv4 behind up to three tags, and frames of other kinds.

use super::HostFrame;
use proptest::{collection::vec, prelude::*, sample::select};

/// Inside addresses that the test rules map, and one that they do not.
const SOURCES: [[u8; 4]; 4] = [[192, 0, 2, 10], [192, 0, 2, 11], [192, 0, 2, 200], [0, 0, 0, 0]];

/// One to `most` frames, functions and bad flags mixed in.
pub fn any_traffic(most: usize) -> impl Strategy<Value = Vec<HostFrame>> {
    vec(any_frame(), 1..=most)
}

/// A frame of a mapped function now and then of another one.
pub fn any_frame() -> impl Strategy<Value = HostFrame> {
    let function = prop_oneof![12 => Just(1u16), 3 => Just(2), 1 => Just(3), 1 => Just(4), 1 => Just(5), 1 => any::<u16>()];
    let data = prop_oneof![12 => ipv4_frame(), 2 => other_frame(), 2 => ipv6_frame()];
    (function, prop::bool::weighted(0.03), data, damage()).prop_map(|(function, bad, mut data, damage)| {
        damage.apply(&mut data);
        HostFrame { function, bad, data }
    })
}

/// What is done to a finished frame.
#[derive(Clone, Debug)]
enum Damage {
    None,
    Cut(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Pad(u8),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        8 => Just(Damage::None),
        1 => any::<prop::sample::Index>().prop_map(Damage::Cut),
        1 => (any::<prop::sample::Index>(), 1..=255u8).prop_map(|(i, x)| Damage::Flip(i, x)),
        2 => (1..50u8).prop_map(Damage::Pad),
    ]
}

impl Damage {
    fn apply(&self, frame: &mut Vec<u8>) {
        match self {
            Damage::None => {}
            Damage::Cut(at) => frame.truncate(at.index(frame.len().min(100)) + 1),
            Damage::Flip(at, x) => {
                // Headers are hit, not payload.
                let i = at.index(frame.len().min(110));
                frame[i] ^= x;
            }
            Damage::Pad(n) => frame.resize(frame.len() + usize::from(*n), 0xA5),
        }
    }
}

/// Destination, source and up to three tags, without the type.
fn ethernet() -> impl Strategy<Value = Vec<u8>> {
    let tag = (select(vec![[0x81, 0x00], [0x88, 0xA8]]), any::<[u8; 2]>());
    let tags = prop_oneof![6 => vec(tag.clone(), 0..1), 3 => vec(tag.clone(), 1..2), 3 => vec(tag.clone(), 2..3), 1 => vec(tag, 3..4)];
    tags.prop_map(|tags| {
        let mut head = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
        tags.iter().for_each(|(tpid, tci)| head.extend(tpid.iter().chain(tci)));
        head
    })
}

fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![6 => vec(any::<u8>(), 0..80), 1 => vec(any::<u8>(), 80..1500), 1 => Just(vec![]), 1 => Just(vec![0; 18])]
}

/// The fields of an IPv4 datagram that vary.
#[derive(Clone, Debug)]
struct Ipv4 {
    options: Vec<u8>,
    flags: u16,
    protocol: u8,
    source: [u8; 4],
    total_off_by: i32,
    checksum_off_by: u16,
    transport: Vec<u8>,
}

fn ipv4_frame() -> impl Strategy<Value = Vec<u8>> {
    let options = prop_oneof![5 => Just(0usize), 1 => Just(10), 2 => 1..10usize].prop_flat_map(|n| vec(any::<u8>(), 4 * n));
    let flags = prop_oneof![8 => Just(0x4000u16), 2 => Just(0), 1 => Just(0x2000), 1 => 1..0x1fffu16, 1 => 0x2001..0x3fffu16, 1 => Just(0x8000)];
    let total = prop_oneof![20 => Just(0), 1 => -40..40, 1 => Just(-10_000), 1 => Just(10_000)];
    let sum = prop_oneof![20 => Just(0u16), 1 => any::<u16>()];
    let source = select(vec![SOURCES[0], SOURCES[0], SOURCES[0], SOURCES[1], SOURCES[2], SOURCES[3]]);
    (ethernet(), options, flags, transport(), source, total, sum).prop_map(
        |(mut frame, options, flags, (protocol, transport), source, total_off_by, checksum_off_by)| {
            frame.extend([0x08, 0x00]);
            frame.extend(datagram(&Ipv4 { options, flags, protocol, source, total_off_by, checksum_off_by, transport }));
            frame
        },
    )
}

fn datagram(ip: &Ipv4) -> Vec<u8> {
    let header = 20 + ip.options.len();
    let total = (header + ip.transport.len()) as i32 + ip.total_off_by;
    let mut d = vec![0x40 | (header / 4) as u8, 0];
    d.extend((total.clamp(0, 65_535) as u16).to_be_bytes());
    d.extend([0x12, 0x34]);
    d.extend(ip.flags.to_be_bytes());
    d.extend([64, ip.protocol, 0, 0]);
    d.extend(ip.source);
    d.extend([198, 51, 100, 7]);
    d.extend(&ip.options);
    let sum = !ones_sum(&d) ^ ip.checksum_off_by;
    d[10..12].copy_from_slice(&sum.to_be_bytes());
    // The transport checksum covers a pseudo header with the addresses (RFC 768, RFC 9293).
    let mut transport = ip.transport.clone();
    let at = match ip.protocol {
        6 => 16,
        17 => 6,
        _ => usize::MAX,
    };
    if transport.len() >= at.saturating_add(2) && transport[at..at + 2] != [0, 0] {
        transport[at..at + 2].fill(0);
        let mut covered = ip.source.to_vec();
        covered.extend([198, 51, 100, 7, 0, ip.protocol]);
        covered.extend((transport.len() as u16).to_be_bytes());
        covered.extend(&transport);
        let sum = !ones_sum(&covered);
        transport[at..at + 2].copy_from_slice(&sum.to_be_bytes());
    }
    d.extend(transport);
    d
}

/// Protocol and its header with payload; checksums other than 0 are put right later.
fn transport() -> impl Strategy<Value = (u8, Vec<u8>)> {
    prop_oneof![6 => udp(), 6 => tcp(), 2 => icmp(), 2 => (any::<u8>(), payload()), 1 => (select(vec![33u8, 47, 50, 51, 136]), payload())]
}

fn udp() -> impl Strategy<Value = (u8, Vec<u8>)> {
    let port = prop_oneof![6 => any::<u16>(), 1 => Just(4791u16), 1 => Just(4789)];
    let off = prop_oneof![12 => Just(0i32), 1 => -12..12i32];
    (any::<u16>(), port, off, prop::bool::weighted(0.2), payload()).prop_map(|(source, port, off, no_sum, data)| {
        let length = (8 + data.len() as i32 + off).clamp(0, 65_535) as u16;
        let mut u = source.to_be_bytes().to_vec();
        u.extend(port.to_be_bytes());
        u.extend(length.to_be_bytes());
        u.extend(if no_sum { [0, 0] } else { [1, 1] });
        u.extend(data);
        (17, u)
    })
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

fn ipv6_frame() -> impl Strategy<Value = Vec<u8>> {
    let source = prop_oneof![
        3 => any::<[u8; 16]>(),
        1 => Just([0; 16]),
        1 => any::<[u8; 14]>().prop_map(|r| { let mut a = [0; 16]; a[2..].copy_from_slice(&r); a[0] = 0xfe; a[1] = 0x80 | (a[1] & 0x3f); a }),
    ];
    let next = prop_oneof![2 => Just(58u8), 1 => Just(0), 1 => any::<u8>()];
    let body = (select(vec![128u8, 130, 131, 132, 133, 135, 137, 138, 143, 144, 58]), vec(any::<u8>(), 0..40), any::<u8>());
    let off = prop_oneof![8 => Just(0i32), 1 => -50..50i32];
    (ethernet(), source, next, body, off).prop_map(|(mut frame, source, next, (kind, rest, inner), off)| {
        let mut payload = if next == 0 { vec![58, 0, 5, 2, 0, 0, 1, 0, inner] } else { vec![kind] };
        payload.extend(rest);
        frame.extend([0x86, 0xDD, 0x60, 0, 0, 0]);
        frame.extend(((payload.len() as i32 + off).clamp(0, 65_535) as u16).to_be_bytes());
        frame.extend([next, 255]);
        frame.extend(source);
        frame.extend([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
        frame.extend(payload);
        frame
    })
}

/// ARP, LLC, unknown types, plain noise.
fn other_frame() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![Just(0x0806u16), 0..0x0600u16, Just(0x05dd), Just(0x88cc), Just(0x8035), any::<u16>()];
    let typed = (ethernet(), kind, vec(any::<u8>(), 0..120)).prop_map(|(mut frame, kind, rest)| {
        frame.extend(kind.to_be_bytes());
        frame.extend(rest);
        frame
    });
    prop_oneof![4 => typed, 1 => vec(any::<u8>(), 1..200)]
}

/// Ones'-complement sum of big-endian 16-bit words, an odd byte padded with zero (RFC 1071).
pub(super) fn ones_sum(bytes: &[u8]) -> u16 {
    let mut sum: u32 = bytes.chunks(2).map(|c| u32::from(c[0]) << 8 | u32::from(c.get(1).copied().unwrap_or(0))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}
