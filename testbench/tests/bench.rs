//! No bubbles: frames of any length go through the emitted Verilog at one every max(beats in, beats out) clocks, in each
//! direction and in both at once, also while the tables are being rewritten without pause. Counted, not timed.

use em_rtl::config::Profile;
use em_sim::{em::Setup, verilated};
use em_testbench::bench::{Plan, Probe, Row, stages};

/// The rows of some lengths, on the Verilog that the other tests build: assertions in, random start values.
fn rows(profile: &Profile, sizes: &[usize]) -> Vec<Row> {
    let setup = Setup { stall: 0, ..Setup::strict(profile.config.clone(), 1) };
    let library = verilated::build(&setup.spec().unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"));
    let mut probe = Probe::new(profile, &library, &setup).unwrap_or_else(|e| panic!("{e}"));
    sizes.iter().flat_map(|size| probe.size(*size, 1500).unwrap_or_else(|e| panic!("{size} bytes: {e}"))).collect()
}

fn no_bubbles(profile: &str) {
    let profile = Profile::named(profile).unwrap();
    let rows = rows(&profile, &Plan::quick(&profile).sizes);
    let pipeline: u64 = stages(&profile).iter().map(|s| u64::from(s.clocks)).sum();
    for row in &rows {
        println!("{row:?}");
    }
    let (commands, clocks): (u64, u64) =
        rows.iter().filter(|r| r.updates).fold((0, 0), |(c, n), r| (c + r.table_commands, n + r.frames * r.beats));
    assert!(commands > clocks / 400, "the tables are being rewritten: {commands} commands in {clocks} clocks");
    for row in &rows {
        assert!(row.no_bubbles, "{row:?}");
        assert!((row.frames_per_clock - row.bound).abs() < 1e-12, "{row:?}");
        assert_eq!(row.latency_clocks, pipeline, "the stages' clocks: {row:?}");
    }
}

#[test]
fn no_bubbles_on_ecp5() {
    no_bubbles("ecp5");
}

#[test]
fn no_bubbles_on_small() {
    no_bubbles("small");
}

#[test]
fn no_bubbles_on_line100() {
    no_bubbles("line100");
}
