//! How many frames of one direction had each outcome since the banks last changed places.
//!
//! ```text
//!  event ──▶ register ──▶ bank (distributed) ──▶ register ──▶ + 1 ──▶ bank
//!                                                    ▲          │
//!                                                    └─ forward ┘
//!  visit ──▶ other bank ──▶ count, and zero back into the bank
//! ```
//!
//! | port | |
//! |---|---|
//! | `valid`, `outcome` | a frame has found its outcome; one a clock |
//! | `sweep` | which bank works, and the row of the other one that is visited |
//! | `count` | what stood in that row, one clock later |
//!
//! Never stalls. Three runts in neighbouring clocks and one more after the banks have changed places; then their row in the
//! first bank is visited:
//!
//! ```text
//! cycle          16 17 18 19 20 21 22 23 24 25 26 27
//! valid         ___/‾‾‾‾‾‾‾‾‾‾‾\____________________
//! outcome       |21
//! sweep_active  ____________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! sweep_visit   ________________________/‾‾‾‾‾‾‾‾‾‾‾
//! sweep_step    |0                         |1 |2 |3
//! count         |0             |1 |2 |3          |0
//! ```
//!
//! 1. One event every clock, without loss, the same outcome in neighbouring clocks included.
//! 2. A visit's second step takes the row with it.
//! 3. No frame has its outcome in the first 16 clocks after reset: the banks clear themselves in them.

use super::Sweep;
use crate::{csr::PathEvents, outcome::Outcome};
use hdl::*;

/// Configuration: how much a bank may have to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutcomeGather {
    /// Bits of a row number of the sweep.
    pub row_w: u32,
    /// Bits that count the frames of one turn of the sweep.
    pub count_w: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(row_w: u32, count_w: u32)]
pub struct OutcomeGatherIo<S> {
    /// Frames of one direction; a register may stand before.
    #[input]
    pub valid: S,
    /// Their outcomes.
    #[input]
    #[width(Outcome::WIDTH)]
    pub outcome: S,
    /// The sweep.
    #[input]
    #[shape(Sweep::shape(row_w))]
    pub sweep: Sweep<S>,
    /// What the row visited holds in the bank at rest, one clock after the step.
    #[output]
    #[width(count_w)]
    pub count: S,
}

const QUARTERS: u32 = 4;

impl OutcomeGatherIo<Bits> {
    /// Connects the outcomes of a path.
    pub fn take(&self, events: &PathEvents<Bits>) {
        self.valid.set(events.outcome_valid);
        self.outcome.set(events.outcome);
        [events.function_known, events.function, events.bytes].iter().for_each(|b| b.ignore());
    }
}

impl Block for OutcomeGather {
    type Io<S> = OutcomeGatherIo<S>;

    fn name(&self) -> String {
        "outcome_gather".into()
    }

    fn doc(&self) -> String {
        "Frames of each outcome since the banks changed places.".into()
    }

    fn io(&self) -> OutcomeGatherIo<Shape> {
        OutcomeGatherIo::shape(self.row_w, self.count_w)
    }

    #[names]
    fn build(&self, io: &OutcomeGatherIo<Bits>) {
        let sweep = &io.sweep;
        sweep.first.ignore();
        sweep.latching.ignore();
        let fetch_valid = io.valid.delay_reset(0);
        let fetch_outcome = io.outcome.delay();
        let fetch_bank = sweep.active.delay();
        let add_valid = fetch_valid.delay_reset(0);
        let add_outcome = fetch_outcome.delay();
        let add_bank = fetch_bank.delay();
        let new_count = wire(self.count_w);

        // The first clocks after reset clear one row of each quarter at once.
        let clearing = sweep.clear & !sweep.row.slice(3..).any();
        let clear_row = cat([sweep.row.trunc(3), sweep.step.bit(0)]);
        assert_that("late_enough", "no outcome comes while the banks are cleared", !(clearing & fetch_valid));
        let takes = sweep.visit & sweep.step.eq(1);
        let rest_row = sweep.row.trunc(Outcome::WIDTH);
        let counts = [0u64, 1].map(|bank| {
            let named = |what: &str, bits: Bits| bits.named(&format!("bank{bank}_{what}"));
            let read = named("read", mux(fetch_bank.eq(bank), fetch_outcome, rest_row));
            let adds = named("adds", add_valid & add_bank.eq(bank));
            let taken = named("taken", takes & sweep.active.ne(bank));
            let row = named("row", mux(clearing, clear_row, mux(adds, add_outcome.trunc(4), rest_row.trunc(4))));
            let quarter = mux(adds, add_outcome.slice(4..), rest_row.slice(4..));
            let next_count = named("next", adds.repeat(self.count_w) & new_count);
            let quarters = (0..QUARTERS).map(|n| {
                let memory = memory::distributed(16, self.count_w).simple();
                memory.rdata.named(&format!("bank{bank}_quarter{n}"));
                memory.write(clearing | ((adds | taken) & quarter.eq(u64::from(n))), row, next_count);
                memory.read(lit(1, 1), read.trunc(4))
            });
            let quarters: Vec<Bits> = quarters.collect();
            named("count", select(read.slice(4..), &quarters).delay())
        });

        // The bank does not know yet what the clock before adds.
        let last_count = new_count.delay();
        let follows = (add_valid & add_bank.eq(fetch_bank) & add_outcome.eq(fetch_outcome)).delay();
        let old_count = mux(follows, last_count, mux(add_bank, counts[1], counts[0]));
        new_count.set(old_count + 1);
        io.count.set(mux(sweep.active.delay(), counts[0], counts[1]));
    }
}
