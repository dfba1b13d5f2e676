//! The demo, judged by others: the capture goes through the emitted Verilog with the demo's rules, the frames are counted
//! as the golden model says, and what comes out is read by tshark and by scapy, which know nothing of this project.

use em_model::{Model, ModelConfig, Verdict};
use em_rtl::{config::Profile, outcome::Kind};
use em_rules::Rules;
use em_sim::{
    capture,
    em::{Input, Output, PortCount, Request, Summary, run},
};
use em_tools::Tool;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::LazyLock,
};

/// A file of the testbench.
fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Function that the demo's frames come from.
const FUNCTION: u16 = 1;

/// The demo, run once for all tests.
static DEMO: LazyLock<(Summary, PathBuf)> = LazyLock::new(|| {
    let out_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("demo");
    let request = Request {
        inputs: [(Input::Host, file("captures/kernel-mix.pcap"))].into(),
        host_function: Some(FUNCTION),
        clock_mhz: 156.25,
        ..Request::new(Profile::named("ecp5").unwrap(), file("demo/rules.toml"), out_dir.clone())
    };
    (run(&request, |_| {}, |_, _| {}).unwrap_or_else(|e| panic!("{e}")), out_dir)
});

fn net0() -> PathBuf {
    DEMO.1.join("net0.pcap")
}

#[test]
fn frames_are_counted_and_written_as_the_model_says() {
    let summary = &DEMO.0;
    let rules = Rules::load(file("demo/rules.toml")).unwrap();
    let mut model = Model::new(&rules, ModelConfig::default()).unwrap();
    let input = capture::read(&file("captures/kernel-mix.pcap")).unwrap();
    let (mut forwarded, mut punted) = (Vec::new(), Vec::new());
    let mut reasons: [BTreeMap<&str, u64>; 2] = Default::default();
    for frame in &input.frames {
        match model.host_tx(FUNCTION, false, &frame.data) {
            Verdict::Forward { frame, .. } => forwarded.push(frame),
            Verdict::Punt { reason, frame, .. } => {
                *reasons[0].entry(reason.name()).or_default() += 1;
                punted.push(frame);
            }
            Verdict::Drop(reason) => *reasons[1].entry(reason.name()).or_default() += 1,
        }
    }
    println!("in {}, net0 {}, {reasons:?}", input.frames.len(), forwarded.len());
    assert_eq!((&summary.punted, &summary.dropped), (&reasons[0], &reasons[1]));
    let counters = &summary.replay.counters;
    let bytes = |frames: &[Vec<u8>]| frames.iter().map(|f| f.len() as u64).sum::<u64>();
    let count = |frames: &[Vec<u8>]| PortCount { frames: frames.len() as u64, bytes: bytes(frames) };
    let sent: Vec<Vec<u8>> = input.frames.iter().map(|f| f.data.clone()).collect();
    assert_eq!(counters.input(Input::Host), count(&sent));
    assert_eq!(counters.output(Output::Net0), count(&forwarded));
    assert_eq!(counters.output(Output::Punt), count(&punted));
    let dropped = counters.total(Kind::Drop);
    assert_eq!(sent.len() as u64, (forwarded.len() + punted.len()) as u64 + dropped, "in = out + punted + dropped");
    // What was written, read back.
    let written = |name: &str| -> Vec<Vec<u8>> {
        capture::read(&DEMO.1.join(name)).unwrap().frames.into_iter().map(|f| f.data).collect()
    };
    assert!(written("net0.pcap") == forwarded, "net0.pcap holds other frames");
    assert!(written("punt.pcapng") == punted, "punt.pcapng holds other frames");
}

/// A copy of `net0.pcap` with one bit flipped in the last byte of its first TCP segment with a payload.
fn spoiled() -> PathBuf {
    let mut frames = capture::read(&net0()).unwrap().frames;
    let is_data = |f: &[u8]| f[23] == 6 && f.len() > 80;
    let first = frames.iter_mut().find(|f| is_data(&f.data)).expect("a TCP segment with a payload");
    *first.data.last_mut().unwrap() ^= 1;
    let path = DEMO.1.join("spoiled.pcap");
    let mut file = capture::PcapFile::create(&path).unwrap();
    frames.iter().for_each(|f| file.write(f.time_ns, &f.data).unwrap());
    file.finish().unwrap();
    path
}

/// Fields of each packet of a capture, as tshark reads them with every checksum validated; in `fields` order, a field
/// that stands several times joined by commas.
fn tshark(capture: &Path, fields: &[&str]) -> Vec<Vec<String>> {
    let mut command = em_tools::command(Tool::Tshark).unwrap_or_else(|e| panic!("{e}"));
    command.arg("-r").arg(capture).args(["-T", "fields"]);
    for preference in ["ip.check_checksum", "tcp.check_checksum", "udp.check_checksum"] {
        command.args(["-o", &format!("{preference}:TRUE")]);
    }
    // The capture's datagrams to port 5353 carry no DNS.
    command.args(["--disable-protocol", "mdns"]);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = em_tools::run(&mut command).unwrap_or_else(|e| panic!("{e}"));
    output.stdout.lines().map(|line| line.split('\t').map(str::to_string).collect()).collect()
}

#[test]
fn tshark_finds_every_checksum_good_and_nothing_malformed() {
    const GOOD: &str = "1";
    const NOT_PRESENT: &str = "3";
    let fields = [
        "frame.number",
        "frame.protocols",
        "ip.checksum.status",
        "tcp.checksum.status",
        "udp.checksum.status",
        "icmp.checksum.status",
        "_ws.malformed",
        "ip.flags.mf",
        "ip.frag_offset",
        "ip.proto",
    ];
    let packets = tshark(&net0(), &fields);
    assert_eq!(packets.len() as u64, DEMO.0.replay.counters.output(Output::Net0).frames, "tshark reads every frame");
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for packet in &packets {
        // Of an ICMP error the values of the quoted headers follow behind commas.
        let all = |name: &str| packet[fields.iter().position(|f| *f == name).unwrap()].as_str();
        let field = |name: &str| all(name).split(',').next().unwrap();
        let place = format!("frame {} ({})", field("frame.number"), field("frame.protocols"));
        assert_eq!(field("_ws.malformed"), "", "{place} is malformed");
        // An ICMP error has two IPv4 headers: its own, and the one that it quotes.
        assert!(field("ip.checksum.status").split(',').all(|status| status == GOOD), "{place}");
        *counts.entry("ip good".into()).or_default() += 1;
        let fragment = !matches!(field("ip.flags.mf"), "0" | "False") || field("ip.frag_offset") != "0";
        for (name, protocol) in [("tcp", "6"), ("udp", "17"), ("icmp", "1")] {
            let status = field(&format!("{name}.checksum.status"));
            if field("ip.proto").split(',').next() != Some(protocol) {
                continue;
            }
            // tshark judges fragments on the one that completes them, where it judges the whole.
            let allowed = status == GOOD || (name == "udp" && status == NOT_PRESENT) || (fragment && status.is_empty());
            assert!(allowed, "{place}: {name}.checksum.status is `{status}`");
            let word = match status {
                GOOD => "good",
                NOT_PRESENT => "not present",
                _ => "in a fragment",
            };
            *counts.entry(format!("{name} {word}")).or_default() += 1;
        }
    }
    println!("{counts:?}");
    assert!(["tcp good", "udp good", "icmp good"].iter().all(|what| counts.contains_key(*what)), "{counts:?}");
    // All of them are the outside addresses' own.
    for source in tshark(&net0(), &["ip.src"]).iter().flatten() {
        // The first is the frame's own; an ICMP error quotes another.
        let own = source.split(',').next().unwrap_or_default();
        assert!(["203.0.113.5", "203.0.113.6"].contains(&own), "source {source}");
    }
}

/// What `checksums.py` prints about a capture, by lines.
fn scapy(capture: &Path) -> Vec<String> {
    let mut command = em_tools::command(Tool::Python).unwrap_or_else(|e| panic!("{e}"));
    let output = em_tools::run(command.arg(file("demo/checksums.py")).arg(capture)).unwrap_or_else(|e| panic!("{e}"));
    output.stdout.lines().map(str::to_string).collect()
}

#[test]
fn scapy_recomputes_every_checksum_and_agrees() {
    let lines = scapy(&net0());
    println!("{}", lines.join("\n"));
    assert_eq!(lines.len(), 1, "wrong checksums:\n{}", lines.join("\n"));
    let words: Vec<&str> = lines[0].split(' ').collect();
    let counts: BTreeMap<&str, u64> = words.chunks(2).map(|w| (w[0], w[1].parse().unwrap())).collect();
    assert_eq!(counts["ip"], DEMO.0.replay.counters.output(Output::Net0).frames, "every frame forwarded is IPv4");
    assert!(["tcp", "udp", "icmp", "whole"].iter().all(|what| counts[what] > 0), "{counts:?}");
    assert_eq!(counts["lone_fragments"], 0);
}

/// The judges do judge: one wrong bit is found by each.
#[test]
fn a_wrong_bit_is_found_by_both() {
    let path = spoiled();
    let bad = tshark(&path, &["tcp.checksum.status"]).iter().filter(|packet| packet[0] == "0").count();
    assert_eq!(bad, 1);
    let lines = scapy(&path);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("tcp checksum is"), "{lines:?}");
}
