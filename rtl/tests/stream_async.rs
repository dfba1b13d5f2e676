//! FIFOs between clocks of random ratio and phase, in the native simulator.

mod common;

use common::{Beat, Sink, Source, random_frame, rng};
use em_rtl::stream::{AsyncFifo, AsyncFrameFifo, Memory, WhenFull};
use hdl::{Block, check::assert_no_combinational_paths, elaborate, sim::Sim};
use rand::{RngExt, rngs::StdRng};
use std::collections::VecDeque;

/// Two clocks; periods in arbitrary units, edges may fall together.
struct Clocks {
    period: [u64; 2],
    next: [u64; 2],
}

impl Clocks {
    fn random(rng: &mut StdRng) -> Clocks {
        let period = [rng.random_range(2..20), rng.random_range(2..20)];
        Clocks { period, next: period.map(|p| rng.random_range(0..p)) }
    }

    /// Which of the two have the next edge.
    fn next(&mut self) -> [bool; 2] {
        let now = self.next[0].min(self.next[1]);
        let edges = self.next.map(|at| at == now);
        for ((at, period), edge) in self.next.iter_mut().zip(self.period).zip(edges) {
            *at += if edge { period } else { 0 };
        }
        edges
    }
}

fn edge<B: Block>(sim: &Sim<B>, edges: [bool; 2]) {
    let clocks: Vec<&str> =
        ["wr", "rd"].into_iter().zip(edges).filter(|(_, edge)| *edge).map(|(name, _)| name).collect();
    sim.edge(&clocks);
}

const PACES: [(u32, u32); 4] = [(100, 100), (100, 40), (40, 100), (70, 70)];

#[test]
fn beats_cross_in_order() {
    for memory in [Memory::Block, Memory::Distributed] {
        for (data_w, user_w, depth, stages) in [(64, 1, 4, 2), (128, 17, 16, 2), (512, 24, 8, 3)] {
            let block = AsyncFifo { data_w, user_w, depth, memory, stages };
            for seed in 0..8 {
                let mut rng = rng(seed);
                let sim = Sim::with_seed(&block, seed).unwrap();
                let mut clocks = Clocks::random(&mut rng);
                let (offers, takes) = PACES[seed as usize % PACES.len()];
                let (mut source, mut sink) = (Source::new(sim.io.s_axis, offers), Sink::new(sim.io.m_axis, takes));
                sim.reset();
                for bytes in 1..=2 * data_w as usize / 8 + 3 {
                    source.queue.extend(random_frame(&mut rng, bytes, data_w, user_w));
                }
                let mut expected: VecDeque<Beat> = source.queue.iter().cloned().collect();
                for _ in 0..40_000 {
                    let edges = clocks.next();
                    if edges[0] {
                        source.drive(&sim, &mut rng);
                        source.taken(&sim);
                    }
                    if edges[1] {
                        sink.drive(&sim, &mut rng);
                        if let Some(beat) = sink.given(&sim) {
                            assert_eq!(Some(beat), expected.pop_front(), "{block:?}, seed {seed}");
                        }
                    }
                    edge(&sim, edges);
                }
                assert!(expected.is_empty(), "{} beats are held back: {block:?}, seed {seed}", expected.len());
            }
        }
    }
}

/// Rules 1 to 3 and 5: accepted frames come out whole, in order, without a pause; the others, and no more of them than
/// must be, do not.
fn frames_cross(block: AsyncFrameFifo, seed: u64) {
    let mut rng = rng(seed);
    let sim = Sim::with_seed(&block, seed).unwrap();
    let mut clocks = Clocks::random(&mut rng);
    let (offers, takes) = PACES[seed as usize % PACES.len()];
    let (mut source, mut sink) = (Source::new(sim.io.s_axis, offers), Sink::new(sim.io.m_axis, takes));
    sim.reset();
    let lanes = block.data_w as usize / 8;
    for _ in 0..120 {
        let bytes = rng.random_range(1..=lanes * (block.depth as usize + 2));
        source.queue.extend(random_frame(&mut rng, bytes, block.data_w, block.user_w));
    }
    let (mut coming, mut ended) = (vec![], None::<Vec<Beat>>);
    let mut inside: VecDeque<Beat> = VecDeque::new();
    let (mut accepted, mut bad, mut full, mut in_frame) = (0, 0, 0, false);
    for _ in 0..60_000 {
        let edges = clocks.next();
        if edges[1] {
            sink.drive(&sim, &mut rng);
        }
        if edges[0] {
            source.drive(&sim, &mut rng);
            sim.poke(sim.io.bad, source.queue.front().is_some_and(|beat| beat.user.bit(0)));
            let outcomes = [sim.io.accepted, sim.io.dropped_bad, sim.io.dropped_full].map(|port| sim.peek_bool(port));
            assert_eq!(outcomes.iter().filter(|o| **o).count(), usize::from(ended.is_some()), "rule 3");
            if let Some(frame) = ended.take() {
                let is_bad = frame.last().is_some_and(|beat| beat.user.bit(0));
                let fits = frame.len() <= block.depth as usize;
                match outcomes {
                    [true, ..] => {
                        assert!(!is_bad && fits);
                        accepted += 1;
                        inside.extend(frame);
                    }
                    [_, true, _] => {
                        assert!(is_bad);
                        bad += 1;
                    }
                    _ => {
                        assert!(!fits || block.when_full == WhenFull::Drop);
                        full += 1;
                    }
                }
            }
            assert!(block.when_full == WhenFull::Stall || sim.peek_bool(sim.io.s_axis.tready), "rule 4");
            if let Some(beat) = source.taken(&sim) {
                let last = beat.last;
                coming.push(beat);
                if last {
                    ended = Some(std::mem::take(&mut coming));
                }
            }
        }
        if edges[1] {
            assert!(!in_frame || sink.offered(&sim).is_some(), "rule 1: a gap inside a frame");
            if let Some(beat) = sink.given(&sim) {
                in_frame = !beat.last;
                assert_eq!(Some(beat), inside.pop_front(), "{block:?}, seed {seed}");
            }
        }
        edge(&sim, edges);
    }
    assert!(source.queue.is_empty() && inside.is_empty(), "frames are held back: {block:?}, seed {seed}");
    assert_eq!(accepted + bad + full, 120);
    assert!(accepted > 5 && bad > 5, "{accepted} accepted, {bad} bad, {full} full");
}

fn frame_fifos() -> Vec<AsyncFrameFifo> {
    let mut all = Vec::new();
    for memory in [Memory::Block, Memory::Distributed] {
        for when_full in [WhenFull::Stall, WhenFull::Drop] {
            for (data_w, user_w, depth, stages) in [(64, 1, 4, 2), (128, 17, 32, 3)] {
                all.push(AsyncFrameFifo { data_w, user_w, depth, memory, when_full, stages });
            }
        }
    }
    all
}

#[test]
fn whole_frames_cross_or_nothing_does() {
    for block in frame_fifos() {
        for seed in 0..6 {
            frames_cross(block, seed);
        }
    }
}

/// Short frames without a pause at equal clocks: once the first is through, a beat comes out on every clock.
#[test]
fn short_frames_stream_without_a_bubble() {
    let block = AsyncFrameFifo {
        data_w: 64,
        user_w: 1,
        depth: 64,
        memory: Memory::Block,
        when_full: WhenFull::Stall,
        stages: 2,
    };
    let sim = Sim::new(&block).unwrap();
    let mut rng = rng(1);
    let (mut source, mut sink) = (Source::new(sim.io.s_axis, 100), Sink::new(sim.io.m_axis, 100));
    sim.reset();
    sim.poke(sim.io.bad, false);
    source.queue.extend((0..60).flat_map(|_| random_frame(&mut rng, 8, 64, 1)));
    let mut clocks = 0;
    let mut came = vec![];
    while came.len() < 60 {
        source.drive(&sim, &mut rng);
        sink.drive(&sim, &mut rng);
        source.taken(&sim);
        came.extend(sink.given(&sim).map(|_| clocks));
        edge(&sim, [true, true]);
        clocks += 1;
        assert!(clocks < 200);
    }
    // The first frame crosses alone; those behind it come with the next handshake.
    let from = came.iter().position(|at| *at > came[0] + 12).expect("more than 12 frames");
    assert!(came[from..].windows(2).all(|pair| pair[1] == pair[0] + 1), "{came:?}");
}

#[test]
fn no_combinational_paths() {
    for block in frame_fifos() {
        assert_no_combinational_paths(&block);
    }
    for memory in [Memory::Block, Memory::Distributed] {
        assert_no_combinational_paths(&AsyncFifo { data_w: 64, user_w: 1, depth: 16, memory, stages: 2 });
    }
}

#[test]
fn depths_that_do_not_fit_are_refused() {
    let block = AsyncFifo { data_w: 64, user_w: 1, depth: 12, memory: Memory::Block, stages: 2 };
    assert!(elaborate(&block).unwrap_err().to_string().contains("a depth of 12 words is no power of two"));
    let block = AsyncFrameFifo { depth: 100, ..frame_fifos()[0] };
    let refused = elaborate(&block).unwrap_err().to_string();
    assert!(refused.contains("async_frame_fifo: depth = 100 is no power of two from 4 to 2^20: use 128"), "{refused}");
}
