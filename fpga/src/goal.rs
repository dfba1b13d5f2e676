//! What each profile has to reach, and where.

use crate::Part;
use em_rtl::config::EmConfig;

/// Part and clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Goal {
    /// The part that the clock is stated for.
    pub part: Part,
    /// Clock of the whole core in MHz, after routing.
    pub mhz: f64,
}

/// How much faster a block must be alone than the core that it stands in: what routing across a full part costs.
pub const RESERVE: f64 = 1.3;

impl Goal {
    /// What each block must reach alone, in MHz.
    pub fn block_mhz(&self) -> f64 {
        self.mhz * RESERVE
    }
}

/// The goal of a configuration, by the width of its streams: 100 MHz on the small part for 64 bits, 125 MHz on the
/// middle one for 128; wider ones are measured on the largest part, though they are meant for other families.
pub fn of(config: &EmConfig) -> Goal {
    match config.data_w {
        ..128 => Goal { part: Part::LFE5U_25F_6, mhz: 100.0 },
        128 => Goal { part: Part::LFE5UM5G_45F_8, mhz: 125.0 },
        _ => Goal { part: Part::LFE5UM5G_85F_8, mhz: 125.0 },
    }
}
