//! What the management side has to know of each table's size.

use super::{Operation, RowHash, Table, TableManage, TableManager, layout::KEY_W};
use hdl::*;

impl TableManager {
    /// The constant that `of` gives for the present table.
    pub(super) fn constant_of(&self, table: Bits, width: u32, of: impl Fn(Table) -> u64) -> Bits {
        select(table, &Table::ALL.map(|t| lit(width, of(t).into())))
    }

    /// Bits that count through the rows of any table, and through all slots of those that lie in one memory.
    pub(super) fn row_w(&self) -> u32 {
        let in_one_memory = |t: Table| t != Table::NatTx && t != Table::NatRx;
        let bits = |t: Table| {
            let slot = self.tables.slot_shape(t);
            slot.row.0 + if in_one_memory(t) { slot.way.0 } else { 0 }
        };
        Table::ALL.map(bits).into_iter().max().unwrap_or(1)
    }

    /// The hash whose low ways and low row bits are those of every exact table.
    pub(super) fn widest_hash(&self) -> RowHash {
        let exact = [Table::NatTx, Table::NatRx, Table::Mac].map(|t| self.tables.geometry(t).hash());
        let ways = exact.map(|h| h.ways).into_iter().max().unwrap_or(2);
        let row_w = exact.map(|h| h.row_w).into_iter().max().unwrap_or(4);
        RowHash { key_w: KEY_W, ways, row_w }
    }

    /// Is anything of the command beyond its table, one clock later?
    #[names]
    pub(super) fn out_of_range(&self, command: &TableManage<Bits>) -> Bits {
        let allowed = |width: u32, of: &dyn Fn(Table) -> u64| self.constant_of(command.table, width, of);
        let direct = command.table.ge(Table::Function as u64);
        let ways = allowed(8, &|t| self.tables.geometry(t).ways.into());
        let rows = allowed(16, &|t| u64::from(self.tables.geometry(t).rows) - 1);
        let keys = allowed(KEY_W, &|t| self.tables.layout(t).key_mask);
        let values = allowed(64, &|t| self.tables.layout(t).value_mask);
        let no_table = command.table.ge(Table::ALL.len() as u64).delay();
        let no_way = command.way.ge(ways).delay();
        let no_row = (command.row & !rows).any().delay();
        let no_key = (!direct & (command.key & !keys).any()).delay();
        let inserts = command.operation.eq(Operation::Insert.encoded());
        let no_value = (inserts & (command.value & !values).any()).delay();
        no_table | no_way | no_row | no_key | no_value
    }
}
