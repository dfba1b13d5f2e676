//! Faults that real equipment has shown, by their case numbers.

use crate::{frames::HostFrame, rig::Rig};
use em_rtl::outcome::Outcome;

struct Vector {
    name: String,
    frame: HostFrame,
    result: Result<Vec<u8>, String>,
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn vectors(case: &str) -> Vec<Vector> {
    let lines = include_str!("cases.txt").lines().filter(|l| l.starts_with(case));
    let vectors: Vec<Vector> = lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let [case, vector, function, frame, result] = words[..] else { panic!("{line}") };
            let result = if result.contains(':') { Err(result.to_string()) } else { Ok(bytes(result)) };
            let frame = HostFrame::new(function.parse().unwrap(), bytes(frame));
            Vector { name: format!("{case} {vector}"), frame, result }
        })
        .collect();
    assert!(!vectors.is_empty());
    vectors
}

/// What the outcome is called in the list of cases.
fn text(outcome: Outcome) -> String {
    let kind = match outcome.kind() {
        em_rtl::outcome::Kind::Forward => "forward",
        em_rtl::outcome::Kind::Punt => "punt",
        em_rtl::outcome::Kind::Drop => "drop",
    };
    format!("{kind}:{}", outcome.name())
}

fn check(case: &str) {
    let mut rig = Rig::new();
    for vector in vectors(case) {
        let (forwarded, punted) = (rig.net0.len(), rig.punt.len());
        rig.send(vector.frame.clone());
        rig.run();
        let outcome = text(*rig.outcomes.last().expect("every frame has an outcome"));
        match vector.result {
            Ok(expected) => {
                assert_eq!(outcome, "forward:net0", "{}", vector.name);
                assert_eq!(rig.net0.len(), forwarded + 1, "{}", vector.name);
                assert_eq!(rig.net0[forwarded].bytes, expected, "{}", vector.name);
            }
            Err(expected) => {
                assert_eq!(outcome, expected, "{}", vector.name);
                assert_eq!(rig.net0.len(), forwarded, "{}", vector.name);
                if expected.starts_with("punt:") {
                    assert_eq!(rig.punt[punted].bytes, vector.frame.bytes, "{}", vector.name);
                }
            }
        }
    }
    assert_eq!(rig.outcomes.len(), vectors(case).len());
}

#[test]
fn nat_01_udp_checksum_0_stays_0() {
    check("NAT-01");
}

#[test]
fn nat_02_udp_checksum_that_computes_to_0_is_sent_as_ffff() {
    check("NAT-02");
}

#[test]
fn nat_03_tcp_checksum_0_is_an_ordinary_value() {
    check("NAT-03");
}

#[test]
fn nat_06_later_fragments_have_no_layer_4_header() {
    check("NAT-06");
}

#[test]
fn nat_08_layer_4_begins_behind_the_options() {
    check("NAT-08");
}

#[test]
fn par_01_lengths_that_contradict_each_other() {
    check("PAR-01");
}

#[test]
fn par_03_which_tag_is_which() {
    check("PAR-03");
}
