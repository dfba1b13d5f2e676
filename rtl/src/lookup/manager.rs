//! The management side of all tables: clears them, then carries out one command at a time.
//!
//! ```text
//!                     ┌───────────── bank, ready
//!  manage ──▶ check ──┴▶ hash, read, judge ──▶ compose ──▶ slot of the table
//!                         ▲            │ way by way      (validity, delta, parity)
//!                         └────────────┘
//! ```
//!
//! An insert or delete hashes its key, reads the key's slot in the other ways and then in the command's, and writes that
//! one if all is well. A sync goes through the tables that were edited since the last one, a row a clock, and stops at rows
//! whose banks differ. A direct table is managed alike, with its two banks for ways. Nothing here is fast, and no
//! comparison is wider than a clock allows: words are registered, compared in groups, and judged a clock later.
//!
//! 1. Only the shadow bank is edited. A slot in use in the active bank keeps key and value; its word may be rewritten
//!    with another validity of the shadow bank.
//! 2. A command that is refused changes nothing; see [`TableStatus`] for the reasons.
//! 3. The bank changes in one clock for all tables, and the commit is over when no lookup that took the bank before can
//!    still read: so no word is written that a lookup may take for another one.
//! 4. After reset, and after a clear, no slot is valid in either bank; until then `ready` is 0.
//! 5. A word of wrong parity counts as free: it can be inserted over, and a sync leaves it alone.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/table_manager` | LFE5UM5G-45F-8 | 1358 | 556 | 1 | 179 / 190 / 190 | 162.5 |

use super::{
    Operation, SlotAccess, Table, TableManage, TableStatus, Tables,
    exact::FOUND_LATENCY,
    layout::{Content, KEY_W, VALUE_W},
    serial_hash::{SerialHash, Steps},
    steps::Step,
    words::{delta, differences, flip_mask, parities},
};
use crate::{carry, carry_valid};
use hdl::*;

/// Clocks from `taken` to what is judged: the tables are multiplexed, then compared in two stages.
const JUDGED_LATENCY: u32 = FOUND_LATENCY + 3;

/// Configuration of the management side: the tables that it manages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableManager {
    /// They.
    pub tables: Tables,
}

/// Ports of the management side.
#[derive(Bundle, Clone, Debug)]
#[bundle(tables: &Tables)]
pub struct TableManagerIo<S> {
    /// Commands.
    #[input]
    pub manage: TableManage<S>,
    /// Slots of the table of that name.
    #[output]
    #[shape(tables.slot_shape(Table::NatTx))]
    pub nat_tx: SlotAccess<S>,
    /// Slots of the table of that name.
    #[output]
    #[shape(tables.slot_shape(Table::NatRx))]
    pub nat_rx: SlotAccess<S>,
    /// Slots of the table of that name.
    #[output]
    #[shape(tables.slot_shape(Table::Mac))]
    pub mac: SlotAccess<S>,
    /// Slots of the table of that name.
    #[output]
    #[shape(tables.slot_shape(Table::Function))]
    pub function: SlotAccess<S>,
    /// Slots of the table of that name.
    #[output]
    #[shape(tables.slot_shape(Table::NextHop))]
    pub next_hop: SlotAccess<S>,
}

impl<S> TableManagerIo<S> {
    fn slots(&self) -> [&SlotAccess<S>; 5] {
        [&self.nat_tx, &self.nat_rx, &self.mac, &self.function, &self.next_hop]
    }
}

impl Block for TableManager {
    type Io<S> = TableManagerIo<S>;

    fn name(&self) -> String {
        "table_manager".into()
    }

    fn doc(&self) -> String {
        "Management side of all tables: clears them, then carries out one command at a time.".into()
    }

    fn io(&self) -> TableManagerIo<Shape> {
        TableManagerIo::shape(&self.tables)
    }

    #[names]
    fn build(&self, io: &TableManagerIo<Bits>) {
        let tables = &self.tables;
        let command = &io.manage;
        // From the clock after the start on.
        let is = |o: Operation| command.operation.eq(o.encoded()).delay();
        let inserts = is(Operation::Insert);
        let deletes = is(Operation::Delete);
        let reads = is(Operation::Read);
        let syncs = is(Operation::Sync);
        command.done.reset(0);
        command.done.set(0);
        command.ready.reset(0);
        command.bank.reset(0);
        let outcome = state(TableStatus::Ok);
        command.status.set(outcome.bits());
        let status = |s: TableStatus| outcome.go(s);

        // Where the slot is that is read or written.
        let step = state(Step::Clear);
        let row_w = self.row_w();
        let way_w = 3;
        let table = reg(3).reset(0);
        let way = reg(way_w).reset(0);
        let row = reg(row_w).reset(0);
        let count = reg(5);
        // Tables whose banks may differ.
        let edited = reg(Table::ALL.len() as u32).reset(0);
        let clearing = reg(1).reset(1);
        let by_command = reg(1).reset(0);
        let reading = reg(Table::ALL.len() as u32).reset(0);
        let writing = reg(Table::ALL.len() as u32).reset(0x1f);
        let this_table = onehot::one_hot(table, Table::ALL.len() as u32);
        let direct = table.ge(Table::Function as u64);
        let bank = command.bank;
        let shadow = !bank;
        // The way of the command, which is read last; of a direct table the shadow bank.
        let target = mux(direct, shadow.zext(way_w), command.way.trunc(way_w));
        let last_way = self
            .constant_of(table, way_w, |t| if t >= Table::Function { 1 } else { tables.geometry(t).ways as u64 - 1 });
        let last_row = self.constant_of(table, row_w, |t| u64::from(tables.geometry(t).rows) - 1);
        let at_last_way = (direct | way.eq(last_way)).delay();
        let at_last_row = row.eq(last_row).delay();
        let after = |way: Bits| mux(way.eq(last_way), lit(way_w, 0), way + 1);
        let out_of_range = self.out_of_range(command);

        // The row of an exact table's key in the way.
        let hashes = !direct & !reads & !syncs;
        let hash = SerialHash { hash: self.widest_hash(), narrow_w: tables.geometry(Table::NatRx).key_w };
        let hashing = step.is(Step::Hash);
        let loads = hashing & count.eq(0);
        let key_row =
            hash.row(command.key, table.eq(Table::NatRx as u64), &Steps { load: loads, run: hashing & !loads, way });
        let key_row = key_row.zext(row_w) & last_row;
        let command_row = if row_w < 16 { command.row.trunc(row_w) } else { command.row.zext(row_w) };
        let misplaced = key_row.ne(command_row).delay();

        // The word that was read last: the other tables' are 0.
        let words = Table::ALL.iter().zip(io.slots()).map(|(t, slot)| {
            let (content, parity) = tables.layout(*t).unpack(slot.found);
            cat([parity, pack(&content)])
        });
        let any_word = words.reduce(|a, b| a | b).expect("there are tables");
        let taken = cat(io.slots().map(|slot| slot.taken)).any();
        // Rows that were read in a scan, beside what is known of them.
        let scanned = carry_valid("scanned", taken, FOUND_LATENCY + 1);
        let scanned_row = carry("scanned_row", row, FOUND_LATENCY);
        let scanned_last = scanned_row.eq(last_row).delay();
        let scanned_row = scanned_row.delay();
        let arrives = carry_valid("taken", taken, FOUND_LATENCY);
        let found_word = any_word.delay_enable(arrives);
        let uneven = cat(io.slots().into_iter().rev().map(|slot| slot.uneven));
        let uneven = (uneven & this_table).any().delay_enable(arrives);
        let odd = parities("found", found_word).delay();
        let found = unpack(&Content::shape(), found_word.trunc(found_word.width() - 1));
        let command_key = command.key & (!direct).repeat(KEY_W);
        let other_key = differences(found.key, command_key).delay();
        let other_value = differences(found.value, command.value.trunc(VALUE_W)).delay();
        let sound = (!odd.parity()).delay();
        let same_key = (!other_key.any()).delay();
        let same_value = (!other_value.any()).delay();
        let found_valid = found.valid & sound.repeat(2);

        // What is known of the slot and of the key's other slots, bank by bank.
        let valid = reg(2);
        let duplicate = reg(1);
        let in_shadow = mux(shadow, valid.bit(1), valid.bit(0));
        let in_active = mux(bank, valid.bit(1), valid.bit(0));
        let same_entry = same_key & same_value;
        command.old_valid.set(valid);
        command.old_key.set(found.key);
        command.old_value.set(found.value.zext(64));

        // The word that is written.
        let shadow_bit = cat([shadow, bank]);
        let valid_of_slot = mux(inserts, valid | shadow_bit, mux(syncs, in_active.repeat(2), valid & !shadow_bit));
        let valid_of_row = (inserts | (syncs & in_active)).zext(2);
        let new_delta = delta(command.key.trunc(32), command.value.trunc(32)) & table.lt(Table::Mac as u64).repeat(16);
        let new_content = Content {
            valid: mux(direct, valid_of_row, valid_of_slot),
            key: mux(inserts, command_key, found.key),
            value: mux(inserts, command.value.trunc(VALUE_W), found.value),
            delta: mux(inserts, new_delta, found.delta),
        };
        let new_content = pack(&new_content);
        let (flipped_content, flipped_parity) = flip_mask(command.flip_bit, command.flip & (inserts | deletes));
        let content = reg(new_content.width()).reset(0);
        let new_odd = parities("new", new_content);
        let content_parities = reg(new_odd.width()).reset(0);
        let parity = reg(1).reset(0);
        for (i, (t, slot)) in Table::ALL.iter().zip(io.slots()).enumerate() {
            let (slot_way_w, slot_row_w) = (slot.way.width(), slot.row.width());
            slot.read.set(reading.bit(i as u32));
            slot.write.set(writing.bit(i as u32));
            slot.all.set(clearing);
            slot.row.set(row.trunc(slot_row_w));
            let fits = slot_row_w + slot_way_w <= row_w;
            let counted = if fits { row.slice(slot_row_w..slot_row_w + slot_way_w) } else { lit(slot_way_w, 0) };
            slot.way.set(mux(clearing, counted, way.trunc(slot_way_w)));
            slot.word.set(tables.layout(*t).pack(&unpack(&Content::shape(), content), parity));
        }
        let fail = |s: TableStatus| {
            status(s);
            step.go(Step::Answer);
        };
        let next_table = || {
            count.set(0);
            table.set(table + 1);
            step.go(Step::Seek);
            when(table.eq(Table::ALL.len() as u64 - 1), || step.go(Step::Answer));
        };
        step.switch(|now| match now {
            Step::Drain => {
                count.set(count + 1);
                when(count.eq(u64::from(Tables::LATE_LATENCY + 2)), || {
                    when(clearing, || {
                        writing.set(constant(Value::ones(writing.width())));
                        step.go(Step::Clear);
                    })
                    .otherwise(|| step.go(Step::Answer));
                });
            }
            Step::Clear => {
                row.set(row + 1);
                when(row.all(), || {
                    clearing.set(0);
                    writing.set(0);
                    command.ready.set(1);
                    step.go(Step::Idle);
                    when(by_command, || step.go(Step::Answer));
                });
                when(command.start, || {
                    command.done.set(1);
                    status(TableStatus::NotReady);
                });
            }
            Step::Idle => {
                count.set(0);
                duplicate.set(0);
                table.set(command.table);
                way.set(0);
                row.set(command_row);
                status(TableStatus::Ok);
                when(command.start, || {
                    switch(command.operation)
                        .case_any([Operation::Insert, Operation::Delete, Operation::Read].map(Encode::encoded), || {
                            step.go(Step::Check);
                        })
                        .case(Operation::Commit.encoded(), || {
                            command.bank.set(shadow);
                            step.go(Step::Drain);
                        })
                        .case(Operation::Sync.encoded(), || {
                            table.set(0);
                            step.go(Step::Seek);
                        })
                        .case(Operation::Clear.encoded(), || {
                            row.set(0);
                            edited.set(0);
                            content.set(0);
                            parity.set(0);
                            clearing.set(1);
                            by_command.set(1);
                            command.ready.set(0);
                            step.go(Step::Drain);
                        })
                        .default(|| fail(TableStatus::BadCommand));
                });
            }
            Step::Check => {
                // The others first.
                way.set(mux(!direct & reads, target, after(target)));
                when(out_of_range, || fail(TableStatus::OutOfRange))
                    .elsewhen(hashes, || step.go(Step::Hash))
                    .otherwise(|| step.go(Step::Visit));
            }
            Step::Hash => {
                count.set(count + 1);
                when(count.eq(u64::from(hash.clocks() + 2)), || step.go(Step::Visit));
            }
            Step::Visit => {
                count.set(0);
                when(hashes, || row.set(key_row));
                when(direct & syncs, || way.set(bank.zext(way_w)));
                reading.set(this_table);
                step.go(Step::Read);
                when(hashes & misplaced & way.eq(target), || {
                    reading.set(0);
                    fail(TableStatus::Misplaced);
                });
            }
            Step::Read => {
                when(taken, || {
                    reading.set(0);
                    step.go(Step::Fetch);
                });
            }
            Step::Fetch => {
                count.set(count + 1);
                when(count.eq(u64::from(JUDGED_LATENCY - 2)), || step.go(Step::Judge));
            }
            Step::Judge => {
                when(direct, || {
                    when(way.bit(0), || valid.bit(1).set(found_valid.bit(0)))
                        .otherwise(|| valid.bit(0).set(found_valid.bit(0)));
                })
                .otherwise(|| valid.set(found_valid));
                when(syncs | way.eq(target), || step.go(Step::Decide)).otherwise(|| {
                    let live = mux(shadow, found_valid.bit(1), found_valid.bit(0));
                    when(!direct & live & same_key & !same_value, || duplicate.set(1));
                    way.set(after(way));
                    count.set(0);
                    when(hashes, || step.go(Step::Hash)).otherwise(|| step.go(Step::Visit));
                });
            }
            Step::Decide => {
                step.go(Step::Compose);
                when(syncs, || {
                    when(!sound | (!direct & in_shadow.eq(in_active)), || step.go(Step::Next));
                    // It may be as damaged in one bank only.
                    when(!sound, || edited.set(edited | this_table));
                })
                .elsewhen(reads, || {
                    step.go(Step::Answer);
                    when(!sound, || status(TableStatus::Parity)).elsewhen(!valid.any(), || status(TableStatus::Absent));
                })
                .elsewhen(deletes, || {
                    when(!in_shadow, || fail(TableStatus::Absent)).elsewhen(!same_key, || fail(TableStatus::Occupied));
                })
                .elsewhen(!direct, || {
                    when(valid.any() & !same_entry, || fail(TableStatus::Occupied))
                        .elsewhen(duplicate, || fail(TableStatus::Duplicate));
                });
            }
            Step::Compose => {
                content.set(new_content ^ flipped_content);
                content_parities.set(new_odd);
                when(direct & syncs, || way.set(shadow.zext(way_w)));
                step.go(Step::Seal);
            }
            Step::Seal => {
                parity.set(content_parities.parity() ^ flipped_parity);
                writing.set(this_table);
                step.go(Step::Write);
            }
            Step::Write => {
                writing.set(0);
                when(syncs, || step.go(Step::Next)).otherwise(|| {
                    edited.set(edited | this_table);
                    step.go(Step::Answer);
                });
            }
            Step::Seek => {
                // Reads of the table before are still under way.
                count.set(count + 1);
                row.set(0);
                when(!(edited & this_table).any(), next_table).elsewhen(count.eq(u64::from(FOUND_LATENCY + 3)), || {
                    edited.set(edited & !this_table);
                    reading.set(this_table);
                    step.go(Step::Scan);
                });
            }
            Step::Scan => {
                // Rows behind the last one are read in vain, until it is known of that one.
                when(taken, || row.set(row + 1));
                way.set(0);
                when(scanned & (uneven | scanned_last), || {
                    reading.set(0);
                    row.set(scanned_row);
                    when(uneven, || step.go(Step::Visit)).otherwise(next_table);
                });
            }
            Step::Next => {
                way.set(way + 1);
                step.go(Step::Visit);
                when(at_last_way, || {
                    row.set(row + 1);
                    reading.set(this_table);
                    step.go(Step::Scan);
                    when(at_last_row, || {
                        reading.set(0);
                        next_table();
                    });
                });
            }
            Step::Answer => {
                command.done.set(1);
                step.go(Step::Idle);
            }
        });
    }
}
