//! `em sim` on frames whose fate is known, and on the demo's capture.

mod common;

use common::{
    Files,
    captures::{ones_sum, pcap, pcap_frames, pcapng, udp_frame},
    command, good, json, names, nat_rules, project, run,
};
use serde_json::{Value, json};
use std::fs;

fn demo(files: &Files, out: &str, options: &str) -> String {
    let at = project().join("testbench").canonicalize().unwrap();
    let (rules, capture) = (at.join("demo/rules.toml"), at.join("captures/kernel-mix.pcap"));
    let (rules, capture, out) = (rules.display(), capture.display(), files.arg(out));
    format!("sim --rules {rules} --host-in {capture} --host-function 1 --out-dir {out} {options}")
}

fn sum(map: &Value) -> u64 {
    map.as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum()
}

#[test]
fn every_frame_of_the_demo_has_one_outcome() {
    let files = Files::new();
    let s = json(&demo(&files, "out", "--json"));
    let sent = pcap_frames(&fs::read(project().join("testbench/captures/kernel-mix.pcap")).unwrap()).len() as u64;
    assert_eq!(sum(&s["frames_in"]), sent);
    let punted = s["punted"].as_u64().unwrap();
    assert_eq!(sum(&s["frames_in"]), sum(&s["frames_out"]) + punted + sum(&s["dropped"]));
    assert_eq!(sum(&s["punted_by_reason"]), punted);
    let out = pcap_frames(&fs::read(files.path("out/net0.pcap")).unwrap());
    assert_eq!(s["frames_out"]["net0"], out.len());
    assert_eq!(s["bytes_out"]["net0"], out.iter().map(Vec::len).sum::<usize>());
    assert_eq!(s["translated"], out.len());
    for key in ["host", "net0", "net1", "inject"] {
        assert!(s["frames_in"][key].is_u64(), "{key}");
    }
    for key in ["host", "net0", "net1"] {
        assert!(s["frames_out"][key].is_u64(), "{key}");
    }
    assert!(s["m2m_in"].is_u64() && s["m2m_out"].is_u64() && s["clocks"].as_u64() > Some(0) && s["wall_s"].is_f64());
    assert_eq!(names(&files.path("out")), ["host.pcapng", "net0.pcap", "net1.pcap", "punt.pcapng"]);
}

#[test]
fn the_table_is_for_people() {
    let files = Files::new();
    let text = good(&demo(&files, "out", ""));
    println!("{text}");
    for part in ["in from host", "out to net0", "  translated", "punted", "dropped", "frames a clock", "Gbit/s"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for line in text.lines().filter(|line| !line.starts_with("wrote ")) {
        assert!(line.chars().count() <= 100, "{line}");
    }
    assert_eq!(text.lines().filter(|line| line.starts_with("wrote ")).count(), 4);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_stalls_change_no_frame() {
    let files = Files::new();
    for (out, options) in [("plain", ""), ("a", "--stall 30 --seed 5"), ("b", "--stall 30 --seed 5")] {
        good(&demo(&files, out, options));
    }
    for name in ["host.pcapng", "net0.pcap", "net1.pcap", "punt.pcapng"] {
        let of = |out: &str| fs::read(files.path(out).join(name)).unwrap();
        assert!(of("a") == of("b"), "{name}");
    }
    let frames = |out: &str| pcap_frames(&fs::read(files.path(out).join("net0.pcap")).unwrap());
    assert!(frames("a") == frames("plain") && !frames("a").is_empty());
}

#[test]
fn known_frames_get_what_they_should() {
    let files = Files::new();
    let function =
        |id: u16, mode: &str| format!("[[function]]\nid = {id}\nmode = \"{mode}\"\nmac = \"02:00:00:00:00:0{id}\"\n");
    let rules = nat_rules(1) + &function(2, "pass") + &function(3, "drop");
    let rules = files.write("rules.toml", rules);
    let frame = udp_frame(100);
    let mut arp = frame.clone();
    arp[12..14].copy_from_slice(&[8, 6]);
    let names = ["fn1", "fn2", "fn3", "fn4"].map(Some);
    let sent = [(0, frame.clone()), (1, frame.clone()), (2, frame.clone()), (3, frame.clone()), (0, arp.clone())];
    let capture = files.write("in.pcapng", pcapng(&names, &sent));
    let s = json(&format!("sim --rules {rules} --host-in {capture} --out-dir {} --json", files.arg("out")));
    assert_eq!((&s["translated"], &s["passed"], &s["punted"]), (&1.into(), &1.into(), &1.into()));
    assert_eq!(s["dropped"], json!({ "function_drop": 1, "no_function": 1 }));
    assert_eq!(s["punted_by_reason"], json!({ "unmatched": 1 }));
    let out = pcap_frames(&fs::read(files.path("out/net0.pcap")).unwrap());
    assert_eq!(out.len(), 2);
    assert_eq!(out[1], frame);
    // The source becomes 203.1.0.1; all else but the two checksums stays, and both are right.
    let mut expected = frame.clone();
    expected[26..30].copy_from_slice(&[203, 1, 0, 1]);
    for checksum in [24..26, 40..42] {
        expected[checksum.clone()].copy_from_slice(&out[0][checksum]);
    }
    assert_eq!(out[0], expected);
    assert_eq!(ones_sum(&out[0][14..34]), 0xffff);
    let udp = &out[0][34..];
    let pseudo = [&out[0][26..34], &[0, 17], &(udp.len() as u16).to_be_bytes(), udp].concat();
    assert_eq!(ones_sum(&pseudo), 0xffff);
    let punted = fs::read(files.path("out/punt.pcapng")).unwrap();
    assert!(punted.windows(arp.len()).any(|window| window == arp));
}

#[test]
fn a_capture_without_frames_is_no_error() {
    let files = Files::new();
    let rules = files.write("rules.toml", nat_rules(1));
    let capture = files.write("in.pcap", pcap(1, &[]));
    let out = files.arg("out");
    let s = json(&format!("sim --rules {rules} --host-in {capture} --host-function 1 --out-dir {out} --json"));
    assert_eq!((sum(&s["frames_in"]), sum(&s["frames_out"])), (0, 0));
    assert_eq!(fs::read(files.path("out/net0.pcap")).unwrap().len(), 24);
}

#[test]
fn an_interface_without_frames_needs_no_function() {
    let files = Files::new();
    let rules = files.write("rules.toml", nat_rules(1));
    let capture = files.write("in.pcapng", pcapng(&[None, Some("fn1")], &[(1, udp_frame(10))]));
    let s = json(&format!("sim --rules {rules} --host-in {capture} --out-dir {} --json", files.arg("out")));
    assert_eq!(s["translated"], 1);
}

#[test]
fn frames_of_any_length_a_capture_may_hold_and_the_last_of_all_times() {
    let files = Files::new();
    let rules = files.write("rules.toml", nat_rules(1));
    let mut long = udp_frame(10);
    long.resize(70_000, 0);
    let mut capture = pcapng(&[Some("fn1")], &[(0, udp_frame(10)), (0, long)]);
    // The first record's time, in microseconds, is the last whose nanoseconds fit 64 bits.
    let record = capture.windows(4).position(|w| w == [6, 0, 0, 0]).unwrap();
    let time = u64::MAX / 1000;
    capture[record + 12..record + 16].copy_from_slice(&((time >> 32) as u32).to_le_bytes());
    capture[record + 16..record + 20].copy_from_slice(&(time as u32).to_le_bytes());
    let capture = files.write("in.pcapng", capture);
    let s = json(&format!("sim --rules {rules} --host-in {capture} --out-dir {} --json", files.arg("out")));
    assert_eq!((&s["translated"], &s["dropped"]), (&1.into(), &json!({ "oversize": 1 })));
}

#[test]
fn waveforms() {
    let files = Files::new();
    let rules = files.write("rules.toml", nat_rules(1));
    let capture = files.write("in.pcap", pcap(1, &[udp_frame(100)]));
    let sim = |trace: &str| {
        let (out, trace) = (files.arg("out"), files.arg(trace));
        let text =
            good(&format!("sim --rules {rules} --host-in {capture} --host-function 1 --out-dir {out} --trace {trace}"));
        assert!(text.contains(&format!("wrote {trace}")), "{text}");
        fs::read(&trace).unwrap()
    };
    let vcd = sim("waves.vcd");
    let mut parser = vcd::Parser::new(vcd.as_slice());
    let header = parser.parse_header().unwrap();
    let mut valid = None;
    let mut scopes: Vec<&vcd::Scope> = header.items.iter().filter_map(scope).collect();
    while let Some(here) = scopes.pop() {
        valid = valid.or(here.items.iter().find_map(|item| match item {
            vcd::ScopeItem::Var(var) if var.reference == "m_axis_net0_tvalid" => Some(var.code),
            _ => None,
        }));
        scopes.extend(here.items.iter().filter_map(scope));
    }
    let valid = valid.expect("a port in the waveform");
    let rises = parser.map(|command| command.unwrap());
    let rises = rises.filter(|c| *c == vcd::Command::ChangeScalar(valid, vcd::Value::V1)).count();
    assert!(rises > 0, "the frame leaves in the waveform");

    // FST begins with a header block (type 0) of 329 bytes; its writer's name stands in it.
    let fst = sim("waves.fst");
    assert_eq!(fst[..9], [0, 0, 0, 0, 0, 0, 0, 1, 73]);
    assert!(fst.len() > 1000);
}

fn scope(item: &vcd::ScopeItem) -> Option<&vcd::Scope> {
    match item {
        vcd::ScopeItem::Scope(scope) => Some(scope),
        _ => None,
    }
}

#[test]
fn waveforms_that_a_full_disk_cuts_off() {
    let files = Files::new();
    let rules = files.write("rules.toml", nat_rules(1));
    let capture = files.write("in.pcap", pcap(1, &[udp_frame(100)]));
    let (out, trace) = (files.arg("out"), files.arg("waves.vcd"));
    std::os::unix::fs::symlink("/dev/full", &trace).unwrap();
    let call = format!("sim --rules {rules} --host-in {capture} --host-function 1 --out-dir {out} --trace {trace}");
    let done = run(&mut command(&call));
    assert_eq!((done.code, done.stdout.as_str()), (1, ""), "{}", done.stderr);
    assert!(done.stderr.starts_with("em: ") && !done.stderr.contains("panicked"), "{}", done.stderr);
    assert!(!files.path("out").exists());
}
