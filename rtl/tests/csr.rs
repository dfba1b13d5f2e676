//! The registers and their bus, in the native simulator, together with the tables they manage.

mod support;

use em_rtl::{
    csr::{self, Access, Csr, MAGIC, PortCounter, Reg, outcome_counter, port_counter, resp},
    lookup::{Lookup, Operation, TableStatus},
    outcome::Outcome,
};
use hdl::Encode;
use std::{cell::RefCell, collections::HashMap, rc::Rc};
use support::{Bus, Random};

const TABLES: Lookup = Lookup { functions: 64, ways: 4, rows: 32 };

fn insert(bus: &mut Bus, way: u32, row: u32, function: u16, inside: u32, outside: u32) -> u64 {
    for (reg, value) in [
        (Reg::NatFunction, function.into()),
        (Reg::NatInside, inside),
        (Reg::NatOutside, outside),
        (Reg::NatSlot, Reg::NatSlot.field("row").place(row) | Reg::NatSlot.field("way").place(way)),
    ] {
        assert_eq!(bus.write(reg.offset(), value), resp::OKAY);
    }
    bus.write(Reg::NatCommand.offset(), Operation::Insert.encoded() as u32)
}

#[test]
fn constants_read_back_and_only_what_may_be_written_is() {
    let mut bus = Bus::new(TABLES, 1, 30);
    assert_eq!(bus.value(Reg::Id.offset()).to_be_bytes(), *b"DDEM");
    assert_eq!(MAGIC.to_be_bytes(), *b"DDEM");
    assert_eq!(bus.value(Reg::Version.offset()), 1);
    assert_eq!(bus.value(Reg::Geometry.offset()), Csr { lookup: TABLES }.geometry());
    assert_eq!(bus.value(Reg::Geometry.offset()), 6 | 4 << 8 | 5 << 16);
    while bus.value(Reg::Status.offset()) == 0 {}
    for reg in Reg::ALL {
        let (write, read) = match reg.access() {
            Access::Ro => (resp::SLVERR, resp::OKAY),
            Access::Wo => (resp::OKAY, resp::SLVERR),
            Access::Rw => (resp::OKAY, resp::OKAY),
        };
        // Commands of which there is none, and a function beyond the table: refused.
        let refused = matches!(reg, Reg::NatCommand | Reg::FunctionEntry);
        let data = if *reg == Reg::NatCommand { 0 } else { u32::MAX };
        assert_eq!(bus.write(reg.offset(), data), if refused { resp::SLVERR } else { write }, "{}", reg.name());
        let (got, value) = bus.read(reg.offset());
        assert_eq!(got, if refused { resp::SLVERR } else { read }, "{}", reg.name());
        if reg.access() == Access::Rw && !refused {
            assert_eq!(value, reg.mask(), "{}", reg.name());
        }
    }
    let status = |bus: &mut Bus, reg: Reg| bus.value(reg.offset());
    assert_eq!(status(&mut bus, Reg::NatStatus), TableStatus::OutOfRange.encoded() as u32);
    assert_eq!(status(&mut bus, Reg::FunctionStatus), TableStatus::OutOfRange.encoded() as u32);
}

/// Case BUS-01 among others: all orders of AW and W and all delays of B and R, by chance.
#[test]
fn bus_01_accesses_under_random_stalls_match_a_map_of_bytes() {
    let rw = [Reg::Scratch, Reg::NatFunction, Reg::NatInside, Reg::NatOutside, Reg::NatSlot, Reg::FunctionIndex];
    for (seed, stall) in [(1, 0), (2, 30), (3, 60), (4, 90)] {
        let mut bus = Bus::new(TABLES, seed, stall);
        let mut random = Random(seed + 100);
        let mut model: HashMap<Reg, u32> = rw.iter().map(|r| (*r, 0)).collect();
        for _ in 0..400 {
            let reg = rw[random.below(rw.len())];
            let data = random.next() as u32;
            match random.below(4) {
                0 => assert_eq!(bus.value(reg.offset()), model[&reg]),
                1 => {
                    let other = rw[random.below(rw.len())];
                    let (w, (r, value)) = bus.both((reg.offset(), data), other.offset());
                    let old = model[&other];
                    model.insert(reg, data & reg.mask());
                    assert_eq!((w, r), (resp::OKAY, resp::OKAY));
                    assert!(value == old || value == model[&other]);
                }
                _ => {
                    let strb = random.below(16) as u32;
                    assert_eq!(bus.write_strb(reg.offset(), data, strb), resp::OKAY);
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
    let mut bus = Bus::new(TABLES, 5, 20);
    let mut known: Vec<u32> = Reg::ALL.iter().map(|r| r.offset()).collect();
    known.extend(csr::counters().iter().flat_map(|c| [c.offset, c.offset + 4]));
    for addr in (0..0x700).step_by(4).chain([0x1000, 0x8010, 0xfffc]) {
        let (read, data) = bus.read(addr);
        let write = (!known.contains(&addr)).then(|| bus.write(addr, 1));
        if let Some(write) = write {
            assert_eq!((read, write, data), (resp::DECERR, resp::DECERR, 0), "{addr:#x}");
        } else {
            assert_ne!(read, resp::DECERR, "{addr:#x}");
        }
    }
    bus.write(Reg::Scratch.offset(), 0x1234_5678);
    for off in 1..4 {
        assert_eq!(bus.write(Reg::Scratch.offset() + off, 0), resp::SLVERR);
        assert_eq!(bus.read(Reg::Scratch.offset() + off), (resp::SLVERR, 0));
    }
    assert_eq!(bus.value(Reg::Scratch.offset()), 0x1234_5678);
    assert_eq!(bus.write(outcome_counter(Outcome::Net0), 0), resp::SLVERR);
}

#[test]
fn table_commands_succeed_or_say_why_not() {
    let mut bus = Bus::new(TABLES, 6, 20);
    let (function, inside, outside) = (7, 0xc000_020a, 0xcb00_7105);
    let row = |way| TABLES.nat_table().row_of(way, Lookup::nat_key(function, inside));
    let status = |bus: &mut Bus| bus.value(Reg::NatStatus.offset());
    while bus.value(Reg::Status.offset()) == 0 {}
    assert_eq!(insert(&mut bus, 2, row(2), function, inside, outside), resp::OKAY);
    assert_eq!(insert(&mut bus, 2, row(2) ^ 1, function, inside, outside), resp::SLVERR);
    assert_eq!(status(&mut bus), TableStatus::Misplaced.encoded() as u32);
    assert_eq!(insert(&mut bus, 2, row(2), function, inside, outside + 1), resp::SLVERR);
    assert_eq!(status(&mut bus), TableStatus::Occupied.encoded() as u32);
    assert_eq!(insert(&mut bus, 4, row(2), function, inside, outside), resp::SLVERR);
    assert_eq!(status(&mut bus), TableStatus::OutOfRange.encoded() as u32);
    // Without the strobe of byte 0 nothing happens.
    assert_eq!(bus.write_strb(Reg::NatCommand.offset(), Operation::Delete.encoded() as u32, 14), resp::OKAY);
    assert_eq!(status(&mut bus), TableStatus::OutOfRange.encoded() as u32);

    bus.write(Reg::NatSlot.offset(), row(2) | 2 << 16);
    assert_eq!(bus.write(Reg::NatCommand.offset(), Operation::Read.encoded() as u32), resp::OKAY);
    let found = [Reg::NatFoundFunction, Reg::NatFoundInside, Reg::NatFoundOutside].map(|r| bus.value(r.offset()));
    assert_eq!(found, [function.into(), inside, outside]);

    bus.write(Reg::FunctionIndex.offset(), function.into());
    assert_eq!(bus.write(Reg::FunctionEntry.offset(), 0b01011), resp::OKAY);
    assert_eq!(bus.value(Reg::FunctionEntry.offset()), 0b01011);

    let ask = |bus: &Bus| {
        let (sim, request, response) = (&bus.sim, &bus.sim.io.request, &bus.sim.io.response);
        sim.poke(request.valid, true);
        sim.poke(request.function, u64::from(function));
        sim.poke(request.address, u64::from(inside));
        sim.step();
        sim.poke(request.valid, false);
        sim.steps(u64::from(TABLES.latency()) - 1);
        assert!(sim.peek_bool(response.valid));
        [response.function_valid, response.mode, response.unmatched, response.nat_hit, response.outside]
            .map(|p| sim.peek_u64(p))
    };
    assert_eq!(ask(&bus), [1, 1, 1, 1, outside.into()]);
    assert_eq!(bus.write(Reg::NatCommand.offset(), Operation::Delete.encoded() as u32), resp::OKAY);
    assert_eq!(bus.write(Reg::NatCommand.offset(), Operation::Delete.encoded() as u32), resp::SLVERR);
    assert_eq!(status(&mut bus), TableStatus::Absent.encoded() as u32);
    assert_eq!(ask(&bus), [1, 1, 1, 0, 0]);
    assert_eq!(bus.write(Reg::Control.offset(), 1), resp::OKAY);
    assert_eq!(ask(&bus), [0, 0, 0, 0, 0]);
}

#[test]
fn tables_that_still_clear_themselves_refuse_commands_and_clearing_waits() {
    let mut bus = Bus::new(Lookup { rows: 1024, ..TABLES }, 7, 0);
    let row = Lookup { rows: 1024, ..TABLES }.nat_table().row_of(0, Lookup::nat_key(1, 5));
    assert_eq!(insert(&mut bus, 0, row, 1, 5, 6), resp::SLVERR);
    assert_eq!(bus.value(Reg::NatStatus.offset()), TableStatus::NotReady.encoded() as u32);
    assert_eq!(bus.value(Reg::Status.offset()), 0);
    assert_eq!(bus.write(Reg::Control.offset(), 1), resp::OKAY);
    assert_eq!(bus.value(Reg::Status.offset()), 1);
    assert_eq!(insert(&mut bus, 0, row, 1, 5, 6), resp::OKAY);
}

#[test]
fn no_event_is_lost() {
    let mut bus = Bus::new(TABLES, 8, 40);
    let counted = Rc::new(RefCell::new(HashMap::<u32, u64>::new()));
    let (model, mut random) = (counted.clone(), Random(9));
    let mut outcome = Outcome::Net0;
    let mut quiet = false;
    bus.each_clock = Box::new(move |sim| {
        let e = &sim.io.events;
        let add = |addr: u32, n: u64| *model.borrow_mut().entry(addr).or_default() += n;
        // Long runs of one outcome, neighbours, alternations and gaps.
        if random.chance(40) {
            let among = if random.chance(50) { 2 } else { Outcome::ALL.len() };
            outcome = Outcome::ALL[random.below(among)];
        }
        quiet ^= random.chance(2);
        let valid = !quiet && random.chance(90);
        sim.poke(e.outcome_valid, valid);
        sim.poke(e.outcome, outcome.code());
        if valid {
            add(outcome_counter(outcome), 1);
        }
        for (frame, bytes, frames, total) in [
            (e.host_frame, e.host_bytes, PortCounter::HostRxFrames, PortCounter::HostRxBytes),
            (e.net0_frame, e.net0_bytes, PortCounter::Net0TxFrames, PortCounter::Net0TxBytes),
            (e.punt_frame, e.punt_bytes, PortCounter::PuntTxFrames, PortCounter::PuntTxBytes),
        ] {
            let (there, n) = (!quiet && random.chance(70), random.next() & 0x3fff);
            sim.poke(frame, there);
            sim.poke(bytes, n);
            if there {
                add(port_counter(frames), 1);
                add(port_counter(total), n);
            }
        }
    });
    for round in 0..3 {
        for counter in csr::counters() {
            let before = counted.borrow().get(&counter.offset).copied().unwrap_or(0);
            let value = bus.counter(counter.offset);
            let after = counted.borrow().get(&counter.offset).copied().unwrap_or(0);
            // Events are counted a few clocks later.
            let late = if counter.name.ends_with("bytes") { 6 * 0x3fff } else { 6 };
            assert!(before.saturating_sub(late) <= value && value <= after, "round {round}: {} {value}", counter.name);
        }
    }
    bus.each_clock = Box::new(|sim| {
        let e = &sim.io.events;
        [e.outcome_valid, e.host_frame, e.net0_frame, e.punt_frame].iter().for_each(|p| sim.poke(*p, false));
    });
    for _ in 0..4 {
        bus.value(Reg::Id.offset());
    }
    for counter in csr::counters() {
        let expected = counted.borrow().get(&counter.offset).copied().unwrap_or(0);
        assert_eq!(bus.counter(counter.offset), expected, "{}", counter.name);
    }
    // HI belongs to the LO read last.
    assert_eq!(bus.read(outcome_counter(Outcome::Net0) + 4).0, resp::SLVERR);
    // Reset empties all of them.
    bus.sim.reset();
    for counter in csr::counters() {
        assert_eq!(bus.counter(counter.offset), 0, "{} after reset", counter.name);
    }
}

#[test]
fn the_upper_half_is_latched_with_the_lower_one() {
    let addr = outcome_counter(Outcome::NatSource);
    let count = |sim: &hdl::sim::Sim<support::Managed>, on: bool| {
        sim.poke(sim.io.events.outcome_valid, on);
        sim.poke(sim.io.events.outcome, Outcome::NatSource.code());
    };
    for before_carry in 1..40 {
        let mut bus = Bus::new(TABLES, before_carry, 0);
        count(&bus.sim, true);
        bus.sim.step();
        count(&bus.sim, false);
        bus.sim.steps(8);
        let start = (7 << 32) - before_carry;
        for memory in ["csr.count.counts", "csr.count.copies"] {
            bus.sim.set_memory_word(memory, Outcome::NatSource.code(), &hdl::Value::new(64, start.into()));
        }
        let cycle = bus.sim.cycle();
        bus.each_clock = Box::new(move |sim| count(sim, true));
        let low = u64::from(bus.value(addr));
        let elapsed = bus.sim.cycle() - cycle;
        let high = u64::from(bus.value(addr + 4));
        let value = high << 32 | low;
        assert!((start..=start + elapsed).contains(&value), "{value:#x} is not within {elapsed} of {start:#x}");
    }
}

#[test]
fn the_map_has_no_overlaps_and_its_page_names_everything() {
    let map = csr::register_map(&TABLES);
    let mut taken: Vec<(u32, &str)> = map.registers.iter().map(|r| (r.offset, r.name)).collect();
    taken.extend(map.counters.iter().flat_map(|c| [(c.offset, c.name.as_str()), (c.offset + 4, c.name.as_str())]));
    taken.sort_unstable();
    assert!(taken.windows(2).all(|w| w[0].0 < w[1].0), "{taken:?}");
    assert!(taken.iter().all(|(offset, _)| offset % 4 == 0 && *offset < 1 << csr::ADDR_W));
    let page = map.markdown();
    assert!(taken.iter().all(|(_, name)| page.contains(name)));
    for r in &map.registers {
        let mut end = 0;
        for f in r.fields {
            assert!(f.lsb >= end && f.lsb + f.width <= 32, "{} {}", r.name, f.name);
            end = f.lsb + f.width;
        }
    }
}
