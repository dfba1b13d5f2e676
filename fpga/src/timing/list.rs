//! What is measured: the blocks that have peers, and every module of each profile's core.

use crate::{
    Part,
    blocks::{self, BlockError, CORE, Entry},
    goal,
};
use em_rtl::{
    config::Profile,
    packet::Direction,
    parse::Parse,
    stream::{Arbiter, AsyncFifo, AsyncFrameFifo, FrameFifo, Memory, Narrow, Skid, WhenFull, Widen},
};

/// Something to measure.
pub struct Subject {
    /// Its name in the record: that of the block, behind `PROFILE/` if it is one of a core.
    pub name: String,
    /// Where.
    pub part: Part,
    /// Clock to reach in MHz, if there is one.
    pub target_mhz: Option<f64>,
    /// The block.
    pub entry: Entry,
}

/// Every subject: first the blocks with peers, then the cores with their modules.
///
/// # Errors
/// A core does not elaborate.
pub fn subjects() -> Result<Vec<Subject>, BlockError> {
    let mut all = stream_blocks();
    for profile in Profile::NAMES {
        // A built-in profile is always there.
        if let Ok(profile) = Profile::named(profile) {
            all.extend(of_core(&profile)?);
        }
    }
    Ok(all)
}

/// A core and its modules; none if its streams are too wide for this family of parts.
fn of_core(profile: &Profile) -> Result<Vec<Subject>, BlockError> {
    if profile.config.data_w > 128 {
        return Ok(vec![]);
    }
    let goal = goal::of(&profile.config);
    let subject = |entry: Entry| {
        let target_mhz = Some(if entry.name == CORE { goal.mhz } else { goal.block_mhz() });
        Subject { name: format!("{}/{}", profile.name, entry.name), part: goal.part, target_mhz, entry }
    };
    Ok(blocks::of_profile(profile)?.into_iter().map(subject).collect())
}

/// The blocks that are compared with those of others, in their configuration: `tuser` of 1 bit, FIFOs of 4 KiB that drop
/// bad frames, two inputs.
fn stream_blocks() -> Vec<Subject> {
    let user_w = 1;
    let mut entries = Vec::new();
    for (data_w, depth) in [(128, 256), (512, 64)] {
        let (memory, when_full) = (Memory::Block, WhenFull::Drop);
        let name = |block: &str| format!("{block}_{data_w}");
        entries.push(Entry::new(&name("skid"), Skid { data_w, user_w }));
        entries.push(Entry::new(&name("frame_fifo"), FrameFifo { data_w, user_w, depth, memory, when_full }));
        entries.push(Entry::new(&name("arbiter"), Arbiter { inputs: 2, data_w, user_w }));
        entries.push(Entry::new(&name("async_fifo"), AsyncFifo { data_w, user_w, depth, memory, stages: 2 }));
        let frames = AsyncFrameFifo { data_w, user_w, depth, memory, when_full, stages: 2 };
        entries.push(Entry::new(&name("async_frame_fifo"), frames));
    }
    for (narrow, wide) in [(64, 128), (128, 512)] {
        let (widen, split) = (format!("widen_{narrow}_{wide}"), format!("narrow_{wide}_{narrow}"));
        entries.push(Entry::new(&widen, Widen { from_w: narrow, to_w: wide, user_w }));
        entries.push(Entry::new(&split, Narrow { from_w: wide, to_w: narrow, user_w }));
    }
    // A built-in profile is always there.
    if let Ok(small) = Profile::named("small") {
        entries.push(Entry::new("parse_64", Parse { size: small.config.size(), direction: Direction::Rx }));
    }
    let subject =
        |entry: Entry| Subject { name: entry.name.clone(), part: Part::LFE5UM5G_45F_8, target_mhz: None, entry };
    entries.into_iter().map(subject).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::PEERS;

    #[test]
    fn every_peer_has_a_subject_and_every_subject_elaborates() {
        let subjects = stream_blocks();
        for peer in PEERS {
            assert!(subjects.iter().any(|s| s.name == peer.ours), "{}", peer.ours);
        }
        for subject in &subjects {
            subject.entry.design().unwrap_or_else(|e| panic!("{}: {e}", subject.name));
        }
    }

    #[test]
    fn names_are_told_apart() {
        let mut names: Vec<String> = subjects().unwrap().into_iter().map(|s| s.name).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
