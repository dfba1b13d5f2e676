//! The map as a C header: byte addresses, and shift and mask of each field. Nothing but macros, for C99 and C++.

use super::super::{RegisterMap, layouts::table_codes};

pub fn header(map: &RegisterMap, profile: &str) -> String {
    let mut text = String::new();
    line!(text, "/*");
    line!(text, " * Registers of a DistDPU Execution Module: profile {profile}, map version {}.", map.version);
    line!(text, " * Written by `em regs --format c --profile {profile}`.");
    line!(text, " *");
    line!(text, " * EM_<REGISTER> is a byte address; EM_<REGISTER>_<FIELD>_SHIFT and _MASK are a field's place in it.");
    line!(text, " * EM_CNT_<COUNTER> is the byte address of a 64-bit counter's low word.");
    line!(text, " */");
    line!(text, "#ifndef EM_REGISTERS_H\n#define EM_REGISTERS_H\n");
    line!(text, "#define EM_ADDRESS_BITS {}u", map.addr_width);
    line!(text, "\n/* Blocks: the first byte address of each, and its type. */");
    for b in &map.blocks {
        line!(text, "#define EM_BLOCK_{} 0x{:03x}u", upper(b.name), b.offset);
        line!(text, "#define EM_BLOCK_{}_TYPE {}u", upper(b.name), b.number);
    }
    for r in &map.registers {
        line!(text, "\n/* {} {}: {} */", r.name, r.access.name(), comment(&r.doc));
        line!(text, "#define EM_{} 0x{:03x}u", r.name, r.offset);
        if let Some(value) = r.constant {
            line!(text, "#define EM_{}_VALUE 0x{value:08x}u", r.name);
        }
        for f in &r.fields {
            let name = format!("EM_{}_{}", r.name, upper(f.name));
            line!(text, "#define {name}_SHIFT {}u /* {} */", f.lsb, comment(f.doc));
            line!(text, "#define {name}_MASK 0x{:08x}u", f.mask());
        }
    }
    line!(text, "\n/* Values of TABLE_COMMAND.operation and TABLE_STATUS.status. */");
    for (name, code, doc) in table_codes() {
        line!(text, "#define EM_{} {code}u /* {} */", upper(&name), comment(doc));
    }
    line!(text, "\n/* Tables: number and geometry. */");
    for t in &map.tables {
        let name = upper(t.name);
        line!(text, "#define EM_TABLE_{name} {}u", t.number);
        for (what, value) in
            [("WAYS", t.ways), ("ROWS", t.rows), ("KEY_BITS", t.key_bits), ("VALUE_BITS", t.value_bits)]
        {
            line!(text, "#define EM_TABLE_{name}_{what} {value}u");
        }
    }
    line!(text, "\n/* Counters. */");
    for c in &map.counters {
        line!(
            text,
            "#define EM_CNT_{} 0x{:03x}u /* {} bits: {} */",
            upper(&c.name),
            c.offset,
            c.width,
            comment(&c.doc)
        );
    }
    line!(text, "\n#endif");
    text
}

fn upper(name: &str) -> String {
    name.to_uppercase()
}

/// Text that ends no comment and begins none.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}
