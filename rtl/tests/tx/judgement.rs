//! Every outcome, at the edges of its condition. Frames follow each other without a gap, so that anything left over from
//! one would show in the next.

use crate::{
    frames::{HostFrame, INSIDE, Ipv4, ipv6, other},
    rig::Rig,
};
use em_rtl::outcome::{Kind, Outcome, Outcome::*};
use std::collections::BTreeSet;

const MAPPED: u16 = 1;

/// A frame, what becomes of it, and how it leaves if it does.
struct Expected {
    what: String,
    frame: HostFrame,
    outcome: Outcome,
    out: Option<Vec<u8>>,
}

#[derive(Default)]
struct Plan(Vec<Expected>);

impl Plan {
    /// A frame of the mapped function that is dropped or punted.
    fn not_sent(&mut self, what: &str, outcome: Outcome, bytes: Vec<u8>) {
        self.of(what, outcome, HostFrame::new(MAPPED, bytes));
    }

    fn of(&mut self, what: &str, outcome: Outcome, frame: HostFrame) {
        self.0.push(Expected { what: what.into(), frame, outcome, out: None });
    }

    /// A frame of the mapped function that is translated.
    fn sent(&mut self, what: &str, datagram: &Ipv4) {
        let frame = HostFrame::new(MAPPED, datagram.bytes());
        self.0.push(Expected { what: what.into(), frame, outcome: Net0, out: Some(datagram.translated()) });
    }

    /// The same with bytes changed both in and out.
    fn sent_with(&mut self, what: &str, datagram: &Ipv4, change: impl Fn(&mut Vec<u8>)) {
        let (mut bytes, mut out) = (datagram.bytes(), datagram.translated());
        change(&mut bytes);
        change(&mut out);
        let frame = HostFrame::new(MAPPED, bytes);
        self.0.push(Expected { what: what.into(), frame, outcome: Net0, out: Some(out) });
    }

    /// A frame that is forwarded as it came.
    fn unchanged(&mut self, what: &str, frame: HostFrame) {
        let out = Some(frame.bytes.clone());
        self.0.push(Expected { what: what.into(), frame, outcome: Net0, out });
    }

    /// Sends all frames in order, once from the beginning and once each behind a frame that is translated.
    fn check(self) {
        for between in [false, true] {
            let mut rig = Rig::new();
            let good = Ipv4::udp(b"between");
            for e in &self.0 {
                if between {
                    rig.send(HostFrame::new(MAPPED, good.bytes()));
                }
                rig.send(e.frame.clone());
            }
            rig.run();
            let each = if between { 2 } else { 1 };
            assert_eq!(rig.outcomes.len(), each * self.0.len());
            let (mut sent, mut punted) = (rig.net0.iter(), rig.punt.iter());
            for (i, e) in self.0.iter().enumerate() {
                if between {
                    assert_eq!(rig.outcomes[2 * i], Net0);
                    assert_eq!(sent.next().unwrap().bytes, good.translated(), "the frame before: {}", e.what);
                }
                assert_eq!(rig.outcomes[each * i + each - 1], e.outcome, "{}", e.what);
                match e.outcome.kind() {
                    Kind::Forward => assert_eq!(&sent.next().unwrap().bytes, e.out.as_ref().unwrap(), "{}", e.what),
                    Kind::Punt => {
                        let punt = punted.next().unwrap();
                        assert_eq!(punt.bytes, e.frame.bytes, "{}", e.what);
                        let user = e.outcome.code() | u64::from(e.frame.function) << 8;
                        assert_eq!(punt.user, user, "{}: reason, port 0, function", e.what);
                    }
                    Kind::Drop => {}
                }
            }
            assert!(sent.next().is_none() && punted.next().is_none());
            let lengths: Vec<u64> = rig.net0.iter().map(|f| f.bytes.len() as u64).collect();
            assert_eq!(rig.counted("net0"), lengths);
        }
    }
}

/// The datagram's bytes with the IPv4 header checksum made right again after `change`.
fn header_changed(datagram: &Ipv4, change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut frame = datagram.bytes();
    let at = datagram.begins();
    change(&mut frame[at..]);
    let end = datagram.l4();
    frame[at + 10..at + 12].fill(0);
    let sum = crate::frames::checksum(&[&frame[at..end]]);
    frame[at + 10..at + 12].copy_from_slice(&sum.to_be_bytes());
    frame
}

fn cut(bytes: &[u8], length: usize) -> Vec<u8> {
    bytes[..length].to_vec()
}

fn accounting() -> Plan {
    let mut plan = Plan::default();
    let good = Ipv4::udp(b"payload of a frame").bytes();
    plan.of("bad", BadFrame, HostFrame { bad: true, ..HostFrame::new(MAPPED, good.clone()) });
    plan.of("bad and runt", BadFrame, HostFrame { bad: true, ..HostFrame::new(MAPPED, cut(&good, 5)) });
    plan.of("bad, no function", BadFrame, HostFrame { bad: true, ..HostFrame::new(99, good.clone()) });
    for length in [1, 12, 13] {
        plan.of("runt", Runt, HostFrame::new(MAPPED, cut(&good, length)));
        plan.of("runt in pass", Runt, HostFrame::new(3, cut(&good, length)));
    }
    for length in [9217, 9232, 9233, 20_000] {
        plan.of("oversize", Oversize, HostFrame::new(3, other(0x88B5, length)));
        plan.of("bad and oversize", BadFrame, HostFrame { bad: true, ..HostFrame::new(3, other(0x88B5, length)) });
    }
    plan.unchanged("as long as may be", HostFrame::new(3, other(0x88B5, 9216)));
    plan.unchanged("as short as may be", HostFrame::new(3, other(0x88B5, 14)));
    plan
}

fn functions() -> Plan {
    let mut plan = Plan::default();
    let good = Ipv4::udp(b"payload").bytes();
    let broken = cut(&good, 20);
    for bytes in [&good, &broken] {
        plan.of("no function", NoFunction, HostFrame::new(99, bytes.clone()));
        plan.of("mode drop", FunctionDrop, HostFrame::new(4, bytes.clone()));
        plan.unchanged("mode pass", HostFrame::new(3, bytes.clone()));
    }
    plan
}

fn tags_and_types() -> Plan {
    let mut plan = Plan::default();
    for tags in [vec![], vec![0x8100], vec![0x88A8], vec![0x88A8, 0x8100], vec![0x8100, 0x8100], vec![0x8100, 0x88A8]] {
        plan.sent(&format!("{tags:x?}"), &Ipv4 { tags: tags.clone(), ..Ipv4::udp(b"tagged payload") });
        plan.sent(&format!("{tags:x?} tcp"), &Ipv4 { tags, ..Ipv4::tcp(b"tagged payload") });
    }
    let one = Ipv4 { tags: vec![0x8100], ..Ipv4::udp(b"x") }.bytes();
    let two = Ipv4 { tags: vec![0x88A8, 0x8100], ..Ipv4::udp(b"x") }.bytes();
    for length in [14, 15, 16, 17] {
        plan.not_sent("first tag cut off", MalformedEth, cut(&one, length));
    }
    for length in [18, 19, 20, 21] {
        plan.not_sent("second tag cut off", MalformedEth, cut(&two, length));
    }
    for tpid in [0x8100, 0x88A8] {
        let three = Ipv4 { tags: vec![0x88A8, 0x8100, tpid], ..Ipv4::udp(b"three tags") }.bytes();
        plan.not_sent("three tags", PuntUnmatched, three.clone());
        plan.not_sent("three tags, barely", PuntUnmatched, cut(&three, 22));
        plan.of("three tags, dropped", Unmatched, HostFrame::new(5, three.clone()));
        plan.unchanged("three tags, passed", HostFrame::new(6, three));
    }
    for kind in [0x0806, 0x0801, 0x0700, 0x05DD, 0x05FF, 0x0040, 0x88A7, 0x9100, 0x86DC] {
        plan.not_sent(&format!("type {kind:04x}"), PuntUnmatched, other(kind, 60));
        plan.of(&format!("type {kind:04x}, dropped"), Unmatched, HostFrame::new(5, other(kind, 14)));
        plan.unchanged(&format!("type {kind:04x}, passed"), HostFrame::new(6, other(kind, 61)));
    }
    plan
}

fn ipv4_headers() -> Plan {
    let mut plan = Plan::default();
    for tags in [vec![], vec![0x8100], vec![0x88A8, 0x8100]] {
        let datagram = Ipv4 { tags, ..Ipv4::new(47, b"GRE has no checksum over addresses".to_vec()) };
        let (bytes, at, end) = (datagram.bytes(), datagram.begins(), datagram.bytes().len());
        plan.sent("other protocols change in the header only", &datagram);
        for length in [at, at + 1, at + 2, at + 12, at + 19] {
            plan.not_sent("cut off", MalformedIpv4Length, cut(&bytes, length));
        }
        plan.not_sent("version 5", MalformedIpv4Version, header_changed(&datagram, |h| h[0] = 0x55));
        plan.not_sent("version 0, length 0", MalformedIpv4Version, header_changed(&datagram, |h| h[0] = 0));
        plan.not_sent("4 words", MalformedIhl, header_changed(&datagram, |h| h[0] = 0x44));
        plan.not_sent("no words", MalformedIhl, header_changed(&datagram, |h| h[0] = 0x40));
        let total = |n: usize| header_changed(&datagram, |h| h[2..4].copy_from_slice(&(n as u16).to_be_bytes()));
        for n in [0, 19, end - at + 1, 0x8000, 0xFFFF] {
            plan.not_sent(&format!("total length {n}"), MalformedIpv4Length, total(n));
        }
        plan.not_sent(
            "ends within its header",
            MalformedIpv4Length,
            header_changed(&datagram, |h| {
                h[0] = 0x4F;
                h[2..4].copy_from_slice(&59u16.to_be_bytes());
            }),
        );
        for bit in 0..160 {
            // Bits of version, header length and total length are judged before the sum.
            if !(0..8).contains(&bit) && !(16..32).contains(&bit) {
                let mut wrong = bytes.clone();
                wrong[at + bit / 8] ^= 0x80 >> (bit % 8);
                plan.not_sent(&format!("bit {bit} wrong"), MalformedIpv4Checksum, wrong);
            }
        }
    }
    plan
}

fn ipv4_options() -> Plan {
    let mut plan = Plan::default();
    for words in 0..=10 {
        for tags in [vec![], vec![0x8100], vec![0x8100, 0x8100]] {
            let options: Vec<u8> = (0..4 * words).map(|i| 0x11 * (i as u8 % 15 + 1)).collect();
            for (name, datagram) in [("udp", Ipv4::udp(b"data")), ("tcp", Ipv4::tcp(b"data"))] {
                let datagram = Ipv4 { tags: tags.clone(), options: options.clone(), ..datagram };
                plan.sent(&format!("{name}, {words} words of options"), &datagram);
                let padded = Ipv4 { padding: vec![0xFF; 20 + words], ..datagram.clone() };
                plan.sent(&format!("{name}, {words} words of options, padded"), &padded);
                let mut wrong = datagram.bytes();
                if words > 0 {
                    wrong[datagram.l4() - 1] ^= 1;
                    plan.not_sent("the last byte of the options counts", MalformedIpv4Checksum, wrong);
                }
            }
        }
    }
    // Exactly the header, and nothing but padding behind it.
    plan.sent("header only", &Ipv4::new(99, vec![]));
    plan.sent("header and padding", &Ipv4 { padding: vec![0xAA; 30], ..Ipv4::new(99, vec![]) });
    plan
}

fn layer_4_lengths() -> Plan {
    let mut plan = Plan::default();
    for words in [0, 1, 2, 3, 10] {
        let options = vec![1u8; 4 * words];
        let shaped = |datagram: Ipv4| Ipv4 { options: options.clone(), padding: vec![0x55; 40], ..datagram };
        for length in 0..8 {
            let head = vec![9u8; length];
            plan.not_sent("udp cut off", MalformedUdp, shaped(Ipv4::new(17, head.clone())).bytes());
            plan.not_sent("icmp cut off", MalformedIcmp, shaped(Ipv4::new(1, head.clone())).bytes());
            let first = Ipv4 { fragment: 0x2000, ..shaped(Ipv4::new(17, head.clone())) };
            plan.not_sent("udp cut off in a first fragment", MalformedUdp, first.bytes());
            plan.sent("a later fragment has no udp header", &Ipv4 { fragment: 0x0003, ..first.clone() });
            plan.sent("a later one of many", &Ipv4 { fragment: 0x3FFF, ..first });
        }
        for length in [0, 8, 19] {
            let head = vec![0x60u8; length];
            plan.not_sent("tcp cut off", MalformedTcp, shaped(Ipv4::new(6, head.clone())).bytes());
            let first = Ipv4 { fragment: 0x2000, ..shaped(Ipv4::new(6, head)) };
            plan.not_sent("tcp cut off in a first fragment", MalformedTcp, first.bytes());
        }
        let udp = shaped(Ipv4::udp(b"twelve bytes"));
        let at = udp.l4();
        for (length, good) in
            [(0u16, false), (7, false), (8, true), (19, true), (20, true), (21, false), (0xFFFF, false)]
        {
            let what = format!("udp length {length} of 20");
            let set = |b: &mut Vec<u8>| b[at + 4..at + 6].copy_from_slice(&length.to_be_bytes());
            let mut whole = udp.bytes();
            set(&mut whole);
            if good {
                plan.sent_with(&what, &udp, set);
            } else {
                plan.not_sent(&what, MalformedUdp, whole);
            }
            plan.sent_with("the length of a first fragment is the datagram's", &first_of(&udp), set);
        }
        let tcp = shaped(Ipv4::tcp(b"12 bytes, 12"));
        let at = tcp.l4();
        for (nibble, good) in [(0u8, false), (4, false), (5, true), (8, true), (9, false), (15, false)] {
            let what = format!("tcp data offset {nibble} of 32 bytes");
            let set = |b: &mut Vec<u8>| b[at + 12] = nibble << 4;
            let mut whole = tcp.bytes();
            set(&mut whole);
            if good {
                plan.sent_with(&what, &tcp, set);
            } else {
                plan.not_sent(&what, MalformedTcp, whole);
            }
            plan.sent_with("not judged in a first fragment", &first_of(&tcp), set);
        }
    }
    plan
}

/// The same as a first fragment.
fn first_of(datagram: &Ipv4) -> Ipv4 {
    Ipv4 { fragment: 0x2000, ..datagram.clone() }
}

fn sources() -> Plan {
    let mut plan = Plan::default();
    let from = |source: [u8; 4], datagram: &Ipv4| Ipv4 { source, ..datagram.clone() }.bytes();
    let udp = Ipv4::udp(b"data");
    plan.not_sent("no source", PuntUnmatched, from([0; 4], &udp));
    plan.of("no source, dropped", Unmatched, HostFrame::new(5, from([0; 4], &udp)));
    plan.unchanged("no source, passed", HostFrame::new(6, from([0; 4], &udp)));
    for bit in 0..32 {
        let source = (u32::from_be_bytes(INSIDE) ^ 1 << bit).to_be_bytes();
        plan.not_sent("not its address", NatSource, from(source, &udp));
    }
    for protocol in [51, 136, 33] {
        let opaque = Ipv4::new(protocol, vec![3; 30]);
        plan.not_sent("unsupported", PuntUnsupportedL4, opaque.bytes());
        plan.not_sent("unsupported, short", PuntUnsupportedL4, Ipv4::new(protocol, vec![]).bytes());
        plan.not_sent("unsupported, later", PuntUnsupportedL4, Ipv4 { fragment: 9, ..opaque.clone() }.bytes());
        plan.not_sent("unsupported, not its address", NatSource, from([1, 2, 3, 4], &opaque));
    }
    for kind in 0..=20u8 {
        let message = Ipv4::new(1, [vec![kind, 0, 0, 0], vec![0x45; 28]].concat());
        let error = [3, 4, 5, 11, 12].contains(&kind);
        let (whole, first) = (message.bytes(), first_of(&message).bytes());
        if error {
            plan.not_sent("icmp error", PuntIcmpError, whole);
            plan.not_sent("icmp error, first", PuntIcmpError, first);
            plan.not_sent("icmp error, not its address", NatSource, from([1, 2, 3, 4], &message));
        } else {
            plan.sent("icmp", &message);
        }
        plan.sent("a later fragment has no type", &Ipv4 { fragment: 5, ..message });
    }
    for (port, roce) in [(4791u16, true), (4790, false), (0xB712, false)] {
        let datagram = Ipv4::udp(b"sixteen bytes...");
        let at = datagram.l4() + 2;
        let set = |b: &mut Vec<u8>| b[at..at + 2].copy_from_slice(&port.to_be_bytes());
        for shape in [datagram.clone(), first_of(&datagram)] {
            let mut bytes = shape.bytes();
            set(&mut bytes);
            if roce {
                plan.not_sent("roce", PuntRoce, bytes);
            } else {
                plan.sent_with("not roce", &shape, set);
            }
        }
        plan.sent_with("a later fragment has no port", &Ipv4 { fragment: 1, ..datagram }, set);
    }
    plan
}

fn ipv6_headers() -> Plan {
    let mut plan = Plan::default();
    const GLOBAL: [u8; 16] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9];
    let unmapped = ipv6(17, GLOBAL, &[0; 20]);
    plan.not_sent("not mapped", NatSource, unmapped.clone());
    plan.not_sent("padded", NatSource, [unmapped.clone(), vec![0xFF; 9]].concat());
    for length in [14, 15, 53] {
        plan.not_sent("cut off", MalformedIpv6, cut(&ipv6(17, GLOBAL, &[]), length));
    }
    plan.not_sent("payload beyond the frame", MalformedIpv6, cut(&unmapped, unmapped.len() - 1));
    for length in [0xFFD8u16, 0xFFFF] {
        let mut wraps = unmapped.clone();
        wraps[18..20].copy_from_slice(&length.to_be_bytes());
        plan.not_sent("payload length that would wrap", MalformedIpv6, wraps);
    }
    let mut version = unmapped.clone();
    version[14] = 0x40;
    plan.not_sent("version 4", MalformedIpv6, version);
    for kind in 0..=255u8 {
        let local = (130..=137).contains(&kind) || kind == 143;
        let outcome = if local { PuntUnmatched } else { NatSource };
        plan.not_sent(&format!("icmpv6 {kind}"), outcome, ipv6(58, GLOBAL, &[kind]));
        let behind = [&[58, 0, 5, 2, 0, 0, 1, 0, kind][..], &[0; 7]].concat();
        plan.not_sent(&format!("icmpv6 {kind} behind options"), outcome, ipv6(0, GLOBAL, &behind));
    }
    plan.not_sent("no icmpv6 type", NatSource, [ipv6(58, GLOBAL, &[]), vec![135; 20]].concat());
    let short = [ipv6(0, GLOBAL, &[58, 0, 5, 2, 0, 0, 1, 0]), vec![143; 8]].concat();
    plan.not_sent("options alone", NatSource, short);
    let longer = ipv6(0, GLOBAL, &[58, 1, 5, 2, 0, 0, 1, 0, 143, 0, 0, 0, 0, 0, 0, 0, 143]);
    plan.not_sent("longer options", NatSource, longer);
    plan.not_sent("not icmpv6 behind options", NatSource, ipv6(0, GLOBAL, &[17, 0, 5, 2, 0, 0, 1, 0, 143]));
    plan.not_sent("no source", PuntUnmatched, ipv6(17, [0; 16], &[0; 20]));
    for byte in 0..16 {
        let mut source = [0; 16];
        source[byte] = 1;
        plan.not_sent("nearly no source", NatSource, ipv6(17, source, &[0; 20]));
    }
    for (first, second, local) in
        [(0xFE, 0x80, true), (0xFE, 0xBF, true), (0xFE, 0xC0, false), (0xFE, 0x7F, false), (0xFF, 0x80, false)]
    {
        let source = [&[first, second][..], &[7; 14]].concat().try_into().unwrap();
        let outcome = if local { PuntUnmatched } else { NatSource };
        plan.not_sent("link-local", outcome, ipv6(6, source, &[0; 20]));
    }
    for tags in [vec![0x81, 0, 0, 1], vec![0x88, 0xA8, 0, 1, 0x81, 0, 0, 2]] {
        let tagged = |frame: Vec<u8>| [&frame[..12], &tags, &frame[12..]].concat();
        plan.not_sent("tagged", NatSource, tagged(unmapped.clone()));
        plan.not_sent("tagged neighbour", PuntUnmatched, tagged(ipv6(58, GLOBAL, &[135, 0, 0, 0])));
        plan.not_sent("tagged listener", PuntUnmatched, tagged(ipv6(0, GLOBAL, &[58, 0, 5, 2, 0, 0, 1, 0, 143])));
        plan.not_sent("tagged, cut off", MalformedIpv6, tagged(cut(&unmapped, 53)));
    }
    plan
}

#[test]
fn accounting_comes_before_everything() {
    accounting().check();
}

#[test]
fn the_function_decides_before_the_headers() {
    functions().check();
}

#[test]
fn tags_and_types_are_found() {
    tags_and_types().check();
}

#[test]
fn ipv4_headers_are_verified() {
    ipv4_headers().check();
}

#[test]
fn ipv4_options_and_padding_are_told_apart() {
    ipv4_options().check();
}

#[test]
fn layer_4_lengths_are_verified() {
    layer_4_lengths().check();
}

#[test]
fn sources_are_looked_up_before_anything_is_punted() {
    sources().check();
}

#[test]
fn ipv6_has_no_mapping_but_neighbour_discovery_no_rule() {
    ipv6_headers().check();
}

#[test]
fn every_outcome_but_a_full_punt_buffer_is_met_above() {
    let plans = [
        accounting(),
        functions(),
        tags_and_types(),
        ipv4_headers(),
        ipv4_options(),
        layer_4_lengths(),
        sources(),
        ipv6_headers(),
    ];
    let met: BTreeSet<Outcome> = plans.iter().flat_map(|p| p.0.iter().map(|e| e.outcome)).collect();
    let all: BTreeSet<Outcome> = Outcome::ALL.iter().copied().filter(|o| *o != PuntFull).collect();
    assert_eq!(met, all);
}
