//! The emitted Verilog under drivers that nobody here wrote: cocotb with cocotbext-axi moves the same frames as `em sim`,
//! installs the rules through its own AXI4-Lite master, and sees the same bytes and `tuser` on every port.

use em_rtl::config::Profile;
use em_rules::Rules;
use em_testbench::{
    cocotb::{CocotbError, compare},
    em::{InFrame, TRAFFIC_RULES, any_traffic},
};
use em_tools::ToolError;
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

/// Random traffic, the same on every run, and some frames flagged bad among it.
fn traffic(frames: usize) -> Vec<InFrame> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut all = Vec::new();
    while all.len() < frames {
        all.extend(any_traffic(40).new_tree(&mut runner).expect("traffic").current());
    }
    all
}

#[test]
fn cocotb_sees_the_same_frames_as_em_sim() {
    let rules = Rules::parse(TRAFFIC_RULES, "test rules").unwrap();
    let profile = Profile::named("ecp5").unwrap();
    match compare(&profile, &rules, &traffic(300)) {
        Ok(c) => {
            println!("{c:?}");
            assert!(c.frames >= 300 && c.frames_out > c.frames / 4, "most frames are forwarded or punted: {c:?}");
        }
        Err(CocotbError::Tool(missing @ ToolError::Missing { .. })) => println!("skipped: {missing}"),
        Err(e) => panic!("{e}"),
    }
}
