//! `em generate`: what it writes, and that tools accept it.

mod common;

use common::{Files, good, names};
use em_tools::Tool;
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path};

const ECP5: &str = include_str!("../../rtl/profiles/ecp5.toml");

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    names(folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(&name)).unwrap())).collect()
}

fn generated() -> Files {
    let files = Files::new();
    good(&format!("generate --profile ecp5 --out {}", files.arg("out")));
    files
}

fn manifest(files: &Files) -> Value {
    serde_json::from_slice(&fs::read(files.path("out/manifest.json")).unwrap()).unwrap()
}

fn verilog(files: &Files) -> Vec<String> {
    fs::read_to_string(files.path("out/files.f")).unwrap().lines().map(str::to_string).collect()
}

#[test]
fn the_same_bytes_each_time_with_the_permissions_of_any_folder() {
    let files = generated();
    good(&format!("generate --out {}", files.arg("deep/er")));
    let (first, second) = (contents(&files.path("out")), contents(&files.path("deep/er")));
    assert!(first == second && first.len() > 10);
    assert_eq!(names(&files.path("")), ["deep", "out"]);
    assert_eq!(names(&files.path("deep")), ["er"]);
    fs::create_dir(files.path("plain")).unwrap();
    fs::write(files.path("plain/file"), "").unwrap();
    let mode = |name: &str| fs::metadata(files.path(name)).unwrap().permissions();
    assert_eq!(mode("out"), mode("plain"));
    assert_eq!(mode("out/em_top.v"), mode("plain/file"));
}

#[test]
fn a_second_run_replaces_the_first() {
    let files = generated();
    let out = files.arg("out");
    let before = contents(&files.path("out"));
    good(&format!("generate --out {out}"));
    assert!(contents(&files.path("out")) == before);

    files.write("out/own.v", "module own; endmodule\n");
    let config = files.write("small.toml", ECP5.replace("nat_rows = 512", "nat_rows = 1024"));
    good(&format!("generate --config {config} --out {out}"));
    let listed = verilog(&files);
    let mut found: Vec<String> = names(&files.path("out")).into_iter().filter(|n| n.ends_with(".v")).collect();
    found.retain(|name| name != "own.v");
    let mut sorted = listed.clone();
    sorted.sort();
    assert_eq!(found, sorted, "the Verilog of the other profile is gone, the user's own file is not");
    assert!(before.keys().any(|name| name.ends_with(".v") && !listed.contains(name)), "some module was stale");
    assert!(files.path("out/own.v").is_file());
    assert_eq!(manifest(&files)["profile"], "small");
}

#[test]
fn source_lines_change_comments_only() {
    let files = generated();
    good(&format!("generate --source-lines --out {}", files.arg("lines")));
    for name in verilog(&files) {
        let code = |folder: &str| -> Vec<String> {
            let text = fs::read_to_string(files.path(folder).join(&name)).unwrap();
            text.lines()
                .map(|line| line.split("//").next().unwrap().trim_end().to_string())
                .filter(|l| !l.is_empty())
                .collect()
        };
        assert_eq!(code("out"), code("lines"), "{name}");
    }
    assert!(fs::read_to_string(files.path("lines/em_top.v")).unwrap().contains(".rs:"));
}

#[test]
fn verilator_icarus_and_yosys_accept_it() {
    let files = generated();
    let out = files.path("out");
    let run = |tool: Tool, args: &[&str]| {
        let mut command = em_tools::command(tool).unwrap_or_else(|e| panic!("{e}"));
        let output = em_tools::run(command.current_dir(&out).args(args)).unwrap_or_else(|e| panic!("{e}"));
        output.stdout + &output.stderr
    };
    let lint = run(Tool::Verilator, &["--lint-only", "-Wall", "--top-module", "em_top", "-f", "files.f"]);
    assert!(!lint.contains("%Warning"), "{lint}");
    let icarus = run(Tool::Icarus, &["-g2005", "-Wall", "-s", "em_top", "-o", "/dev/null", "-c", "files.f"]);
    // Every file states its own time scale or none does; Icarus only remarks on it.
    assert_eq!(icarus.lines().filter(|l| !l.contains("timescale")).collect::<Vec<_>>(), Vec::<&str>::new());
    let script =
        format!("read_verilog {}; hierarchy -check -top em_top; proc; check -assert", verilog(&files).join(" "));
    let yosys = run(Tool::Yosys, &["-q", "-p", &script]);
    assert!(!yosys.contains("Warning"), "{yosys}");
}

/// Ports as the text of `em_top.v` declares them: name, direction, width.
fn declared_ports(text: &str) -> Vec<(String, String, u64)> {
    let start = text.find("module em_top").expect("the module");
    let list = &text[start..start + text[start..].find(");").expect("the end of the port list")];
    let mut ports = Vec::new();
    for line in list.lines() {
        let code = line.split("//").next().unwrap().trim().trim_end_matches(',');
        let words: Vec<&str> = code.split_whitespace().collect();
        let Some(direction @ ("input" | "output")) = words.first().copied() else { continue };
        let range = words.iter().find_map(|word| word.strip_prefix('[')?.strip_suffix(":0]"));
        let width = range.map_or(1, |msb| msb.parse::<u64>().unwrap() + 1);
        ports.push((words[words.len() - 1].to_string(), direction.to_string(), width));
    }
    ports
}

#[test]
fn the_manifest_lists_every_port_register_and_table() {
    let files = generated();
    let manifest = manifest(&files);
    let listed: Vec<(String, String, u64)> = manifest["ports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| {
            let text = |key: &str| p[key].as_str().unwrap().to_string();
            (text("name"), text("direction"), p["width"].as_u64().unwrap())
        })
        .collect();
    let declared = declared_ports(&fs::read_to_string(files.path("out/em_top.v")).unwrap());
    assert_eq!(listed, declared);
    assert_eq!(listed.len(), 2 + 8 * 6 + 1 + 19);

    let in_manifest: Vec<&str> = manifest["files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    assert_eq!(in_manifest, verilog(&files));
    assert!(in_manifest.iter().all(|name| files.path("out").join(name).is_file()));

    // The page is for people; each row of its tables is a register or a counter of the manifest.
    let page = fs::read_to_string(files.path("out/registers.md")).unwrap();
    let on_page: Vec<(u64, &str)> = page
        .lines()
        .filter_map(|line| {
            let (address, rest) = line.strip_prefix("| 0x")?.split_once(" | ")?;
            Some((u64::from_str_radix(address, 16).ok()?, rest.split(" | ").next()?))
        })
        .collect();
    let map = &manifest["registers"];
    let both = map["registers"].as_array().unwrap().iter().chain(map["counters"].as_array().unwrap());
    let in_map: Vec<(u64, &str)> = both.map(|r| (r["offset"].as_u64().unwrap(), r["name"].as_str().unwrap())).collect();
    assert_eq!(in_map, on_page);
    assert!(in_map.len() > 30);

    // The tables' rows stand in the file of the profile.
    let table = ECP5.parse::<toml::Table>().unwrap()["table"].clone();
    for (number, key) in ["nat_rows", "nat_rows", "mac_rows", "functions", "next_hops"].into_iter().enumerate() {
        assert_eq!(map["tables"][number]["rows"].as_i64(), table[key].as_integer(), "{key}");
    }
    assert_eq!(map["tables"][0]["rated"], common::RATED);
}
