//! The counters: one of 64 bits for each outcome, in block RAM, and frames and bytes of each port, in registers.
//!
//! ```text
//!  outcome ──▶ register ──▶ RAM (2 clocks) ──▶ select ──▶ + 1 ──▶ RAM, and a copy for reading
//!                                                ▲         │
//!                                                └ forward ┘
//!  frames, bytes ──▶ register ──▶ accumulate
//! ```
//!
//! 1. One event of each kind every clock, without loss, the same outcome in neighbouring clocks included.
//! 2. After reset every counter reads 0, from the first clock on: a bit for each says whether its word was written since.
//! 3. `read_value` is the whole counter at one instant, [`Counters::READ_LATENCY`] clocks after the index, and follows it
//!    as long as the index stays. Events show up 5 clocks later.

use super::CounterEvents;
use crate::{carry, outcome::Outcome};
use hdl::*;

/// Counters of the ports, in order of their addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum PortCounter {
    /// Frames that came in from the host.
    HostRxFrames,
    /// Their bytes.
    HostRxBytes,
    /// Frames that went out by net0.
    Net0TxFrames,
    /// Their bytes.
    Net0TxBytes,
    /// Frames that went out to the Orchestration Module.
    PuntTxFrames,
    /// Their bytes.
    PuntTxBytes,
}

impl PortCounter {
    /// Every counter.
    pub const ALL: [PortCounter; 6] = [
        PortCounter::HostRxFrames,
        PortCounter::HostRxBytes,
        PortCounter::Net0TxFrames,
        PortCounter::Net0TxBytes,
        PortCounter::PuntTxFrames,
        PortCounter::PuntTxBytes,
    ];

    /// Name in documentation and headers.
    pub const fn name(self) -> &'static str {
        match self {
            PortCounter::HostRxFrames => "host_rx_frames",
            PortCounter::HostRxBytes => "host_rx_bytes",
            PortCounter::Net0TxFrames => "net0_tx_frames",
            PortCounter::Net0TxBytes => "net0_tx_bytes",
            PortCounter::PuntTxFrames => "punt_tx_frames",
            PortCounter::PuntTxBytes => "punt_tx_bytes",
        }
    }

    /// What it counts.
    pub const fn doc(self) -> &'static str {
        match self {
            PortCounter::HostRxFrames => "Frames that came in from the host, good or bad.",
            PortCounter::HostRxBytes => "Bytes of these frames, without FCS.",
            PortCounter::Net0TxFrames => "Frames that went out by net0.",
            PortCounter::Net0TxBytes => "Bytes of these frames, without FCS.",
            PortCounter::PuntTxFrames => "Frames that went out to the Orchestration Module.",
            PortCounter::PuntTxBytes => "Bytes of these frames, without FCS.",
        }
    }
}

/// The counters' block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counters;

/// Ports of the counters.
#[derive(Bundle, Clone, Debug)]
pub struct CountersIo<S> {
    /// What is counted.
    #[input]
    pub events: CounterEvents<S>,
    /// Counter to read: an outcome's code, or 64 and more for those of the ports.
    #[input]
    #[width(Counters::INDEX_W)]
    pub read_index: S,
    /// Its value.
    #[output]
    #[width(64)]
    pub read_value: S,
}

/// An event on its way: whether it is one, and which counter is meant.
#[derive(Bundle, Clone, Debug)]
struct Event<S> {
    valid: S,
    #[width(Outcome::WIDTH)]
    outcome: S,
}

impl Counters {
    /// Bits of a counter's index.
    pub const INDEX_W: u32 = Outcome::WIDTH + 1;
    /// Clocks from an index to its value.
    pub const READ_LATENCY: u32 = 3;
}

impl Block for Counters {
    type Io<S> = CountersIo<S>;

    fn name(&self) -> String {
        "counters".into()
    }

    fn doc(&self) -> String {
        "64-bit counters of outcomes and ports.".into()
    }

    fn io(&self) -> CountersIo<Shape> {
        CountersIo::shape()
    }

    #[names]
    fn build(&self, io: &CountersIo<Bits>) {
        let depth = 1 << Outcome::WIDTH;
        let stage = |event: &Event<Bits>| Event { valid: event.valid.delay_reset(0), outcome: event.outcome.delay() };
        let arrived = Event { valid: io.events.outcome_valid, outcome: io.events.outcome };
        let fetch = stage(&arrived);
        let fetching = stage(&fetch);
        let count = stage(&fetching);
        let adding = stage(&count);
        let written = stage(&adding);

        let counts = memory::simple_dual(depth, 64).latency(2).simple();
        let copies = memory::simple_dual(depth, 64).latency(2).simple();
        let touched = reg(depth).reset(0);
        let was_touched = select(fetching.outcome, &touched.to_bits()).delay();
        let stored = counts.read(fetch.valid, fetch.outcome);
        let new_count = wire(64);
        let last_count = new_count.delay();
        let count_before = last_count.delay();
        // The RAM does not know yet what the last three clocks add; who they are is found out a clock ahead.
        let follows = |name: &str, older: &Event<Bits>| {
            (older.valid & older.outcome.eq(fetching.outcome)).delay().named(&format!("follows_{name}"))
        };
        let known_count = mux(
            follows("adding", &adding),
            last_count,
            mux(follows("written", &written), count_before, was_touched.repeat(64) & stored),
        );
        let old_count = mux(follows("count", &count), new_count, known_count).delay();
        new_count.set(old_count + 1);
        counts.write(adding.valid, adding.outcome, new_count);
        copies.write(adding.valid, adding.outcome, new_count);
        let touch = |i| touched.bit(i) | (adding.valid & adding.outcome.eq(u64::from(i)));
        touched.set(cat((0..depth).rev().map(touch).collect::<Vec<_>>()));

        let read_outcome = io.read_index.trunc(Outcome::WIDTH);
        let copy = copies.read(lit(1, 1), read_outcome);
        let collided = carry("collided", adding.valid & adding.outcome.eq(read_outcome), 2);
        let outcome_known = carry("outcome_known", select(read_outcome, &touched.to_bits()), 2);
        let outcome_count = mux(collided, count_before, outcome_known.repeat(64) & copy);
        let e = &io.events;
        let ports = [
            (e.host_frame, e.host_bytes, "host_rx"),
            (e.net0_frame, e.net0_bytes, "net0_tx"),
            (e.punt_frame, e.punt_bytes, "punt_tx"),
        ];
        let port_counts = &ports.map(|(frame, bytes, port)| accumulate(frame, bytes, port)).concat();
        let port_count = carry("port_count", select(io.read_index.trunc(3), port_counts), 2);
        let is_port = carry("is_port", io.read_index.msb(), 2);
        io.read_value.registered().set(mux(is_port, port_count, outcome_count));
    }
}

/// Frames and bytes of one port.
fn accumulate(frame: Bits, bytes: Bits, port: &str) -> Vec<Bits> {
    let frame = frame.delay_reset(0).named(&format!("{port}_frame"));
    let bytes = bytes.delay().named(&format!("{port}_frame_bytes"));
    let frames = reg(64).reset(0).named(&format!("{port}_frames"));
    let total = reg(64).reset(0).named(&format!("{port}_bytes"));
    when(frame, || {
        frames.set(frames + 1);
        total.set(total + bytes.zext(64));
    });
    vec![frames, total]
}
