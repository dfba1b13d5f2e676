//! The lookup stage and its tables, in the native simulator, against plain Rust.

mod support;

use em_rtl::lookup::{ExactMatch, FunctionTable, Lookup, Operation, TableStatus};
use hdl::{Encode, Value, sim::Sim};
use std::collections::{HashMap, VecDeque};
use support::Random;

const TABLE: ExactMatch = ExactMatch { ways: 4, rows: 16, key_w: 48, value_w: 32 };

#[derive(Clone, Copy, Debug, PartialEq)]
struct Command {
    operation: Operation,
    way: u32,
    row: u32,
    key: u128,
    value: u32,
}

/// What a table must hold, slot by slot.
#[derive(Clone, Default)]
struct Model {
    slots: HashMap<(u32, u32), (u128, u32)>,
}

impl Model {
    fn find(&self, key: u128) -> Option<u32> {
        self.slots.values().find(|(k, _)| *k == key).map(|(_, v)| *v)
    }

    fn apply(&mut self, c: &Command) -> TableStatus {
        if c.way >= TABLE.ways || c.row >= TABLE.rows {
            return TableStatus::OutOfRange;
        }
        let slot = (c.way, c.row);
        let there = self.slots.get(&slot).copied();
        match (c.operation, there) {
            (Operation::None | Operation::Commit | Operation::Sync | Operation::Clear, _) => TableStatus::BadCommand,
            (Operation::Read, Some(_)) => TableStatus::Ok,
            (Operation::Read, None) => TableStatus::Absent,
            _ if TABLE.row_of(c.way, c.key) != c.row => TableStatus::Misplaced,
            (Operation::Insert, Some(old)) if old == (c.key, c.value) => TableStatus::Ok,
            (Operation::Insert, Some(_)) => TableStatus::Occupied,
            (Operation::Insert, None) if self.find(c.key).is_some_and(|v| v != c.value) => TableStatus::Duplicate,
            (Operation::Insert, None) => {
                self.slots.insert(slot, (c.key, c.value));
                TableStatus::Ok
            }
            (Operation::Delete, None) => TableStatus::Absent,
            (Operation::Delete, Some((key, _))) if key != c.key => TableStatus::Occupied,
            (Operation::Delete, Some(_)) => {
                self.slots.remove(&slot);
                TableStatus::Ok
            }
        }
    }
}

/// A table under a lookup in every clock.
struct Bench {
    sim: Sim<ExactMatch>,
    model: Model,
    /// What each lookup under way may answer.
    expected: VecDeque<Vec<Option<u32>>>,
    lookups: u64,
    hits: u64,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let sim = Sim::with_seed(&TABLE, seed).unwrap();
        sim.reset();
        Bench { sim, model: Model::default(), expected: VecDeque::new(), lookups: 0, hits: 0 }
    }

    /// One clock with a lookup that may be answered from `before` or from the model.
    fn clock(&mut self, key: u128, before: &Model) {
        let io = &self.sim.io;
        self.sim.poke(io.lookup_valid, true);
        self.sim.poke(io.lookup_key, Value::new(48, key));
        self.expected.push_back(vec![before.find(key), self.model.find(key)]);
        self.sim.step();
        if self.expected.len() == ExactMatch::LATENCY as usize {
            let allowed = self.expected.pop_front().unwrap();
            let hit = self.sim.peek_bool(io.hit);
            let value = self.sim.peek_u64(io.hit_value) as u32;
            let got = hit.then_some(value);
            assert!(allowed.contains(&got), "cycle {}: {got:x?}, allowed {allowed:x?}", self.sim.cycle());
            assert!(hit || value == 0);
            self.lookups += 1;
            self.hits += u64::from(hit);
        }
    }

    fn wait_ready(&mut self) {
        let nothing = Model::default();
        let mut clocks = 0;
        while !self.sim.peek_bool(self.sim.io.ready) {
            self.clock(clocks, &nothing);
            clocks += 1;
            assert!(clocks <= u128::from(TABLE.rows) + 2, "the table does not become ready");
        }
    }

    /// Carries out a command under lookups of `keys` and compares its status.
    fn command(&mut self, c: Command, mut keys: impl FnMut() -> u128) -> TableStatus {
        let before = self.model.clone();
        let expected = self.model.apply(&c);
        let io = &self.sim.io.command;
        self.sim.poke(io.start, true);
        self.sim.poke(io.operation, c.operation.encoded());
        self.sim.poke(io.way, u64::from(c.way));
        self.sim.poke(io.row, u64::from(c.row));
        self.sim.poke(io.key, Value::new(48, c.key));
        self.sim.poke(io.value, u64::from(c.value));
        let mut clocks = 0;
        while !self.sim.peek_bool(self.sim.io.command.done) {
            self.clock(keys(), &before);
            self.sim.poke(self.sim.io.command.start, false);
            clocks += 1;
            assert!(clocks < 40, "no answer to {c:x?}");
        }
        let io = &self.sim.io.command;
        let status = self.sim.peek_u64(io.status);
        assert_eq!(status, expected.encoded(), "{c:x?}: expected {expected:?}");
        if let (Operation::Read, Some((key, value))) = (c.operation, before.slots.get(&(c.way, c.row))) {
            assert_eq!(self.sim.peek(io.old_key).to_u128(), *key);
            assert_eq!(self.sim.peek_u64(io.old_value), u64::from(*value));
        }
        let settled = self.model.clone();
        self.clock(c.key, &settled);
        expected
    }
}

fn insert(way: u32, key: u128, value: u32) -> Command {
    Command { operation: Operation::Insert, way, row: TABLE.row_of(way, key), key, value }
}

/// Two keys that hash to the same row in every way.
fn colliding_keys() -> (u128, u128) {
    let mut seen = HashMap::new();
    for address in 0.. {
        let key = Lookup::nat_key(3, 0x0a00_0000 + address);
        let rows: Vec<u32> = (0..TABLE.ways).map(|way| TABLE.row_of(way, key)).collect();
        if let Some(other) = seen.insert(rows, key) {
            return (other, key);
        }
    }
    unreachable!("65,536 hashes cannot all differ for ever")
}

#[test]
fn random_commands_under_full_lookup_rate_match_a_map() {
    for seed in 0..4 {
        let mut random = Random(seed);
        let mut bench = Bench::new(seed);
        bench.wait_ready();
        let pool: Vec<u128> = (0..60).map(|_| u128::from(random.next() & 0xffff_ffff_ffff)).collect();
        let mut statuses = HashMap::new();
        for _ in 0..2500 {
            let key = pool[random.below(pool.len())];
            let way = random.below(TABLE.ways as usize) as u32;
            let operation = Operation::VARIANTS[[1, 1, 2, 3, 1, 2, 1, 0][random.below(8)]].1;
            let mut c = Command { operation, ..insert(way, key, (key as u32 ^ 5) & 7) };
            match random.below(12) {
                0 => c.row = random.below(40) as u32,
                1 => c.way = random.below(256) as u32,
                2 => c.value = 9,
                _ => {}
            }
            let mut other = Random(random.next());
            // The command's own key in most clocks, so that reads meet the write.
            let status = bench.command(c, || if other.below(4) > 0 { key } else { pool[other.below(pool.len())] });
            *statuses.entry(format!("{status:?}")).or_insert(0) += 1;
        }
        assert!(bench.hits > 10_000 && bench.lookups > 2 * bench.hits / 2, "{} of {}", bench.hits, bench.lookups);
        for s in ["Ok", "Occupied", "Misplaced", "OutOfRange", "Duplicate", "Absent", "BadCommand"] {
            assert!(statuses.get(s).is_some_and(|n| *n > 5), "{s} did not occur: {statuses:?}");
        }
    }
}

/// Case TAB-01: keys with one full hash are told apart, before and after the second is inserted.
#[test]
fn tab_01_keys_with_the_same_hash_are_told_apart() {
    let (one, two) = colliding_keys();
    let mut bench = Bench::new(1);
    bench.wait_ready();
    bench.command(insert(0, one, 1), || two);
    let settled = bench.model.clone();
    for key in [one, two, one] {
        bench.clock(key, &settled);
    }
    assert_eq!(bench.command(insert(0, two, 2), || one), TableStatus::Occupied);
    assert_eq!(bench.command(insert(1, two, 2), || one), TableStatus::Ok);
    let settled = bench.model.clone();
    for key in [one, two, one, two, 0, 0, 0, 0, 0, 0, 0] {
        bench.clock(key, &settled);
    }
    assert_eq!((settled.find(one), settled.find(two)), (Some(1), Some(2)));
}

#[test]
fn a_key_moves_to_another_way_without_a_gap() {
    let key = Lookup::nat_key(9, 0xc000_0201);
    for seed in 0..20 {
        let mut bench = Bench::new(seed);
        bench.wait_ready();
        bench.command(insert(2, key, 77), || key);
        for way in [0, 3, 1, 2] {
            let from = (0..4).find(|w| bench.model.slots.contains_key(&(*w, TABLE.row_of(*w, key)))).unwrap();
            bench.command(insert(way, key, 77), || key);
            bench.command(Command { operation: Operation::Delete, ..insert(from, key, 77) }, || key);
        }
    }
}

/// Undefined read data may look like the entry by chance, rarely with long keys: so a short one, and many writes.
#[test]
fn a_read_in_the_clock_of_a_write_never_hits_by_chance() {
    let table = ExactMatch { ways: 2, rows: 16, key_w: 12, value_w: 8 };
    let sim = Sim::new(&table).unwrap();
    sim.reset();
    sim.steps(20);
    let (key, value) = (0x5a7u64, 0xc3);
    let c = &sim.io.command;
    sim.poke(sim.io.lookup_valid, true);
    sim.poke(sim.io.lookup_key, key);
    sim.poke(c.way, 1u64);
    sim.poke(c.row, u64::from(table.row_of(1, key.into())));
    sim.poke(c.key, key);
    sim.poke(c.value, value);
    for command in 0..40_000u64 {
        sim.poke(c.operation, 1 + command % 2);
        sim.poke(c.start, true);
        while !sim.peek_bool(c.done) {
            sim.step();
            sim.poke(c.start, false);
            let hit = sim.peek_bool(sim.io.hit);
            assert_eq!(sim.peek_u64(sim.io.hit_value), if hit { value } else { 0 }, "command {command}");
        }
        assert_eq!(sim.peek_u64(c.status), 0);
        sim.step();
    }
}

#[test]
fn the_table_clears_itself_after_reset_and_on_demand() {
    let key = Lookup::nat_key(1, 0xc000_020a);
    let mut bench = Bench::new(3);
    bench.wait_ready();
    bench.command(insert(0, key, 5), || key);
    for by_reset in [true, false] {
        // Long enough for the lookups under way to come out.
        let settled = bench.model.clone();
        (0..8).for_each(|_| bench.clock(key, &settled));
        bench.model = Model::default();
        bench.expected.clear();
        if by_reset {
            bench.sim.reset();
        } else {
            bench.sim.poke(bench.sim.io.clear, true);
            bench.clock(key, &settled);
            bench.sim.poke(bench.sim.io.clear, false);
        }
        assert!(!bench.sim.peek_bool(bench.sim.io.ready));
        bench.wait_ready();
        let settled = bench.model.clone();
        (0..20).for_each(|_| bench.clock(key, &settled));
        assert_eq!(bench.command(insert(0, key, 5), || key), TableStatus::Ok);
    }
}

#[test]
fn commands_before_the_table_is_ready_are_refused() {
    let sim = Sim::new(&TABLE).unwrap();
    sim.reset();
    sim.poke(sim.io.command.operation, Operation::Insert.encoded());
    sim.poke(sim.io.command.start, true);
    sim.step();
    assert!(sim.peek_bool(sim.io.command.done));
    assert_eq!(sim.peek_u64(sim.io.command.status), TableStatus::NotReady.encoded());
}

#[test]
fn function_entries_are_the_last_written_also_in_the_clock_of_the_write() {
    const TABLE: FunctionTable = FunctionTable { functions: 16 };
    let sim = Sim::new(&TABLE).unwrap();
    sim.reset();
    let mut random = Random(4);
    let mut model = [0u64; 64];
    let mut expected: VecDeque<[u64; 2]> = VecDeque::new();
    let mut clock = |function: u64, before: u64, after: u64| {
        sim.poke(sim.io.lookup_valid, true);
        sim.poke(sim.io.lookup_function, function);
        expected.push_back([before, after].map(|e| if e & 1 == 1 { e } else { 0 }));
        sim.step();
        if expected.len() == FunctionTable::LATENCY as usize {
            let allowed = expected.pop_front().unwrap();
            let e = &sim.io.entry;
            let got = sim.peek_u64(e.valid) | sim.peek_u64(e.mode) << 1 | sim.peek_u64(e.unmatched) << 3;
            assert!(allowed.contains(&got), "cycle {}: {got} not in {allowed:?}", sim.cycle());
        }
    };
    for function in 0..16 {
        clock(function, 0, 0);
    }
    for _ in 0..3 {
        clock(3, 0, 0);
    }
    assert!(sim.peek_bool(sim.io.ready));
    for _ in 0..600 {
        let index = random.below(20) as u64;
        let write = random.below(3) > 0;
        let entry = random.next() & 31;
        let before = model;
        if write && index < 16 {
            model[index as usize] = entry;
        }
        sim.poke(sim.io.command.write, write);
        sim.poke(sim.io.command.index, index);
        sim.poke(sim.io.command.entry, entry);
        sim.poke(sim.io.command.start, true);
        while !sim.peek_bool(sim.io.command.done) {
            let function = if random.below(4) > 0 { index } else { random.below(64) as u64 };
            clock(function, before[function as usize], model[function as usize]);
            sim.poke(sim.io.command.start, false);
        }
        let status = sim.peek_u64(sim.io.command.status);
        let fine = if index < 16 { TableStatus::Ok } else { TableStatus::OutOfRange };
        assert_eq!(status, fine.encoded(), "index {index}");
        if index < 16 {
            assert_eq!(sim.peek_u64(sim.io.command.old_entry), before[index as usize]);
        }
        clock(index, model[index as usize], model[index as usize]);
    }
}

#[test]
fn the_stage_answers_both_tables_in_the_same_clock() {
    let stage = Lookup { functions: 16, ways: 2, rows: 16 };
    let sim = Sim::new(&stage).unwrap();
    sim.reset();
    sim.steps(20);
    assert!(sim.peek_bool(sim.io.manage.ready));
    let f = &sim.io.manage.function;
    sim.poke(f.index, 7u64);
    sim.poke(f.entry, 0b1_0011u64);
    sim.poke(f.write, true);
    sim.poke(f.start, true);
    sim.step();
    sim.poke(f.start, false);
    let n = &sim.io.manage.nat;
    let (function, address, outside) = (7u16, 0xc000_020a, 0xcb00_7105u64);
    let key = Lookup::nat_key(function, address);
    sim.poke(n.operation, Operation::Insert.encoded());
    sim.poke(n.way, 1u64);
    sim.poke(n.row, u64::from(stage.nat_table().row_of(1, key)));
    sim.poke(n.key, Value::new(48, key));
    sim.poke(n.value, outside);
    sim.poke(n.start, true);
    sim.step();
    sim.poke(n.start, false);
    sim.steps(40);
    let r = &sim.io.request;
    sim.poke(r.valid, true);
    sim.poke(r.function, u64::from(function));
    sim.poke(r.address, u64::from(address));
    sim.step();
    sim.poke(r.valid, false);
    for clock in 1..=stage.latency() + 2 {
        let valid = clock == stage.latency();
        let a = &sim.io.response;
        assert_eq!(sim.peek_bool(a.valid), valid, "clock {clock}");
        assert_eq!(sim.peek_bool(a.function_valid), valid);
        assert_eq!(sim.peek_bool(a.nat_hit), valid);
        if valid {
            assert_eq!(sim.peek_u64(a.mode), 1);
            assert_eq!(sim.peek_u64(a.unmatched), 2);
            assert_eq!(sim.peek_u64(a.outside), outside);
        }
        sim.step();
    }
}

#[test]
fn what_cannot_be_built_is_refused_with_the_value() {
    let message = |stage: Lookup| Sim::new(&stage).err().unwrap().to_string();
    assert!(message(Lookup { functions: 16, ways: 9, rows: 16 }).contains("9 ways: use 2 to 8"));
    assert!(message(Lookup { functions: 16, ways: 4, rows: 48 }).contains("48 rows a way: use a power of two"));
    assert!(message(Lookup { functions: 3, ways: 4, rows: 16 }).contains("3 functions: use a power of two"));
}
