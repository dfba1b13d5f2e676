//! Register writes in order.

use super::RegisterWrite;
use em_rtl::{
    csr::Reg,
    lookup::{Operation, Table},
};
use hdl::Encode;
use std::collections::HashMap;

/// A slot of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// Way; 0 of a direct table.
    pub way: u32,
    /// Row of the way; index of a direct table.
    pub row: u32,
}

/// Collects register writes. A register that only stages a command is written where its value changes.
#[derive(Default, Debug)]
pub struct Writer {
    writes: Vec<RegisterWrite>,
    staged: HashMap<Reg, u32>,
}

impl Writer {
    /// Inserts into the shadow bank.
    pub fn insert(&mut self, table: Table, slot: Slot, key: u64, value: u64) {
        self.slot(table, slot, key);
        self.stage(Reg::TableValue0, value as u32);
        self.stage(Reg::TableValue1, (value >> 32) as u32);
        self.operation(Operation::Insert);
    }

    /// Deletes from the shadow bank.
    pub fn delete(&mut self, table: Table, slot: Slot, key: u64) {
        self.slot(table, slot, key);
        self.operation(Operation::Delete);
    }

    /// Begins a command.
    pub fn operation(&mut self, operation: Operation) {
        let code = operation.encoded() as u32;
        self.set(Reg::TableCommand, Reg::TableCommand.field("operation").place(code));
    }

    /// Writes a register.
    pub fn set(&mut self, reg: Reg, data: u32) {
        self.writes.push(RegisterWrite { addr: reg.offset(), data });
    }

    /// The writes.
    pub fn into_writes(self) -> Vec<RegisterWrite> {
        self.writes
    }

    fn slot(&mut self, table: Table, slot: Slot, key: u64) {
        self.stage(Reg::TableSelect, Reg::TableSelect.field("table").place(table as u32));
        let place = Reg::TableSlot.field("way").place(slot.way) | Reg::TableSlot.field("row").place(slot.row);
        self.stage(Reg::TableSlot, place);
        self.stage(Reg::TableKey0, key as u32);
        self.stage(Reg::TableKey1, (key >> 32) as u32);
    }

    fn stage(&mut self, reg: Reg, data: u32) {
        if self.staged.insert(reg, data) != Some(data) {
            self.set(reg, data);
        }
    }
}
