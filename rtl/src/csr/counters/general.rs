//! What outcomes, ports and tables add up to since the banks last changed places.
//!
//! Outcomes gather in distributed memory, ports and tables in registers. A visit names a row:
//!
//! | rows | of | bytes | frames | drops |
//! |---|---|---|---|---|
//! | 0 to 63 | outcomes | - | frames of both directions | - |
//! | 64 to 71 | ports | bytes | frames | - |
//! | 72 to 76 | tables | hits | misses | parity errors |
//!
//! 1. One event of each kind every clock, without loss.
//! 2. A visit takes the row with it, as in [`FunctionGather`](super::FunctionGather).
//! 3. No frame has its outcome in the first 16 clocks after reset: the outcomes' memory clears itself in them.

use super::{Sweep, store::ADDEND_DELAY};
use crate::{
    csr::{CounterEvents, PathEvents, PortEvents},
    outcome::Outcome,
};
use hdl::*;

/// First row of the ports.
pub const PORT_ROWS: u32 = 1 << Outcome::WIDTH;
/// First row of the tables.
pub const TABLE_ROWS: u32 = PORT_ROWS + 8;
/// Rows in all.
pub const ROWS: u32 = 128;

/// Configuration: how much a bank may have to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GeneralGather {
    /// Bits of a row number of the sweep.
    pub row_w: u32,
    /// Bits that count the events of one turn of the sweep.
    pub count_w: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(row_w: u32, addend_w: u32)]
pub struct GeneralGatherIo<S> {
    /// What is counted.
    #[input]
    pub events: CounterEvents<S>,
    /// The sweep.
    #[input]
    #[shape(Sweep::shape(row_w))]
    pub sweep: Sweep<S>,
    /// What the step of a visit adds to the totals, [`ADDEND_DELAY`] clocks after it.
    #[output]
    #[width(addend_w)]
    pub addend: S,
}

impl GeneralGather {
    /// Bits of an addend.
    pub fn addend_w(&self) -> u32 {
        self.count_w + PortEvents::<Shape>::BYTES_W
    }

    /// Frames of each outcome of one direction in the bank at rest, in the row visited.
    fn outcomes(&self, name: &str, events: &PathEvents<Bits>, sweep: &Sweep<Bits>) -> Bits {
        let valid = events.outcome_valid.delay_reset(0).named(&format!("{name}_valid"));
        let outcome = events.outcome.delay().named(&format!("{name}_outcome"));
        let bank = sweep.active.delay().named(&format!("{name}_bank"));
        // The first clocks after reset clear 16 rows of each quarter at once.
        let clearing = sweep.clear & !sweep.row.slice(3..).any();
        let clear_row = cat([sweep.row.trunc(3), sweep.step.bit(0)]);
        assert_that(&format!("{name}_late_enough"), "no outcome while its memory is cleared", !(clearing & valid));
        let quarter_of = |row: Bits| row.slice(4..6);
        let counts = [0u64, 1].map(|number| {
            let works = bank.eq(number).named(&format!("{name}_bank{number}_works"));
            let row = mux(clearing, clear_row, mux(works, outcome.trunc(4), sweep.row.trunc(4)));
            let quarters = (0..4u64).map(|quarter| {
                let called = |what: &str| format!("{name}_bank{number}_quarter{quarter}{what}");
                let memory = memory::distributed(16, self.count_w).simple();
                memory.rdata.named(&called(""));
                let stored = memory.read(lit(1, 1), row);
                let adds = works & valid & quarter_of(outcome).eq(quarter);
                let taken = !works & sweep.visit & sweep.step.eq(1) & quarter_of(sweep.row).eq(quarter);
                let next = mux(adds.named(&called("_adds")), stored + 1, lit(self.count_w, 0));
                memory.write(clearing | adds | taken.named(&called("_taken")), row, next);
                stored
            });
            select(quarter_of(sweep.row), &quarters.collect::<Vec<_>>())
        });
        mux(bank, counts[0], counts[1])
    }
}

/// Adds up `amount`, begins again when the banks change places, and keeps the sum that it had then.
fn gather(name: &str, amount: Bits, width: u32, changed: Bits) -> Bits {
    let sum = reg(width).reset(0).named(&format!("{name}_sum"));
    let kept = reg(width).named(&format!("{name}_kept"));
    sum.set(mux(changed, lit(width, 0), sum) + amount.zext(width));
    when(changed, || kept.set(sum));
    kept
}

impl Block for GeneralGather {
    type Io<S> = GeneralGatherIo<S>;

    fn name(&self) -> String {
        "general_gather".into()
    }

    fn doc(&self) -> String {
        "Outcomes, frames and bytes of the ports, and lookups since the banks changed places.".into()
    }

    fn io(&self) -> GeneralGatherIo<Shape> {
        GeneralGatherIo::shape(self.row_w, self.addend_w())
    }

    #[names]
    fn build(&self, io: &GeneralGatherIo<Bits>) {
        let (e, sweep) = (&io.events, &io.sweep);
        for path in [&e.tx, &e.rx] {
            path.function_known.ignore();
            path.function.ignore();
            path.bytes.ignore();
        }
        sweep.first.ignore();
        sweep.latching.ignore();
        let (count_w, addend_w) = (self.count_w, self.addend_w());
        let tx_frames = self.outcomes("tx", &e.tx, sweep);
        let rx_frames = self.outcomes("rx", &e.rx, sweep);

        // Ports and tables: the first event of a bank is counted one clock after the banks change places.
        let bank = sweep.active.delay_reset(0);
        let changed = bank.ne(bank.delay_reset(0));
        let ports = e.ports().into_iter().zip(super::PortCounter::ALL).map(|(port, counter)| {
            let frame = port.frame.delay_reset(0).named(&format!("{}_frame", counter.name()));
            let bytes = port.bytes.delay().named(&format!("{}_length", counter.name()));
            let counted = frame.repeat(PortEvents::<Shape>::BYTES_W) & bytes;
            [
                gather(&format!("{}_bytes", counter.name()), counted, addend_w, changed),
                gather(&format!("{}_frames", counter.name()), frame, count_w, changed),
            ]
        });
        let ports: Vec<[Bits; 2]> = ports.collect();
        let tables =
            [("hits", e.tables.hit), ("misses", e.tables.miss), ("parity", e.tables.parity)].map(|(what, pulses)| {
                let pulses = pulses.delay_reset(0).named(&format!("table_{what}"));
                let count =
                    |(table, pulse): (usize, &Bits)| gather(&format!("table{table}_{what}"), *pulse, count_w, changed);
                pulses.to_bits().iter().enumerate().map(count).collect::<Vec<_>>()
            });

        // The first clock finds what the row has, the second chooses the step's part.
        let row = sweep.row;
        let is_port = row.slice(3..7).eq(u64::from(PORT_ROWS / 8)).delay();
        let is_table = row.slice(3..7).eq(u64::from(TABLE_ROWS / 8)).delay();
        let is_outcome = (!row.bit(6)).delay();
        let in_range = if self.row_w > 7 { !row.slice(7..).any() } else { lit(1, 1) }.delay();
        let number = row.trunc(3);
        let pick = |column: usize| select(number, &ports.iter().map(|p| p[column]).collect::<Vec<_>>()).delay();
        let port_bytes = pick(0);
        let port_frames = pick(1);
        let outcome_frames = tx_frames.grow_add(rx_frames).delay();
        let [hits, misses, parity] = tables.map(|counts| select(number, &counts).delay());
        let step = sweep.step.delay();
        let of = |chosen: Bits, value: Bits| chosen.repeat(addend_w) & value.zext(addend_w);
        let bytes = of(is_port, port_bytes) | of(is_table, hits);
        let frames = of(is_port, port_frames) | of(is_table, misses) | of(is_outcome, outcome_frames);
        let drops = of(is_table, parity);
        let chosen = select(step, &[bytes, frames, drops]);
        io.addend.registered().set(in_range.repeat(addend_w) & chosen);
        const _: () = assert!(ADDEND_DELAY == 2);
    }
}
