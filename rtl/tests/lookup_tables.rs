//! The lookup block in the native simulator, against a table of slots in plain Rust, with traffic in every clock.

mod lookup_bench;

use em_rtl::lookup::{
    Management, Operation, Table, TableStatus, Tables, function_value, nat_rx_value, nat_tx_key, nat_tx_value,
};
use hdl::Encode;
use lookup_bench::{Bench, Command, Random, Traffic, small, traffic};
use std::collections::HashMap;

/// A command as software may give it, and now and then one that it should not.
fn any_command(tables: &Tables, random: &mut Random, traffic: &Traffic) -> Command {
    let edits = [Operation::Insert, Operation::Insert, Operation::Delete, Operation::Read];
    let operation = match random.below(40) {
        0 => Operation::Commit,
        1 if random.chance(40) => Operation::Sync,
        2 if random.chance(3) => Operation::Clear,
        3 if random.chance(30) => Operation::None,
        _ => random.pick(&edits),
    };
    let table = random.pick(&[0, 0, 0, 1, 1, 1, 2, 2, 3, 4]);
    let table = Table::ALL[table];
    let g = tables.geometry(table);
    let (function, address) = random.pick(&traffic.tx);
    let function_of = |random: &mut Random| random.below(16) as u16;
    let (key, value) = match table {
        Table::NatTx => {
            let hop = [None, Some(random.below(4) as u8)][random.below(2)];
            (nat_tx_key(function & 15, address), nat_tx_value(random.pick(&traffic.rx), hop, random.chance(50)))
        }
        Table::NatRx => {
            let (next_hop, route) = (random.chance(50), random.chance(50));
            (random.pick(&traffic.rx).into(), nat_rx_value(address, function_of(random), next_hop, route))
        }
        Table::Mac => (random.pick(&traffic.mac), function_of(random).into()),
        Table::Function => (0, function_value(random.below(4) as u8, random.below(4) as u8, random.pick(&traffic.mac))),
        Table::NextHop => (0, random.pick(&traffic.mac)),
    };
    // Few values of a key, so that the same one often comes again.
    let value = if g.exact && random.chance(70) { value & !0xffff_ffff | key & 0xffff & 0xf } else { value };
    let value = if table == Table::Mac { value & 0xf } else { value };
    let way = random.below(g.ways as usize) as u32;
    let row = if g.exact && operation != Operation::Read {
        g.row_of(way, key.into())
    } else {
        random.below(g.rows as usize) as u32
    };
    let mut c = Command { operation, table: table as u8, way, row, key, value, flip: None };
    match random.below(60) {
        0 => c.row = random.below(60) as u32,
        1 => c.way = random.below(256) as u32,
        2 => c.table = random.below(8) as u8,
        3 => c.key |= 1 << random.below(48),
        4 => c.value |= 1 << random.below(64),
        _ => {}
    }
    c
}

#[test]
fn random_commands_under_traffic_match_the_model() {
    for (seed, management) in [(1, Management::Shared), (2, Management::OwnPort), (3, Management::Shared)] {
        let tables = match seed {
            // The direct tables in block RAM, the MAC addresses in many ways of few rows.
            3 => Tables { functions: 64, next_hops: 64, mac_ways: 8, mac_rows: 8, ..small(management) },
            _ => small(management),
        };
        let mut random = Random(seed);
        let mut bench = Bench::new(tables, seed, traffic(seed, management));
        let mut statuses = HashMap::new();
        for _ in 0..2500 {
            let c = any_command(&tables, &mut random, &bench.traffic);
            let status = bench.command(c);
            *statuses.entry(format!("{status:?}")).or_insert(0) += 1;
        }
        bench.compare_all();
        bench.drain();
        assert_eq!(bench.ambiguous, 0, "without damage every lookup has one answer, whatever is being written");
        for s in ["Ok", "Occupied", "Misplaced", "OutOfRange", "Duplicate", "Absent", "BadCommand"] {
            assert!(statuses.get(s).is_some_and(|n| *n > 5), "{s} did not occur: {statuses:?}");
        }
        assert_eq!(bench.counted, bench.expected, "events");
        assert!(bench.counted[..2].iter().flatten().all(|n| *n > 1000), "{:?}", bench.counted);
    }
}

/// Damage by the test register: a word of wrong parity is a miss that is reported, counted and can be repaired.
#[test]
fn damaged_words_are_misses_and_counted() {
    for (seed, management) in [(11, Management::Shared), (12, Management::OwnPort)] {
        let tables = small(management);
        let mut random = Random(seed);
        let mut bench = Bench::new(tables, seed, traffic(seed, management));
        let mut parity = 0;
        for _ in 0..1500 {
            let mut c = any_command(&tables, &mut random, &bench.traffic);
            c.flip = random.chance(20).then(|| random.below(140) as u8);
            parity += u32::from(bench.command(c) == TableStatus::Parity);
        }
        bench.compare_all();
        bench.drain();
        assert!(parity > 10, "{parity} reads of damaged slots");
        assert!(bench.counted[2].iter().all(|n| *n > 50), "{:?}", bench.counted);
        let (ambiguous, requests) = (bench.ambiguous, bench.requests);
        assert!(ambiguous > 0 && ambiguous < requests / 10, "{ambiguous} of {requests} had two possible answers");
    }
}

/// Every bit that a word stores, flipped: the key is a miss with its parity reported, once for each lookup; inserting it
/// again after a commit repairs it.
#[test]
fn any_flipped_bit_is_a_miss() {
    let tables = small(Management::Shared);
    let mut quiet = traffic(20, Management::Shared);
    let (function, inside, outside) = (5, 0xc000_020a, 0xcb00_7105);
    (quiet.tx, quiet.rx, quiet.ipv4) = (vec![(function, inside)], vec![outside], 50);
    let mut bench = Bench::new(tables, 20, quiet);
    let tx =
        Command::insert(&tables, Table::NatTx, 1, nat_tx_key(function, inside), nat_tx_value(outside, Some(2), true));
    let rx = Command::insert(&tables, Table::NatRx, 2, outside.into(), nat_rx_value(inside, function, true, true));
    bench.ok(Command::insert_direct(Table::NextHop, 2, 0x0200_0000_0007));
    bench.ok(Command::insert_direct(Table::Function, function.into(), function_value(0, 1, 0x0200_0000_0005)));
    let layouts = [tables.layout(Table::NatTx), tables.layout(Table::NatRx)];
    for (c, layout) in [tx, rx].into_iter().zip(layouts) {
        let mut damaged = 0;
        for bit in 0..=131 {
            bench.ok(c.flipped(bit));
            bench.ok(Command::all(Operation::Commit));
            let before = bench.counted[2][usize::from(c.table)];
            let slot = bench.model.slots[&(Table::ALL[usize::from(c.table)], c.way, c.row)];
            (0..20).for_each(|_| bench.clock(None, None));
            bench.drain();
            damaged += u32::from(slot.damaged[0]);
            assert_eq!(bench.counted[2][usize::from(c.table)] > before, slot.damaged[0], "bit {bit}");
            // The damaged word counts as free, so the same slot takes the entry again.
            bench.ok(c);
            bench.ok(Command::all(Operation::Commit));
            bench.ok(c);
            bench.ok(Command::all(Operation::Sync));
        }
        assert_eq!(damaged, layout.width());
    }
}

#[test]
fn commands_before_the_tables_are_ready_are_refused() {
    let mut bench = Bench::new(small(Management::Shared), 60, traffic(60, Management::Shared));
    bench.sim.reset();
    let io = &bench.sim.io.manage;
    bench.sim.poke(io.operation, Operation::Insert.encoded());
    bench.sim.poke(io.start, true);
    bench.sim.step();
    bench.sim.poke(io.start, false);
    assert!(bench.sim.peek_bool(io.done) && !bench.sim.peek_bool(io.ready));
    assert_eq!(bench.sim.peek_u64(io.status), TableStatus::NotReady.encoded());
    bench.sim.step();
    assert!(!bench.sim.peek_bool(io.done));
    bench.reset();
    bench.compare_all();
}

#[test]
fn a_clear_empties_both_banks_of_every_table() {
    let tables = small(Management::OwnPort);
    let mut bench = Bench::new(tables, 61, traffic(61, Management::OwnPort));
    let mut random = Random(62);
    for last in [Operation::Clear, Operation::Commit, Operation::Clear] {
        for _ in 0..200 {
            let c = any_command(&tables, &mut random, &bench.traffic);
            bench.command(c);
        }
        bench.ok(Command::all(last));
        assert!(last == Operation::Commit || bench.model.slots.is_empty());
        bench.compare_all();
    }
}

#[test]
fn commands_take_as_long_as_they_say() {
    let tables = small(Management::OwnPort);
    let mut bench = Bench::new(tables, 63, traffic(63, Management::OwnPort));
    let c = Command::insert(&tables, Table::NatTx, 0, nat_tx_key(1, 1), 1);
    let mut took = |c: Command| {
        bench.ok(c);
        bench.clocks
    };
    let [insert, read, delete] = [c, c.read(), c.delete()].map(&mut took);
    let [commit, sync, clear] = [Operation::Commit, Operation::Sync, Operation::Clear].map(|o| took(Command::all(o)));
    let mut edits = vec![insert, delete];
    for t in [Table::NatRx, Table::Mac] {
        edits.push(took(Command::insert(&tables, t, 0, 1, 1)));
    }
    let ways = u64::from(tables.nat_ways.max(tables.mac_ways));
    assert!(edits.iter().all(|clocks| *clocks < 40 * ways) && read < 30, "edits {edits:?}, read {read} clocks");
    assert!(commit < 20 && clear < 100, "commit {commit}, clear {clear} clocks");
    // Two tables were edited: of one a row is as it was, of the other two slots differ; the rest is left out.
    let rows = u64::from(tables.nat_rows);
    assert!(sync < 100 + rows + 20 * ways, "sync {sync} clocks for {rows} rows");
}

/// A sync goes through the tables that were edited, and is quick where their banks are the same.
#[test]
fn a_sync_takes_as_long_as_there_is_to_copy() {
    for management in [Management::OwnPort, Management::Shared] {
        let tables = Tables { nat_rows: 512, ..small(management) };
        let mut bench = Bench::new(tables, 64, Traffic { ipv4: 20, ..traffic(64, management) });
        let mut sync = |edits: &[Command]| {
            edits.iter().for_each(|c| bench.ok(*c));
            bench.ok(Command::all(Operation::Commit));
            bench.ok(Command::all(Operation::Sync));
            bench.clocks
        };
        let nat = |i: u64| Command::insert(&tables, Table::NatTx, 1, nat_tx_key(3, 0x0a00_0000 + i as u32), i);
        assert!(sync(&[]) < 20);
        let one = sync(&[nat(0)]);
        assert!((512..1000).contains(&one), "{one} clocks for one entry");
        let ten: Vec<Command> = (1..11).map(nat).collect();
        let ten = sync(&ten);
        // Each differs in one way of its row: the others are left out.
        assert!(ten < one + 10 * 40, "{ten} clocks for ten entries");
        let function = sync(&[Command::insert_direct(Table::Function, 1, function_value(0, 0, 5))]);
        assert!(function < 20 * u64::from(tables.functions), "{function} clocks for the functions");
        bench.compare_all();
        bench.ok(Command::all(Operation::Commit));
        bench.compare_all();
    }
}

#[test]
fn what_cannot_be_built_is_refused_with_the_value() {
    let good = small(Management::Shared);
    let message = |tables: Tables| hdl::elaborate(&tables).expect_err("it is refused").to_string();
    assert!(message(Tables { functions: 3, ..good }).contains("3 functions: use a power of two from 2 to 65536"));
    assert!(message(Tables { next_hops: 512, ..good }).contains("512 next hops: use a power of two from 2 to 256"));
    assert!(message(Tables { nat_ways: 9, ..good }).contains("nat_tx with 9 ways: use 2 to 8"));
    assert!(message(Tables { nat_rows: 48, ..good }).contains("nat_tx with 48 rows a way: use a power of two from 8"));
    assert!(message(Tables { mac_ways: 1, ..good }).contains("mac with 1 ways: use 2 to 8"));
}

#[test]
fn every_size_is_built() {
    let good = small(Management::Shared);
    for tables in [
        Tables { functions: 65_536, next_hops: 256, nat_rows: 1024, management: Management::OwnPort, ..good },
        Tables { functions: 2, next_hops: 2, nat_ways: 2, mac_ways: 8, ..good },
        Tables { nat_ways: 8, mac_ways: 2, mac_rows: 128, ..good },
    ] {
        if let Err(faults) = hdl::elaborate(&tables) {
            panic!("{tables:?}: {faults}");
        }
        let widths = [Table::NatTx, Table::NatRx].map(|t| tables.layout(t).width());
        assert!(tables.functions > 32_768 || widths.into_iter().all(|w| w <= 108), "{widths:?} bits a word");
    }
}
