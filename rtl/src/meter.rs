//! Measures the frames of a stream, for the counters.
//!
//! ```text
//!                 ┌─────────┐
//!  beats taken ──▶│  meter  │────▶ events
//!                 └─────────┘
//! ```
//! Latency: 1 clock from the last beat's transfer. It only watches.
//!
//! 1. One event for each last beat that is transferred, with the number of bytes of its frame.
//! 2. A frame of more than 16,383 bytes counts as the last 2^14 - `LANES` + 1 to 2^14 - 1, as its last beat ends.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/meter` | LFE5UM5G-45F-8 | 65 | 25 | 0 | 337 / 341 / 369 | 162.5 |

use crate::{csr::PortEvents, packet::last_lane};
use hdl::*;

/// The block.
#[derive(Clone, Debug)]
pub struct Meter {
    /// Bits of a beat.
    pub data_w: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(lanes: u32)]
pub struct MeterIo<S> {
    /// A beat is transferred.
    #[input]
    pub transfer: S,
    /// Last beat of its frame.
    #[input]
    pub last: S,
    /// Valid lanes but lane 0, which is always valid.
    #[input]
    #[width(lanes - 1)]
    pub others: S,
    /// A frame is over.
    #[output]
    #[shape(PortEvents::shape())]
    pub events: PortEvents<S>,
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
        MeterIo::shape(self.data_w / 8)
    }

    #[names]
    fn build(&self, io: &MeterIo<Bits>) {
        let lane_w = clog2(u64::from(self.data_w / 8));
        let index = reg(PortEvents::<Shape>::BYTES_W - lane_w).reset(0);
        when(io.transfer, || {
            when(io.last, || index.set(0)).elsewhen(!index.all(), || index.set(index + 1));
        });
        let over = (io.transfer & io.last).delay_reset(0);
        let ends_at = cat([index, last_lane(io.others)]).delay();
        let bytes = mux(ends_at.all(), ends_at, ends_at + 1);
        io.events.frame.set(over);
        io.events.bytes.set(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::sim::Sim;

    #[test]
    fn every_length_is_measured() {
        for lanes in [8u64, 16, 32, 64] {
            let block = Meter { data_w: 8 * lanes as u32 };
            check::assert_no_combinational_paths(&block);
            let sim = Sim::new(&block).unwrap();
            sim.reset();
            let mut counted = Vec::new();
            let mut step = |transfer: bool, last: bool, valid: u64| {
                sim.poke(sim.io.transfer, transfer);
                sim.poke(sim.io.last, last);
                sim.poke(sim.io.others, ((1u128 << valid) - 1) as u64 >> 1);
                sim.step();
                if sim.peek_bool(sim.io.events.frame) {
                    counted.push(sim.peek_u64(sim.io.events.bytes));
                }
            };
            let edge = [16_384 - lanes, 16_385 - lanes];
            let lengths: Vec<u64> =
                (1..200).chain([1514, 9216]).chain(edge).chain([16_383, 16_384, 16_385, 40_003]).collect();
            for length in &lengths {
                for beat in 0..length.div_ceil(lanes) {
                    let valid = (length - beat * lanes).min(lanes);
                    step(true, beat * lanes + valid == *length, valid);
                    step(false, true, 3);
                }
            }
            let expected = lengths.iter().map(|l| if *l < 16_384 { *l } else { 16_385 - lanes + (l - 1) % lanes });
            let expected: Vec<u64> = expected.map(|l| l.min(16_383)).collect();
            assert_eq!(counted, expected);
        }
    }
}
