//! Shared by the model's tests: rules, frames and a recomputation of every checksum.
#![allow(dead_code)]

pub mod case;

use std::path::Path;

use em_model::{Model, ModelConfig, Verdict};
use em_rules::Rules;
use pcap_file::pcap::PcapReader;

pub const INSIDE: [u8; 4] = [192, 0, 2, 10];
pub const OUTSIDE: [u8; 4] = [203, 0, 113, 5];
pub const PEER: [u8; 4] = [198, 51, 100, 7];

/// Rules with one NAT function, number 1, and one mapping.
#[derive(Clone, Debug)]
pub struct Mapped<'t> {
    pub inside: [u8; 4],
    pub outside: [u8; 4],
    pub mac: &'t str,
    pub next_hop: Option<&'t str>,
    pub route: bool,
    /// More rules, as text.
    pub more: &'t str,
}

impl Default for Mapped<'_> {
    fn default() -> Self {
        Mapped { inside: INSIDE, outside: OUTSIDE, mac: "02:00:00:00:00:0a", next_hop: None, route: false, more: "" }
    }
}

impl Mapped<'_> {
    pub fn text(&self) -> String {
        let [inside, outside] = [self.inside, self.outside].map(std::net::Ipv4Addr::from);
        let next_hop =
            self.next_hop.map_or(String::new(), |mac| format!("next_hop_mac = \"{mac}\"\nroute = {}\n", self.route));
        format!(
            "[[function]]\nid = 1\nmode = \"nat\"\nmac = \"{}\"\n\
             [[nat]]\nfunction = 1\ninside = \"{inside}\"\noutside = \"{outside}\"\n{next_hop}{}",
            self.mac, self.more
        )
    }
}

/// A model with these rules.
pub fn model(text: &str, config: ModelConfig) -> Model {
    Model::new(&Rules::parse(text, "R.toml").unwrap(), config).unwrap()
}

/// A model with one NAT function, number 1, that maps `inside` to `outside`.
pub fn nat(inside: [u8; 4], outside: [u8; 4], config: ModelConfig) -> Model {
    model(&Mapped { inside, outside, ..Mapped::default() }.text(), config)
}

/// Every frame of a capture.
pub fn frames(path: &Path) -> Vec<Vec<u8>> {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = PcapReader::new(file).unwrap();
    std::iter::from_fn(|| reader.next_packet().map(|packet| packet.unwrap().data.into_owned())).collect()
}

/// The frame that leaves, or a panic that says what happened instead.
#[track_caller]
pub fn forwarded(verdict: Verdict) -> Vec<u8> {
    match verdict {
        Verdict::Forward { frame, .. } => frame,
        other => panic!("not forwarded: {other:?}"),
    }
}

/// A word for what happened: `forward PORT`, `drop REASON`, `punt REASON`.
pub fn said(verdict: &Verdict) -> String {
    let word = match verdict {
        Verdict::Forward { .. } => "forward",
        Verdict::Punt { .. } => "punt",
        Verdict::Drop(_) => "drop",
    };
    format!("{word} {}", verdict.name())
}

/// `good` with byte `at` replaced and the IPv4 header checksum at 24 made right again.
pub fn with(good: &[u8], at: usize, byte: u8) -> Vec<u8> {
    let mut frame = good.to_vec();
    frame[at] = byte;
    frame[24..26].fill(0);
    let check = !sum(&frame[14..34]);
    frame[24..26].copy_from_slice(&check.to_be_bytes());
    frame
}

/// The frame as its answer would be addressed: IPv4 addresses exchanged, in a quoted header too. No checksum changes.
pub fn mirrored(frame: &[u8]) -> Vec<u8> {
    let mut frame = frame.to_vec();
    let mut start = 14;
    while matches!(pair(&frame, start - 2), 0x8100 | 0x88a8) {
        start += 4;
    }
    exchange(&mut frame, start);
    let payload = start + 4 * usize::from(frame[start] & 15);
    let error =
        frame[start + 9] == 1 && pair(&frame, start + 6) & 0x1fff == 0 && matches!(frame[payload], 3 | 4 | 5 | 11 | 12);
    if error {
        exchange(&mut frame, payload + 8);
    }
    frame
}

/// Exchanges the addresses of the IPv4 header at `start`.
fn exchange(frame: &mut [u8], start: usize) {
    let (source, destination) = frame[start + 12..start + 20].split_at_mut(4);
    source.swap_with_slice(destination);
}

/// Every checksum of an IPv4 frame that is wrong: header, UDP, TCP or ICMP of a whole datagram, and the same of a quoted
/// datagram as far as it is there.
pub fn wrong_checksums(frame: &[u8]) -> Vec<String> {
    let mut start = 14;
    while matches!(pair(frame, start - 2), 0x8100 | 0x88a8) {
        start += 4;
    }
    let mut wrong = Vec::new();
    let payload = check_packet(&frame[start..], "", &mut wrong);
    if let Some(payload) = payload.filter(|payload| frame[start + 9] == 1 && matches!(payload[0], 3 | 4 | 5 | 11 | 12))
    {
        check_packet(&payload[8..], "quoted ", &mut wrong);
    }
    wrong
}

/// The payload of a whole datagram, if all of it is there.
fn check_packet<'f>(packet: &'f [u8], prefix: &str, wrong: &mut Vec<String>) -> Option<&'f [u8]> {
    let header = 4 * usize::from(packet[0] & 15);
    if sum(&packet[..header]) != 0xffff {
        wrong.push(format!("{prefix}IPv4"));
    }
    let payload = packet.get(header..usize::from(pair(packet, 2)))?;
    if pair(packet, 6) & 0x3fff != 0 {
        return None;
    }
    let pseudo = u32::from(sum(&packet[12..20])) + u32::from(packet[9]) + payload.len() as u32;
    let covered = match packet[9] {
        17 if pair(payload, 6) == 0 => return Some(payload),
        6 | 17 => pseudo,
        1 => 0,
        _ => return Some(payload),
    };
    if fold(covered + u32::from(sum(payload))) != 0xffff {
        wrong.push(format!("{prefix}protocol {}", packet[9]));
    }
    Some(payload)
}

/// Folds with carries, unlike the model.
pub fn fold(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}

/// The folded sum of `bytes` as big-endian words.
pub fn sum(bytes: &[u8]) -> u16 {
    fold(bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum())
}

/// An IPv4 packet without its Ethernet header, header checksum right.
#[derive(Clone, Debug)]
pub struct Packet {
    pub options: Vec<u8>,
    pub fragment: u16,
    pub protocol: u8,
    pub src: [u8; 4],
    pub dst: [u8; 4],
    pub payload: Vec<u8>,
}

impl Packet {
    pub fn new(protocol: u8, payload: Vec<u8>) -> Self {
        Packet { options: vec![], fragment: 0, protocol, src: INSIDE, dst: PEER, payload }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let header = 20 + self.options.len();
        let mut bytes = vec![0x40 | (header / 4) as u8, 0];
        bytes.extend(((header + self.payload.len()) as u16).to_be_bytes());
        bytes.extend([0x12, 0x34]);
        bytes.extend(self.fragment.to_be_bytes());
        bytes.extend([64, self.protocol, 0, 0]);
        bytes.extend(self.src);
        bytes.extend(self.dst);
        bytes.extend(&self.options);
        let check = !sum(&bytes);
        bytes[10..12].copy_from_slice(&check.to_be_bytes());
        bytes.extend(&self.payload);
        bytes
    }

    /// As a frame with `tags`.
    pub fn frame(&self, tags: &[u16]) -> Vec<u8> {
        ethernet(tags, 0x0800, &self.bytes())
    }

    /// What the L4 checksum at `at` of the payload has to be.
    pub fn right(&self, at: usize) -> u16 {
        let mut payload = self.payload.clone();
        payload[at..at + 2].fill(0);
        let rest = [u32::from(sum(&self.src)), u32::from(sum(&self.dst)), u32::from(self.protocol)];
        let total: u32 = rest.iter().sum::<u32>() + payload.len() as u32 + u32::from(sum(&payload));
        !fold(total)
    }

    /// Puts the right L4 checksum, and `off` more, at `at` of the payload.
    pub fn sealed(mut self, at: usize, off: u16) -> Self {
        let right = self.right(at);
        let check = fold(u32::from(right) + u32::from(off));
        self.payload[at..at + 2].copy_from_slice(&check.to_be_bytes());
        self
    }
}

/// A frame of `ethertype` behind tags with these TPIDs.
pub fn ethernet(tags: &[u16], ethertype: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0x0a];
    for tag in tags {
        frame.extend(tag.to_be_bytes());
        frame.extend([0x20, 0x64]);
    }
    frame.extend(ethertype.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A UDP datagram with checksum 0.
pub fn udp(dst_port: u16, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x0f, 0xa0];
    bytes.extend(dst_port.to_be_bytes());
    bytes.extend((8 + data.len() as u16).to_be_bytes());
    bytes.extend([0, 0]);
    bytes.extend(data);
    bytes
}

/// A TCP segment without options.
pub fn tcp(data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x0f, 0xa0, 0x01, 0xbb, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x10, 0x20, 0, 0, 0, 0, 0];
    bytes.extend(data);
    bytes
}

/// The pair at `at`.
pub fn pair(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}
