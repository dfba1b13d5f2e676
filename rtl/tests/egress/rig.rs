//! The block under test with a frame buffer, and everything that its ports must do at every clock.

use crate::{
    common::{Sink, rng},
    frames::Frame,
};
use em_rtl::{
    egress::{Egress, Output},
    outcome::{Kind, Outcome},
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
    let size = Size { data_w, beats_w: 9, icrc_w: 12 };
    // As late as may be, or with the action.
    let difference_after = [9, 5, 3, 0][data_w.ilog2() as usize - 6];
    // With limiters and without.
    let refusal_after = if direction.is_tx() { 4 } else { 0 };
    Egress { size, direction, buffer_beats: 256, pages: 64, punt_beats: 64, difference_after, refusal_after }
}

/// Every width in both directions.
pub fn all_blocks() -> Vec<Egress> {
    let both = |w| [block(w, Direction::Tx), block(w, Direction::Rx)];
    [64, 128, 256, 512].into_iter().flat_map(both).collect()
}

/// A page that a frame has.
#[derive(Clone, Copy)]
struct Page {
    /// Number of the frame.
    frame: usize,
    /// Its beats in this page.
    beats: usize,
    dropped: bool,
    next: Option<usize>,
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
    /// Beats given back.
    pub given_back: u64,
    /// Clock of each read of the buffer.
    pub read: Vec<u64>,
    memory: Vec<Value>,
    was_read: Vec<bool>,
    pages: Vec<Option<Page>>,
    /// Pages that each frame still has.
    left: Vec<usize>,
    reads: VecDeque<Option<Value>>,
    /// Page that follows the one addressed a clock ago.
    next: Option<usize>,
    /// Outcome, function, bytes.
    events: VecDeque<(Outcome, Option<u64>, u64)>,
    pub outcomes: Vec<Outcome>,
    /// What changes in the ICRCs of the next clocks' frames, none where none does.
    differences: VecDeque<Option<u64>>,
    punt_room: u64,
    returns: VecDeque<u64>,
    /// Chance in percent that a frame to be punted is refused, where there are limiters.
    pub refusals: u32,
    /// What has come in the last clocks, until it is known whether it is refused: number, action's clock, frame.
    asked: VecDeque<Option<(usize, u64, Frame)>>,
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
            given_back: 0,
            read: vec![],
            memory: vec![Value::zero(block.size.data_w); block.buffer_beats as usize],
            was_read: vec![false; block.buffer_beats as usize],
            pages: vec![None; block.pages as usize],
            left: vec![],
            reads: VecDeque::from([None, None]),
            next: None,
            events: VecDeque::new(),
            outcomes: vec![],
            differences: VecDeque::from(vec![None; block.difference_after as usize]),
            punt_room: u64::from(block.punt_beats),
            returns: VecDeque::from([0, 0]),
            refusals: 0,
            asked: VecDeque::from(vec![None; block.refusal_after as usize]),
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
        assert!(self.held() == 0, "{} frames are not given back", self.held());
        assert!(self.events.is_empty(), "{} frames have no outcome", self.events.len());
        self.sim.check().unwrap_or_else(|failures| panic!("{failures}"));
    }

    /// Runs for `clocks`.
    pub fn run_for(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.step());
        self.sim.check().unwrap_or_else(|failures| panic!("{failures}"));
    }

    fn progress(&self) -> (usize, u64, usize) {
        (self.sent.len(), self.given_back, self.outcomes.len())
    }

    /// Beats of a page.
    pub fn page_beats(&self) -> usize {
        self.memory.len() / self.pages.len()
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
        let release = &self.sim.io.release;
        if !self.sim.peek_bool(release.valid) {
            return;
        }
        let last = self.sim.peek_u64(release.chain.last) as usize;
        let mut at = self.sim.peek_u64(release.chain.first) as usize;
        loop {
            let page = self.pages[at].take().expect("a page is given back that no frame has");
            let start = at * self.page_beats();
            for beat in start..start + page.beats {
                assert!(page.dropped || self.was_read[beat], "a beat is given back unread");
                self.memory[beat] = junk(&mut self.rng, self.block.size.data_w);
            }
            self.given_back += page.beats as u64;
            self.left[page.frame] -= 1;
            if at == last {
                return;
            }
            at = page.next.expect("a chain ends with its last page");
        }
    }

    /// Takes pages at random for a frame of so many beats, and writes it.
    fn store(&mut self, beats: &[Value]) {
        let (frame, page_beats) = (self.left.len(), self.page_beats());
        let mut next = None;
        let chunks: Vec<&[Value]> = beats.chunks(page_beats).collect();
        self.left.push(chunks.len());
        for (number, chunk) in chunks.iter().enumerate().rev() {
            let free: Vec<usize> = (0..self.pages.len()).filter(|page| self.pages[*page].is_none()).collect();
            let page = free[self.rng.random_range(0..free.len())];
            self.pages[page] = Some(Page { frame, beats: chunk.len(), dropped: false, next });
            for (offset, beat) in chunk.iter().enumerate() {
                self.memory[page * page_beats + offset] = beat.clone();
                self.was_read[page * page_beats + offset] = false;
            }
            if next.is_none() {
                self.sim.poke(self.sim.io.chain.last, page as u64);
            }
            if number == 0 {
                self.sim.poke(self.sim.io.chain.first, page as u64);
            }
            next = Some(page);
        }
    }

    fn send(&mut self) {
        let returned = self.returns.pop_front().unwrap();
        self.punt_room += returned;
        let lanes = self.lanes();
        let free = self.pages.iter().filter(|page| page.is_none()).count();
        let fits = |f: &Frame| f.bytes.len().div_ceil(lanes).div_ceil(self.page_beats()) <= free;
        let may = self.queue.front().is_some_and(fits);
        let go = may && self.rng.random_range(0..100) < self.offers;
        let frame = go.then(|| self.queue.pop_front().unwrap());
        self.poke_action(frame.as_ref());
        self.poke_difference(frame.as_ref());
        if let Some(frame) = &frame {
            self.sent.push(self.clock);
            let stored = frame.bytes.chunks(lanes).map(|chunk| {
                let mut bytes: Vec<u8> = (0..lanes).map(|_| self.rng.random()).collect();
                bytes[..chunk.len()].copy_from_slice(chunk);
                Value::from_bytes(self.block.size.data_w, &bytes)
            });
            let stored: Vec<Value> = stored.collect();
            self.store(&stored);
            let output = match frame.outcome {
                Outcome::Net0 => Some((Output::Net0, 0)),
                Outcome::Net1 => Some((Output::Net1, 0)),
                Outcome::Host => Some((Output::Host, frame.function << 1)),
                _ => None,
            };
            if let Some((output, user)) = output {
                let at = self.at(output);
                self.expected[at].frames.push_back((frame.leaves(self.block.direction), user, self.clock));
            }
        }
        let number = self.left.len();
        self.asked.push_back(frame.map(|frame| (number - 1, self.clock, frame)));
        self.judge();
    }

    /// What was not forwarded is punted or dropped, and every frame has its event.
    fn judge(&mut self) {
        let asked = self.asked.pop_front().unwrap();
        let refused = self.sim.io.refused.is_some_and(|port| {
            let refused = asked.is_some() && self.rng.random_range(0..100) < self.refusals;
            self.sim.poke(port, refused);
            refused
        });
        let Some((number, sent, frame)) = asked else { return };
        let beats = frame.bytes.len().div_ceil(self.lanes()) as u64;
        let mut outcome = frame.outcome;
        let mut dropped = outcome.kind() == Kind::Drop;
        if outcome.kind() == Kind::Punt {
            if refused {
                (outcome, dropped) = (Outcome::PuntRate, true);
            } else if beats > self.punt_room {
                (outcome, dropped) = (Outcome::PuntFull, true);
            } else {
                self.punt_room -= beats;
                let user = outcome.code() | frame.port << 6 | frame.function << 8;
                let at = self.at(Output::Punt);
                self.expected[at].frames.push_back((frame.leaves(self.block.direction), user, sent));
            }
        }
        if dropped {
            self.pages.iter_mut().flatten().filter(|page| page.frame == number).for_each(|page| page.dropped = true);
        }
        let function = frame.function_known.then_some(frame.function);
        self.events.push_back((outcome, function, frame.bytes.len().min(16_383) as u64));
    }

    /// Comes some clocks after the action.
    fn poke_difference(&mut self, frame: Option<&Frame>) {
        let icrc = frame.and_then(|f| f.change.as_ref()).and_then(|change| change.icrc);
        self.differences.push_back(icrc.map(|(_, difference)| u32::from_be_bytes(difference).into()));
        let now = self.differences.pop_front().flatten().unwrap_or_else(|| self.rng.random::<u32>().into());
        self.sim.poke(self.sim.io.difference.expect("RoCEv2 is in"), now);
    }

    fn poke_action(&mut self, frame: Option<&Frame>) {
        let (sim, rng, action) = (&self.sim, &mut self.rng, &self.sim.io.action);
        // What means nothing is anything.
        let random = action.map(|_, port: &Port| junk(rng, port.width()));
        sim.poke_all(action, &random);
        let chain = sim.io.chain.map(|_, port: &Port| junk(rng, port.width()));
        sim.poke_all(&sim.io.chain, &chain);
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
        if let (Some(on), Some(word)) = (rewrite.icrc, rewrite.icrc_word) {
            sim.poke(on, change.icrc.is_some());
            if let Some((at, _)) = change.icrc {
                assert_eq!(at % 4, 2, "an Ethernet header ends within a word");
                sim.poke(word, at as u64 / 4);
            }
        }
    }

    /// Data follow two clocks after the address, the next page one, and mean nothing otherwise.
    fn serve_buffer(&mut self) {
        let buffer = &self.sim.io.buffer;
        let data = self.reads.pop_front().unwrap();
        self.sim.poke(buffer.rdata, data.unwrap_or_else(|| junk(&mut self.rng, self.block.size.data_w)));
        let address = self.sim.peek_u64(buffer.raddr) as usize;
        let read = self.sim.peek_bool(buffer.re);
        let next =
            self.next.map(|page| page as u64).unwrap_or_else(|| self.rng.random_range(0..self.pages.len() as u64));
        self.sim.poke(buffer.next, next);
        self.next = self.pages[address / self.page_beats()].and_then(|page| page.next);
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
        self.left.iter().filter(|left| **left > 0).count()
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
