//! The memory of one way of a table, with a port for lookups and one for management.

use super::Management;
use hdl::*;

/// Clocks from an address to its word, with the memory's output register.
pub(super) const LATENCY: u32 = 2;

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
                let ram = memory::simple_dual(rows, width).latency(LATENCY).simple();
                ram.rdata.named(name);
                ram.write(access.write, access.row, access.word);
                let word = ram.read(lookup | access.read, mux(lookup, lookup_row, access.row));
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
}

/// A memory of lookup tables, for a few rows, that only lookups read, [`LATENCY`] clocks after the row. It reads the
/// word before or after a write, never anything else.
pub(super) fn distributed(name: &str, rows: u32, lookup_row: Bits, access: Access) -> Bits {
    let ram = memory::distributed(rows, access.word.width()).simple();
    ram.rdata.named(name);
    ram.write(access.write, access.row, access.word);
    let row = lookup_row.delay().named(&format!("{name}_row"));
    ram.read(lit(1, 1), row).delay().named(&format!("{name}_word"))
}

/// A block memory of `rows` words that only management reads.
pub(super) fn copy(name: &str, rows: u32, access: Access) -> Bits {
    let ram = memory::simple_dual(rows, access.word.width()).latency(LATENCY).simple();
    ram.rdata.named(name);
    ram.write(access.write, access.row, access.word);
    ram.read(access.read, access.row)
}
