//! The lookup block in the native simulator, against a table of slots in plain Rust, with traffic in every clock.

mod lookup_bench;

use em_rtl::lookup::{Management, Operation, Table, Tables, function_value, nat_rx_value, nat_tx_key, nat_tx_value};
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
