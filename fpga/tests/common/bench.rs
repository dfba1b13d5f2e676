//! Two bodies of a memory side by side in Icarus.

use em_tools::Tool;
use hdl::{
    MemSpec,
    ir::Dir,
    memory::MemKind::{Rom, TrueDual},
};

/// Compiles the files, in order, and runs them; what they print.
pub fn icarus(files: &[String]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut compile = em_tools::command(Tool::Icarus).unwrap();
    compile.current_dir(folder.path()).args(["-g2005", "-o", "bench.vvp"]);
    for (i, text) in files.iter().enumerate() {
        let name = format!("{i}.v");
        std::fs::write(folder.path().join(&name), text).unwrap();
        compile.arg(name);
    }
    em_tools::run(&mut compile).unwrap();
    let mut simulate = em_tools::command(Tool::Vvp).unwrap();
    em_tools::run(simulate.current_dir(folder.path()).args(["-n", "bench.vvp"])).unwrap().stdout.trim().to_string()
}

/// The memory and another of the same name with a suffix, on the same pins. Ports stay on words of opposite parity, which change over while both rest.
pub fn bench(spec: &MemSpec, suffix: &str) -> String {
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
    text +=
        &format!("  {name} generic ({});\n  {name}_{suffix} other ({});\n", connections.join(", "), other.join(", "));
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
    if spec.output_enable {
        text += &format!("  always @(negedge {}) oe = $random;\n", clock(true));
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
