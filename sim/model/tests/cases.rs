//! The shared cases, byte for byte.

mod common;

use common::case::{case, packets};
use common::{INSIDE, OUTSIDE, forwarded, mirrored, nat, said};
use em_model::{Arrival, DropReason, Model, ModelConfig, PuntReason, Verdict, diff};

fn model() -> Model {
    nat(INSIDE, OUTSIDE, ModelConfig::default())
}

/// Every packet of the case comes out as the case says; `choose` gives the model for a packet. The cases travel outwards;
/// their mirror images come back: the expected frame, addresses exchanged, becomes the given one, addresses exchanged.
fn exact(id: &str, mut choose: impl FnMut(&str) -> Model) {
    let case = case(id);
    let (given, wanted) = (packets(&case, "stimulus"), packets(&case, "expected"));
    assert_eq!(given.len(), wanted.len());
    for ((name, frame), (_, wanted)) in given.iter().zip(wanted) {
        let (frame, wanted) = (frame.as_ref().unwrap(), wanted.unwrap());
        let mut model = choose(name);
        let got = forwarded(model.host_tx(1, false, frame));
        assert!(got == wanted, "{id} {name}\n{}", diff(&wanted, &got));
        let back = forwarded(model.frame(Arrival::Net0, false, &mirrored(&wanted)));
        assert!(back == mirrored(frame), "{id} {name}, mirrored\n{}", diff(&mirrored(frame), &back));
    }
}

#[test]
fn nat_01_udp_checksum_zero_stays() {
    exact("NAT-01", |_| model());
}

#[test]
fn nat_02_udp_result_zero_is_ffff() {
    exact("NAT-02", |name| {
        let identity = name.contains("unchanged");
        nat(INSIDE, if identity { INSIDE } else { OUTSIDE }, ModelConfig::default())
    });
}

#[test]
fn nat_03_tcp_checksum_zero_is_a_value() {
    exact("NAT-03", |_| model());
}

#[test]
fn nat_06_later_fragments_have_no_l4() {
    exact("NAT-06", |_| model());
}

#[test]
fn nat_08_options_move_l4() {
    exact("NAT-08", |_| model());
}

#[test]
fn par_01_contradicting_lengths() {
    let reasons = [
        DropReason::MalformedIhl,
        DropReason::MalformedIhl,
        DropReason::MalformedIpv4Version,
        DropReason::MalformedIpv4Length,
        DropReason::MalformedIpv4Length,
        DropReason::MalformedIpv4Length,
        DropReason::MalformedIpv4Length,
    ];
    let given = packets(&case("PAR-01"), "stimulus");
    assert_eq!(given.len(), reasons.len());
    let mut model = model();
    for ((name, frame), reason) in given.iter().zip(reasons) {
        assert_eq!(model.host_tx(1, false, frame.as_ref().unwrap()), Verdict::Drop(reason), "{name}");
    }
    assert_eq!((model.counters().dropped_total(), model.counters().translated), (7, 0));
    // From the network they are as malformed, whatever the bytes say where a destination would be.
    for ((name, frame), reason) in given.iter().zip(reasons) {
        let mut frame = frame.clone().unwrap();
        frame[30..34].copy_from_slice(&OUTSIDE);
        assert_eq!(model.frame(Arrival::Net0, false, &frame), Verdict::Drop(reason), "{name}");
    }
}

#[test]
fn par_03_tags() {
    let case = case("PAR-03");
    let (given, wanted) = (packets(&case, "stimulus"), packets(&case, "expected"));
    for ((name, frame), (_, wanted)) in given.iter().zip(wanted).take(4) {
        let (frame, wanted) = (frame.as_ref().unwrap(), wanted.unwrap());
        let got = forwarded(model().host_tx(1, false, frame));
        assert!(got == wanted, "{name}\n{}", diff(&wanted, &got));
        let back = forwarded(model().frame(Arrival::Net1, false, &mirrored(&wanted)));
        assert!(back == mirrored(frame), "{name}, mirrored\n{}", diff(&mirrored(frame), &back));
    }
    let three = given[4].1.clone().unwrap();
    match model().host_tx(1, false, &three) {
        Verdict::Punt { reason: PuntReason::Unmatched, frame, .. } => assert_eq!(frame, three),
        other => panic!("three tags: {other:?}"),
    }
    assert_eq!(said(&model().frame(Arrival::Net1, false, &three)), "punt not_for_us");
}

#[test]
fn roc_01_the_icrc_survives_nat() {
    let given = packets(&case("ROC-01"), "stimulus");
    let config = ModelConfig { roce: true, ..ModelConfig::default() };
    for (name, frame) in &given[..3] {
        let frame = frame.as_ref().unwrap();
        let out = forwarded(nat(INSIDE, OUTSIDE, config.clone()).host_tx(1, false, frame));
        assert_ne!(out[70..], frame[70..], "{name}: the ICRC covers the source address");
        let back = forwarded(nat(OUTSIDE, INSIDE, config.clone()).host_tx(1, false, &out));
        assert_eq!(&back, frame, "{name}");
        let answer = nat(INSIDE, OUTSIDE, config.clone()).frame(Arrival::Net0, false, &mirrored(&out));
        // The ICRC covers where addresses stand, so the mirror image has another; it is wrong by as much as before.
        assert_eq!(answer.frame().unwrap()[..70], mirrored(frame)[..70], "{name}");
    }
    // A wrong ICRC stays wrong by the same bits.
    let outs: Vec<_> = [0, 3]
        .map(|n| forwarded(nat(INSIDE, OUTSIDE, config.clone()).host_tx(1, false, given[n].1.as_ref().unwrap())))
        .into();
    assert_eq!(outs[0][70..], outs[1][70..]);
    let punted = model().host_tx(1, false, given[0].1.as_ref().unwrap());
    assert!(matches!(punted, Verdict::Punt { reason: PuntReason::Roce, .. }));
}
