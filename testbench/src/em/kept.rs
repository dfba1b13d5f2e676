//! Frames that limits kept from the Orchestration Module.

use em_model::{Model, PuntReason, Verdict};
use em_sim::em::Replay;
use std::collections::BTreeMap;

/// Frames that limits kept from the Orchestration Module, in one run.
#[derive(Default)]
pub(super) struct Kept {
    /// How many, by the reason for which they would have gone.
    reasons: BTreeMap<&'static str, u64>,
    bytes: u64,
    /// How many, by the limit.
    kept: Vec<u64>,
    /// Frames that each limit let go.
    passed: Vec<u64>,
}

impl Kept {
    /// Of the frames with these verdicts, all but those that came out. What came out must have been compared: nothing
    /// but frames that a limit may keep lacks.
    pub fn of(model: &Model, verdicts: &[Verdict], replay: &Replay) -> Kept {
        let limits = model.punt_limits().len();
        let mut all = Kept { kept: vec![0; limits], passed: vec![0; limits], ..Kept::default() };
        for verdict in verdicts {
            let Verdict::Punt { reason, function, frame, .. } = verdict else { continue };
            let Some(limit) = model.punt_limit_of(*reason, *function) else { continue };
            all.kept[limit] += 1;
            *all.reasons.entry(reason.name()).or_default() += 1;
            all.bytes += frame.len() as u64;
        }
        for punted in &replay.outputs.punted {
            let reason = punted.reason.and_then(|reason| PuntReason::from_name(reason.name()));
            let limit = reason.and_then(|reason| Some((reason, model.punt_limit_of(reason, punted.function)?)));
            let Some((reason, limit)) = limit else { continue };
            all.kept[limit] -= 1;
            all.passed[limit] += 1;
            *all.reasons.entry(reason.name()).or_default() -= 1;
            all.bytes -= punted.frame.len() as u64;
        }
        all
    }

    /// Checks that no limit let more go than it may in so many clocks, nor kept any before its burst was used up. `passed`
    /// is what each has let go since it was installed.
    pub fn within_bounds(&self, model: &Model, passed: &mut [u64], clocks: u64) -> Result<(), String> {
        for (place, limit) in model.punt_limits().iter().enumerate() {
            let (now, most) = (self.passed[place], limit.most(clocks));
            passed[place] += now;
            if now > most {
                return Err(format!("limit {place} let {now} frames go in {clocks} clocks, not {most}: {limit:?}"));
            }
            if self.kept[place] > 0 && passed[place] < limit.burst {
                return Err(format!("limit {place} kept frames before its burst was used up: {limit:?}"));
            }
        }
        Ok(())
    }

    /// How many, by the reason for which they would have gone.
    pub fn reasons(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.reasons.iter().map(|(reason, count)| (*reason, *count))
    }

    /// How many.
    pub fn frames(&self) -> u64 {
        self.reasons.values().sum()
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
