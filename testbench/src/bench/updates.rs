//! Rewriting the tables without pause.

use crate::em::table_status;
use em_rtl::lookup::{Operation, Table, Tables};
use em_sim::{
    Rng,
    bfm::Ticket,
    em::EmSim,
    program::{Slot, Writer},
};
use std::collections::VecDeque;

/// Accesses that are kept queued, so that the bus never rests.
const QUEUED: usize = 32;
/// Entries that come and go together.
const BATCH: usize = 24;
/// Batches between two syncs.
const SYNC_EVERY: u64 = 64;
/// Slots that a sync may go through; in larger tables nothing else would happen for a million clocks.
const SYNC_SLOTS: u32 = 16_384;

/// An entry that comes and goes.
#[derive(Clone, Copy)]
struct Visitor {
    table: Table,
    slot: Slot,
    key: u64,
    value: u64,
}

/// Has entries of the NAT tables come and go for ever: a batch is put into the shadow bank, committed and put into the other
/// bank too; then it is taken out in the same way. Now and then a sync goes through all tables.
pub struct Updates {
    tables: Tables,
    rng: Rng,
    /// What stands in both banks now.
    standing: Vec<Visitor>,
    batches: u64,
    /// Accesses under way; true for those that end a command.
    queue: VecDeque<(Ticket, bool)>,
    done: u64,
}

impl Updates {
    /// For hardware with these tables.
    pub fn new(tables: Tables) -> Self {
        let rng = Rng::new(1);
        Updates { tables, rng, standing: Vec::new(), batches: 0, queue: VecDeque::new(), done: 0 }
    }

    /// Commands carried out so far.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Takes the answers that are there and queues more writes; call it every few clocks.
    ///
    /// # Errors
    /// A command that was refused.
    pub fn feed(&mut self, em: &mut EmSim) -> Result<(), String> {
        self.take_answers(em)?;
        while self.queue.len() < QUEUED {
            self.queue_batch(em);
        }
        Ok(())
    }

    /// Runs until no access is under way.
    ///
    /// # Errors
    /// A command that was refused, a bus that does not answer.
    pub fn finish(&mut self, em: &mut EmSim) -> Result<(), String> {
        while !self.queue.is_empty() {
            em.bench.run(8).map_err(|e| e.to_string())?;
            self.take_answers(em)?;
        }
        Ok(())
    }

    fn take_answers(&mut self, em: &mut EmSim) -> Result<(), String> {
        while let Some((ticket, ends_command)) = self.queue.front().copied()
            && let Some(answer) = em.bench.axil[em.m2m].take(ticket)
        {
            self.queue.pop_front();
            self.done += u64::from(ends_command);
            if answer.resp != em_sim::bfm::Resp::Okay {
                let now = table_status(em);
                return Err(format!(
                    "a table command was refused in clock {}; by now the status is {now:?}",
                    answer.cycle
                ));
            }
        }
        Ok(())
    }

    fn queue_batch(&mut self, em: &mut EmSim) {
        let coming = self.standing.is_empty();
        if coming {
            self.standing = self.visitors();
        }
        let visitors = self.standing.clone();
        for bank in [0, 1] {
            for v in &visitors {
                let mut writer = Writer::default();
                match coming {
                    true => writer.insert(v.table, v.slot, v.key, v.value),
                    false => writer.delete(v.table, v.slot, v.key),
                }
                self.queue_command(em, writer);
            }
            if bank == 0 {
                self.queue_operation(em, Operation::Commit);
            }
        }
        if !coming {
            self.standing.clear();
        }
        self.batches += 1;
        let slots: u32 = Table::ALL.into_iter().map(|table| self.tables.geometry(table).slots()).sum();
        if self.batches.is_multiple_of(SYNC_EVERY) && slots <= SYNC_SLOTS {
            self.queue_operation(em, Operation::Sync);
        }
    }

    fn queue_operation(&mut self, em: &mut EmSim, operation: Operation) {
        let mut writer = Writer::default();
        writer.operation(operation);
        self.queue_command(em, writer);
    }

    fn queue_command(&mut self, em: &mut EmSim, writer: Writer) {
        for write in writer.into_writes() {
            let ticket = em.bench.axil[em.m2m].write(u64::from(write.addr), write.data);
            self.queue.push_back((ticket, false));
        }
        if let Some((_, ends_command)) = self.queue.back_mut() {
            *ends_command = true;
        }
    }

    /// Entries with keys that no rule has, in slots that neither the rules' mapping nor another one of them has.
    fn visitors(&mut self) -> Vec<Visitor> {
        let mut visitors: Vec<Visitor> = Vec::with_capacity(BATCH);
        while visitors.len() < BATCH {
            let table = if self.rng.percent(50) { Table::NatTx } else { Table::NatRx };
            let geometry = self.tables.geometry(table);
            let way = self.rng.below(u64::from(geometry.ways)) as u32;
            // Addresses in networks 10 and 11: in no rule.
            let key = 0x0a00_0000 + self.rng.below(1 << 25);
            let slot = Slot { way, row: geometry.row_of(way, key.into()) };
            let taken = visitors.iter().any(|v| v.table == table && (v.slot == slot || v.key == key));
            if !taken && !self.is_mapping(table, slot) {
                visitors.push(Visitor { table, slot, key, value: self.rng.below(1 << 32) });
            }
        }
        visitors
    }

    /// Whether the rules' mapping may stand in this slot.
    fn is_mapping(&self, table: Table, slot: Slot) -> bool {
        let key = super::measure::mapping_key(table);
        key.is_some_and(|key| self.tables.geometry(table).row_of(slot.way, key.into()) == slot.row)
    }
}
