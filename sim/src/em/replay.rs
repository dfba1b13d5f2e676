//! Sending frames and collecting what becomes of them.

use super::{
    PortCount, ReadCounters,
    ports::{Entry, Input, Output},
    setup::{EmSim, SimError},
};
use crate::bfm::Received;
use em_rtl::{
    outcome::Outcome,
    stream::{HostUser, PuntUser},
};
use hdl::{
    Value,
    bundle::{packed_width, unpack_values},
};
use std::time::Instant;

/// A frame that went to the Orchestration Module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Punted {
    /// Its bytes.
    pub frame: Vec<u8>,
    /// Why.
    pub reason: Option<Outcome>,
    /// Function it belongs to, or 0.
    pub function: u16,
    /// Port it came in by: its code, the place in [`Input::ALL`].
    pub port: u8,
    /// Clock of its first beat.
    pub clock: u64,
}

/// A frame that left by a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forwarded {
    /// Its bytes.
    pub frame: Vec<u8>,
    /// The function that gets it, on the host port; 0 elsewhere.
    pub function: u16,
    /// Clock of its first beat.
    pub clock: u64,
}

/// What came out, port by port and in order.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Out to the host.
    pub host: Vec<Forwarded>,
    /// Out by net0.
    pub net0: Vec<Forwarded>,
    /// Out by net1.
    pub net1: Vec<Forwarded>,
    /// Punted.
    pub punted: Vec<Punted>,
    /// Clock of the last beat of all of them; 0 if nothing came out.
    pub last_clock: u64,
}

/// A replay's result.
#[derive(Clone, Debug)]
pub struct Replay {
    /// What came out.
    pub outputs: Outputs,
    /// The counters afterwards, as the hardware has them.
    pub counters: ReadCounters,
    /// Clocks from the first beat in to the last beat out.
    pub clocks: u64,
    /// Seconds of real time that the simulation took.
    pub wall_s: f64,
    sent: [PortCount; 4],
    beats_in: [u64; 4],
}

impl Replay {
    /// Frames and bytes sent into this port.
    pub fn sent(&self, input: Input) -> PortCount {
        self.sent[input as usize]
    }

    /// Frames and bytes sent into all ports.
    pub fn sent_total(&self) -> PortCount {
        let mut total = PortCount::default();
        self.sent.iter().for_each(|count| total += *count);
        total
    }

    /// Beats sent into this port.
    pub fn beats_in(&self, input: Input) -> u64 {
        self.beats_in[input as usize]
    }
}

impl EmSim {
    /// Sends frames `(entry, bad, bytes)`, back to back on each port and on all ports side by side, runs until all have an
    /// outcome, and collects what came out. `progress` hears how many frames have been taken.
    pub fn replay<'a>(
        &mut self,
        frames: impl IntoIterator<Item = (Entry, bool, &'a [u8])>,
        mut progress: impl FnMut(u64),
    ) -> Result<Replay, SimError> {
        let started = Instant::now();
        let (mut sent, mut beats_in) = ([PortCount::default(); 4], [0; 4]);
        let lanes = u64::from(self.config.data_w) / 8;
        for (entry, bad, frame) in frames {
            self.send(entry, bad, frame)?;
            let (input, bytes) = (entry.input() as usize, frame.len() as u64);
            sent[input] += PortCount { frames: 1, bytes };
            beats_in[input] += bytes.div_ceil(lanes);
        }
        let (first, before) = (self.bench.cycle(), self.taken());
        while self.queued() > 0 {
            self.bench.run(256)?;
            progress(self.taken() - before);
        }
        self.settle()?;
        self.bench.finish()?;
        let last_in = self.bench.sources.iter_mut().filter_map(|s| Some(s.take_sent().last()?.last_cycle)).max();
        let outputs = self.take_outputs()?;
        let clocks = last_in.map_or(0, |last_in| last_in.max(outputs.last_clock) + 1 - first);
        let counters = self.counters()?;
        Ok(Replay { outputs, counters, clocks, wall_s: started.elapsed().as_secs_f64(), sent, beats_in })
    }

    /// What the sinks have received since the last call.
    ///
    /// # Errors
    /// [`SimError::BadOut`]: only good frames may come out.
    pub fn take_outputs(&mut self) -> Result<Outputs, SimError> {
        let mut taken = Output::ALL.map(|output| self.sink(output).map_or_else(Vec::new, |sink| sink.take()));
        for (output, frames) in Output::ALL.into_iter().zip(&taken) {
            if let Some(bad) = frames.iter().find(|f| f.bad) {
                let port = output.prefix().trim_end_matches('_').into();
                return Err(SimError::BadOut { port, clock: bad.last_cycle });
            }
        }
        let last_clock = taken.iter().flatten().map(|r| r.last_cycle).max().unwrap_or(0);
        let mut of = |output: Output| std::mem::take(&mut taken[output as usize]).into_iter();
        let plain = |r: Received| Forwarded { frame: r.data, function: 0, clock: r.first_cycle };
        let to_host = |r: Received| Forwarded { function: host_function(&r), ..plain(r) };
        Ok(Outputs {
            host: of(Output::Host).map(to_host).collect(),
            net0: of(Output::Net0).map(plain).collect(),
            net1: of(Output::Net1).map(plain).collect(),
            punted: of(Output::Punt).map(punted_frame).collect(),
            last_clock,
        })
    }
}

fn host_function(r: &Received) -> u16 {
    let shape = HostUser::shape();
    unpack_values(&shape, &Value::new(packed_width(&shape), u128::from(r.user))).function.to_u64() as u16
}

fn punted_frame(r: Received) -> Punted {
    let shape = PuntUser::shape();
    let user = unpack_values(&shape, &Value::new(packed_width(&shape), u128::from(r.user)));
    Punted {
        frame: r.data,
        reason: Outcome::from_code(user.reason.to_u64()),
        function: user.function.to_u64() as u16,
        port: user.port.to_u64() as u8,
        clock: r.first_cycle,
    }
}
