//! Properties of any traffic, both directions.

mod common;

use common::{INSIDE, Mapped, OUTSIDE, Packet, fold, forwarded, mirrored, nat, pair, tcp, udp, wrong_checksums};
use em_model::{Arrival, Model, ModelConfig, Verdict, decode, diff};
use proptest::prelude::*;

const HOST: Arrival = Arrival::Host { function: 1 };

fn options() -> impl Strategy<Value = Vec<u8>> {
    (0usize..=10).prop_flat_map(|words| proptest::collection::vec(any::<u8>(), 4 * words))
}

fn address() -> impl Strategy<Value = [u8; 4]> {
    let corners = prop::sample::select(vec![[1, 0, 0, 0], [0, 0, 0, 1], [223, 255, 255, 255], [128, 0, 255, 255]]);
    prop_oneof![3 => any::<[u8; 4]>(), 1 => corners]
        .prop_filter("a host address", |address| !matches!(address[0], 0 | 127 | 224..) || *address == [0, 0, 0, 1])
}

/// A whole TCP, UDP or other packet from INSIDE, and where its L4 checksum is.
fn packet() -> impl Strategy<Value = (Packet, Option<usize>)> {
    let l4 = (any::<u8>(), proptest::collection::vec(any::<u8>(), 0..80));
    (l4, options(), any::<[u8; 4]>()).prop_map(|((kind, data), options, dst)| {
        let (protocol, payload, at) = match kind % 4 {
            0 => (17, udp(5000, &data), Some(6)),
            1 | 2 => (6, tcp(&data), Some(16)),
            _ => (47, data, None),
        };
        (Packet { options, dst, ..Packet::new(protocol, payload) }, at)
    })
}

/// As its sender would send it, L4 checksum right.
fn seal(packet: Packet, at: Option<usize>) -> Packet {
    let Some(at) = at else { return packet };
    let mut packet = packet.sealed(at, 0);
    if packet.protocol == 17 && pair(&packet.payload, at) == 0 {
        packet.payload[at..at + 2].fill(0xff);
    }
    packet
}

/// An ICMP error from INSIDE, all checksums right, that quotes `keep` bytes of a datagram that went to INSIDE.
fn error() -> impl Strategy<Value = Packet> {
    let kinds = prop::sample::select(vec![3u8, 4, 5, 11, 12]);
    (packet(), kinds, any::<[u8; 5]>(), 0usize..120, options()).prop_map(|((quoted, at), kind, rest, keep, options)| {
        let (src, dst) = (quoted.dst, quoted.src);
        let mut quote = seal(Packet { src, dst, options: vec![], ..quoted }, at).bytes();
        quote.truncate(20 + keep);
        let mut icmp = [&[kind, rest[0], 0, 0], &rest[1..], &quote].concat();
        let check = !common::sum(&icmp);
        icmp[2..4].copy_from_slice(&check.to_be_bytes());
        Packet { options, dst: src, ..Packet::new(1, icmp) }
    })
}

/// A frame from INSIDE with every checksum right: whole, an error, tagged, padded.
fn frame() -> impl Strategy<Value = Vec<u8>> {
    let datagram = prop_oneof![packet().prop_map(|(packet, at)| seal(packet, at)), error()];
    (datagram, 0usize..3, 0usize..20)
        .prop_map(|(packet, tags, pad)| [packet.frame(&[0x88a8, 0x8100][..tags]), vec![0xa5; pad]].concat())
}

/// The model with INSIDE at `outside`; a next hop each way where `route`.
fn mapped(outside: [u8; 4], route: bool) -> Model {
    let next_hop = route.then_some("02:00:00:00:0a:01");
    common::model(&Mapped { outside, next_hop, route, ..Mapped::default() }.text(), ModelConfig::default())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What comes out is what the outside host itself would have sent, and the inverse mapping brings the original back.
    #[test]
    fn translation_equals_recomputation((packet, at) in packet(), outside in address(), tags in 0usize..3, pad in 0usize..20) {
        let tags = &[0x88a8, 0x8100][..tags];
        let padding = vec![0xa5; pad];
        let given = [seal(packet.clone(), at).frame(tags), padding.clone()].concat();
        let wanted = [seal(Packet { src: outside, ..packet }, at).frame(tags), padding].concat();
        let got = forwarded(nat(INSIDE, outside, ModelConfig::default()).host_tx(1, false, &given));
        prop_assert!(got == wanted, "{}", diff(&wanted, &got));
        let back = forwarded(nat(outside, INSIDE, ModelConfig::default()).host_tx(1, false, &got));
        prop_assert!(back == given, "{}", diff(&given, &back));
    }

    /// Every checksum that was right is right in both directions, routed or not, quoted ones too.
    #[test]
    fn right_checksums_stay_right(given in frame(), outside in address(), route: bool) {
        prop_assert_eq!(wrong_checksums(&given), Vec::<String>::new());
        let mut model = mapped(outside, route);
        let out = forwarded(model.frame(HOST, false, &given));
        prop_assert_eq!(wrong_checksums(&out), Vec::<String>::new());
        let back = forwarded(model.frame(Arrival::Net0, false, &mirrored(&out)));
        prop_assert_eq!(wrong_checksums(&back), Vec::<String>::new());
    }

    /// The answer to what tx sent is, after rx, the answer to what the tenant sent: rx undoes tx, byte for byte.
    #[test]
    fn rx_undoes_tx(given in frame(), outside in address(), route: bool) {
        let mut model = mapped(outside, route);
        let out = forwarded(model.frame(HOST, false, &given));
        let mut back = forwarded(model.frame(Arrival::Net1, false, &mirrored(&out)));
        let mut wanted = mirrored(&given);
        if route {
            // Two hops, and MAC addresses of the hops.
            let start = wanted.len() - payload_from(&wanted).len();
            prop_assert_eq!(back[start + 8] + 2, wanted[start + 8]);
            prop_assert_eq!((&back[..6], &back[6..12]), (&out[6..12], &[2, 0, 0, 0, 0, 0x0a][..]));
            for frame in [&mut back, &mut wanted] {
                frame[..12].fill(0);
                frame[start + 8] = 0;
                frame[start + 10..start + 12].fill(0);
            }
        }
        prop_assert!(back == wanted, "{}", diff(&wanted, &back));
    }

    /// And tx undoes rx, for later fragments and checksums that are anything, too.
    #[test]
    fn tx_undoes_rx((packet, at) in packet(), fragment in prop::sample::select(vec![0u16, 0x2000, 0x2001, 0x00b9]),
                    check in 0u16..0xffff, outside in address()) {
        let mut packet = Packet { src: packet.dst, dst: outside, fragment, ..packet };
        if let Some(at) = at {
            packet.payload[at..at + 2].copy_from_slice(&check.to_be_bytes());
        }
        let given = packet.frame(&[]);
        let mut model = mapped(outside, false);
        let verdict = model.frame(Arrival::Net0, false, &given);
        let out = forwarded(verdict);
        let back = forwarded(model.frame(HOST, false, &mirrored(&out)));
        prop_assert!(back == mirrored(&given), "{}", diff(&mirrored(&given), &back));
    }

    /// A wrong L4 checksum is wrong by as much afterwards.
    #[test]
    fn wrong_stays_wrong(data in proptest::collection::vec(any::<u8>(), 0..40), field in 1u16.., outside in address(), is_tcp: bool, up: bool) {
        let (protocol, mut payload, at) = if is_tcp { (6, tcp(&data), 16) } else { (17, udp(5000, &data), 6) };
        payload[at..at + 2].copy_from_slice(&field.to_be_bytes());
        let packet = Packet::new(protocol, payload);
        let packet = if up { packet } else { Packet { src: packet.dst, dst: outside, ..packet } };
        let off = |packet: &Packet, field: u16| (i64::from(field) - i64::from(packet.right(at))).rem_euclid(0xffff);
        let arrival = if up { HOST } else { Arrival::Net0 };
        let got = forwarded(mapped(outside, false).frame(arrival, false, &packet.frame(&[])));
        let after = if up { Packet { src: outside, ..packet.clone() } } else { Packet { dst: INSIDE, ..packet.clone() } };
        prop_assert_eq!(off(&packet, field), off(&after, pair(&got, 34 + at)));
    }

    /// Any bytes get a verdict, which is counted; a forwarded frame differs only where it may; all decode.
    #[test]
    fn anything_is_judged(seed in frame(), cuts in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
                          keep in any::<prop::sample::Index>(), icmp: bool, roce: bool, down: bool, wild: bool) {
        let mut frame = seed;
        if down {
            let start = frame.len() - payload_from(&frame).len();
            frame[start + 16..start + 20].copy_from_slice(if wild { &INSIDE } else { &OUTSIDE });
            frame[start + 10..start + 12].fill(0);
            let check = !common::sum(&frame[start..][..4 * usize::from(frame[start] & 15)]);
            frame[start + 10..start + 12].copy_from_slice(&check.to_be_bytes());
        }
        for (at, byte) in cuts {
            let at = at.index(frame.len());
            frame[at] = byte;
        }
        frame.truncate(keep.index(frame.len()) + 1 + frame.len() / 2);
        let mut model = nat(INSIDE, OUTSIDE, ModelConfig { icmp_error_rewrite: icmp, roce, ..ModelConfig::default() });
        let arrival = if down { Arrival::Net0 } else { HOST };
        if let Verdict::Forward { frame: out, .. } = model.frame(arrival, false, &frame) {
            prop_assert_eq!(out.len(), frame.len());
            prop_assert_eq!(&out[..14], &frame[..14]);
        }
        let counters = model.counters();
        prop_assert_eq!(counters.frames_in, counters.frames_out + counters.punted_total() + counters.dropped_total());
        let fields = decode(&frame);
        let bytes: Vec<u8> = fields.iter().flat_map(|field| field.bytes.clone()).collect();
        prop_assert_eq!(bytes, frame, "every byte is in one field");
    }

    #[test]
    fn arbitrary_bytes(frame in proptest::collection::vec(any::<u8>(), 0..120), ethertype in prop::sample::select(vec![0x0800u16, 0x86dd, 0x8100, 0x0806])) {
        let mut frame = frame;
        if frame.len() >= 15 {
            frame[12..14].copy_from_slice(&ethertype.to_be_bytes());
            frame[14] = if ethertype == 0x86dd { 0x60 } else { 0x45 };
        }
        let mut model = nat(INSIDE, OUTSIDE, ModelConfig::default());
        model.frame(HOST, false, &frame);
        model.frame(Arrival::Net0, false, &frame);
        prop_assert_eq!(model.counters().frames_in, 2);
        let bytes: Vec<u8> = decode(&frame).iter().flat_map(|field| field.bytes.clone()).collect();
        prop_assert_eq!(bytes, frame);
    }

    /// One hop less at a time: the header checksum that follows is the one that a router would compute afresh.
    #[test]
    fn each_hop_is_a_recomputation(given in frame(), hops in 1u8..60) {
        let mut model = mapped(INSIDE, true);
        let mut now = given.clone();
        for _ in 0..hops {
            now = forwarded(model.frame(HOST, false, &now));
        }
        let start = given.len() - payload_from(&given).len();
        prop_assert_eq!(now[start + 8], 64 - hops);
        let header = start..start + 4 * usize::from(now[start] & 15);
        let mut fresh = now[header].to_vec();
        fresh[10..12].fill(0);
        prop_assert_eq!(pair(&now, start + 10), !fold(u32::from(common::sum(&fresh))));
    }
}

/// What follows the Ethernet header and its tags.
fn payload_from(frame: &[u8]) -> &[u8] {
    let mut start = 14;
    while matches!(pair(frame, start - 2), 0x8100 | 0x88a8) {
        start += 4;
    }
    &frame[start..]
}
