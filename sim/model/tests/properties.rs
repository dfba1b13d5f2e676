//! Properties of any traffic.

mod common;

use common::{INSIDE, Packet, forwarded, nat, pair, tcp, udp};
use em_model::{ModelConfig, Verdict, decode, diff};
use proptest::prelude::*;

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What comes out is what the outside host itself would have sent, and the inverse mapping brings the original back.
    #[test]
    fn translation_equals_recomputation((packet, at) in packet(), outside in address(), tags in 0usize..3, pad in 0usize..20) {
        let seal = |packet: Packet| {
            let Some(at) = at else { return packet };
            let mut packet = packet.sealed(at, 0);
            if packet.protocol == 17 && pair(&packet.payload, at) == 0 {
                packet.payload[at..at + 2].fill(0xff);
            }
            packet
        };
        let tags = &[0x88a8, 0x8100][..tags];
        let padding = vec![0xa5; pad];
        let given = [seal(packet.clone()).frame(tags), padding.clone()].concat();
        let wanted = [seal(Packet { src: outside, ..packet }).frame(tags), padding].concat();
        let got = forwarded(nat(INSIDE, outside, ModelConfig::default()).host_tx(1, false, &given));
        prop_assert!(got == wanted, "{}", diff(&wanted, &got));
        let back = forwarded(nat(outside, INSIDE, ModelConfig::default()).host_tx(1, false, &got));
        prop_assert!(back == given, "{}", diff(&given, &back));
    }

    /// A wrong L4 checksum is wrong by as much afterwards.
    #[test]
    fn wrong_stays_wrong(data in proptest::collection::vec(any::<u8>(), 0..40), field in 1u16.., outside in address(), is_tcp: bool) {
        let (protocol, mut payload, at) = if is_tcp { (6, tcp(&data), 16) } else { (17, udp(5000, &data), 6) };
        payload[at..at + 2].copy_from_slice(&field.to_be_bytes());
        let packet = Packet::new(protocol, payload);
        let off = |packet: &Packet, field: u16| (i64::from(field) - i64::from(packet.right(at))).rem_euclid(0xffff);
        let got = forwarded(nat(INSIDE, outside, ModelConfig::default()).host_tx(1, false, &packet.frame(&[])));
        let after = Packet { src: outside, ..packet.clone() };
        prop_assert_eq!(off(&packet, field), off(&after, pair(&got, 34 + at)));
    }

    /// Any bytes get a verdict, which is counted; a forwarded frame differs only in source and checksums; all decode.
    #[test]
    fn anything_is_judged(seed in packet(), cuts in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
                          keep in any::<prop::sample::Index>(), icmp: bool, roce: bool) {
        let mut frame = seed.0.frame(&[]);
        for (at, byte) in cuts {
            let at = at.index(frame.len());
            frame[at] = byte;
        }
        frame.truncate(keep.index(frame.len()) + 1 + frame.len() / 2);
        let config = ModelConfig { icmp_error_rewrite: icmp, roce, ..ModelConfig::default() };
        let mut model = nat(INSIDE, [203, 0, 113, 5], config);
        if let Verdict::Forward { frame: out, .. } = model.host_tx(1, false, &frame) {
            prop_assert_eq!(out.len(), frame.len());
            prop_assert_eq!(&out[..24], &frame[..24]);
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
        nat(INSIDE, [203, 0, 113, 5], ModelConfig::default()).host_tx(1, false, &frame);
        let bytes: Vec<u8> = decode(&frame).iter().flat_map(|field| field.bytes.clone()).collect();
        prop_assert_eq!(bytes, frame);
    }
}
