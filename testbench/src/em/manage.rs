//! Table commands as the Orchestration Module gives them: register writes on the simulated bus.

use em_rtl::{
    csr::Reg,
    lookup::{Operation, Table, TableStatus, Tables, nat_rx_value, nat_tx_key, nat_tx_value},
};
use em_sim::{
    bfm::{Resp, Ticket},
    em::EmSim,
    program::{Slot, Writer},
};
use hdl::Encode;

/// An entry of a table and the slot that it is put in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableEntry {
    /// The table.
    pub table: Table,
    /// The slot.
    pub slot: Slot,
    /// The key; 0 in a direct table.
    pub key: u64,
    /// The value.
    pub value: u64,
}

impl TableEntry {
    /// An entry in the row of `way` that its key hashes to.
    pub fn in_way(tables: &Tables, table: Table, way: u32, key: u64, value: u64) -> Self {
        let row = tables.geometry(table).row_of(way, key.into());
        TableEntry { table, slot: Slot { way, row }, key, value }
    }

    /// The entry of a mapping without next hop for frames of the host.
    pub fn mapping_tx(tables: &Tables, way: u32, function: u16, inside: [u8; 4], outside: [u8; 4]) -> Self {
        let key = nat_tx_key(function, u32::from_be_bytes(inside));
        Self::in_way(tables, Table::NatTx, way, key, nat_tx_value(u32::from_be_bytes(outside), None, false))
    }

    /// The entry of the same mapping for frames of the network.
    pub fn mapping_rx(tables: &Tables, way: u32, function: u16, inside: [u8; 4], outside: [u8; 4]) -> Self {
        let value = nat_rx_value(u32::from_be_bytes(inside), function, false, false);
        Self::in_way(tables, Table::NatRx, way, u32::from_be_bytes(outside).into(), value)
    }

    /// The writes of an insert, delete or read, address and data; the command itself last.
    pub fn writes(&self, operation: Operation) -> Vec<(u64, u32)> {
        let mut writer = Writer::default();
        match operation {
            Operation::Delete => writer.delete(self.table, self.slot, self.key),
            _ => writer.insert(self.table, self.slot, self.key, self.value),
        }
        let mut writes = writer.into_writes();
        writes.last_mut().expect("a command is a write").data = operation.encoded() as u32;
        writes.into_iter().map(|w| (u64::from(w.addr), w.data)).collect()
    }

    /// Queues the writes of a command, so that they run along traffic; the ticket is the command's.
    pub fn queue(&self, em: &mut EmSim, operation: Operation) -> Ticket {
        let tickets: Vec<Ticket> =
            self.writes(operation).into_iter().map(|(addr, data)| em.bench.axil[em.m2m].write(addr, data)).collect();
        *tickets.last().expect("a command is a write")
    }

    /// Carries out a command and gives the bus's answer and the table's word for it.
    pub fn command(&self, em: &mut EmSim, operation: Operation) -> (Resp, TableStatus) {
        let mut answer = Resp::Okay;
        for (addr, data) in self.writes(operation) {
            answer = em.bench.write(em.m2m, addr, data).unwrap_or_else(|e| panic!("{e}"));
        }
        (answer, table_status(em))
    }
}

/// Carries out a command that is for all tables: commit, sync or clear.
pub fn for_all_tables(em: &mut EmSim, operation: Operation) -> Resp {
    let register = u64::from(Reg::TableCommand.offset());
    em.bench.write(em.m2m, register, operation.encoded() as u32).unwrap_or_else(|e| panic!("{e}"))
}

/// What TABLE_STATUS says.
pub fn table_status(em: &mut EmSim) -> TableStatus {
    let register = Reg::TableStatus;
    let (word, answer) = em.bench.read(em.m2m, u64::from(register.offset())).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(answer, Resp::Okay);
    let code = register.field("status").get(word);
    let status = TableStatus::VARIANTS.iter().find(|(_, s)| s.encoded() == u64::from(code));
    status.unwrap_or_else(|| panic!("TABLE_STATUS is {word:#x}")).1
}
