//! Every memory is accepted by Verilator without a warning, by Icarus and by yosys.

mod common;

use common::sweep;
use em_tools::Tool;
use hdl::{MemSpec, ir::Dir, verilog::memory_text};

#[test]
fn all_memories_are_clean() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sizes = [(16, 8), (5, 41)];
    let mut specs: Vec<MemSpec> = Vec::new();
    for (depth, width) in sizes {
        specs.extend(sweep(depth, width));
    }
    specs.sort_by_key(MemSpec::module_name);
    specs.dedup_by_key(|s| s.module_name());
    let names: Vec<String> = specs.iter().map(|s| format!("{}.v", s.module_name())).collect();
    for (spec, name) in specs.iter().zip(&names) {
        std::fs::write(folder.join(name), memory_text(spec)).unwrap();
    }
    // One module that instantiates them all: a Verilator run for each would take minutes.
    std::fs::write(folder.join("all.v"), all_of(&specs)).unwrap();
    let mut lint = em_tools::command(Tool::Verilator).unwrap();
    lint.current_dir(folder).args([
        "--lint-only",
        "-Wall",
        "--default-language",
        "1364-2005",
        "--top-module",
        "all",
        "all.v",
    ]);
    let output = em_tools::run(lint.args(&names)).unwrap();
    assert_eq!(output.stderr, "");
    let mut icarus = em_tools::command(Tool::Icarus).unwrap();
    let output =
        em_tools::run(icarus.current_dir(folder).args(["-g2005", "-Wall", "-o", "all.vvp"]).args(&names)).unwrap();
    assert_eq!(output.stderr, "");
    for read in ["read_verilog", "read_verilog -formal", "read_verilog -D EM_TECH_ECP5"] {
        let script: String = names.iter().map(|n| format!("{read} {n}\n")).collect();
        std::fs::write(folder.join("read.ys"), script + "hierarchy\n").unwrap();
        em_tools::run(em_tools::command(Tool::Yosys).unwrap().current_dir(folder).args(["-q", "-s", "read.ys"]))
            .unwrap();
    }
}

/// A module with an instance of each memory, whose pins all lead to ports of their own.
fn all_of(specs: &[MemSpec]) -> String {
    let (mut ports, mut insts) = (Vec::new(), String::new());
    for (i, spec) in specs.iter().enumerate() {
        let clocks = spec.domains().into_iter().map(|d| (d.clk(), "input", 1));
        let pins =
            spec.pins().into_iter().map(|p| (p.name, if p.dir == Dir::In { "input" } else { "output" }, p.width));
        let all: Vec<(String, &str, u32)> = clocks.chain(pins).collect();
        ports.extend(all.iter().map(|(name, dir, width)| format!("    {dir} wire [{}:0] m{i}_{name}", width - 1)));
        let pins: Vec<String> = all.iter().map(|(name, ..)| format!(".{name}(m{i}_{name})")).collect();
        insts += &format!("    {} m{i} ({});\n", spec.module_name(), pins.join(", "));
    }
    format!("module all (\n{}\n);\n{insts}endmodule\n", ports.join(",\n"))
}
