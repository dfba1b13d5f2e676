//! The registers in the native simulator, before tables that this test plays.

mod bus;

use bus::{Bus, CONFIG, Random};
use em_rtl::{
    csr::{
        self, Access, Area, Csr, MAGIC, MapConfig, PortCounter, Reg, function_counter, outcome_counter, port_counter,
        resp, table_counter,
    },
    lookup::{Operation, Table, TableStatus},
    outcome::Outcome,
};
use hdl::{Encode, sim::Sim};
use std::{cell::RefCell, collections::HashMap, rc::Rc};

/// A command as the tables see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Command {
    operation: u64,
    table: u64,
    way: u64,
    row: u64,
    key: u64,
    value: u64,
    flip: bool,
    flip_bit: u64,
}

/// Tables that take each command after some clocks with the answer that they were told.
#[derive(Default)]
struct Played {
    commands: Vec<Command>,
    clocks: u32,
    status: u64,
    ready: bool,
    under_way: Option<u32>,
}

fn command(sim: &Sim<Csr>) -> Command {
    let m = &sim.io.manage;
    let of = |p| sim.peek_u64(p);
    Command {
        operation: of(m.operation),
        table: of(m.table),
        way: of(m.way),
        row: of(m.row),
        key: of(m.key),
        value: of(m.value),
        flip: sim.peek_bool(m.flip),
        flip_bit: of(m.flip_bit),
    }
}

/// What the tables say with `done`.
const OLD: (u64, u64, u64) = (2, 0x1234_89ab_cdef, 0xfedc_ba98_7654_3210);

impl Played {
    fn clock(&mut self, sim: &Sim<Csr>) {
        let m = &sim.io.manage;
        sim.poke(m.ready, self.ready);
        sim.poke(m.bank, true);
        let over = self.under_way == Some(0);
        sim.poke(m.done, over);
        sim.poke(m.status, if over { self.status } else { 5 });
        sim.poke(m.old_valid, if over { OLD.0 } else { 0 });
        sim.poke(m.old_key, if over { OLD.1 } else { 0 });
        sim.poke(m.old_value, if over { OLD.2 } else { 0 });
        if let Some(left) = self.under_way {
            assert_eq!(command(sim), *self.commands.last().unwrap(), "a command changes before it is done");
            assert!(!sim.peek_bool(m.start), "a command begins before another is done");
            self.under_way = left.checked_sub(1);
        } else if sim.peek_bool(m.start) {
            self.commands.push(command(sim));
            self.under_way = Some(self.clocks);
        }
    }
}

fn quiet(sim: &Sim<Csr>) {
    let e = &sim.io.events;
    for path in [&e.tx, &e.rx] {
        sim.poke(path.outcome_valid, false);
    }
    e.ports().iter().for_each(|p| sim.poke(p.frame, false));
    [e.tables.hit, e.tables.miss, e.tables.parity].iter().for_each(|p| sim.poke(*p, 0u64));
}

fn bench(seed: u64, stall: usize) -> (Bus, Rc<RefCell<Played>>) {
    let played = Rc::new(RefCell::new(Played { ready: true, clocks: 3, ..Played::default() }));
    let tables = played.clone();
    let each_clock = Box::new(move |sim: &Sim<Csr>| {
        quiet(sim);
        sim.poke(sim.io.link_up, 1u64);
        tables.borrow_mut().clock(sim);
    });
    (Bus::new(&Csr { config: CONFIG }, seed, stall, each_clock), played)
}

fn settle(bus: &mut Bus) {
    while bus.value(Reg::Status.offset()) & 1 == 0 {}
    while bus.value(Reg::CounterLatch.offset()) == 1 {}
}

#[test]
fn constants_read_back_and_only_what_may_be_written_is() {
    let (mut bus, _) = bench(1, 30);
    settle(&mut bus);
    assert_eq!(bus.value(Reg::Id.offset()).to_be_bytes(), *b"DDEM");
    assert_eq!(MAGIC.to_be_bytes(), *b"DDEM");
    let map = CONFIG.map();
    for r in &map.registers {
        let (got, value) = bus.read(r.offset);
        let wrote = bus.write(r.offset, 0);
        match r.access {
            Access::Ro => assert_eq!((got, wrote), (resp::OKAY, resp::SLVERR), "{}", r.name),
            Access::Wo => assert_eq!((got, wrote), (resp::SLVERR, resp::OKAY), "{}", r.name),
            _ => assert_eq!((got, wrote), (resp::OKAY, resp::OKAY), "{}", r.name),
        }
        assert!(r.constant.is_none_or(|c| c == value), "{} reads {value:#x}", r.name);
    }
    for reg in Reg::ALL.iter().filter(|r| r.access() == Access::Rw) {
        bus.write(reg.offset(), u32::MAX);
        assert_eq!(bus.value(reg.offset()), reg.mask(), "{}", reg.name());
    }
    assert_eq!(bus.value(Reg::Status.offset()), 3);
    assert_eq!(bus.value(Reg::Link.offset()), 1);
}

/// What the Orchestration Module does that knows nothing but address 0.
#[test]
fn the_directory_leads_to_every_block_and_table() {
    let (mut bus, _) = bench(2, 0);
    let directory = bus.value(Reg::Directory.offset());
    let (blocks, first) = (directory & 0xff, directory >> 16);
    let mut found = Vec::new();
    for n in 0..blocks {
        let [kind, offset, size, info] = [0, 4, 8, 12].map(|at| bus.value(first + 16 * n + at));
        found.push((kind & 0xffff, kind >> 16, offset, size, info));
    }
    assert_eq!(found.len(), Area::ALL.len());
    for (block, area) in found.iter().zip(Area::ALL) {
        assert_eq!((block.0, block.1, block.2, block.3), (area.number(), 1, area.offset(), area.size()));
    }
    assert!(found.windows(2).all(|w| w[0].2 + w[0].3 <= w[1].2), "{found:?}");
    let (.., offset, _, tables) = found[Area::TableList as usize];
    assert_eq!(tables, 5);
    let record = |bus: &mut Bus, n: u32| [0, 4, 8, 12].map(|at| bus.value(offset + 16 * n + at));
    assert_eq!(record(&mut bus, 0), [1 | 4 << 8, 32, 48 | 42 << 8, 15 | 25 << 8 | 5 << 16]);
    assert_eq!(record(&mut bus, 3), [2 | 1 << 8 | 3 << 16, 64, 52 << 8, 0]);
    assert_eq!(found[Area::CounterAccess as usize].4, 64);
}

/// Case BUS-01 among others: all orders of AW and W and all delays of B and R, by chance.
#[test]
fn bus_01_accesses_under_random_stalls_match_a_map_of_bytes() {
    let rw: Vec<Reg> = Reg::ALL.iter().copied().filter(|r| r.access() == Access::Rw).collect();
    for (seed, stall) in [(1, 0), (2, 30), (3, 60), (4, 90)] {
        let (mut bus, _) = bench(seed, stall);
        settle(&mut bus);
        let mut random = Random(seed + 100);
        let mut model: HashMap<Reg, u32> = rw.iter().map(|r| (*r, 0)).collect();
        for _ in 0..400 {
            let reg = rw[random.below(rw.len())];
            let data = random.next() as u32;
            // A write of PUNT_LIMIT_MATCH is kept, but refused where there is no limiter of the number.
            let absent = model[&Reg::PuntLimitSelect] >= CONFIG.punt_limits;
            let due = |strb: u32| {
                let refused = reg == Reg::PuntLimitMatch && absent && strb & 1 == 1;
                if refused { resp::SLVERR } else { resp::OKAY }
            };
            match random.below(4) {
                0 => assert_eq!(bus.value(reg.offset()), model[&reg], "{}", reg.name()),
                1 => {
                    let other = rw[random.below(rw.len())];
                    let (w, (r, value)) = bus.both((reg.offset(), data), other.offset());
                    let old = model[&other];
                    model.insert(reg, data & reg.mask());
                    assert_eq!((w, r), (due(15), resp::OKAY));
                    assert!(value == old || value == model[&other]);
                }
                _ => {
                    let strb = random.below(16) as u32;
                    assert_eq!(bus.write_strb(reg.offset(), data, strb), due(strb));
                    let lanes = (0..4).filter(|i| strb >> i & 1 == 1).fold(0, |m, i| m | 0xff << (8 * i));
                    let merged = (model[&reg] & !lanes) | (data & lanes & reg.mask());
                    model.insert(reg, merged);
                }
            }
        }
    }
}

#[test]
fn addresses_without_a_register_and_unaligned_ones_answer_an_error_and_do_nothing() {
    let (mut bus, played) = bench(5, 20);
    settle(&mut bus);
    let map = CONFIG.map();
    let registers: HashMap<u32, Access> = map.registers.iter().map(|r| (r.offset, r.access)).collect();
    let counters: Vec<u32> = map.counters.iter().flat_map(|c| [c.offset, c.offset + 4]).collect();
    for addr in (0..0xa00).step_by(4).chain([0x1000, 0x1100, 0x2400, 0x4600, 0x8010, 0x8300, 0xfffc]) {
        let got = (bus.read(addr), bus.write_strb(addr, 0, 0));
        match registers.get(&addr) {
            None if counters.contains(&addr) => assert_eq!(got, ((resp::OKAY, 0), resp::SLVERR), "{addr:#x}"),
            None => assert_eq!(got, ((resp::DECERR, 0), resp::DECERR), "{addr:#x}"),
            Some(_) => assert!(got.0.0 != resp::DECERR && got.1 != resp::DECERR, "{addr:#x}"),
        }
    }
    bus.write(Reg::Scratch.offset(), 0x1234_5678);
    for off in 1..4 {
        assert_eq!(bus.write(Reg::Scratch.offset() + off, 0), resp::SLVERR);
        assert_eq!(bus.read(Reg::Scratch.offset() + off), (resp::SLVERR, 0));
    }
    assert_eq!(bus.value(Reg::Scratch.offset()), 0x1234_5678);
    assert_eq!(played.borrow().commands, []);
}

#[test]
fn settings_reach_the_paths() {
    let (mut bus, _) = bench(6, 0);
    let read = |bus: &Bus| {
        let s = &bus.sim.io.settings;
        [s.uplink_net1, s.not_for_us, s.pass_function].map(|p| bus.sim.peek_u64(p))
    };
    assert_eq!(read(&bus), [0, 0, 0]);
    bus.write(Reg::Uplink.offset(), 1);
    bus.write(Reg::NotForUs.offset(), 2 | 0x1234 << 16);
    assert_eq!(read(&bus), [1, 2, 0x1234]);
}

/// What a limiter is programmed with: number, enable, any function, function, any reason, reason, interval, burst.
type Programmed = [u64; 8];

#[test]
fn limiters_are_programmed_by_the_write_of_what_they_fit() {
    let (mut bus, played) = bench(12, 20);
    let programmed = Rc::new(RefCell::new(Vec::<Programmed>::new()));
    let (seen, tables) = (programmed.clone(), played.clone());
    bus.each_clock = Box::new(move |sim| {
        quiet(sim);
        tables.borrow_mut().clock(sim);
        let limit = sim.io.punt_limit.as_ref().unwrap();
        if sim.peek_bool(limit.install) {
            let r = &limit.rule;
            let fields = [limit.limiter, r.enable, r.any_function, r.function, r.any_reason, r.reason];
            let [a, b, c, d, e, f] = fields.map(|port| sim.peek_u64(port));
            let [interval, burst] = [limit.interval, limit.burst].map(|port| sim.peek_u64(port));
            seen.borrow_mut().push([a, b, c, d, e, f, interval, burst]);
        }
    });
    // Functions go to 63.
    let fits = |function, reason: u32, flags: u32| function | reason << 16 | flags << 24;
    let ttl = Outcome::PuntTtl.code() as u32;
    let mut write = |reg: Reg, value| bus.write(reg.offset(), value);
    assert_eq!(write(Reg::PuntLimitSelect, 3), resp::OKAY);
    assert_eq!(write(Reg::PuntLimitInterval, 0x0fed_cba9), resp::OKAY);
    assert_eq!(write(Reg::PuntLimitBurst, 0x3a5), resp::OKAY);
    assert_eq!(*programmed.borrow(), [[0; 8]; 0]);
    assert_eq!(write(Reg::PuntLimitMatch, fits(0x34, ttl, 0x80)), resp::OKAY);
    assert_eq!(programmed.take(), [[3, 1, 0, 0x34, 0, 6, 0x0fed_cba9, 0x3a5]]);
    assert_eq!(write(Reg::PuntLimitSelect, 0), resp::OKAY);
    assert_eq!(write(Reg::PuntLimitMatch, fits(0, 0, 0x83)), resp::OKAY);
    assert_eq!(write(Reg::PuntLimitMatch, fits(0, 0, 0x03)), resp::OKAY);
    // No punt has such a code.
    assert_eq!(write(Reg::PuntLimitMatch, fits(5, 0x26, 0x80)), resp::OKAY);
    // There is no such function.
    assert_eq!(write(Reg::PuntLimitMatch, fits(64 + 5, ttl, 0x80)), resp::OKAY);
    let (interval, burst) = (0x0fed_cba9, 0x3a5);
    let expected = [[0, 1, 1, 0, 1, 0], [0, 0, 1, 0, 1, 0], [0, 0, 0, 5, 0, 6], [0, 0, 0, 5, 0, 6]];
    assert_eq!(programmed.take(), expected.map(|[a, b, c, d, e, f]| [a, b, c, d, e, f, interval, burst]));
    for absent in [4, 255] {
        assert_eq!(write(Reg::PuntLimitSelect, absent), resp::OKAY);
        assert_eq!(write(Reg::PuntLimitMatch, fits(0, 0, 0x83)), resp::SLVERR, "there is no such limiter");
    }
    assert_eq!(write(Reg::PuntLimitSelect, 1), resp::OKAY);
    assert_eq!(bus.write_strb(Reg::PuntLimitMatch.offset(), 0, 14), resp::OKAY);
    assert_eq!(*programmed.borrow(), [[0; 8]; 0], "without the strobe of byte 0 nothing happens");
}

#[test]
fn without_limiters_their_registers_are_not_there() {
    let config = MapConfig { punt_limits: 0, ..CONFIG };
    let mut bus = Bus::new(&Csr { config }, 13, 0, Box::new(quiet));
    assert!(bus.sim.io.punt_limit.is_none());
    let blocks = bus.value(Reg::Directory.offset()) & 0xff;
    assert_eq!(blocks as usize, Area::ALL.len() - 1);
    assert_eq!(bus.read(Area::FIRST_RECORD + Area::RECORD * blocks).0, resp::DECERR);
    for reg in Reg::ALL.iter().filter(|reg| reg.is_of_limiters()) {
        assert_eq!(bus.read(reg.offset()).0, resp::DECERR, "{}", reg.name());
        assert_eq!(bus.write(reg.offset(), 0), resp::DECERR, "{}", reg.name());
    }
}

#[test]
fn table_commands_reach_the_tables_and_their_answers_the_bus() {
    let (mut bus, played) = bench(7, 20);
    settle(&mut bus);
    for (reg, value) in [
        (Reg::TableSelect, 2),
        (Reg::TableSlot, 0x0003_0123),
        (Reg::TableKey0, 0x89ab_cdef),
        (Reg::TableKey1, 0x4567),
        (Reg::TableValue0, 0x1357_9bdf),
        (Reg::TableValue1, 0x0246_8ace),
        (Reg::TableFlip, 0x177),
    ] {
        assert_eq!(bus.write(reg.offset(), value), resp::OKAY);
    }
    let expected = |operation: Operation| Command {
        operation: operation.encoded(),
        table: 2,
        way: 3,
        row: 0x123,
        key: 0x4567_89ab_cdef,
        value: 0x0246_8ace_1357_9bdf,
        flip: true,
        flip_bit: 0x77,
    };
    let send = |bus: &mut Bus, operation: Operation| bus.write(Reg::TableCommand.offset(), operation.encoded() as u32);
    for clocks in [0, 1, 2, 30] {
        for (operation, status) in [
            (Operation::Insert, TableStatus::Ok),
            (Operation::Read, TableStatus::Parity),
            (Operation::Commit, TableStatus::Ok),
            (Operation::Delete, TableStatus::Absent),
            (Operation::None, TableStatus::BadCommand),
        ] {
            played.borrow_mut().clocks = clocks;
            played.borrow_mut().status = status.encoded();
            let due = if status == TableStatus::Ok { resp::OKAY } else { resp::SLVERR };
            assert_eq!(send(&mut bus, operation), due, "{operation:?}");
            assert_eq!(played.borrow().commands.last(), Some(&expected(operation)));
            assert_eq!(bus.value(Reg::TableStatus.offset()), status.encoded() as u32 | 2 << 8, "{operation:?}");
        }
    }
    let old =
        [Reg::TableOldKey0, Reg::TableOldKey1, Reg::TableOldValue0, Reg::TableOldValue1].map(|r| bus.value(r.offset()));
    assert_eq!(old, [OLD.1 as u32, (OLD.1 >> 32) as u32, OLD.2 as u32, (OLD.2 >> 32) as u32]);
    let count = played.borrow().commands.len();
    // Without the strobe of byte 0 nothing happens.
    assert_eq!(bus.write_strb(Reg::TableCommand.offset(), 1, 14), resp::OKAY);
    assert_eq!(played.borrow().commands.len(), count);
}

#[test]
fn sync_and_clear_go_on_while_other_registers_answer_and_table_writes_wait() {
    let (mut bus, played) = bench(8, 0);
    settle(&mut bus);
    for operation in [Operation::Sync, Operation::Clear] {
        played.borrow_mut().clocks = 700;
        let start = bus.sim.cycle();
        assert_eq!(bus.write(Reg::TableCommand.offset(), operation.encoded() as u32), resp::OKAY);
        assert_eq!(bus.value(Reg::TableStatus.offset()) >> 16, 1);
        assert_eq!(bus.write(Reg::Scratch.offset(), 5), resp::OKAY);
        assert!(bus.sim.cycle() - start < 50, "these did not wait");
        assert_eq!(bus.write(Reg::TableKey0.offset(), 77), resp::OKAY);
        assert!(bus.sim.cycle() - start > 700, "this one did");
        assert_eq!(bus.value(Reg::TableStatus.offset()) >> 16, 0);
        assert_eq!(bus.value(Reg::TableKey0.offset()), 77);
    }
}

#[test]
fn events_stay_until_a_one_is_written_to_them() {
    let (mut bus, played) = bench(9, 0);
    let tables = played.clone();
    let parity = Rc::new(RefCell::new(0u64));
    let pulses = parity.clone();
    settle(&mut bus);
    assert_eq!(bus.value(Reg::Events.offset()), 1 << 8, "the tables have become ready");
    bus.each_clock = Box::new(move |sim| {
        quiet(sim);
        sim.poke(sim.io.events.tables.parity, pulses.replace(0));
        tables.borrow_mut().clock(sim);
    });
    parity.replace(0b10100);
    bus.idle(4);
    assert_eq!(bus.value(Reg::Events.offset()), 0x114);
    assert_eq!(bus.write(Reg::Events.offset(), 0x104), resp::OKAY);
    assert_eq!(bus.value(Reg::Events.offset()), 0x10);
    assert_eq!(bus.write_strb(Reg::Events.offset(), 0x1ff, 0b1110), resp::OKAY);
    assert_eq!(bus.value(Reg::Events.offset()), 0x10, "no strobe, no effect");
    played.borrow_mut().ready = false;
    bus.idle(4);
    played.borrow_mut().ready = true;
    bus.idle(4);
    assert_eq!(bus.value(Reg::Events.offset()), 0x110);
}

#[test]
fn every_counter_has_its_address_and_is_read_as_it_was_latched() {
    let (mut bus, played) = bench(10, 0);
    settle(&mut bus);
    let counted = Rc::new(RefCell::new(HashMap::<u32, u64>::new()));
    let (model, mut random) = (counted.clone(), Random(11));
    let tables = played.clone();
    let function = 63;
    let on = Rc::new(RefCell::new(true));
    let goes_on = on.clone();
    bus.each_clock = Box::new(move |sim| {
        quiet(sim);
        tables.borrow_mut().clock(sim);
        if !*goes_on.borrow() {
            return;
        }
        let e = &sim.io.events;
        let add = |addr: u32, n: u64| *model.borrow_mut().entry(addr).or_default() += n;
        for (path, first) in [(&e.tx, 0), (&e.rx, 3)] {
            let outcome = Outcome::ALL[random.below(Outcome::ALL.len())];
            let bytes = random.next() & 0x3fff;
            sim.poke(path.outcome_valid, true);
            sim.poke(path.outcome, outcome.code());
            sim.poke(path.function, u64::from(function));
            sim.poke(path.function_known, true);
            sim.poke(path.bytes, bytes);
            add(outcome_counter(outcome), 1);
            match outcome.code() {
                0..16 => {
                    add(function_counter(first), 1);
                    add(function_counter(first + 1), bytes);
                }
                32.. => add(function_counter(first + 2), 1),
                _ => {}
            }
        }
        for (port, counter) in e.ports().into_iter().zip(PortCounter::ALL) {
            let bytes = random.next() & 15;
            sim.poke(port.frame, true);
            sim.poke(port.bytes, bytes);
            add(port_counter(counter), 1);
            add(port_counter(counter) + 8, bytes);
        }
        for (pulse, at) in [(e.tables.hit, 0), (e.tables.miss, 8), (e.tables.parity, 16)] {
            let pulses = random.next() & 31;
            sim.poke(pulse, pulses);
            for table in Table::ALL.iter().filter(|t| pulses >> **t as u32 & 1 == 1) {
                add(table_counter(*table) + at, 1);
            }
        }
    });
    bus.idle(3000);
    on.replace(false);
    bus.idle(1);
    let latch = Reg::CounterLatch.offset();
    assert_eq!(bus.write(latch, 0), resp::OKAY);
    assert_eq!(bus.value(latch), 0, "writing 0 takes no snapshot");
    assert_eq!(bus.write(latch, 1), resp::OKAY);
    assert_eq!(bus.value(latch), 1);
    assert_eq!(bus.read(outcome_counter(Outcome::Net0)), (resp::SLVERR, 0), "while it is taken");
    while bus.value(latch) == 1 {}
    bus.write(Reg::CounterFunction.offset(), function);
    let counters = csr::counters();
    assert_eq!(counters.len(), Outcome::ALL.len() + 16 + 15 + 6);
    for counter in &counters {
        let due = counted.borrow().get(&counter.offset).copied().unwrap_or(0);
        assert!(due > 0, "{}", counter.name);
        assert_eq!(bus.counter(counter.offset), due, "{}", counter.name);
    }
    bus.write(Reg::CounterFunction.offset(), 64);
    assert_eq!(bus.read(function_counter(0)), (resp::SLVERR, 0), "there is no such function");
    assert_eq!(bus.read(outcome_counter(Outcome::Net0)).0, resp::OKAY);
}
