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
//! 3. Frames go by a port no faster than a beat of `lanes` bytes a clock.

use super::{OutcomeGather, PortCounter, Sweep, store::ADDEND_DELAY};
use crate::{
    csr::{CounterEvents, PortEvents},
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
    /// Bytes of a beat.
    pub lanes: u32,
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
    /// What the step of a visit adds to the totals, three clocks after it.
    #[output]
    #[width(addend_w)]
    pub addend: S,
}

impl GeneralGather {
    /// Bits of an addend: the bytes of a turn, and of the longest frame that ends at its begin.
    pub fn addend_w(&self) -> u32 {
        let longest = 1u64 << PortEvents::<Shape>::BYTES_W;
        clog2((u64::from(self.lanes) << self.count_w) + longest)
    }
}

/// Adds up `amount`; when the banks change places it begins again, and keeps the sum that it had.
fn gather(name: &str, amount: Bits, width: u32, changed: Bits) -> Bits {
    let sum = reg(width).reset(0).named(&format!("{name}_sum"));
    let kept = reg(width).named(&format!("{name}_kept"));
    when(changed, || {
        sum.set(amount.zext(width));
        kept.set(sum);
    })
    .otherwise(|| sum.set(sum + amount.zext(width)));
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
        let e = &io.events;
        let sweep = io.sweep.local();
        let (count_w, addend_w) = (self.count_w, self.addend_w());
        let of_outcomes = OutcomeGather { row_w: self.row_w, count_w };
        let tx = instance(&of_outcomes);
        let rx = instance(&of_outcomes);
        for (gather, events) in [(&tx, &e.tx), (&rx, &e.rx)] {
            gather.take(events);
            assign(&gather.sweep, &sweep);
        }

        // Ports and tables: the first event of a bank is counted one clock after the banks change places.
        let bank = sweep.active.delay_reset(0);
        let changed = bank.ne(bank.delay_reset(0));
        let ports = e.ports().into_iter().zip(PortCounter::ALL).map(|(port, counter)| {
            let frame = port.frame.delay_reset(0).named(&format!("{}_frame", counter.name()));
            let length = reg(PortEvents::<Shape>::BYTES_W).named(&format!("{}_length", counter.name()));
            when(port.frame, || length.set(port.bytes)).otherwise(|| length.set(0));
            [
                gather(&format!("{}_bytes", counter.name()), length, addend_w, changed),
                gather(&format!("{}_frames", counter.name()), frame, count_w, changed),
            ]
        });
        let ports: Vec<[Bits; 2]> = ports.collect();
        let tables = [("hits", e.tables.hit), ("misses", e.tables.miss), ("parity", e.tables.parity)];
        let tables = tables.map(|(what, pulses)| {
            let pulses = pulses.delay_reset(0).named(&format!("table_{what}"));
            let count = |(n, pulse): (usize, &Bits)| gather(&format!("table{n}_{what}"), *pulse, count_w, changed);
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
        let [hits, misses, parity] = tables.map(|counts| select(number, &counts).delay());
        let step = sweep.step.delay();
        let of = |chosen: Bits, value: Bits| chosen.repeat(addend_w) & value.zext(addend_w);
        let bytes = of(is_port, port_bytes) | of(is_table, hits);
        let frames = of(is_port, port_frames) | of(is_table, misses) | of(is_outcome, tx.count.grow_add(rx.count));
        let drops = of(is_table, parity);
        io.addend.registered().set(in_range.repeat(addend_w) & select(step, &[bytes, frames, drops]));
        const { assert!(ADDEND_DELAY == 3) };
    }
}
