//! The map of a configuration: blocks, registers, tables and counters as data.

use super::{ADDR_W, Access, Area, MAGIC, PortCounter, Reg, RegField, VERSION, counter_list::counters};
use crate::{
    lookup::{RowHash, Table, Tables},
    outcome::Outcome,
};
use serde::Serialize;

/// What the map depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MapConfig {
    /// The tables.
    pub tables: Tables,
    /// Limiters of frames to the Orchestration Module; 0: their registers are left out.
    pub punt_limits: u32,
    /// Bits of a stream's `tdata`.
    pub data_w: u32,
    /// Longest frame in bytes.
    pub max_frame: u32,
}

/// The whole map.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RegisterMap {
    /// Version, `major.minor`.
    pub version: String,
    /// Bits of a byte address.
    pub addr_width: u32,
    /// Blocks in order of their addresses.
    pub blocks: Vec<Block>,
    /// Registers of 32 bits in order of their addresses.
    pub registers: Vec<Register>,
    /// Counters of 64 bits in order of their addresses.
    pub counters: Vec<Counter>,
    /// The tables by number.
    pub tables: Vec<TableInfo>,
    /// Seed of the row hashes.
    pub hash_seed: u64,
}

/// A block of registers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Block {
    /// Name.
    pub name: &'static str,
    /// Type in the directory.
    #[serde(rename = "type")]
    pub number: u32,
    /// Version in the directory.
    pub version: u32,
    /// First byte address.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// How many tables, functions, outcomes, ports or limiters it is about; 0 if that says nothing.
    pub info: u32,
    /// What it holds.
    pub doc: &'static str,
}

/// A register.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Register {
    /// Name.
    pub name: String,
    /// Byte address.
    pub offset: u32,
    /// Access.
    pub access: Access,
    /// Its value, if it is always the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant: Option<u32>,
    /// What it is for.
    pub doc: String,
    /// Fields, the lowest first.
    pub fields: Vec<RegField>,
}

/// A 64-bit counter: the low word at its offset, the high word four bytes above.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Counter {
    /// Name, as in `drop_nat_source`.
    pub name: String,
    /// Byte address of the low word.
    pub offset: u32,
    /// Bits after which it wraps.
    pub width: u32,
    /// What it counts.
    pub doc: String,
}

/// A table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TableInfo {
    /// Number in TABLE_SELECT.
    pub number: u32,
    /// Name.
    pub name: &'static str,
    /// `exact` or `direct`.
    pub kind: &'static str,
    /// Ways.
    pub ways: u32,
    /// Rows of each way; entries of a direct table.
    pub rows: u32,
    /// Bits of a key.
    pub key_bits: u32,
    /// Bits of a value.
    pub value_bits: u32,
    /// Keys that find a place, whichever they are.
    pub rated: u32,
    /// Rotations of the mix in the row hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash_rotations: Option<[u32; 2]>,
    /// Examples of the row hash, for programs that compute it themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hash_examples: Vec<HashExample>,
}

/// The rows of one key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct HashExample {
    /// The key.
    pub key: u64,
    /// The row of each way in which it may stand.
    pub rows: Vec<u32>,
}

const fn part(name: &'static str, lsb: u32, width: u32, doc: &'static str) -> RegField {
    RegField { name, lsb, width, doc }
}

impl MapConfig {
    /// The map.
    pub fn map(&self) -> RegisterMap {
        let mut registers: Vec<Register> = self.listed().map(|r| self.register(r)).collect();
        registers.extend(self.block_records());
        registers.extend(self.table_records());
        registers.sort_by_key(|r| r.offset);
        RegisterMap {
            version: format!("{}.{}", VERSION.0, VERSION.1),
            addr_width: ADDR_W,
            blocks: self.areas().map(|a| self.block(a)).collect(),
            registers,
            counters: counters(),
            tables: Table::ALL.iter().map(|t| self.table(*t)).collect(),
            hash_seed: RowHash::SEED,
        }
    }

    /// The registers that this configuration has, without the counters.
    pub(super) fn listed(&self) -> impl Iterator<Item = Reg> {
        let limits = self.punt_limits > 0;
        Reg::ALL.iter().copied().filter(move |r| limits || !r.is_of_limiters())
    }

    /// The blocks that it has.
    fn areas(&self) -> impl Iterator<Item = Area> {
        let limits = self.punt_limits > 0;
        Area::ALL.into_iter().filter(move |a| limits || *a != Area::PuntLimit)
    }

    fn register(&self, r: Reg) -> Register {
        let constant = match r {
            Reg::Id => Some(MAGIC),
            Reg::Version => Some(VERSION.0 << 16 | VERSION.1),
            Reg::Directory => Some(self.areas().count() as u32 | Area::FIRST_RECORD << 16),
            Reg::Datapath => Some(self.data_w | self.max_frame << 16),
            _ => None,
        };
        Register {
            name: r.name().into(),
            offset: r.offset(),
            access: r.access(),
            constant,
            doc: r.doc().into(),
            fields: r.fields().to_vec(),
        }
    }

    fn block(&self, area: Area) -> Block {
        let info = match area {
            Area::Directory | Area::Module | Area::TableAccess => 0,
            Area::TableList | Area::TableCounters => Table::ALL.len() as u32,
            Area::CounterAccess => self.tables.functions,
            Area::OutcomeCounters => 1 << Outcome::WIDTH,
            Area::PortCounters => PortCounter::ALL.len() as u32,
            Area::PuntLimit => self.punt_limits,
        };
        Block {
            name: area.name(),
            number: area.number(),
            version: area.version(),
            offset: area.offset(),
            size: area.size(),
            info,
            doc: area.doc(),
        }
    }

    fn block_records(&self) -> Vec<Register> {
        let records = (0u32..).zip(self.areas()).flat_map(|(n, area)| {
            let block = self.block(area);
            let kind = vec![
                part("type", 0, 16, "type of the block, which says what its registers are"),
                part("version", 16, 16, "version of the block"),
            ];
            let words = [
                ("TYPE", block.number | block.version << 16, kind),
                ("OFFSET", block.offset, vec![part("offset", 0, 32, "first byte address of the block")]),
                ("SIZE", block.size, vec![part("size", 0, 32, "bytes of the block")]),
                (
                    "INFO",
                    block.info,
                    vec![part("count", 0, 32, "tables, functions, outcomes, ports or limiters in it, or 0")],
                ),
            ];
            constants(
                format!("BLOCK{n}"),
                format!("Block {}.", area.name()),
                Area::FIRST_RECORD + Area::RECORD * n,
                words,
            )
        });
        records.collect()
    }

    fn table_records(&self) -> Vec<Register> {
        let records = Table::ALL.into_iter().flat_map(|table| {
            let (n, info) = (table as u32, self.table(table));
            let kind = if info.kind == "exact" { 1 } else { 2 };
            let [a, b] = info.hash_rotations.unwrap_or([0, 0]);
            let seed = if kind == 1 { RowHash::SEED as u32 } else { 0 };
            let words = [
                (
                    "KIND",
                    kind | info.ways << 8 | n << 16,
                    vec![
                        part("kind", 0, 8, "1 exact match, 2 direct: the row is the index"),
                        part("ways", 8, 8, "ways"),
                        part("number", 16, 8, "number in TABLE_SELECT"),
                    ],
                ),
                ("ROWS", info.rows, vec![part("rows", 0, 32, "rows of each way")]),
                (
                    "WIDTHS",
                    info.key_bits | info.value_bits << 8,
                    vec![part("key", 0, 8, "bits of a key"), part("value", 8, 8, "bits of a value")],
                ),
                (
                    "HASH",
                    a | b << 8 | seed << 16,
                    vec![
                        part("rotation_a", 0, 8, "first rotation of the row hash"),
                        part("rotation_b", 8, 8, "second rotation of the row hash"),
                        part("seed", 16, 16, "seed of the row hash"),
                    ],
                ),
            ];
            let offset = Area::TableList.offset() + Area::RECORD * n;
            constants(format!("TABLE{n}"), format!("Table {}.", table.name()), offset, words)
        });
        records.collect()
    }

    fn table(&self, table: Table) -> TableInfo {
        let g = self.tables.geometry(table);
        let example = |key: u64| {
            let key = key & (u64::MAX >> (64 - g.key_w));
            HashExample { key, rows: (0..g.ways).map(|way| g.row_of(way, key.into())).collect() }
        };
        TableInfo {
            number: table as u32,
            name: table.name(),
            kind: if g.exact { "exact" } else { "direct" },
            ways: g.ways,
            rows: g.rows,
            key_bits: g.key_w,
            value_bits: g.value_w,
            rated: g.rated(),
            hash_rotations: g.exact.then(|| g.hash().rotations()),
            hash_examples: if g.exact { [0, 0x0001_c000_020a, u64::MAX].map(example).to_vec() } else { vec![] },
        }
    }
}

/// Registers that always read the same, one after the other.
fn constants<const N: usize>(
    name: String,
    doc: String,
    offset: u32,
    words: [(&str, u32, Vec<RegField>); N],
) -> Vec<Register> {
    let register = |(at, (word, value, fields)): (u32, (&str, u32, Vec<RegField>))| Register {
        name: format!("{name}_{word}"),
        offset: offset + 4 * at,
        access: Access::Ro,
        constant: Some(value),
        doc: doc.clone(),
        fields,
    };
    (0..).zip(words).map(register).collect()
}
