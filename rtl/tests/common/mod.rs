//! Frames through a stream block in the native simulator, with random stalls on both sides.
#![allow(dead_code)] // each test file uses its part

use em_rtl::stream::Axis;
use hdl::{
    Block, Value,
    sim::{Port, Sim},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::collections::VecDeque;

/// What a beat carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beat {
    pub data: Value,
    pub keep: Value,
    pub last: bool,
    pub user: Value,
}

/// A frame as beats: `bytes` in order from lane 0, unused lanes zero, the same `user` on every beat.
pub fn beats(bytes: &[u8], data_w: u32, user: &Value) -> Vec<Beat> {
    let lanes = (data_w / 8) as usize;
    let count = bytes.len().div_ceil(lanes);
    let beat = |(i, chunk): (usize, &[u8])| {
        let mut lane_bytes = chunk.to_vec();
        lane_bytes.resize(lanes, 0);
        let mut keep = Value::zero(lanes as u32);
        (0..chunk.len()).for_each(|lane| keep.set_bit(lane as u32, true));
        Beat { data: Value::from_bytes(data_w, &lane_bytes), keep, last: i + 1 == count, user: user.clone() }
    };
    bytes.chunks(lanes).enumerate().map(beat).collect()
}

/// A frame of random bytes and user bits.
pub fn random_frame(rng: &mut StdRng, bytes: usize, data_w: u32, user_w: u32) -> Vec<Beat> {
    let content: Vec<u8> = (0..bytes).map(|_| rng.random()).collect();
    beats(&content, data_w, &Value::new(user_w, rng.random::<u128>() & ((1 << user_w) - 1)))
}

/// Gives beats to a block: offers the next one with a chance of `percent` a clock, and keeps it until it is taken.
pub struct Source {
    pub axis: Axis<Port>,
    pub queue: VecDeque<Beat>,
    percent: u32,
    offered: bool,
}

impl Source {
    pub fn new(axis: Axis<Port>, percent: u32) -> Source {
        Source { axis, queue: VecDeque::new(), percent, offered: false }
    }

    pub fn drive<B: Block>(&mut self, sim: &Sim<B>, rng: &mut StdRng) {
        self.offered = !self.queue.is_empty() && (self.offered || rng.random_range(0..100) < self.percent);
        sim.poke(self.axis.tvalid, self.offered);
        if let (true, Some(beat)) = (self.offered, self.queue.front()) {
            sim.poke(self.axis.tdata, beat.data.clone());
            sim.poke(self.axis.tkeep, beat.keep.clone());
            sim.poke(self.axis.tlast, beat.last);
            sim.poke(self.axis.tuser, beat.user.clone());
        }
    }

    /// The beat that goes over at the coming clock edge.
    pub fn taken<B: Block>(&mut self, sim: &Sim<B>) -> Option<Beat> {
        let taken = self.offered && sim.peek_bool(self.axis.tready);
        self.offered &= !taken;
        if taken { self.queue.pop_front() } else { None }
    }
}

/// Takes beats from a block, ready with a chance of `percent` a clock, and checks that a beat waits unchanged.
pub struct Sink {
    pub axis: Axis<Port>,
    percent: u32,
    waiting: Option<Beat>,
}

impl Sink {
    pub fn new(axis: Axis<Port>, percent: u32) -> Sink {
        Sink { axis, percent, waiting: None }
    }

    pub fn drive<B: Block>(&mut self, sim: &Sim<B>, rng: &mut StdRng) {
        sim.poke(self.axis.tready, rng.random_range(0..100) < self.percent);
    }

    /// The beat that is offered.
    pub fn offered<B: Block>(&self, sim: &Sim<B>) -> Option<Beat> {
        sim.peek_bool(self.axis.tvalid).then(|| Beat {
            data: sim.peek(self.axis.tdata),
            keep: sim.peek(self.axis.tkeep),
            last: sim.peek_bool(self.axis.tlast),
            user: sim.peek(self.axis.tuser),
        })
    }

    /// The beat that goes over at the coming clock edge.
    pub fn given<B: Block>(&mut self, sim: &Sim<B>) -> Option<Beat> {
        let offered = self.offered(sim);
        if let Some(waiting) = &self.waiting {
            assert_eq!(Some(waiting), offered.as_ref(), "a beat that waits changed");
        }
        let ready = sim.peek_bool(self.axis.tready);
        self.waiting = if ready { None } else { offered.clone() };
        if ready { offered } else { None }
    }
}

/// Chances in percent that the source offers and the sink takes.
pub const PACES: [(u32, u32); 5] = [(100, 100), (100, 30), (30, 100), (60, 60), (90, 95)];

pub fn rng(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}
