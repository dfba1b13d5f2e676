//! Rewriting the tables without pause.

use em_rtl::lookup::{Operation, Table, Tables};
use em_sim::{
    Rng,
    bfm::{Resp, Ticket},
    em::EmSim,
    program::{Slot, Writer},
};
use std::collections::VecDeque;

/// Accesses that are kept queued, so that the bus never rests.
const QUEUED: usize = 32;
/// Entries that come together and go together.
const BATCH: usize = 24;
/// Batches between two commits: an odd number, so that entries come with one commit and go with the next.
const BATCHES_A_COMMIT: u64 = 17;

/// Inserts batches of entries into the NAT tables and deletes them, for ever. Now and then the other bank becomes the active
/// one, and the first is made equal to it.
pub struct Updates {
    tables: Tables,
    rng: Rng,
    /// Entries that stand there now.
    standing: Vec<(Table, Slot, u64)>,
    batches: u64,
    queue: VecDeque<Ticket>,
    /// Commands whose writes were queued, and the tickets that end them.
    commands: VecDeque<Ticket>,
    done: u64,
}

impl Updates {
    /// For hardware with these tables.
    pub fn new(tables: Tables) -> Self {
        Updates {
            tables,
            rng: Rng::new(1),
            standing: Vec::new(),
            batches: 0,
            queue: VecDeque::new(),
            commands: VecDeque::new(),
            done: 0,
        }
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

    fn take_answers(&mut self, em: &mut EmSim) -> Result<(), String> {
        while let Some(ticket) = self.queue.front().copied()
            && let Some(answer) = em.bench.axil[em.m2m].take(ticket)
        {
            self.queue.pop_front();
            let ends_command = self.commands.front() == Some(&ticket);
            if answer.resp != Resp::Okay {
                return Err(format!("a table command was answered with {:?} in clock {}", answer.resp, answer.cycle));
            }
            if ends_command {
                self.commands.pop_front();
                self.done += 1;
            }
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

    fn queue_batch(&mut self, em: &mut EmSim) {
        if self.standing.is_empty() {
            for _ in 0..BATCH {
                let (table, slot, key) = self.entry();
                let mut writer = Writer::default();
                writer.insert(table, slot, key, self.rng.below(1 << 32));
                self.queue_command(em, writer);
                self.standing.push((table, slot, key));
            }
        } else {
            for (table, slot, key) in std::mem::take(&mut self.standing) {
                let mut writer = Writer::default();
                writer.delete(table, slot, key);
                self.queue_command(em, writer);
            }
        }
        self.batches += 1;
        if !self.batches.is_multiple_of(BATCHES_A_COMMIT) {
            return;
        }
        for operation in [Operation::Commit, Operation::Sync] {
            let mut writer = Writer::default();
            writer.operation(operation);
            self.queue_command(em, writer);
        }
    }

    fn queue_command(&mut self, em: &mut EmSim, writer: Writer) {
        for write in writer.into_writes() {
            self.queue.push_back(em.bench.axil[em.m2m].write(u64::from(write.addr), write.data));
        }
        self.commands.extend(self.queue.back());
    }

    /// A key that no rule has, in a slot that neither the rules' mapping nor another one has.
    fn entry(&mut self) -> (Table, Slot, u64) {
        loop {
            let table = if self.rng.percent(50) { Table::NatTx } else { Table::NatRx };
            let geometry = self.tables.geometry(table);
            let way = self.rng.below(u64::from(geometry.ways)) as u32;
            // Networks 10 and 11: in no rule.
            let key = 0x0a00_0000 + self.rng.below(1 << 25);
            let slot = Slot { way, row: geometry.row_of(way, key.into()) };
            let taken = self.standing.iter().any(|(t, s, k)| *t == table && (*s == slot || *k == key));
            if !taken && !self.is_mapping(table, slot) {
                return (table, slot, key);
            }
        }
    }

    fn is_mapping(&self, table: Table, slot: Slot) -> bool {
        let key = super::measure::mapping_key(table);
        key.is_some_and(|key| self.tables.geometry(table).row_of(slot.way, key.into()) == slot.row)
    }
}
