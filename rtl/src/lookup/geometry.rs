//! The lookup block's configuration, and the geometry of its tables.

use super::RowHash;
use hdl::clog2;
use serde::{Deserialize, Serialize};

/// Configuration of the lookup block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tables {
    /// Function numbers go from 0 to this less one; a power of two from 2 to 65,536.
    pub functions: u32,
    /// Ways of each of the two NAT tables: 2 to 8.
    pub nat_ways: u32,
    /// Rows of each of those ways: a power of two from 8 to 32,768.
    pub nat_rows: u32,
    /// Ways of the table of MAC addresses: 2 to 8.
    pub mac_ways: u32,
    /// Rows of each of those ways: a power of two from 8 to 32,768.
    pub mac_rows: u32,
    /// Next hops: a power of two from 2 to 256.
    pub next_hops: u32,
    /// How commands reach the memory of the NAT tables.
    pub management: Management,
}

/// How commands reach the memory of the NAT tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Management {
    /// They read in clocks without a lookup: half the block RAM, where lookups leave clocks free.
    Shared,
    /// They have a port of their own: lookups may come in every clock.
    OwnPort,
}

/// The tables, in the order of their numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Table {
    /// Inside to outside. Key: function above inside address; value: see [`nat_tx_value`].
    NatTx,
    /// Outside to inside. Key: outside address; value: see [`nat_rx_value`].
    NatRx,
    /// Functions in mode pass by MAC address. Key: the address, its first byte on the wire most significant; value: the
    /// function.
    Mac,
    /// What becomes of a function's frames, by function number; value: see [`function_value`].
    Function,
    /// MAC addresses of next hops, by index; value: the address.
    NextHop,
}

/// Geometry of one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Keys are compared; otherwise the row is the index.
    pub exact: bool,
    /// Ways; 1 for a direct table.
    pub ways: u32,
    /// Rows of each way: a power of two.
    pub rows: u32,
    /// Bits of a key; 0 for a direct table.
    pub key_w: u32,
    /// Bits of a value.
    pub value_w: u32,
}

impl Table {
    /// All tables; a table's place is its number.
    pub const ALL: [Table; 5] = [Table::NatTx, Table::NatRx, Table::Mac, Table::Function, Table::NextHop];

    /// Its name in registers and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Table::NatTx => "nat_tx",
            Table::NatRx => "nat_rx",
            Table::Mac => "mac",
            Table::Function => "function",
            Table::NextHop => "next_hop",
        }
    }
}

impl Tables {
    /// Clocks from a request to its response.
    pub const LATENCY: u32 = 7;
    /// Clocks from a request to its late response.
    pub const LATE_LATENCY: u32 = 10;

    /// Geometry of a table.
    pub fn geometry(&self, table: Table) -> Geometry {
        let exact = |ways, rows, key_w, value_w| Geometry { exact: true, ways, rows, key_w, value_w };
        let direct = |rows, value_w| Geometry { exact: false, ways: 1, rows, key_w: 0, value_w };
        match table {
            Table::NatTx => exact(self.nat_ways, self.nat_rows, 48, 42),
            Table::NatRx => exact(self.nat_ways, self.nat_rows, 32, 50),
            Table::Mac => exact(self.mac_ways, self.mac_rows, 48, 16),
            Table::Function => direct(self.functions, 52),
            Table::NextHop => direct(self.next_hops, 48),
        }
    }

    /// Mappings that find a place in each NAT table: see [`Geometry::rated`].
    pub fn rated_mappings(&self) -> u32 {
        self.geometry(Table::NatTx).rated()
    }
}

impl Geometry {
    /// Bits of a row number.
    pub fn row_w(&self) -> u32 {
        clog2(u64::from(self.rows))
    }

    /// Slots in all.
    pub fn slots(&self) -> u32 {
        self.ways * self.rows
    }

    /// Rows from which on chance hardly counts, so that the keys of a table of so many ways find a place up to its
    /// [rating](Self::rated), whichever they are; `None` where they never do. Measured in `docs/decisions/row-hash.md`.
    pub fn least_rows(ways: u32) -> Option<u32> {
        match ways {
            0..=3 => None,
            4 => Some(512),
            5..=7 => Some(128),
            8.. => Some(8),
        }
    }

    /// Keys that find a place, whichever they are: 95 % of the slots of an exact table with the
    /// [least rows](Self::least_rows) or more, and all slots of a direct one.
    pub fn rated(&self) -> u32 {
        if self.exact { (self.slots() * 95).div_ceil(100) } else { self.slots() }
    }

    /// The row hashes of an exact table.
    pub fn hash(&self) -> RowHash {
        RowHash { key_w: self.key_w, ways: self.ways, row_w: self.row_w() }
    }

    /// The row of `way` in which `key` may stand in an exact table.
    pub fn row_of(&self, way: u32, key: u128) -> u32 {
        self.hash().row_of(way, key)
    }
}

/// Key of [`Table::NatTx`].
pub fn nat_tx_key(function: u16, inside: u32) -> u64 {
    u64::from(function) << 32 | u64::from(inside)
}

/// Value of [`Table::NatTx`]: outside address, index of the next hop (8 bits, if there is one), next hop, route.
pub fn nat_tx_value(outside: u32, next_hop: Option<u8>, route: bool) -> u64 {
    u64::from(outside)
        | u64::from(next_hop.unwrap_or(0)) << 32
        | u64::from(next_hop.is_some()) << 40
        | u64::from(route) << 41
}

/// Value of [`Table::NatRx`]: inside address, function (16 bits), next hop, route.
pub fn nat_rx_value(inside: u32, function: u16, next_hop: bool, route: bool) -> u64 {
    u64::from(inside) | u64::from(function) << 32 | u64::from(next_hop) << 48 | u64::from(route) << 49
}

/// Value of [`Table::Function`]: mode (2 bits), `unmatched` (2 bits), MAC address (48 bits).
pub fn function_value(mode: u8, unmatched: u8, mac: u64) -> u64 {
    u64::from(mode & 3) | u64::from(unmatched & 3) << 2 | mac << 4
}
