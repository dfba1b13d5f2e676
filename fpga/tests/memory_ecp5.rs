//! The body of ECP5 primitives behaves as the generic one: both are run side by side in Icarus, with this project's own
//! models of the primitives (`ecp5/models.v`).

mod common;

use common::{plain, words};
use em_tools::Tool;
use hdl::{
    MemSpec,
    ir::Dir,
    memory::MemKind::{self, *},
    verilog::memory_text,
};

/// Runs both bodies with random stimulus that avoids what is undefined; what the bench prints.
fn run(spec: &MemSpec, ecp5: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("models.v", include_str!("ecp5/models.v"));
    write("generic.v", &memory_text(spec));
    write("ecp5.v", &format!("`define EM_TECH_ECP5\n{ecp5}"));
    write("bench.v", &bench(spec));
    let mut compile = em_tools::command(Tool::Icarus).unwrap();
    compile.current_dir(folder.path()).args([
        "-g2005",
        "-o",
        "bench.vvp",
        "bench.v",
        "generic.v",
        "models.v",
        "ecp5.v",
    ]);
    em_tools::run(&mut compile).unwrap();
    let mut simulate = em_tools::command(Tool::Vvp).unwrap();
    em_tools::run(simulate.current_dir(folder.path()).args(["-n", "bench.vvp"])).unwrap().stdout.trim().to_string()
}

fn ecp5_text(spec: &MemSpec) -> String {
    let name = spec.module_name();
    memory_text(spec).replace(&format!("module {name} ("), &format!("module {name}_ecp5 ("))
}

fn agrees(spec: MemSpec) {
    assert_eq!(run(&spec, &ecp5_text(&spec)), "agree", "{}", spec.module_name());
}

/// Both memories on the same pins. Ports stay on words of opposite parity, which change over while both rest.
fn bench(spec: &MemSpec) -> String {
    let (name, depth) = (spec.module_name(), spec.depth);
    let mut text = String::from("module bench;\n");
    let domains = spec.domains();
    for (d, half) in domains.iter().zip([5, 7]) {
        text += &format!("  reg {c} = 0;\n  always #{half} {c} = ~{c};\n", c = d.clk());
    }
    text += "  reg run = 0, parity = 0;\n  integer i, compared = 0;\n";
    let clock = |second: bool| domains[usize::from(second).min(domains.len() - 1)].clk();
    let mut connections: Vec<String> = domains.iter().map(|d| format!(".{c}({c})", c = d.clk())).collect();
    let mut other = connections.clone();
    for pin in spec.pins() {
        let (n, range) = (&pin.name, format!("[{}:0]", pin.width - 1));
        if pin.dir == Dir::In {
            text += &format!("  reg {range} {n} = 0;\n");
            connections.push(format!(".{n}({n})"));
            other.push(format!(".{n}({n})"));
        } else {
            text += &format!("  wire {range} g_{n}, e_{n};\n");
            connections.push(format!(".{n}(g_{n})"));
            other.push(format!(".{n}(e_{n})"));
        }
    }
    text += &format!("  {name} generic ({});\n  {name}_ecp5 ecp5 ({});\n", connections.join(", "), other.join(", "));
    // (prefix, enable, address, writes, second clock, parity)
    let sides: &[(&str, &str, &str, bool, bool)] = match spec.kind {
        TrueDual => &[("a_", "a_en", "a_addr", true, false), ("b_", "b_en", "b_addr", true, true)],
        Rom => &[("", "re", "raddr", false, false)],
        _ => &[("", "we", "waddr", true, false), ("", "re", "raddr", false, true)],
    };
    for (i, &(p, en, addr, writes, second)) in sides.iter().enumerate() {
        let wide = "{8{$random, $random}}";
        let data = if writes { format!("{p}wdata = {wide};") } else { String::new() };
        let strb = if writes && spec.lane.is_some() { format!("{p}wstrb = $random;") } else { String::new() };
        let we = if spec.kind == TrueDual { format!("{p}we = $random;") } else { String::new() };
        text += &format!(
            "  always @(negedge {}) begin\n    {en} = run && $random;\n    {addr} = ($unsigned($random) % ({depth} / 2)) * 2 + (parity ^ {i});\n    {data} {strb} {we}\n  end\n",
            clock(second)
        );
        if spec.kind == TrueDual || !writes {
            text += &format!(
                "  reg {p}seen = 0;\n  always @(posedge {c}) if (start) {p}seen <= 1;\n  always @(negedge {c}) if ({p}seen) begin\n    compared = compared + 1;\n    if (g_{p}rdata !== e_{p}rdata) begin $display(\"differ\"); $finish; end\n  end\n",
                c = clock(second)
            );
        }
    }
    text += "  reg start = 0;\n  initial begin\n";
    // What is never written is undefined: fill the memory, then let each port read once before anything is compared.
    if spec.init.is_none() {
        let (we, addr, data) =
            if spec.kind == TrueDual { ("a_we", "a_addr", "a_wdata") } else { ("we", "waddr", "wdata") };
        text += &format!(
            "    for (i = 0; i < {depth}; i = i + 1) begin\n      @(negedge {}); #1;\n      {we} = 1; {addr} = i; {data} = {{8{{$random, $random}}}};",
            clock(false)
        );
        if spec.kind == TrueDual {
            text += " a_en = 1;";
        }
        if spec.lane.is_some() {
            text += &format!(" {} = -1;", if spec.kind == TrueDual { "a_wstrb" } else { "wstrb" });
        }
        text += "\n    end\n";
    }
    text += "    #40 run = 1; #400 start = 1;\n    for (i = 0; i < 100; i = i + 1) begin #600 run = 0; #60 parity = ~parity; #60 run = 1; end\n";
    text += "    if (compared > 3000) $display(\"agree\"); else $display(\"only %0d compared\", compared);\n    $finish;\n  end\nendmodule\n";
    text
}

fn registered(kind: MemKind, depth: u32, width: u32, lane: Option<u32>, two_clocks: bool) -> MemSpec {
    MemSpec { latency: 2, lane, two_clocks, ..plain(kind, depth, width) }
}

#[test]
fn simple_dual_port() {
    for (depth, width, lane) in [
        (512, 36, None),
        (100, 70, None),
        (1500, 36, None),
        (3000, 9, None),
        (4096, 4, None),
        (9000, 2, None),
        (20000, 1, None),
        (512, 64, Some(8)),
        (1500, 32, Some(16)),
        (2048, 18, Some(9)),
        (2048, 8, Some(8)),
    ] {
        for two_clocks in [false, true] {
            agrees(registered(SimpleDual, depth, width, lane, two_clocks));
        }
    }
}

#[test]
fn true_dual_port() {
    for (depth, width, lane) in [
        (512, 36, None),
        (1500, 40, None),
        (4096, 4, None),
        (1024, 32, Some(8)),
        (1500, 32, Some(16)),
        (4096, 8, Some(8)),
    ] {
        for two_clocks in [false, true] {
            agrees(registered(TrueDual, depth, width, lane, two_clocks));
        }
    }
}

#[test]
fn contents() {
    let filled = |kind, depth, width, lane| MemSpec {
        init: Some(words(depth, width)),
        ..registered(kind, depth, width, lane, false)
    };
    for (depth, width) in [(1500, 20), (2048, 9), (4096, 4), (8192, 2), (64, 36)] {
        agrees(filled(Rom, depth, width, None));
        agrees(filled(SimpleDual, depth, width, None));
        agrees(filled(TrueDual, depth, width, None));
    }
    agrees(filled(SimpleDual, 1500, 32, Some(8)));
    agrees(filled(TrueDual, 1500, 32, Some(16)));
}

/// The bench sees a block without its register, a wrong row, a lost byte enable.
#[test]
fn a_broken_body_differs() {
    let spec = registered(SimpleDual, 3000, 32, Some(8), false);
    let good = ecp5_text(&spec);
    for (from, to) in [
        ("REGMODE_B(\"OUTREG\")", "REGMODE_B(\"NOREG\")"),
        ("out_row <= read_row", "out_row <= raddr[11:10]"),
        ("byte_en[2 * col +: 2]", "2'b11"),
    ] {
        assert!(good.contains(from), "{from}\n{good}");
        assert_eq!(run(&spec, &good.replace(from, to)), "differ", "{from}");
    }
}
