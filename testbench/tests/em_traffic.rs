//! Random traffic through the emitted Verilog of the whole EM against the golden model, both sides of every stream
//! stalling at random, registers and memories starting from random bits, assertions on. `EM_SEED` chooses the seed,
//! `EM_CASES` the number of cases; `EM_LONG` runs for this many minutes instead.

use em_testbench::em::{Hardware, TRAFFIC_LIMITS, TRAFFIC_RULES, any_traffic};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::time::{Duration, Instant};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn agrees(profile: &str, cases: u64) {
    let (seed, cases) = (number("EM_SEED", 1), number("EM_CASES", cases));
    let end = Instant::now() + Duration::from_secs(60 * number("EM_LONG", 0));
    let hardware = Hardware::strict(profile);
    campaign(&hardware, seed, cases);
    for seed in (seed + 1..).take_while(|_| Instant::now() < end) {
        campaign(&hardware, seed, cases);
    }
}

#[test]
fn random_traffic_agrees_with_the_golden_model_on_ecp5() {
    agrees("ecp5", 300);
}

#[test]
fn random_traffic_agrees_with_the_golden_model_on_small() {
    agrees("small", 200);
}

#[test]
fn random_traffic_agrees_with_the_golden_model_on_line100() {
    // Its tables take longer to clear themselves than the frames to pass.
    agrees("line100", 60);
}

/// So many cases from one seed.
fn campaign(hardware: &Hardware, seed: u64, cases: u64) {
    println!("EM_SEED={seed} EM_CASES={cases}");
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases: cases as u32, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let strategy = (any_traffic(40), 0..u64::MAX);
    let outcome = TestRunner::new_with_rng(config, rng).run(&strategy, |(frames, stalls)| {
        let limits = if stalls % 2 == 0 { TRAFFIC_LIMITS } else { "" };
        let mut board = hardware.scoreboard(&format!("{TRAFFIC_RULES}{limits}"), stalls);
        board.run(&frames).map(|_| ()).map_err(|e| proptest::test_runner::TestCaseError::fail(e.to_string()))
    });
    if let Err(e) = outcome {
        panic!("EM_SEED={seed}: {e}");
    }
}
