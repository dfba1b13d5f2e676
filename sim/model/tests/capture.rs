//! A real capture through the model in both directions, and tshark's opinion of what comes out.

mod common;

use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{INSIDE, Mapped, OUTSIDE, frames};
use em_model::{Arrival, Model, ModelConfig, Verdict};
use pcap_file::pcap::{PcapPacket, PcapWriter};

const CAPTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbench/captures/kernel-mix.pcap");
/// Who is 192.0.2.10 in the capture.
const TENANT: [u8; 6] = [2, 0, 0, 0, 0, 0x0a];

/// The capture's frames that the tenant sent, or those that it got.
fn half(sent: bool) -> Vec<Vec<u8>> {
    frames(Path::new(CAPTURE)).into_iter().filter(|frame| (frame[6..12] == TENANT) == sent).collect()
}

fn forward(model: &mut Model, arrival: Arrival, frames: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let forwarded = frames.iter().filter_map(|frame| match model.frame(arrival, false, frame) {
        Verdict::Forward { frame, .. } => Some(frame),
        _ => None,
    });
    let forwarded = forwarded.collect();
    let counters = model.counters();
    println!("{counters:?}");
    assert_eq!(counters.frames_in, counters.frames_out + counters.punted_total() + counters.dropped_total());
    forwarded
}

/// tshark finds no wrong checksum, and as many right ones with this address on this side.
fn agreed(frames: &[Vec<u8>], side: &str, address: &str) {
    let dir = tempfile::tempdir().unwrap();
    let path: PathBuf = dir.path().join("out.pcap");
    let mut writer = PcapWriter::new(BufWriter::new(std::fs::File::create(&path).unwrap())).unwrap();
    for frame in frames {
        writer.write_packet(&PcapPacket::new(std::time::Duration::ZERO, frame.len() as u32, frame)).unwrap();
    }
    drop(writer);
    let checked = ["ip", "tcp", "udp"].map(|protocol| format!("{protocol}.check_checksum:TRUE"));
    let tshark = |filter: &str| {
        let mut command = Command::new("tshark");
        for option in &checked {
            command.args(["-o", option]);
        }
        command.arg("-r").arg(&path).args(["-Y", filter, "-T", "fields", "-e", "frame.number"]).output()
    };
    let wrong = ["ip", "tcp", "udp", "icmp"].map(|protocol| format!("{protocol}.checksum.status == 0")).join(" || ");
    let Ok(found) = tshark(&wrong) else {
        println!("tshark is not installed: its check of the output is skipped");
        return;
    };
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    assert_eq!(String::from_utf8_lossy(&found.stdout), "", "frames with a wrong checksum");
    let right = tshark(&format!("ip.checksum.status == 1 && ip.{side} == {address}")).unwrap();
    assert_eq!(String::from_utf8_lossy(&right.stdout).lines().count(), frames.len());
}

#[test]
fn what_the_host_sent_comes_out_with_right_checksums() {
    let mut model = common::nat(INSIDE, OUTSIDE, ModelConfig::default());
    let out = forward(&mut model, Arrival::Host { function: 1 }, &half(true));
    // 87 TCP, 78 UDP and 11 ICMP frames over IPv4; ARP, neighbour discovery and MLD punted, IPv6 without a mapping dropped.
    assert_eq!((model.counters().frames_in, out.len()), (214, 176));
    agreed(&out, "src", "203.0.113.5");
}

#[test]
fn what_the_host_got_comes_in_with_right_checksums() {
    // On the wire the host is 192.0.2.10; here the tenant behind it is another.
    let text = Mapped { inside: [10, 0, 0, 10], outside: INSIDE, ..Mapped::default() }.text();
    let mut model = common::model(&text, ModelConfig::default());
    let out = forward(&mut model, Arrival::Net0, &half(false));
    assert_eq!((model.counters().frames_in, model.counters().translated), (335, out.len() as u64));
    agreed(&out, "dst", "10.0.0.10");
}

#[test]
fn the_first_example_of_the_rules_page_runs() {
    let page = include_str!("../../../docs/rules.md");
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let mut model = common::model(example, ModelConfig::default());
    let out = forward(&mut model, Arrival::Host { function: 1 }, &half(true));
    assert_eq!(out.len(), 176);
    // What is nobody's goes to function 2, and so does everything to its MAC address, 02:00:00:00:00:0b.
    let out = forward(&mut model, Arrival::Net1, &half(true));
    assert_eq!((out.len(), model.counters().function(2).rx.frames), (214, 214));
}
