//! Next hop, route, uplink and injected frames: sections G and I of README.md.

mod common;

use common::{INSIDE, Mapped, OUTSIDE, PEER, Packet, forwarded, pair, said, udp};
use em_model::{Arrival, Egress, Model, ModelConfig, Port, PuntReason, Verdict};

const FUNCTION: [u8; 6] = [2, 0, 0, 0, 0, 0x0a];
const NEXT_HOP: [u8; 6] = [2, 0, 0, 0, 0x0a, 1];

fn model(next_hop: bool, route: bool) -> Model {
    let next_hop = next_hop.then_some("02:00:00:00:0a:01");
    common::model(&Mapped { next_hop, route, ..Mapped::default() }.text(), ModelConfig::default())
}

/// A datagram with this TTL, behind these tags, between MAC addresses of its own.
fn frame(src: [u8; 4], dst: [u8; 4], ttl: u8, tags: &[u16]) -> Vec<u8> {
    let mut bytes = Packet { src, dst, ..Packet::new(17, udp(5000, b"data")) }.sealed(6, 0).bytes();
    bytes[8] = ttl;
    bytes[10..12].fill(0);
    let check = !common::sum(&bytes[..20]);
    bytes[10..12].copy_from_slice(&check.to_be_bytes());
    let mut frame = common::ethernet(tags, 0x0800, &bytes);
    frame[..12].copy_from_slice(&[6, 6, 6, 6, 6, 6, 4, 4, 4, 4, 4, 4]);
    frame
}

#[test]
fn steps_38_to_40_both_ways() {
    let (host, net) = (Arrival::Host { function: 1 }, Arrival::Net1);
    for tags in [&[][..], &[0x8100], &[0x88a8, 0x8100]] {
        for ttl in 0..=255u8 {
            for (next_hop, route) in [(false, false), (true, false), (true, true)] {
                let mut model = model(next_hop, route);
                for (arrival, given, wanted) in [
                    (host, frame(INSIDE, PEER, ttl, tags), frame(OUTSIDE, PEER, ttl.wrapping_sub(route.into()), tags)),
                    (net, frame(PEER, OUTSIDE, ttl, tags), frame(PEER, INSIDE, ttl.wrapping_sub(route.into()), tags)),
                ] {
                    let verdict = model.frame(arrival, false, &given);
                    if route && ttl <= 1 {
                        let (function, port) = (1, arrival.port());
                        assert_eq!(verdict, Verdict::Punt { reason: PuntReason::Ttl, frame: given, function, port });
                        continue;
                    }
                    let mut wanted = wanted;
                    if next_hop && arrival == host {
                        wanted[..6].copy_from_slice(&NEXT_HOP);
                        wanted[6..12].copy_from_slice(&FUNCTION);
                    } else if next_hop {
                        wanted[..6].copy_from_slice(&FUNCTION);
                    }
                    let got = forwarded(verdict);
                    assert!(got == wanted, "{arrival:?} {ttl}\n{}", em_model::diff(&wanted, &got));
                }
            }
        }
    }
}

#[test]
fn a_used_up_ttl_is_the_last_reason() {
    for (protocol, payload, wanted) in [
        (51, vec![0; 8], "punt unsupported_l4"),
        (17, udp(4791, &[0; 20]), "punt roce"),
        (1, [vec![3, 0, 0, 0, 0, 0, 0, 0], Packet::new(17, udp(1, b"")).bytes()].concat(), "punt icmp_quote_address"),
        (47, vec![], "punt ttl"),
    ] {
        for (arrival, src, dst) in [(Arrival::Host { function: 1 }, INSIDE, PEER), (Arrival::Net0, PEER, OUTSIDE)] {
            let spent = common::with(&Packet { src, dst, ..Packet::new(protocol, payload.clone()) }.frame(&[]), 22, 1);
            assert_eq!(said(&model(true, true).frame(arrival, false, &spent)), wanted);
        }
    }
    // Who has no mapping is not told apart by TTL.
    let stranger = common::with(&Packet { src: PEER, ..Packet::new(47, vec![]) }.frame(&[]), 22, 1);
    assert_eq!(said(&model(true, true).host_tx(1, false, &stranger)), "drop nat_source");
}

#[test]
fn checksums_of_headers_in_every_state_survive_a_hop() {
    // Every value that the header checksum can have, by the identification field.
    let mut model = model(true, true);
    for id in 0..=0xffffu16 {
        let mut given = frame(INSIDE, PEER, 64, &[]);
        given[18..20].copy_from_slice(&id.to_be_bytes());
        given[24..26].fill(0);
        let check = !common::sum(&given[14..34]);
        given[24..26].copy_from_slice(&check.to_be_bytes());
        let out = forwarded(model.host_tx(1, false, &given));
        assert_eq!(common::sum(&out[14..34]), 0xffff);
        assert_ne!(pair(&out, 24), 0xffff, "0 is sent as 0");
    }
}

#[test]
fn the_uplink_follows_the_links() {
    for (word, named, other) in [("net0", Port::Net0, Port::Net1), ("net1", Port::Net1, Port::Net0)] {
        let pass = "[[function]]\nid = 7\nmode = \"pass\"\nmac = \"02:00:00:00:00:07\"\n";
        let more = format!("{pass}[port]\nuplink = \"{word}\"\n");
        let mut model = common::model(&Mapped { more: &more, ..Mapped::default() }.text(), ModelConfig::default());
        let given = frame(INSIDE, PEER, 64, &[]);
        for up in [[true, true], [true, false], [false, true], [false, false], [true, true]] {
            model.set_link_up(up);
            let (named_up, other_up) = if word == "net0" { (up[0], up[1]) } else { (up[1], up[0]) };
            let wanted = if !named_up && other_up { other } else { named };
            for arrival in [
                Arrival::Host { function: 1 },
                Arrival::Host { function: 7 },
                Arrival::Injected { egress: Egress::Uplink, function: 1 },
            ] {
                match model.frame(arrival, false, &given) {
                    Verdict::Forward { port, .. } => assert_eq!(port, wanted, "{word} {up:?} {arrival:?}"),
                    verdict => panic!("{verdict:?}"),
                }
            }
            // What comes in does not depend on links.
            assert_eq!(said(&model.frame(Arrival::Net0, false, &frame(PEER, OUTSIDE, 64, &[]))), "forward host");
        }
    }
}

#[test]
fn steps_55_and_56_injected_frames() {
    let mut model = common::model(
        &Mapped { more: "[port]\nuplink = \"net1\"\n", ..Mapped::default() }.text(),
        ModelConfig { max_frame: 2048, ..ModelConfig::default() },
    );
    model.set_link_up([false, true]);
    let broken = common::with(&frame(INSIDE, PEER, 64, &[]), 14, 0x41);
    for (egress, port) in [
        (Egress::Host, Port::Host),
        (Egress::Net0, Port::Net0),
        (Egress::Net1, Port::Net1),
        (Egress::Uplink, Port::Net1),
    ] {
        // No function 5 is declared; the frame is malformed, and a translated one would not be.
        let arrival = Arrival::Injected { egress, function: 5 };
        for frame in
            [&broken, &frame(INSIDE, PEER, 0, &[]), &frame(PEER, OUTSIDE, 1, &[]), &vec![0; 14], &vec![0; 2048]]
        {
            let wanted = Verdict::Forward { port, function: 5, frame: frame.clone() };
            assert_eq!(model.frame(arrival, false, frame), wanted);
        }
        assert_eq!(said(&model.frame(arrival, true, &broken)), "drop bad_frame");
        assert_eq!(said(&model.frame(arrival, false, &[0; 13])), "drop runt");
        assert_eq!(said(&model.frame(arrival, false, &[0; 2049])), "drop oversize");
    }
}

#[test]
fn everything_is_counted_where_it_went() {
    let mut model = model(false, false);
    model.frame(Arrival::Host { function: 1 }, false, &frame(INSIDE, PEER, 64, &[]));
    model.frame(Arrival::Host { function: 2 }, false, &[0; 60]);
    model.frame(Arrival::Net1, false, &frame(PEER, OUTSIDE, 64, &[]));
    model.frame(Arrival::Net0, false, &[0; 61]);
    model.frame(Arrival::Net0, true, &[0; 62]);
    model.frame(Arrival::Injected { egress: Egress::Host, function: 1 }, false, &[0; 63]);
    model.frame(Arrival::Injected { egress: Egress::Net1, function: 3 }, false, &[0; 64]);
    let counters = model.counters();
    let frames = |port| (counters.entered(port).frames, counters.left(port).frames);
    assert_eq!(Port::ALL.map(frames), [(2, 2), (2, 1), (1, 1), (2, 1)]);
    assert_eq!(counters.entered(Port::Net0).bytes, 123);
    assert_eq!(counters.left(Port::Om).bytes, 61);
    let function = |number| counters.function(number);
    assert_eq!((function(1).tx.frames, function(1).rx.frames, function(1).dropped), (1, 2, 0));
    assert_eq!(function(1).rx.bytes, 46 + 63);
    assert_eq!((function(2).tx.frames, function(2).dropped), (0, 1));
    assert_eq!((function(3).tx.frames, function(3).tx.bytes), (1, 64));
    assert_eq!((counters.frames_in, counters.frames_out, counters.translated), (7, 4, 2));
    assert_eq!(counters.frames_in, counters.frames_out + counters.punted_total() + counters.dropped_total());
}
