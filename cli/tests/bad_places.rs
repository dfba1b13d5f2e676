//! Profiles, output folders and waveform files that are refused, and tools that are missing.

mod common;

use common::{
    Files,
    captures::{pcap, udp_frame},
    command, good, names, nat_rules, project, refused, refuses, run,
};
use std::{fs, path::Path, process::Stdio};

const ECP5: &str = include_str!("../../rtl/profiles/ecp5.toml");

/// `em sim` of one frame, without its output folder.
fn sim(files: &Files) -> String {
    let rules = files.write("rules.toml", nat_rules(1));
    let capture = files.write("in.pcap", pcap(1, &[udp_frame(10)]));
    format!("sim --rules {rules} --host-in {capture} --host-function 1")
}

#[test]
fn profiles() {
    let files = Files::new();
    let out = files.arg("out");
    let generate = format!("generate --out {out}");
    let rules = files.write("rules.toml", nat_rules(1));
    for call in [&generate, &format!("rules check {rules}"), &format!("{} --out-dir {out}", sim(&files))] {
        refused(
            &format!("{call} --profile ecp6"),
            &["no profile `ecp6`", "built in: small, ecp5, line100", "--config FILE"],
        );
        let missing = files.arg("nowhere.toml");
        refused(&format!("{call} --config {missing}"), &[&missing, "cannot be read", "Check the path"]);
        let config = files.write("mine.toml", ECP5.replace("[buffer]", "[buffer]\ncolour = 1"));
        let line = 1 + ECP5.lines().take_while(|l| *l != "[buffer]").count() + 1;
        refused(&format!("{call} --config {config}"), &[&format!("{config}:{line}: "), "colour", "rtl/profiles"]);
    }
    let config = |text: String, parts: &[&str]| {
        let config = files.write("mine.toml", text);
        let place = format!("em: {config}:");
        refused(&format!("{generate} --config {config}"), &[&[place.as_str()], parts].concat());
    };
    config(ECP5.replace("data_w = 128\n", ""), &["data_w", "rtl/profiles show each key"]);
    config(ECP5.replace("data_w = 128", "data_w = \"128\""), &["128", "u32"]);
    config(ECP5.replace("data_w = 128", "data_w = -1"), &["-1"]);
    config(ECP5.replace("data_w = 128", "data_w = "), &[]);
    config(
        ECP5.replace("ingress_pages = 64", "ingress_pages = 20"),
        &["buffer.ingress_pages = 20", "a power of two from 16 to 256"],
    );
    // Fields that clash: the longest frame does not fit the buffer.
    config(
        ECP5.replace("ingress_beats = 1024", "ingress_beats = 512"),
        &["buffer.ingress_beats = 512 does not suit max_frame = 9216", "from 1024"],
    );
    let binary = files.write("binary.toml", b"\xff\xfe");
    refused(&format!("{generate} --config {binary}"), &[&binary, "UTF-8"]);
    assert!(!Path::new(&out).exists());
}

#[test]
fn arguments_that_clash() {
    let files = Files::new();
    let config = files.write("mine.toml", ECP5);
    for (args, part) in [
        (format!("generate --profile ecp5 --config {config} --out x"), "cannot be used with"),
        ("generate".into(), "--out <DIR>"),
        (format!("{} --out-dir x --stall 96", sim(&files)), "0..=95"),
        (format!("{} --out-dir x --seed one", sim(&files)), "invalid digit"),
        ("sim --rules r --host-in c --out-dir x --host-function 65536".into(), "65536"),
        (format!("{} --out-dir x --clock-mhz 0", sim(&files)), "1 to 10000 MHz"),
        (format!("{} --out-dir x --clock-mhz nan", sim(&files)), "1 to 10000 MHz"),
        ("frobnicate".into(), "unrecognized subcommand"),
    ] {
        let done = run(&mut command(&args));
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{args}");
        assert!(done.stderr.contains(part) && !done.stderr.contains("panicked"), "{args}\n{}", done.stderr);
    }
}

#[test]
fn waveform_files() {
    let files = Files::new();
    let sim = format!("{} --out-dir {}", sim(&files), files.arg("out"));
    for name in ["waves.txt", "waves", "vcd", "waves.VCD.gz"] {
        let trace = files.arg(name);
        refused(&format!("{sim} --trace {trace}"), &[&trace, "neither in .vcd nor in .fst", "one of these endings"]);
    }
    fs::create_dir(files.path("folder.vcd")).unwrap();
    for name in ["folder.vcd", "nowhere/waves.vcd"] {
        let trace = files.arg(name);
        refused(&format!("{sim} --trace {trace}"), &[&trace, "cannot be written", "Check the path"]);
    }
    assert!(!files.path("out").exists());
}

#[test]
fn output_folders_that_are_files_or_cannot_be_written() {
    let files = Files::new();
    let file = files.write("file", "mine");
    let below = files.arg("file/below");
    let remedy = "Check the path and its permissions.";
    for place in [&file, &below] {
        refused(&format!("{} --out-dir {place}", sim(&files)), &[place, remedy]);
    }
    refused(&format!("generate --out {file}"), &[&file, "is a file. Give the path of a folder."]);
    refused(&format!("generate --out {below}"), &[&below, remedy]);
    refused(&format!("prove skid --keep {below}"), &[&below, remedy]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");

    let locked = files.arg("locked");
    fs::create_dir(&locked).unwrap();
    let mut permissions = fs::metadata(&locked).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&locked, permissions).unwrap();
    // The superuser may write everywhere; `/proc` takes no folders from anybody.
    let superuser = fs::write(files.path("locked/x"), "").is_ok();
    let places = if superuser { vec!["/proc/em".to_string()] } else { vec![locked.clone(), locked + "/below"] };
    for place in places {
        refused(&format!("{} --out-dir {place}", sim(&files)), &[&place, remedy]);
        refused(&format!("generate --out {place}"), &[remedy]);
    }
}

#[test]
fn a_folder_with_other_things() {
    let files = Files::new();
    let out = files.arg("");
    files.write("manifest.json", "{\"name\": \"a web page\"}");
    files.write("thesis.txt", "years of work");
    refused(&format!("generate --out {out}"), &[&out, "not written by `em generate`", "Give a new folder"]);
    assert_eq!(names(&files.path("")), ["manifest.json", "thesis.txt"]);
    assert!(fs::read_to_string(files.path("manifest.json")).unwrap().contains("a web page"));
}

#[test]
fn missing_tools() {
    let files = Files::new();
    let bare = files.arg("bare");
    fs::create_dir(&bare).unwrap();
    let out = files.arg("out");
    let sim = format!("{} --out-dir {out}", sim(&files));
    for (call, tool) in [(sim.as_str(), "verilator"), ("prove skid", "sby"), ("area", "yosys")] {
        let mut command = command(call);
        command.env("PATH", &bare).env("EM_ROOT", &bare).env("EM_CACHE", files.arg("cache")).env_remove("VERILATOR");
        let says = format!("{tool} is not installed. Run `./scripts/setup");
        refuses(run(&mut command), 1, call, &[&says]);
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let files = Files::new();
    let rules = files.write("R.toml", nat_rules(1500));
    let mut child =
        command(&format!("rules program {rules}")).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), String::from_utf8_lossy(&done.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn help_fits_a_terminal() {
    for call in ["", "generate ", "sim ", "rules ", "rules check ", "rules program ", "prove ", "area "] {
        let help = good(&format!("{call}--help"));
        assert!(help.contains("Usage: em"), "{help}");
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "em {call}--help: {line}");
        }
    }
    assert!(project().join("docs/em.md").is_file());
}

#[test]
fn outputs_that_something_else_is_in_the_way_of() {
    let files = Files::new();
    let out = files.arg("out");
    fs::create_dir_all(files.path("out/punt.pcapng")).unwrap();
    files.write("out/net0.pcap", "mine");
    refused(&format!("{} --out-dir {out}", sim(&files)), &["punt.pcapng is in the way", "Remove it"]);
    assert_eq!(fs::read_to_string(files.path("out/net0.pcap")).unwrap(), "mine");
}

#[test]
fn outputs_that_are_inputs() {
    let files = Files::new();
    fs::create_dir(files.path("out")).unwrap();
    let rules = files.write("out/punt.pcapng", nat_rules(1));
    let capture = files.write("out/net0.pcap", pcap(1, &[udp_frame(10)]));
    let other_rules = files.write("rules.vcd", nat_rules(1));
    let other_capture = files.write("in.pcap", pcap(1, &[udp_frame(10)]));
    let (out, roundabout, new) = (files.arg("out"), files.arg("out/../out"), files.arg("new"));
    let before = fs::read(&capture).unwrap();
    for (rules, capture, rest) in [
        (&other_rules, &capture, format!("--out-dir {roundabout}")),
        (&rules, &other_capture, format!("--out-dir {out}")),
        (&other_rules, &other_capture, format!("--out-dir {new} --trace {other_rules}")),
    ] {
        let call = format!("sim --rules {rules} --host-in {capture} --host-function 1 {rest}");
        refused(&call, &["would overwrite", "Give another path"]);
    }
    assert_eq!(fs::read(&capture).unwrap(), before);
    assert_eq!(fs::read_to_string(&other_rules).unwrap(), nat_rules(1));
    assert!(!Path::new(&new).exists());
}
