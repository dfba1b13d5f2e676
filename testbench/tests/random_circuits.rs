//! Random circuits: the native simulator, Verilator and Icarus agree on every output of every cycle, the emitted text
//! is clean under `verilator --lint-only -Wall`, and yosys reads it.
//!
//! - `EM_SEED=n` takes other circuits than the ones of every run.
//! - `EM_LONG=minutes` goes on for that long; `./scripts/test --long minutes` sets it, and a seed of its own.

use em_testbench::random::{
    Circuit,
    agree::{Ask, agree},
    circuit, expressions,
    shrink::{report, shrink},
};
use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

/// Circuits of expressions alone, and expressions in each.
const EXPRESSIONS: (usize, usize) = (24, 560);
/// Circuits of everything, and items in each.
const CIRCUITS: (usize, usize) = (10, 48);

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

/// Circuit number `n` of a seed, and the seed of its inputs.
fn numbered(seed: u64, n: usize) -> (Circuit, u64) {
    let own = seed.wrapping_mul(1_000_003).wrapping_add(n as u64);
    let count = EXPRESSIONS.0 + CIRCUITS.0;
    // The large ones first, so that the last to end is a small one.
    let c = if n % count < CIRCUITS.0 { circuit(own, CIRCUITS.1) } else { expressions(own, EXPRESSIONS.1) };
    (c, own)
}

/// Runs circuits from `numbers` on all processors, until one fails or `more` says no.
fn campaign(seed: u64, more: impl Fn(usize) -> bool + Sync) -> (usize, usize) {
    let (next, trees, operations) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let failed = AtomicBool::new(false);
    let work = || {
        loop {
            let n = next.fetch_add(1, Relaxed);
            if failed.load(Relaxed) || !more(n) {
                return;
            }
            let (circuit, own) = numbered(seed, n);
            let ask = Ask { verilator: true, icarus: true, yosys: n.is_multiple_of(8) };
            if let Err(fault) = agree(&circuit, own, ask) {
                if failed.swap(true, Relaxed) {
                    return;
                }
                let (small, fault) = shrink(&circuit, &fault, own, Duration::from_secs(120));
                panic!("circuit {n} of EM_SEED={seed}\n{}", report(&small, &fault, own));
            }
            let size = circuit.size();
            trees.fetch_add(size.0, Relaxed);
            operations.fetch_add(size.1, Relaxed);
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|s| {
        let running: Vec<_> = (0..workers).map(|_| s.spawn(work)).collect();
        for worker in running {
            if let Err(cause) = worker.join() {
                std::panic::resume_unwind(cause);
            }
        }
    });
    (trees.into_inner(), operations.into_inner())
}

#[test]
fn three_simulators_agree_on_random_circuits() {
    let seed = number("EM_SEED").unwrap_or(1);
    let (begin, minutes) = (Instant::now(), number("EM_LONG"));
    let count = EXPRESSIONS.0 + CIRCUITS.0;
    println!("EM_SEED={seed}");
    let (trees, operations) = match minutes {
        Some(minutes) => campaign(seed, |_| begin.elapsed() < Duration::from_secs(60 * minutes)),
        None => campaign(seed, |n| n < count),
    };
    let seconds = begin.elapsed().as_secs();
    println!("{trees} expressions of {operations} operations agree, in {seconds} s");
    assert!(minutes.is_some() || trees >= 20_000, "only {trees} expressions were made");
}
