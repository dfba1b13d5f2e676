//! Frames for the parser: anything from a single byte to ICMP errors behind options and tags.

use rand::{RngExt, SeedableRng, rngs::StdRng};

/// An Ethernet frame with an IPv4 datagram. Bytes that no field here names are random, from `seed`.
#[derive(Clone, Debug)]
pub struct Ipv4 {
    pub seed: u64,
    pub tags: usize,
    /// What the header says; from 5 on it is as long as that.
    pub ihl: u8,
    pub protocol: u8,
    pub fragment: u16,
    /// Bytes behind the header.
    pub payload: usize,
    /// The IPv4 checksum is wrong by this.
    pub wrong: Option<u16>,
}

/// Ones'-complement sum of half-words, folded.
fn sum(bytes: &[u8]) -> u16 {
    let total: u32 = bytes.chunks(2).map(|c| u32::from(c[0]) << 8 | u32::from(*c.get(1).unwrap_or(&0))).sum();
    let folded = (total & 0xFFFF) + (total >> 16);
    ((folded & 0xFFFF) + (folded >> 16)) as u16
}

impl Ipv4 {
    /// The frame.
    pub fn bytes(&self) -> Vec<u8> {
        let mut rng = StdRng::seed_from_u64(self.seed);
        let words = usize::from(self.ihl.max(5));
        let header: Vec<u8> = (0..4 * words).map(|_| rng.random()).collect();
        self.with_header(header, &mut rng)
    }

    /// The frame with the header's free bytes all the same.
    pub fn filled(&self, fill: u8) -> Vec<u8> {
        let header = vec![fill; 4 * usize::from(self.ihl.max(5))];
        self.with_header(header, &mut StdRng::seed_from_u64(self.seed))
    }

    fn with_header(&self, mut header: Vec<u8>, rng: &mut StdRng) -> Vec<u8> {
        let mut frame: Vec<u8> = (0..12).map(|_| rng.random()).collect();
        for _ in 0..self.tags {
            frame.extend([[0x81, 0x00], [0x88, 0xA8]][rng.random_range(0..2)]);
            frame.extend([rng.random::<u8>(), rng.random()]);
        }
        frame.extend([8, 0]);
        let total = header.len() + self.payload;
        header[0] = 0x40 | self.ihl;
        header[2..4].copy_from_slice(&(total as u16).to_be_bytes());
        header[6..8].copy_from_slice(&self.fragment.to_be_bytes());
        header[9] = self.protocol;
        header[10..12].fill(0);
        let counted = 4 * usize::from(self.ihl.max(5));
        let checksum = (!sum(&header[..counted])).wrapping_add(self.wrong.unwrap_or(0));
        header[10..12].copy_from_slice(&checksum.to_be_bytes());
        frame.extend(header);
        frame.extend((0..self.payload).map(|_| rng.random::<u8>()));
        frame
    }
}

/// Makes random frames.
pub struct Maker(StdRng);

impl Maker {
    pub fn new(seed: u64) -> Maker {
        Maker(StdRng::seed_from_u64(seed))
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.0.random()).collect()
    }

    pub fn datagram(&mut self) -> Ipv4 {
        let rng = &mut self.0;
        Ipv4 {
            seed: rng.random(),
            tags: rng.random_range(0..3),
            ihl: if rng.random_bool(0.5) { 5 } else { rng.random_range(0..16) },
            protocol: [1, 6, 17, 17, 51, rng.random()][rng.random_range(0..6)],
            fragment: [0, 0x2000, 0x4000, rng.random()][rng.random_range(0..4)],
            payload: [rng.random_range(0..20), rng.random_range(0..100), 200][rng.random_range(0..3)],
            wrong: rng.random_bool(0.3).then(|| rng.random_range(1..0xFFFE)),
        }
    }

    /// Any frame.
    pub fn frame(&mut self) -> Vec<u8> {
        let choice = self.0.random_range(0..10);
        let datagram = self.datagram();
        let bytes = datagram.bytes();
        match choice {
            0 => {
                let n = self.0.random_range(1..=130);
                self.bytes(n)
            }
            1 => {
                let n = self.0.random_range(1..=14);
                self.bytes(n)
            }
            2 => {
                let n = self.0.random_range(1..=bytes.len());
                bytes[..n].to_vec()
            }
            // An IPv6 datagram, its source zero in one half or both.
            3 | 4 => {
                let begins = 14 + 4 * datagram.tags;
                let n = self.0.random_range(40..80);
                let mut ipv6 = self.bytes(n);
                ipv6[0] = 0x60;
                let halves = self.0.random_range(0..4u8);
                for half in 0..2usize {
                    if halves >> half & 1 == 1 {
                        ipv6[8 + 8 * half..16 + 8 * half].fill(0);
                        // Sometimes not quite.
                        if self.0.random_bool(0.3) {
                            let at = 8 + 8 * half + self.0.random_range(0..8);
                            ipv6[at] = 1 << self.0.random_range(0..8);
                        }
                    }
                }
                let mut frame = bytes[..begins].to_vec();
                frame[begins - 2..].copy_from_slice(&[0x86, 0xDD]);
                frame.extend(ipv6);
                frame
            }
            // A third tag, or another type.
            5 => {
                let begins = 14 + 4 * datagram.tags;
                let mut frame = bytes;
                let kind = [[0x81, 0x00], [0x88, 0xA8], [0x08, 0x06], [0x00, 0x40]][self.0.random_range(0..4)];
                frame[begins - 2..begins].copy_from_slice(&kind);
                frame
            }
            _ => bytes,
        }
    }
}
