//! Drives beats into the parser and compares what it finds with the decoder.

use crate::decode;
use em_rtl::{
    packet::{Direction, Size},
    parse::{CHECKSUM_AFTER, Parse},
};
use hdl::{Bundle, Value, sim::Sim};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A frame that is in, and when its last beat was.
struct Due {
    frame: Vec<u8>,
    end: BTreeMap<String, u64>,
    clock: u64,
}

/// The bench.
pub struct Rig {
    sim: Sim<Parse>,
    size: Size,
    direction: Direction,
    rng: StdRng,
    queue: VecDeque<Vec<u8>>,
    clock: u64,
    /// Frames in order whose headers are due, and clocks at which a checksum is due.
    headers: VecDeque<Due>,
    checksums: VecDeque<(u64, Vec<u8>)>,
    /// Fields that were compared, with the frame's number.
    pub seen: BTreeSet<(usize, &'static str)>,
    frames: usize,
    /// Headers whose checksum was compared: good, and wrong.
    pub good: u32,
    pub wrong: u32,
}

impl Rig {
    pub fn new(size: Size, direction: Direction, seed: u64) -> Rig {
        let sim = Sim::with_seed(&Parse { size, direction }, seed).unwrap_or_else(|errors| panic!("{errors}"));
        sim.poke(sim.io.beat.valid, false);
        sim.reset();
        Rig {
            sim,
            size,
            direction,
            rng: StdRng::seed_from_u64(seed),
            queue: VecDeque::new(),
            clock: 0,
            headers: VecDeque::new(),
            checksums: VecDeque::new(),
            seen: BTreeSet::new(),
            frames: 0,
            good: 0,
            wrong: 0,
        }
    }

    pub fn send(&mut self, frame: Vec<u8>) {
        assert!(!frame.is_empty());
        self.queue.push_back(frame);
    }

    /// Sends everything, with `gaps` percent of the clocks idle, and waits for the answers.
    pub fn run(&mut self, gaps: u32) {
        let lanes = self.size.lanes() as usize;
        while let Some(frame) = self.queue.pop_front() {
            for (i, beat) in frame.chunks(lanes).enumerate() {
                while self.rng.random_range(0..100) < gaps {
                    self.step(None);
                }
                self.step(Some((beat, i == 0, (i + 1) * lanes >= frame.len())));
            }
            // The end stands in the clock behind the last beat.
            let end = &self.sim.io.beat.end;
            let mut values = BTreeMap::new();
            for (at, port) in end.leaves() {
                let value = self.rng.random::<u64>() & ((1 << port.width()) - 1);
                self.sim.poke(port, value);
                values.insert(at.name, value);
            }
            self.checksums.push_back((self.clock - 1, frame.clone()));
            self.headers.push_back(Due { frame, end: values, clock: self.clock - 1 });
        }
        for _ in 0..20 {
            self.step(None);
        }
        assert!(self.headers.is_empty() && self.checksums.is_empty());
    }

    fn step(&mut self, beat: Option<(&[u8], bool, bool)>) {
        // Where nothing is, anything stands.
        let io = &self.sim.io.beat;
        self.sim.poke(io.valid, beat.is_some());
        let (first, last): (bool, bool) = beat.map_or_else(|| (self.rng.random(), self.rng.random()), |b| (b.1, b.2));
        self.sim.poke(io.first, first);
        self.sim.poke(io.last, last);
        let mut bytes: Vec<u8> = (0..self.size.lanes()).map(|_| self.rng.random()).collect();
        if let Some((beat, ..)) = beat {
            bytes[..beat.len()].copy_from_slice(beat);
        }
        self.sim.poke(io.data, Value::from_bytes(self.size.data_w, &bytes));
        self.check();
        self.sim.step();
        self.clock += 1;
        // Only the clock behind a last beat has an end.
        for (_, port) in self.sim.io.beat.end.leaves() {
            self.sim.poke(port, self.rng.random::<u64>() & ((1 << port.width()) - 1));
        }
    }

    fn check(&mut self) {
        let latency = u64::from(Parse::latency(self.size));
        let due = self.headers.pop_front_if(|due| due.clock + latency == self.clock);
        let io = &self.sim.io;
        assert_eq!(self.sim.peek_bool(io.headers.valid), due.is_some(), "headers_valid in clock {}", self.clock);
        if let Some(due) = due {
            let found: BTreeMap<String, u64> =
                self.sim.peek_all(&io.headers).leaves().into_iter().map(|(at, v)| (at.name, v.to_u64())).collect();
            let context = || format!("{:?} {} bit: {:02x?}", self.direction, self.size.data_w, due.frame);
            for (name, value) in &due.end {
                assert_eq!(found[&format!("end_{name}")], *value, "end.{name} of {}", context());
            }
            for (name, value) in decode::fields(&due.frame, self.direction) {
                assert_eq!(found[name], value, "{name} of {}", context());
                self.seen.insert((self.frames, name));
            }
            self.frames += 1;
        }
        let delay = latency + u64::from(CHECKSUM_AFTER);
        if let Some((_, frame)) = self.checksums.pop_front_if(|(clock, _)| *clock + delay == self.clock)
            && let Some(good) = decode::checksum_is_good(&frame)
        {
            assert_eq!(self.sim.peek_bool(io.checksum_good), good, "{} bit: {frame:02x?}", self.size.data_w);
            *(if good { &mut self.good } else { &mut self.wrong }) += 1;
        }
    }
}
