//! Reset of the whole EM: what it leaves, and that it may come at any time.

use em_model::{Model, ModelConfig, Verdict};
use em_rtl::{
    csr::Reg,
    lookup::{Operation, Table},
    outcome::{Kind, Outcome},
};
use em_rules::Rules;
use em_sim::{
    Rng,
    bfm::{Resp, Stall},
    em::{EmSim, Entry, Input, Output},
    program::{self, RegisterWrite},
};
use em_testbench::em::{
    Hardware, InFrame, assert_balanced, for_all_tables,
    provoke::{RULES, frame_for, good},
};
use std::sync::LazyLock;

/// The function of [`RULES`] that passes everything.
const PASS: u16 = 3;

static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| Hardware::strict("ecp5"));

fn never_stalled(em: &mut EmSim) {
    em.set_stalls(Stall::None);
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
    program::compile(rules, "ecp5", &em.config.map()).unwrap()
}

#[test]
fn after_reset_the_tables_are_empty_and_the_counters_0() {
    let mut board = HARDWARE.scoreboard(RULES, 250);
    let em = &mut board.em;
    never_stalled(em);
    em.send(Entry::Host { function: 1 }, false, &good(64, 1).data).unwrap();
    em.settle().unwrap();
    em.take_outputs().unwrap();
    em.bench.reset(4).unwrap();
    assert!(!ready(em), "the tables need a clock for each row to clear themselves");
    // Neither while they clear themselves nor afterwards does a frame find what stood there.
    for _ in 0..20 {
        em.send(Entry::Host { function: 1 }, false, &good(64, 1).data).unwrap();
    }
    let tables = em.config.tables();
    let rows = Table::ALL.into_iter().map(|t| u64::from(tables.geometry(t).rows)).max().unwrap();
    let clocks = clocks_to_ready(em);
    // A row a clock; the answers to the reads of STATUS take a few more.
    assert!(clocks.abs_diff(rows) < 32, "ready after {clocks} clocks; the largest table has {rows} rows");
    em.send(Entry::Host { function: 1 }, false, &good(64, 1).data).unwrap();
    em.send(Entry::Host { function: PASS }, false, &good(64, 1).data).unwrap();
    em.bench.drain(100, 10_000).unwrap();
    let counters = em.counters().unwrap();
    assert_eq!(counters.of(Outcome::NoFunction), 22);
    assert_eq!(counters.input(Input::Host).frames, 22);
    assert_balanced(&counters);
    let outputs = em.take_outputs().unwrap();
    assert!(outputs.net0.is_empty() && outputs.punted.is_empty());

    // The command to clear does the same to the tables, and leaves the counters alone.
    let rules = Rules::parse(RULES, "rules").unwrap();
    em.program(&writes(&rules, em)).unwrap();
    em.send(Entry::Host { function: 1 }, false, &good(64, 1).data).unwrap();
    em.bench.drain(100, 10_000).unwrap();
    assert_eq!(em.take_outputs().unwrap().net0.len(), 1);
    assert_eq!(for_all_tables(em, Operation::Clear), Resp::Okay);
    clocks_to_ready(em);
    em.send(Entry::Host { function: 1 }, false, &good(64, 1).data).unwrap();
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
    let traffic = |rng: &mut Rng, frames: usize| -> Vec<InFrame> {
        let frame = |i: usize| {
            let outcome = Outcome::ALL[rng.below(Outcome::ALL.len() as u64) as usize];
            let long = good([60, 300, 1514][i % 3], i as u8);
            if rng.percent(50) { long } else { frame_for(outcome, 9216, i as u8).unwrap_or(long) }
        };
        (0..frames).map(frame).collect()
    };
    for round in 0..30 {
        // Held up in many ways when the reset comes.
        let stall = |rng: &mut Rng| Stall::Random { percent: [0, 30, 90][rng.below(3) as usize], seed: round };
        em.source(Input::Host).unwrap().set_stall(stall(&mut rng));
        em.sink(Output::Net0).unwrap().set_stall(stall(&mut rng));
        em.sink(Output::Punt).unwrap().set_stall(stall(&mut rng));
        for f in traffic(&mut rng, 60) {
            em.send(f.entry, f.bad, &f.data).unwrap();
        }
        em.bench.run(20 + rng.below(700)).unwrap();
        em.bench.reset(1 + rng.below(4)).unwrap();
        never_stalled(em);
        // The host goes on with the next frame at once; nothing of what was under way comes out.
        em.bench.drain(1500, 100_000).unwrap();
        assert!(ready(em));
        em.take_outputs().unwrap();
        let left = em.counters().unwrap();
        assert_eq!(
            left.input(Input::Host).frames,
            left.total(Kind::Drop),
            "round {round}: empty tables forward nothing"
        );
        assert_balanced(&left);

        em.program(&install).unwrap();
        let frames = traffic(&mut rng, 40);
        for f in &frames {
            em.send(f.entry, f.bad, &f.data).unwrap();
        }
        em.bench.drain(200, 100_000).unwrap();
        let mut model = Model::new(&rules, ModelConfig::default()).unwrap();
        let (mut forwarded, mut punted, mut dropped) = (Vec::new(), Vec::new(), 0);
        for f in &frames {
            match model.frame(f.arrival(), f.bad, &f.data) {
                Verdict::Forward { frame, .. } => forwarded.push(frame),
                Verdict::Punt { frame, .. } => punted.push(frame),
                Verdict::Drop(_) => dropped += 1,
            }
        }
        // Frames of several inputs may come out of a port in another order than they were sent.
        let outputs = em.take_outputs().unwrap();
        let sorted = |mut frames: Vec<Vec<u8>>| {
            frames.sort();
            frames
        };
        let punts = sorted(outputs.punted.into_iter().map(|f| f.frame).collect());
        let forwards = outputs.net0.into_iter().chain(outputs.net1).chain(outputs.host).map(|f| f.frame);
        assert_eq!(sorted(forwards.collect()), sorted(forwarded), "round {round}: forwarded");
        assert_eq!(punts, sorted(punted), "round {round}: punted");
        let counters = em.counters().unwrap();
        assert_balanced(&counters);
        assert_eq!(counters.total(Kind::Drop) - left.total(Kind::Drop), dropped, "round {round}");
    }
}
