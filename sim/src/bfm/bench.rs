//! The cycle loop.

use super::axil::{AxilConfig, AxilMaster, Resp};
use super::sink::Sink;
use super::source::Source;
use super::{BenchError, StreamConfig};
use crate::verilated::{Model, ModelError, PortId};
use crate::wave::Track;

/// A model with drivers on its ports, one clock and one synchronous active-high reset.
#[derive(Debug)]
pub struct Bench {
    /// The model; other inputs may be poked between steps.
    pub model: Model,
    /// Sources, in the order they were added.
    pub sources: Vec<Source>,
    /// Sinks, in the order they were added.
    pub sinks: Vec<Sink>,
    /// AXI4-Lite masters, in the order they were added.
    pub axil: Vec<AxilMaster>,
    clock: usize,
    reset: Option<PortId>,
    cycle: u64,
    /// The last cycle in which a sink took a beat or a source gave one.
    busy_cycle: u64,
    /// Outputs are settled after a tick, whatever the inputs become.
    registered: bool,
    watched: Vec<(PortId, Track)>,
    watch_depth: usize,
    /// Cycle of the last sample of `watched`.
    sampled_cycle: u64,
}

impl Bench {
    /// A bench around `model`, which ticks its clock port `clock` and resets by its port `reset`, if it has one.
    pub fn new(model: Model, clock: &str, reset: Option<&str>) -> Result<Self, BenchError> {
        let spec = model.library().spec();
        let index = spec.clocks.iter().position(|name| name == clock);
        let clock = index.ok_or_else(|| ModelError::NoPort {
            top: spec.top.clone(),
            port: format!("{clock} among its clocks"),
            known: spec.clocks.join(", "),
        })?;
        let reset = reset.map(|name| model.port(name)).transpose()?;
        let registered = spec.options.registered_outputs;
        Ok(Self {
            model,
            sources: Vec::new(),
            sinks: Vec::new(),
            axil: Vec::new(),
            clock,
            reset,
            cycle: 0,
            busy_cycle: 0,
            registered,
            watched: Vec::new(),
            watch_depth: 0,
            sampled_cycle: 0,
        })
    }

    /// Puts a source on the stream whose ports begin with `prefix`; its place in [`sources`](Self::sources).
    pub fn add_source(&mut self, prefix: &str, config: &StreamConfig) -> Result<usize, BenchError> {
        self.sources.push(Source::new(&self.model, prefix, config)?);
        Ok(self.sources.len() - 1)
    }

    /// Puts a sink on the stream whose ports begin with `prefix`; its place in [`sinks`](Self::sinks).
    pub fn add_sink(&mut self, prefix: &str, config: &StreamConfig) -> Result<usize, BenchError> {
        self.sinks.push(Sink::new(&self.model, prefix, config)?);
        Ok(self.sinks.len() - 1)
    }

    /// Puts a master on the AXI4-Lite bus whose ports begin with `prefix`; its place in [`axil`](Self::axil).
    pub fn add_axil(&mut self, prefix: &str, config: AxilConfig) -> Result<usize, BenchError> {
        self.axil.push(AxilMaster::new(&self.model, prefix, config)?);
        Ok(self.axil.len() - 1)
    }

    /// Steps so far, those of resets included.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Holds reset for `cycles` cycles with nothing valid or ready. Frames under way are given up, queued ones stay.
    pub fn reset(&mut self, cycles: u64) -> Result<(), BenchError> {
        self.sources.iter_mut().for_each(Source::reset);
        self.sinks.iter_mut().for_each(Sink::reset);
        self.axil.iter_mut().for_each(AxilMaster::reset);
        self.set_reset(1);
        for _ in 0..cycles {
            self.sources.iter_mut().for_each(|source| source.put_idle(&mut self.model));
            self.sinks.iter().for_each(|sink| sink.put_idle(&mut self.model));
            self.axil.iter_mut().for_each(|axil| axil.put_idle(&mut self.model));
            self.model.eval()?;
            self.record();
            self.model.tick(self.clock)?;
            self.cycle += 1;
        }
        self.set_reset(0);
        Ok(())
    }

    fn set_reset(&mut self, value: u64) {
        if let Some(reset) = self.reset {
            self.model.poke(reset, value);
        }
    }

    /// One clock cycle, in the order that the [module](super) gives.
    pub fn step(&mut self) -> Result<(), BenchError> {
        let model = &mut self.model;
        for source in &mut self.sources {
            source.drive(model);
        }
        for axil in &mut self.axil {
            axil.drive(model);
        }
        if !self.registered && self.sinks.iter().any(Sink::looks) {
            model.eval()?;
        }
        for sink in &mut self.sinks {
            sink.drive(model);
        }
        if !self.registered {
            model.eval()?;
        }
        self.record();
        let model = &self.model;
        for source in &mut self.sources {
            source.observe(model, self.cycle)?;
            if source.queued() > 0 {
                self.busy_cycle = self.cycle;
            }
        }
        for sink in &mut self.sinks {
            if sink.observe(model, self.cycle)? {
                self.busy_cycle = self.cycle;
            }
        }
        for axil in &mut self.axil {
            axil.observe(model, self.cycle)?;
            if axil.pending() > 0 {
                self.busy_cycle = self.cycle;
            }
        }
        self.model.tick(self.clock)?;
        self.cycle += 1;
        Ok(())
    }

    /// `cycles` steps.
    pub fn run(&mut self, cycles: u64) -> Result<(), BenchError> {
        (0..cycles).try_for_each(|_| self.step())
    }

    /// Steps until `done`; an error after `limit` cycles, which names `what`.
    pub fn run_until(
        &mut self,
        what: &str,
        limit: u64,
        mut done: impl FnMut(&mut Self) -> bool,
    ) -> Result<(), BenchError> {
        for _ in 0..limit {
            if done(self) {
                return Ok(());
            }
            self.step()?;
        }
        if done(self) {
            return Ok(());
        }
        Err(BenchError::Timeout { cycle: self.cycle, what: what.to_owned(), cycles: limit, state: self.state() })
    }

    /// Steps until all queues are empty and no sink has taken a beat for `quiet` cycles, then checks that nothing was left
    /// incomplete; an error after `limit` cycles.
    pub fn drain(&mut self, quiet: u64, limit: u64) -> Result<(), BenchError> {
        self.busy_cycle = self.cycle;
        self.run_until("an idle bench", limit, |bench| bench.cycle > bench.busy_cycle + quiet)?;
        self.finish()
    }

    /// Checks that no stream is within a frame or has a beat waiting.
    pub fn finish(&self) -> Result<(), BenchError> {
        for source in &self.sources {
            source.finish(self.cycle)?;
        }
        for sink in &self.sinks {
            sink.finish(self.cycle)?;
        }
        Ok(())
    }

    /// Queues a write on master `axil` and steps until it is answered.
    pub fn write(&mut self, axil: usize, addr: u64, data: u32) -> Result<Resp, BenchError> {
        let ticket = self.axil[axil].write(addr, data);
        loop {
            self.step()?;
            if let Some(response) = self.axil[axil].take(ticket) {
                return Ok(response.resp);
            }
        }
    }

    /// Queues a read on master `axil` and steps until it is answered.
    pub fn read(&mut self, axil: usize, addr: u64) -> Result<(u32, Resp), BenchError> {
        let ticket = self.axil[axil].read(addr);
        loop {
            self.step()?;
            if let Some(response) = self.axil[axil].take(ticket) {
                return Ok((response.data, response.resp));
            }
        }
    }

    /// Keeps the last `depth` cycles of these ports, for [`wave`](Self::wave).
    pub fn watch(&mut self, ports: &[&str], depth: usize) -> Result<(), BenchError> {
        self.watch_depth = depth.max(1);
        for name in ports {
            let port = self.model.port(name)?;
            let width = self.model.port_info(port).width;
            self.watched.push((port, Track { name: (*name).to_owned(), width, samples: Vec::new() }));
        }
        Ok(())
    }

    /// The watched ports as a text waveform, as they were when each cycle had settled.
    pub fn wave(&self) -> String {
        self.wave_before(0, self.watch_depth)
    }

    /// The watched ports as a text waveform of `cycles` cycles, `cycle` amid them; of the oldest ones kept, if it is older.
    pub fn wave_around(&self, cycle: u64, cycles: usize) -> String {
        let kept = self.watched.first().map_or(0, |(_, track)| track.samples.len());
        let newer = (self.sampled_cycle + 1).saturating_sub(cycle + cycles.div_ceil(2) as u64);
        self.wave_before((newer as usize).min(kept.saturating_sub(cycles)), cycles)
    }

    /// `cycles` cycles, or as many as are kept, followed by `newer` ones that are not shown.
    fn wave_before(&self, newer: usize, cycles: usize) -> String {
        let tracks = self.watched.iter().map(|(_, track)| {
            let end = track.samples.len().saturating_sub(newer);
            let samples = track.samples[end.saturating_sub(cycles)..end].to_vec();
            Track { name: track.name.clone(), width: track.width, samples }
        });
        let tracks = tracks.collect::<Vec<_>>();
        let shown = tracks.first().map_or(0, |track| track.samples.len());
        crate::wave::render(&tracks, (self.sampled_cycle + 1).saturating_sub((shown + newer) as u64))
    }

    fn record(&mut self) {
        for (port, track) in &mut self.watched {
            if track.samples.len() >= 2 * self.watch_depth {
                track.samples.drain(..self.watch_depth);
            }
            let mut words = vec![0; track.width.div_ceil(64) as usize];
            self.model.peek_words(*port, &mut words);
            track.samples.push(words);
        }
        self.sampled_cycle = self.cycle;
    }

    /// What the drivers hold, for a timeout.
    fn state(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.sources.iter().map(|s| format!("{} has {} frames to send", s.name(), s.queued())));
        parts.extend(self.sinks.iter().map(|s| format!("{} gave {} frames", s.name(), s.frames())));
        parts.extend(self.axil.iter().map(|a| format!("{} has {} accesses open", a.name(), a.pending())));
        parts.join(", ")
    }
}
