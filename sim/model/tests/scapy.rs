//! The model against scapy, which takes frames apart and computes every checksum afresh.

mod common;

use std::io::Write;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::Stdio;

use common::{INSIDE, Mapped, OUTSIDE, PEER, case, forwarded, frames, pair};
use em_model::{Arrival, Model, ModelConfig};
use em_tools::Tool;

const CAPTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbench/captures");
const HOST: Arrival = Arrival::Host { function: 1 };

/// Routes, and patches the ICRC.
fn model(inside: [u8; 4], outside: [u8; 4]) -> Model {
    let next_hop = Some("02:00:00:00:00:0b");
    let text = Mapped { inside, outside, next_hop, route: true, ..Mapped::default() }.text();
    common::model(&text, ModelConfig { roce: true, ..ModelConfig::default() })
}

/// Identification and protocol.
fn identity(frame: &[u8]) -> (u16, u8) {
    (pair(frame, 18), frame[23])
}

/// The frames of one datagram together: fragments follow each other.
fn datagrams(frames: Vec<Vec<u8>>) -> Vec<Vec<Vec<u8>>> {
    let mut groups: Vec<Vec<Vec<u8>>> = Vec::new();
    for frame in frames {
        let later = pair(&frame, 20) & 0x1fff != 0;
        match groups.last_mut() {
            Some(group) if later && identity(&group[0]) == identity(&frame) => group.push(frame),
            _ => groups.push(vec![frame]),
        }
    }
    groups
}

/// A line for the script: the address on `side` becomes `new`.
fn line(model: &mut Model, arrival: Arrival, side: &str, new: [u8; 4], given: &[Vec<u8>]) -> String {
    let hex = |frame: &[u8]| frame.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let got = given.iter().map(|frame| {
        let mut out = forwarded(model.frame(arrival, false, frame));
        // What the script does not do: the hop's MAC addresses.
        out[..12].copy_from_slice(&frame[..12]);
        hex(&out)
    });
    let got: Vec<String> = got.collect();
    let given: Vec<String> = given.iter().map(|frame| hex(frame)).collect();
    serde_json::json!({ "side": side, "new": Ipv4Addr::from(new).to_string(), "given": given, "got": got }).to_string()
}

#[test]
fn scapy_would_have_sent_the_same() {
    let mut command = em_tools::command(Tool::Python).unwrap_or_else(|error| panic!("{error}"));
    let mut lines = Vec::new();
    let mut routed = model(INSIDE, OUTSIDE);
    for (capture, arrival, side, new) in
        [("kernel-nat/tx-in.pcap", HOST, "src", OUTSIDE), ("kernel-nat/rx-in.pcap", Arrival::Net0, "dst", INSIDE)]
    {
        for given in datagrams(frames(&Path::new(CAPTURES).join(capture))) {
            lines.push(line(&mut routed, arrival, side, new, &given));
        }
    }
    // Of a real host, and its answers.
    for given in datagrams(
        frames(&Path::new(CAPTURES).join("kernel-mix.pcap")).into_iter().filter(|f| pair(f, 12) == 0x0800).collect(),
    ) {
        let (arrival, side, new) =
            if given[0][26..30] == INSIDE { (HOST, "src", OUTSIDE) } else { (Arrival::Net0, "dst", OUTSIDE) };
        // Its answers are to the inside address, so here that is the one that the network knows.
        let mut model = if arrival == HOST { model(INSIDE, OUTSIDE) } else { model(OUTSIDE, INSIDE) };
        lines.push(line(&mut model, arrival, side, new, &given));
    }
    for (name, frame) in case::packets(&case::case("ROC-01"), "stimulus").into_iter().take(3) {
        let frame = frame.unwrap_or_else(|| panic!("{name}"));
        lines.push(line(&mut routed, HOST, "src", OUTSIDE, std::slice::from_ref(&frame)));
        lines.push(line(&mut model(OUTSIDE, PEER), Arrival::Net1, "dst", OUTSIDE, &[frame]));
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scapy/nat.py");
    let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = lines.join("\n");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    println!("{said}");
    assert!(output.status.success(), "{said}");
    let (kinds, differences): (Vec<&str>, Vec<&str>) =
        said.lines().partition(|line| line.starts_with("same ") || line.starts_with("not judged "));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    for kind in [
        "udp",
        "tcp",
        "icmp",
        "icmp error",
        "other",
        "roce",
        "udp in fragments",
        "icmp in fragments",
        "tcp in fragments",
    ] {
        assert!(kinds.iter().any(|line| line.starts_with(&format!("same {kind}: "))), "no {kind} in\n{said}");
    }
}
