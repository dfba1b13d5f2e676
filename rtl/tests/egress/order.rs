//! Random frames to all outputs at random paces, stalled outputs, and the room for punts.

use crate::{
    frames::{Behind, Change, Frame, forwards},
    rig::{Rig, all_blocks, block},
};
use em_rtl::{
    egress::{Egress, Output},
    outcome::{Kind, Outcome},
    packet::Direction,
};
use hdl::check::assert_no_combinational_paths;
use rand::{RngExt, rngs::StdRng};

/// A frame of a random outcome and of up to `most` beats; half of the forwarded ones are changed.
fn random_frame(rng: &mut StdRng, block: &Egress, most: usize) -> Frame {
    let of_kind = |kind: Kind| Outcome::ALL.iter().copied().filter(move |o| o.kind() == kind);
    let outcome = match rng.random_range(0..10) {
        0..6 => forwards(block.direction)[rng.random_range(0..forwards(block.direction).len())],
        6..8 => of_kind(Kind::Punt).nth(rng.random_range(0..of_kind(Kind::Punt).count())).unwrap(),
        _ => of_kind(Kind::Drop).nth(rng.random_range(0..of_kind(Kind::Drop).count())).unwrap(),
    };
    let lanes = block.size.lanes() as usize;
    let beats = if rng.random_bool(0.5) { 1 } else { rng.random_range(1..=most) };
    let length = rng.random_range((beats - 1) * lanes + 1..=beats * lanes);
    let mut frame = Frame::new(rng, length, outcome);
    if rng.random_bool(0.5) {
        let behind = Behind::ALL[rng.random_range(0..Behind::ALL.len())];
        let (tags, ihl) = (rng.random_range(0..3), rng.random_range(5..16));
        let change = Change::of(rng, tags, ihl, behind);
        if change.reach() <= frame.bytes.len() {
            frame.change = Some(change);
        }
    }
    frame
}

#[test]
fn no_output_depends_combinationally_on_an_input() {
    all_blocks().iter().for_each(assert_no_combinational_paths);
}

#[test]
fn every_frame_leaves_as_its_action_says_whatever_the_paces() {
    for (seed, block) in all_blocks().iter().enumerate() {
        for (offers, takes) in [(100, [100; 3]), (100, [30, 60, 40]), (30, [100; 3]), (80, [90, 20, 50])] {
            let mut rig = Rig::new(block, seed as u64);
            rig.offers = offers;
            rig.refusals = 30;
            rig.takes(&takes);
            for _ in 0..400 {
                let frame = random_frame(&mut rig.rng, block, 20);
                rig.queue.push_back(frame);
            }
            rig.run();
            assert_eq!(rig.outcomes.len(), 400);
            assert!(rig.expected.iter().all(|e| e.done > 20));
        }
    }
}

#[test]
fn a_frame_can_fill_the_buffer() {
    for block in all_blocks() {
        let mut rig = Rig::new(&block, 1);
        for (beats, spare) in [(1, 1), (256, 3), (255, 0), (256, 0), (1, 0), (256, 5)] {
            let length = beats * rig.lanes() - spare;
            let frame = Frame::new(&mut rig.rng, length, forwards(block.direction)[0]);
            rig.queue.push_back(frame);
        }
        rig.run();
    }
}

#[test]
fn a_stalled_output_delays_only_its_own_frames() {
    for (stalled, outcome) in [(Output::Net0, Outcome::Net0), (Output::Net1, Outcome::Net1)] {
        let mut rig = Rig::new(&block(128, Direction::Tx), 2);
        let takes: Vec<u32> = rig.outputs().iter().map(|o| if *o == stalled { 0 } else { 100 }).collect();
        rig.takes(&takes);
        // Two of five go there: some are in the FIFO, the rest is held. Each has a page of 64.
        for (rounds, held) in [(20, 40 - 8), (100, 64)] {
            for _ in 0..rounds {
                for outcome in [outcome, Outcome::Net0, Outcome::Net1, Outcome::PuntTtl, Outcome::Runt] {
                    let frame = Frame::new(&mut rig.rng, 30, outcome);
                    rig.queue.push_back(frame);
                }
            }
            rig.run_for(600);
            assert_eq!(rig.held(), held, "{stalled:?}");
            assert_eq!(rig.queue.is_empty(), held < 64);
            for output in Output::of(Direction::Tx) {
                let waiting = rig.waiting(*output);
                let due = if *output == stalled { held + 8 } else { 0 };
                assert_eq!(waiting, due, "{output:?} beside {stalled:?}");
            }
        }
        rig.takes(&[100; 3]);
        rig.run();
    }
    // On the way in a stalled host does not hold up the Orchestration Module.
    let mut rig = Rig::new(&block(128, Direction::Rx), 3);
    rig.takes(&[0, 100]);
    for outcome in [Outcome::Host, Outcome::PuntTtl].repeat(20) {
        let frame = Frame::new(&mut rig.rng, 100, outcome);
        rig.queue.push_back(frame);
    }
    rig.run_for(300);
    assert_eq!((rig.waiting(Output::Host), rig.waiting(Output::Punt)), (20, 0));
    rig.takes(&[100; 2]);
    rig.run();
}

#[test]
fn punts_have_all_the_room_there_is_and_wait_for_nobody() {
    for block in all_blocks() {
        let mut rig = Rig::new(&block, 4);
        let takes: Vec<u32> = rig.outputs().iter().map(|o| if o.is_punt() { 0 } else { 100 }).collect();
        rig.takes(&takes);
        let forward = forwards(block.direction)[0];
        // 20 beats at a time: three fit in 64, then one of four.
        let sizes = [20, 20, 20, 5, 4, 1];
        for beats in sizes {
            let length = beats * rig.lanes();
            for outcome in [Outcome::PuntUnmatched, forward] {
                let frame = Frame::new(&mut rig.rng, length, outcome);
                rig.queue.push_back(frame);
            }
        }
        rig.run_for(300);
        let full = [false, false, false, true, false, true];
        let punts: Vec<bool> = rig.outcomes.iter().step_by(2).map(|o| *o == Outcome::PuntFull).collect();
        assert_eq!(punts, full);
        assert_eq!(rig.waiting(Output::Punt), 4);
        assert_eq!(rig.expected[0].done, 6);
        // When the Orchestration Module takes beats again, there is room again.
        rig.takes(&vec![100; rig.outputs().len()]);
        rig.run_for(100);
        let length = 64 * rig.lanes();
        let frame = Frame::new(&mut rig.rng, length, Outcome::PuntUnmatched);
        rig.queue.push_back(frame);
        rig.run();
        assert_eq!(rig.outcomes.last(), Some(&Outcome::PuntUnmatched));
    }
}

#[test]
fn a_refused_punt_takes_no_room_and_delays_nothing() {
    for block in all_blocks().into_iter().filter(|block| block.refusal_after > 0) {
        let mut rig = Rig::new(&block, 12);
        let takes: Vec<u32> = rig.outputs().iter().map(|o| if o.is_punt() { 0 } else { 100 }).collect();
        rig.takes(&takes);
        rig.refusals = 100;
        let length = 20 * rig.lanes();
        for outcome in [Outcome::PuntTtl, forwards(block.direction)[0]].repeat(10) {
            let frame = Frame::new(&mut rig.rng, length, outcome);
            rig.queue.push_back(frame);
        }
        rig.run_for(500);
        assert_eq!(rig.outcomes.iter().filter(|o| **o == Outcome::PuntRate).count(), 10);
        assert_eq!(rig.expected[0].done, 10);
        // The room is all there: 60 of 64 beats.
        rig.refusals = 0;
        for _ in 0..4 {
            let frame = Frame::new(&mut rig.rng, length, Outcome::PuntTtl);
            rig.queue.push_back(frame);
        }
        rig.run_for(200);
        assert_eq!(rig.outcomes[20..], [Outcome::PuntTtl, Outcome::PuntTtl, Outcome::PuntTtl, Outcome::PuntFull]);
        rig.takes(&vec![100; rig.outputs().len()]);
        rig.run();
    }
}

#[test]
fn pages_are_given_back_as_they_are_read() {
    for block in all_blocks() {
        let mut rig = Rig::new(&block, 10);
        for beats in [200, 50, 1, 1, 7, 120, 250] {
            let length = beats * rig.lanes();
            let frame = Frame::new(&mut rig.rng, length, forwards(block.direction)[0]);
            rig.queue.push_back(frame);
        }
        while rig.given_back < 629 {
            rig.step();
            let kept = rig.read.len() as u64 - rig.given_back;
            // The first page of a frame is given back with the frame, a page under way as it ends.
            assert!(kept <= 3 * rig.page_beats() as u64, "{kept} beats have been read and not been given back");
        }
        rig.run();
    }
}

#[test]
fn configurations_that_do_not_fit_are_refused() {
    let good = block(128, Direction::Tx);
    let message = |block: Egress| hdl::elaborate(&block).unwrap_err().to_string();
    assert!(message(Egress { pages: 48, ..good }).contains("egress: pages = 48"));
    assert!(message(Egress { pages: 128, ..good }).contains("egress: pages = 128: choose 64 at most"));
    assert!(message(Egress { buffer_beats: 1000, ..good }).contains("egress: buffer_beats = 1000"));
    assert!(message(Egress { punt_beats: 1000, ..good }).contains("egress: punt_beats = 1000"));
    let size = em_rtl::packet::Size { data_w: 96, beats_w: 8, icrc_w: 0 };
    assert!(message(Egress { size, ..good }).contains("egress: data_w = 96"));
}
