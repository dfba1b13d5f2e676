//! The lookup block in the native simulator, against a table of slots in plain Rust, with traffic in every clock.

mod lookup_bench;

use em_rtl::lookup::{
    Geometry, Management, Operation, Table, TableStatus, Tables, function_value, nat_rx_value, nat_tx_key, nat_tx_value,
};
use hdl::Encode;
use lookup_bench::{Bench, Command, Random, Traffic, small};
use std::collections::HashMap;

/// Keys, few enough that commands and lookups often meet.
fn traffic(seed: u64, management: Management) -> Traffic {
    let mut random = Random(seed);
    Traffic {
        tx: (0..40).map(|_| (random.below(20) as u16, 0xc000_0200 | random.below(64) as u32)).collect(),
        rx: (0..40).map(|_| random.next() as u32).collect(),
        mac: (0..30).map(|_| random.next() & 0xffff_ffff_ffff).collect(),
        random,
        ipv4: if management == Management::Shared { 80 } else { 100 },
        focus: 60,
    }
}

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
        let tables = small(management);
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

/// All mappings move on from one version to the next in one commit, over and over, without a pause for traffic: of two
/// answers the later one never shows the earlier version, and each one shows one version in all of its fields.
#[test]
fn a_batch_is_seen_all_at_once() {
    let management = Management::OwnPort;
    let tables = small(management);
    let mappings: Vec<(u16, u32)> = (0..10).map(|i| (i, 0xc000_0200 + u32::from(i))).collect();
    let mut all = traffic(30, management);
    (all.tx, all.focus) = (mappings.clone(), 0);
    let mut bench = Bench::new(tables, 30, all);
    bench.tx_log = Some(vec![]);
    let version_of = |version: u32, i: u16| 0xcb00_0000 | version << 8 | u32::from(i);
    let mac_of = |version: u32, i: u64| 0x0200_0000_0000 | u64::from(version) << 8 | i;
    let mut places = vec![0; mappings.len()];
    let mut random = Random(31);
    for version in 1..20 {
        for (i, (function, inside)) in mappings.iter().enumerate() {
            let key = nat_tx_key(*function, *inside);
            let hop = i as u8 % 4;
            let value = nat_tx_value(version_of(version, *function), Some(hop), version % 2 == 1);
            if version > 1 {
                bench.ok(Command::insert(&tables, Table::NatTx, places[i], key, 0).delete());
            }
            let first = random.below(4) as u32;
            let put = |bench: &mut Bench, way| bench.command(Command::insert(&tables, Table::NatTx, way, key, value));
            let free = (0..4).map(|n| (first + n) % 4).find(|way| put(&mut bench, *way) == TableStatus::Ok);
            places[i] = free.expect("one of four slots is free in a table filled to a third");
            let entry = function_value(0, version as u8 & 3, mac_of(version, i as u64));
            bench.ok(Command::insert_direct(Table::Function, (*function).into(), entry));
        }
        (0..4).for_each(|hop| bench.ok(Command::insert_direct(Table::NextHop, hop, mac_of(version, hop.into()))));
        bench.ok(Command::all(Operation::Commit));
        bench.ok(Command::all(Operation::Sync));
    }
    let mut newest = 0;
    let mut seen = [0; 20];
    for (answer, _) in bench.tx_log.take().unwrap() {
        let version = answer.outside >> 8 & 0xff;
        assert!(version >= newest, "version {version} after {newest}");
        newest = version;
        seen[version as usize] += 1;
        if version > 0 {
            let macs = [answer.hop_mac, answer.function_mac].map(|mac| mac >> 8 & 0xff);
            assert_eq!(macs, [u64::from(version); 2]);
            assert_eq!((answer.route, answer.unmatched), (version % 2 == 1, u64::from(version & 3)));
        }
    }
    assert!(seen.iter().all(|n| *n > 100), "{seen:?}");
}

/// Two keys that hash to the same row in every way.
fn colliding_keys(tables: &Tables) -> (u64, u64) {
    let g = tables.geometry(Table::NatTx);
    let mut seen = HashMap::new();
    for address in 0x0a00_0000.. {
        let key = nat_tx_key(3, address);
        let rows: Vec<u32> = (0..g.ways).map(|way| g.row_of(way, key.into())).collect();
        if let Some(other) = seen.insert(rows, key) {
            return (other, key);
        }
    }
    unreachable!("65,536 hashes cannot all differ for ever")
}

fn asks(keys: &[u64], ipv4: usize) -> Traffic {
    let tx = keys.iter().map(|key| ((key >> 32) as u16, *key as u32)).collect();
    Traffic { tx, ipv4, focus: 0, ..traffic(40, Management::Shared) }
}

/// Case TAB-01: keys with one full hash are told apart, before and after the second is inserted.
#[test]
fn tab_01_keys_with_the_same_hash_are_told_apart() {
    for management in [Management::Shared, Management::OwnPort] {
        let tables = small(management);
        let (one, two) = colliding_keys(&tables);
        let mut bench = Bench::new(tables, 41, asks(&[one, two], 70));
        let insert =
            |way, key, outside| Command::insert(&tables, Table::NatTx, way, key, nat_tx_value(outside, None, false));
        let settle = |bench: &mut Bench, expected: [Option<u32>; 2]| {
            bench.ok(Command::all(Operation::Commit));
            bench.ok(Command::all(Operation::Sync));
            let found = [one, two].map(|key| bench.model.find(bench.model.bank, Table::NatTx, key).0.map(|v| v as u32));
            assert_eq!(found, expected);
            (0..40).for_each(|_| bench.clock(None, None));
        };
        bench.ok(insert(0, one, 1));
        settle(&mut bench, [Some(1), None]);
        assert_eq!(bench.command(insert(0, two, 2)), TableStatus::Occupied);
        settle(&mut bench, [Some(1), None]);
        bench.ok(insert(1, two, 2));
        settle(&mut bench, [Some(1), Some(2)]);
    }
}

/// Case TAB-02: while a key is displaced and another changes its value, goes and comes back, with every pause between
/// the commands, each lookup has the one answer that its bank gives: the displaced key is never missed.
#[test]
fn tab_02_no_false_miss_and_no_torn_entry_during_updates() {
    let tables = small(Management::OwnPort);
    let (kept, new) = colliding_keys(&tables);
    let changed = nat_tx_key(9, 0xc000_0209);
    let (fives, tens, twelves) = (0x5555_5555, 0xaaaa_aaaa, 0xcccc_cccc);
    let at = |way, key, outside| Command::insert(&tables, Table::NatTx, way, key, nat_tx_value(outside, None, false));
    // Each batch is published before the next one begins.
    let batches = [
        // The new key displaces the kept one, which moves to another way.
        vec![at(1, kept, fives)],
        vec![at(0, kept, fives).delete()],
        vec![at(0, new, twelves)],
        // A value changes: the old entry goes and the new one comes, in another slot.
        vec![at(0, changed, tens).delete(), at(2, changed, twelves)],
        vec![at(2, changed, twelves).delete()],
        vec![at(3, changed, !fives)],
    ];
    for pause in 0..9 {
        let mut bench = Bench::new(tables, pause, asks(&[kept, changed], 100));
        let run = |bench: &mut Bench, batch: &[Command]| {
            let publish = [Command::all(Operation::Commit), Command::all(Operation::Sync)];
            for c in batch.iter().chain(&publish) {
                bench.ok(*c);
                (0..pause).for_each(|_| bench.clock(None, None));
            }
        };
        run(&mut bench, &[at(0, kept, fives), at(0, changed, tens)]);
        for batch in &batches {
            run(&mut bench, batch);
            let value = nat_tx_value(fives, None, false);
            assert_eq!(bench.model.find(bench.model.bank, Table::NatTx, kept).0, Some(value));
        }
        bench.drain();
        assert_eq!(bench.ambiguous, 0);
        assert_eq!(bench.counted, bench.expected);
    }
}

/// A place for each key, if there are places for all: augmenting paths of bipartite matching.
fn place(g: &Geometry, keys: &[u64]) -> Option<Vec<(u32, u32)>> {
    fn find(key: usize, slots: &[Vec<usize>], owner: &mut [Option<usize>], seen: &mut [usize], pass: usize) -> bool {
        for &slot in &slots[key] {
            if seen[slot] == pass {
                continue;
            }
            seen[slot] = pass;
            if owner[slot].is_none_or(|other| find(other, slots, owner, seen, pass)) {
                owner[slot] = Some(key);
                return true;
            }
        }
        false
    }
    let slot = |way: u32, key: u64| (way * g.rows + g.row_of(way, key.into())) as usize;
    let slots: Vec<Vec<usize>> = keys.iter().map(|key| (0..g.ways).map(|way| slot(way, *key)).collect()).collect();
    let mut owner = vec![None; g.slots() as usize];
    let mut seen = vec![0; owner.len()];
    if !(0..keys.len()).all(|key| find(key, &slots, &mut owner, &mut seen, key + 1)) {
        return None;
    }
    let mut places = vec![(0, 0); keys.len()];
    for (slot, key) in owner.iter().enumerate().filter_map(|(slot, key)| key.map(|key| (slot as u32, key))) {
        places[key] = (slot / g.rows, slot % g.rows);
    }
    Some(places)
}

/// Sets of `n` addresses as networks have them.
fn address_patterns(n: u32, base: u32) -> Vec<(&'static str, Vec<u32>)> {
    let mut random = Random(u64::from(base));
    let set = |of: &dyn Fn(u32) -> u32| (0..n).map(|i| base.wrapping_add(of(i))).collect();
    let mut scattered: Vec<u32> = (0..n).map(|_| random.next() as u32).collect();
    scattered.sort_unstable();
    scattered.dedup();
    vec![
        ("random", scattered),
        ("sequential", set(&|i| i)),
        ("every 4th", set(&|i| i << 2)),
        ("every 256th", set(&|i| i << 8)),
        ("two hosts a /24", set(&|i| (i >> 1) << 8 | i & 1)),
        ("eight hosts a /24", set(&|i| (i >> 3) << 8 | i & 7)),
        ("sixteen hosts a /20", set(&|i| (i >> 4) << 12 | i & 15)),
        ("32 hosts a /16", set(&|i| (i >> 5) << 16 | i & 31)),
    ]
}

/// 95 % of the slots find a place, whatever the addresses look like, in both NAT tables.
#[test]
fn nearly_all_slots_of_a_nat_table_can_be_used() {
    let mut failures = vec![];
    for rows in [64, 512, 1024] {
        let tables = Tables { functions: 256, nat_rows: rows, ..small(Management::Shared) };
        let [tx, rx] = [Table::NatTx, Table::NatRx].map(|t| tables.geometry(t));
        for seed in 0..6 {
            let base = Random(seed).next() as u32;
            for (pattern, addresses) in address_patterns(tables.rated_mappings(), base) {
                let outside: Vec<u64> = addresses.iter().map(|a| u64::from(*a)).collect();
                let by_function = |function: &dyn Fn(u64) -> u64| -> Vec<u64> {
                    outside.iter().enumerate().map(|(i, a)| nat_tx_key(function(i as u64) as u16, *a as u32)).collect()
                };
                let sets = [
                    ("rx", &rx, outside.clone()),
                    ("tx, one function", &tx, by_function(&|_| 7)),
                    ("tx, eight a function", &tx, by_function(&|i| i >> 3 & 255)),
                ];
                for (table, g, keys) in sets {
                    if place(g, &keys).is_none() {
                        failures.push(format!("{table} of {rows} rows, {pattern}, seed {seed}"));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "no place for:\n{}", failures.join("\n"));
}

/// The hardware holds a table filled to 95 %, and finds every key and no other.
#[test]
fn a_nat_table_filled_to_its_rating_hits() {
    let tables = Tables { nat_rows: 32, ..small(Management::Shared) };
    let n = tables.rated_mappings();
    let inside: Vec<(u16, u32)> = (0..n).map(|i| ((i >> 3) as u16 & 15, 0x0a00_0000 | (i >> 3) << 8 | i & 7)).collect();
    let outside: Vec<u32> = (0..n).map(|i| 0xcb00_7100 + i).collect();
    let tx_keys: Vec<u64> = inside.iter().map(|(function, address)| nat_tx_key(*function, *address)).collect();
    let rx_keys: Vec<u64> = outside.iter().map(|address| (*address).into()).collect();
    let places = |table, keys: &[u64]| place(&tables.geometry(table), keys).expect("95 % have a place");
    let (tx_places, rx_places) = (places(Table::NatTx, &tx_keys), places(Table::NatRx, &rx_keys));
    let mut all = traffic(50, Management::Shared);
    (all.tx, all.rx) = (inside.clone(), outside.clone());
    (all.tx).push((3, 0x0b00_0000));
    (all.rx).push(0xcb00_0000);
    let mut bench = Bench::new(tables, 50, all);
    for i in 0..n as usize {
        let value = nat_tx_value(outside[i], None, false);
        bench.ok(Command::insert(&tables, Table::NatTx, tx_places[i].0, tx_keys[i], value));
        let value = nat_rx_value(inside[i].1, inside[i].0, false, false);
        bench.ok(Command::insert(&tables, Table::NatRx, rx_places[i].0, rx_keys[i], value));
    }
    let inserted = bench.requests;
    bench.ok(Command::all(Operation::Commit));
    (0..6000).for_each(|_| bench.clock(None, None));
    bench.drain();
    assert_eq!(bench.counted, bench.expected);
    assert!(bench.counted[0][0] > 4000 && bench.counted[0][1] > 4000 && bench.counted[1][1] > 0);
    assert!(inserted / u64::from(2 * n) < 100, "an insert takes {} clocks", inserted / u64::from(2 * n));
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
    let slots: u32 = Table::ALL.map(|t| tables.geometry(t).slots()).into_iter().sum();
    assert!(insert < 80 && delete < 80 && read < 20, "insert {insert}, read {read}, delete {delete} clocks");
    assert!(commit < 20 && clear < 100, "commit {commit}, clear {clear} clocks");
    assert!(sync < 20 * u64::from(slots), "sync {sync} clocks for {slots} slots");
}

#[test]
fn what_cannot_be_built_is_refused_with_the_value() {
    let good = small(Management::Shared);
    let message = |tables: Tables| hdl::elaborate(&tables).err().expect("it is refused").to_string();
    assert!(message(Tables { functions: 3, ..good }).contains("3 functions: use a power of two from 2 to 65536"));
    assert!(message(Tables { next_hops: 512, ..good }).contains("512 next hops: use a power of two from 2 to 256"));
    assert!(message(Tables { nat_ways: 9, ..good }).contains("nat_tx with 9 ways: use 2 to 8"));
    assert!(message(Tables { nat_rows: 48, ..good }).contains("nat_tx with 48 rows a way: use a power of two"));
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
