//! Case TAB-01 and what else the Orchestration Module relies on when it edits the tables of the whole EM by register
//! writes: whole keys are compared, tables fill to their rating, a refused command changes nothing, a damaged entry is a
//! miss and an event. Changes under traffic are in `em_updates.rs`.

use em_rtl::{
    csr::Reg,
    lookup::{Operation, Table, TableStatus, Tables, nat_rx_value, nat_tx_key, nat_tx_value},
    outcome::Outcome,
};
use em_rules::Rules;
use em_sim::{
    bfm::{Resp, Stall},
    em::{EmSim, Entry, Input},
    program::{Slot, install},
};
use em_testbench::em::{
    Hardware, InFrame, TableEntry,
    craft::{self, ETHERNET, Ends, UDP_HEADERS},
    for_all_tables, provoke, table_status,
};
use hdl::Encode;
use std::{fmt::Write, net::Ipv4Addr, sync::LazyLock};

static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| Hardware::strict("ecp5"));
const INSIDE: [u8; 4] = [192, 0, 2, 10];
type Mapping = (u16, [u8; 4], [u8; 4]);

fn tables() -> Tables {
    HARDWARE.config().tables()
}

/// Functions 1 and 2 in mode nat with these mappings.
fn rules(mappings: &[Mapping]) -> String {
    let mut text = String::new();
    for id in [1, 2] {
        write!(text, "[[function]]\nid = {id}\nmode = \"nat\"\n").unwrap();
    }
    for (function, inside, outside) in mappings {
        let [inside, outside] = [inside, outside].map(|a| Ipv4Addr::from(*a));
        write!(text, "[[nat]]\nfunction = {function}\ninside = \"{inside}\"\noutside = \"{outside}\"\n").unwrap();
    }
    text
}

fn from_host(function: u16, source: [u8; 4], mark: u8) -> InFrame {
    InFrame::host(function, craft::udp_of_length(source, 64, mark))
}

fn from_net(destination: [u8; 4], mark: u8) -> InFrame {
    let entry = if mark.is_multiple_of(2) { Entry::Net0 } else { Entry::Net1 };
    InFrame::new(entry, Ends::to(destination).udp_of_length(64, mark))
}

/// Two keys that hash to the same row in every way of the table, found by sorting the rows of many keys.
fn colliding_keys(table: Table, key: impl Fn(u64) -> u64) -> [u64; 2] {
    let geometry = tables().geometry(table);
    let rows = |n: u64| {
        let row = |way: u32| u64::from(geometry.row_of(way, key(n).into()));
        (0..geometry.ways).fold(0u64, |rows, way| rows << geometry.row_w() | row(way))
    };
    let mut all: Vec<(u64, u64)> = (0..1 << 20).map(|n| (rows(n), n)).collect();
    all.sort_unstable();
    let pair = all.windows(2).find(|w| w[0].0 == w[1].0).expect("a million keys and 2^36 places");
    [key(pair[0].1), key(pair[1].1)]
}

#[test]
fn tab_01_keys_with_all_hashes_equal_are_told_apart() {
    let tx = colliding_keys(Table::NatTx, |n| nat_tx_key(1 + (n & 1) as u16, 0x0a00_0000 + (n >> 1) as u32));
    let rx = colliding_keys(Table::NatRx, |n| 0x6440_0000 + n);
    println!("keys with equal rows in all ways: {tx:x?} {rx:x?}");
    let mapping = |i: usize| ((tx[i] >> 32) as u16, (tx[i] as u32).to_be_bytes(), (rx[i] as u32).to_be_bytes());
    let [one, two] = [mapping(0), mapping(1)];
    let traffic: Vec<InFrame> =
        [one, two, one].iter().flat_map(|m| [from_host(m.0, m.1, m.1[3]), from_net(m.2, m.1[3])]).collect();

    // Phase 1: key 1 alone. Action 1, miss, action 1, both ways.
    let mut board = HARDWARE.scoreboard(&rules(&[one]), 101);
    let replay = board.run(&traffic).unwrap_or_else(|e| panic!("phase 1: {e}"));
    assert_eq!((replay.outputs.net0.len(), replay.outputs.host.len()), (2, 2));
    assert_eq!((replay.counters.of(Outcome::NatSource), replay.counters.of(Outcome::PuntNotForUs)), (1, 1));

    // Key 2 beside it, in every way that is free; where key 1 stands it is refused and key 1 survives.
    let (_, live) = install(&Rules::parse(&rules(&[one]), "rules").unwrap(), "ecp5", &HARDWARE.config().map()).unwrap();
    let em = &mut board.em;
    for (table, key, value) in [
        (Table::NatTx, tx, nat_tx_value(rx[1] as u32, None, false)),
        (Table::NatRx, rx, nat_rx_value(tx[1] as u32, two.0, false, false)),
    ] {
        let taken = live.place(table, key[0]).unwrap().way;
        for way in 0..tables().nat_ways {
            let answer = TableEntry::in_way(&tables(), table, way, key[1], value).command(em, Operation::Insert);
            let ok = way != taken;
            let due = if ok { (Resp::Okay, TableStatus::Ok) } else { (Resp::SlvErr, TableStatus::Occupied) };
            assert_eq!(answer, due, "key 2 into way {way} of {table:?}");
        }
    }
    assert_eq!(for_all_tables(em, Operation::Commit), Resp::Okay);

    // Phase 2: action 1, action 2, action 1; on the same hardware and on one that had both from the start.
    let mut both = HARDWARE.scoreboard(&rules(&[one, two]), 102);
    let due = both.run(&traffic).unwrap_or_else(|e| panic!("phase 2: {e}"));
    let input = traffic.iter().map(|f| (f.entry, f.bad, f.data.as_slice()));
    let got = em.replay(input, |_| {}).unwrap();
    let bytes = |replay: &em_sim::em::Replay| {
        let outputs = &replay.outputs;
        let mut all: Vec<Vec<u8>> = outputs.net0.iter().chain(&outputs.host).map(|f| f.frame.clone()).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(bytes(&got), bytes(&due));
    assert_eq!(bytes(&due).len(), 6);
}

/// Frames of two keys in turn, as fast as the lookups come, while the tables are edited.
struct Stream {
    keys: [u64; 2],
    sent: usize,
}

impl Stream {
    fn step(&mut self, em: &mut EmSim) {
        while em.source(Input::Host).unwrap().queued() < 6 {
            let key = self.keys[self.sent % 2];
            let frame = Ends::from((key as u32).to_be_bytes()).udp(2000, &(self.sent as u32).to_be_bytes());
            em.send(Entry::Host { function: (key >> 32) as u16 }, false, &frame).unwrap();
            self.sent += 1;
        }
        em.bench.step().unwrap();
    }

    /// A write, carried out, and a pause.
    fn write(&mut self, em: &mut EmSim, (address, data): (u64, u32), pause: usize) {
        let ticket = em.bench.axil[em.m2m].write(address, data);
        while em.bench.axil[em.m2m].pending() > 0 {
            self.step(em);
        }
        assert_eq!(em.bench.axil[em.m2m].take(ticket).expect("answered").resp, Resp::Okay);
        (0..pause).for_each(|_| self.step(em));
    }
}

/// Case TAB-02: a key is displaced and another one changes its value, goes and comes back, each write of a word followed
/// by 0, 1, 2 or 7 idle clocks and begun in every phase of the frames. The first one is never missed; the other one has
/// one whole value after the other.
#[test]
fn tab_02_no_false_miss_and_no_torn_entry_during_updates() {
    use Operation::{Delete, Insert};
    const FRAME_BEATS: usize = 3;
    let [kept, new] = colliding_keys(Table::NatTx, |n| nat_tx_key(1, 0x0a00_0000 + n as u32));
    let changed = nat_tx_key(2, 0xc000_0209);
    let (fives, tens, twelves, threes) = (0x5555_5555u32, 0xaaaa_aaaa, 0xcccc_cccc, 0x3333_3333);
    let at =
        |way, key, outside| TableEntry::in_way(&tables(), Table::NatTx, way, key, nat_tx_value(outside, None, false));
    let before = [(Insert, at(0, kept, fives)), (Insert, at(0, changed, tens))];
    let batches = [
        vec![(Insert, at(1, kept, fives))],
        vec![(Delete, at(0, kept, fives))],
        vec![(Insert, at(0, new, twelves))],
        vec![(Delete, at(0, changed, tens)), (Insert, at(2, changed, twelves))],
        vec![(Delete, at(2, changed, twelves))],
        vec![(Insert, at(3, changed, threes))],
    ];
    let after = [(Delete, at(1, kept, fives)), (Delete, at(0, new, twelves)), (Delete, at(3, changed, threes))];
    let writes = |batch: &[(Operation, TableEntry)]| {
        let publish = [Operation::Commit, Operation::Sync];
        let publish = publish.map(|o| (u64::from(Reg::TableCommand.offset()), o.encoded() as u32));
        batch.iter().flat_map(|(o, entry)| entry.writes(*o)).chain(publish).collect::<Vec<_>>()
    };
    let mut board = HARDWARE.scoreboard(&rules(&[]), 103);
    let em = &mut board.em;
    em.set_stalls(Stall::None);
    for (pause, phase) in [0, 1, 2, 7].into_iter().flat_map(|pause| (0..2 * FRAME_BEATS).map(move |p| (pause, p))) {
        let at_rest = |em: &mut EmSim, batch: &[(Operation, TableEntry)]| {
            for (address, data) in writes(batch) {
                assert_eq!(em.bench.write(em.m2m, address, data).unwrap(), Resp::Okay);
            }
        };
        at_rest(em, &before);
        let mut stream = Stream { keys: [kept, changed], sent: 0 };
        (0..20 + phase).for_each(|_| stream.step(em));
        for write in batches.iter().flat_map(|batch| writes(batch)) {
            stream.write(em, write, pause);
        }
        (0..60).for_each(|_| stream.step(em));
        em.settle().unwrap();
        let mut sources = vec![None; stream.sent];
        for out in em.take_outputs().unwrap().net0 {
            let [source, number] = [ETHERNET + 12, UDP_HEADERS]
                .map(|place| u32::from_be_bytes(out.frame[place..place + 4].try_into().unwrap()));
            assert_eq!(sources[number as usize].replace(source), None, "frame {number} came out once");
        }
        let what = format!("pause {pause}, phase {phase}");
        assert!(sources.iter().step_by(2).all(|s| *s == Some(fives)), "{what}: the displaced key is always found");
        let mut steps: Vec<Option<u32>> = sources.iter().skip(1).step_by(2).copied().collect();
        steps.dedup();
        assert_eq!(steps, [Some(tens), Some(twelves), None, Some(threes)], "{what}");
        at_rest(em, &after);
    }
}

/// Keys that a symmetric or an abridged hash would take for the same: the function and the address mixed by XOR, bytes
/// and half-words swapped, two functions with one address.
#[test]
fn tab_01_symmetric_keys_are_independent_entries() {
    let keys: [(u16, [u8; 4]); 8] = [
        (1, [192, 0, 2, 10]),
        (2, [192, 0, 2, 10]),
        // The XOR of function and address is that of the first.
        (2, [192, 0, 2, 9]),
        (1, [10, 2, 0, 192]),
        (1, [2, 10, 192, 0]),
        (1, [0, 192, 10, 2]),
        // Function and low half of the address swapped.
        (2, [192, 0, 0, 1]),
        (1, [192, 0, 0, 2]),
    ];
    // Outside addresses are alike in the same way.
    let outside = |i: usize| -> [u8; 4] {
        [
            [203, 0, 113, 5],
            [5, 113, 0, 203],
            [113, 5, 203, 0],
            [0, 203, 5, 113],
            [203, 0, 5, 113],
            [113, 0, 203, 5],
            [203, 5, 113, 0],
            [5, 0, 113, 203],
        ][i]
    };
    let frames: Vec<InFrame> = (keys.iter().enumerate())
        .flat_map(|(i, k)| [from_host(k.0, k.1, i as u8), from_net(outside(i), i as u8)])
        .collect();
    let all: Vec<Mapping> = keys.iter().enumerate().map(|(i, k)| (k.0, k.1, outside(i))).collect();
    for alone in 0..keys.len() {
        let replay =
            HARDWARE.scoreboard(&rules(&all[alone..=alone]), 110).run(&frames).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((replay.outputs.net0.len(), replay.outputs.host.len()), (1, 1), "{:?} alone", keys[alone]);
    }
    let replay = HARDWARE.scoreboard(&rules(&all), 111).run(&frames).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((replay.outputs.net0.len(), replay.outputs.host.len()), (8, 8));
}

/// As many mappings as the profile is rated for, all of them used both ways, and as many addresses that nobody maps.
#[test]
fn tables_filled_to_their_rating_translate_every_mapping_and_no_other() {
    let count = tables().rated_mappings();
    let address = |base: u32, i: u32| (base + i).to_be_bytes();
    let mapping = |i: u32| (1 + (i & 1) as u16, address(0x0a00_0000, i), address(0x6440_0000, i));
    let all: Vec<Mapping> = (0..count).map(mapping).collect();
    let mut board = HARDWARE.scoreboard(&rules(&all), 112);
    let known = all.iter().enumerate().flat_map(|(i, m)| [from_host(m.0, m.1, i as u8), from_net(m.2, i as u8)]);
    let stranger =
        |i: u32| [from_host(2 - (i & 1) as u16, address(0x0a00_0000, i), 0), from_net(address(0x6450_0000, i), 0)];
    let frames: Vec<InFrame> = known.chain((0..count / 2).flat_map(stranger)).collect();
    let replay = board.run(&frames).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((replay.outputs.net0.len(), replay.outputs.host.len()), (count as usize, count as usize));
}

#[test]
fn refused_commands_answer_slverr_and_change_nothing() {
    let mapped = rules(&[(1, INSIDE, [203, 0, 113, 5])]);
    let mut board = HARDWARE.scoreboard(&mapped, 150);
    let (_, live) = install(&Rules::parse(&mapped, "rules").unwrap(), "ecp5", &HARDWARE.config().map()).unwrap();
    let key = nat_tx_key(1, u32::from_be_bytes(INSIDE));
    let way = live.place(Table::NatTx, key).unwrap().way;
    let at = |way: u32, inside: [u8; 4], outside: [u8; 4]| TableEntry::mapping_tx(&tables(), way, 1, inside, outside);
    let here = |way: u32| at(way, INSIDE, [203, 0, 113, 5]);
    let free = (way + 1) % tables().nat_ways;
    let [row, rows] = [here(way).slot.row, tables().nat_rows];
    let neighbour_address =
        (0u32..).map(|n| (0x0a00_0000 + n).to_be_bytes()).find(|a| at(way, *a, INSIDE).slot.row == row);
    let neighbour = at(way, neighbour_address.unwrap(), [9, 9, 9, 9]);
    let stranger = at(way, [10, 1, 2, 3], [9, 9, 9, 9]);
    let with = |entry: TableEntry, way: u32, row: u32| TableEntry { slot: Slot { way, row }, ..entry };
    let direct = |table: Table, row: u32| TableEntry { table, slot: Slot { way: 0, row }, key: 0, value: 1 };
    let (insert, delete, read) = (Operation::Insert, Operation::Delete, Operation::Read);
    let refused = [
        ("another key", neighbour, insert, TableStatus::Occupied),
        ("another key", neighbour, delete, TableStatus::Occupied),
        ("another value", at(way, INSIDE, [9, 9, 9, 9]), insert, TableStatus::Occupied),
        ("another value elsewhere", at(free, INSIDE, [9, 9, 9, 9]), insert, TableStatus::Duplicate),
        ("not there", stranger, delete, TableStatus::Absent),
        ("not there", here(free), delete, TableStatus::Absent),
        ("nothing to read", here(free), read, TableStatus::Absent),
        ("row", with(stranger, way, stranger.slot.row ^ 1), insert, TableStatus::Misplaced),
        ("row", with(here(way), way, row ^ 1), delete, TableStatus::Misplaced),
        ("way beyond", with(stranger, tables().nat_ways, row), insert, TableStatus::OutOfRange),
        ("way beyond", with(here(way), 255, row), delete, TableStatus::OutOfRange),
        ("row beyond", with(here(way), way, row + rows), delete, TableStatus::OutOfRange),
        ("row beyond", with(stranger, way, 65_535), insert, TableStatus::OutOfRange),
        ("function beyond", direct(Table::Function, tables().functions), insert, TableStatus::OutOfRange),
        ("next hop beyond", direct(Table::NextHop, tables().next_hops), insert, TableStatus::OutOfRange),
        ("no function", direct(Table::Function, 9), read, TableStatus::Absent),
        ("no command", here(way), Operation::None, TableStatus::BadCommand),
    ];
    let sources = [INSIDE, neighbour_address.unwrap(), [10, 1, 2, 3]];
    for (i, (what, entry, operation, status)) in refused.into_iter().enumerate() {
        let em = &mut board.em;
        let answer = entry.command(em, operation);
        assert_eq!(answer, (Resp::SlvErr, status), "{what}: {operation:?} {entry:?}");
        // What stands is as it was, and seen by frames; also when the shadow bank that was refused becomes active.
        let (answer, _) = here(way).command(em, read);
        assert_eq!(answer, Resp::Okay, "after {what}");
        let word = |em: &mut EmSim, reg: Reg| u64::from(em.bench.read(em.m2m, u64::from(reg.offset())).unwrap().0);
        let found =
            [Reg::TableOldKey0, Reg::TableOldKey1, Reg::TableOldValue0, Reg::TableOldValue1].map(|r| word(em, r));
        assert_eq!((found[0] | found[1] << 32, found[2] | found[3] << 32), (key, here(way).value), "after {what}");
        assert_eq!(Reg::TableStatus.field("old_valid").get(word(em, Reg::TableStatus) as u32), 3, "after {what}");
        assert_eq!(for_all_tables(em, Operation::Commit), Resp::Okay);
        let frames: Vec<InFrame> = sources.iter().map(|source| from_host(1, *source, i as u8)).collect();
        board.run(&frames).unwrap_or_else(|e| panic!("after {what}: {e}"));
    }
    board.run(&[from_host(256, INSIDE, 1), from_host(0xffff, INSIDE, 2)]).unwrap_or_else(|e| panic!("{e}"));

    // A table that there is not.
    let em = &mut board.em;
    em.bench.write(em.m2m, u64::from(Reg::TableSelect.offset()), 5).unwrap();
    assert_eq!(for_all_tables(em, insert), Resp::SlvErr);
    assert_eq!(table_status(em), TableStatus::OutOfRange);
}

/// An entry of each table, damaged by the test register bit by bit: a frame that needs it is dropped `parity`, which is
/// counted and an event, and never rewritten wrongly; the entry inserted again serves.
#[test]
fn a_damaged_entry_drops_its_frames_and_is_told() {
    let text = provoke::RULES;
    let (_, live) = install(&Rules::parse(text, "rules").unwrap(), "ecp5", &HARDWARE.config().map()).unwrap();
    let routed = u32::from_be_bytes(provoke::ROUTED);
    let pass_mac = 0x0200_0000_0003;
    let to_pass = craft::addressed_to([2, 0, 0, 0, 0, 3], craft::unknown(70, 4));
    let cases = [
        (Table::NatTx, nat_tx_key(1, routed), from_host(1, provoke::ROUTED, 1)),
        (Table::NatRx, 0xcb00_7105, from_net(provoke::OUTSIDE, 2)),
        (Table::Mac, pass_mac, InFrame::new(Entry::Net0, to_pass)),
        (Table::Function, 1, from_host(1, provoke::INSIDE, 3)),
        (Table::NextHop, 0, from_host(1, provoke::ROUTED, 5)),
    ];
    let mut board = HARDWARE.scoreboard(text, 151);
    for (table, key, frame) in cases {
        let (slot, value) = (live.place(table, key).unwrap(), live.value(table, key).unwrap());
        let direct = !tables().geometry(table).exact;
        let entry = TableEntry { table, slot, key: if direct { 0 } else { key }, value };
        // A bit of validity, of the key, two of the value, the parity.
        // Direct tables store validity in their own way, and no key.
        let bits: &[u32] = if direct { &[50, 57, 130] } else { &[0, 1, 2, 50, 57, 130] };
        for &bit in bits {
            board.run(std::slice::from_ref(&frame)).unwrap_or_else(|e| panic!("{table:?} whole: {e}"));
            let em = &mut board.em;
            let set = |em: &mut EmSim, reg: Reg, data: u32| {
                assert_eq!(em.bench.write(em.m2m, u64::from(reg.offset()), data).unwrap(), Resp::Okay);
            };
            set(em, Reg::Events, u32::MAX);
            set(em, Reg::TableFlip, Reg::TableFlip.field("bit").place(bit) | Reg::TableFlip.field("enable").place(1));
            assert_eq!(entry.command(em, Operation::Insert), (Resp::Okay, TableStatus::Ok), "{table:?} bit {bit}");
            set(em, Reg::TableFlip, 0);
            assert_eq!(for_all_tables(em, Operation::Commit), Resp::Okay);
            let before = em.counters().unwrap();
            em.send(frame.entry, false, &frame.data).unwrap();
            em.settle().unwrap();
            let after = em.counters().unwrap();
            assert_eq!(after.of(Outcome::Parity) - before.of(Outcome::Parity), 1, "{table:?} bit {bit}");
            let outputs = em.take_outputs().unwrap();
            assert_eq!(outputs.net0.len() + outputs.host.len() + outputs.punted.len(), 0, "{table:?} bit {bit}");
            let events = em.bench.read(em.m2m, u64::from(Reg::Events.offset())).unwrap().0;
            assert_eq!(events, 1 << table as u32, "{table:?} bit {bit}");
            // Inserted again it serves, in both banks.
            assert_eq!(entry.command(em, Operation::Insert).0, Resp::Okay, "{table:?} bit {bit}, again");
            assert_eq!(for_all_tables(em, Operation::Commit), Resp::Okay);
            board.run(std::slice::from_ref(&frame)).unwrap_or_else(|e| panic!("{table:?} repaired: {e}"));
            let em = &mut board.em;
            assert_eq!(entry.command(em, Operation::Insert).0, Resp::Okay, "{table:?} bit {bit}, other bank");
        }
    }
}
