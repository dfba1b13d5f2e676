//! ICMP errors with their quoted datagrams.

mod common;

use common::{INSIDE, OUTSIDE, PEER, Packet, forwarded, mirrored, nat, pair, tcp, udp};
use em_model::{Arrival, DropReason, Model, ModelConfig, PuntReason, Verdict, diff};

fn model() -> Model {
    nat(INSIDE, OUTSIDE, ModelConfig { icmp_error_rewrite: true, ..ModelConfig::default() })
}

/// A destination unreachable from `src` that quotes `quote`, all checksums right.
fn error(src: [u8; 4], quote: &[u8]) -> Vec<u8> {
    let mut icmp = vec![3, 3, 0, 0, 0, 0, 0, 0];
    icmp.extend(quote);
    let check = !common::sum(&icmp);
    icmp[2..4].copy_from_slice(&check.to_be_bytes());
    Packet { src, ..Packet::new(1, icmp) }.frame(&[])
}

/// A datagram that the peer sent to `dst`.
fn quoted(dst: [u8; 4], protocol: u8, payload: Vec<u8>) -> Packet {
    Packet { src: PEER, dst, ..Packet::new(protocol, payload) }
}

#[test]
fn the_error_is_as_if_the_host_had_its_outside_address() {
    for data in [&b""[..], b"odd", b"some more data"] {
        let at = |dst| {
            [
                quoted(dst, 17, udp(5000, data)).sealed(6, 0),
                quoted(dst, 6, tcp(data)).sealed(16, 0),
                quoted(dst, 1, vec![8, 0, 1, 2, 3, 4, 5, 6]),
            ]
        };
        for (inside, outside) in at(INSIDE).iter().zip(at(OUTSIDE)) {
            let (given, wanted) = (error(INSIDE, &inside.bytes()), error(OUTSIDE, &outside.bytes()));
            let got = forwarded(model().host_tx(1, false, &given));
            assert!(got == wanted, "{}", diff(&wanted, &got));
        }
    }
}

#[test]
fn a_quote_of_64_bits_has_no_tcp_checksum() {
    for kept in [20, 27, 28, 36, 37, 38] {
        for (protocol, payload, at) in [(6, tcp(b"data"), 16), (17, udp(5000, b"0123456789"), 6)] {
            let (inside, outside) = (quoted(INSIDE, protocol, payload.clone()), quoted(OUTSIDE, protocol, payload));
            let (inside, outside) = (inside.sealed(at, 0).bytes(), outside.sealed(at, 0).bytes());
            let mut wanted = outside[..kept].to_vec();
            if kept < 20 + at + 2 {
                // The field is not whole: it stays.
                wanted[20..].copy_from_slice(&inside[20..kept]);
            }
            let got = forwarded(model().host_tx(1, false, &error(INSIDE, &inside[..kept])));
            assert!(got == error(OUTSIDE, &wanted), "{kept}: {}", diff(&error(OUTSIDE, &wanted), &got));
        }
    }
}

#[test]
fn quoted_udp_without_checksum_and_fragments() {
    let given = error(INSIDE, &quoted(INSIDE, 17, udp(5000, b"x")).bytes());
    let got = forwarded(model().host_tx(1, false, &given));
    assert_eq!(got, error(OUTSIDE, &quoted(OUTSIDE, 17, udp(5000, b"x")).bytes()));
    let later = |dst| Packet { fragment: 3, ..quoted(dst, 17, udp(5000, b"x")) }.sealed(6, 0);
    let inside = later(INSIDE);
    let outside = Packet { payload: inside.payload.clone(), ..later(OUTSIDE) };
    let got = forwarded(model().host_tx(1, false, &error(INSIDE, &inside.bytes())));
    assert_eq!(got, error(OUTSIDE, &outside.bytes()));
}

#[test]
fn a_quoted_first_fragment_has_its_checksum_updated() {
    // The datagram was longer than what is quoted, so its checksum is over more than is there.
    for (protocol, payload, at) in [(17, udp(5000, b"the first part"), 6), (6, tcp(b"the first part"), 16)] {
        let first = |dst| Packet { fragment: 0x2000, ..quoted(dst, protocol, payload.clone()).sealed(at, 0x1234) };
        let got = forwarded(model().host_tx(1, false, &error(INSIDE, &first(INSIDE).bytes())));
        let wanted = error(OUTSIDE, &first(OUTSIDE).bytes());
        assert!(got == wanted, "{}", diff(&wanted, &got));
        let back = model().frame(Arrival::Net0, false, &mirrored(&wanted));
        assert_eq!(back.frame(), Some(&mirrored(&error(INSIDE, &first(INSIDE).bytes()))[..]));
    }
}

#[test]
fn a_redirects_gateway_stays() {
    let quote = |dst| quoted(dst, 17, udp(5000, b"data")).bytes();
    let redirect = |src: [u8; 4]| {
        let mut icmp = [&[5, 1, 0, 0], &INSIDE[..], &quote(src)].concat();
        let check = !common::sum(&icmp);
        icmp[2..4].copy_from_slice(&check.to_be_bytes());
        Packet { src, ..Packet::new(1, icmp) }.frame(&[])
    };
    assert_eq!(forwarded(model().host_tx(1, false, &redirect(INSIDE))), redirect(OUTSIDE));
}

#[test]
fn wrong_checksums_stay_wrong() {
    let mut given = error(INSIDE, &quoted(INSIDE, 17, udp(5000, b"data")).sealed(6, 0x0101).bytes());
    given[36] ^= 0x40;
    let got = forwarded(model().host_tx(1, false, &given));
    let mut wanted = error(OUTSIDE, &quoted(OUTSIDE, 17, udp(5000, b"data")).sealed(6, 0x0101).bytes());
    let right = pair(&wanted, 36);
    let sent = pair(&error(INSIDE, &quoted(INSIDE, 17, udp(5000, b"data")).sealed(6, 0x0101).bytes()), 36);
    let off = i32::from(pair(&given, 36)) - i32::from(sent);
    let check = (i32::from(right) + off).rem_euclid(0xffff) as u16;
    wanted[36..38].copy_from_slice(&check.to_be_bytes());
    assert!(got == wanted, "{}", diff(&wanted, &got));
}

#[test]
fn what_is_not_rewritten() {
    let drop = |frame: Vec<u8>| assert_eq!(model().host_tx(1, false, &frame), Verdict::Drop(DropReason::MalformedIcmp));
    let punt = |frame: Vec<u8>, wanted| match model().host_tx(1, false, &frame) {
        Verdict::Punt { reason, frame: same, .. } => assert!(reason == wanted && same == frame, "{reason}"),
        other => panic!("{other:?}"),
    };
    let quote = quoted(INSIDE, 17, udp(5000, b"data")).bytes();
    drop(error(INSIDE, &quote[..19]));
    drop(error([1, 2, 3, 4], &quote[..19]));
    for first in [0x44, 0x55, 0x65, 0x40] {
        drop(error(INSIDE, &[&[first], &quote[1..]].concat()));
    }
    punt(
        error(INSIDE, &Packet { options: vec![1; 4], ..quoted(INSIDE, 17, udp(1, b"")) }.bytes()),
        PuntReason::IcmpQuoteOptions,
    );
    for protocol in [33, 51, 136] {
        punt(error(INSIDE, &quoted(INSIDE, protocol, vec![0; 8]).bytes()), PuntReason::UnsupportedL4);
    }
    punt(error(INSIDE, &quoted(PEER, 17, udp(1, b"")).bytes()), PuntReason::IcmpQuoteAddress);
    assert_eq!(model().host_tx(1, false, &error(PEER, &quote)), Verdict::Drop(DropReason::NatSource));
}
