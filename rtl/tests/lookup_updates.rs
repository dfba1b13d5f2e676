//! Edits of the lookup block's tables under traffic: batches, displacement, keys of one hash.

mod lookup_bench;

use em_rtl::lookup::{Management, Operation, Table, TableStatus, Tables, function_value, nat_tx_key, nat_tx_value};
use lookup_bench::{Bench, Command, Random, Traffic, small, traffic};
use std::collections::HashMap;

/// All mappings move on from one version to the next in one commit, over and over, without a pause for traffic: of two
/// answers the later one never shows the earlier version, and each one shows one version in all of its fields.
#[test]
fn a_batch_is_seen_all_at_once() {
    let management = Management::OwnPort;
    let tables = Tables { nat_rows: 32, ..small(management) };
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
            places[i] = free.expect("one of four slots is free in a table filled to a sixth");
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
