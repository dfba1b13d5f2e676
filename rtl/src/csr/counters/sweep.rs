//! Takes turns between the two banks in which events gather: one gathers while the other is emptied into the totals.
//!
//! ```text
//!  latch ──▶┌───────────────┐──▶ active bank, for events
//!  busy  ◀──│ counter_sweep │──▶ visit (row, step), for the banks at rest, the totals and the snapshot
//!           └───────────────┘
//! ```
//!
//! | port | |
//! |---|---|
//! | `latch`, `busy` | take a snapshot; it is being taken |
//! | `ready` | the banks are clear |
//! | `sweep` | to every counter: which bank works, which row of the other is visited |
//!
//! A turn takes 4 clocks a row and [`CounterSweep::PAUSE`] more. Nothing stalls it.
//!
//! 1. The banks change places in one clock, for all counters at once: that is the instant of a latch.
//! 2. A latch is served by the first turn that begins after it; `busy` lasts from the latch to the end of that turn.
//! 3. After reset the sweep clears the banks, then a first turn clears the totals and takes a snapshot of them.

use hdl::*;

/// Configuration of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CounterSweep {
    /// Rows to visit: a power of two from 16.
    pub rows: u32,
}

/// What a sweep tells all counters.
#[derive(Bundle, Clone, Debug)]
#[bundle(row_w: u32)]
pub struct Sweep<S> {
    /// Bank that events of this clock go to.
    pub active: S,
    /// A row of the bank at rest is visited: four clocks a row, `step` 0 to 3.
    pub visit: S,
    /// Row that is visited, or cleared.
    #[width(row_w)]
    pub row: S,
    /// Step of the visit; its low bit counts while rows are cleared.
    #[width(2)]
    pub step: S,
    /// Rows of both banks are cleared, two clocks each: nothing stands in them yet.
    pub clear: S,
    /// Nothing stands in the totals yet.
    pub first: S,
    /// What is visited goes to the snapshot too.
    pub latching: S,
}

impl Sweep<Bits> {
    /// A copy of it, one clock later: every block that listens to the sweep has its own, near its memories.
    pub fn local(&self) -> Sweep<Bits> {
        Sweep {
            active: self.active.delay_reset(0).named("local_active"),
            visit: self.visit.delay_reset(0).named("local_visit"),
            row: self.row.delay_reset(0).named("local_row"),
            step: self.step.delay_reset(0).named("local_step"),
            clear: self.clear.delay_reset(1).named("local_clear"),
            first: self.first.delay_reset(1).named("local_first"),
            latching: self.latching.delay_reset(0).named("local_latching"),
        }
    }
}

/// Ports of a sweep.
#[derive(Bundle, Clone, Debug)]
#[bundle(row_w: u32)]
pub struct CounterSweepIo<S> {
    /// Take a snapshot; one clock long.
    #[input]
    pub latch: S,
    /// The snapshot is being taken.
    #[output]
    pub busy: S,
    /// The banks are clear, every event counts.
    #[output]
    pub ready: S,
    /// To all counters.
    #[output]
    #[shape(Sweep::shape(row_w))]
    pub sweep: Sweep<S>,
}

/// What the sweep is doing.
#[derive(Encode, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Clears both banks.
    Clear,
    /// Waits until the events of the turn before are counted and its visits written, then changes the banks.
    Settle,
    /// Waits until the last events have reached the bank that has come to rest.
    Drain,
    /// Visits row after row.
    Visit,
}

impl CounterSweep {
    /// Clocks of a turn beside its visits.
    pub const PAUSE: u32 = 2 * Self::WAIT;
    const WAIT: u32 = 8;

    /// Most clocks between two changes of the banks, and so the most events of a kind that a bank gathers.
    pub const fn turn(&self) -> u32 {
        4 * self.rows + Self::PAUSE
    }
}

impl Block for CounterSweep {
    type Io<S> = CounterSweepIo<S>;

    fn name(&self) -> String {
        "counter_sweep".into()
    }

    fn doc(&self) -> String {
        "Empties the bank of counters at rest into the totals, row after row.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("rows", self.rows.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        match self.rows {
            n if n.is_power_of_two() && n >= 16 => Ok(()),
            n => Err(format!("counter_sweep with {n} rows: use a power of two from 16")),
        }
    }

    fn io(&self) -> CounterSweepIo<Shape> {
        CounterSweepIo::shape(clog2(self.rows.into()))
    }

    #[names]
    fn build(&self, io: &CounterSweepIo<Bits>) {
        let s = &io.sweep;
        let phase = state(Phase::Clear);
        let waited = reg(clog2(Self::WAIT.into())).reset(0);
        let row = s.row.reset(0);
        let step = s.step.reset(0);
        let pending = reg(1).reset(1);
        s.active.reset(0);
        s.visit.reset(0).set(0);
        s.clear.reset(1);
        s.first.reset(1);
        s.latching.reset(0);
        // Who listens hears of the end of `clear` a clock later.
        io.ready.reset(0).set(!s.clear);
        io.busy.set(pending | s.latching);
        let last_row = row.all();
        let next_step = || {
            step.set(step + 1);
            when(step.all(), || row.set(row + 1));
        };
        waited.set(waited + 1);
        phase.switch(|now| match now {
            Phase::Clear => {
                // Two clocks a row.
                step.set(step ^ 1);
                when(step.bit(0), || row.set(row + 1));
                when(step.bit(0) & last_row, || {
                    s.clear.set(0);
                    waited.set(0);
                    phase.go(Phase::Settle);
                });
            }
            Phase::Settle => {
                when(waited.all(), || {
                    s.active.set(!s.active);
                    s.latching.set(pending);
                    pending.set(0);
                    phase.go(Phase::Drain);
                });
            }
            Phase::Drain => {
                when(waited.all(), || {
                    s.visit.set(1);
                    phase.go(Phase::Visit);
                });
            }
            Phase::Visit => {
                s.visit.set(1);
                next_step();
                when(last_row & step.all(), || {
                    s.visit.set(0);
                    waited.set(0);
                    phase.go(Phase::Settle);
                });
            }
        });
        // `first` and `latching` stay until the last visit has been written: the turn's end, when the banks change.
        let turn_over = phase.is(Phase::Settle) & waited.eq(u64::from(Self::WAIT) - 2) & !s.clear;
        let visited = reg(1).reset(0);
        when(s.visit, || visited.set(1));
        when(turn_over & visited, || {
            s.first.set(0);
            s.latching.set(0);
        });
        when(io.latch, || pending.set(1));
    }
}
