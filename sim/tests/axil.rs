//! The AXI4-Lite master on hand-written registers.

mod common;

use common::{library, source};
use em_sim::Rng;
use em_sim::bfm::{AxilConfig, Bench, BenchError, Resp, Rule};
use em_sim::verilated::{ModelSpec, Options, Port};

fn registers(config: AxilConfig) -> Bench {
    let inputs = [
        ("clk", 1),
        ("rst", 1),
        ("fault", 2),
        ("s_axil_awaddr", 8),
        ("s_axil_awvalid", 1),
        ("s_axil_wdata", 32),
        ("s_axil_wstrb", 4),
        ("s_axil_wvalid", 1),
        ("s_axil_bready", 1),
        ("s_axil_araddr", 8),
        ("s_axil_arvalid", 1),
        ("s_axil_rready", 1),
    ];
    let outputs = [
        ("s_axil_awready", 1),
        ("s_axil_wready", 1),
        ("s_axil_bresp", 2),
        ("s_axil_bvalid", 1),
        ("s_axil_arready", 1),
        ("s_axil_rdata", 32),
        ("s_axil_rresp", 2),
        ("s_axil_rvalid", 1),
    ];
    let ports = inputs.map(|(name, width)| Port::input(name, width)).into_iter();
    let spec = ModelSpec {
        top: "axil_regs".into(),
        sources: vec![source("axil_regs.v")],
        ports: ports.chain(outputs.map(|(name, width)| Port::output(name, width))).collect(),
        clocks: vec!["clk".into()],
        options: Options { x_initial_unique: true, ..Options::default() },
    };
    let mut bench = Bench::new(library(&spec).instance(5), "clk", Some("rst")).unwrap();
    bench.add_axil("s_axil_", config).unwrap();
    bench.reset(2).unwrap();
    bench
}

#[test]
fn registers_hold_what_was_written_under_random_delays() {
    for (max_delay, concurrent) in [(0, false), (5, false), (5, true)] {
        for seed in 0..20 {
            let mut bench = registers(AxilConfig { max_delay, concurrent, seed, ..AxilConfig::default() });
            let mut rng = Rng::new(seed);
            let values: [u32; 16] = std::array::from_fn(|_| rng.bits() as u32);
            for (index, value) in values.iter().enumerate() {
                assert_eq!(bench.write(0, 4 * index as u64, *value).unwrap(), Resp::Okay);
            }
            let tickets = (0..16).map(|index| bench.axil[0].read(4 * index)).collect::<Vec<_>>();
            let strobed = bench.axil[0].write_strobed(0, 0xAABB_CCDD, 0b0101);
            bench.drain(4, 10_000).unwrap();
            for (ticket, value) in tickets.into_iter().zip(values).skip(usize::from(concurrent)) {
                assert_eq!(bench.axil[0].take(ticket).map(|response| response.data), Some(value));
            }
            assert!(bench.axil[0].take(strobed).is_some_and(|response| response.resp == Resp::Okay));
            let expected = (values[0] & 0xFF00_FF00 | 0x00BB_00DD, Resp::Okay);
            assert_eq!(bench.read(0, 0).unwrap(), expected);
        }
    }
}

#[test]
fn an_error_response_is_told_and_silence_is_an_error() {
    let mut bench = registers(AxilConfig { timeout: 50, ..AxilConfig::default() });
    assert_eq!(bench.write(0, 0x40, 1).unwrap(), Resp::SlvErr);
    assert_eq!(bench.read(0, 0x7C).unwrap().1, Resp::SlvErr);
    let said = bench.read(0, 0x80).unwrap_err().to_string();
    assert!(
        said.contains("s_axil at cycle") && said.contains("read of address 0x80 had no answer within 50"),
        "{said}"
    );
    assert!(said.ends_with("it waits for rvalid"), "{said}");
    bench.reset(1).unwrap();
    let said = bench.write(0, 0x84, 0).unwrap_err().to_string();
    assert!(said.contains("write of address 0x84") && said.ends_with("it waits for bvalid"), "{said}");
}

#[test]
fn a_response_that_nobody_asked_for_or_that_changes_is_found() {
    let rule = |fault, seed| {
        let mut bench = registers(AxilConfig { max_delay: 9, seed, ..AxilConfig::default() });
        let port = bench.model.port("fault").unwrap();
        bench.model.poke(port, fault);
        let end = (0..20).try_for_each(|_| bench.read(0, 0).map(drop));
        match end.and_then(|()| bench.run(5)) {
            Err(BenchError::Violation(violation)) => violation.rule,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(rule(1, 0), Rule::ResponseAsked);
    assert_eq!(rule(2, 0), Rule::ResponseStable);
}
