//! The register bus of the whole EM: case BUS-01, every address answers with what the map says, and a snapshot of the
//! counters is one instant of the traffic.

#[path = "../../rtl/tests/bus/skew.rs"]
mod skew;

use em_rtl::{
    config::Profile,
    csr::{Access, PortCounter, Reg, RegisterMap, function_counter, outcome_counter, port_counter, table_counter},
    lookup::Table,
    manifest,
    outcome::{Kind, Outcome},
};
use em_sim::{
    Rng,
    bfm::{Resp, Stall},
    em::{EmSim, Entry, Input, Setup},
    verilated::{self, Model},
};
use em_testbench::em::{
    Hardware, craft,
    provoke::{INSIDE, OUTSIDE, RULES, good, good_in},
};
use skew::Wires;
use std::sync::LazyLock;

static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| Hardware::strict("ecp5"));

fn map() -> RegisterMap {
    manifest::registers(&Profile::named("ecp5").unwrap().config)
}

struct Verilated(Model, usize);

impl Wires for Verilated {
    fn set(&mut self, wire: &str, value: u64) {
        let port = self.0.port(&format!("s_axil_m2m_{wire}")).unwrap();
        self.0.poke(port, value);
    }

    fn get(&mut self, wire: &str) -> u64 {
        self.0.eval().unwrap();
        self.0.peek(self.0.port(&format!("s_axil_m2m_{wire}")).unwrap())
    }

    fn clock(&mut self) {
        self.0.tick(self.1).unwrap();
    }
}

#[test]
fn bus_01_address_and_data_in_any_order_and_at_any_distance() {
    let setup = Setup::strict(Profile::named("ecp5").unwrap().config, 1);
    let mut model = verilated::build(&setup.spec().unwrap()).unwrap().instance(1);
    for input in Input::ALL {
        let valid = model.port(&format!("{}tvalid", input.prefix())).unwrap();
        model.poke(valid, 0);
    }
    let (reset, clock) = (model.port("rst").unwrap(), 0);
    let mut bus = Verilated(model, clock);
    skew::idle(&mut bus);
    bus.0.poke(reset, 1);
    (0..4).for_each(|_| bus.clock());
    bus.0.poke(reset, 0);
    skew::bus_01(&mut bus, [Reg::Scratch, Reg::NotForUs].map(|r| (r.offset(), r.mask())));
}

#[test]
fn every_address_answers() {
    let map = map();
    let mut board = HARDWARE.scoreboard(RULES, 160);
    let em = &mut board.em;
    em.counters().unwrap();
    let is_counter = |addr: u32| map.counters.iter().any(|c| addr & !7 == c.offset);
    let register = |addr: u32| map.registers.iter().find(|r| r.offset == addr);
    // All of the map, and words beyond it: the last, and those that differ from a register in one bit of the address.
    let mut addresses: Vec<u32> = (0..0x900).step_by(4).collect();
    addresses.extend((11..16).flat_map(|bit| map.registers.iter().map(move |r| 1 << bit | r.offset)));
    addresses.extend([0x900, 0x1400, 0x7ffc, 0x8000, 0xfffc]);
    let mut unknown = 0;
    for addr in addresses {
        let (data, read) = em.bench.read(em.m2m, u64::from(addr)).unwrap_or_else(|e| panic!("{addr:#x}: {e}"));
        match register(addr) {
            Some(r) => {
                assert_eq!(read, if r.access == Access::Wo { Resp::SlvErr } else { Resp::Okay }, "read {}", r.name);
                assert!(r.constant.is_none_or(|constant| constant == data), "{} reads {data:#x}", r.name);
                // A write that changes nothing: no strobes.
                let ticket = em.bench.axil[em.m2m].write_strobed(u64::from(addr), u32::MAX, 0);
                let write = loop {
                    em.bench.step().unwrap();
                    if let Some(answer) = em.bench.axil[em.m2m].take(ticket) {
                        break answer.resp;
                    }
                };
                assert_eq!(write, if r.access == Access::Ro { Resp::SlvErr } else { Resp::Okay }, "write {}", r.name);
            }
            None => {
                let write = em.bench.write(em.m2m, u64::from(addr), 0).unwrap();
                if is_counter(addr) {
                    assert_eq!((read, write), (Resp::Okay, Resp::SlvErr), "counter at {addr:#x}");
                } else {
                    assert_eq!((data, read, write), (0, Resp::DecErr, Resp::DecErr), "nothing at {addr:#x}");
                    unknown += 1;
                }
            }
        }
    }
    assert!(unknown > 300);
    board.run(&[good(64, 1)]).unwrap_or_else(|e| panic!("{e}"));
}

/// A counter of the last snapshot.
fn counter(em: &mut EmSim, addr: u32) -> u64 {
    let mut word = |addr: u32| {
        let (data, answer) = em.bench.read(em.m2m, u64::from(addr)).unwrap();
        assert_eq!(answer, Resp::Okay, "counter at {addr:#x}");
        u64::from(data)
    };
    word(addr) | word(addr + 4) << 32
}

/// How many frames had ended by this clock.
fn frames_until(ends: &[u64], clock: u64) -> usize {
    ends.partition_point(|end| *end <= clock)
}

/// Traffic of both directions, snapshots in the middle of it: the frames counted at all inputs are those that had ended
/// by one clock, with their bytes.
#[test]
fn a_snapshot_is_one_instant_for_all_ports() {
    let mut board = HARDWARE.scoreboard(RULES, 161);
    let em = &mut board.em;
    em.set_stalls(Stall::None);
    let mut rng = Rng::new(5);
    let inputs = [Input::Host, Input::Net0, Input::Net1];
    let ports = [PortCounter::HostRx, PortCounter::Net0Rx, PortCounter::Net1Rx];
    let mut sent: [Vec<u64>; 3] = Default::default();
    let mut snapshots = Vec::new();
    let mut began = None;
    while snapshots.len() < 12 {
        for (i, input) in inputs.into_iter().enumerate() {
            if em.source(input).unwrap().queued() < 3 {
                let length = 60 + rng.below(200) as usize;
                let (entry, frame) = match input {
                    Input::Host => (Entry::Host { function: 1 }, good(length, i as u8)),
                    Input::Net0 => (Entry::Net0, good_in(Entry::Net0, length, i as u8)),
                    _ => (Entry::Net1, good_in(Entry::Net1, length, i as u8)),
                };
                sent[i].push(frame.data.len() as u64);
                em.send(entry, false, &frame.data).unwrap();
            }
        }
        // The bus runs along the traffic: a latch, then reads of it until it is over.
        let latch = u64::from(Reg::CounterLatch.offset());
        let now = em.bench.cycle();
        let axil = &mut em.bench.axil[em.m2m];
        match began {
            None if rng.below(300) == 0 => began = Some((now, axil.write(latch, 1), None)),
            Some((from, write, None)) if axil.pending() == 0 => {
                axil.take(write);
                let poll = axil.read(latch);
                began = Some((from, write, Some(poll)));
            }
            Some((from, write, Some(poll))) => {
                if let Some(answer) = axil.take(poll) {
                    if answer.data == 0 {
                        snapshots.push((
                            from,
                            answer.cycle,
                            ports.map(|p| [counter(em, port_counter(p)), counter(em, port_counter(p) + 8)]),
                        ));
                        began = None;
                    } else {
                        began = Some((from, write, None));
                    }
                }
            }
            _ => {}
        }
        em.bench.step().unwrap();
    }
    em.settle().unwrap();
    let ends = inputs.map(|input| {
        let sent = em.source(input).unwrap().take_sent();
        sent.iter().map(|s| s.last_cycle).collect::<Vec<u64>>()
    });
    let bytes_of = |port: usize, frames: usize| sent[port][..frames].iter().sum::<u64>();
    for (from, to, counted) in snapshots {
        // A frame is counted a fixed number of clocks after its last beat.
        let matches = (from..to).any(|clock| {
            (0..3).all(|port| {
                let frames = frames_until(&ends[port], clock);
                counted[port] == [frames as u64, bytes_of(port, frames)]
            })
        });
        assert!(matches, "no clock from {from} to {to} has {counted:?}");
    }
}

/// What comes of each function's frames, and how often each table was asked.
#[test]
fn functions_and_tables_are_counted() {
    let mut board = HARDWARE.scoreboard(RULES, 162);
    let em = &mut board.em;
    let frames = |n: usize, function: u16, source: [u8; 4]| {
        (0..n).map(move |i| (function, craft::udp_of_length(source, 64 + i % 90, i as u8)))
    };
    let mut bytes = [0u64; 2];
    for (function, frame) in frames(200, 1, INSIDE).chain(frames(30, 1, [10, 9, 9, 9])).chain(frames(20, 77, INSIDE)) {
        if function == 1 && frame[26..30] == INSIDE {
            bytes[0] += frame.len() as u64;
        }
        em.send(Entry::Host { function }, false, &frame).unwrap();
    }
    for i in 0..150 {
        let entry = if i % 2 == 0 { Entry::Net0 } else { Entry::Net1 };
        let frame = good_in(entry, 64 + i % 70, i as u8).data;
        bytes[1] += frame.len() as u64;
        em.send(entry, false, &frame).unwrap();
    }
    em.settle().unwrap();
    em.counters().unwrap();
    let mut of = |function: u32| {
        em.bench.write(em.m2m, u64::from(Reg::CounterFunction.offset()), function).unwrap();
        [0, 1, 2, 3, 4, 5].map(|place| counter(em, function_counter(place)))
    };
    assert_eq!(of(1), [200, bytes[0], 30, 150, bytes[1], 0]);
    assert_eq!(of(77), [0, 0, 20, 0, 0, 0]);
    assert_eq!(of(2), [0; 6]);
    let mut table = |table: Table| [0, 8, 16].map(|at| counter(em, table_counter(table) + at));
    assert_eq!(table(Table::NatTx)[2], 0);
    assert_eq!(table(Table::NatTx)[0], 200);
    assert_eq!(table(Table::NatRx), [150, 0, 0]);
    assert_eq!(table(Table::Function)[..2], [230, 20]);
    let counted: u64 = Outcome::ALL.iter().map(|o| counter(em, outcome_counter(*o))).sum();
    let drops = Outcome::ALL.iter().filter(|o| o.kind() == Kind::Drop);
    assert_eq!(counted, 200 + 30 + 20 + 150);
    assert_eq!(drops.map(|o| counter(em, outcome_counter(*o))).sum::<u64>(), 50);
    assert_eq!(OUTSIDE, [203, 0, 113, 5]);
}
