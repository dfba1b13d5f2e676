//! Table commands as the Orchestration Module gives them: register writes on the simulated bus.

use em_rtl::{
    csr::Reg,
    lookup::{Lookup, Operation, TableStatus},
};
use em_sim::{
    bfm::{Resp, Ticket},
    em::EmSim,
};
use hdl::Encode;

/// A mapping of the NAT table and the slot that it is put in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Function that owns the inside address.
    pub function: u16,
    /// Inside address.
    pub inside: [u8; 4],
    /// Outside address.
    pub outside: [u8; 4],
    /// Way of the slot.
    pub way: u32,
    /// Row of the slot.
    pub row: u32,
}

impl Mapping {
    /// A mapping in the row of `way` that its key hashes to.
    pub fn in_way(tables: &Lookup, way: u32, function: u16, inside: [u8; 4], outside: [u8; 4]) -> Self {
        let row = tables.nat_table().row_of(way, Lookup::nat_key(function, u32::from_be_bytes(inside)));
        Mapping { function, inside, outside, way, row }
    }

    /// The writes of a command about it: address and data, the command itself last.
    pub fn writes(&self, operation: Operation) -> Vec<(u64, u32)> {
        let slot = Reg::NatSlot.field("way").place(self.way) | Reg::NatSlot.field("row").place(self.row);
        [
            (Reg::NatFunction, u32::from(self.function)),
            (Reg::NatInside, u32::from_be_bytes(self.inside)),
            (Reg::NatOutside, u32::from_be_bytes(self.outside)),
            (Reg::NatSlot, slot),
            (Reg::NatCommand, operation as u32),
        ]
        .map(|(reg, data)| (u64::from(reg.offset()), data))
        .to_vec()
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
        (answer, table_status(em, Reg::NatStatus))
    }
}

/// What NAT_STATUS or FUNCTION_STATUS says.
pub fn table_status(em: &mut EmSim, reg: Reg) -> TableStatus {
    let (code, answer) = em.bench.read(em.m2m, u64::from(reg.offset())).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(answer, Resp::Okay);
    let status = TableStatus::VARIANTS.iter().find(|(_, s)| s.encoded() == u64::from(code));
    status.unwrap_or_else(|| panic!("{} is {code}", reg.name())).1
}
