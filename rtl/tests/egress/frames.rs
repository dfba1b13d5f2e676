//! Frames with their actions, and byte by byte what must become of them.

use em_rtl::{outcome::Outcome, packet::Direction};
use rand::{RngExt, rngs::StdRng};

/// What is written over a frame; places are bytes from the frame's beginning.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub tags: usize,
    pub address: [u8; 4],
    pub ipv4_checksum: [u8; 2],
    pub l4: Option<(usize, [u8; 2])>,
    /// Place of the quoted header and its new checksum.
    pub quoted: Option<(usize, [u8; 2])>,
    pub quoted_l4: Option<(usize, [u8; 2])>,
    /// Destination and source address; the latter on the way out only.
    pub next_hop: Option<([u8; 6], [u8; 6])>,
    pub ttl: Option<u8>,
    /// Place of the ICRC and what changes in it.
    pub icrc: Option<(usize, [u8; 4])>,
}

/// What an IPv4 header is followed by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behind {
    Nothing,
    Tcp,
    Udp,
    Icmp,
    IcmpQuotingTcp,
    IcmpQuotingUdp,
    IcmpQuotingOther,
    /// UDP with an ICRC so many words behind the least place.
    Roce(usize),
}

impl Behind {
    pub const ALL: [Behind; 10] = [
        Behind::Nothing,
        Behind::Tcp,
        Behind::Udp,
        Behind::Icmp,
        Behind::IcmpQuotingTcp,
        Behind::IcmpQuotingUdp,
        Behind::IcmpQuotingOther,
        Behind::Roce(0),
        Behind::Roce(1),
        Behind::Roce(150),
    ];
}

impl Change {
    /// A change at the places that the headers say.
    pub fn of(rng: &mut StdRng, tags: usize, ihl: usize, behind: Behind) -> Change {
        let ip = 14 + 4 * tags;
        let l4 = ip + 4 * ihl;
        let quoted = l4 + 8;
        let l4_at = match behind {
            Behind::Nothing => None,
            Behind::Tcp => Some(l4 + 16),
            Behind::Udp | Behind::Roce(_) => Some(l4 + 6),
            _ => Some(l4 + 2),
        };
        let quotes = matches!(behind, Behind::IcmpQuotingTcp | Behind::IcmpQuotingUdp | Behind::IcmpQuotingOther);
        let quoted_l4 = match behind {
            Behind::IcmpQuotingTcp => Some(quoted + 20 + 16),
            Behind::IcmpQuotingUdp => Some(quoted + 20 + 6),
            _ => None,
        };
        Change {
            tags,
            address: rng.random(),
            ipv4_checksum: rng.random(),
            l4: l4_at.map(|at| (at, rng.random())),
            quoted: quotes.then(|| (quoted, rng.random())),
            quoted_l4: quoted_l4.map(|at| (at, rng.random())),
            next_hop: rng.random_bool(0.5).then(|| (rng.random(), rng.random())),
            ttl: rng.random_bool(0.5).then(|| rng.random()),
            icrc: match behind {
                Behind::Roce(words) => Some((l4 + 20 + 4 * words, rng.random())),
                _ => None,
            },
        }
    }

    /// Bytes that a frame has at least if all this is to be written.
    pub fn reach(&self) -> usize {
        let quoted = self.quoted.map_or(0, |(at, _)| at + 20);
        let ends = [self.l4, self.quoted_l4].into_iter().flatten().map(|(at, _)| at + 2);
        let icrc = self.icrc.map_or(0, |(at, _)| at + 4);
        ends.chain([34 + 4 * self.tags, quoted, icrc]).max().unwrap()
    }

    /// Writes it.
    pub fn apply(&self, direction: Direction, frame: &mut [u8]) {
        let mut put = |at: usize, bytes: &[u8]| frame[at..at + bytes.len()].copy_from_slice(bytes);
        let ip = 14 + 4 * self.tags;
        let (own, other) = if direction == Direction::Tx { (12, 16) } else { (16, 12) };
        put(ip + own, &self.address);
        put(ip + 10, &self.ipv4_checksum);
        if let Some((at, sum)) = self.l4 {
            put(at, &sum);
        }
        if let Some((at, sum)) = self.quoted {
            put(at + other, &self.address);
            put(at + 10, &sum);
        }
        if let Some((at, sum)) = self.quoted_l4 {
            put(at, &sum);
        }
        if let Some((dst, src)) = self.next_hop {
            put(0, &dst);
            if direction == Direction::Tx {
                put(6, &src);
            }
        }
        if let Some(ttl) = self.ttl {
            put(ip + 8, &[ttl]);
        }
        if let Some((at, difference)) = self.icrc {
            frame[at..at + 4].iter_mut().zip(difference).for_each(|(byte, change)| *byte ^= change);
        }
    }
}

/// A frame in the buffer with its action.
#[derive(Clone, Debug)]
pub struct Frame {
    pub bytes: Vec<u8>,
    pub outcome: Outcome,
    pub port: u64,
    pub function: u64,
    pub function_known: bool,
    pub change: Option<Change>,
}

impl Frame {
    /// Of `length` random bytes, unchanged.
    pub fn new(rng: &mut StdRng, length: usize, outcome: Outcome) -> Frame {
        Frame {
            bytes: (0..length).map(|_| rng.random()).collect(),
            outcome,
            port: rng.random_range(0..4),
            function: rng.random_range(0..65_536),
            function_known: rng.random(),
            change: None,
        }
    }

    /// The bytes as they must leave.
    pub fn leaves(&self, direction: Direction) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        if let (Some(change), true) = (&self.change, self.outcome.code() < 16) {
            change.apply(direction, &mut bytes);
        }
        bytes
    }
}

/// Outcomes that a path of this direction forwards with.
pub fn forwards(direction: Direction) -> &'static [Outcome] {
    match direction {
        Direction::Tx => &[Outcome::Net0, Outcome::Net1],
        Direction::Rx => &[Outcome::Host],
    }
}
