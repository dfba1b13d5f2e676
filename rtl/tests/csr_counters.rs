//! The counters in the native simulator: nothing is lost, and a snapshot is one instant.

mod bus;

use bus::Random;
use em_rtl::{
    csr::{
        CounterEvents, Counters, PortCounter,
        counters::{Column, Group, PORT_ROWS, TABLE_ROWS},
    },
    outcome::{Kind, Outcome},
};
use hdl::{
    Encode,
    sim::{Port, Sim},
};
use std::collections::HashMap;

const FUNCTIONS: u32 = 8;
/// So many that a port may have the longest frame in every clock.
const LANES: u32 = 1 << 14;

/// A counter: group, row and column.
type Key = (Group, u32, Column);

fn key(group: Group, row: u64, column: Column) -> (u64, u64, u64) {
    (group.encoded(), row, column as u64)
}

/// Counts as the hardware should.
#[derive(Clone, Default)]
struct Model(HashMap<(u64, u64, u64), u64>);

impl Model {
    fn add(&mut self, (group, row, column): Key, n: u64) {
        *self.0.entry(key(group, row.into(), column)).or_default() += n;
    }

    fn path(&mut self, group: Group, functions: u32, e: &Frame) {
        self.add((Group::General, e.outcome.code() as u32, Column::Frames), 1);
        if let Some(function) = e.function.filter(|f| *f < functions) {
            match e.outcome.kind() {
                Kind::Forward => {
                    self.add((group, function, Column::Frames), 1);
                    self.add((group, function, Column::Bytes), e.bytes);
                }
                Kind::Drop => self.add((group, function, Column::Drops), 1),
                Kind::Punt => {}
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Frame {
    outcome: Outcome,
    function: Option<u32>,
    bytes: u64,
}

/// What happens in one clock.
#[derive(Clone, Default)]
struct Clock {
    paths: [Option<Frame>; 2],
    ports: [Option<u64>; 8],
    tables: [u64; 3],
}

impl Clock {
    /// Anything; often what came before, and everything at once.
    fn random(random: &mut Random, before: &Clock) -> Clock {
        let mut clock = before.clone();
        for path in &mut clock.paths {
            if random.chance(40) {
                let few = if random.chance(50) { 2 } else { Outcome::ALL.len() };
                let among = if random.chance(70) { 2 } else { 10 };
                let function = random.chance(90).then(|| random.below(among) as u32);
                let outcome = Outcome::ALL[random.below(few)];
                *path = random.chance(85).then_some(Frame { outcome, function, bytes: 0 });
            }
            if let Some(frame) = path {
                frame.bytes = if random.chance(30) { 0x3fff } else { random.next() & 0x3fff };
            }
        }
        for port in &mut clock.ports {
            *port = random.chance(80).then(|| random.next() & 0x3fff);
        }
        clock.tables = [0; 3].map(|_: u64| random.next() & random.next() & 31);
        clock
    }

    fn count(&self, model: &mut Model, functions: u32) {
        for (group, frame) in [Group::Tx, Group::Rx].into_iter().zip(&self.paths) {
            if let Some(frame) = frame {
                model.path(group, functions, frame);
            }
        }
        for (i, port) in self.ports.iter().enumerate() {
            if let Some(bytes) = port {
                model.add((Group::General, PORT_ROWS + i as u32, Column::Frames), 1);
                model.add((Group::General, PORT_ROWS + i as u32, Column::Bytes), *bytes);
            }
        }
        for (pulses, column) in self.tables.iter().zip(Column::ALL) {
            for table in (0..5).filter(|t| pulses >> t & 1 == 1) {
                model.add((Group::General, TABLE_ROWS + table, column), 1);
            }
        }
    }

    fn drive(&self, sim: &Sim<Counters>) {
        let e: &CounterEvents<Port> = &sim.io.events;
        for (port, frame) in [&e.tx, &e.rx].into_iter().zip(&self.paths) {
            sim.poke(port.outcome_valid, frame.is_some());
            let (outcome, known, function, bytes) = frame.map_or((63, true, 5, 77), |f| {
                (f.outcome.code(), f.function.is_some(), f.function.unwrap_or(1), f.bytes)
            });
            sim.poke(port.outcome, outcome);
            sim.poke(port.function_known, known);
            sim.poke(port.function, u64::from(function));
            sim.poke(port.bytes, bytes);
        }
        for (port, bytes) in e.ports().into_iter().zip(self.ports) {
            sim.poke(port.frame, bytes.is_some());
            sim.poke(port.bytes, bytes.unwrap_or(99));
        }
        for (port, pulses) in [e.tables.hit, e.tables.miss, e.tables.parity].into_iter().zip(self.tables) {
            sim.poke(port, pulses);
        }
    }
}

/// Every counter there is.
fn all(functions: u32) -> Vec<(u64, u64, u64)> {
    let outcomes = Outcome::ALL.iter().map(|o| key(Group::General, o.code(), Column::Frames));
    let ports =
        (0..8).flat_map(|p| [Column::Bytes, Column::Frames].map(|c| key(Group::General, u64::from(PORT_ROWS) + p, c)));
    let tables = (0..5).flat_map(|t| Column::ALL.map(|c| key(Group::General, u64::from(TABLE_ROWS) + t, c)));
    let of_functions = (0..u64::from(functions))
        .flat_map(|f| [Group::Tx, Group::Rx].into_iter().flat_map(move |g| Column::ALL.map(|c| key(g, f, c))));
    outcomes.chain(ports).chain(tables).chain(of_functions).collect()
}

struct Bench {
    sim: Sim<Counters>,
    random: Random,
    functions: u32,
    /// Counts after each clock.
    model: Model,
    last: Clock,
    loaded: bool,
}

impl Bench {
    fn new(functions: u32, seed: u64) -> Self {
        let sim = Sim::with_seed(&Counters { functions, lanes: LANES }, seed).unwrap_or_else(|e| panic!("{e}"));
        sim.poke(sim.io.latch, false);
        Clock::default().drive(&sim);
        sim.reset();
        Bench { sim, random: Random(seed), functions, model: Model::default(), last: Clock::default(), loaded: true }
    }

    fn clock(&mut self) {
        let mut clock = if self.loaded { Clock::random(&mut self.random, &self.last) } else { Clock::default() };
        // Functions count from `ready` on, and no outcome comes in the first 16 clocks.
        if !self.sim.peek_bool(self.sim.io.ready) {
            for frame in clock.paths.iter_mut().flatten() {
                frame.function = None;
            }
            if self.sim.cycle() < 20 {
                clock.paths = [None; 2];
            }
        }
        clock.drive(&self.sim);
        clock.count(&mut self.model, self.functions);
        self.last = clock;
        self.sim.step();
        self.sim.check().unwrap_or_else(|e| panic!("{e}"));
    }

    /// Latches, and returns the counts after each clock until the snapshot is there.
    fn latch(&mut self) -> Vec<Model> {
        self.sim.poke(self.sim.io.latch, true);
        let mut past = vec![self.model.clone()];
        loop {
            self.clock();
            self.sim.poke(self.sim.io.latch, false);
            past.push(self.model.clone());
            if !self.sim.peek_bool(self.sim.io.busy) {
                return past;
            }
            assert!(past.len() < 3000, "a latch takes at most two turns");
        }
    }

    fn read(&mut self, (group, row, column): (u64, u64, u64)) -> u64 {
        let io = &self.sim.io;
        self.sim.poke(io.read_group, group);
        self.sim.poke(io.read_row, row);
        self.sim.poke(io.read_column, column);
        for _ in 0..Counters::READ_LATENCY {
            self.clock();
        }
        self.sim.peek_u64(self.sim.io.read_value)
    }

    fn snapshot(&mut self) -> Vec<u64> {
        all(self.functions).into_iter().map(|key| self.read(key)).collect()
    }
}

#[test]
fn a_snapshot_is_every_counter_in_one_clock_and_nothing_is_lost() {
    for seed in 0..4 {
        let mut bench = Bench::new(FUNCTIONS, seed);
        let mut after = 0;
        for round in 0..6 {
            for _ in 0..bench.random.below(1500) {
                bench.clock();
            }
            let past = bench.latch();
            let read = bench.snapshot();
            let keys = all(FUNCTIONS);
            let of = |model: &Model| keys.iter().map(|k| model.0.get(k).copied().unwrap_or(0)).collect::<Vec<_>>();
            let instant = past.iter().position(|model| of(model) == read);
            let Some(instant) = instant else {
                let end = of(past.last().unwrap());
                let begin = of(&past[0]);
                let off: Vec<_> = keys.iter().zip(&read).zip(begin.iter().zip(&end)).collect();
                panic!("seed {seed}, round {round}: no clock has all of these: {off:?}");
            };
            after += instant;
        }
        assert!(after > 0);
    }
}

#[test]
fn the_last_latch_counts_all_that_came_before_it() {
    let mut bench = Bench::new(16, 9);
    for _ in 0..2000 {
        bench.clock();
    }
    bench.loaded = false;
    bench.clock();
    let model = bench.latch().remove(0);
    for key in all(16) {
        let expected = model.0.get(&key).copied().unwrap_or(0);
        assert_eq!(bench.read(key), expected, "{key:?}");
    }
    // A second latch takes nothing away, reset takes all.
    bench.latch();
    for key in all(16) {
        assert_eq!(bench.read(key), model.0.get(&key).copied().unwrap_or(0), "{key:?} again");
    }
    bench.sim.reset();
    while bench.sim.peek_bool(bench.sim.io.busy) {
        bench.sim.step();
    }
    assert!(bench.sim.peek_bool(bench.sim.io.ready));
    for key in all(16) {
        assert_eq!(bench.read(key), 0, "{key:?} after reset");
    }
}

/// A full turn of the largest frames of one function: nothing overflows between two changes of the banks.
#[test]
fn a_turn_of_equal_events_without_a_gap_is_exact_and_carries_reach_the_high_words() {
    let functions = 256;
    let mut bench = Bench::new(functions, 3);
    bench.loaded = false;
    while !bench.sim.peek_bool(bench.sim.io.ready) {
        bench.clock();
    }
    bench.latch();
    // All but the last of the low words' values.
    let (word, low) = (1u64 << 36, (1 << 36) - 5);
    for (row, memory) in [(5, "tx_store.totals"), (5, "rx_store.totals"), (64, "general_store.totals")] {
        for step in 0..3 {
            bench.sim.set_memory_word(memory, 4 * row + step, &hdl::Value::new(36, low));
        }
    }
    let frame = Frame { outcome: Outcome::Net0, function: Some(5), bytes: 0x3fff };
    let every = Clock { paths: [Some(frame); 2], ports: [Some(0x3fff); 8], tables: [31; 3] };
    let clocks = 3000;
    for _ in 0..clocks {
        every.drive(&bench.sim);
        bench.sim.step();
    }
    let drop = Frame { outcome: Outcome::Runt, ..frame };
    for _ in 0..clocks {
        Clock { paths: [Some(drop); 2], ..Clock::default() }.drive(&bench.sim);
        bench.sim.step();
    }
    bench.loaded = false;
    bench.latch();
    let low = low as u64;
    for group in [Group::Tx, Group::Rx] {
        assert_eq!(bench.read(key(group, 5, Column::Frames)), low + clocks, "{group:?}");
        assert_eq!(bench.read(key(group, 5, Column::Bytes)), low + clocks * 0x3fff, "{group:?}");
        assert_eq!(bench.read(key(group, 5, Column::Drops)), low + clocks, "{group:?}");
        assert!(low + clocks > word);
    }
    let port = u64::from(PORT_ROWS) + PortCounter::HostRx as u64;
    assert_eq!(bench.read(key(Group::General, port, Column::Frames)), low + clocks);
    assert_eq!(bench.read(key(Group::General, port, Column::Bytes)), low + clocks * 0x3fff);
    assert_eq!(bench.read(key(Group::General, Outcome::Net0.code(), Column::Frames)), 2 * clocks);
    assert_eq!(bench.read(key(Group::General, u64::from(TABLE_ROWS), Column::Drops)), clocks);
}

#[test]
fn nothing_depends_combinationally_on_an_input() {
    hdl::check::assert_no_combinational_paths(&Counters { functions: 64, lanes: 16 });
}
