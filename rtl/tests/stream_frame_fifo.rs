//! The whole-frame FIFO in the native simulator: which frames come out, which are dropped and why.

mod common;

use common::{Beat, PACES, Sink, Source, random_frame, rng};
use em_rtl::stream::{FrameFifo, Memory, WhenFull};
use hdl::{check::assert_no_combinational_paths, sim::Sim};
use rand::RngExt;
use std::collections::VecDeque;

/// Bit of `tuser` that these tests use to mark a bad frame.
fn is_bad(beat: &Beat) -> bool {
    beat.user.bit(0)
}

/// What became of the frames that went in.
#[derive(Default, Debug)]
struct Tally {
    accepted: usize,
    bad: usize,
    full: usize,
}

struct Bench {
    block: FrameFifo,
    sim: Sim<FrameFifo>,
    source: Source,
    sink: Sink,
    /// Beats of the frame coming in, and frames whose outcome is awaited.
    coming: Vec<Beat>,
    ended: Option<Vec<Beat>>,
    /// Beats that must come out, in order.
    inside: VecDeque<Beat>,
    tally: Tally,
    in_frame: bool,
}

impl Bench {
    fn new(block: FrameFifo, offers: u32, takes: u32) -> Bench {
        let sim = Sim::new(&block).unwrap_or_else(|errors| panic!("{errors}"));
        sim.reset();
        let (source, sink) = (Source::new(sim.io.s_axis, offers), Sink::new(sim.io.m_axis, takes));
        let (coming, ended, inside) = (vec![], None, VecDeque::new());
        Bench { block, sim, source, sink, coming, ended, inside, tally: Tally::default(), in_frame: false }
    }

    fn clock(&mut self, rng: &mut rand::rngs::StdRng) {
        let (sim, block) = (&self.sim, &self.block);
        self.source.drive(sim, rng);
        self.sink.drive(sim, rng);
        let bad = self.source.queue.front().is_some_and(is_bad);
        sim.poke(sim.io.bad, bad);

        // Rule 3: the outcome of the frame that ended one clock ago, and of no other.
        let outcomes = [sim.io.accepted, sim.io.dropped_bad, sim.io.dropped_full].map(|port| sim.peek_bool(port));
        assert_eq!(outcomes.iter().filter(|o| **o).count(), usize::from(self.ended.is_some()));
        if let Some(frame) = self.ended.take() {
            let [accepted, dropped_bad, dropped_full] = outcomes;
            let fits = frame.len() <= block.depth as usize;
            let frame_is_bad = frame.last().is_some_and(is_bad);
            assert!(!accepted || (fits && !frame_is_bad), "{frame:?}");
            assert!(!dropped_bad || frame_is_bad);
            assert!(!dropped_full || !fits || block.when_full == WhenFull::Drop);
            self.tally.accepted += usize::from(accepted);
            self.tally.bad += usize::from(dropped_bad);
            self.tally.full += usize::from(dropped_full);
            if accepted {
                self.inside.extend(frame);
            }
        }
        // Rule 1: inside a frame the output never pauses.
        assert!(!self.in_frame || self.sink.offered(sim).is_some(), "a gap inside a frame");
        if let Some(beat) = self.sink.given(sim) {
            self.in_frame = !beat.last;
            assert_eq!(Some(beat), self.inside.pop_front());
        }
        assert!(block.when_full == WhenFull::Stall || sim.peek_bool(sim.io.s_axis.tready), "rule 4");
        if let Some(beat) = self.source.taken(sim) {
            let last = beat.last;
            self.coming.push(beat);
            if last {
                self.ended = Some(std::mem::take(&mut self.coming));
            }
        }
        sim.step();
    }

    fn is_done(&self) -> bool {
        self.source.queue.is_empty() && self.ended.is_none() && self.inside.is_empty()
    }
}

fn block(data_w: u32, user_w: u32, depth: u32, memory: Memory, when_full: WhenFull) -> FrameFifo {
    FrameFifo { data_w, user_w, depth, memory, when_full }
}

fn every_configuration(mut f: impl FnMut(FrameFifo)) {
    for (data_w, user_w) in [(64, 1), (128, 17), (512, 24)] {
        for depth in [4, 11, 16] {
            for memory in [Memory::Block, Memory::Distributed] {
                for when_full in [WhenFull::Stall, WhenFull::Drop] {
                    f(block(data_w, user_w, depth, memory, when_full));
                }
            }
        }
    }
}

#[test]
fn no_combinational_paths() {
    every_configuration(|block| assert_no_combinational_paths(&block));
}

#[test]
fn whole_frames_come_out_or_nothing_does() {
    every_configuration(|block| {
        for (seed, (offers, takes)) in PACES.into_iter().enumerate() {
            let mut rng = rng(seed as u64);
            let mut bench = Bench::new(block, offers, takes);
            let longest = (block.data_w / 8 * (block.depth + 2)) as usize;
            for _ in 0..60 {
                let bytes = rng.random_range(1..=longest);
                bench.source.queue.extend(random_frame(&mut rng, bytes, block.data_w, block.user_w));
            }
            let mut clocks = 0;
            while !bench.is_done() {
                bench.clock(&mut rng);
                clocks += 1;
                assert!(clocks < 100_000, "{block:?}: something blocks: {:?}", bench.tally);
            }
            let Tally { accepted, bad, full } = bench.tally;
            assert_eq!(accepted + bad + full, 60, "{block:?}");
            assert!(accepted > 0 && bad > 0, "{block:?}: {:?}", bench.tally);
        }
    });
}

#[test]
fn a_frame_as_long_as_the_memory_passes_and_a_longer_one_does_not() {
    every_configuration(|block| {
        let mut rng = rng(7);
        let mut bench = Bench::new(block, 100, 100);
        let lanes = (block.data_w / 8) as usize;
        let depth = block.depth as usize;
        for beats in [depth, depth + 1, 1] {
            let mut frame = random_frame(&mut rng, beats * lanes, block.data_w, block.user_w);
            frame.iter_mut().for_each(|beat| beat.user.set_bit(0, false));
            bench.source.queue.extend(frame);
            // Each frame alone, so that what counts is its own length.
            for _ in 0..4 * depth + 10 {
                bench.clock(&mut rng);
            }
        }
        assert!(bench.is_done());
        let Tally { accepted, bad, full } = bench.tally;
        assert_eq!((accepted, bad, full), (2, 0, 1), "{block:?}");
    });
}

#[test]
fn a_stalled_output_drops_or_stalls_but_never_mixes() {
    for when_full in [WhenFull::Stall, WhenFull::Drop] {
        let block = block(64, 1, 16, Memory::Block, when_full);
        let mut rng = rng(3);
        let mut bench = Bench::new(block, 100, 0);
        for _ in 0..20 {
            let mut frame = random_frame(&mut rng, 8 * 5, 64, 1);
            frame.iter_mut().for_each(|beat| beat.user.set_bit(0, false));
            bench.source.queue.extend(frame);
        }
        for _ in 0..200 {
            bench.clock(&mut rng);
        }
        // 16 beats in memory and 2 on the way out hold 3 frames of 5 beats.
        match when_full {
            WhenFull::Stall => {
                assert_eq!((bench.tally.accepted, bench.tally.full), (3, 0));
                assert_eq!(bench.source.queue.len(), 100 - 18);
            }
            WhenFull::Drop => assert_eq!((bench.tally.accepted, bench.tally.full), (3, 17)),
        }
    }
}
