//! The block under test with a frame buffer, and everything that its ports must do at every clock.

use crate::{
    common::{Sink, rng},
    frames::Frame,
};
use em_rtl::{
    egress::{Egress, Output},
    outcome::Outcome,
    packet::{Direction, Size},
};
use hdl::{
    Bundle, Value,
    sim::{Port, Sim},
};
use rand::{RngExt, rngs::StdRng};
use std::collections::VecDeque;

/// A block of this width and direction with small buffers.
pub fn block(data_w: u32, direction: Direction) -> Egress {
    Egress { size: Size { data_w, beats_w: 9 }, direction, buffer_beats: 256, frames: 64, punt_beats: 64 }
}

/// Every width in both directions.
pub fn all_blocks() -> Vec<Egress> {
    let both = |w| [block(w, Direction::Tx), block(w, Direction::Rx)];
    [64, 128, 256, 512].into_iter().flat_map(both).collect()
}

/// A frame whose space has not been given back.
struct Held {
    left: u64,
    dropped: bool,
}

/// What an output must still bring.
#[derive(Default)]
pub struct Expected {
    /// Bytes, `tuser` and the clock of the action.
    frames: VecDeque<(Vec<u8>, u64, u64)>,
    /// Of the frame that is coming.
    bytes: Vec<u8>,
    /// Frames that have come.
    pub done: u64,
    /// Beats that have come.
    pub beats: u64,
    /// Clocks of each beat.
    pub clocks: Vec<u64>,
}

/// The bench.
pub struct Rig {
    pub block: Egress,
    pub sim: Sim<Egress>,
    pub rng: StdRng,
    pub clock: u64,
    pub sinks: Vec<Sink>,
    pub expected: Vec<Expected>,
    /// Actions to come, one a clock at most.
    pub queue: VecDeque<Frame>,
    /// Chance in percent that an action comes when the buffer has room for its frame.
    pub offers: u32,
    /// Clock of each action.
    pub sent: Vec<u64>,
    /// Clock of each frame's release.
    pub released: Vec<u64>,
    /// Beats given back.
    pub given_back: u64,
    /// Clock of each read of the buffer.
    pub read: Vec<u64>,
    memory: Vec<Value>,
    was_read: Vec<bool>,
    write: usize,
    release: usize,
    held: VecDeque<Held>,
    reads: VecDeque<Option<Value>>,
    /// Outcome, function, bytes.
    events: VecDeque<(Outcome, Option<u64>, u64)>,
    pub outcomes: Vec<Outcome>,
    punt_room: u64,
    returns: VecDeque<u64>,
}

impl Rig {
    pub fn new(block: &Egress, seed: u64) -> Rig {
        let sim = Sim::with_seed(block, seed).unwrap_or_else(|errors| panic!("{errors}"));
        sim.reset();
        let mut rig = Rig {
            block: *block,
            rng: rng(seed),
            clock: 0,
            sinks: vec![],
            expected: vec![],
            queue: VecDeque::new(),
            offers: 100,
            sent: vec![],
            released: vec![],
            given_back: 0,
            read: vec![],
            memory: vec![Value::zero(block.size.data_w); block.buffer_beats as usize],
            was_read: vec![false; block.buffer_beats as usize],
            write: 0,
            release: 0,
            held: VecDeque::new(),
            reads: VecDeque::from([None, None]),
            events: VecDeque::new(),
            outcomes: vec![],
            punt_room: u64::from(block.punt_beats),
            returns: VecDeque::from([0, 0]),
            sim,
        };
        rig.takes(&vec![100; rig.outputs().len()]);
        rig
    }

    pub fn outputs(&self) -> &'static [Output] {
        Output::of(self.block.direction)
    }

    /// Number of an output.
    pub fn at(&self, output: Output) -> usize {
        self.outputs().iter().position(|o| *o == output).unwrap()
    }

    /// Chances in percent that the outputs take a beat, in their order.
    pub fn takes(&mut self, percent: &[u32]) {
        let io = &self.sim.io;
        let streams = [io.m_axis_net0, io.m_axis_net1, io.m_axis_host, Some(io.m_axis_punt)];
        let sinks = streams.into_iter().flatten().zip(percent).map(|(axis, percent)| Sink::new(axis, *percent));
        self.sinks = sinks.collect();
        self.expected.resize_with(self.sinks.len(), Expected::default);
    }

    pub fn lanes(&self) -> usize {
        self.block.size.lanes() as usize
    }

    /// Runs until everything sent has left and is given back.
    pub fn run(&mut self) {
        let mut quiet = 0;
        while quiet < 30 {
            let before = self.progress();
            self.step();
            let idle = self.queue.is_empty() && self.expected.iter().all(|e| e.frames.is_empty());
            quiet = if idle && before == self.progress() { quiet + 1 } else { 0 };
            assert!(self.clock < 1_000_000, "no end");
        }
        assert!(self.held.is_empty(), "{} frames are not given back", self.held.len());
        assert!(self.events.is_empty(), "{} frames have no outcome", self.events.len());
        self.sim.check().unwrap_or_else(|failures| panic!("{failures}"));
    }

    /// Runs for `clocks`.
    pub fn run_for(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.step());
        self.sim.check().unwrap_or_else(|failures| panic!("{failures}"));
    }

    fn progress(&self) -> (usize, usize, usize) {
        (self.sent.len(), self.released.len(), self.outcomes.len())
    }

    /// Beats of the buffer that are free.
    fn free(&self) -> u64 {
        u64::from(self.block.buffer_beats) - self.held.iter().map(|h| h.left).sum::<u64>()
    }

    /// One clock.
    pub fn step(&mut self) {
        self.give_back();
        self.send();
        self.serve_buffer();
        self.watch_events();
        for i in 0..self.sinks.len() {
            self.sinks[i].drive(&self.sim, &mut self.rng);
            self.watch(i);
        }
        self.sim.step();
        self.clock += 1;
    }

    /// What is given back is overwritten at once.
    fn give_back(&mut self) {
        let beats = self.sim.peek_u64(self.sim.io.release.beats);
        let frame = self.sim.peek_bool(self.sim.io.release.frame);
        if beats == 0 {
            assert!(!frame, "a frame without beats is given back");
            return;
        }
        let oldest = self.held.front_mut().expect("beats are given back that nobody holds");
        assert!(beats <= oldest.left, "{beats} beats are given back, {} are left", oldest.left);
        oldest.left -= beats;
        self.given_back += beats;
        assert_eq!(frame, oldest.left == 0, "a frame is given back with its last beat");
        for _ in 0..beats {
            assert!(oldest.dropped || self.was_read[self.release], "a beat is given back unread");
            self.memory[self.release] = junk(&mut self.rng, self.block.size.data_w);
            self.release = (self.release + 1) % self.memory.len();
        }
        if frame {
            self.held.pop_front();
            self.released.push(self.clock);
        }
    }

    fn send(&mut self) {
        let returned = self.returns.pop_front().unwrap();
        self.punt_room += returned;
        let lanes = self.lanes();
        let fits = |f: &Frame| f.bytes.len().div_ceil(lanes) as u64 <= self.free();
        let may = self.held.len() < self.block.frames as usize && self.queue.front().is_some_and(fits);
        let go = may && self.rng.random_range(0..100) < self.offers;
        let frame = go.then(|| self.queue.pop_front().unwrap());
        self.poke_action(frame.as_ref());
        let Some(frame) = frame else { return };
        self.sent.push(self.clock);

        let beats = frame.bytes.len().div_ceil(lanes) as u64;
        for chunk in frame.bytes.chunks(lanes) {
            let mut bytes: Vec<u8> = (0..lanes).map(|_| self.rng.random()).collect();
            bytes[..chunk.len()].copy_from_slice(chunk);
            self.memory[self.write] = Value::from_bytes(self.block.size.data_w, &bytes);
            self.was_read[self.write] = false;
            self.write = (self.write + 1) % self.memory.len();
        }
        let mut outcome = frame.outcome;
        let code = outcome.code();
        let (reason, port, function) = (code, frame.port, frame.function);
        let destination = match code {
            0 => Some((Output::Net0, 0)),
            1 => Some((Output::Net1, 0)),
            2 => Some((Output::Host, function << 1)),
            16..32 if beats <= self.punt_room => {
                self.punt_room -= beats;
                Some((Output::Punt, reason | port << 6 | function << 8))
            }
            16..32 => {
                outcome = Outcome::PuntFull;
                None
            }
            _ => None,
        };
        self.held.push_back(Held { left: beats, dropped: destination.is_none() });
        self.events.push_back((
            outcome,
            frame.function_known.then_some(function),
            frame.bytes.len().min(16_383) as u64,
        ));
        if let Some((output, user)) = destination {
            let at = self.at(output);
            self.expected[at].frames.push_back((frame.leaves(self.block.direction), user, self.clock));
        }
    }

    fn poke_action(&mut self, frame: Option<&Frame>) {
        let (sim, rng, action) = (&self.sim, &mut self.rng, &self.sim.io.action);
        // What means nothing is anything.
        let random = action.map(|_, port: &Port| junk(rng, port.width()));
        sim.poke_all(action, &random);
        sim.poke(action.valid, frame.is_some());
        let Some(frame) = frame else { return };
        let lanes = self.block.size.lanes() as usize;
        sim.poke(action.outcome, frame.outcome.code());
        sim.poke(action.function_known, frame.function_known);
        sim.poke(action.extent.beats, frame.bytes.len().div_ceil(lanes) as u64);
        sim.poke(action.extent.lane, ((frame.bytes.len() - 1) % lanes) as u64);
        sim.poke(action.extent.port, frame.port);
        sim.poke(action.extent.function, frame.function);
        let rewrite = &action.rewrite;
        sim.poke(rewrite.translate, frame.change.is_some());
        let Some(change) = &frame.change else { return };
        let word = |bytes: &[u8]| bytes.iter().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
        sim.poke(rewrite.tagged, change.tags > 0);
        if change.tags > 0 {
            sim.poke(rewrite.double, change.tags > 1);
        }
        sim.poke(rewrite.address, word(&change.address));
        sim.poke(rewrite.ipv4_checksum, word(&change.ipv4_checksum));
        let at = |here: Option<(usize, [u8; 2])>, on, half, sum| {
            sim.poke(on, here.is_some());
            if let Some((place, bytes)) = here {
                sim.poke(half, place as u64 / 2);
                sim.poke(sum, word(&bytes));
            }
        };
        at(change.l4, rewrite.l4, rewrite.l4_half, rewrite.l4_checksum);
        at(change.quoted, rewrite.quoted, rewrite.quoted_half, rewrite.quoted_checksum);
        at(change.quoted_l4, rewrite.quoted_l4, rewrite.quoted_l4_half, rewrite.quoted_l4_checksum);
        sim.poke(rewrite.next_hop, change.next_hop.is_some());
        if let Some((dst, src)) = &change.next_hop {
            sim.poke(rewrite.eth_dst, word(dst));
            if let Some(eth_src) = rewrite.eth_src {
                sim.poke(eth_src, word(src));
            }
        }
        sim.poke(rewrite.route, change.ttl.is_some());
        if let Some(ttl) = change.ttl {
            sim.poke(rewrite.ttl, u64::from(ttl));
        }
    }

    /// Data follow two clocks after the address, and mean nothing otherwise.
    fn serve_buffer(&mut self) {
        let buffer = &self.sim.io.buffer;
        let data = self.reads.pop_front().unwrap();
        self.sim.poke(buffer.rdata, data.unwrap_or_else(|| junk(&mut self.rng, self.block.size.data_w)));
        let address = self.sim.peek_u64(buffer.raddr) as usize;
        let read = self.sim.peek_bool(buffer.re);
        self.reads.push_back(read.then(|| self.memory[address].clone()));
        if read {
            assert!(!self.was_read[address], "a beat is read twice");
            self.was_read[address] = true;
            self.read.push(self.clock);
        }
    }

    fn watch_events(&mut self) {
        let events = &self.sim.io.events;
        if !self.sim.peek_bool(events.outcome_valid) {
            return;
        }
        let outcome = Outcome::from_code(self.sim.peek_u64(events.outcome)).expect("an outcome");
        let known = self.sim.peek_bool(events.function_known);
        let function = known.then(|| self.sim.peek_u64(events.function));
        let seen = (outcome, function, self.sim.peek_u64(events.bytes));
        assert_eq!(Some(seen), self.events.pop_front(), "clock {}", self.clock);
        self.outcomes.push(outcome);
    }

    fn watch(&mut self, i: usize) {
        let beat = self.sinks[i].given(&self.sim);
        if self.outputs()[i].is_punt() {
            self.returns.push_back(u64::from(beat.is_some()));
        }
        let Some(beat) = beat else { return };
        let (name, expected) = (self.outputs()[i].name(), &mut self.expected[i]);
        let (bytes, user, _) = expected.frames.front().unwrap_or_else(|| panic!("{name}: a beat of no frame"));
        let lanes = (0..beat.keep.width()).take_while(|lane| beat.keep.bit(*lane)).count();
        expected.bytes.extend(&beat.data.to_bytes()[..lanes]);
        assert_eq!(beat.user.to_u64(), *user, "{name}: tuser");
        expected.beats += 1;
        expected.clocks.push(self.clock);
        if beat.last {
            assert_eq!(&expected.bytes, bytes, "{name}: frame {}", expected.done);
            expected.frames.pop_front();
            expected.bytes.clear();
            expected.done += 1;
        }
    }

    /// Frames whose space has not been given back.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// Frames that an output has yet to bring.
    pub fn waiting(&self, output: Output) -> usize {
        self.expected[self.at(output)].frames.len()
    }
}

/// Random bits.
fn junk(rng: &mut StdRng, width: u32) -> Value {
    let words: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.random()).collect();
    Value::from_words(width, &words)
}
