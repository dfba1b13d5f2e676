//! Cases AXS-01, AXS-03 and AXS-04 on the emitted Verilog of the whole EM: what the streams carry, under every way of
//! holding them up. The drivers check the rules of AXI4-Stream on every port in every clock.

use em_rtl::{
    lookup::Operation,
    outcome::{Kind, Outcome},
    top::EmTop,
};
use em_sim::{
    Rng,
    bfm::{Resp, Sent, Stall},
    em::{EmSim, Entry, Forwarded, Input, Output, Outputs, Punted},
};
use em_testbench::em::{Hardware, InFrame, TableEntry, craft, for_all_tables};
use std::{collections::HashSet, sync::LazyLock};

const RULES: &str = r#"
[[function]]
id = 1
mode = "nat"
unmatched = "pass"
[[function]]
id = 2
mode = "pass"
mac = "02:00:00:00:00:03"
[[function]]
id = 3
mode = "nat"
unmatched = "punt"
[[function]]
id = 4
mode = "drop"

[[nat]]
function = 1
inside = "192.0.2.10"
outside = "203.0.113.5"
"#;

const NAT: u16 = 1;
const PASS: u16 = 2;
const PUNT: u16 = 3;
const DROP: u16 = 4;
const INSIDE: [u8; 4] = [192, 0, 2, 10];
/// Bytes of a beat.
const LANES: usize = 16;

static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| Hardware::strict("ecp5"));

/// A frame of this length that the function forwards if it is long enough: over IPv4 where there is room for it.
fn frame_of_length(function: u16, length: usize, mark: u8) -> InFrame {
    let data = match length {
        _ if function == NAT && length >= craft::UDP_HEADERS => craft::udp_of_length(INSIDE, length, mark),
        _ if function == NAT && length >= craft::ETHERNET + 20 => {
            craft::ipv4(INSIDE, 253, 0, &craft::counting(length - craft::ETHERNET - 20, mark))
        }
        _ if length >= craft::ETHERNET => craft::unknown(length, mark),
        _ => craft::counting(length, mark),
    };
    assert_eq!(data.len(), length);
    InFrame::host(function, data)
}

/// All of `lengths`, ordered so that each length modulo a beat follows each other one and itself.
fn shuffled(lengths: &[usize]) -> Vec<usize> {
    let mut rest: Vec<Vec<usize>> =
        (0..LANES).map(|r| lengths.iter().copied().filter(|l| l % LANES == r).rev().collect()).collect();
    let usual: Vec<usize> = (0..LANES).map(|r| *rest[r].last().expect("every residue has a length")).collect();
    // A sequence in which every pair stands once: the Lyndon words of length 1 and 2 one after another.
    let pairs = (0..LANES).flat_map(|a| std::iter::once(a).chain((a + 1..LANES).flat_map(move |b| [a, b])));
    let residues: Vec<usize> = pairs.chain([0]).collect();
    let order: Vec<usize> = residues.iter().map(|r| rest[*r].pop().unwrap_or(usual[*r])).collect();
    let seen: HashSet<(usize, usize)> = order.windows(2).map(|w| (w[0] % LANES, w[1] % LANES)).collect();
    assert_eq!(seen.len(), LANES * LANES, "every residue follows every other one");
    assert!(lengths.iter().all(|l| order.contains(l)), "no length is left out");
    order
}

#[test]
fn axs_01_every_length_leaves_as_it_came_whatever_was_before_it() {
    let mut lengths: Vec<usize> = (1..=4 * LANES + 1).chain(59..=65).chain([1514, 1518, 9018]).collect();
    lengths.extend(9215..=9217);
    // Once all of them; once those that are forwarded, so that these meet each other on the way out too.
    let forwarded: Vec<usize> = lengths.iter().copied().filter(|l| (14..=9216).contains(l)).collect();
    for (function, seed) in [(PASS, 21), (NAT, 22)] {
        for (lengths, all_out) in [(&lengths, false), (&forwarded, true)] {
            let frames: Vec<InFrame> = (shuffled(lengths).into_iter().enumerate())
                .map(|(i, length)| frame_of_length(function, length, i as u8))
                .collect();
            for stall in [false, true] {
                let mut board = HARDWARE.scoreboard(RULES, seed);
                if !stall {
                    never_stalled(&mut board.em);
                }
                let replay = board.run(&frames).unwrap_or_else(|e| panic!("function {function}: {e}"));
                let out = replay.outputs.net0;
                if all_out {
                    assert_eq!(out.len(), frames.len());
                    assert!(out.iter().zip(&frames).all(|(o, i)| o.frame.len() == i.data.len()));
                }
                if function == PASS {
                    let marks = out.iter().flat_map(|f| &f.frame).filter(|byte| **byte == 0xEE);
                    assert_eq!(marks.count(), 0, "a byte of a lane without one came out");
                }
                let runts = frames.iter().filter(|f| f.data.len() < 14).count() as u64;
                let longer = frames.iter().filter(|f| f.data.len() > 9216).count() as u64;
                assert_eq!(replay.counters.of(Outcome::Runt), runts);
                assert_eq!(replay.counters.of(Outcome::Oversize), longer);
                assert_eq!(
                    replay.counters.input(Input::Host).bytes,
                    frames.iter().map(|f| f.data.len() as u64).sum::<u64>()
                );
                assert_eq!(
                    replay.counters.output(Output::Net0).bytes,
                    out.iter().map(|f| f.frame.len() as u64).sum::<u64>()
                );
            }
        }
    }
}

fn never_stalled(em: &mut EmSim) {
    em.set_stalls(Stall::None);
}

/// Frames for both outputs and for none, of one to 95 beats, good ones and bad ones.
fn mixed_traffic() -> Vec<InFrame> {
    let mut rng = Rng::new(3);
    let frame = |i: usize| {
        let function = [NAT, NAT, PASS, PUNT, NAT, DROP][rng.below(6) as usize];
        let length = [14, 16, 17, 42, 48, 49, 60, 64, 65, 300, 1514][rng.below(11) as usize];
        InFrame { bad: rng.percent(10), ..frame_of_length(function, length, i as u8) }
    };
    (0..120).map(frame).collect()
}

/// Commands on entries that the traffic does not use but that share rows with the one it does.
fn unrelated_commands(em: &mut EmSim) -> Vec<em_sim::bfm::Ticket> {
    let tables = em.config.tables();
    let entry = |way, function, inside, outside| TableEntry::mapping_tx(&tables, way, function, inside, outside);
    // For each way another key of the same row, so that writes meet the lookups' rows again and again.
    let neighbours: Vec<TableEntry> = (0..tables.nat_ways)
        .map(|way| {
            let used = entry(way, NAT, INSIDE, [203, 0, 113, 5]);
            let at = |n: u32| entry(way, PUNT, (0x0a00_0000 + n).to_be_bytes(), [9, 9, 9, 9]);
            (0..).map(at).find(|m| m.slot == used.slot).expect("some key has this row")
        })
        .collect();
    let mut tickets = Vec::new();
    for _ in 0..10 {
        // The way whose slot the mapping in use takes refuses; so do the deletes of what is not there.
        tickets.extend(neighbours.iter().map(|m| m.queue(em, Operation::Insert)));
        tickets.extend(neighbours.iter().map(|m| m.queue(em, Operation::Delete)));
    }
    tickets
}

#[test]
fn axs_03_every_way_of_holding_up_the_outputs_gives_the_same_bytes() {
    let frames = mixed_traffic();
    let mut baseline = HARDWARE.scoreboard(RULES, 31);
    never_stalled(&mut baseline.em);
    let expected = baseline.run(&frames).unwrap_or_else(|e| panic!("{e}"));
    let bytes = |out: Outputs| -> (Vec<Forwarded>, Vec<Punted>) {
        let net0 = out.net0.into_iter().map(|f| Forwarded { clock: 0, ..f });
        (net0.collect(), out.punted.into_iter().map(|p| Punted { clock: 0, ..p }).collect())
    };
    let due = bytes(expected.outputs);
    assert!(due.0.len() > 50 && due.1.len() > 8);
    let patterns = [
        Stall::OffThenOn { cycles: 50 },
        Stall::OffThenOn { cycles: 2000 },
        Stall::Alternating,
        Stall::Random { percent: 25, seed: 5 },
        Stall::Random { percent: 75, seed: 6 },
        Stall::AfterValid,
        Stall::HoldLast,
        Stall::HoldFirst,
    ];
    let (mut done, mut refused) = (0, 0);
    for (i, pattern) in patterns.into_iter().enumerate() {
        for (net0, punt) in [(pattern, Stall::None), (Stall::None, pattern), (pattern, pattern)] {
            let mut board = HARDWARE.scoreboard(RULES, 40 + i as u64);
            let em = &mut board.em;
            never_stalled(em);
            let tickets = unrelated_commands(em);
            em.sink(Output::Net0).unwrap().set_stall(net0);
            em.sink(Output::Punt).unwrap().set_stall(punt);
            let input = frames.iter().map(|f| (f.entry, f.bad, f.data.as_slice()));
            let replay = em.replay(input, |_| {}).unwrap_or_else(|e| panic!("net0 {net0:?}, punt {punt:?}: {e}"));
            assert!(bytes(replay.outputs) == due, "net0 {net0:?}, punt {punt:?}: other bytes");
            assert_eq!(replay.counters, expected.counters, "net0 {net0:?}, punt {punt:?}");
            for ticket in tickets {
                match em.bench.axil[em.m2m].take(ticket).expect("the commands ran along").resp {
                    Resp::Okay => done += 1,
                    _ => refused += 1,
                }
            }
        }
    }
    // Each round: three neighbours come and go; the mapping's own slot takes no other key and loses none.
    let rounds = 10 * 3 * patterns.len();
    assert_eq!((done, refused), (6 * rounds, 2 * rounds));
}

#[test]
fn axs_03_a_frame_held_up_keeps_the_address_of_when_it_was_looked_up() {
    let mut board = HARDWARE.scoreboard(RULES, 51);
    let em = &mut board.em;
    never_stalled(em);
    let tables = em.config.tables();
    em.sink(Output::Net0).unwrap().set_stall(Stall::Random { percent: 100, seed: 0 });
    let frame = craft::udp_of_length(INSIDE, 200, 0);
    em.send(Entry::Host { function: NAT }, false, &frame).unwrap();
    em.send(Entry::Host { function: NAT }, false, &frame).unwrap();
    em.bench.run(100).unwrap();
    let entry = |way, outside| TableEntry::mapping_tx(&tables, way, NAT, INSIDE, outside);
    let old = |way| entry(way, [203, 0, 113, 5]);
    let was: Vec<u32> =
        (0..tables.nat_ways).filter(|way| old(*way).command(em, Operation::Delete).0 == Resp::Okay).collect();
    assert_eq!(was.len(), 1, "the mapping stood in one way");
    // The active bank still has the old one, so the new one takes another slot.
    let other = entry((was[0] + 1) % tables.nat_ways, [203, 0, 113, 99]);
    assert_eq!(other.command(em, Operation::Insert).0, Resp::Okay);
    assert_eq!(for_all_tables(em, Operation::Commit), Resp::Okay);
    em.sink(Output::Net0).unwrap().set_stall(Stall::None);
    em.send(Entry::Host { function: NAT }, false, &frame).unwrap();
    em.settle().unwrap();
    let addresses: Vec<Vec<u8>> = em.take_outputs().unwrap().net0.iter().map(|f| f.frame[26..30].to_vec()).collect();
    assert_eq!(addresses, [[203, 0, 113, 5], [203, 0, 113, 5], [203, 0, 113, 99]]);
}

/// Clocks from the last beat in to the first beat out, as documented.
fn documented_latency(em: &EmSim) -> u64 {
    let top = EmTop { config: em.config.clone() };
    top.stages().into_iter().map(|(_, clocks)| u64::from(clocks)).sum()
}

fn sent(em: &mut EmSim) -> Vec<Sent> {
    em.source(Input::Host).unwrap().take_sent()
}

fn counts_agree(em: &mut EmSim, frames: u64) {
    let counters = em.counters().unwrap();
    assert_eq!((counters.input(Input::Host).frames, counters.output(Output::Net0).frames), (frames, frames));
    assert_eq!(counters.of(Outcome::Net0), frames);
    assert_eq!(counters.input(Input::Host).bytes, counters.output(Output::Net0).bytes);
    assert_eq!(
        (counters.total(Kind::Punt), counters.total(Kind::Drop), counters.output(Output::Punt).frames),
        (0, 0, 0)
    );
}

#[test]
fn axs_04_one_frame_then_nothing_for_10000_clocks() {
    for (function, length) in [(PASS, 14), (PASS, 16), (PASS, 17), (NAT, 64), (NAT, 1514), (NAT, 9216)] {
        let mut board = HARDWARE.scoreboard(RULES, 60 + length as u64);
        let em = &mut board.em;
        never_stalled(em);
        let frame = frame_of_length(function, length, 1);
        em.send(Entry::Host { function }, false, &frame.data).unwrap();
        em.bench.run_until("the frame taken", 1000, |b| b.sources.iter().all(|s| s.queued() == 0)).unwrap();
        em.bench.run(10_000).unwrap();
        em.bench.finish().unwrap();
        let out = em.take_outputs().unwrap();
        assert_eq!((out.net0.len(), out.punted.len()), (1, 0), "{length} bytes");
        assert_eq!(out.net0[0].frame.len(), length);
        assert_eq!(out.net0[0].clock - sent(em)[0].last_cycle, documented_latency(em), "latency of {length} bytes");
        counts_agree(em, 1);
    }
}

#[test]
fn axs_04_frames_of_one_beat_then_nothing() {
    const FRAMES: usize = 200;
    let mut board = HARDWARE.scoreboard(RULES, 71);
    let em = &mut board.em;
    never_stalled(em);
    for i in 0..FRAMES {
        em.send(Entry::Host { function: PASS }, false, &craft::unknown(14 + i % 3, i as u8)).unwrap();
    }
    em.bench.run_until("all frames taken", 5000, |b| b.sources.iter().all(|s| s.queued() == 0)).unwrap();
    let latency = documented_latency(em);
    em.bench.run(latency + 1).unwrap();
    let (sent, out) = (sent(em), em.take_outputs().unwrap().net0);
    assert_eq!(out.len(), FRAMES, "all are out {latency} clocks after the last one went in");
    for (i, (out, sent)) in out.iter().zip(&sent).enumerate() {
        assert_eq!(out.frame, craft::unknown(14 + i % 3, i as u8), "frame {i}");
        assert_eq!(out.clock - sent.last_cycle, latency, "frame {i}");
    }
    em.bench.run(10_000).unwrap();
    assert_eq!(em.take_outputs().unwrap().net0.len(), 0);
    counts_agree(em, FRAMES as u64);
}

#[test]
fn axs_04_the_output_not_ready_while_the_last_beat_comes_in() {
    for (length, frames) in [(14, 1), (14, 40), (64, 1), (1514, 1), (1514, 5)] {
        let mut board = HARDWARE.scoreboard(RULES, 80 + length as u64);
        let em = &mut board.em;
        never_stalled(em);
        em.sink(Output::Net0).unwrap().set_stall(Stall::Random { percent: 100, seed: 0 });
        for i in 0..frames {
            em.send(Entry::Host { function: PASS }, false, &craft::unknown(length, i as u8)).unwrap();
        }
        em.bench.run_until("all frames taken", 2000, |b| b.sources.iter().all(|s| s.queued() == 0)).unwrap();
        em.bench.run(documented_latency(em)).unwrap();
        assert_eq!(em.sink(Output::Net0).unwrap().beats(), 0);
        em.sink(Output::Net0).unwrap().set_stall(Stall::None);
        // A beat a clock from here on.
        em.bench.run((frames * length.div_ceil(LANES)) as u64).unwrap();
        assert_eq!(em.take_outputs().unwrap().net0.len(), frames, "{frames} frames of {length} bytes");
        em.bench.run(10_000).unwrap();
        em.bench.finish().unwrap();
        counts_agree(em, frames as u64);
    }
}
