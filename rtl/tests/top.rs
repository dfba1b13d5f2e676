//! The whole Execution Module on the native simulator: tables written and counters read by the bus, one frame through it.

use em_rtl::{
    config::Profile,
    csr::{PortCounter, Reg, outcome_counter, port_counter, resp},
    lookup::{Operation, Table, function_value, nat_tx_key, nat_tx_value},
    outcome::Outcome,
    top::EmTop,
};
use hdl::{Encode, Value, sim::Sim};

const INSIDE: u32 = 0xC000_020A;
const OUTSIDE: u32 = 0xCB00_7105;
const FUNCTION: u16 = 1;

/// NAT-01: a UDP datagram without a checksum, and the same from the outside address.
const FRAME: &str = "02000000000102000000000208004500002e1001000040117e79c000020ac63364070fa01388001a00006e6f2d636865636b73756d2d686572652121";
const TRANSLATED: &str = "02000000000102000000000208004500002e100100004011047ecb007105c63364070fa01388001a00006e6f2d636865636b73756d2d686572652121";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

/// Steps until `happens`, at most a few thousand clocks.
fn wait(sim: &Sim<EmTop>, what: &str, happens: impl Fn() -> bool) {
    for _ in 0..5000 {
        if happens() {
            return;
        }
        sim.step();
    }
    panic!("{what} does not come");
}

fn write(sim: &Sim<EmTop>, address: u32, data: u32) -> u64 {
    let bus = &sim.io.s_axil_m2m;
    sim.poke(bus.awaddr, u64::from(address));
    sim.poke(bus.wdata, u64::from(data));
    sim.poke(bus.wstrb, 15u64);
    sim.poke(bus.awvalid, true);
    sim.poke(bus.wvalid, true);
    let (mut address_taken, mut data_taken) = (false, false);
    while !address_taken || !data_taken {
        let (aw, w) = (sim.peek_bool(bus.awready), sim.peek_bool(bus.wready));
        address_taken |= aw;
        data_taken |= w;
        sim.step();
        sim.poke(bus.awvalid, !address_taken);
        sim.poke(bus.wvalid, !data_taken);
    }
    sim.poke(bus.bready, true);
    wait(sim, "a write response", || sim.peek_bool(bus.bvalid));
    let response = sim.peek_u64(bus.bresp);
    sim.step();
    response
}

fn read(sim: &Sim<EmTop>, address: u32) -> u32 {
    let bus = &sim.io.s_axil_m2m;
    sim.poke(bus.araddr, u64::from(address));
    sim.poke(bus.arvalid, true);
    wait(sim, "an address transfer", || sim.peek_bool(bus.arready));
    sim.step();
    sim.poke(bus.arvalid, false);
    sim.poke(bus.rready, true);
    wait(sim, "read data", || sim.peek_bool(bus.rvalid));
    assert_eq!(sim.peek_u64(bus.rresp), resp::OKAY);
    let data = sim.peek_u64(bus.rdata) as u32;
    sim.step();
    data
}

fn send(sim: &Sim<EmTop>, frame: &[u8]) {
    let host = &sim.io.s_axis_host;
    for (i, beat) in frame.chunks(16).enumerate() {
        let mut lanes = [0xEE; 16];
        lanes[..beat.len()].copy_from_slice(beat);
        sim.poke(host.tdata, Value::new(128, u128::from_le_bytes(lanes)));
        sim.poke(host.tkeep, (1u64 << beat.len()) - 1);
        sim.poke(host.tlast, 16 * i + beat.len() == frame.len());
        sim.poke(host.tuser, u64::from(FUNCTION) << 1);
        sim.poke(host.tvalid, true);
        wait(sim, "tready", || sim.peek_bool(host.tready));
        sim.step();
    }
    sim.poke(host.tvalid, false);
}

fn receive(sim: &Sim<EmTop>) -> Vec<u8> {
    let net = &sim.io.m_axis_net0;
    sim.poke(net.tready, true);
    let mut frame = Vec::new();
    loop {
        wait(sim, "a beat", || sim.peek_bool(net.tvalid));
        let (data, lanes) = (sim.peek(net.tdata), sim.peek_u64(net.tkeep).count_ones());
        frame.extend((0..lanes).map(|i| data.slice(8 * i, 8).to_u64() as u8));
        let last = sim.peek_bool(net.tlast);
        sim.step();
        if last {
            return frame;
        }
    }
}

/// Carries out a table command.
fn command(sim: &Sim<EmTop>, operation: Operation, table: Table, slot: u32, key: u64, value: u64) {
    for (reg, data) in [
        (Reg::TableSelect, table as u32),
        (Reg::TableSlot, slot),
        (Reg::TableKey0, key as u32),
        (Reg::TableKey1, (key >> 32) as u32),
        (Reg::TableValue0, value as u32),
        (Reg::TableValue1, (value >> 32) as u32),
        (Reg::TableCommand, operation.encoded() as u32),
    ] {
        assert_eq!(write(sim, reg.offset(), data), resp::OKAY, "{}", reg.name());
    }
}

/// A counter's value in a fresh snapshot.
fn count(sim: &Sim<EmTop>, address: u32) -> u32 {
    assert_eq!(write(sim, Reg::CounterLatch.offset(), 1), resp::OKAY);
    while read(sim, Reg::CounterLatch.offset()) != 0 {}
    read(sim, address)
}

#[test]
fn a_mapping_written_over_the_bus_translates_a_frame() {
    let config = Profile::named("ecp5").unwrap().config;
    let tables = config.tables();
    let sim = Sim::new(&EmTop { config }).unwrap();
    sim.reset();
    let ready = Reg::Status.field("ready");
    while ready.get(read(&sim, Reg::Status.offset())) == 0 {}

    // Without an entry of its function the frame goes nowhere.
    let frame = bytes(FRAME);
    send(&sim, &frame);
    sim.steps(100);
    let outcome = |o: Outcome| count(&sim, outcome_counter(o));
    assert_eq!((outcome(Outcome::NoFunction), outcome(Outcome::Net0)), (1, 0));

    // With one, but without a mapping, neither; and with a mapping only when it is committed.
    command(&sim, Operation::Insert, Table::Function, FUNCTION.into(), 0, function_value(0, 0, 0));
    command(&sim, Operation::Commit, Table::Function, 0, 0, 0);
    let key = nat_tx_key(FUNCTION, INSIDE);
    let row = tables.geometry(Table::NatTx).row_of(0, key.into());
    command(&sim, Operation::Insert, Table::Function, FUNCTION.into(), 0, function_value(0, 0, 0));
    command(&sim, Operation::Insert, Table::NatTx, row, key, nat_tx_value(OUTSIDE, None, false));
    send(&sim, &frame);
    sim.steps(100);
    assert_eq!((outcome(Outcome::NatSource), outcome(Outcome::Net0)), (1, 0));

    command(&sim, Operation::Commit, Table::NatTx, 0, 0, 0);
    send(&sim, &frame);
    assert_eq!(receive(&sim), bytes(TRANSLATED));
    sim.steps(20);
    assert_eq!((outcome(Outcome::NatSource), outcome(Outcome::Net0)), (1, 1));
    let port = |port: PortCounter| (count(&sim, port_counter(port)), count(&sim, port_counter(port) + 8));
    assert_eq!(port(PortCounter::HostRx), (3, 180));
    assert_eq!(port(PortCounter::Net0Tx), (1, 60));
}
