//! The waveforms that stand in the pages of the lookup and register blocks are what these blocks do; and none of them has
//! a combinational path from port to port.

use em_rtl::{
    csr::{AxiLiteSlave, Counters, Csr},
    lookup::{ExactMatch, FunctionTable, Lookup, Operation},
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
fn exact_match_waveform() {
    let table = ExactMatch { ways: 2, rows: 16, key_w: 12, value_w: 8 };
    let sim = start(&table);
    sim.steps(20);
    let io = &sim.io;
    let (here, absent) = (0x5a7u64, 0x123u64);
    sim.poke(io.command.operation, Operation::Insert.encoded());
    sim.poke(io.command.row, u64::from(table.row_of(0, here.into())));
    sim.poke(io.command.key, here);
    sim.poke(io.command.value, 0xc3u64);
    sim.poke(io.command.start, true);
    sim.step();
    sim.poke(io.command.start, false);
    sim.steps(20);
    record(&sim, &[io.lookup_valid, io.lookup_key, io.hit, io.hit_value]);
    for key in [Some(here), Some(absent), Some(here), None, None, None, None, None, None, None] {
        sim.poke(io.lookup_valid, key.is_some());
        sim.poke(io.lookup_key, key.unwrap_or(0));
        sim.step();
    }
    is_in_page(include_str!("../src/lookup/stage_exact.rs"), &sim.wave());
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

#[test]
fn no_combinational_paths() {
    let lookup = Lookup { functions: 64, ways: 4, rows: 32 };
    assert_no_combinational_paths(&lookup);
    assert_no_combinational_paths(&lookup.nat_table());
    assert_no_combinational_paths(&FunctionTable { functions: 65_536 });
    assert_no_combinational_paths(&AxiLiteSlave { addr_w: 16 });
    assert_no_combinational_paths(&Counters);
    assert_no_combinational_paths(&Csr { lookup });
}
