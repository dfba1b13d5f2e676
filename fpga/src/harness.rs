//! A frame of registers around a block, so that it can be placed and routed alone on a real part with a few pins.
//!
//! ```text
//!            ┌───────┐ one bit an input ┌───────┐ one bit an output  ┌──────────────┐
//!   lfsr ───▶│ shift │─────────────────▶│  dut  │───────────────────▶│ fold0, fold1 │───▶ out
//!            │       │                  │       │                    │ ...          │
//!            └───────┘                  └───────┘                    └──────────────┘
//! ```
//! 1. Every input bit comes from a flip-flop of its own, every output bit goes to one: a path through the block is timed as
//!    one between registered neighbours, and nothing of the block can be pruned.
//! 2. Between two flip-flops of the frame is one lookup table at most, so that its own paths are never critical.
//! 3. The reset is a register's too, so that its fan-out is timed.
//! 4. Each clock of the block has its pin, its shift register and its fold; signals of no clock take the first one.

use hdl::ir::{Dir, Domain, Module};
use std::fmt::Write;

/// Name of the frame's module.
pub const TOP: &str = "harness";
/// Name of the block's instance in it.
pub const INSTANCE: &str = "dut";

/// Inputs of one exclusive or: what one lookup table takes.
const FAN_IN: u32 = 4;

/// The signals of one clock.
struct Side {
    clk: String,
    /// Does the block have this clock's port?
    clk_pin: bool,
    rst: Option<String>,
    /// `NAME_` in front of the frame's own registers; nothing for the default clock.
    prefix: String,
    inputs: Vec<(String, u32)>,
    outputs: Vec<(String, u32)>,
}

/// The Verilog of the frame around `module`.
pub fn verilog(module: &Module) -> String {
    let sides = sides(module);
    let mut text = format!(
        "// Drives every input of `{0}` from a shift register and folds its outputs to a pin for each clock.\n\
         `default_nettype none\n\nmodule {TOP} (\n",
        module.name
    );
    let mut ports: Vec<String> = Vec::new();
    for side in &sides {
        ports.push(format!("    input  wire {}", side.clk));
        ports.extend(side.rst.as_ref().map(|rst| format!("    input  wire {rst}")));
        ports.extend((!side.outputs.is_empty()).then(|| format!("    output wire {}out", side.prefix)));
    }
    text += &ports.join(",\n");
    text += "\n);\n";
    let mut pins = Vec::new();
    for side in &sides {
        side.drive(&mut text, &mut pins);
    }
    for side in &sides {
        side.declare_outputs(&mut text, &mut pins);
    }
    write_all(
        &mut text,
        format_args!("\n    {} {INSTANCE} (\n        {}\n    );\n", module.name, pins.join(",\n        ")),
    );
    for side in &sides {
        side.fold(&mut text);
    }
    text + "\nendmodule\n\n`default_nettype wire\n"
}

/// The block's module without its inside: what the frame is synthesised with.
pub fn black_box(module: &Module) -> String {
    let ports: Vec<String> = module
        .verilog_ports()
        .into_iter()
        .map(|(name, dir, width)| {
            let dir = if dir == Dir::In { "input " } else { "output" };
            format!("    {dir} wire [{}:0] {name}", width - 1)
        })
        .collect();
    format!("(* blackbox *)\nmodule {} (\n{}\n);\nendmodule\n", module.name, ports.join(",\n"))
}

fn sides(module: &Module) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::new();
    let mut side_of = Vec::new();
    for (domain, used) in module.domains.iter().zip(&module.clocks_used) {
        if !used.clk {
            // Signals of no clock, or of a clock that nothing inside listens to.
            side_of.push(0);
            continue;
        }
        side_of.push(sides.len());
        let prefix = if domain.name.is_empty() { String::new() } else { format!("{}_", domain.name) };
        let rst = used.rst.then(|| domain.rst());
        sides.push(Side { clk: domain.clk(), clk_pin: true, rst, prefix, inputs: vec![], outputs: vec![] });
    }
    if sides.is_empty() {
        // A block without a clock: the frame has one all the same.
        let default = Domain { name: String::new() };
        sides.push(Side {
            clk: default.clk(),
            clk_pin: false,
            rst: None,
            prefix: String::new(),
            inputs: vec![],
            outputs: vec![],
        });
    }
    for (_, sig, dir) in module.ports() {
        let side = &mut sides[side_of[sig.domain.0 as usize]];
        let list = if dir == Dir::In { &mut side.inputs } else { &mut side.outputs };
        list.push((sig.name.clone(), sig.width));
    }
    sides
}

fn total(signals: &[(String, u32)]) -> u32 {
    signals.iter().map(|(_, width)| width).sum()
}

fn write_all(text: &mut String, what: std::fmt::Arguments) {
    text.write_fmt(what).expect("a string takes everything");
}

impl Side {
    fn drive(&self, text: &mut String, pins: &mut Vec<String>) {
        let Side { clk, prefix, .. } = self;
        pins.extend(self.clk_pin.then(|| format!(".{clk}({clk})")));
        if let Some(rst) = &self.rst {
            write_all(
                text,
                format_args!(
                    "\n    reg {rst}_early = 1'b1;\n    reg {rst}_held = 1'b1;\n    always @(posedge {clk}) begin\n        \
                     {rst}_early <= {rst};\n        {rst}_held <= {rst}_early;\n    end\n"
                ),
            );
            pins.push(format!(".{rst}({rst}_held)"));
        }
        let width = total(&self.inputs);
        if width == 0 {
            return;
        }
        // Complemented feedback runs from 0, the state after power-up.
        write_all(
            text,
            format_args!(
                "\n    reg [15:0] {prefix}lfsr = 16'h0;\n    reg [{}:0] {prefix}shift;\n    always @(posedge {clk}) begin\n        \
                 {prefix}lfsr <= {{{prefix}lfsr[14:0], ~({prefix}lfsr[15] ^ {prefix}lfsr[14] ^ {prefix}lfsr[12] ^ {prefix}lfsr[3])}};\n        \
                 {prefix}shift <= {{{prefix}shift, {prefix}lfsr[15]}};\n    end\n",
                // One more than is used, so that a single input needs no form of its own.
                width
            ),
        );
        let mut lsb = 0;
        for (name, width) in &self.inputs {
            pins.push(format!(".{name}({prefix}shift[{lsb} +: {width}])"));
            lsb += width;
        }
    }

    fn declare_outputs(&self, text: &mut String, pins: &mut Vec<String>) {
        let width = total(&self.outputs);
        if width == 0 {
            return;
        }
        write_all(text, format_args!("\n    wire [{}:0] {}results;\n", width - 1, self.prefix));
        let mut lsb = 0;
        for (name, width) in &self.outputs {
            pins.push(format!(".{name}({}results[{lsb} +: {width}])", self.prefix));
            lsb += width;
        }
    }

    fn fold(&self, text: &mut String) {
        let Side { clk, prefix, .. } = self;
        let mut width = total(&self.outputs);
        if width == 0 {
            return;
        }
        write_all(
            text,
            format_args!(
                "\n    reg [{}:0] {prefix}fold0;\n    always @(posedge {clk}) {prefix}fold0 <= {prefix}results;\n",
                width - 1
            ),
        );
        let mut level = 0;
        while width > 1 {
            let next = width.div_ceil(FAN_IN);
            let parity = |i: u32| {
                let (lsb, count) = (FAN_IN * i, FAN_IN.min(width - FAN_IN * i));
                format!("^{prefix}fold{level}[{lsb} +: {count}]")
            };
            let bits: Vec<String> = (0..next).rev().map(parity).collect();
            write_all(
                text,
                format_args!(
                    "\n    reg [{}:0] {prefix}fold{};\n    always @(posedge {clk}) {prefix}fold{} <= {{\n        {}\n    }};\n",
                    next - 1,
                    level + 1,
                    level + 1,
                    bits.join(",\n        ")
                ),
            );
            (width, level) = (next, level + 1);
        }
        write_all(text, format_args!("\n    assign {prefix}out = {prefix}fold{level}[0];\n"));
    }
}
