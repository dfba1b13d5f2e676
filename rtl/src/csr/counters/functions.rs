//! What the functions' frames add up to since the banks last changed places: frames and bytes forwarded, frames dropped.
//!
//! ```text
//!  event ──▶ register ──▶ bank (2 clocks) ──▶ select ──▶ add ──▶ bank
//!                                               ▲         │
//!                                               └ forward ┘
//!  visit ──▶ other bank (2 clocks) ──▶ addend, and zero back into the bank
//! ```
//!
//! | port | |
//! |---|---|
//! | `events` | frames of one direction, one a clock |
//! | `sweep` | which bank works, and the row of the other one that is visited |
//! | `addend` | what the step of a visit adds to the totals |
//!
//! 1. One event every clock, without loss, the same function in neighbouring clocks included.
//! 2. A visit takes the row with it: what it found is added to the totals, and the row is 0 after it.
//! 3. Punted frames, and those of numbers beyond the last function, do not count here.

use super::{Sweep, store::ADDEND_DELAY};
use crate::{
    carry, carry_valid,
    csr::{PathEvents, PortEvents},
};
use hdl::*;

/// Configuration: how much a bank may have to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionGather {
    /// Functions: a power of two.
    pub functions: u32,
    /// Bits of a row number of the sweep.
    pub row_w: u32,
    /// Bits that count the frames of one turn of the sweep.
    pub count_w: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(row_w: u32, addend_w: u32)]
pub struct FunctionGatherIo<S> {
    /// Frames of one direction.
    #[input]
    pub events: PathEvents<S>,
    /// The sweep.
    #[input]
    #[shape(Sweep::shape(row_w))]
    pub sweep: Sweep<S>,
    /// What the step of a visit adds to the totals, three clocks after it: bytes, frames, drops.
    #[output]
    #[width(addend_w)]
    pub addend: S,
}

/// A frame on its way.
#[derive(Bundle, Clone, Debug)]
#[bundle(index_w: u32)]
struct Event<S> {
    valid: S,
    bank: S,
    /// Function, and whether the frame was dropped.
    #[width(index_w)]
    index: S,
}

impl FunctionGather {
    /// Bits of an addend.
    pub fn addend_w(&self) -> u32 {
        self.count_w + PortEvents::<Shape>::BYTES_W
    }
}

impl Block for FunctionGather {
    type Io<S> = FunctionGatherIo<S>;

    fn name(&self) -> String {
        "function_gather".into()
    }

    fn doc(&self) -> String {
        "Frames, bytes and drops of each function since the banks changed places.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("functions", self.functions.to_string())]
    }

    fn io(&self) -> FunctionGatherIo<Shape> {
        FunctionGatherIo::shape(self.row_w, self.addend_w())
    }

    #[names]
    fn build(&self, io: &FunctionGatherIo<Bits>) {
        let (e, sweep) = (&io.events, io.sweep.local());
        let function_w = clog2(self.functions.into());
        // Codes from 0 forward, from 16 punt, from 32 drop.
        let dropped = e.outcome.bit(5);
        let forwarded = !e.outcome.slice(4..6).any();
        e.outcome.trunc(4).ignore();
        sweep.first.ignore();
        sweep.latching.ignore();
        let exists = if function_w < 16 { !e.function.slice(function_w..).any() } else { lit(1, 1) };
        let counts = e.outcome_valid & e.function_known & exists & !sweep.clear & (dropped | forwarded);
        let stage = |event: &Event<Bits>| Event {
            valid: event.valid.delay_reset(0),
            bank: event.bank.delay(),
            index: event.index.delay(),
        };
        let arrived = Event { valid: counts, bank: sweep.active, index: cat([e.function.trunc(function_w), dropped]) };
        let fetch = stage(&arrived);
        let fetching = stage(&fetch);
        let count = stage(&fetching);
        let adding = stage(&count);
        let written = stage(&adding);
        let adding_bytes = carry("bytes", e.bytes, 4);

        // A row holds bytes above frames: those forwarded, or those dropped.
        let row_w = self.addend_w() + self.count_w;
        let in_range = if function_w < self.row_w { !sweep.row.slice(function_w..).any() } else { lit(1, 1) };
        let rest_row = sweep.row.trunc(function_w);
        let step = sweep.step;
        let sum = wire(row_w);
        // Both frames of a function are read at steps 0 and 2, and cleared a step later; all rows while the sweep clears.
        let read = (sweep.visit & in_range & !step.bit(0)).named("rest_read");
        let clear = (in_range & (sweep.clear | (sweep.visit & step.bit(0)))).named("rest_clear");
        let rest_index = cat([rest_row, step.bit(1)]).named("rest_index");
        let clear_index = mux(sweep.clear, cat([rest_row, step.bit(0)]), rest_index);
        let banks = [0u64, 1].map(|bank| {
            let memory = memory::simple_dual(2 * self.functions, row_w).latency(2).simple();
            memory.rdata.named(&format!("bank{bank}"));
            let at_work = (fetch.valid & fetch.bank.eq(bank)).named(&format!("bank{bank}_fetch"));
            let stored = memory.read(at_work | read, mux(at_work, fetch.index, rest_index));
            let add = (adding.valid & adding.bank.eq(bank)).named(&format!("bank{bank}_add"));
            let rests = sweep.clear | sweep.active.ne(bank);
            memory.write(add | (clear & rests), mux(add, adding.index, clear_index), mux(add, sum, lit(row_w, 0)));
            stored
        });

        // The bank does not know yet what the last three clocks add; who they are is found out a clock ahead.
        let last_sum = sum.delay();
        let sum_before = last_sum.delay();
        let follows = |name: &str, older: &Event<Bits>| {
            let same = older.valid & older.bank.eq(fetching.bank) & older.index.eq(fetching.index);
            same.delay().named(&format!("follows_{name}"))
        };
        let stored = mux(count.bank, banks[1], banks[0]);
        let known_sum =
            mux(follows("adding", &adding), last_sum, mux(follows("written", &written), sum_before, stored));
        let old_sum = mux(follows("count", &count), sum, known_sum).delay();
        let frames = old_sum.trunc(self.count_w) + 1;
        let bytes = old_sum.slice(self.count_w..) + adding_bytes.zext(self.addend_w());
        sum.set(cat([bytes, frames]));

        let visited = mux(carry("rest_bank", !sweep.active, ADDEND_DELAY - 1), banks[1], banks[0]);
        let is_visited = carry_valid("in_range", in_range, ADDEND_DELAY - 1);
        let is_bytes = carry("is_bytes", step.eq(0), ADDEND_DELAY - 1);
        let bytes_visited = visited.slice(self.count_w..);
        let frames_visited = visited.trunc(self.count_w).zext(self.addend_w());
        io.addend.set(is_visited.repeat(self.addend_w()) & mux(is_bytes, bytes_visited, frames_visited));
    }
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Kind, Outcome};

    #[test]
    fn the_upper_bits_of_an_outcome_are_its_kind() {
        for outcome in Outcome::ALL {
            let kind = [Kind::Forward, Kind::Punt, Kind::Drop, Kind::Drop][(outcome.code() >> 4) as usize];
            assert_eq!(outcome.kind(), kind, "{outcome:?}");
        }
    }
}
