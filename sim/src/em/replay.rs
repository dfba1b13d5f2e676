//! Replaying captures.

use super::{
    ReadCounters,
    setup::{EmSim, SimError},
};
use crate::bfm::Received;
use em_rtl::{outcome::Outcome, stream::PuntUser};
use hdl::{Value, bundle::unpack_values};
use std::time::Instant;

/// A frame that went to the Orchestration Module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Punted {
    /// Its bytes.
    pub frame: Vec<u8>,
    /// Why.
    pub reason: Option<Outcome>,
    /// Function it came from.
    pub function: u16,
    /// Port it came in by: 0 host.
    pub port: u8,
    /// Clock of its first beat.
    pub clock: u64,
}

/// A frame that left by a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forwarded {
    /// Its bytes.
    pub frame: Vec<u8>,
    /// Clock of its first beat.
    pub clock: u64,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Out by net0, in order.
    pub net0: Vec<Forwarded>,
    /// Punted, in order.
    pub punted: Vec<Punted>,
}

/// A replay's result.
#[derive(Clone, Debug)]
pub struct Replay {
    /// What came out.
    pub outputs: Outputs,
    /// The counters afterwards, as the hardware has them.
    pub counters: ReadCounters,
    /// Frames and bytes sent.
    pub sent: super::PortCount,
    /// Clocks from the first beat in to the last beat out.
    pub clocks: u64,
    /// Beats in on the host port.
    pub beats_in: u64,
    /// Seconds of real time that the simulation took.
    pub wall_s: f64,
}

impl EmSim {
    /// Sends frames `(function, bad, bytes)` back to back, runs until all have an outcome, and collects what came out.
    /// `progress` hears how many frames have been taken.
    pub fn replay<'a>(
        &mut self,
        frames: impl IntoIterator<Item = (u16, bool, &'a [u8])>,
        mut progress: impl FnMut(u64),
    ) -> Result<Replay, SimError> {
        let started = Instant::now();
        let mut sent = super::PortCount::default();
        let lanes = u64::from(self.config.data_w) / 8;
        let mut beats_in = 0;
        for (function, bad, frame) in frames {
            self.send(function, bad, frame)?;
            sent.frames += 1;
            sent.bytes += frame.len() as u64;
            beats_in += (frame.len() as u64).div_ceil(lanes);
        }
        let first = self.bench.cycle();
        while self.bench.sources[self.host].queued() > 0 {
            self.bench.run(256)?;
            progress(self.bench.sources[self.host].frames());
        }
        self.settle()?;
        self.bench.finish()?;
        let outputs = self.take_outputs();
        let last = self.bench.sources[self.host].take_sent().last().map_or(first, |s| s.last_cycle);
        let clocks = self.last_out.max(last) + 1 - first;
        let counters = self.counters()?;
        Ok(Replay { outputs, counters, sent, clocks, beats_in, wall_s: started.elapsed().as_secs_f64() })
    }

    /// What the sinks have received since the last call.
    pub fn take_outputs(&mut self) -> Outputs {
        let net0 = self.bench.sinks[self.net0].take();
        let punted = self.bench.sinks[self.punt].take();
        let ends = net0.iter().chain(&punted).map(|r| r.last_cycle);
        self.last_out = ends.max().unwrap_or(0).max(self.last_out);
        Outputs {
            net0: net0.into_iter().map(|r| Forwarded { frame: r.data, clock: r.first_cycle }).collect(),
            punted: punted.into_iter().map(|r| punted_frame(&r)).collect(),
        }
    }
}

fn punted_frame(r: &Received) -> Punted {
    let shape = PuntUser::shape();
    let width = hdl::bundle::packed_width(&shape);
    let user = unpack_values(&shape, &Value::new(width, u128::from(r.user)));
    Punted {
        frame: r.data.clone(),
        reason: Outcome::from_code(user.reason.to_u64()),
        function: user.function.to_u64() as u16,
        port: user.port.to_u64() as u8,
        clock: r.first_cycle,
    }
}
