//! The model against the Linux kernel's NAT, byte by byte: the kernel is a router, so the mapping has a next hop and a route.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Mapped, forwarded, frames};
use em_model::{Arrival, Model, ModelConfig, diff};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbench/captures/kernel-nat");

/// As `capture.py` sets the kernel up: the function's MAC address, and the next hop's.
fn model(function_mac: &str) -> Model {
    let text =
        Mapped { mac: function_mac, next_hop: Some("02:00:00:00:00:0b"), route: true, ..Mapped::default() }.text();
    common::model(&text, ModelConfig::default())
}

fn compare(folder: &Path) -> [usize; 2] {
    let read = |name: &str| frames(&folder.join(name));
    // Out to the network, the function's MAC address stands for the router's.
    let mut tx = model("02:00:00:00:0a:02");
    let pairs = read("tx-in.pcap").into_iter().zip(read("tx-out.pcap"));
    let mut compared = [0; 2];
    for (n, (given, wanted)) in pairs.enumerate() {
        let got = forwarded(tx.frame(Arrival::Host { function: 1 }, false, &given));
        assert!(got == wanted, "tx, packet {}, as the kernel does it\n{}", n + 1, diff(&wanted, &got));
        compared[0] += 1;
    }
    let mut rx = model("02:00:00:00:00:0a");
    let pairs = read("rx-in.pcap").into_iter().zip(read("rx-out.pcap"));
    for (n, (given, mut wanted)) in pairs.enumerate() {
        // The EM is no hop of its own on this side: the source MAC address stays.
        wanted[6..12].copy_from_slice(&given[6..12]);
        let got = forwarded(rx.frame(Arrival::Net0, false, &given));
        assert!(got == wanted, "rx, packet {}, as the kernel does it\n{}", n + 1, diff(&wanted, &got));
        compared[1] += 1;
    }
    compared
}

#[test]
fn what_the_kernel_did() {
    assert_eq!(compare(Path::new(FOLDER)), [142, 280]);
}

#[test]
fn what_this_kernel_does() {
    let works = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    for (program, arguments) in [
        ("python3", &["--version"][..]),
        ("nft", &["--version"]),
        ("unshare", &["-n", "nft", "add", "table", "ip", "probe"]),
        ("unshare", &["-n", "ip", "link", "add", "probe0", "type", "veth", "peer", "name", "probe1"]),
    ] {
        if !works(program, arguments) {
            println!(
                "skipped: `{program} {}` does not work here (it takes root, nft and iproute2)",
                arguments.join(" ")
            );
            return;
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let script = Path::new(FOLDER).join("capture.py");
    let run = Command::new("python3").arg(script).arg(dir.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(compare(dir.path()), [142, 280]);
}
