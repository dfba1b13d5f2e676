//! Every proof holds, and every fault makes its proof fail.

use em_testbench::prove::{Fault, Proof, Verdict, faults, proofs};
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("proofs").join(name.replace(' ', "_"))
}

fn proof(name: &str) -> Proof {
    proofs().into_iter().find(|p| p.name == name).expect("a proof of this name")
}

fn holds(name: &str) {
    let report = proof(name).run(&folder(name)).unwrap_or_else(|error| panic!("{error}"));
    println!("{report}");
    assert!(report.holds(), "{report}");
}

fn fails(fault: &Fault) {
    let folder = folder(&format!("{}-{}", fault.proof, fault.about));
    let report = proof(fault.proof).run_with(fault, &folder).unwrap_or_else(|error| panic!("{error}"));
    match &report.prove {
        Verdict::Refuted { failed, trace } => {
            println!("{}: {}: {failed:?}", fault.proof, fault.about);
            assert!(!failed.is_empty() && trace.contains("m_axis_tvalid"), "{report}");
        }
        _ => panic!("{}: {}: not refuted: {report}", fault.proof, fault.about),
    }
}

#[test]
fn skid() {
    holds("skid");
}

#[test]
fn fifo_in_block_ram() {
    holds("fifo_block");
}

#[test]
fn fifo_in_distributed_ram() {
    holds("fifo_distributed");
}

#[test]
fn frame_fifo_that_stalls() {
    holds("frame_fifo_stall");
}

#[test]
fn frame_fifo_that_drops() {
    holds("frame_fifo_drop");
}

#[test]
fn arbiter() {
    holds("arbiter");
}

#[test]
fn every_fault_makes_its_proof_fail() {
    for fault in faults() {
        fails(&fault);
    }
}
