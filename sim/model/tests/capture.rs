//! A real capture through the model, and tshark's opinion of what comes out.

mod common;

use std::io::BufWriter;
use std::process::Command;

use common::{INSIDE, OUTSIDE, nat};
use em_model::{ModelConfig, Verdict};
use pcap_file::pcap::{PcapPacket, PcapReader, PcapWriter};

/// Who sent the frames that go through the model.
const HOST: [u8; 6] = [2, 0, 0, 0, 0, 0x0a];

#[test]
fn the_kernel_capture_comes_out_with_right_checksums() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testbench/captures/kernel-mix.pcap");
    let mut reader = PcapReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out.pcap");
    let file = BufWriter::new(std::fs::File::create(&out).unwrap());
    let mut writer = PcapWriter::with_header(file, reader.header()).unwrap();
    let mut model = nat(INSIDE, OUTSIDE, ModelConfig { icmp_error_rewrite: true, ..ModelConfig::default() });
    let mut translated = 0;
    while let Some(packet) = reader.next_packet() {
        let packet = packet.unwrap();
        if packet.data.get(6..12) != Some(&HOST) {
            continue;
        }
        if let Verdict::Forward { frame, .. } = model.host_tx(1, false, &packet.data) {
            writer.write_packet(&PcapPacket::new(packet.timestamp, frame.len() as u32, &frame)).unwrap();
            translated += 1;
        }
    }
    drop(writer);
    let counters = model.counters();
    println!("{counters:?}");
    // 87 TCP, 78 UDP and 11 ICMP frames over IPv4; ARP, neighbour discovery and MLD punted, IPv6 without a mapping dropped.
    assert_eq!((counters.frames_in, translated), (214, 176));
    assert_eq!(counters.frames_in, counters.frames_out + counters.punted_total() + counters.dropped_total());

    let bad =
        "ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0 || icmp.checksum.status == 0";
    let options = ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"];
    let tshark = |filter: &str| {
        Command::new("tshark")
            .arg("-r")
            .arg(&out)
            .args(options)
            .args(["-Y", filter, "-T", "fields", "-e", "frame.number"])
            .output()
    };
    let Ok(found) = tshark(bad) else {
        println!("tshark is not installed: its check of the output is skipped");
        return;
    };
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    assert_eq!(String::from_utf8_lossy(&found.stdout), "", "frames with a wrong checksum");
    let good = tshark("ip.checksum.status == 1 && ip.src == 203.0.113.5").unwrap();
    assert_eq!(String::from_utf8_lossy(&good.stdout).lines().count(), translated);
}
