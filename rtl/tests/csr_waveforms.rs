//! The waveforms that stand in the pages of the register blocks are what these blocks do; and none of them has a
//! combinational path from port to port.

mod bus;

use bus::CONFIG;
use em_rtl::{
    csr::{
        AxiLiteSlave, Csr, Reg,
        counters::{CounterStore, CounterSweep, FunctionGather, GeneralGather, OutcomeGather},
    },
    lookup::Operation,
    outcome::Outcome,
};
use hdl::{
    Block, Encode,
    bundle::Field,
    check::assert_no_combinational_paths,
    sim::{Options, Port, Ports, PowerUp, Sim},
};

/// Asserts that `wave` stands in the page `source`, and prints it as it should stand there otherwise.
fn is_in_page(source: &str, wave: &str) {
    let lines: Vec<String> = wave.trim_end().lines().map(|line| format!("//! {line}").trim_end().to_string()).collect();
    let wanted = lines.join("\n");
    assert!(source.contains(&wanted), "the page should show\n{wanted}");
}

/// A simulator that starts from zeros, after reset.
fn start<B: Block>(block: &B) -> Sim<B> {
    let options = Options { power_up: PowerUp::Zero, ..Options::default() };
    let sim = Sim::with_options(block, &options).unwrap_or_else(|errors| panic!("{errors}"));
    sim.reset();
    sim
}

fn record<B: Block>(sim: &Sim<B>, ports: &[Port]) {
    for port in ports {
        sim.record(&Ports(vec![(Field::root(), *port)]));
    }
}

#[test]
fn slave_waveform() {
    let sim = start(&AxiLiteSlave { addr_w: 8 });
    sim.step();
    let (s, bus) = (&sim.io.s_axil, &sim.io.bus);
    record(&sim, &[s.awvalid, s.awready, s.wvalid, s.wready, s.bvalid, s.bready, bus.write, bus.word, bus.done]);
    let mut done = false;
    for clock in 0..10 {
        sim.poke(s.wvalid, clock == 0);
        sim.poke(s.wdata, 7u64);
        sim.poke(s.awvalid, clock == 2);
        sim.poke(s.awaddr, 0x10u64);
        sim.poke(s.bready, clock >= 8);
        sim.poke(bus.done, done);
        done = sim.peek_bool(bus.write);
        sim.step();
    }
    is_in_page(include_str!("../src/csr/slave.rs"), &sim.wave());
}

/// An insert that the tables carry out in four clocks.
#[test]
fn command_waveform() {
    let sim = start(&Csr { config: CONFIG });
    while !sim.peek_bool(sim.signal("count_ready")) {
        sim.step();
    }
    let (s, m) = (&sim.io.s_axil, &sim.io.manage);
    record(&sim, &[s.awvalid, s.wvalid, m.start, m.operation, m.done, s.bvalid, s.bready]);
    let mut ends = None;
    for clock in 0..14 {
        sim.poke(s.awvalid, clock == 0);
        sim.poke(s.awaddr, u64::from(Reg::TableCommand.offset()));
        sim.poke(s.wvalid, clock == 0);
        sim.poke(s.wdata, Operation::Insert.encoded());
        sim.poke(s.wstrb, 15u64);
        sim.poke(s.bready, true);
        if sim.peek_bool(m.start) {
            ends = Some(clock + 4);
        }
        sim.poke(m.done, ends == Some(clock));
        sim.step();
    }
    is_in_page(include_str!("../src/csr/registers.rs"), &sim.wave());
}

/// Frames of one outcome in neighbouring clocks, the last of them in the other bank.
#[test]
fn outcome_waveform() {
    let sim = start(&OutcomeGather { row_w: 7, count_w: 4 });
    let io = &sim.io;
    sim.poke(io.sweep.clear, true);
    for row in 0..8u64 {
        for step in 0..2u64 {
            sim.poke(io.sweep.row, row);
            sim.poke(io.sweep.step, step);
            sim.step();
        }
    }
    sim.poke(io.sweep.clear, false);
    let outcome = Outcome::Runt.code();
    sim.poke(io.sweep.row, outcome);
    record(&sim, &[io.valid, io.outcome, io.sweep.active, io.sweep.visit, io.sweep.step, io.count]);
    for clock in 0..12u64 {
        sim.poke(io.valid, (1..5).contains(&clock));
        sim.poke(io.outcome, outcome);
        sim.poke(io.sweep.active, clock >= 4);
        sim.poke(io.sweep.visit, clock >= 8);
        sim.poke(io.sweep.step, clock.saturating_sub(8));
        sim.step();
    }
    is_in_page(include_str!("../src/csr/counters/outcomes.rs"), &sim.wave());
}

#[test]
fn no_combinational_paths() {
    assert_no_combinational_paths(&AxiLiteSlave { addr_w: 16 });
    assert_no_combinational_paths(&CounterSweep { rows: 128 });
    assert_no_combinational_paths(&FunctionGather { functions: 64, row_w: 7, count_w: 11 });
    assert_no_combinational_paths(&GeneralGather { row_w: 7, count_w: 11, lanes: 16 });
    assert_no_combinational_paths(&OutcomeGather { row_w: 7, count_w: 11 });
    assert_no_combinational_paths(&CounterStore { rows: 64, row_w: 7, addend_w: 25 });
    assert_no_combinational_paths(&Csr { config: CONFIG });
}
