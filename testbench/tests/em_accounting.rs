//! Accounting of the whole EM: every frame has exactly one outcome, every outcome its counter, and nothing that happens
//! to one frame happens to another.

use em_model::{Model, ModelConfig, Verdict};
use em_rtl::{
    csr::Reg,
    outcome::{Kind, Outcome},
};
use em_rules::Rules;
use em_sim::{
    Rng,
    bfm::{Resp, Stall},
    em::{EmSim, ReadCounters},
    program::{self, RegisterWrite},
};
use em_testbench::em::{Hardware, HostFrame, craft};
use std::sync::LazyLock;

const RULES: &str = r#"
[[function]]
id = 1
mode = "nat"
[[function]]
id = 2
mode = "nat"
unmatched = "drop"
[[function]]
id = 3
mode = "pass"
mac = "02:00:00:00:00:03"
[[function]]
id = 4
mode = "drop"

[[nat]]
function = 1
inside = "192.0.2.10"
outside = "203.0.113.5"
"#;

const INSIDE: [u8; 4] = [192, 0, 2, 10];
const STRANGER: [u8; 4] = [192, 0, 2, 99];
const PASS: u16 = 3;

static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| Hardware::strict("ecp5"));

/// A good UDP datagram of function 1, `length` bytes of frame.
fn good(length: usize, mark: u8) -> HostFrame {
    HostFrame::new(craft::udp_of_length(INSIDE, length, mark))
}

/// A good IPv4 frame, spoiled.
fn spoiled(frame: Vec<u8>, spoil: impl FnOnce(&mut Vec<u8>)) -> HostFrame {
    let mut data = frame;
    spoil(&mut data);
    HostFrame::new(data)
}

/// An ICMP message over IPv4 from the mapped address.
fn icmp(kind: u8, rest: usize) -> Vec<u8> {
    let mut message = vec![kind];
    message.extend(craft::counting(rest, 0));
    craft::ipv4(INSIDE, 1, 0, &message)
}

/// A frame that has this outcome under [`RULES`]; none for the one that needs a full punt buffer. The match is
/// exhaustive, so that a new outcome does not compile until it is provoked here.
fn frame_for(outcome: Outcome, mark: u8) -> Option<HostFrame> {
    let udp = || craft::udp_of_length(INSIDE, 64, mark);
    // Offset of the IPv4 header.
    let ip = craft::ETHERNET;
    Some(match outcome {
        Outcome::Net0 => good(64, mark),
        Outcome::PuntUnmatched => HostFrame::new(craft::unknown(60, mark)),
        Outcome::PuntUnsupportedL4 => HostFrame::new(craft::ipv4(INSIDE, 51, 0, &craft::counting(24, mark))),
        Outcome::PuntIcmpError => HostFrame::new(icmp(3, 35)),
        Outcome::PuntRoce => HostFrame::new(craft::udp(INSIDE, 4791, &craft::counting(20, mark))),
        Outcome::BadFrame => HostFrame { bad: true, ..good(64, mark) },
        Outcome::Runt => HostFrame::new(craft::counting(13, mark)),
        Outcome::Oversize => good(9217, mark),
        // The tag's type, and half of its control information.
        Outcome::MalformedEth => HostFrame::new(craft::ethernet(0x8100, &[0, mark, 8])),
        Outcome::MalformedIpv4Version => spoiled(udp(), |f| f[ip] = 0x55),
        Outcome::MalformedIhl => spoiled(udp(), |f| f[ip] = 0x44),
        Outcome::MalformedIpv4Length => spoiled(udp(), |f| f.truncate(63)),
        Outcome::MalformedIpv4Checksum => spoiled(udp(), |f| f[ip + 10] ^= 1),
        Outcome::MalformedIpv6 => HostFrame::new(craft::ethernet(0x86DD, &[0x60; 39])),
        Outcome::MalformedUdp => spoiled(udp(), |f| f[ip + 20 + 5] = 7),
        Outcome::MalformedTcp => spoiled(craft::tcp(INSIDE, &[mark; 9]), |f| f[ip + 20 + 12] = 0x40),
        Outcome::MalformedIcmp => HostFrame::new(icmp(8, 6)),
        Outcome::NoFunction => HostFrame { function: 77, ..good(64, mark) },
        Outcome::FunctionDrop => HostFrame { function: 4, ..good(64, mark) },
        Outcome::NatSource => HostFrame::new(craft::udp_of_length(STRANGER, 64, mark)),
        Outcome::Unmatched => HostFrame { function: 2, ..HostFrame::new(craft::unknown(60, mark)) },
        Outcome::PuntFull => return None,
    })
}

/// Frames and bytes in are those forwarded, punted and dropped.
fn balanced(counters: &ReadCounters) {
    let outcomes: u64 = counters.outcomes.iter().map(|(_, n)| n).sum();
    assert_eq!(counters.host.frames, outcomes);
    assert_eq!(counters.net0.frames, counters.forwarded_total());
    assert_eq!(counters.punt.frames, counters.punted_total());
    assert_eq!(
        counters.host.frames,
        counters.net0.frames + counters.punt.frames + counters.dropped_total(),
        "in = out + punted + dropped"
    );
}

fn bytes<'a>(frames: impl IntoIterator<Item = &'a HostFrame>) -> u64 {
    frames.into_iter().map(|f| f.data.len() as u64).sum()
}

#[test]
fn every_outcome_counts_its_frames_and_no_others() {
    let left_out: Vec<Outcome> = Outcome::ALL.iter().copied().filter(|o| frame_for(*o, 0).is_none()).collect();
    assert_eq!(left_out, [Outcome::PuntFull], "these outcomes are provoked elsewhere");
    // Another number of frames for each outcome: 1, 2, 3, …, mixed; and each between frames that are forwarded.
    let mut frames = Vec::new();
    for round in 0..Outcome::ALL.len() {
        for (i, outcome) in Outcome::ALL.iter().enumerate().skip(round) {
            let mark = (23 * round + i) as u8;
            frames.extend(frame_for(*outcome, mark));
            frames.extend(frame_for(Outcome::Net0, mark).filter(|_| round == 0));
        }
    }
    for stalled in [false, true] {
        let mut board = HARDWARE.scoreboard(RULES, 201);
        if !stalled {
            never_stalled(&mut board.em);
        }
        let replay = board.run(&frames).unwrap_or_else(|e| panic!("{e}"));
        for (i, outcome) in Outcome::ALL.iter().enumerate() {
            let expected = match outcome {
                Outcome::PuntFull => 0,
                // The good ones between, beside its own one of the first round.
                Outcome::Net0 => 1 + Outcome::ALL.len() as u64,
                _ => i as u64 + 1,
            };
            assert_eq!(replay.counters.of(*outcome), expected, "{outcome:?}");
        }
        balanced(&replay.counters);
        assert_eq!(replay.counters.host.frames, frames.len() as u64);
        assert_eq!(replay.counters.host.bytes, bytes(&frames));
        let out = |f: &[u8]| f.len() as u64;
        assert_eq!(replay.counters.net0.bytes, replay.outputs.net0.iter().map(|f| out(&f.frame)).sum::<u64>());
        assert_eq!(replay.counters.punt.bytes, replay.outputs.punted.iter().map(|f| out(&f.frame)).sum::<u64>());
    }
}

#[test]
fn frames_of_one_outcome_back_to_back_are_all_counted() {
    for outcome in Outcome::ALL.iter().copied().filter(|o| frame_for(*o, 0).is_some()) {
        let count: usize = if outcome == Outcome::Oversize { 5 } else { 70 };
        let frames: Vec<HostFrame> = (0..count).filter_map(|i| frame_for(outcome, i as u8)).collect();
        let mut board = HARDWARE.scoreboard(RULES, 210);
        never_stalled(&mut board.em);
        let replay = board.run(&frames).unwrap_or_else(|e| panic!("{outcome:?}: {e}"));
        assert_eq!(replay.counters.of(outcome), count as u64, "{outcome:?}");
        balanced(&replay.counters);
        if outcome.kind() == Kind::Drop {
            // A dropped frame costs its beats on the input and nothing else.
            assert_eq!(replay.clocks, replay.beats_in, "{outcome:?}");
        }
    }
}

fn never_stalled(em: &mut EmSim) {
    em.bench.sources[em.host].set_stall(Stall::None);
    em.bench.sinks[em.net0].set_stall(Stall::None);
    em.bench.sinks[em.punt].set_stall(Stall::None);
}

#[test]
fn a_full_punt_buffer_drops_punts_whole_and_holds_up_nothing() {
    let mut board = HARDWARE.scoreboard(RULES, 220);
    let em = &mut board.em;
    never_stalled(em);
    em.bench.sinks[em.punt].set_stall(Stall::Random { percent: 100, seed: 0 });
    const LENGTH: usize = 1500;
    let beats = |length: usize| length.div_ceil(16);
    let fit = em.config.buffer.punt_beats as usize / beats(LENGTH);
    let punt = |i: usize| craft::unknown(LENGTH, i as u8);
    let send = |em: &mut EmSim, frame: &[u8]| em.send(1, false, frame).unwrap();
    // As many as fit, and one more.
    for i in 0..=fit {
        send(em, &punt(i));
    }
    em.bench.drain(200, 100_000).unwrap_err();
    let counters = em.counters().unwrap();
    assert_eq!((counters.of(Outcome::PuntUnmatched), counters.of(Outcome::PuntFull)), (fit as u64, 1));
    let first_sent = em.bench.sources[em.host].take_sent();
    assert_eq!(first_sent.len(), fit + 1);

    // Nobody takes punts, and every other frame is one: those forwarded leave at full rate all the same.
    let mut forwarded = Vec::new();
    let mut beats_in = 0;
    for i in 0..60 {
        let frame = if i % 2 == 0 { punt(i) } else { craft::udp_of_length(INSIDE, 64 + 50 * (i % 7), i as u8) };
        send(em, &frame);
        beats_in += beats(frame.len()) as u64;
        if i % 2 == 1 {
            forwarded.push(frame);
        }
    }
    em.bench.run_until("all frames taken", 20_000, |b| b.sources[0].queued() == 0).unwrap();
    let sent = em.bench.sources[em.host].take_sent();
    assert_eq!(sent[59].last_cycle + 1 - sent[0].first_cycle, beats_in, "the host is never held up");
    em.bench.run(200).unwrap();
    let out = em.take_outputs();
    assert_eq!(out.net0.len(), forwarded.len());
    assert!(out.punted.is_empty());
    for (n, (out, frame)) in out.net0.iter().zip(&forwarded).enumerate() {
        assert_eq!((out.frame.len(), &out.frame[34..40]), (frame.len(), &frame[34..40]));
        let latency = out.clock - sent[2 * n + 1].last_cycle;
        assert!(latency < 40, "frame {n} waited {latency} clocks");
    }
    let counters = em.counters().unwrap();
    assert_eq!((counters.of(Outcome::PuntUnmatched), counters.of(Outcome::PuntFull)), (fit as u64, 31));

    // The Orchestration Module comes back: it gets the ones that were kept, whole and in order.
    em.bench.sinks[em.punt].set_stall(Stall::None);
    em.bench.drain(100, 10_000).unwrap();
    let kept = em.take_outputs().punted;
    assert_eq!(kept.len(), fit);
    for (i, kept) in kept.iter().enumerate() {
        assert_eq!((&kept.frame, kept.reason, kept.function), (&punt(i), Some(Outcome::PuntUnmatched), 1), "punt {i}");
    }
    // All places are back.
    for i in 0..fit {
        send(em, &punt(i));
    }
    em.settle().unwrap();
    assert_eq!(em.take_outputs().punted.len(), fit);
    let counters = em.counters().unwrap();
    assert_eq!(counters.of(Outcome::PuntFull), 31);
    balanced(&counters);
}

#[test]
fn a_frame_longer_than_the_punt_buffer_has_room_for_lets_a_shorter_one_in() {
    let mut board = HARDWARE.scoreboard(RULES, 221);
    let em = &mut board.em;
    never_stalled(em);
    em.bench.sinks[em.punt].set_stall(Stall::Random { percent: 100, seed: 0 });
    // 576, 440: 8 places of 1,024 are left; 9 beats do not fit, 8 do, and then not one more.
    let lengths = [9216, 7040, 144, 128, 16];
    lengths.iter().for_each(|l| em.send(1, false, &craft::unknown(*l, *l as u8)).unwrap());
    em.bench.run_until("all frames taken", 5000, |b| b.sources[0].queued() == 0).unwrap();
    em.bench.run(2000).unwrap();
    let counters = em.counters().unwrap();
    assert_eq!((counters.of(Outcome::PuntUnmatched), counters.of(Outcome::PuntFull)), (3, 2));
    em.bench.sinks[em.punt].set_stall(Stall::None);
    em.settle().unwrap();
    let lengths: Vec<usize> = em.take_outputs().punted.iter().map(|p| p.frame.len()).collect();
    assert_eq!(lengths, [9216, 7040, 128]);
    balanced(&em.counters().unwrap());
}

#[test]
fn a_frame_of_20000_bytes_is_taken_and_dropped_whole() {
    let mut board = HARDWARE.scoreboard(RULES, 230);
    let long = |bad| HostFrame { bad, ..HostFrame::new(craft::udp_of_length(INSIDE, 20_000, 7)) };
    let frames = [good(64, 1), long(false), good(64, 2), long(true), long(false), long(false), good(1514, 3)];
    let replay = board.run(&frames).unwrap_or_else(|e| panic!("{e}"));
    let count = |o| replay.counters.of(o);
    assert_eq!((count(Outcome::Net0), count(Outcome::Oversize), count(Outcome::BadFrame)), (3, 3, 1));
    balanced(&replay.counters);
    // Beyond 16,383 bytes a frame counts as 16,369 to 16,383, as its last beat ends: here in its last lane.
    assert_eq!(replay.counters.host.bytes, 64 + 64 + 1514 + 4 * 16_383);
}

#[test]
fn a_bad_flag_drops_its_own_frame_only() {
    let mut rng = Rng::new(4);
    let frames: Vec<HostFrame> =
        (0..300).map(|i| HostFrame { bad: rng.percent(50), ..good([60, 64, 65, 1514][i % 4], i as u8) }).collect();
    let bad = frames.iter().filter(|f| f.bad).count() as u64;
    let replay = HARDWARE.scoreboard(RULES, 240).run(&frames).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(replay.counters.of(Outcome::BadFrame), bad);
    assert_eq!(replay.outputs.net0.len() as u64, 300 - bad);
    balanced(&replay.counters);
}

fn ready(em: &mut EmSim) -> bool {
    let (status, answer) = em.bench.read(em.m2m, u64::from(Reg::Status.offset())).unwrap();
    assert_eq!(answer, Resp::Okay);
    status & Reg::Status.field("ready").mask() != 0
}

/// Clocks until STATUS says ready.
fn clocks_to_ready(em: &mut EmSim) -> u64 {
    let from = em.bench.cycle();
    while !ready(em) {
        assert!(em.bench.cycle() < from + 5000, "the tables do not become ready");
    }
    em.bench.cycle() - from
}

fn writes(rules: &Rules, em: &EmSim) -> Vec<RegisterWrite> {
    program::compile(rules, "ecp5", &em.config.lookup()).unwrap()
}

#[test]
fn after_reset_the_tables_are_empty_and_the_counters_0() {
    let mut board = HARDWARE.scoreboard(RULES, 250);
    let em = &mut board.em;
    never_stalled(em);
    em.send(1, false, &good(64, 1).data).unwrap();
    em.settle().unwrap();
    em.take_outputs();
    em.bench.reset(4).unwrap();
    assert!(!ready(em), "the tables need a clock for each row to clear themselves");
    // Neither while they clear themselves nor afterwards does a frame find what stood there.
    for _ in 0..20 {
        em.send(1, false, &good(64, 1).data).unwrap();
    }
    let rows = u64::from(em.config.lookup().rows.max(em.config.lookup().functions));
    let clocks = clocks_to_ready(em);
    assert!(
        (rows..rows + 32).contains(&(clocks + 8)),
        "ready after {clocks} clocks; the largest table has {rows} rows"
    );
    em.send(1, false, &good(64, 1).data).unwrap();
    em.send(PASS, false, &good(64, 1).data).unwrap();
    em.bench.drain(100, 10_000).unwrap();
    let counters = em.counters().unwrap();
    assert_eq!(counters.of(Outcome::NoFunction), 22);
    assert_eq!(counters.host.frames, 22);
    balanced(&counters);
    let outputs = em.take_outputs();
    assert!(outputs.net0.is_empty() && outputs.punted.is_empty());

    // CONTROL's clear does the same to the tables, and leaves the counters alone.
    let rules = Rules::parse(RULES, "rules").unwrap();
    em.program(&writes(&rules, em)).unwrap();
    em.send(1, false, &good(64, 1).data).unwrap();
    em.bench.drain(100, 10_000).unwrap();
    assert_eq!(em.take_outputs().net0.len(), 1);
    let clear = Reg::Control.field("clear_tables").place(1);
    assert_eq!(em.bench.write(em.m2m, u64::from(Reg::Control.offset()), clear).unwrap(), Resp::Okay);
    assert!(ready(em), "the answer comes when the tables are empty");
    em.send(1, false, &good(64, 1).data).unwrap();
    em.bench.drain(100, 10_000).unwrap();
    let counters = em.counters().unwrap();
    assert_eq!((counters.of(Outcome::Net0), counters.of(Outcome::NoFunction)), (1, 23));
}

#[test]
fn a_reset_in_the_middle_of_traffic_recovers() {
    let mut board = HARDWARE.scoreboard(RULES, 260);
    let rules = Rules::parse(RULES, "rules").unwrap();
    let em = &mut board.em;
    let install = writes(&rules, em);
    let mut rng = Rng::new(9);
    let traffic = |rng: &mut Rng, frames: usize| -> Vec<HostFrame> {
        let frame = |i: usize| {
            let outcome = Outcome::ALL[rng.below(Outcome::ALL.len() as u64) as usize];
            let long = good([60, 300, 1514][i % 3], i as u8);
            if rng.percent(50) { long } else { frame_for(outcome, i as u8).unwrap_or(long) }
        };
        (0..frames).map(frame).collect()
    };
    for round in 0..30 {
        // Held up in many ways when the reset comes.
        let stall = |rng: &mut Rng| Stall::Random { percent: [0, 30, 90][rng.below(3) as usize], seed: round };
        em.bench.sources[em.host].set_stall(stall(&mut rng));
        em.bench.sinks[em.net0].set_stall(stall(&mut rng));
        em.bench.sinks[em.punt].set_stall(stall(&mut rng));
        for f in traffic(&mut rng, 60) {
            em.send(f.function, f.bad, &f.data).unwrap();
        }
        em.bench.run(20 + rng.below(700)).unwrap();
        em.bench.reset(1 + rng.below(4)).unwrap();
        never_stalled(em);
        // The host goes on with the next frame at once; nothing of what was under way comes out.
        em.bench.drain(1500, 100_000).unwrap();
        assert!(ready(em));
        em.take_outputs();
        let left = em.counters().unwrap();
        assert_eq!(left.host.frames, left.dropped_total(), "round {round}: empty tables forward nothing");
        balanced(&left);

        em.program(&install).unwrap();
        let frames = traffic(&mut rng, 40);
        for f in &frames {
            em.send(f.function, f.bad, &f.data).unwrap();
        }
        em.bench.drain(200, 100_000).unwrap();
        let mut model = Model::new(&rules, ModelConfig::default()).unwrap();
        let (mut net0, mut punted, mut dropped) = (Vec::new(), Vec::new(), 0);
        for f in &frames {
            match model.host_tx(f.function, f.bad, &f.data) {
                Verdict::Forward { frame, .. } => net0.push(frame),
                Verdict::Punt { frame, .. } => punted.push(frame),
                Verdict::Drop(_) => dropped += 1,
            }
        }
        let outputs = em.take_outputs();
        assert!(outputs.net0.iter().map(|f| &f.frame).eq(&net0), "round {round}: net0");
        assert!(outputs.punted.iter().map(|f| &f.frame).eq(&punted), "round {round}: punt");
        let counters = em.counters().unwrap();
        balanced(&counters);
        assert_eq!(counters.dropped_total() - left.dropped_total(), dropped, "round {round}");
    }
}
