//! Every step of the rx list in README.md, and every row of its table of frames.

mod common;

use common::{INSIDE, Mapped, OUTSIDE, PEER, Packet, ethernet, mirrored, said, tcp, udp};
use em_model::{Arrival, DropReason, Model, ModelConfig, Port, PuntReason, Verdict};

/// Function 1 translates, function 7 passes, the rest is `port`.
fn model(port: &str, config: ModelConfig) -> Model {
    let pass = "[[function]]\nid = 7\nmode = \"pass\"\nmac = \"02:00:00:00:00:07\"\n\
                [[function]]\nid = 9\nmode = \"drop\"\nmac = \"02:00:00:00:00:09\"\n";
    common::model(&Mapped { more: &format!("{pass}{port}"), ..Mapped::default() }.text(), config)
}

fn rx(frame: &[u8]) -> Verdict {
    model("", ModelConfig::default()).frame(Arrival::Net0, false, frame)
}

#[track_caller]
fn expect(frame: &[u8], wanted: &str) {
    assert_eq!(said(&rx(frame)), wanted, "\n{:#?}", em_model::decode(frame));
    // The same frame to a function in mode pass: never dropped, and translated only where it was translated.
    let mut own = frame.to_vec();
    own[..6].copy_from_slice(&[2, 0, 0, 0, 0, 7]);
    let verdict = rx(&own);
    let mapped = wanted.starts_with("forward") || wanted.starts_with("punt") && wanted != "punt not_for_us";
    if mapped {
        assert_eq!(said(&verdict), wanted);
    } else {
        assert_eq!(verdict, Verdict::Forward { port: Port::Host, function: 7, frame: own });
    }
}

/// From the peer to `dst`.
fn to(dst: [u8; 4], protocol: u8, payload: Vec<u8>) -> Packet {
    Packet { src: PEER, dst, ..Packet::new(protocol, payload) }
}

fn good() -> Vec<u8> {
    to(OUTSIDE, 17, udp(5000, b"data")).sealed(6, 0).frame(&[])
}

fn with(at: usize, byte: u8) -> Vec<u8> {
    common::with(&good(), at, byte)
}

/// An ICMP error to the outside address that quotes what `quote` says.
fn error(quote: &[u8]) -> Vec<u8> {
    to(OUTSIDE, 1, [&[3, 3, 0, 0, 0, 0, 0, 0], quote].concat()).frame(&[])
}

/// What the tenant sent, as the network saw it.
fn sent(protocol: u8, payload: Vec<u8>) -> Packet {
    Packet { src: OUTSIDE, dst: PEER, ..Packet::new(protocol, payload) }
}

#[test]
fn step_41_accounting() {
    let mut model = model("", ModelConfig { max_frame: 2048, ..ModelConfig::default() });
    for port in [Arrival::Net0, Arrival::Net1] {
        assert_eq!(model.frame(port, true, &[0; 3000]), Verdict::Drop(DropReason::BadFrame));
        assert_eq!(model.frame(port, false, &[0; 2049]), Verdict::Drop(DropReason::Oversize));
        assert_eq!(said(&model.frame(port, false, &[0; 2048])), "punt not_for_us");
        assert_eq!(model.frame(port, false, &[0; 13]), Verdict::Drop(DropReason::Runt));
        assert_eq!(said(&model.frame(port, false, &[0; 14])), "punt not_for_us");
    }
    // Not even a function in mode pass gets what cannot be carried.
    let mine = [2, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(said(&model.frame(Arrival::Net0, false, &mine)), "drop runt");
    assert_eq!(said(&model.frame(Arrival::Net0, true, &[&mine[..], &[0; 50]].concat())), "drop bad_frame");
}

#[test]
fn steps_43_to_47_are_punted_with_the_mappings_function() {
    let punted = |frame: &[u8], wanted: PuntReason, config: &ModelConfig| {
        for (arrival, port) in [(Arrival::Net0, Port::Net0), (Arrival::Net1, Port::Net1)] {
            let verdict = model("", config.clone()).frame(arrival, false, frame);
            assert_eq!(verdict, Verdict::Punt { reason: wanted, frame: frame.to_vec(), function: 1, port });
        }
    };
    let usual = ModelConfig::default();
    for protocol in [33, 51, 136] {
        punted(&to(OUTSIDE, protocol, vec![]).frame(&[]), PuntReason::UnsupportedL4, &usual);
        let later = Packet { fragment: 1, ..to(OUTSIDE, protocol, vec![0; 8]) };
        punted(&later.frame(&[0x8100]), PuntReason::UnsupportedL4, &usual);
        expect(&to(PEER, protocol, vec![]).frame(&[]), "punt not_for_us");
        punted(&error(&sent(protocol, vec![0; 8]).bytes()), PuntReason::UnsupportedL4, &usual);
    }
    let quote = sent(17, udp(5000, b"data"));
    let plain = ModelConfig { icmp_error_rewrite: false, ..usual.clone() };
    punted(&error(&quote.bytes()), PuntReason::IcmpError, &plain);
    punted(&error(&[]), PuntReason::IcmpError, &plain);
    punted(&error(&Packet { options: vec![1; 4], ..quote.clone() }.bytes()), PuntReason::IcmpQuoteOptions, &usual);
    // The tenant was the source of what is quoted, not its destination.
    punted(&error(&Packet { src: PEER, dst: OUTSIDE, ..quote.clone() }.bytes()), PuntReason::IcmpQuoteAddress, &usual);
    punted(&error(&Packet { src: INSIDE, ..quote }.bytes()), PuntReason::IcmpQuoteAddress, &usual);
    let roce = to(OUTSIDE, 17, udp(4791, &[0; 20]));
    punted(&roce.frame(&[]), PuntReason::Roce, &usual);
    punted(&Packet { fragment: 0x2000, ..roce.clone() }.frame(&[]), PuntReason::Roce, &usual);
    expect(&Packet { fragment: 1, ..roce.clone() }.frame(&[]), "forward host");
    let patching = ModelConfig { roce: true, ..usual };
    punted(&Packet { fragment: 0x2000, ..roce.clone() }.frame(&[]), PuntReason::Roce, &patching);
    punted(&to(OUTSIDE, 17, udp(4791, &[0; 15])).frame(&[]), PuntReason::Roce, &patching);
    assert_eq!(said(&model("", patching).frame(Arrival::Net0, false, &roce.frame(&[]))), "forward host");
}

#[test]
fn step_48_goes_to_the_function_of_the_mapping() {
    let wanted = to(INSIDE, 17, udp(5000, b"data")).sealed(6, 0).frame(&[]);
    assert_eq!(rx(&good()), Verdict::Forward { port: Port::Host, function: 1, frame: wanted });
    // Two functions with one inside address, and a mapping to itself.
    let text = "[[function]]\nid = 4\nmode = \"nat\"\n[[function]]\nid = 5\nmode = \"nat\"\n\
        [[nat]]\nfunction = 4\ninside = \"10.0.0.1\"\noutside = \"203.0.113.4\"\n\
        [[nat]]\nfunction = 5\ninside = \"10.0.0.1\"\noutside = \"203.0.113.5\"\n\
        [[nat]]\nfunction = 5\ninside = \"203.0.113.6\"\noutside = \"203.0.113.6\"\n";
    let mut model = common::model(text, ModelConfig::default());
    for (last, function, inside) in [(4, 4, [10, 0, 0, 1]), (5, 5, [10, 0, 0, 1]), (6, 5, [203, 0, 113, 6])] {
        let packet = |dst| to(dst, 6, tcp(b"x")).sealed(16, 0).frame(&[]);
        let verdict = model.frame(Arrival::Net1, false, &packet([203, 0, 113, last]));
        assert_eq!(verdict, Verdict::Forward { port: Port::Host, function, frame: packet(inside) });
    }
    assert_eq!(
        said(&model.frame(Arrival::Net1, false, &to([10, 0, 0, 1], 17, udp(1, b"")).frame(&[]))),
        "punt not_for_us"
    );
}

#[test]
fn steps_50_to_54_for_nobodys_frames() {
    let stranger = to(PEER, 17, udp(5000, b"data")).frame(&[]);
    let broken = with(14, 0x41);
    let mut own = broken.clone();
    own[5] = 7;
    let to_self = |function, frame: &[u8]| Verdict::Forward { port: Port::Host, function, frame: frame.to_vec() };
    let punt = Verdict::Punt { reason: PuntReason::NotForUs, frame: stranger.clone(), function: 0, port: Port::Net1 };
    for (rule, wanted) in [
        ("", punt.clone()),
        ("not_for_us = \"punt\"", punt),
        ("not_for_us = \"drop\"", Verdict::Drop(DropReason::NotForUs)),
        ("not_for_us = \"pass\"\npass_function = 7", to_self(7, &stranger)),
        ("not_for_us = \"pass\"\npass_function = 1", to_self(1, &stranger)),
    ] {
        let mut model = model(&format!("[port]\n{rule}\n"), ModelConfig::default());
        assert_eq!(model.frame(Arrival::Net1, false, &stranger), wanted, "{rule}");
        assert_eq!(said(&model.frame(Arrival::Net1, false, &broken)), "drop malformed_ihl", "{rule}");
        assert_eq!(model.frame(Arrival::Net1, false, &own), to_self(7, &own), "{rule}");
    }
    // MAC addresses of functions in other modes are not compared.
    for last in [0x0a, 9] {
        let mut frame = stranger.clone();
        frame[5] = last;
        assert_eq!(said(&rx(&frame)), "punt not_for_us");
    }
}

#[test]
fn frames_that_one_would_try() {
    expect(&good(), "forward host");
    for mac in [[0xff; 6], [1, 0, 0x5e, 0, 0, 1], [2, 0, 0, 0, 0, 0x0a], [0; 6]] {
        let mut frame = good();
        frame[..6].copy_from_slice(&mac);
        assert_eq!(said(&rx(&frame)), "forward host");
        let mut frame = to(PEER, 17, udp(1, b"")).frame(&[]);
        frame[..6].copy_from_slice(&mac);
        assert_eq!(said(&rx(&frame)), "punt not_for_us");
    }
    // Nearly the MAC address of the function in mode pass, group bit set among them.
    for (at, bit) in (0..6).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
        let mut frame = ethernet(&[], 0x0806, &[0; 46]);
        frame[..6].copy_from_slice(&[2, 0, 0, 0, 0, 7]);
        frame[at] ^= 1 << bit;
        assert_eq!(said(&rx(&frame)), "punt not_for_us");
    }
    for ethertype in [0x0000, 0x002e, 0x05dc, 0x05dd, 0x05ff, 0x0600, 0x0806, 0x8808, 0x88cc, 0x9100, 0xffff] {
        expect(&ethernet(&[], ethertype, &to(OUTSIDE, 17, udp(1, b"")).bytes()), "punt not_for_us");
    }
    for dst in [[0; 4], [255; 4], [224, 0, 0, 1], [127, 0, 0, 1], [203, 0, 113, 4], INSIDE] {
        expect(&to(dst, 17, udp(67, b"")).frame(&[]), "punt not_for_us");
    }
    for src in [[0; 4], [255; 4], [224, 0, 0, 1], OUTSIDE, INSIDE] {
        expect(&Packet { src, ..to(OUTSIDE, 17, udp(67, b"")) }.frame(&[]), "forward host");
    }
    for ttl in [0, 1, 255] {
        expect(&with(22, ttl), "forward host");
    }
    expect(&to(OUTSIDE, 17, udp(4789, &[0; 64])).frame(&[]), "forward host");
    for protocol in [2, 4, 41, 47, 50, 89, 132, 253] {
        expect(&to(OUTSIDE, protocol, vec![]).frame(&[]), "forward host");
    }
}

#[test]
fn tags_are_looked_through() {
    for tpid in [0x8100, 0x88a8] {
        for tags in [vec![tpid], vec![0x8100, tpid], vec![0x88a8, tpid]] {
            let full = to(OUTSIDE, 17, udp(5000, b"data")).frame(&tags);
            expect(&full, "forward host");
            expect(&full[..14 + 4 * tags.len() - 1], "drop malformed_eth");
            expect(&full[..14 + 4 * tags.len()], "drop malformed_ipv4_length");
        }
    }
    expect(&to(OUTSIDE, 17, udp(5000, b"data")).frame(&[0x8100; 3]), "punt not_for_us");
}

#[test]
fn faults_have_their_reasons_whoever_the_frame_is_for() {
    let tcp_offset = |offset: u8| {
        let mut segment = tcp(b"");
        segment[12] = offset << 4;
        segment
    };
    for dst in [OUTSIDE, PEER, [0; 4]] {
        let frame = to(dst, 17, udp(5000, b"data")).frame(&[]);
        expect(&frame[..33], "drop malformed_ipv4_length");
        expect(&common::with(&frame, 14, 0x55), "drop malformed_ipv4_version");
        expect(&common::with(&frame, 14, 0x44), "drop malformed_ihl");
        expect(&common::with(&frame, 17, 19), "drop malformed_ipv4_length");
        expect(&common::with(&frame, 17, 33), "drop malformed_ipv4_length");
        let mut wrong = frame.clone();
        wrong[25] ^= 1;
        expect(&wrong, "drop malformed_ipv4_checksum");
        for (payload, protocol, wanted) in [
            (udp(1, b"")[..7].to_vec(), 17, "drop malformed_udp"),
            (tcp(b"")[..19].to_vec(), 6, "drop malformed_tcp"),
            (tcp_offset(4), 6, "drop malformed_tcp"),
            (tcp_offset(6), 6, "drop malformed_tcp"),
            (vec![8, 0, 0, 0, 0, 0, 0], 1, "drop malformed_icmp"),
            // An error without a whole quoted header.
            (
                [vec![3, 0, 0, 0, 0, 0, 0, 0], sent(17, vec![]).bytes()[..19].to_vec()].concat(),
                1,
                "drop malformed_icmp",
            ),
        ] {
            expect(&to(dst, protocol, payload.clone()).frame(&[]), wanted);
            let later = Packet { fragment: 0x0001, ..to(dst, protocol, payload) };
            expect(&later.frame(&[]), if dst == OUTSIDE { "forward host" } else { "punt not_for_us" });
        }
    }
}

#[test]
fn ipv6_is_nobodys_or_malformed() {
    let packet = |first: u8, length: u8, next: u8, body: &[u8]| {
        ethernet(&[], 0x86dd, &[&[first, 0, 0, 0, 0, length, next, 255][..], &[0xfe, 0x80], &[0; 30], body].concat())
    };
    expect(&packet(0x60, 8, 17, &[0; 8]), "punt not_for_us");
    expect(&packet(0x60, 24, 58, &[135; 24]), "punt not_for_us");
    expect(&packet(0x60, 9, 17, &[0; 8]), "drop malformed_ipv6");
    expect(&packet(0x40, 8, 17, &[0; 8]), "drop malformed_ipv6");
    expect(&packet(0x60, 8, 17, &[0; 8])[..53], "drop malformed_ipv6");
}

#[test]
fn padding_options_and_fragments_come_through() {
    for options in [vec![], vec![1; 4], vec![1; 40]] {
        for fragment in [0, 0x4000, 0x8000, 0x2000, 0x2001, 0x00b9] {
            for (protocol, payload, at) in [(17, udp(5000, b"data"), 6), (6, tcp(b"data"), 16)] {
                let packet = |dst| Packet { options: options.clone(), fragment, ..to(dst, protocol, payload.clone()) };
                let given = packet(OUTSIDE).sealed(at, 0);
                let mut wanted = packet(INSIDE).sealed(at, 0);
                if fragment & 0x1fff != 0 {
                    wanted.payload.clone_from(&given.payload);
                }
                let padded = |packet: Packet| [packet.frame(&[0x8100]), vec![0xee; 9]].concat();
                let verdict = rx(&padded(given));
                assert_eq!(verdict.frame(), Some(&padded(wanted)[..]), "{fragment:04x} {protocol}");
            }
        }
    }
    let frame = to(OUTSIDE, 17, udp(5000, b"data")).frame(&[]);
    let out = rx(&frame);
    assert_eq!(out.frame(), Some(&to(INSIDE, 17, udp(5000, b"data")).frame(&[])[..]), "UDP checksum 0 stays");
}

#[test]
fn an_icmp_error_is_as_if_the_tenant_had_the_outside_address() {
    let checked = |src: [u8; 4], dst: [u8; 4], quote: &[u8]| {
        let mut icmp = [&[11, 0, 0, 0, 0, 0, 0, 0], quote].concat();
        let check = !common::sum(&icmp);
        icmp[2..4].copy_from_slice(&check.to_be_bytes());
        Packet { src, dst, ..Packet::new(1, icmp) }.frame(&[])
    };
    // From any router on the way.
    for router in [PEER, [10, 9, 8, 7]] {
        for (protocol, payload, at) in
            [(17, udp(5000, b"odd"), 6), (6, tcp(b"data"), 16), (1, vec![8, 0, 0, 0, 1, 2, 3, 4], 2)]
        {
            let quote = |src| {
                let packet = Packet { src, ..sent(protocol, payload.clone()) };
                if protocol == 1 { packet } else { packet.sealed(at, 0) }
            };
            let (given, wanted) = (quote(OUTSIDE).bytes(), quote(INSIDE).bytes());
            let got = rx(&checked(router, OUTSIDE, &given));
            let wanted = checked(router, INSIDE, &wanted);
            assert!(got.frame() == Some(&wanted), "{}", em_model::diff(&wanted, got.frame().unwrap()));
        }
    }
    // The other direction is the mirror image.
    let error = checked(PEER, OUTSIDE, &sent(17, udp(5000, b"data")).sealed(6, 0).bytes());
    let out = common::forwarded(rx(&error));
    let back = model("", ModelConfig::default()).host_tx(1, false, &mirrored(&out));
    assert_eq!(back.frame(), Some(&mirrored(&error)[..]));
}
