//! The shared cases on the emitted Verilog of the whole EM. Where a case leaves a choice, `behaviour` decided: malformed
//! frames are dropped under their own reason, three tags are *unmatched*.

use em_rtl::outcome::Outcome;
use em_sim::em::Entry;
use em_testbench::em::{InFrame, Scoreboard, case_frames, craft};

const RULES: &str = r#"
[[function]]
id = 1
mode = "nat"

[[nat]]
function = 1
inside = "192.0.2.10"
outside = "203.0.113.5"
"#;

/// Runs a case's frames, and behind each a good one, against the model; then holds them against the case's own bytes.
fn forward(id: &str, rules: &str, only: impl Fn(&str) -> bool) {
    let frames: Vec<_> = case_frames(id).into_iter().filter(|f| only(&f.name)).collect();
    assert!(!frames.is_empty());
    let mut board = Scoreboard::new(rules, 11);
    let input: Vec<InFrame> = frames.iter().map(|f| InFrame::host(1, f.input.clone())).collect();
    let replay = board.run(&input).unwrap_or_else(|e| panic!("{id}: {e}"));
    assert_eq!(replay.outputs.net0.len(), frames.len(), "{id}: every frame is forwarded");
    for (case, out) in frames.iter().zip(&replay.outputs.net0) {
        let expected = case.output.as_ref().expect("the case gives bytes");
        assert_eq!(out.frame, *expected, "{id} {}\n{}", case.name, em_model::diff(expected, &out.frame));
    }
}

#[test]
fn nat_01_udp_checksum_0_stays_0() {
    forward("NAT-01", RULES, |_| true);
}

#[test]
fn nat_02_udp_checksum_that_computes_to_0_is_sent_as_ffff() {
    forward("NAT-02", RULES, |name| !name.starts_with('c'));
    forward("NAT-02", &RULES.replace("203.0.113.5", "192.0.2.10"), |name| name.starts_with('c'));
}

#[test]
fn nat_03_tcp_checksum_0_is_an_ordinary_value() {
    forward("NAT-03", RULES, |_| true);
}

#[test]
fn nat_06_later_fragments_carry_no_transport_header() {
    forward("NAT-06", RULES, |_| true);
}

#[test]
fn nat_08_the_transport_header_starts_at_ihl() {
    forward("NAT-08", RULES, |_| true);
}

#[test]
fn par_01_contradictory_ipv4_lengths_are_dropped_and_the_next_frame_is_translated() {
    let good = &case_frames("NAT-01")[0];
    let bad = case_frames("PAR-01");
    let input: Vec<InFrame> =
        bad.iter().flat_map(|f| [InFrame::host(1, f.input.clone()), InFrame::host(1, good.input.clone())]).collect();
    let mut board = Scoreboard::new(RULES, 12);
    let replay = board.run(&input).unwrap_or_else(|e| panic!("PAR-01: {e}"));
    assert_eq!(replay.outputs.net0.len(), bad.len());
    let expected = good.output.as_ref().expect("the case gives bytes");
    assert!(replay.outputs.net0.iter().all(|f| f.frame == *expected));
    // a, b: IHL; c: version; d, e, f, g: total length.
    let count = |o| replay.counters.of(o);
    assert_eq!(count(Outcome::MalformedIhl), 2);
    assert_eq!(count(Outcome::MalformedIpv4Version), 1);
    assert_eq!(count(Outcome::MalformedIpv4Length), 4);
}

#[test]
fn par_03_up_to_two_tags_are_parsed_and_three_are_punted_unchanged() {
    forward("PAR-03", RULES, |name| !name.starts_with('e'));
    let three = case_frames("PAR-03").into_iter().find(|f| f.name.starts_with('e')).expect("case e");
    let replay =
        Scoreboard::new(RULES, 13).run(&[InFrame::host(1, three.input.clone())]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(replay.outputs.net0.len(), 0);
    assert_eq!(replay.outputs.punted[0].frame, three.input);
    assert_eq!(replay.outputs.punted[0].reason, Some(Outcome::PuntUnmatched));
}

/// The case gives no bytes behind NAT: a right ICRC must come out right, whatever routers did to the masked fields, and a
/// wrong one wrong.
#[test]
fn roc_01_the_icrc_survives_nat_in_both_directions() {
    let frames = case_frames("ROC-01");
    let wrong_by = |frame: &[u8]| {
        let mut right = frame.to_vec();
        craft::set_icrc(&mut right[craft::ETHERNET..]);
        let tail = |f: &[u8]| u32::from_be_bytes(f[f.len() - 4..].try_into().expect("four bytes"));
        tail(&right) ^ tail(frame)
    };
    let wrong: Vec<u32> = frames.iter().map(|f| wrong_by(&f.input)).collect();
    assert_eq!(wrong.iter().map(|w| *w == 0).collect::<Vec<_>>(), [true, true, true, false]);
    let mut board = Scoreboard::new(RULES, 14);
    let out: Vec<InFrame> = frames.iter().map(|f| InFrame::host(1, f.input.clone())).collect();
    let sent = board.run(&out).unwrap_or_else(|e| panic!("ROC-01: {e}")).outputs.net0;
    assert_eq!(sent.len(), frames.len());
    // Back with addresses changed round: what the network's hosts would answer, ICRC and all.
    let mut back = Vec::new();
    for ((case, sent), wrong) in frames.iter().zip(&sent).zip(&wrong) {
        assert_ne!(sent.frame[70..], case.input[70..], "{}", case.name);
        assert_eq!(wrong_by(&sent.frame), *wrong, "{}", case.name);
        let mut answer = sent.frame.clone();
        answer[26..34].rotate_left(4);
        craft::set_icrc(&mut answer[craft::ETHERNET..]);
        let end = answer.len() - 4;
        answer[end..].iter_mut().zip(wrong.to_be_bytes()).for_each(|(byte, w)| *byte ^= w);
        back.push(InFrame::new(Entry::Net0, answer));
    }
    let received = Scoreboard::new(RULES, 15).run(&back).unwrap_or_else(|e| panic!("ROC-01: {e}")).outputs.host;
    assert_eq!(received.iter().map(|f| wrong_by(&f.frame)).collect::<Vec<_>>(), wrong);
}
