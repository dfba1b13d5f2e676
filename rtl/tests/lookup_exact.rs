//! The exact-match table alone: its waveform, and lookups that meet a write.

use em_rtl::lookup::{ExactMemory, ExactTable, Geometry, Layout, Management, Tables};
use hdl::{
    bundle::Field,
    check::assert_no_combinational_paths,
    sim::{Options, Ports, PowerUp, Sim},
};

/// Keys so short that random words often look like one.
fn table(memory: ExactMemory) -> ExactTable {
    let geometry = Geometry { exact: true, ways: 2, rows: 16, key_w: 12, value_w: 8 };
    ExactTable {
        name: "short",
        geometry,
        layout: Layout { valid_w: 2, key_mask: 0xfff, value_mask: 0xff, delta: false },
        memory,
    }
}

/// The pieces, by their numbers, of a word of even parity.
fn word(valid: u64, key: u64, value: u64) -> [(u64, u64); 3] {
    let odd = valid.count_ones() + key.count_ones() + value.count_ones();
    [(0, key), (4, value), (7, valid << 14 | u64::from(odd % 2) << 13)]
}

struct Bench {
    sim: Sim<ExactTable>,
    table: ExactTable,
}

impl Bench {
    fn new(memory: ExactMemory, power_up: PowerUp) -> Self {
        let table = table(memory);
        let options = Options { power_up, ..Options::default() };
        let sim = Sim::with_options(&table, &options).unwrap_or_else(|faults| panic!("{faults}"));
        sim.reset();
        sim.poke(sim.io.slot.all, true);
        sim.poke(sim.io.slot.write, true);
        for slot in 0..32u64 {
            sim.poke(sim.io.slot.row, slot % 16);
            sim.poke(sim.io.slot.way, slot / 16);
            sim.step();
        }
        sim.poke(sim.io.slot.all, false);
        sim.poke(sim.io.slot.write, false);
        Bench { sim, table }
    }

    fn slot(&self, way: u32, key: u64) {
        self.sim.poke(self.sim.io.slot.way, u64::from(way));
        self.sim.poke(self.sim.io.slot.row, u64::from(self.table.geometry.row_of(way, key.into())));
    }

    fn put(&self, piece: Option<(u64, u64)>) {
        let slot = &self.sim.io.slot;
        let (at, bits) = piece.unwrap_or((0, 0xffff));
        self.sim.poke(slot.put, piece.is_some());
        self.sim.poke(slot.at, at);
        self.sim.poke(slot.piece, bits);
    }

    fn put_all(&self, pieces: [(u64, u64); 3]) {
        for piece in pieces {
            self.put(Some(piece));
            self.sim.step();
        }
        self.put(None);
    }

    fn ask(&self, key: Option<u64>, bank: bool) {
        self.sim.poke(self.sim.io.lookup.valid, key.is_some());
        self.sim.poke(self.sim.io.lookup.key, key.unwrap_or(0));
        self.sim.poke(self.sim.io.lookup.bank, bank);
    }
}

/// The waveform that stands in the table's page.
#[test]
fn exact_table_waveform() {
    let bench = Bench::new(ExactMemory::Block(Management::Shared), PowerUp::Zero);
    let (sim, io) = (&bench.sim, &bench.sim.io);
    let (here, absent) = (0x5a7, 0x123);
    bench.slot(0, here);
    bench.put_all(word(1, here, 0xc3));
    sim.poke(io.slot.write, true);
    sim.step();
    sim.poke(io.slot.write, false);
    sim.steps(4);
    for port in [io.lookup.valid, io.lookup.key, io.answer.hit, io.answer.miss, io.answer.data] {
        sim.record(&Ports(vec![(Field::root(), port)]));
    }
    for key in [Some(here), Some(absent), Some(here), None, None, None, None, None, None, None] {
        bench.ask(key, false);
        sim.step();
    }
    let wave = sim.wave();
    let lines: Vec<String> = wave.trim_end().lines().map(|line| format!("//! {line}").trim_end().to_string()).collect();
    let page = include_str!("../src/lookup/exact.rs");
    assert!(page.contains(&lines.join("\n")), "the page should show\n{}", lines.join("\n"));
}

/// A live word is written again and again, its validity in the other bank changing, under a lookup in every clock. What
/// the memory returns when a lookup meets the write is random, and with short keys often looks like an entry.
#[test]
fn lookups_that_meet_a_write_are_answered_from_it() {
    for memory in
        [ExactMemory::Block(Management::OwnPort), ExactMemory::Block(Management::Shared), ExactMemory::Distributed]
    {
        let bench = Bench::new(memory, PowerUp::Random);
        let (sim, io) = (&bench.sim, &bench.sim.io);
        let (key, value) = (0x5a7, 0xc3);
        bench.slot(1, key);
        bench.put_all(word(1, key, value));
        sim.poke(io.slot.write, true);
        sim.step();
        let latency = u64::from(ExactTable::LATENCY);
        // The word stays as it is for a few clocks after each write.
        for clock in 0..100_000u64 {
            let turn = clock % 8;
            sim.poke(io.slot.write, turn == 7);
            let [.., last] = word(1 | (clock >> 3 & 1) << 1, key, value);
            bench.put((turn == 6).then_some(last));
            bench.ask(Some(key), false);
            sim.step();
            assert!(!sim.peek_bool(io.answer.failed), "{memory:?}, clock {clock}");
            if clock >= latency {
                assert!(sim.peek_bool(io.answer.hit), "{memory:?}, clock {clock}");
                assert_eq!(sim.peek_u64(io.answer.data), value, "{memory:?}, clock {clock}");
            }
        }
        // In the other bank the entry comes and goes, and is never another one.
        let mut hits = 0;
        for clock in 0..50_000u64 {
            let turn = clock % 8;
            sim.poke(io.slot.write, turn == 7);
            let [.., last] = word(1 | (clock >> 3 & 1) << 1, key, value);
            bench.put((turn == 6).then_some(last));
            bench.ask(Some(key), true);
            sim.step();
            assert!(!sim.peek_bool(io.answer.failed));
            if clock >= latency {
                let hit = sim.peek_bool(io.answer.hit);
                assert_eq!(sim.peek_u64(io.answer.data), if hit { value } else { 0 });
                hits += u64::from(hit);
            }
        }
        assert!((20_000..30_000).contains(&hits), "{memory:?}: {hits}");
    }
}

#[test]
fn no_combinational_paths() {
    for management in [Management::Shared, Management::OwnPort] {
        assert_no_combinational_paths(&Tables {
            functions: 64,
            nat_ways: 4,
            nat_rows: 32,
            mac_ways: 2,
            mac_rows: 16,
            next_hops: 8,
            management,
        });
    }
}
