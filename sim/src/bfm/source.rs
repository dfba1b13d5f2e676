//! Sends frames into a stream.

use std::collections::VecDeque;
use std::fmt;

use super::beat::{MAX_LANES, MAX_USER, StreamPorts};
use super::monitor::Monitor;
use super::stall::{Offered, StallState};
use super::{BenchError, Stall, StreamConfig, Violation};
use crate::Rng;
use crate::verilated::Model;

/// What the lanes without a byte carry.
const FILLER: u8 = 0xEE;

/// A frame to send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its bytes, the first on the wire first; at least one.
    pub data: Vec<u8>,
    /// `tuser`, held through the frame; the stream's bad bit in it is replaced.
    pub user: u64,
    /// The bad bit on `tlast`; it is 0 on the other beats.
    pub bad: bool,
}

/// When a frame was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Cycle in which its first beat was transferred.
    pub first_cycle: u64,
    /// Cycle in which its last beat was transferred.
    pub last_cycle: u64,
}

/// Sets `tuser` of a beat, given as little-endian bytes that hold the default: the frame, the beat's number, whether it is the last.
pub type UserFn = Box<dyn FnMut(&Frame, usize, bool, &mut [u8]) + Send>;

/// Drives the `tdata tkeep tlast tuser tvalid` of a stream into the module and checks it like any other stream.
pub struct Source {
    monitor: Monitor,
    stall: StallState,
    bad_bit: Option<u32>,
    max_gap: u32,
    random_idle: bool,
    rng: Rng,
    queue: VecDeque<Frame>,
    user_fn: Option<UserFn>,
    /// Bytes of the front frame already taken.
    position: usize,
    beat_number: usize,
    /// The present beat is on the ports.
    offering: bool,
    gap: u32,
    first_cycle: u64,
    sent: Vec<Sent>,
    frames: u64,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("stream", &self.name()).field("queued", &self.queue.len()).finish()
    }
}

impl Source {
    /// A source on the ports with `prefix`.
    pub(crate) fn new(model: &Model, prefix: &str, config: &StreamConfig) -> Result<Self, BenchError> {
        Ok(Self {
            monitor: Monitor::new(StreamPorts::find(model, prefix)?, config),
            stall: StallState::new(config.stall),
            bad_bit: config.bad_bit,
            max_gap: config.max_gap,
            random_idle: config.random_idle,
            rng: Rng::new(config.seed),
            queue: VecDeque::new(),
            user_fn: None,
            position: 0,
            beat_number: 0,
            offering: false,
            gap: 0,
            first_cycle: 0,
            sent: Vec::new(),
            frames: 0,
        })
    }

    /// The stream: the port prefix without its last `_`.
    pub fn name(&self) -> &str {
        &self.monitor.ports.name
    }

    /// Queues a frame.
    pub fn send(&mut self, frame: Frame) -> Result<(), BenchError> {
        if frame.data.is_empty() {
            return Err(BenchError::EmptyFrame { stream: self.name().to_owned() });
        }
        self.queue.push_back(frame);
        Ok(())
    }

    /// Frames queued, the one under way included.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Frames taken by the module since the start.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The cycles of the frames taken since the last call, in order.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        std::mem::take(&mut self.sent)
    }

    /// Changes the stall pattern from the next beat on.
    pub fn set_stall(&mut self, stall: Stall) {
        self.stall = StallState::new(stall);
    }

    /// Lets `user_fn` decide `tuser` of each beat.
    pub fn set_user_fn(&mut self, user_fn: UserFn) {
        self.user_fn = Some(user_fn);
    }

    /// Sets the module's inputs for this cycle.
    pub(crate) fn drive(&mut self, model: &mut Model) {
        if self.offering {
            return;
        }
        let lanes = self.monitor.ports.lanes;
        let gap = self.gap;
        self.gap = gap.saturating_sub(1);
        let next = self.queue.front().filter(|_| gap == 0);
        let offered =
            next.map(|frame| Offered { first: self.position == 0, last: frame.data.len() - self.position <= lanes });
        let permits = self.stall.permits(offered);
        match (next, offered) {
            (Some(frame), Some(Offered { last, .. })) if permits => {
                let rest = &frame.data[self.position..];
                let count = rest.len().min(lanes);
                let mut data = [FILLER; MAX_LANES];
                data[..count].copy_from_slice(&rest[..count]);
                let mut user = [0; MAX_USER];
                user[..8].copy_from_slice(&frame.user.to_le_bytes());
                if let Some(bit) = self.bad_bit.filter(|bit| (*bit as usize) < 8 * MAX_USER) {
                    let (byte, mask) = (bit as usize / 8, 1 << (bit % 8));
                    user[byte] = if last && frame.bad { user[byte] | mask } else { user[byte] & !mask };
                }
                if let Some(user_fn) = &mut self.user_fn {
                    let bytes = self.monitor.ports.user_bits.div_ceil(8) as usize;
                    user_fn(frame, self.beat_number, last, &mut user[..bytes]);
                }
                self.offering = true;
                self.put(model, &data, u64::MAX >> (64 - count), last, &user, true);
            }
            _ => self.put_idle(model),
        }
    }

    /// `tvalid` low, and random payload if that is wanted.
    pub(crate) fn put_idle(&mut self, model: &mut Model) {
        if !self.random_idle {
            return model.poke(self.monitor.ports.valid, 0);
        }
        let mut data = [0; MAX_LANES];
        self.rng.fill(&mut data[..self.monitor.ports.lanes]);
        let mut user = [0; MAX_USER];
        self.rng.fill(&mut user[..self.monitor.ports.user_bits.div_ceil(8) as usize]);
        let random = self.rng.bits();
        self.put(model, &data, random, random.count_ones() % 2 == 1, &user, false);
    }

    fn put(&self, model: &mut Model, data: &[u8], keep: u64, last: bool, user: &[u8], valid: bool) {
        let ports = &self.monitor.ports;
        model.poke_bytes(ports.data, data);
        if let Some(port) = ports.keep {
            model.poke(port, keep);
        }
        if let Some(port) = ports.last {
            model.poke(port, u64::from(last));
        }
        if let Some(port) = ports.user {
            model.poke_bytes(port, user);
        }
        model.poke(ports.valid, u64::from(valid));
    }

    /// Checks the settled ports and goes on when the beat is taken.
    pub(crate) fn observe(&mut self, model: &Model, cycle: u64) -> Result<(), Violation> {
        if self.monitor.observe(model, cycle)?.is_none() {
            return Ok(());
        }
        if self.beat_number == 0 {
            self.first_cycle = cycle;
        }
        self.offering = false;
        self.beat_number += 1;
        self.position += self.monitor.ports.lanes;
        if self.queue.front().is_some_and(|frame| self.position >= frame.data.len()) {
            self.queue.pop_front();
            self.position = 0;
            self.beat_number = 0;
            self.frames += 1;
            self.sent.push(Sent { first_cycle: self.first_cycle, last_cycle: cycle });
            self.gap = self.rng.below(u64::from(self.max_gap) + 1) as u32;
        }
        Ok(())
    }

    /// Gives up the frame under way; queued ones stay.
    pub(crate) fn reset(&mut self) {
        self.monitor.reset();
        if self.position != 0 {
            self.queue.pop_front();
        }
        self.position = 0;
        self.beat_number = 0;
        self.offering = false;
    }

    pub(crate) fn finish(&self, cycle: u64) -> Result<(), Violation> {
        self.monitor.finish(cycle)
    }
}
