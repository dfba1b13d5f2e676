//! Each tool that `./scripts/setup` installs does a small piece of the work it is there for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use em_tools::{Output, Tool, command, find, run};

/// A file of the small design in `tests/toy`.
fn toy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toy").join(name)
}

/// The hand-written skid buffer, 512 bits wide.
fn skid() -> PathBuf {
    em_tools::root().expect("the project's folder").join("fpga/reference/skid.v")
}

/// An empty folder for one test.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn tool(tool: Tool) -> Command {
    command(tool).unwrap_or_else(|error| panic!("{error}"))
}

fn done(command: &mut Command) -> Output {
    run(command).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_tool_is_there() {
    for tool in Tool::ALL.into_iter().filter(|&tool| tool != Tool::NextpnrEcp5) {
        find(tool).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn verilator_lints() {
    done(
        tool(Tool::Verilator)
            .args(["--lint-only", "-Wall", "-Wno-MULTITOP", "--top-module", "skid", "-Wno-DECLFILENAME"])
            .arg(skid()),
    );
}

#[test]
fn verilator_says_what_is_wrong() {
    let folder = fresh("lint");
    let file = folder.join("wide.v");
    fs::write(&file, "module wide (input wire [7:0] a, output wire [3:0] b);\n  assign b = a;\nendmodule\n").unwrap();
    let error = run(tool(Tool::Verilator).args(["--lint-only", "-Wall"]).arg(&file)).unwrap_err().to_string();
    assert!(error.contains("WIDTHTRUNC"), "{error}");
}

#[test]
fn verilator_builds_a_model_that_runs() {
    let folder = fresh("model");
    let mut build = tool(Tool::Verilator);
    build.args(["--cc", "--exe", "--build", "-j", "1", "--top-module", "fill", "-Mdir"]).arg(&folder);
    done(build.args([toy("fill.v"), toy("main.cpp")]));
    assert_eq!(done(&mut Command::new(folder.join("Vfill"))).stdout, "level 3\n");
    assert!(em_tools::verilator_root().unwrap().join("include/verilated.cpp").is_file());
}

#[test]
fn icarus_compiles_and_runs() {
    let program = fresh("icarus").join("bench.vvp");
    done(tool(Tool::Icarus).args(["-g2005", "-Wall", "-o"]).arg(&program).args([toy("bench.v"), toy("fill.v")]));
    let output = done(tool(Tool::Vvp).arg("-n").arg(&program));
    assert!(output.stdout.starts_with("level 2\n"), "{}", output.stdout);
}

#[test]
fn yosys_synthesises_for_ecp5() {
    let folder = fresh("yosys");
    let script = "synth_ecp5 -top skid; tee -q -o stat.json stat -json";
    done(tool(Tool::Yosys).current_dir(&folder).args(["-q", "-l", "yosys.log", "-p", script]).arg(skid()));
    let stat = fs::read_to_string(folder.join("stat.json")).unwrap();
    assert!(stat.contains("TRELLIS_FF") && stat.contains("LUT4"), "{stat}");
    assert!(fs::read_to_string(folder.join("yosys.log")).unwrap().contains("Executing SYNTH_LATTICE pass"));
}

#[test]
fn yosys_fails_on_an_error_and_says_which() {
    let error = run(tool(Tool::Yosys).args(["-q", "-p", "read_verilog no-such-file.v"])).unwrap_err().to_string();
    assert!(error.contains("ERROR: File `no-such-file.v' not found"), "{error}");
}

#[test]
fn sby_proves_a_property_by_induction() {
    let folder = fresh("sby");
    let output =
        done(tool(Tool::Sby).args(["-f", "-d"]).arg(folder.join("fill")).arg(toy("fill.sby")).current_dir(toy("")));
    assert!(output.stdout.contains("successful proof by k-induction"), "{}", output.stdout);
}

#[test]
fn sby_refutes_a_property_that_does_not_hold() {
    let folder = fresh("sby-false");
    let design = fs::read_to_string(toy("fill.v")).unwrap();
    fs::write(folder.join("fill.v"), design.replace("level <= 4'd8)", "level <= 4'd7)")).unwrap();
    fs::copy(toy("fill.sby"), folder.join("fill.sby")).unwrap();
    let error = run(tool(Tool::Sby).args(["-f", "fill.sby"]).current_dir(&folder)).unwrap_err().to_string();
    assert!(error.contains("DONE (FAIL"), "{error}");
}

#[test]
fn tshark_decodes_the_capture() {
    let capture = em_tools::root().expect("the project's folder").join("testbench/captures/kernel-mix.pcap");
    let output = done(tool(Tool::Tshark).args(["-n", "-c", "10", "-r"]).arg(capture));
    assert_eq!(output.stdout.lines().count(), 10);
}

#[test]
fn python_imports_scapy() {
    let script = "from scapy.layers.inet import IP, UDP; print(len(bytes(IP() / UDP())))";
    assert_eq!(done(tool(Tool::Python).args(["-c", script])).stdout, "28\n");
}
