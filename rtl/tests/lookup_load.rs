//! How full the lookup block's NAT tables can be.

mod lookup_bench;

use em_rtl::lookup::{Geometry, Management, Operation, Table, Tables, nat_rx_value, nat_tx_key, nat_tx_value};
use lookup_bench::{Bench, Command, Random, small, traffic};

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
    for rows in [128, 512, 1024] {
        let tables = Tables { functions: 256, nat_rows: rows, ..small(Management::Shared) };
        let [tx, rx] = [Table::NatTx, Table::NatRx].map(|t| tables.geometry(t));
        for seed in 0..4 {
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
    let tables = Tables { nat_rows: 128, ..small(Management::Shared) };
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
    assert!(bench.counted[0][..2].iter().all(|n| *n > 4000) && bench.counted[1][1] > 0, "{:?}", bench.counted);
    assert!(inserted / u64::from(2 * n) < 100, "an insert takes {} clocks", inserted / u64::from(2 * n));
}
