//! The register map as data and as a page.

use super::{ADDR_W, Access, Counter, Reg, RegField, VERSION, counters};
use crate::lookup::Lookup;
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
        },
    }
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
        page
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
