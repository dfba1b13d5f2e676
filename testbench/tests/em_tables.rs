//! Case TAB-01 and what else the Orchestration Module relies on when it edits the tables of the whole EM by register
//! writes: whole keys are compared, a frame sees the table before or after a command, a refused command changes nothing.

use em_model::{Model, ModelConfig, Verdict};
use em_rtl::{
    csr::Reg,
    lookup::{Lookup, Operation, TableStatus},
    outcome::Outcome,
};
use em_rules::Rules;
use em_sim::{
    Rng,
    bfm::{Resp, Stall, Ticket},
    em::{EmSim, Entry, Input, Output},
};
use em_testbench::em::{Hardware, InFrame, Mapping, craft, table_status};
use std::sync::LazyLock;

static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| Hardware::strict("ecp5"));

const INSIDE: [u8; 4] = [192, 0, 2, 10];

/// Functions 1 and 2 in mode nat with these mappings.
fn rules(mappings: &[(u16, [u8; 4], [u8; 4])]) -> String {
    let functions = [1, 2].map(|id| format!("[[function]]\nid = {id}\nmode = \"nat\"\n")).concat();
    let address = |a: &[u8; 4]| std::net::Ipv4Addr::from(*a);
    let rows = mappings.iter().map(|(function, inside, outside)| {
        format!(
            "[[nat]]\nfunction = {function}\ninside = \"{}\"\noutside = \"{}\"\n",
            address(inside),
            address(outside)
        )
    });
    functions + &rows.collect::<String>()
}

fn frame(function: u16, source: [u8; 4], mark: u8) -> InFrame {
    InFrame::host(function, craft::udp_of_length(source, 64, mark))
}

/// What the golden model makes of a frame under these rules: its bytes, if it is forwarded.
fn expected(rules: &str, frame: &InFrame) -> Option<Vec<u8>> {
    let rules = Rules::parse(rules, "expected").unwrap();
    match Model::new(&rules, ModelConfig::default()).unwrap().frame(frame.arrival(), frame.bad, &frame.data) {
        Verdict::Forward { frame, .. } => Some(frame),
        _ => None,
    }
}

fn source_of(frame: &[u8]) -> [u8; 4] {
    frame[26..30].try_into().unwrap()
}

/// Two keys that hash to the same row in every way, found by sorting the rows of many keys.
fn colliding_keys(tables: &Lookup) -> [(u16, [u8; 4]); 2] {
    let table = tables.nat_table();
    let mut count = 1u32 << 20;
    loop {
        let key = |n: u32| (1 + (n & 1) as u16, (0x0a00_0000 + (n >> 1)).to_be_bytes());
        let rows = |n: u32| {
            let (function, address) = key(n);
            let key = Lookup::nat_key(function, u32::from_be_bytes(address));
            (0..tables.ways).fold(0u64, |rows, way| rows << tables.row_width() | u64::from(table.row_of(way, key)))
        };
        let mut all: Vec<(u64, u32)> = (0..count).map(|n| (rows(n), n)).collect();
        all.sort_unstable();
        if let Some(pair) = all.windows(2).find(|w| w[0].0 == w[1].0) {
            return [key(pair[0].1), key(pair[1].1)];
        }
        count *= 2;
    }
}

#[test]
fn tab_01_keys_with_all_hashes_equal_are_told_apart() {
    let tables = em_rtl::config::Profile::named("ecp5").unwrap().config.tables();
    let keys = colliding_keys(&tables);
    println!("keys with equal rows in all {} ways: {keys:?}", tables.ways);
    let outside = [[203, 0, 113, 1], [203, 0, 113, 2]];
    let frame_1 = frame(keys[0].0, keys[0].1, 1);
    let frame_2 = frame(keys[1].0, keys[1].1, 2);
    let traffic = [frame_1.clone(), frame_2.clone(), frame_1];

    // Phase 1: key_1 alone. Action 1, miss, action 1.
    let only_1 = rules(&[(keys[0].0, keys[0].1, outside[0])]);
    let mut board = HARDWARE.scoreboard(&only_1, 101);
    let replay = board.run(&traffic).unwrap_or_else(|e| panic!("phase 1: {e}"));
    let sources: Vec<_> = replay.outputs.net0.iter().map(|f| source_of(&f.frame)).collect();
    assert_eq!(sources, [outside[0]; 2]);
    assert_eq!(replay.counters.of(Outcome::NatSource), 1);

    // key_2 beside it, in every way that is free; where key_1 stands it is refused and key_1 survives.
    let em = &mut board.em;
    let mapping = |n: usize, way: u32| Mapping::in_way(&tables, way, keys[n].0, keys[n].1, outside[n]);
    let key_1_way = (0..tables.ways).find(|way| mapping(0, *way).command(em, Operation::Read).0 == Resp::Okay);
    let key_1_way = key_1_way.expect("key_1 stands in a way");
    for way in 0..tables.ways {
        let answer = mapping(1, way).command(em, Operation::Insert);
        let due = if way == key_1_way { (Resp::SlvErr, TableStatus::Occupied) } else { (Resp::Okay, TableStatus::Ok) };
        assert_eq!(answer, due, "key_2 into way {way}");
    }

    // Phase 2: action 1, action 2, action 1; on the same hardware and on one that had both from the start.
    let both = rules(&[(keys[0].0, keys[0].1, outside[0]), (keys[1].0, keys[1].1, outside[1])]);
    let input = traffic.iter().map(|f| (f.entry, f.bad, f.data.as_slice()));
    let replay = em.replay(input, |_| {}).unwrap();
    let due: Vec<_> = traffic.iter().map(|f| expected(&both, f).unwrap()).collect();
    assert_eq!(replay.outputs.net0.iter().map(|f| f.frame.clone()).collect::<Vec<_>>(), due);
    HARDWARE.scoreboard(&both, 102).run(&traffic).unwrap_or_else(|e| panic!("phase 2: {e}"));
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
    let outside = |i: usize| [203, 0, 113, i as u8 + 1];
    let frames: Vec<InFrame> = keys.iter().enumerate().map(|(i, k)| frame(k.0, k.1, i as u8)).collect();
    let all: Vec<_> = keys.iter().enumerate().map(|(i, k)| (k.0, k.1, outside(i))).collect();
    for alone in 0..keys.len() {
        let replay =
            HARDWARE.scoreboard(&rules(&all[alone..=alone]), 110).run(&frames).unwrap_or_else(|e| panic!("{e}"));
        let sources: Vec<_> = replay.outputs.net0.iter().map(|f| source_of(&f.frame)).collect();
        assert_eq!(sources, [outside(alone)], "{:?} alone", keys[alone]);
    }
    let replay = HARDWARE.scoreboard(&rules(&all), 111).run(&frames).unwrap_or_else(|e| panic!("{e}"));
    let sources: Vec<_> = replay.outputs.net0.iter().map(|f| source_of(&f.frame)).collect();
    assert_eq!(sources, (0..keys.len()).map(outside).collect::<Vec<_>>());
}

/// A frame that went through while the table was edited.
struct Passed {
    first_in: u64,
    out: Option<(u64, Vec<u8>)>,
}

/// Sends frames of function 1 from [`INSIDE`] back to back without a stall until the commands are done, and tells what
/// became of each; and the commands' answers with their clocks.
fn under_load(em: &mut EmSim, commands: &[(Mapping, Operation)]) -> (Vec<Passed>, Vec<(Resp, u64)>) {
    em.source(Input::Host).unwrap().set_stall(Stall::None);
    em.sink(Output::Net0).unwrap().set_stall(Stall::None);
    let before = em.counters().unwrap();
    let mut frames = Vec::new();
    let mut send = |em: &mut EmSim| {
        // The mark is the frame's number: its payload ends with it.
        let number = frames.len() as u32;
        let mut data = number.to_be_bytes().to_vec();
        data.resize(18, 0);
        let frame = craft::udp(INSIDE, 2000, &data);
        em.send(Entry::Host { function: 1 }, false, &frame).unwrap();
        frames.push(());
    };
    for _ in 0..40 {
        send(em);
    }
    em.bench.run(60).unwrap();
    let tickets: Vec<Ticket> = commands.iter().map(|(mapping, operation)| mapping.queue(em, *operation)).collect();
    while em.bench.axil[em.m2m].pending() > 0 {
        if em.source(Input::Host).unwrap().queued() < 20 {
            send(em);
        }
        em.bench.step().unwrap();
    }
    for _ in 0..40 {
        send(em);
    }
    let count = frames.len();
    em.settle().unwrap();
    let sent = em.source(Input::Host).unwrap().take_sent();
    assert_eq!(sent.len(), count);
    assert!(sent.windows(2).all(|w| w[1].first_cycle == w[0].last_cycle + 1), "commands stall no frame");
    let mut passed: Vec<Passed> = sent.iter().map(|s| Passed { first_in: s.first_cycle, out: None }).collect();
    let outputs = em.take_outputs().unwrap();
    assert!(outputs.punted.is_empty());
    let mut last = None;
    for out in outputs.net0 {
        let number = u32::from_be_bytes(out.frame[42..46].try_into().unwrap()) as usize;
        assert!(number < count, "no such frame was sent: {:02x?}", out.frame);
        assert!(last < Some(number), "frames leave in the order they came");
        last = Some(number);
        passed[number].out = Some((out.clock, out.frame));
    }
    let missed = passed.iter().filter(|p| p.out.is_none()).count() as u64;
    assert_eq!(em.counters().unwrap().of(Outcome::NatSource) - before.of(Outcome::NatSource), missed);
    let answers = tickets.into_iter().map(|t| {
        let answer = em.bench.axil[em.m2m].take(t).expect("answered");
        (answer.resp, answer.cycle)
    });
    let answers = answers.collect();
    (passed, answers)
}

/// The frame that [`under_load`] sent, as it must leave with this outside address.
fn translated(number: usize, outside: [u8; 4]) -> Vec<u8> {
    let mut data = (number as u32).to_be_bytes().to_vec();
    data.resize(18, 0);
    expected(&rules(&[(1, INSIDE, outside)]), &InFrame::host(1, craft::udp(INSIDE, 2000, &data))).unwrap()
}

#[test]
fn editing_a_mapping_under_full_load_shows_each_frame_the_old_or_the_new_one() {
    let tables = em_rtl::config::Profile::named("ecp5").unwrap().config.tables();
    let outside = |n: usize| [203, 0, 113, 1 + n as u8];
    let mapping = |n: usize, way: u32| Mapping::in_way(&tables, way, 1, INSIDE, outside(n));
    for seed in 0..4 {
        let mut board = HARDWARE.scoreboard(&rules(&[]), 120 + seed);
        let mut rng = Rng::new(seed);
        // Insert 0, delete 0, insert 1, …, each time in any way.
        let edits: Vec<(Mapping, Operation)> = (0..24)
            .flat_map(|n| {
                let m = mapping(n, rng.below(u64::from(tables.ways)) as u32);
                [(m, Operation::Insert), (m, Operation::Delete)]
            })
            .collect();
        let (passed, answers) = under_load(&mut board.em, &edits);
        assert!(answers.iter().all(|(resp, _)| *resp == Resp::Okay), "{answers:?}");
        assert!(passed.len() > 300, "{} frames", passed.len());
        let mut seen = vec![0; 24];
        for (number, frame) in passed.iter().enumerate() {
            // The states that the table was in between the frame's first beat and its first beat out: state s is that
            // after s commands. A command takes effect between the answer before it and its own.
            let until = frame.out.as_ref().map_or(frame.first_in + 100, |(clock, _)| *clock);
            let from = answers.iter().take_while(|(_, cycle)| *cycle < frame.first_in).count();
            let to = (answers.iter().take_while(|(_, cycle)| *cycle < until).count() + 1).min(answers.len());
            let mut allowed = (from..=to).map(|s| (s % 2 == 1).then_some(s / 2));
            match &frame.out {
                None => {
                    assert!(allowed.any(|s| s.is_none()), "frame {number} missed a mapping that stood all the time")
                }
                Some((clock, bytes)) => {
                    let n = usize::from(source_of(bytes)[3]) - 1;
                    assert_eq!(*bytes, translated(number, outside(n)), "frame {number}, clock {clock}");
                    assert!(allowed.any(|s| s == Some(n)), "frame {number}, clock {clock}: mapping {n} did not stand");
                    seen[n] += 1;
                }
            }
        }
        assert!(seen.iter().all(|n| *n > 0), "each mapping was seen: {seen:?}");
    }
}

#[test]
fn moving_a_mapping_between_ways_loses_no_frame() {
    let tables = em_rtl::config::Profile::named("ecp5").unwrap().config.tables();
    let outside = [203, 0, 113, 5];
    let mapping = |way: u32| Mapping::in_way(&tables, way % tables.ways, 1, INSIDE, outside);
    let mut board = HARDWARE.scoreboard(&rules(&[]), 130);
    assert_eq!(mapping(0).command(&mut board.em, Operation::Insert).0, Resp::Okay);
    // Each is inserted again while it stands, which is done and must not make a lookup miss it.
    let moves: Vec<(Mapping, Operation)> = (0..40)
        .flat_map(|n| {
            let (from, to) = (mapping(n), mapping(n + 1));
            [(from, Operation::Insert), (to, Operation::Insert), (from, Operation::Delete), (to, Operation::Insert)]
        })
        .collect();
    let (passed, answers) = under_load(&mut board.em, &moves);
    assert!(answers.iter().all(|(resp, _)| *resp == Resp::Okay), "{answers:?}");
    for (number, frame) in passed.iter().enumerate() {
        let (clock, bytes) = frame.out.as_ref().unwrap_or_else(|| panic!("frame {number} missed"));
        assert_eq!(*bytes, translated(number, outside), "frame {number}, clock {clock}");
    }
}

#[test]
fn editing_a_function_under_full_load_shows_each_frame_the_old_or_the_new_entry() {
    let field = |name: &str, value: u32| Reg::FunctionEntry.field(name).place(value);
    let [nat, pass, drop] = [0, 1, 2].map(|mode| field("valid", 1) | field("mode", mode));
    let mapped = rules(&[(1, INSIDE, [203, 0, 113, 5])]);
    let input = frame(1, INSIDE, 0);
    let translated = expected(&mapped, &input).unwrap();
    // Two entries by turns: what comes of a frame is one of two things, and both happen.
    for (seed, entries) in [[nat, pass], [pass, drop], [drop, 0], [0, nat]].into_iter().enumerate() {
        let mut board = HARDWARE.scoreboard(&mapped, 140 + seed as u64);
        let em = &mut board.em;
        em.source(Input::Host).unwrap().set_stall(Stall::None);
        em.sink(Output::Net0).unwrap().set_stall(Stall::None);
        em.bench.write(em.m2m, u64::from(Reg::FunctionIndex.offset()), 1).unwrap();
        let entry = u64::from(Reg::FunctionEntry.offset());
        em.bench.write(em.m2m, entry, entries[0]).unwrap();
        for n in 0..400 {
            em.bench.axil[em.m2m].write(entry, entries[n % 2]);
        }
        let mut sent = 0;
        while em.bench.axil[em.m2m].pending() > 0 {
            if em.source(Input::Host).unwrap().queued() < 4 {
                em.send(Entry::Host { function: 1 }, false, &input.data).unwrap();
                sent += 1;
            }
            em.bench.step().unwrap();
        }
        em.settle().unwrap();
        let outputs = em.take_outputs().unwrap();
        let count = |data: &[u8]| outputs.net0.iter().filter(|f| f.frame == data).count() as u64;
        let counters = em.counters().unwrap();
        let seen = [
            (nat, count(&translated)),
            (pass, count(&input.data)),
            (drop, counters.of(Outcome::FunctionDrop)),
            (0, counters.of(Outcome::NoFunction)),
        ];
        assert_eq!(seen.iter().map(|(_, n)| n).sum::<u64>(), sent, "{seen:?}");
        for (entry, n) in seen {
            assert_eq!(n > 100, entries.contains(&entry), "{entries:?} by turns gave {n} frames of {entry}");
            assert!(n == 0 || entries.contains(&entry), "{entries:?} by turns gave {n} frames of {entry}");
        }
    }
}

#[test]
fn refused_commands_answer_slverr_and_change_nothing() {
    let tables = em_rtl::config::Profile::named("ecp5").unwrap().config.tables();
    let mapped = rules(&[(1, INSIDE, [203, 0, 113, 5])]);
    let mut board = HARDWARE.scoreboard(&mapped, 150);
    let at = |way: u32, inside: [u8; 4], outside: [u8; 4]| Mapping::in_way(&tables, way, 1, inside, outside);
    let here = |way: u32| at(way, INSIDE, [203, 0, 113, 5]);
    let em = &mut board.em;
    let way = (0..tables.ways).find(|way| here(*way).command(em, Operation::Read).0 == Resp::Okay).unwrap();
    let free = (way + 1) % tables.ways;
    let neighbour = (0u32..)
        .map(|n| at(way, (0x0a00_0000 + n).to_be_bytes(), [9, 9, 9, 9]))
        .find(|m| m.row == here(way).row)
        .unwrap();
    let stranger = at(way, [10, 1, 2, 3], [9, 9, 9, 9]);
    let (insert, delete) = (Operation::Insert, Operation::Delete);
    let refused = [
        ("another key", neighbour, insert, TableStatus::Occupied),
        ("another key", neighbour, delete, TableStatus::Occupied),
        ("another value", at(way, INSIDE, [9, 9, 9, 9]), insert, TableStatus::Occupied),
        ("another value elsewhere", at(free, INSIDE, [9, 9, 9, 9]), insert, TableStatus::Duplicate),
        ("not there", stranger, delete, TableStatus::Absent),
        ("not there", here(free), delete, TableStatus::Absent),
        ("nothing to read", here(free), Operation::Read, TableStatus::Absent),
        ("row", Mapping { row: stranger.row ^ 1, ..stranger }, insert, TableStatus::Misplaced),
        ("row", Mapping { row: here(way).row ^ 1, ..here(way) }, delete, TableStatus::Misplaced),
        ("way beyond", Mapping { way: tables.ways, ..stranger }, insert, TableStatus::OutOfRange),
        ("way beyond", Mapping { way: 255, ..here(way) }, delete, TableStatus::OutOfRange),
        ("row beyond", Mapping { row: here(way).row + tables.rows, ..here(way) }, delete, TableStatus::OutOfRange),
        ("row beyond", Mapping { row: 65_535, ..stranger }, insert, TableStatus::OutOfRange),
        ("no command", here(way), Operation::None, TableStatus::BadCommand),
    ];
    let traffic = |n: u8| -> Vec<InFrame> {
        [INSIDE, neighbour.inside, stranger.inside].iter().map(|source| frame(1, *source, n)).collect()
    };
    for (i, (what, mapping, operation, status)) in refused.into_iter().enumerate() {
        let em = &mut board.em;
        assert_eq!(mapping.command(em, operation), (Resp::SlvErr, status), "{what}: {operation:?} {mapping:?}");
        // Every slot that the key or the refused one could stand in is as it was.
        for w in 0..tables.ways {
            let (answer, _) = here(w).command(em, Operation::Read);
            assert_eq!(answer, if w == way { Resp::Okay } else { Resp::SlvErr }, "after {what}, way {w}");
            for other in [neighbour, stranger] {
                let other = Mapping::in_way(&tables, w, 1, other.inside, other.outside);
                let occupied = (w, other.row) == (way, here(way).row);
                assert_eq!(other.command(em, Operation::Read).0 == Resp::Okay, occupied, "after {what}, {other:?}");
            }
        }
        assert_eq!(here(way).command(em, Operation::Read), (Resp::Okay, TableStatus::Ok));
        let mut found = |reg: Reg| em.bench.read(em.m2m, u64::from(reg.offset())).unwrap().0;
        assert_eq!(found(Reg::NatFoundFunction), 1);
        assert_eq!(found(Reg::NatFoundInside), u32::from_be_bytes(INSIDE));
        assert_eq!(found(Reg::NatFoundOutside), u32::from_be_bytes([203, 0, 113, 5]));
        board.run(&traffic(i as u8)).unwrap_or_else(|e| panic!("after {what}: {e}"));
    }

    // A function beyond the table.
    let em = &mut board.em;
    for function in [tables.functions, 65_535] {
        em.bench.write(em.m2m, u64::from(Reg::FunctionIndex.offset()), function).unwrap();
        let answer = em.bench.write(em.m2m, u64::from(Reg::FunctionEntry.offset()), 1).unwrap();
        assert_eq!((answer, table_status(em, Reg::FunctionStatus)), (Resp::SlvErr, TableStatus::OutOfRange));
        let answer = em.bench.read(em.m2m, u64::from(Reg::FunctionEntry.offset())).unwrap();
        assert_eq!((answer, table_status(em, Reg::FunctionStatus)), ((0, Resp::SlvErr), TableStatus::OutOfRange));
    }
    board
        .run(&[traffic(99), vec![frame(256, INSIDE, 1), frame(0xffff, INSIDE, 2)]].concat())
        .unwrap_or_else(|e| panic!("{e}"));

    // Before the tables have cleared themselves.
    let em = &mut board.em;
    em.bench.reset(4).unwrap();
    assert_eq!(here(way).command(em, insert), (Resp::SlvErr, TableStatus::NotReady));
}
