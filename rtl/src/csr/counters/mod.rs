//! The counters: of outcomes, ports, tables and functions, exact, and read as they were at one instant.
//!
//! ```text
//!            ┌──────────────────┐   ┌─────────────────┐
//!  events ──▶│ gather (2 banks) │──▶│ store (totals,  │──▶ read_value
//!            │ general, tx, rx  │   │ snapshot), each │
//!            └──────────────────┘   └─────────────────┘
//!                     ▲ ┌───────┐           ▲
//!     latch, busy ──────│ sweep │───────────┘
//!                       └───────┘
//! ```
//!
//! Events gather in one of two banks of narrow counters while the other bank is emptied into wide totals, without
//! pause. A latch lets the next change of the banks be the instant of a snapshot. (Why: `docs/decisions/counters.md`.)
//!
//! | port | |
//! |---|---|
//! | `events` | what is counted; every kind in every clock if need be |
//! | `latch`, `busy` | take a snapshot; it is being taken, for two turns of the sweep at most |
//! | `ready` | functions count |
//! | `read_group`, `read_row`, `read_column`, `read_value` | a counter of the snapshot |
//!
//! Never stalls. A turn of the sweep takes [`CounterSweep::turn`] clocks: 1,040 with 256 functions.
//!
//! 1. One event of each kind every clock, none is lost, neighbours of one kind included.
//! 2. What is read is the snapshot: every counter as it was in one clock, which lies between `latch` and the end of `busy`.
//! 3. `read_value` is the counter named [`Counters::READ_LATENCY`] clocks before.
//! 4. After reset all counters are 0. Those of functions count from `ready` on, the others at once.

mod sweep;
mod functions;
mod outcomes;
mod general;
mod store;

pub use functions::FunctionGather;
pub use general::{GeneralGather, PORT_ROWS, ROWS, TABLE_ROWS};
pub use outcomes::OutcomeGather;
pub use store::{Column, CounterStore};
pub use sweep::{CounterSweep, Sweep};

use super::CounterEvents;
use crate::carry;
use hdl::*;
use store::WORD_W;

/// The counters of an Execution Module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counters {
    /// Functions: a power of two.
    pub functions: u32,
    /// Bytes of a beat.
    pub lanes: u32,
}

/// Which counters a row number is about.
#[derive(Encode, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// Outcomes, ports and tables; see [`GeneralGather`].
    General,
    /// Functions, `tx`.
    Tx,
    /// Functions, `rx`.
    Rx,
}

/// Ports, in the order of their counters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PortCounter {
    /// From the host.
    HostRx,
    /// To the host.
    HostTx,
    /// From net0.
    Net0Rx,
    /// To net0.
    Net0Tx,
    /// From net1.
    Net1Rx,
    /// To net1.
    Net1Tx,
    /// To the Orchestration Module.
    PuntTx,
    /// From the Orchestration Module.
    InjectRx,
}

impl PortCounter {
    /// Every port.
    pub const ALL: [PortCounter; 8] = [
        PortCounter::HostRx,
        PortCounter::HostTx,
        PortCounter::Net0Rx,
        PortCounter::Net0Tx,
        PortCounter::Net1Rx,
        PortCounter::Net1Tx,
        PortCounter::PuntTx,
        PortCounter::InjectRx,
    ];

    /// Name in documents and headers.
    pub const fn name(self) -> &'static str {
        match self {
            PortCounter::HostRx => "host_rx",
            PortCounter::HostTx => "host_tx",
            PortCounter::Net0Rx => "net0_rx",
            PortCounter::Net0Tx => "net0_tx",
            PortCounter::Net1Rx => "net1_rx",
            PortCounter::Net1Tx => "net1_tx",
            PortCounter::PuntTx => "punt_tx",
            PortCounter::InjectRx => "inject_rx",
        }
    }

    /// Which frames it counts.
    pub const fn doc(self) -> &'static str {
        match self {
            PortCounter::HostRx => "frames that came in from the host, good or bad",
            PortCounter::HostTx => "frames that went out to the host",
            PortCounter::Net0Rx => "frames that came in from net0, good or bad",
            PortCounter::Net0Tx => "frames that went out by net0",
            PortCounter::Net1Rx => "frames that came in from net1, good or bad",
            PortCounter::Net1Tx => "frames that went out by net1",
            PortCounter::PuntTx => "frames that went out to the Orchestration Module",
            PortCounter::InjectRx => "frames that came in from the Orchestration Module, good or bad",
        }
    }
}

/// Ports of the counters.
#[derive(Bundle, Clone, Debug)]
pub struct CountersIo<S> {
    /// What is counted.
    #[input]
    pub events: CounterEvents<S>,
    /// Take a snapshot; one clock long.
    #[input]
    pub latch: S,
    /// The snapshot is being taken; what is read meanwhile is undefined.
    #[output]
    pub busy: S,
    /// The counters of functions count.
    #[output]
    pub ready: S,
    /// A [`Group`].
    #[input]
    #[width(2)]
    pub read_group: S,
    /// Row of the counter to read.
    #[input]
    #[width(16)]
    pub read_row: S,
    /// A [`Column`].
    #[input]
    #[width(2)]
    pub read_column: S,
    /// The counter.
    #[output]
    #[width(64)]
    pub read_value: S,
}

impl Counters {
    /// Clocks from `read_group`, `read_row` and `read_column`, which stay, to the counter.
    pub const READ_LATENCY: u32 = 7;

    /// The sweep.
    pub fn sweep(&self) -> CounterSweep {
        CounterSweep { rows: self.functions.max(ROWS) }
    }
}

impl Block for Counters {
    type Io<S> = CountersIo<S>;

    fn name(&self) -> String {
        "counters".into()
    }

    fn doc(&self) -> String {
        "Counters of outcomes, ports, tables and functions, with a snapshot.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("functions", self.functions.to_string()), ("lanes", self.lanes.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        match self.functions {
            n if n.is_power_of_two() && (2..=65_536).contains(&n) => Ok(()),
            n => Err(format!("counters of {n} functions: use a power of two from 2 to 65536")),
        }
    }

    fn io(&self) -> CountersIo<Shape> {
        CountersIo::shape()
    }

    #[names]
    fn build(&self, io: &CountersIo<Bits>) {
        let turn = self.sweep();
        let row_w = clog2(turn.rows.into());
        let count_w = clog2(u64::from(turn.turn()) + 1);
        let sweep = instance(&turn);
        sweep.latch.set(io.latch);
        io.busy.set(sweep.busy);
        io.ready.set(sweep.ready);

        let of_general = GeneralGather { row_w, count_w, lanes: self.lanes };
        let general = instance(&of_general);
        connect(&io.events, &general.events);
        let of_function = FunctionGather { functions: self.functions, row_w, count_w };
        let tx = instance(&of_function);
        let rx = instance(&of_function);
        connect(&io.events.tx, &tx.events);
        connect(&io.events.rx, &rx.events);

        // Words 0 to 2 hold the low bits of a row's columns, word 3 their high bits; both are read by turns.
        let high = reg(1).reset(0);
        high.set(!high);
        let word = mux(high, lit(2, 3), io.read_column);
        let general_store = instance(&CounterStore { rows: ROWS, row_w, addend_w: of_general.addend_w() });
        let of_functions = CounterStore { rows: self.functions, row_w, addend_w: of_function.addend_w() };
        let tx_store = instance(&of_functions);
        let rx_store = instance(&of_functions);
        let words = [
            (&sweep.sweep, &general.sweep, general.addend, &general_store, ROWS),
            (&sweep.sweep, &tx.sweep, tx.addend, &tx_store, self.functions),
            (&sweep.sweep, &rx.sweep, rx.addend, &rx_store, self.functions),
        ]
        .map(|(sweep, gather, addend, store, rows)| {
            connect(sweep, gather);
            connect(sweep, &store.sweep);
            store.addend.set(addend);
            store.read_address.set(cat([io.read_row.trunc(clog2(rows.into())), word]).delay());
            store.read_word
        });
        let used = row_w.max(7);
        if used < 16 {
            io.read_row.slice(used..).ignore();
        }
        let read_word = select(io.read_group, &words).delay();
        let is_high = carry("high", high, 4);
        let low_bits = read_word.delay_enable(!is_high);
        let high_bits = read_word.delay_enable(is_high);
        let mut lsb = 0;
        let values = Column::ALL.map(|column| {
            let width = column.width() - WORD_W;
            lsb += width;
            cat([high_bits.slice(lsb - width..lsb), low_bits]).zext(64)
        });
        io.read_value.registered().set(select(io.read_column, &values));
    }
}
