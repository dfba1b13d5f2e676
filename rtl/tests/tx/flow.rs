//! Stalls, order, throughput and buffers.

use crate::{
    frames::{HostFrame, Ipv4, other},
    rig::{Out, Ready, Rig, config, often, random},
};
use em_rtl::{
    config::{BufferConfig, EmConfig},
    outcome::{Kind, Outcome},
    packet::LANES,
    tx::Tx,
};
use std::collections::BTreeMap;

const MAPPED: u16 = 1;
const PASS: u16 = 3;

/// A frame and how it leaves, if it does.
struct Sent {
    frame: HostFrame,
    outcome: Outcome,
    out: Vec<u8>,
}

/// A mixture of everything, `lengths` of payload drawn from a list.
fn mixture(count: usize, seed: u64, lengths: &[usize]) -> Vec<Sent> {
    let mut state = seed;
    let mut draw = |n: usize| (random(&mut state) % n as u64) as usize;
    (0..count)
        .map(|i| {
            let data: Vec<u8> = (0..lengths[draw(lengths.len())]).map(|k| (k + i) as u8).collect();
            let datagram = match draw(2) {
                0 => Ipv4::udp(&data),
                _ => Ipv4::tcp(&data),
            };
            let tags = [vec![], vec![0x8100], vec![0x88A8, 0x8100]][draw(3)].clone();
            let options = vec![1; 4 * draw(11)];
            let datagram = Ipv4 { tags, options, ..datagram };
            let bytes = datagram.bytes();
            let changed = |at: usize| {
                let mut wrong = bytes.clone();
                wrong[at] ^= 0x10;
                wrong
            };
            let (frame, outcome) = match draw(10) {
                0 => (HostFrame { bad: true, ..HostFrame::new(MAPPED, bytes) }, Outcome::BadFrame),
                1 => (HostFrame::new(99, bytes), Outcome::NoFunction),
                2 => (HostFrame::new(4, bytes), Outcome::FunctionDrop),
                3 => (HostFrame::new(MAPPED, changed(datagram.begins() + 8)), Outcome::MalformedIpv4Checksum),
                4 => (HostFrame::new(MAPPED, other(0x0806, 14 + data.len())), Outcome::PuntUnmatched),
                5 => (HostFrame::new(MAPPED, other(0x0806, 1 + draw(13))), Outcome::Runt),
                6 => {
                    let bytes = other(0x88B5, 14 + data.len());
                    return Sent { out: bytes.clone(), frame: HostFrame::new(PASS, bytes), outcome: Outcome::Net0 };
                }
                _ => (HostFrame::new(MAPPED, bytes), Outcome::Net0),
            };
            let out = if outcome == Outcome::Net0 { datagram.translated() } else { frame.bytes.clone() };
            Sent { frame, outcome, out }
        })
        .collect()
}

/// Every frame has its outcome and comes out where it should, whole and in order, whatever the stalls.
fn check(rig: &mut Rig, plan: &[Sent]) {
    for sent in plan {
        rig.send(sent.frame.clone());
    }
    rig.run();
    let wanted: Vec<Outcome> = plan.iter().map(|s| s.outcome).collect();
    assert_eq!(rig.outcomes, wanted);
    let leaves = |kind: Kind| plan.iter().filter(move |s| s.outcome.kind() == kind).map(|s| s.out.clone());
    let bytes = |out: &[Out]| out.iter().map(|o| o.bytes.clone()).collect::<Vec<_>>();
    assert_eq!(bytes(&rig.net0), leaves(Kind::Forward).collect::<Vec<_>>());
    assert_eq!(bytes(&rig.punt), leaves(Kind::Punt).collect::<Vec<_>>());
    let length = |frames: Vec<Vec<u8>>| frames.iter().map(|f| f.len() as u64).collect::<Vec<_>>();
    assert_eq!(rig.counted("host"), length(plan.iter().map(|s| s.frame.bytes.clone()).collect()));
    assert_eq!(rig.counted("net0"), length(bytes(&rig.net0)));
    assert_eq!(rig.counted("punt"), length(bytes(&rig.punt)));
}

#[test]
fn random_stalls_on_all_sides_change_nothing() {
    for (seed, offer, net0, punt) in
        [(1, 100, 100, 100), (2, 60, 100, 90), (3, 100, 40, 50), (4, 50, 50, 50), (5, 100, 95, 30)]
    {
        let mut rig = Rig::new();
        rig.offer = often(offer, seed);
        rig.net0_ready = often(net0, seed + 10);
        rig.punt_ready = often(punt, seed + 20);
        check(&mut rig, &mixture(400, seed, &[0, 1, 2, 3, 17, 18, 19, 20, 33, 64, 100, 200, 1400]));
    }
}

/// The smallest buffers that a maximum of 1,518 bytes allows.
fn small() -> EmConfig {
    let mut small = config();
    small.max_frame = 1518;
    small.buffer = BufferConfig { ingress_beats: 128, frames: 16, punt_beats: 128 };
    small
}

#[test]
fn small_buffers_stall_and_lose_nothing() {
    for (seed, offer, net0) in [(31, 100, 100), (32, 100, 50), (33, 90, 20), (34, 50, 97)] {
        let mut rig = Rig::with(small());
        rig.offer = often(offer, seed);
        rig.net0_ready = often(net0, seed + 10);
        check(&mut rig, &mixture(400, seed, &[0, 1, 18, 20, 40, 100, 700, 1400]));
    }
}

#[test]
fn the_maximum_need_not_fill_its_last_beat() {
    let mut rig = Rig::with(small());
    let lengths = [1517, 1518, 1519, 1520, 1521, 1536, 1537];
    for length in lengths {
        rig.send(HostFrame::new(PASS, other(0x88B5, length)));
    }
    rig.run();
    let outcome = |length| if length > 1518 { Outcome::Oversize } else { Outcome::Net0 };
    assert_eq!(rig.outcomes, lengths.map(outcome));
    assert_eq!(rig.net0.len(), 2);
}

#[test]
fn axs_01_every_length_behind_every_residue() {
    let mut plan = Vec::new();
    let mut lengths: Vec<usize> = (14..=4 * LANES as usize + 1).chain(59..=65).chain([1514, 1518, 9018]).collect();
    let mut state = 7;
    for round in 0..6 {
        for i in (1..lengths.len()).rev() {
            lengths.swap(i, random(&mut state) as usize % (i + 1));
        }
        for length in &lengths {
            let bytes = other(0x88B5 + round, *length);
            plan.push(Sent { out: bytes.clone(), frame: HostFrame::new(PASS, bytes), outcome: Outcome::Net0 });
        }
    }
    check(&mut Rig::new(), &plan);
}

#[test]
fn axs_03_patterns_of_readiness_change_nothing() {
    let patterns: Vec<fn() -> Ready> =
        vec![|| Box::new(|clock| clock > 600), || Box::new(|clock| clock % 2 == 0), || often(25, 3), || {
            Box::new(|clock| clock % 37 > 30)
        }];
    let plan = mixture(60, 9, &[0, 18, 40, 100, 700]);
    for pattern in patterns {
        let mut rig = Rig::new();
        rig.net0_ready = pattern();
        rig.punt_ready = pattern();
        check(&mut rig, &plan);
    }
}

#[test]
fn axs_04_the_last_beat_needs_no_next_frame() {
    let latency = u64::from(Tx { config: config(), lookup_latency: crate::rig::LOOKUP_LATENCY }.latency());
    for length in [14usize, 16, 17, 60, 64, 1514] {
        let mut rig = Rig::new();
        rig.send(HostFrame::new(PASS, other(0x88B5, length)));
        for _ in 0..latency + 300 {
            rig.step();
        }
        assert_eq!(rig.net0.len(), 1);
        assert_eq!(rig.net0[0].first_clock - rig.last_in, latency, "{length} bytes");
        let beats = length.div_ceil(LANES as usize) as u64;
        assert_eq!(rig.net0[0].last_clock - rig.net0[0].first_clock, beats - 1, "a frame leaves without a gap");
    }
    // Many frames of one beat, then nothing; and the output not ready while the last one comes in.
    let mut rig = Rig::new();
    rig.net0_ready = Box::new(|clock| clock > 150);
    let plan: Vec<Sent> = (0..40)
        .map(|_| other(0x88B5, 14))
        .map(|bytes| Sent { out: bytes.clone(), frame: HostFrame::new(PASS, bytes), outcome: Outcome::Net0 })
        .collect();
    check(&mut rig, &plan);
}

/// Clocks a frame, measured over many equal ones back to back.
fn clocks_per_frame(frame: &HostFrame, count: usize) -> f64 {
    let mut rig = Rig::new();
    for _ in 0..count {
        rig.send(frame.clone());
    }
    rig.run();
    assert_eq!(rig.net0.len(), count);
    let skipped = count / 4;
    (rig.net0[count - 1].last_clock - rig.net0[skipped].last_clock) as f64 / (count - 1 - skipped) as f64
}

#[test]
fn a_frame_takes_as_many_clocks_as_it_has_beats() {
    let mut table = BTreeMap::new();
    for length in [14usize, 16, 17, 32, 33, 48, 60, 64, 65, 80, 128, 590, 1514, 9216] {
        let beats = length.div_ceil(LANES as usize);
        let clocks =
            clocks_per_frame(&HostFrame::new(PASS, other(0x88B5, length)), if length > 2000 { 12 } else { 300 });
        table.insert(("pass", length), clocks);
        assert_eq!(clocks, beats as f64, "{length} bytes, passed");
    }
    for data in [0, 18, 22, 100, 1472] {
        let bytes = Ipv4::udp(&vec![0x5A; data]).bytes();
        let (length, beats) = (bytes.len(), bytes.len().div_ceil(LANES as usize));
        let clocks = clocks_per_frame(&HostFrame::new(MAPPED, bytes), 300);
        table.insert(("nat", length), clocks);
        assert_eq!(clocks, beats as f64, "{length} bytes, translated");
    }
    println!("{table:#?}");
}

#[test]
fn dropped_frames_cost_the_network_nothing() {
    // Nine dropped frames to each that is forwarded, all of one beat: the input sets the pace.
    let mut rig = Rig::new();
    for i in 0..1000 {
        rig.send(HostFrame::new(if i % 10 == 9 { PASS } else { 4 }, other(0x88B5, 15)));
    }
    rig.run();
    assert_eq!(rig.net0.len(), 100);
    assert_eq!(rig.net0[99].last_clock - rig.net0[20].last_clock, 790);
}

#[test]
fn frames_longer_than_the_buffer_do_not_block_it() {
    let mut plan = Vec::new();
    for length in [9217, 16_384, 16_385, 40_000] {
        for _ in 0..3 {
            let frame = HostFrame::new(PASS, other(0x88B5, length));
            plan.push(Sent { out: vec![], frame, outcome: Outcome::Oversize });
            let bytes = other(0x88B5, 9216);
            plan.push(Sent { out: bytes.clone(), frame: HostFrame::new(PASS, bytes), outcome: Outcome::Net0 });
        }
    }
    let mut rig = Rig::new();
    rig.net0_ready = often(50, 1);
    for sent in &plan {
        rig.send(sent.frame.clone());
    }
    rig.run();
    assert_eq!(rig.outcomes, plan.iter().map(|s| s.outcome).collect::<Vec<_>>());
    assert!(rig.net0.iter().all(|f| f.bytes == other(0x88B5, 9216)) && rig.net0.len() == 12);
}

#[test]
fn a_silent_orchestration_module_stops_nothing() {
    // 9,216 bytes are 576 beats: one such frame and 112 of four beats take the 1,024 places. A beat gives its place back
    // when the Orchestration Module takes it, not when it leaves the memory for the registers behind it.
    let mut rig = Rig::new();
    rig.punt_ready = Box::new(|clock| clock > 20_000);
    let mut wanted = Vec::new();
    let mut send = |rig: &mut Rig, function, length, outcome| {
        rig.send(HostFrame::new(function, other(0x0806, length)));
        wanted.push(outcome);
    };
    send(&mut rig, MAPPED, 9216, Outcome::PuntUnmatched);
    send(&mut rig, MAPPED, 9216, Outcome::PuntFull);
    for _ in 0..111 {
        send(&mut rig, MAPPED, 64, Outcome::PuntUnmatched);
        send(&mut rig, PASS, 64, Outcome::Net0);
    }
    // Four places are left: a frame of five beats does not fit, one of four does, and then nothing.
    send(&mut rig, MAPPED, 80, Outcome::PuntFull);
    send(&mut rig, MAPPED, 64, Outcome::PuntUnmatched);
    send(&mut rig, MAPPED, 14, Outcome::PuntFull);
    for _ in 0..50 {
        send(&mut rig, MAPPED, 200, Outcome::PuntFull);
        send(&mut rig, PASS, 200, Outcome::Net0);
    }
    while rig.clock < 20_000 {
        rig.step();
    }
    assert_eq!(rig.outcomes, wanted);
    assert_eq!(rig.net0.len(), 161);
    assert_eq!(rig.punt.len(), 0);
    rig.run();
    assert_eq!(rig.punt.len(), 113);
    assert_eq!(rig.punt[0].bytes, other(0x0806, 9216));
    assert!(rig.punt[1..].iter().all(|f| f.bytes == other(0x0806, 64)));
    // All places are free again.
    rig.send(HostFrame::new(MAPPED, other(0x0806, 9216)));
    rig.run();
    assert_eq!(rig.punt.len(), 114);
}

#[test]
fn a_silent_network_holds_the_host_and_loses_nothing() {
    let mut rig = Rig::new();
    rig.net0_ready = Box::new(|clock| clock > 5_000);
    let plan = mixture(300, 21, &[18, 700, 1400]);
    check(&mut rig, &plan);
}
