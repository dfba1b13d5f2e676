//! Patterns by which a side of a stream holds it up.

use crate::Rng;

/// When a source waits before it offers a beat, or a sink keeps `tready` low.
///
/// A source that offers a beat keeps offering it; a pattern delays only the start. So for a source "the beat is seen" means
/// that it is the next one to be offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stall {
    /// Never.
    #[default]
    None,
    /// In `percent` of the cycles, at random.
    Random {
        /// 0 to 100; at 100 nothing ever moves.
        percent: u8,
        /// Seed of the choice.
        seed: u64,
    },
    /// For the first `cycles` cycles, then never.
    OffThenOn {
        /// How many.
        cycles: u64,
    },
    /// Every other cycle.
    Alternating,
    /// Until the cycle after the beat is first seen: each beat takes two cycles.
    AfterValid,
    /// One cycle at each last beat of a frame.
    HoldLast,
    /// One cycle at each first beat of a frame.
    HoldFirst,
}

impl Stall {
    /// True if the pattern depends on the beat that is offered.
    pub(crate) fn looks(self) -> bool {
        matches!(self, Stall::AfterValid | Stall::HoldLast | Stall::HoldFirst)
    }
}

/// What is offered in this cycle.
#[derive(Clone, Copy)]
pub(crate) struct Offered {
    pub first: bool,
    pub last: bool,
}

/// A pattern in progress.
#[derive(Debug)]
pub(crate) struct StallState {
    pattern: Stall,
    rng: Rng,
    cycle: u64,
    /// The offered beat has waited its cycle.
    waited: bool,
}

impl StallState {
    pub(crate) fn new(pattern: Stall) -> Self {
        let seed = if let Stall::Random { seed, .. } = pattern { seed } else { 0 };
        Self { pattern, rng: Rng::new(seed), cycle: 0, waited: false }
    }

    pub(crate) fn pattern(&self) -> Stall {
        self.pattern
    }

    /// Whether the side lets the beat go in this cycle; called once a cycle while the side is free to choose.
    pub(crate) fn permits(&mut self, offered: Option<Offered>) -> bool {
        let cycle = self.cycle;
        self.cycle += 1;
        match self.pattern {
            Stall::None => true,
            Stall::Random { percent, .. } => !self.rng.percent(percent),
            Stall::OffThenOn { cycles } => cycle >= cycles,
            Stall::Alternating => cycle % 2 == 1,
            Stall::AfterValid => offered.is_some() && self.second_time(),
            Stall::HoldLast => !offered.is_some_and(|beat| beat.last) || self.second_time(),
            Stall::HoldFirst => !offered.is_some_and(|beat| beat.first) || self.second_time(),
        }
    }

    fn second_time(&mut self) -> bool {
        let waited = self.waited;
        self.waited = !waited;
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(stall: Stall, offered: &[Option<(bool, bool)>]) -> String {
        let mut state = StallState::new(stall);
        let beats = offered.iter().map(|beat| beat.map(|(first, last)| Offered { first, last }));
        beats.map(|beat| if state.permits(beat) { '1' } else { '0' }).collect()
    }

    #[test]
    fn patterns_are_what_they_say() {
        let first = Some((true, false));
        let last = Some((false, true));
        let beats = [None, first, first, last, last, None, first, first];
        assert_eq!(pattern(Stall::None, &beats), "11111111");
        assert_eq!(pattern(Stall::OffThenOn { cycles: 3 }, &beats), "00011111");
        assert_eq!(pattern(Stall::Alternating, &beats), "01010101");
        assert_eq!(pattern(Stall::AfterValid, &beats), "00101001");
        assert_eq!(pattern(Stall::HoldLast, &beats), "11101111");
        assert_eq!(pattern(Stall::HoldFirst, &beats), "10111101");
        let random = pattern(Stall::Random { percent: 30, seed: 1 }, &[None; 1000]);
        assert!((620..780).contains(&random.matches('1').count()));
    }
}
