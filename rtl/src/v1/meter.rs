//! Measures the frames of a stream, for the counters.
//!
//! ```text
//!                 ┌─────────┐
//!  beats taken ──▶│  meter  │────▶ frame, bytes
//!                 └─────────┘
//! ```
//! Latency: 2 clocks from the last beat's transfer. It only watches.
//!
//! 1. One `frame` for each last beat that is transferred, with the number of bytes of its frame.
//! 2. A frame of more than 16,383 bytes counts as 16,369 to 16,383, as its last beat ends.

use crate::{
    csr::CounterEvents,
    v1::packet::{LANE_W, LANES},
};
use hdl::*;

/// The block.
#[derive(Clone, Debug)]
pub struct Meter {}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct MeterIo<S> {
    /// A beat is transferred.
    #[input]
    pub transfer: S,
    /// Last beat of its frame.
    #[input]
    pub last: S,
    /// Valid lanes but lane 0, which is always valid.
    #[input]
    #[width(LANES - 1)]
    pub others: S,
    /// A frame is over.
    #[output]
    pub frame: S,
    /// Its bytes.
    #[output]
    #[width(CounterEvents::<Shape>::BYTES_W)]
    pub bytes: S,
}

/// Number of the last valid lane of a beat; `others` is its `tkeep` without lane 0, which every beat has.
pub(crate) fn last_lane(others: Bits) -> Bits {
    let holds = |lane: u32| others.bit(lane - 1);
    let ends_in = |lane: u32| if lane == LANES - 1 { holds(lane) } else { holds(lane) & !holds(lane + 1) };
    let bits = (0..LANE_W).rev().map(|b| {
        let lanes = (1..LANES).filter(|lane| lane >> b & 1 == 1);
        lanes.fold(lit(1, 0), |any, lane| any | ends_in(lane))
    });
    cat(bits)
}

impl Block for Meter {
    type Io<S> = MeterIo<S>;

    fn name(&self) -> String {
        "meter".into()
    }

    fn doc(&self) -> String {
        "Measures the frames of a stream.".into()
    }

    fn io(&self) -> MeterIo<Shape> {
        MeterIo::shape()
    }

    #[names]
    fn build(&self, io: &MeterIo<Bits>) {
        let beats_w = CounterEvents::<Shape>::BYTES_W - LANE_W;
        let index = reg(beats_w).reset(0);
        when(io.transfer, || {
            when(io.last, || index.set(0)).elsewhen(!index.all(), || index.set(index + 1));
        });
        let over = (io.transfer & io.last).delay_reset(0);
        let ends_at = cat([index, last_lane(io.others)]).delay();
        let bytes = mux(ends_at.all(), ends_at, ends_at + 1);
        io.frame.reset(0).set(over);
        io.bytes.registered().set(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::sim::Sim;

    #[test]
    fn every_length_is_measured() {
        check::assert_no_combinational_paths(&Meter {});
        let sim = Sim::new(&Meter {}).unwrap();
        sim.reset();
        let mut counted = Vec::new();
        let mut step = |transfer: bool, last: bool, lanes: u32| {
            sim.poke(sim.io.transfer, transfer);
            sim.poke(sim.io.last, last);
            sim.poke(sim.io.others, ((1u64 << lanes) - 1) >> 1);
            sim.step();
            if sim.peek_bool(sim.io.frame) {
                counted.push(sim.peek_u64(sim.io.bytes));
            }
        };
        let lengths: Vec<u32> = (1..100).chain([1514, 9216, 16_368, 16_369, 16_383, 16_384, 16_385, 40_003]).collect();
        for length in &lengths {
            for beat in 0..length.div_ceil(LANES) {
                let lanes = (length - beat * LANES).min(LANES);
                step(true, beat * LANES + lanes == *length, lanes);
                step(false, true, 3);
            }
        }
        step(false, false, 1);
        let expected = lengths.iter().map(|l| if *l < 16_384 { *l } else { 16_369 + (l - 1) % LANES });
        let expected: Vec<u64> = expected.map(|l| u64::from(l.min(16_383))).collect();
        assert_eq!(counted, expected);
    }
}
