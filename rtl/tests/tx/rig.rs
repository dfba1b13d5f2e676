//! The way out on the native simulator, with tables in plain Rust and monitors on all its ports.

use crate::frames::{HostFrame, INSIDE, OUTSIDE};
use em_rtl::{
    config::{EmConfig, Profile},
    outcome::Outcome,
    tx::Tx,
};
use hdl::{Value, sim::Sim};
use std::collections::{BTreeMap, VecDeque};

/// Clocks that the tables take.
pub const LOOKUP_LATENCY: u32 = 9;
const LANES: usize = 16;

/// What a function says: mode (0 nat, 1 pass, 2 drop) and frames without a rule (0 punt, 1 drop, 2 pass).
#[derive(Clone, Copy)]
pub struct Function {
    pub mode: u64,
    pub unmatched: u64,
}

/// A frame that came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Out {
    pub bytes: Vec<u8>,
    pub user: u64,
    pub first_clock: u64,
    pub last_clock: u64,
}

/// Readiness of an output by clock.
pub type Ready = Box<dyn FnMut(u64) -> bool>;

/// The bench.
pub struct Rig {
    pub sim: Sim<Tx>,
    pub functions: BTreeMap<u16, Function>,
    pub mappings: BTreeMap<(u16, u32), u32>,
    pub queue: VecDeque<HostFrame>,
    at: usize,
    offered: bool,
    pub offer: Ready,
    pub net0_ready: Ready,
    pub punt_ready: Ready,
    requests: VecDeque<Option<(u16, u32)>>,
    pub net0: Vec<Out>,
    pub punt: Vec<Out>,
    partial: [Option<Out>; 2],
    held: [Option<(Value, u64, bool, u64)>; 2],
    pub outcomes: Vec<Outcome>,
    pub events: Vec<(&'static str, u64)>,
    pub clock: u64,
    pub last_in: u64,
    random: u64,
}

pub fn config() -> EmConfig {
    Profile::named("ecp5").unwrap().config
}

/// A random number generator (splitmix64).
pub fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Ready `percent` of the clocks.
pub fn often(percent: u64, seed: u64) -> Ready {
    let mut state = seed;
    Box::new(move |_| random(&mut state) % 100 < percent)
}

impl Rig {
    pub fn new() -> Self {
        Self::with(config())
    }

    /// Functions 1 (nat, punts), 2 (nat, identity mapping), 3 (pass), 4 (drop), 5 (nat, drops), 6 (nat, passes).
    pub fn with(config: EmConfig) -> Self {
        let sim = Sim::new(&Tx { config, lookup_latency: LOOKUP_LATENCY }).unwrap();
        sim.reset();
        let modes = [(1, 0, 0), (2, 0, 0), (3, 1, 0), (4, 2, 0), (5, 0, 1), (6, 0, 2)];
        let functions = modes.map(|(id, mode, unmatched)| (id, Function { mode, unmatched })).into();
        let (inside, outside) = (u32::from_be_bytes(INSIDE), u32::from_be_bytes(OUTSIDE));
        let mappings =
            [((1, inside), outside), ((2, inside), inside), ((5, inside), outside), ((6, inside), outside)].into();
        Rig {
            sim,
            functions,
            mappings,
            queue: VecDeque::new(),
            at: 0,
            offered: false,
            offer: Box::new(|_| true),
            net0_ready: Box::new(|_| true),
            punt_ready: Box::new(|_| true),
            requests: std::iter::repeat_n(None, LOOKUP_LATENCY as usize).collect(),
            net0: vec![],
            punt: vec![],
            partial: [None, None],
            held: [None, None],
            outcomes: vec![],
            events: vec![],
            clock: 0,
            last_in: 0,
            random: 1,
        }
    }

    pub fn send(&mut self, frame: HostFrame) {
        self.queue.push_back(frame);
    }

    /// Runs until everything sent is in and has an outcome, and the outputs have been quiet for a while.
    pub fn run(&mut self) {
        let limit = self.clock + 2_000_000;
        let mut quiet = 0;
        while quiet < 200 {
            let before = (self.queue.len(), self.outcomes.len(), self.net0.len(), self.punt.len());
            self.step();
            let idle = self.queue.is_empty() && self.partial.iter().all(Option::is_none);
            let same = before == (self.queue.len(), self.outcomes.len(), self.net0.len(), self.punt.len());
            quiet = if idle && same { quiet + 1 } else { 0 };
            assert!(self.clock < limit, "no end: {} frames wait, {} outcomes", self.queue.len(), self.outcomes.len());
        }
    }

    /// One clock.
    pub fn step(&mut self) {
        let taken = self.drive_host();
        self.drive_tables();
        let ready = [(self.net0_ready)(self.clock), (self.punt_ready)(self.clock)];
        self.sim.poke(self.sim.io.m_axis_net0.tready, ready[0]);
        self.sim.poke(self.sim.io.m_axis_punt.tready, ready[1]);
        self.watch(0, ready[0]);
        self.watch(1, ready[1]);
        self.watch_events();
        let request = &self.sim.io.request;
        let asked = self.sim.peek_bool(request.valid);
        let key = (self.sim.peek_u64(request.function) as u16, self.sim.peek_u64(request.address) as u32);
        self.requests.push_back(asked.then_some(key));
        let accepted = taken && self.sim.peek_bool(self.sim.io.s_axis_host.tready);
        self.sim.step();
        if accepted {
            self.offered = false;
            self.at += LANES;
            if self.at >= self.queue[0].bytes.len() {
                self.queue.pop_front();
                self.at = 0;
                self.last_in = self.clock;
            }
        }
        self.clock += 1;
    }

    fn drive_host(&mut self) -> bool {
        let io = &self.sim.io.s_axis_host;
        if self.offered {
            return true;
        }
        self.offered = (self.offer)(self.clock) && !self.queue.is_empty();
        self.sim.poke(io.tvalid, self.offered);
        // Whatever stands beside valid lanes, and on an idle stream, must not matter.
        let mut lanes = [0xEE; LANES];
        let (mut keep, mut last, mut user) =
            (random(&mut self.random) & 0xFFFF, true, random(&mut self.random) & 0x1FFFF);
        if self.offered {
            let frame = &self.queue[0];
            let beat = &frame.bytes[self.at..frame.bytes.len().min(self.at + LANES)];
            lanes[..beat.len()].copy_from_slice(beat);
            keep = (1 << beat.len()) - 1;
            last = self.at + LANES >= frame.bytes.len();
            // The function counts on the first beat only, `bad` on the last one only.
            let function = if self.at == 0 { u64::from(frame.function) } else { user >> 1 };
            let bad = if last { u64::from(frame.bad) } else { user & 1 };
            user = function << 1 | bad;
        }
        self.sim.poke(io.tdata, Value::new(128, u128::from_le_bytes(lanes)));
        self.sim.poke(io.tkeep, keep);
        self.sim.poke(io.tlast, last);
        self.sim.poke(io.tuser, user);
        self.offered
    }

    fn drive_tables(&mut self) {
        let io = &self.sim.io.response;
        let key = self.requests.pop_front().flatten();
        self.sim.poke(io.valid, key.is_some());
        let (function, address) = key.unwrap_or((0, 0));
        let entry = self.functions.get(&function);
        let mapping = self.mappings.get(&(function, address));
        self.sim.poke(io.function_valid, entry.is_some());
        self.sim.poke(io.mode, entry.map_or(0, |e| e.mode));
        self.sim.poke(io.unmatched, entry.map_or(0, |e| e.unmatched));
        self.sim.poke(io.nat_hit, mapping.is_some());
        self.sim.poke(io.outside, u64::from(*mapping.unwrap_or(&0)));
    }

    /// Checks the stream rules on an output and collects its frames.
    fn watch(&mut self, which: usize, ready: bool) {
        let io = [&self.sim.io.m_axis_net0, &self.sim.io.m_axis_punt][which];
        let valid = self.sim.peek_bool(io.tvalid);
        let data = self.sim.peek(io.tdata);
        let (keep, last, user) =
            (self.sim.peek_u64(io.tkeep), self.sim.peek_bool(io.tlast), self.sim.peek_u64(io.tuser));
        if let Some(held) = self.held[which].take() {
            assert!(valid, "a beat disappeared");
            assert_eq!(held, (data.clone(), keep, last, user), "a beat changed while it waited");
        }
        if !valid {
            return;
        }
        if !ready {
            self.held[which] = Some((data, keep, last, user));
            return;
        }
        assert!(keep & 1 == 1 && (keep + 1).is_power_of_two(), "tkeep {keep:04x} has a hole");
        assert!(last || keep == 0xFFFF, "a beat in the middle of a frame is not full");
        let clock = self.clock;
        let frame = self.partial[which].get_or_insert_with(|| Out {
            bytes: vec![],
            user,
            first_clock: clock,
            last_clock: clock,
        });
        assert_eq!(frame.user, user, "tuser changed in a frame");
        let lanes = keep.count_ones() as usize;
        frame.bytes.extend((0..lanes).map(|i| data.slice(8 * i as u32, 8).to_u64() as u8));
        if last {
            let mut frame = self.partial[which].take().unwrap();
            frame.last_clock = clock;
            [&mut self.net0, &mut self.punt][which].push(frame);
        }
    }

    fn watch_events(&mut self) {
        let e = &self.sim.io.events;
        if self.sim.peek_bool(e.outcome_valid) {
            let code = self.sim.peek_u64(e.outcome);
            self.outcomes.push(Outcome::from_code(code).unwrap_or_else(|| panic!("no outcome has code {code}")));
        }
        let ports = [
            ("host", e.host_frame, e.host_bytes),
            ("net0", e.net0_frame, e.net0_bytes),
            ("punt", e.punt_frame, e.punt_bytes),
        ];
        for (name, frame, bytes) in ports {
            if self.sim.peek_bool(frame) {
                self.events.push((name, self.sim.peek_u64(bytes)));
            }
        }
    }

    /// Bytes that a port's events have counted.
    pub fn counted(&self, port: &str) -> Vec<u64> {
        self.events.iter().filter(|(p, _)| *p == port).map(|(_, b)| *b).collect()
    }
}
