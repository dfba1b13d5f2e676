//! The map in SystemRDL 2.0 (Accellera, January 2018): one address map with a register file for each block.

use super::super::{Access, Counter, RegField, Register, RegisterMap};

pub fn addrmap(map: &RegisterMap, profile: &str) -> String {
    let mut text = String::new();
    line!(text, "// Registers of a DistDPU Execution Module: profile {profile}, map version {}.", map.version);
    line!(text, "// Written by `em regs --format rdl --profile {profile}`.\n");
    line!(text, "addrmap em {{");
    line!(text, "    name = \"DistDPU Execution Module\";");
    line!(text, "    desc = \"Profile {profile}, map version {}.\";", map.version);
    line!(text, "    default regwidth = 32;");
    line!(text, "    default accesswidth = 32;");
    for b in &map.blocks {
        let holds = |offset: u32| (b.offset..b.offset + b.size).contains(&offset);
        line!(text, "\n    regfile {{");
        line!(text, "        desc = {};", quoted(b.doc));
        for r in map.registers.iter().filter(|r| holds(r.offset)) {
            register(&mut text, r, r.offset - b.offset);
        }
        for c in map.counters.iter().filter(|c| holds(c.offset)) {
            counter(&mut text, c, c.offset - b.offset);
        }
        line!(text, "    }} {} @ 0x{:x};", b.name, b.offset);
    }
    line!(text, "}};");
    text
}

fn register(text: &mut String, r: &Register, offset: u32) {
    line!(text, "        reg {{");
    line!(text, "            desc = {};", quoted(&r.doc));
    for f in &r.fields {
        let msb = f.lsb + f.width - 1;
        let reset = match (r.constant, r.access) {
            (Some(value), _) => format!(" = {}", f.get(value)),
            // What hardware writes, and what nobody can read, has no value under reset.
            (None, Access::Ro | Access::Wo | Access::Rw1s) => String::new(),
            (None, Access::Rw | Access::Rw1c) => " = 0".into(),
        };
        let properties = properties(r, f);
        line!(
            text,
            "            field {{ desc = {}; {properties} }} {}[{msb}:{}]{reset};",
            quoted(f.doc),
            name(f.name),
            f.lsb
        );
    }
    line!(text, "        }} {} @ 0x{offset:x};", name(&r.name));
}

/// Who reads and writes a field, and what a write does.
fn properties(r: &Register, f: &RegField) -> &'static str {
    match r.access {
        Access::Ro if r.constant.is_some() => "sw = r; hw = na;",
        Access::Ro => "sw = r; hw = w;",
        Access::Rw => "sw = rw; hw = r;",
        Access::Wo => "sw = w; hw = r;",
        Access::Rw1c if f.width == 1 => "sw = rw; hw = na; onwrite = woclr; hwset;",
        Access::Rw1c => "sw = rw; hw = w; onwrite = woclr;",
        Access::Rw1s if f.width == 1 => "sw = rw; hw = na; onwrite = woset; hwclr;",
        Access::Rw1s => "sw = rw; hw = w; onwrite = woset;",
    }
}

fn counter(text: &mut String, c: &Counter, offset: u32) {
    line!(text, "        reg {{");
    line!(text, "            desc = {};", quoted(&c.doc));
    line!(text, "            regwidth = 64;");
    line!(text, "            field {{ sw = r; hw = w; }} value[{}:0];", c.width - 1);
    line!(text, "        }} {} @ 0x{offset:x};", name(&c.name));
}

/// A string literal.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// An identifier; keywords are escaped with a backslash (5.1.4 of the standard).
fn name(name: &str) -> String {
    const KEYWORDS: &str = "abstract accesstype addressingtype addrmap alias all bit boolean bothedge compact component \
        componentwidth constraint default encode enum external false field fullalign hw inside internal level longint \
        mem na negedge nonsticky number onreadtype onwritetype posedge property r rclr ref reg regalign regfile rset ruser \
        rw rw1 signal string struct sw this true type unsigned void w w1 wclr woclr woset wot wr wset wuser wzc wzs wzt";
    if KEYWORDS.split_whitespace().any(|k| k == name) { format!("\\{name}") } else { name.into() }
}
