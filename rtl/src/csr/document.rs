//! The register map as data and as a page.

use super::{ADDR_W, Access, Counter, Reg, RegField, VERSION, counters};
use crate::lookup::{Lookup, RowHash};
use serde::Serialize;
use std::fmt::Write;

/// The whole map, for `manifest.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RegisterMap {
    /// Version, `major.minor`.
    pub version: String,
    /// Bits of a byte address.
    pub addr_width: u32,
    /// Registers of 32 bits.
    pub registers: Vec<Register>,
    /// Counters of 64 bits.
    pub counters: Vec<Counter>,
    /// Geometry and row hashes of the tables.
    pub tables: Tables,
}

/// A register.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Register {
    /// Name.
    pub name: &'static str,
    /// Byte address.
    pub offset: u32,
    /// Access.
    pub access: Access,
    /// What it is for.
    pub doc: &'static str,
    /// Fields, the lowest first.
    pub fields: &'static [RegField],
}

/// Geometry of the tables.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Tables {
    /// Function numbers go from 0 to this less one.
    pub functions: u32,
    /// Ways of the NAT table.
    pub nat_ways: u32,
    /// Rows of each way.
    pub nat_rows: u32,
    /// Mappings that always find a place.
    pub nat_rated: u32,
    /// Rotations of the mix in the NAT table's row hash.
    pub nat_hash_rotations: [u32; 2],
    /// Seed of its tables.
    pub nat_hash_seed: u64,
    /// Examples of it, for programs that compute it themselves.
    pub nat_hash_examples: Vec<HashExample>,
}

/// The rows of one key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HashExample {
    /// Function of the key.
    pub function: u16,
    /// Inside address of the key, first byte on the wire most significant.
    pub address: u32,
    /// The row of each way in which it may stand.
    pub rows: Vec<u32>,
}

/// The register map of an Execution Module with these tables.
pub fn register_map(lookup: &Lookup) -> RegisterMap {
    let register = |r: &Reg| Register {
        name: r.name(),
        offset: r.offset(),
        access: r.access(),
        doc: r.doc().trim(),
        fields: r.fields(),
    };
    RegisterMap {
        version: format!("{}.{}", VERSION.0, VERSION.1),
        addr_width: ADDR_W,
        registers: Reg::ALL.iter().map(register).collect(),
        counters: counters(),
        tables: Tables {
            functions: lookup.functions,
            nat_ways: lookup.ways,
            nat_rows: lookup.rows,
            nat_rated: lookup.rated_mappings(),
            nat_hash_rotations: lookup.nat_table().hash().rotations(),
            nat_hash_seed: RowHash::SEED,
            nat_hash_examples: [(0, 0), (1, 0xc000_020a), (0xffff, 0xffff_ffff)]
                .map(|key| example(lookup, key))
                .to_vec(),
        },
    }
}

fn example(lookup: &Lookup, (function, address): (u16, u32)) -> HashExample {
    let (table, key) = (lookup.nat_table(), Lookup::nat_key(function, address));
    HashExample { function, address, rows: (0..lookup.ways).map(|way| table.row_of(way, key)).collect() }
}

impl RegisterMap {
    /// The map as a Markdown page.
    pub fn markdown(&self) -> String {
        let mut page = format!(
            "# Registers\n\nMap version {}. AXI4-Lite, 32 bits, byte addresses; every access must be aligned to 4 bytes.\n\
             An access where there is no register answers DECERR; a write of an RO register, a read of a WO one, an\n\
             unaligned address and a refused command answer SLVERR. Strobes are respected; bits outside fields read 0.\n\n",
            self.version
        );
        page += "| address | name | access | for |\n|---|---|---|---|\n";
        for r in &self.registers {
            row(&mut page, format_args!("| 0x{:03x} | {} | {} | {} |", r.offset, r.name, access(r.access), r.doc));
        }
        for r in &self.registers {
            row(&mut page, format_args!("\n## {} (0x{:03x}, {})\n\n{}\n", r.name, r.offset, access(r.access), r.doc));
            page += "| bits | field | meaning |\n|---|---|---|\n";
            for f in r.fields {
                let bits = match f.width {
                    1 => f.lsb.to_string(),
                    w => format!("{}:{}", f.lsb + w - 1, f.lsb),
                };
                row(&mut page, format_args!("| {bits} | {} | {} |", f.name, f.doc));
            }
        }
        page += "\n## Counters\n\n64 bits: LO at the address, HI four bytes above. Reading LO latches HI, so that both belong together;\n\
                 HI of another counter than the one whose LO was read last answers SLVERR. Counters wrap; only reset clears them.\n\n";
        page += "| address | name | counts |\n|---|---|---|\n";
        for c in &self.counters {
            row(&mut page, format_args!("| 0x{:03x} | {} | {} |", c.offset, c.name, c.doc));
        }
        self.tables.markdown(&mut page);
        page
    }
}

impl Tables {
    fn markdown(&self, page: &mut String) {
        let Tables { functions, nat_ways, nat_rows, nat_rated, nat_hash_rotations: [a, b], nat_hash_seed, .. } = self;
        row(
            page,
            format_args!(
                "\n## Tables\n\nFunctions 0 to {}. NAT table: {nat_ways} ways of {nat_rows} rows, {nat_rated} mappings rated. \
                 A key is function (16 bits) above inside address (32 bits);\nit may stand in one row of each way, which \
                 software chooses. Row of key `k` in way `w`: `m = k ^ rotl(k, {a}) ^ rotl(k, {b})` on 48 bits;\n\
                 the exclusive or over the hex digits `m_i` (`i` = 0 is the lowest) of \
                 `splitmix({nat_hash_seed} ^ splitmix(w << 32 | i << 8 | m_i))`, low {} bits.\n\
                 `splitmix(x)`: `z = x + 0x9e3779b97f4a7c15; z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9; \
                 z = (z ^ z >> 27) * 0x94d049bb133111eb; z ^ z >> 31`, on 64 bits.\n\n\
                 | function | address | rows |\n|---|---|---|",
                functions - 1,
                nat_rows.trailing_zeros()
            ),
        );
        for e in &self.nat_hash_examples {
            row(page, format_args!("| {} | 0x{:08x} | {:?} |", e.function, e.address, e.rows));
        }
    }
}

fn row(page: &mut String, text: std::fmt::Arguments) {
    writeln!(page, "{text}").expect("a String takes any text");
}

fn access(access: Access) -> &'static str {
    match access {
        Access::Ro => "RO",
        Access::Rw => "RW",
        Access::Wo => "WO",
    }
}
