//! Accounting of the whole EM: every frame has exactly one outcome, every outcome its counter, and nothing that happens
//! to one frame happens to another.

use em_rtl::outcome::{Kind, Outcome};
use em_sim::{
    Rng,
    bfm::Stall,
    em::{EmSim, Entry, Input, Output},
};
use em_testbench::em::{
    Hardware, InFrame, assert_balanced, craft,
    provoke::{INSIDE, RULES, frame_for, good},
};
use std::sync::LazyLock;

static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| Hardware::strict("ecp5"));

fn bytes<'a>(frames: impl IntoIterator<Item = &'a InFrame>) -> u64 {
    frames.into_iter().map(|f| f.data.len() as u64).sum()
}

/// A frame for each outcome; the longest that the profile takes has 9,216 bytes.
fn frame_of(outcome: Outcome, mark: u8) -> Option<InFrame> {
    frame_for(outcome, 9216, mark)
}

#[test]
fn every_outcome_counts_its_frames_and_no_others() {
    let left_out: Vec<Outcome> = Outcome::ALL.iter().copied().filter(|o| frame_of(*o, 0).is_none()).collect();
    // These need more than a frame and have tests of their own.
    assert_eq!(left_out, [Outcome::PuntFull, Outcome::NotForUs, Outcome::Parity, Outcome::PuntRate]);
    // Another number of frames for each outcome: 1, 2, 3, …, mixed; and each between frames that are forwarded.
    let mut frames = Vec::new();
    for round in 0..Outcome::ALL.len() {
        for (i, outcome) in Outcome::ALL.iter().enumerate().skip(round) {
            let mark = (23 * round + i) as u8;
            frames.extend(frame_of(*outcome, mark));
            frames.extend(frame_of(Outcome::Net0, mark).filter(|_| round == 0));
        }
    }
    for stalled in [false, true] {
        let mut board = HARDWARE.scoreboard(RULES, 201);
        if !stalled {
            never_stalled(&mut board.em);
        }
        // The board holds the frames and bytes of every port against the model's.
        let replay = board.run(&frames).unwrap_or_else(|e| panic!("{e}"));
        for (i, outcome) in Outcome::ALL.iter().enumerate() {
            let expected = match outcome {
                o if left_out.contains(o) => 0,
                // The good ones between, beside its own one of the first round.
                Outcome::Net0 => 1 + Outcome::ALL.len() as u64,
                _ => i as u64 + 1,
            };
            assert_eq!(replay.counters.of(*outcome), expected, "{outcome:?}");
        }
        assert_balanced(&replay.counters);
        let taken = Input::ALL.map(|i| replay.counters.input(i));
        assert_eq!(taken.iter().map(|c| c.frames).sum::<u64>(), frames.len() as u64);
        assert_eq!(taken.iter().map(|c| c.bytes).sum::<u64>(), bytes(&frames));
    }
}

#[test]
fn frames_of_one_outcome_back_to_back_are_all_counted() {
    for outcome in Outcome::ALL.iter().copied().filter(|o| frame_of(*o, 0).is_some()) {
        let count: usize = if outcome == Outcome::Oversize { 5 } else { 70 };
        let frames: Vec<InFrame> = (0..count).filter_map(|i| frame_of(outcome, i as u8)).collect();
        let mut board = HARDWARE.scoreboard(RULES, 210);
        never_stalled(&mut board.em);
        let replay = board.run(&frames).unwrap_or_else(|e| panic!("{outcome:?}: {e}"));
        assert_eq!(replay.counters.of(outcome), count as u64, "{outcome:?}");
        assert_balanced(&replay.counters);
        if outcome.kind() == Kind::Drop {
            // A dropped frame costs its beats on the input and nothing else.
            assert_eq!(replay.clocks, replay.beats_in(Input::Host), "{outcome:?}");
        }
    }
}

fn never_stalled(em: &mut EmSim) {
    em.set_stalls(Stall::None);
}

#[test]
fn a_full_punt_buffer_drops_punts_whole_and_holds_up_nothing() {
    let mut board = HARDWARE.scoreboard(RULES, 220);
    let em = &mut board.em;
    never_stalled(em);
    em.sink(Output::Punt).unwrap().set_stall(Stall::Random { percent: 100, seed: 0 });
    const LENGTH: usize = 1500;
    let beats = |length: usize| length.div_ceil(16);
    let fit = em.config.buffer.punt_beats as usize / beats(LENGTH);
    let punt = |i: usize| craft::unknown(LENGTH, i as u8);
    let send = |em: &mut EmSim, frame: &[u8]| em.send(Entry::Host { function: 1 }, false, frame).unwrap();
    // As many as fit, and one more.
    for i in 0..=fit {
        send(em, &punt(i));
    }
    em.bench.drain(200, 100_000).unwrap_err();
    let counters = em.counters().unwrap();
    assert_eq!((counters.of(Outcome::PuntUnmatched), counters.of(Outcome::PuntFull)), (fit as u64, 1));
    let first_sent = em.source(Input::Host).unwrap().take_sent();
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
    em.bench.run_until("all frames taken", 20_000, |b| b.sources.iter().all(|s| s.queued() == 0)).unwrap();
    let sent = em.source(Input::Host).unwrap().take_sent();
    assert_eq!(sent[59].last_cycle + 1 - sent[0].first_cycle, beats_in, "the host is never held up");
    em.bench.run(200).unwrap();
    let out = em.take_outputs().unwrap();
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
    em.sink(Output::Punt).unwrap().set_stall(Stall::None);
    em.bench.drain(100, 10_000).unwrap();
    let kept = em.take_outputs().unwrap().punted;
    assert_eq!(kept.len(), fit);
    for (i, kept) in kept.iter().enumerate() {
        assert_eq!((&kept.frame, kept.reason, kept.function), (&punt(i), Some(Outcome::PuntUnmatched), 1), "punt {i}");
    }
    // All places are back.
    for i in 0..fit {
        send(em, &punt(i));
    }
    em.settle().unwrap();
    assert_eq!(em.take_outputs().unwrap().punted.len(), fit);
    let counters = em.counters().unwrap();
    assert_eq!(counters.of(Outcome::PuntFull), 31);
    assert_balanced(&counters);
}

#[test]
fn a_frame_longer_than_the_punt_buffer_has_room_for_lets_a_shorter_one_in() {
    let mut board = HARDWARE.scoreboard(RULES, 221);
    let em = &mut board.em;
    never_stalled(em);
    em.sink(Output::Punt).unwrap().set_stall(Stall::Random { percent: 100, seed: 0 });
    // 576 and 440 beats leave 8 places of 1,024, and the few that lie behind the buffer: 20 beats do not fit, 4 do.
    let lengths = [9216, 7040, 320, 64];
    lengths.iter().for_each(|l| em.send(Entry::Host { function: 1 }, false, &craft::unknown(*l, *l as u8)).unwrap());
    em.bench.run_until("all frames taken", 5000, |b| b.sources.iter().all(|s| s.queued() == 0)).unwrap();
    em.bench.run(2000).unwrap();
    let counters = em.counters().unwrap();
    assert_eq!((counters.of(Outcome::PuntUnmatched), counters.of(Outcome::PuntFull)), (3, 1));
    em.sink(Output::Punt).unwrap().set_stall(Stall::None);
    em.settle().unwrap();
    let lengths: Vec<usize> = em.take_outputs().unwrap().punted.iter().map(|p| p.frame.len()).collect();
    assert_eq!(lengths, [9216, 7040, 64]);
    assert_balanced(&em.counters().unwrap());
}

#[test]
fn a_frame_of_20000_bytes_is_taken_and_dropped_whole() {
    let mut board = HARDWARE.scoreboard(RULES, 230);
    let long = |length, bad| InFrame { bad, ..InFrame::host(1, craft::udp_of_length(INSIDE, length, 7)) };
    let (first, second, third) = (long(20_000, false), long(20_005, true), long(20_001, false));
    let frames = [good(64, 1), first.clone(), good(64, 2), second, third, first, good(1514, 3)];
    let em = &mut board.em;
    frames.iter().for_each(|f| em.send(f.entry, f.bad, &f.data).unwrap());
    em.settle().unwrap();
    let counters = em.counters().unwrap();
    let count = |o| counters.of(o);
    assert_eq!((count(Outcome::Net0), count(Outcome::Oversize), count(Outcome::BadFrame)), (3, 3, 1));
    assert_balanced(&counters);
    let lengths: Vec<usize> = em.take_outputs().unwrap().net0.iter().map(|f| f.frame.len()).collect();
    assert_eq!(lengths, [64, 64, 1514]);
    // Beyond 16,383 bytes a frame counts as 16,369 to 16,383, as its last beat ends: in its last lane, its fifth, its first.
    assert_eq!(counters.input(Input::Host).bytes, 64 + 64 + 1514 + 2 * 16_383 + 16_373 + 16_369);
}

#[test]
fn frames_for_nobody_go_where_the_port_says() {
    for (rule, outcome) in [
        ("not_for_us = \"drop\"", Outcome::NotForUs),
        ("not_for_us = \"pass\"\npass_function = 3", Outcome::Host),
        ("not_for_us = \"punt\"", Outcome::PuntNotForUs),
    ] {
        let frames: Vec<InFrame> = (0..40).filter_map(|i| frame_for(Outcome::PuntNotForUs, 9216, i)).collect();
        let rules = format!("{RULES}\n[port]\n{rule}\n");
        let replay = HARDWARE.scoreboard(&rules, 231).run(&frames).unwrap_or_else(|e| panic!("{rule}: {e}"));
        assert_eq!(replay.counters.of(outcome), 40, "{rule}");
        assert_balanced(&replay.counters);
    }
}

#[test]
fn a_bad_flag_drops_its_own_frame_only() {
    let mut rng = Rng::new(4);
    let frames: Vec<InFrame> =
        (0..300).map(|i| InFrame { bad: rng.percent(50), ..good([60, 64, 65, 1514][i % 4], i as u8) }).collect();
    let bad = frames.iter().filter(|f| f.bad).count() as u64;
    let replay = HARDWARE.scoreboard(RULES, 240).run(&frames).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(replay.counters.of(Outcome::BadFrame), bad);
    assert_eq!(replay.outputs.net0.len() as u64, 300 - bad);
    assert_balanced(&replay.counters);
}
