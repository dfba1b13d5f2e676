//! Captures that `em sim` refuses, before it makes anything.

mod common;

use common::{
    Files,
    captures::{pcap, pcapng, udp_frame},
    nat_rules, refused,
};

/// `em sim` refuses this capture, and the output folder is not made.
fn refuses(files: &Files, capture: &str, options: &str, parts: &[&str]) {
    let rules = files.write("rules.toml", nat_rules(1));
    let out = files.path("out");
    let out_arg = files.arg("out");
    let args = format!("sim --rules {rules} --host-in {capture} --out-dir {out_arg} {options}");
    refused(&args, parts);
    assert!(!out.exists(), "{args}");
}

/// The same for a capture of these bytes, with a function; the message names the file.
fn refuses_bytes(bytes: &[u8], parts: &[&str]) {
    let files = Files::new();
    let capture = files.write("in.pcap", bytes);
    refuses(&files, &capture, "--host-function 1", &[&[capture.as_str()], parts].concat());
}

#[test]
fn truncated() {
    let whole = pcap(1, &[udp_frame(10), udp_frame(20)]);
    let remedy = "keep the whole records with `editcap -r`";
    refuses_bytes(&whole[..whole.len() - 1], &["is truncated: it ends within record 2", remedy]);
    refuses_bytes(&whole[..24 + 7], &["is truncated: it ends within record 1", remedy]);
    refuses_bytes(&whole[..23], &["is truncated: it ends within its header"]);
    let whole = pcapng(&[Some("fn1")], &[(0, udp_frame(10))]);
    refuses_bytes(&whole[..whole.len() - 5], &["is truncated", remedy]);
}

#[test]
fn frames_cut_by_the_snap_length() {
    let mut cut = pcap(1, &[udp_frame(10)]);
    cut[24 + 12..24 + 16].copy_from_slice(&1500_u32.to_le_bytes());
    refuses_bytes(&cut, &["record 1", "only 52 of the frame's 1500 bytes", "tcpdump -s 0"]);
}

#[test]
fn another_link_type() {
    for (number, name) in [(105, "IEEE802_11 (105)"), (113, "LINUX_SLL (113)"), (101, "RAW (101)"), (4000, "4000")] {
        refuses_bytes(&pcap(number, &[udp_frame(10)]), &[name, "only Ethernet is taken", "Capture on an Ethernet"]);
    }
}

#[test]
fn no_capture_at_all() {
    refuses_bytes(b"", &["is not a pcap or pcapng capture: it is empty"]);
    refuses_bytes(b"hello, world\n", &["is not a pcap or pcapng capture: save it as pcap or pcapng"]);
    refuses_bytes(b"x", &["is not a pcap or pcapng capture"]);
    refuses_bytes(&[0x1f, 0x8b, 8, 0, 0, 0], &["it is compressed; unpack it with gunzip"]);
}

#[test]
fn missing_or_a_folder() {
    let files = Files::new();
    let missing = files.arg("nowhere.pcap");
    refuses(&files, &missing, "--host-function 1", &[&missing, "No such file", "Check the name"]);
    let folder = files.arg("");
    refuses(&files, &folder, "--host-function 1", &[&folder, "Is a directory", "Check the name"]);
}

#[test]
fn frames_of_no_function() {
    let files = Files::new();
    let remedy = "Give --host-function N, or name the interface fnN.";
    let classic = files.write("in.pcap", pcap(1, &[udp_frame(10)]));
    refuses(&files, &classic, "", &[&classic, "classic pcap", remedy]);
    let other = files.write("other.pcapng", pcapng(&[Some("fn1"), Some("eth0")], &[(1, udp_frame(10))]));
    refuses(&files, &other, "", &[&other, "`eth0`", remedy]);
    for name in ["fn", "fn01", "fnx", "fn-1", "FN1"] {
        let capture = files.write("name.pcapng", pcapng(&[Some(name)], &[(0, udp_frame(10))]));
        refuses(&files, &capture, "", &[&format!("`{name}`"), remedy]);
    }
    let unnamed = files.write("unnamed.pcapng", pcapng(&[None], &[(0, udp_frame(10))]));
    refuses(&files, &unnamed, "", &[&unnamed, "has no name", remedy]);
    let beyond = files.write("beyond.pcapng", pcapng(&[Some("fn65536")], &[(0, udp_frame(10))]));
    refuses(&files, &beyond, "", &[&beyond, "function 65536", "fn0 to fn65535"]);
}
