//! Every place that can be written, at every width.

use crate::{
    frames::{Behind, Change, Frame, forwards},
    rig::{Rig, all_blocks},
};
use rand::RngExt;

#[test]
fn everything_is_written_at_its_place_and_nothing_else() {
    for block in all_blocks() {
        let mut rig = Rig::new(&block, 5);
        for behind in Behind::ALL {
            for tags in 0..3 {
                for ihl in 5..16 {
                    let change = Change::of(&mut rig.rng, tags, ihl, behind);
                    // As short as can be, and longer than a rewrite can reach.
                    for length in [change.reach(), change.reach() + rig.rng.random_range(1..300)] {
                        let forwards = forwards(block.direction);
                        let outcome = forwards[rig.rng.random_range(0..forwards.len())];
                        let mut frame = Frame::new(&mut rig.rng, length, outcome);
                        frame.change = Some(change.clone());
                        rig.queue.push_back(frame);
                    }
                }
            }
        }
        let sent = rig.queue.len() as u64;
        rig.run();
        assert_eq!(rig.expected.iter().map(|e| e.done).sum::<u64>(), sent);
    }
}

#[test]
fn every_length_ends_in_its_lane() {
    for block in all_blocks() {
        let mut rig = Rig::new(&block, 6);
        for length in 1..=3 * rig.lanes() {
            let frame = Frame::new(&mut rig.rng, length, forwards(block.direction)[0]);
            rig.queue.push_back(frame);
        }
        rig.run();
    }
}
