//! How full the lookup block's exact tables can be.

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

/// Keys of a NAT table or of the MAC table that come from such addresses, and their bits.
fn key_sets(addresses: &[u32]) -> Vec<(&'static str, u32, Vec<u64>)> {
    let keys = |of: &dyn Fn(u64, u64) -> u64| -> Vec<u64> {
        addresses.iter().enumerate().map(|(i, address)| of(i as u64, u64::from(*address))).collect()
    };
    let by_function = |function: u64, address: u64| nat_tx_key(function as u16, address as u32);
    vec![
        ("outside addresses", 32, keys(&|_, address| address)),
        ("one function", 48, keys(&|_, address| by_function(7, address))),
        ("eight a function", 48, keys(&|i, address| by_function(i >> 3 & 255, address))),
        ("MAC addresses", 48, keys(&|_, address| 0x0200_0000_0000 | address)),
        ("MAC addresses, high", 48, keys(&|_, address| (0x0200_0000_0000 | address << 8) & 0x02ff_ffff_ffff)),
    ]
}

/// 95 % of the slots find a place, whatever the keys look like, in tables of every size that a profile may have.
#[test]
fn nearly_all_slots_of_an_exact_table_can_be_used() {
    let (mut failures, mut sets) = (vec![], 0);
    for (ways, rows, seeds) in [(4, 512, 6), (4, 1024, 1), (5, 128, 12), (7, 128, 6), (8, 8, 200), (8, 32, 20)] {
        assert!(rows >= Geometry::least_rows(ways).unwrap());
        let geometry = |key_w| Geometry { exact: true, ways, rows, key_w, value_w: 16 };
        let rated = geometry(48).rated();
        assert!(rated * 100 >= ways * rows * 95, "{rated} of {ways} x {rows}");
        for seed in 0..seeds {
            let base = Random(seed).next() as u32;
            for (pattern, addresses) in address_patterns(rated, base) {
                for (kind, key_w, keys) in key_sets(&addresses) {
                    sets += 1;
                    if place(&geometry(key_w), &keys).is_none() {
                        failures.push(format!("{ways} x {rows}: {kind}, {pattern}, seed {seed}"));
                    }
                }
            }
        }
    }
    assert!(sets > 9000 && failures.is_empty(), "{sets} sets; no place for:\n{}", failures.join("\n"));
}

/// The hardware holds a table filled to 95 %, and finds every key and no other.
#[test]
fn a_nat_table_filled_to_its_rating_hits() {
    let tables = Tables { nat_ways: 5, nat_rows: 128, ..small(Management::Shared) };
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
    // Four lookups in five clocks leave one for a piece.
    assert!(inserted / u64::from(2 * n) < 400, "an insert takes {} clocks", inserted / u64::from(2 * n));
}
