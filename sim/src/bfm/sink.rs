//! Takes frames out of a stream.

use std::collections::VecDeque;

use super::beat::StreamPorts;
use super::monitor::Monitor;
use super::stall::{Offered, StallState};
use super::{BenchError, Stall, StreamConfig, Violation};
use crate::verilated::Model;

/// A frame that came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Its bytes.
    pub data: Vec<u8>,
    /// The low 64 bits of `tuser` on the first beat; the bad bit in it is 0.
    pub user: u64,
    /// All of that `tuser` as little-endian bytes, for one wider than 64 bits; empty otherwise.
    pub wide_user: Vec<u8>,
    /// The bad bit on `tlast`; false if the stream has none.
    pub bad: bool,
    /// Cycle in which its first beat was transferred.
    pub first_cycle: u64,
    /// Cycle in which its last beat was transferred.
    pub last_cycle: u64,
    /// Number of beats.
    pub beats: u64,
}

/// Drives the `tready` of a stream out of the module, checks it and puts its frames together.
#[derive(Debug)]
pub struct Sink {
    monitor: Monitor,
    stall: StallState,
    bad_bit: Option<u32>,
    open: Received,
    done: VecDeque<Received>,
    frames: u64,
    beats: u64,
}

impl Sink {
    /// A sink on the ports with `prefix`.
    pub(crate) fn new(model: &Model, prefix: &str, config: &StreamConfig) -> Result<Self, BenchError> {
        Ok(Self {
            monitor: Monitor::new(StreamPorts::find(model, prefix)?, config),
            stall: StallState::new(config.stall),
            bad_bit: config.bad_bit.filter(|bit| *bit < 64),
            open: Received::default(),
            done: VecDeque::new(),
            frames: 0,
            beats: 0,
        })
    }

    /// The stream: the port prefix without its last `_`.
    pub fn name(&self) -> &str {
        &self.monitor.ports.name
    }

    /// The next whole frame, oldest first.
    pub fn receive(&mut self) -> Option<Received> {
        self.done.pop_front()
    }

    /// All whole frames not yet taken, oldest first.
    pub fn take(&mut self) -> Vec<Received> {
        self.done.drain(..).collect()
    }

    /// Whole frames not yet taken.
    pub fn waiting(&self) -> usize {
        self.done.len()
    }

    /// Whole frames since the start.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Beats since the start.
    pub fn beats(&self) -> u64 {
        self.beats
    }

    /// Changes the stall pattern from the next cycle on.
    pub fn set_stall(&mut self, stall: Stall) {
        self.stall = StallState::new(stall);
    }

    /// True if [`drive`](Self::drive) needs settled outputs.
    pub(crate) fn looks(&self) -> bool {
        self.stall.pattern().looks()
    }

    /// Sets `tready` for this cycle.
    pub(crate) fn drive(&mut self, model: &mut Model) {
        let ports = &self.monitor.ports;
        let offered = (self.stall.pattern().looks() && model.is_high(ports.valid)).then(|| Offered {
            first: !self.monitor.in_frame(),
            last: ports.last.is_none_or(|last| model.is_high(last)),
        });
        let ready = self.stall.permits(offered);
        model.poke(self.monitor.ports.ready, u64::from(ready));
    }

    pub(crate) fn put_idle(&self, model: &mut Model) {
        model.poke(self.monitor.ports.ready, 0);
    }

    /// Checks the settled ports and takes the beat if one is transferred. True if one was.
    pub(crate) fn observe(&mut self, model: &Model, cycle: u64) -> Result<bool, Violation> {
        let Some(beat) = self.monitor.observe(model, cycle)? else { return Ok(false) };
        let bad_mask = self.bad_bit.map_or(0, |bit| 1 << bit);
        if self.open.beats == 0 {
            self.open.first_cycle = cycle;
            self.open.user = beat.user_low() & !bad_mask;
            if self.monitor.ports.user_bits > 64 {
                self.open.wide_user = beat.user_bytes().to_vec();
            }
        }
        self.open.data.extend_from_slice(beat.bytes());
        self.open.beats += 1;
        self.beats += 1;
        if beat.last {
            self.open.last_cycle = cycle;
            self.open.bad = beat.user_low() & bad_mask != 0;
            self.frames += 1;
            let capacity = self.open.data.len();
            self.done.push_back(std::mem::take(&mut self.open));
            self.open.data.reserve(capacity);
        }
        Ok(true)
    }

    pub(crate) fn reset(&mut self) {
        self.monitor.reset();
        self.open = Received::default();
    }

    pub(crate) fn finish(&self, cycle: u64) -> Result<(), Violation> {
        self.monitor.finish(cycle)
    }
}
