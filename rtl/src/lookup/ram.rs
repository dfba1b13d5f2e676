//! The memory of one way of a table, with a port for lookups and one for management.

use super::Management;
use hdl::*;

/// Clocks from an address to its word, with the memory's output register.
pub(super) const LATENCY: u32 = 2;

/// Words up to which a memory with one read port is built of lookup tables: a block RAM has 512 of 36 bits.
const SHALLOW: u32 = 64;

/// What management does to a memory.
#[derive(Clone, Copy)]
pub(super) struct Access {
    /// Write `word`.
    pub write: Bits,
    /// Read; with [`Management::Shared`] only where there is no lookup.
    pub read: Bits,
    /// The address of either.
    pub row: Bits,
    /// What is written.
    pub word: Bits,
}

/// What was read, [`LATENCY`] clocks after its address. A lookup of the row that is written in the same clock reads
/// something undefined.
pub(super) struct Words {
    /// By the lookup.
    pub lookup: Bits,
    /// By management.
    pub manage: Bits,
}

impl Management {
    /// May a read of management go ahead beside this lookup?
    pub(super) fn may_read(self, lookup: Bits) -> Bits {
        match self {
            Management::Shared => !lookup,
            Management::OwnPort => lit(1, 1),
        }
    }

    /// A block memory of `rows` words.
    pub(super) fn ram(self, name: &str, rows: u32, lookup: Bits, lookup_row: Bits, access: Access) -> Words {
        let width = access.word.width();
        match self {
            Management::Shared => {
                let row = mux(lookup, lookup_row, access.row);
                let word = block(name, rows, lookup | access.read, row, access);
                Words { lookup: word, manage: word }
            }
            Management::OwnPort => {
                let [by_lookup, by_manage] = memory::true_dual(rows, width).latency(LATENCY).dual();
                by_lookup.rdata.named(name);
                by_lookup.en.set(lookup);
                by_lookup.we.set(0);
                by_lookup.addr.set(lookup_row);
                by_lookup.wdata.set(0);
                by_manage.en.set(access.write | access.read);
                by_manage.we.set(access.write);
                by_manage.addr.set(access.row);
                by_manage.wdata.set(access.word);
                Words { lookup: by_lookup.rdata, manage: by_manage.rdata }
            }
        }
    }

    /// A memory of `rows` words, of lookup tables if there are few and it has but one read port.
    pub(super) fn small_ram(self, name: &str, rows: u32, lookup: Bits, lookup_row: Bits, access: Access) -> Words {
        if self == Management::OwnPort || rows > SHALLOW {
            return self.ram(name, rows, lookup, lookup_row, access);
        }
        let word = distributed(name, rows, mux(lookup, lookup_row, access.row), access);
        Words { lookup: word, manage: word }
    }
}

/// A memory of `rows` words that only management reads.
pub(super) fn copy(name: &str, rows: u32, access: Access) -> Bits {
    if rows > SHALLOW {
        block(name, rows, access.read, access.row, access)
    } else {
        distributed(name, rows, access.row, access)
    }
}

/// A block memory with a port to write and one to read.
fn block(name: &str, rows: u32, reads: Bits, row: Bits, access: Access) -> Bits {
    let ram = memory::simple_dual(rows, access.word.width()).latency(LATENCY).simple();
    ram.rdata.named(name);
    ram.write(access.write, access.row, access.word);
    ram.read(reads, row)
}

/// A memory of lookup tables, for a few rows, [`LATENCY`] clocks after the row. It reads the word before or after a
/// write, never anything else.
pub(super) fn distributed(name: &str, rows: u32, row: Bits, access: Access) -> Bits {
    let ram = memory::distributed(rows, access.word.width()).simple();
    ram.rdata.named(name);
    ram.write(access.write, access.row, access.word);
    let row = row.delay().named(&format!("{name}_row"));
    ram.read(lit(1, 1), row).delay().named(&format!("{name}_word"))
}
