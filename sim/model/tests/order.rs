//! Every step of the tx list in README.md, at its boundary.

mod common;

use common::{INSIDE, OUTSIDE, PEER, Packet, ethernet, forwarded, nat, said, tcp, udp};
use em_model::{DropReason, Model, ModelConfig, PuntReason, Verdict, needs_icmp_error_rewrite};
use em_rules::Rules;

#[track_caller]
fn expect(frame: &[u8], wanted: &str) {
    let mut model = nat(INSIDE, OUTSIDE, ModelConfig::default());
    assert_eq!(said(&model.host_tx(1, false, frame)), wanted, "\n{:#?}", em_model::decode(frame));
}

fn good() -> Vec<u8> {
    Packet::new(17, udp(5000, b"data")).sealed(6, 0).frame(&[])
}

fn with(at: usize, byte: u8) -> Vec<u8> {
    common::with(&good(), at, byte)
}

#[test]
fn steps_1_to_3_accounting() {
    let mut model = nat(INSIDE, OUTSIDE, ModelConfig { max_frame: 2048, ..ModelConfig::default() });
    assert_eq!(model.host_tx(9, true, &[0; 3000]), Verdict::Drop(DropReason::BadFrame));
    assert_eq!(model.host_tx(9, false, &[0; 2049]), Verdict::Drop(DropReason::Oversize));
    assert_eq!(model.host_tx(9, false, &[0; 2048]), Verdict::Drop(DropReason::NoFunction));
    assert_eq!(model.host_tx(9, false, &[0; 13]), Verdict::Drop(DropReason::Runt));
    assert_eq!(model.host_tx(9, false, &[0; 14]), Verdict::Drop(DropReason::NoFunction));
    assert_eq!(model.host_tx(9, false, &[]), Verdict::Drop(DropReason::Runt));
}

#[test]
fn steps_4_to_6_modes() {
    let text = "[[function]]\nid = 2\nmode = \"drop\"\n\
                [[function]]\nid = 3\nmode = \"pass\"\nmac = \"02:00:00:00:00:03\"\n[port]\nuplink = \"net1\"\n";
    let mut model = Model::new(&Rules::parse(text, "R.toml").unwrap(), ModelConfig::default()).unwrap();
    assert_eq!(model.host_tx(2, false, &good()), Verdict::Drop(DropReason::FunctionDrop));
    let malformed = with(14, 0x41);
    let passed = model.host_tx(3, false, &malformed);
    assert_eq!(passed, Verdict::Forward { port: em_model::Port::Net1, function: 3, frame: malformed });
    assert_eq!(said(&model.host_tx(3, false, &[0; 13])), "drop runt");
}

#[test]
fn steps_7_to_10_ethernet() {
    for tpid in [0x8100, 0x88a8] {
        for tags in [vec![tpid], vec![0x8100, tpid], vec![0x88a8, tpid]] {
            let full = Packet::new(17, udp(5000, b"data")).frame(&tags);
            expect(&full, "forward net0");
            expect(&full[..14 + 4 * tags.len() - 1], "drop malformed_eth");
            expect(&full[..14 + 4 * tags.len()], "drop malformed_ipv4_length");
        }
    }
    expect(&Packet::new(17, udp(5000, b"data")).frame(&[0x8100; 3]), "punt unmatched");
    expect(&ethernet(&[0x8100; 2], 0x8100, &[]), "punt unmatched");
    for ethertype in [0x0000, 0x002e, 0x05dc, 0x05dd, 0x05ff, 0x0600, 0x0806, 0x9100, 0xffff] {
        expect(&ethernet(&[], ethertype, &Packet::new(17, udp(1, b"")).bytes()), "punt unmatched");
    }
}

#[test]
fn steps_11_to_15_ipv4() {
    expect(&good(), "forward net0");
    expect(&good()[..33], "drop malformed_ipv4_length");
    expect(&with(14, 0x55), "drop malformed_ipv4_version");
    expect(&with(14, 0x54), "drop malformed_ipv4_version");
    expect(&with(14, 0x44), "drop malformed_ihl");
    expect(&with(17, 19), "drop malformed_ipv4_length");
    expect(&with(17, 33), "drop malformed_ipv4_length");
    expect(&with(16, 1), "drop malformed_ipv4_length");
    let mut wrong = good();
    wrong[24] ^= 1;
    expect(&wrong, "drop malformed_ipv4_checksum");
    // Checksum FFFF where 0000 is right is the same sum.
    let mut packet = Packet::new(253, vec![]);
    packet.options = vec![1, 1, 0, 0];
    let check = common::pair(&packet.bytes(), 10);
    packet.options[2..].copy_from_slice(&check.to_be_bytes());
    let mut frame = packet.frame(&[]);
    assert_eq!(common::pair(&frame, 24), 0);
    expect(&frame, "forward net0");
    frame[24..26].fill(0xff);
    expect(&frame, "forward net0");
    // Padding is not payload.
    let mut padded = good();
    padded.resize(60, 0xee);
    let out = forwarded(nat(INSIDE, OUTSIDE, ModelConfig::default()).host_tx(1, false, &padded));
    assert_eq!(out[46..], padded[46..]);
}

#[test]
fn steps_16_to_20_l4_lengths() {
    let l4 = |protocol, payload: &[u8]| Packet::new(protocol, payload.to_vec()).frame(&[]);
    let fragment = |protocol, fragment, payload: &[u8]| {
        let mut packet = Packet::new(protocol, payload.to_vec());
        packet.fragment = fragment;
        packet.frame(&[])
    };
    expect(&l4(17, &udp(1, b"")[..7]), "drop malformed_udp");
    for (length, wanted) in
        [(7, "drop malformed_udp"), (8, "forward net0"), (12, "forward net0"), (13, "drop malformed_udp")]
    {
        let mut datagram = udp(1, b"data");
        datagram[5] = length;
        expect(&l4(17, &datagram), wanted);
        expect(&fragment(17, 0x2000, &datagram), "forward net0");
        expect(&fragment(17, 0x0001, &datagram[..5]), "forward net0");
        expect(&fragment(17, 0x2001, &datagram[..5]), "forward net0");
    }
    expect(&fragment(17, 0x2000, &udp(1, b"")[..7]), "drop malformed_udp");
    expect(&fragment(17, 0x8000, &udp(1, b"data")), "forward net0");
    expect(&l4(6, &tcp(b"")[..19]), "drop malformed_tcp");
    for (offset, wanted) in
        [(4, "drop malformed_tcp"), (5, "forward net0"), (6, "forward net0"), (7, "drop malformed_tcp")]
    {
        let mut segment = tcp(b"data");
        segment[12] = offset << 4;
        expect(&l4(6, &segment), wanted);
        expect(&fragment(6, 0x2000, &segment), "forward net0");
    }
    expect(&fragment(6, 0x2000, &tcp(b"")[..16]), "drop malformed_tcp");
    expect(&fragment(6, 0x2001, &tcp(b"")[..16]), "forward net0");
    expect(&l4(1, &[8, 0, 0, 0, 0, 0, 0]), "drop malformed_icmp");
    expect(&l4(1, &[8, 0, 0, 0, 0, 0, 0, 0]), "forward net0");
}

#[test]
fn steps_22_to_29_nat() {
    let from = |src, protocol, payload: Vec<u8>| Packet { src, ..Packet::new(protocol, payload) }.frame(&[]);
    expect(&from([0; 4], 17, udp(67, b"")), "punt unmatched");
    expect(&from(PEER, 17, udp(67, b"")), "drop nat_source");
    for protocol in [33, 51, 136] {
        expect(&from(INSIDE, protocol, vec![]), "punt unsupported_l4");
        expect(&from(PEER, protocol, vec![]), "drop nat_source");
        let later = Packet { fragment: 1, ..Packet::new(protocol, vec![0; 8]) };
        expect(&later.frame(&[]), "punt unsupported_l4");
    }
    for protocol in [2, 4, 41, 47, 50, 89, 132, 253] {
        expect(&from(INSIDE, protocol, vec![]), "forward net0");
    }
    let mut plain = nat(INSIDE, OUTSIDE, ModelConfig { icmp_error_rewrite: false, ..ModelConfig::default() });
    for kind in 0..=255 {
        let error = [3, 4, 5, 11, 12].contains(&kind);
        let frame = from(INSIDE, 1, vec![kind, 0, 0, 0, 0, 0, 0, 0]);
        expect(&frame, if error { "drop malformed_icmp" } else { "forward net0" });
        assert_eq!(said(&plain.host_tx(1, false, &frame)), if error { "punt icmp_error" } else { "forward net0" });
        assert_eq!(needs_icmp_error_rewrite(&frame), error);
    }
    expect(&from(INSIDE, 17, udp(4791, &[0; 20])), "punt roce");
    expect(&Packet { fragment: 0x2000, ..Packet::new(17, udp(4791, &[0; 20])) }.frame(&[]), "punt roce");
    expect(&Packet { fragment: 0x0001, ..Packet::new(17, udp(4791, &[0; 20])) }.frame(&[]), "forward net0");
    let mut roce = nat(INSIDE, OUTSIDE, ModelConfig { roce: true, ..ModelConfig::default() });
    assert_eq!(said(&roce.host_tx(1, false, &from(INSIDE, 17, udp(4791, &[0; 16])))), "forward net0");
    assert_eq!(said(&roce.host_tx(1, false, &from(INSIDE, 17, udp(4791, &[0; 15])))), "punt roce");
    for surplus in 1..=4 {
        let longer = [udp(4791, &[0; 16]), vec![0; surplus]].concat();
        assert_eq!(said(&roce.host_tx(1, false, &from(INSIDE, 17, longer))), "punt roce");
        let whole = udp(4791, &vec![0; 16 + surplus]);
        let judged = if surplus == 4 { "forward net0" } else { "punt roce" };
        assert_eq!(said(&roce.host_tx(1, false, &from(INSIDE, 17, whole))), judged);
    }
    // The mapping is the function's own.
    let text = "[[function]]\nid = 1\nmode = \"nat\"\n[[function]]\nid = 2\nmode = \"nat\"\n\
                [[nat]]\nfunction = 2\ninside = \"192.0.2.10\"\noutside = \"203.0.113.5\"\n";
    let mut model = Model::new(&Rules::parse(text, "R.toml").unwrap(), ModelConfig::default()).unwrap();
    assert_eq!(said(&model.host_tx(1, false, &good())), "drop nat_source");
    assert_eq!(said(&model.host_tx(2, false, &good())), "forward net0");
}

/// An IPv6 frame from `src`.
fn ipv6(src: [u8; 16], next: u8, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend((payload.len() as u16).to_be_bytes());
    packet.extend([next, 255]);
    packet.extend(src);
    packet.extend([0xff; 16]);
    packet.extend(payload);
    ethernet(&[], 0x86dd, &packet)
}

#[test]
fn steps_30_to_34_ipv6() {
    let global = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    let frame = ipv6(global, 17, &[0; 8]);
    expect(&frame, "drop nat_source");
    expect(&frame[..53], "drop malformed_ipv6");
    expect(&frame[..61], "drop malformed_ipv6");
    let mut wrong = frame.clone();
    wrong[14] = 0x4f;
    expect(&wrong, "drop malformed_ipv6");
    for kind in 0..=255u8 {
        let own = matches!(kind, 130..=137 | 143);
        let wanted = if own { "punt unmatched" } else { "drop nat_source" };
        expect(&ipv6(global, 58, &[kind]), wanted);
        expect(&ipv6(global, 0, &[58, 0, 5, 2, 0, 0, 1, 0, kind]), wanted);
        expect(&ipv6(global, 0, &[17, 0, 5, 2, 0, 0, 1, 0, kind]), "drop nat_source");
        expect(&ipv6(global, 0, &[58, 1, 5, 2, 0, 0, 1, 0, kind]), "drop nat_source");
    }
    expect(&ipv6(global, 58, &[]), "drop nat_source");
    // What lies behind the payload length is padding.
    let mut padded = ipv6(global, 58, &[]);
    padded.push(135);
    expect(&padded, "drop nat_source");
    expect(&ipv6([0; 16], 17, &[0; 8]), "punt unmatched");
    for (second, wanted) in [(0x80, "punt unmatched"), (0xbf, "punt unmatched"), (0xc0, "drop nat_source")] {
        let mut source = global;
        source[..2].copy_from_slice(&[0xfe, second]);
        expect(&ipv6(source, 17, &[0; 8]), wanted);
    }
}

#[test]
fn unmatched_is_what_the_function_says() {
    let arp = ethernet(&[], 0x0806, &[0; 46]);
    for (word, wanted) in [("punt", "punt unmatched"), ("drop", "drop unmatched"), ("pass", "forward net0")] {
        let text = format!("[[function]]\nid = 1\nmode = \"nat\"\nunmatched = \"{word}\"\n");
        let mut model = Model::new(&Rules::parse(&text, "R.toml").unwrap(), ModelConfig::default()).unwrap();
        let verdict = model.host_tx(1, false, &arp);
        assert_eq!(said(&verdict), wanted);
        match verdict {
            Verdict::Forward { frame, .. } | Verdict::Punt { frame, .. } => assert_eq!(frame, arp),
            Verdict::Drop(_) => {}
        }
    }
}

#[test]
fn rules_without_a_model_are_refused_with_their_line() {
    let text = "[[function]]\nid = 1\nmode = \"nat\"\n[[nat]]\nfunction = 1\ninside = \"2001:db8::1\"\noutside = \"2001:db8::2\"\n";
    let error = Model::new(&Rules::parse(text, "R.toml").unwrap(), ModelConfig::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "R.toml:6: an IPv6 [[nat]] mapping is not part of the golden model. Remove it from the file."
    );
}

#[test]
fn names_are_the_variants_in_snake_case() {
    let snake = |variant: String| {
        let mut name = String::new();
        for letter in variant.chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.extend(letter.to_lowercase());
        }
        name
    };
    for reason in DropReason::ALL {
        assert_eq!(reason.name(), snake(format!("{reason:?}")));
        assert_eq!(DropReason::from_name(reason.name()), Some(*reason));
    }
    for reason in PuntReason::ALL {
        assert_eq!(reason.name(), snake(format!("{reason:?}")));
    }
}
