//! Latency, and a beat a clock.

use crate::{
    frames::{Frame, forwards},
    rig::{Rig, all_blocks},
};
use em_rtl::{
    egress::{FIFO_LATENCY, LATENCY, Output, PUNT_FIFO_LATENCY},
    outcome::Outcome,
};

#[test]
fn a_frame_takes_its_latency() {
    for block in all_blocks() {
        let punt = u64::from(LATENCY + PUNT_FIFO_LATENCY - FIFO_LATENCY + block.refusal_after);
        for (outcome, latency) in [(forwards(block.direction)[0], u64::from(LATENCY)), (Outcome::PuntTtl, punt)] {
            let mut rig = Rig::new(&block, 7);
            let frame = Frame::new(&mut rig.rng, 100, outcome);
            rig.queue.push_back(frame);
            rig.run();
            let clocks: Vec<u64> = rig.expected.iter().flat_map(|e| e.clocks.clone()).collect();
            assert_eq!(clocks[0] - rig.sent[0], latency, "{block:?}");
        }
    }
}

#[test]
fn a_beat_a_clock_whatever_the_frames_and_outputs() {
    for block in all_blocks() {
        let block = em_rtl::egress::Egress { punt_beats: 2048, ..block };
        let all: Vec<Outcome> = forwards(block.direction).iter().copied().chain([Outcome::PuntTtl]).collect();
        // One output busy, and several.
        for outcomes in [&all[..1], &all[1..], &all] {
            for beats in [1, 2, 3, 7] {
                let mut rig = Rig::new(&block, 8);
                for i in 0..300 {
                    let length = beats * rig.lanes();
                    let frame = Frame::new(&mut rig.rng, length, outcomes[i % outcomes.len()]);
                    rig.queue.push_back(frame);
                }
                rig.run();
                let count = 300 * beats;
                assert_eq!(rig.read.len(), count, "none is dropped");
                let spans = |clocks: &[u64]| clocks[clocks.len() - 1] - clocks[0] + 1;
                // The last one to be punted waits longer than the last one to be forwarded.
                let waits = if outcomes.len() == 1 { 0 } else { u64::from(block.refusal_after) };
                let more = spans(&rig.read) - count as u64;
                assert!(more <= waits, "{block:?}, {outcomes:?}, {beats} beats: {more} clocks more");
                if outcomes.len() == 1 {
                    let clocks = &rig.expected.iter().find(|e| e.done > 0).unwrap().clocks;
                    assert_eq!(spans(clocks), count as u64, "{block:?}, {outcomes:?}, {beats} beats");
                }
            }
        }
    }
}

#[test]
fn dropped_frames_cost_no_read() {
    for block in all_blocks() {
        let one = forwards(block.direction)[0];
        let mut rig = Rig::new(&block, 9);
        // Two dropped frames of one beat behind each forwarded one of three: three beats in three clocks.
        for outcome in [one, Outcome::Runt, Outcome::Parity].repeat(100) {
            let beats = if outcome == one { 3 } else { 1 };
            let length = beats * rig.lanes();
            let frame = Frame::new(&mut rig.rng, length, outcome);
            rig.queue.push_back(frame);
        }
        rig.run();
        let clocks = &rig.expected[0].clocks;
        assert_eq!(clocks.last().unwrap() - clocks[0] + 1, 300);
        assert_eq!(rig.sent.last().unwrap() - rig.sent[0] + 1, 300, "a frame a clock goes in");
        let at = Output::of(block.direction).iter().position(|o| o.is_punt()).unwrap();
        assert_eq!(rig.expected[at].done, 0);
    }
}
