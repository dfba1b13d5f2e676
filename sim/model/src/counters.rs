//! What the model counts.

use std::collections::BTreeMap;

use crate::{DropReason, PuntReason, Verdict};

/// Frames and bytes (without FCS) by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames from the host.
    pub frames_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Frames that left, translated or not.
    pub frames_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Those of them that were translated.
    pub translated: u64,
    punts: BTreeMap<PuntReason, u64>,
    drops: BTreeMap<DropReason, u64>,
}

impl Counters {
    /// Frames dropped for `reason`.
    pub fn dropped(&self, reason: DropReason) -> u64 {
        self.drops.get(&reason).copied().unwrap_or(0)
    }

    /// Frames punted for `reason`.
    pub fn punted(&self, reason: PuntReason) -> u64 {
        self.punts.get(&reason).copied().unwrap_or(0)
    }

    /// Every reason that dropped frames, with its count.
    pub fn drops(&self) -> impl Iterator<Item = (DropReason, u64)> + '_ {
        self.drops.iter().map(|(reason, count)| (*reason, *count))
    }

    /// Every reason that punted frames, with its count.
    pub fn punts(&self) -> impl Iterator<Item = (PuntReason, u64)> + '_ {
        self.punts.iter().map(|(reason, count)| (*reason, *count))
    }

    /// All punted frames.
    pub fn punted_total(&self) -> u64 {
        self.punts.values().sum()
    }

    /// All dropped frames.
    pub fn dropped_total(&self) -> u64 {
        self.drops.values().sum()
    }

    pub(crate) fn count(&mut self, bytes: usize, verdict: &Verdict, translated: bool) {
        self.frames_in += 1;
        self.bytes_in += bytes as u64;
        self.translated += u64::from(translated);
        match verdict {
            Verdict::Forward { frame, .. } => {
                self.frames_out += 1;
                self.bytes_out += frame.len() as u64;
            }
            Verdict::Punt { reason, .. } => *self.punts.entry(*reason).or_default() += 1,
            Verdict::Drop(reason) => *self.drops.entry(*reason).or_default() += 1,
        }
    }
}
