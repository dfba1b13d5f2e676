//! The map as a Markdown page.

use super::super::{RegField, Register, RegisterMap, TableInfo, layouts::LAYOUTS};

const RULES: &str = "\
AXI4-Lite, 32 bits, byte addresses; every access must be aligned to 4 bytes. An access where there is no register
answers DECERR; a write of an RO register, a read of a WO one, an unaligned address and a refused command answer SLVERR.
Strobes are respected; bits outside fields are ignored on writes and read 0. Writing 1 clears a bit of an RW1C register
and sets one of an RW1S register.

Address 0 leads to everything: DIRECTORY names the list of blocks, the block `table_list` the tables.";

const COUNTER_RULES: &str = "\
64 bits: the low word at the address, the high word four bytes above. They read the snapshot that COUNTER_LATCH took last;
all counters of a snapshot are of one instant. Counters wrap at the given number of bits; only reset clears them. Those of
functions begin to count when STATUS.ready becomes 1.";

pub fn page(map: &RegisterMap, profile: &str) -> String {
    let mut page = String::new();
    line!(page, "# Registers\n");
    line!(
        page,
        "Profile `{profile}`, map version {}. Written by `em regs --format md --profile {profile}`.\n",
        map.version
    );
    line!(page, "{RULES}\n");
    line!(page, "## Blocks\n");
    line!(page, "| block | type | version | address | size | holds |\n|---|---|---|---|---|---|");
    for b in &map.blocks {
        line!(
            page,
            "| `{}` | {} | {} | 0x{:03x} | 0x{:03x} | {} |",
            b.name,
            b.number,
            b.version,
            b.offset,
            b.size,
            b.doc
        );
    }
    line!(page, "\n## List of registers\n");
    line!(page, "| address | name | access | for |\n|---|---|---|---|");
    for r in &map.registers {
        let value = r.constant.map_or(String::new(), |c| format!(" Reads 0x{c:08x}."));
        line!(page, "| 0x{:03x} | {} | {} | {}{value} |", r.offset, r.name, r.access.name(), r.doc);
    }
    line!(page, "\n## Fields");
    let mut shown: Vec<&[RegField]> = Vec::new();
    for r in &map.registers {
        // The records of a list have the same fields each.
        if r.constant.is_some() && shown.contains(&r.fields.as_slice()) {
            continue;
        }
        shown.push(&r.fields);
        fields(&mut page, r);
    }
    line!(page, "\n## Counters\n\n{COUNTER_RULES}\n");
    line!(page, "| address | name | bits | counts |\n|---|---|---|---|");
    for c in &map.counters {
        line!(page, "| 0x{:03x} | {} | {} | {} |", c.offset, c.name, c.width, c.doc);
    }
    tables(&mut page, map);
    page
}

fn fields(page: &mut String, r: &Register) {
    line!(page, "\n### {} (0x{:03x}, {})\n\n{}\n", r.name, r.offset, r.access.name(), r.doc);
    line!(page, "| bits | field | meaning |\n|---|---|---|");
    for f in &r.fields {
        let bits = match f.width {
            1 => f.lsb.to_string(),
            w => format!("{}:{}", f.lsb + w - 1, f.lsb),
        };
        line!(page, "| {bits} | {} | {} |", f.name, f.doc);
    }
}

fn tables(page: &mut String, map: &RegisterMap) {
    line!(page, "\n## Tables\n");
    line!(
        page,
        "| number | table | kind | ways | rows | rated | key bits | value bits |\n|---|---|---|---|---|---|---|---|"
    );
    for t in &map.tables {
        let TableInfo { number, name, kind, ways, rows, rated, key_bits, value_bits, .. } = t;
        line!(page, "| {number} | `{name}` | {kind} | {ways} | {rows} | {rated} | {key_bits} | {value_bits} |");
    }
    line!(page, "\nKeys and values, the lowest bit first:\n");
    line!(page, "| table | key | value |\n|---|---|---|");
    for (table, key, value) in LAYOUTS {
        line!(page, "| `{}` | {key} | {value} |", table.name());
    }
    line!(
        page,
        "\nAddresses are numbers whose most significant byte is the first on the wire. As many keys as a table is rated for\n\
         find a place, whichever they are. A key of an exact table may stand in one row of each way, which software chooses; the row of key\n\
         `k` of `n` bits in way `w`: `m = k ^ rotl(k, a) ^ rotl(k, b)` on `n` bits, with the rotations below; the exclusive\n\
         or over the hex digits `m_i` (`i` = 0 is the lowest) of `splitmix({} ^ splitmix(w << 32 | i << 8 | m_i))`, as many low\n\
         bits as a row number has. `splitmix(x)`, on 64 bits: `z = x + 0x9e3779b97f4a7c15;\n\
         z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9; z = (z ^ z >> 27) * 0x94d049bb133111eb; z ^ z >> 31`.\n",
        map.hash_seed
    );
    line!(page, "| table | a, b | key | rows |\n|---|---|---|---|");
    for t in &map.tables {
        let Some([a, b]) = t.hash_rotations else { continue };
        for e in &t.hash_examples {
            line!(page, "| `{}` | {a}, {b} | 0x{:012x} | {:?} |", t.name, e.key, e.rows);
        }
    }
}
