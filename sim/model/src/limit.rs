//! Step 57: which limit counts for a frame that goes to the OM, and how many it may let go.

use em_rules::Rules;

use crate::PuntReason;

/// A limit of what goes to the OM. When a token comes depends on clocks, which this model has none of: it says which
/// limit counts for a frame, and how many frames one may let go in a time. Beyond that they are dropped, `punt_rate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuntLimit {
    /// The function whose frames it fits; `None`: every function's, and those that are nobody's.
    pub function: Option<u16>,
    /// The reason that it fits; `None`: every reason.
    pub reason: Option<PuntReason>,
    /// Frames that may go at once after a long rest.
    pub burst: u64,
    /// Clocks between two frames in the long run.
    pub clocks_per_frame: u64,
}

impl PuntLimit {
    /// The limits of the rules, in their order.
    pub(crate) fn all(rules: &Rules) -> Vec<PuntLimit> {
        let limit = |row: &em_rules::PuntLimit| PuntLimit {
            function: row.function.map(|function| *function),
            reason: row.reason.and_then(|reason| PuntReason::from_name(reason.as_str())),
            burst: u64::from(*row.burst),
            clocks_per_frame: u64::from(*row.clocks_per_frame),
        };
        rules.punt_limits.iter().map(limit).collect()
    }

    /// Whether it fits a frame of `function` punted for `reason`. A frame that is nobody's has no function, whatever its
    /// number says.
    pub fn fits(&self, reason: PuntReason, function: u16) -> bool {
        let own_function = match self.function {
            None => true,
            Some(own) => own == function && reason != PuntReason::NotForUs,
        };
        own_function && self.reason.is_none_or(|own| own == reason)
    }

    /// The most frames that it lets go within `clocks`: a full bucket, and a token for each interval that ends in them.
    pub fn most(&self, clocks: u64) -> u64 {
        self.burst + clocks / self.clocks_per_frame + 1
    }
}
