//! The management side of all tables: clears them, then carries out one command at a time.
//!
//! ```text
//!                     ┌───────────── bank, ready
//!  manage ──▶ check ──┴▶ hash, read, judge ──▶ compose ──▶ word register, slot of the table
//!                         ▲            │ way by way      (validity, delta, parity)
//!                         └────────────┘
//! ```
//!
//! Words pass in pieces of 16 bits, one a clock; each table has a register that puts them together to the word that is
//! written.
//!
//! An insert or delete hashes its key, reads the key's slot in the other ways and then in the command's, and writes that
//! one if all is well. A sync goes through the tables that were edited since the last one, a row a clock, and stops at rows
//! whose banks differ, of which it changes the slots that do. A direct table is managed alike, with its two banks for
//! ways.
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
    lane::{Lane, Passing},
    pieces::{AT_W, LAST},
    ram,
    serial_hash::{SerialHash, Steps},
    steps::Step,
};
use crate::{carry, carry_valid};
use hdl::*;

/// Clocks from `taken` to what is judged: the tables' pieces come together, then are compared in two stages.
const JUDGED_LATENCY: u32 = FOUND_LATENCY + 3;

/// Ways of any table at most.
const MOST_WAYS: u32 = 8;

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

        // Rows that were read in a scan, beside what is known of them.
        let taken = cat(io.slots().map(|slot| slot.taken)).any();
        let scanned = carry_valid("scanned", taken, FOUND_LATENCY + 1);
        let scanned_row = carry("scanned_row", row, FOUND_LATENCY);
        let scanned_last = scanned_row.eq(last_row).delay();
        let scanned_row = scanned_row.delay();
        let uneven = io.slots().into_iter().enumerate().map(|(i, slot)| {
            let ways = slot.uneven.zext(MOST_WAYS);
            ways & this_table.bit(i as u32).repeat(MOST_WAYS)
        });
        let uneven = uneven.reduce(|a, b| a | b).expect("there are tables").delay();

        // The pieces that are read, and those that are sent.
        let number = count.trunc(AT_W);
        let look = carry("look", number, ram::LATENCY);
        let found_at = carry("found_at", look, FOUND_LATENCY - ram::LATENCY);
        let found_piece = io.slots().map(|slot| slot.found).into_iter().reduce(|a, b| a | b);
        let composing = step.is(Step::Compose);
        let lane = Lane::new(
            command,
            &Passing {
                found: carry_valid("piece_taken", taken & step.is(Step::Read), FOUND_LATENCY),
                found_piece: found_piece.expect("there are tables"),
                composed: composing & count.lt(LAST),
                at: mux(composing, number, found_at),
                begins: step.is(Step::Check),
                inserts,
                edits: inserts | deletes,
                direct,
                translates: table.lt(Table::Mac as u64),
            },
        );
        let sound = lane.sound;
        let same_key = !lane.key_differs;
        let found_valid = lane.old_bits & sound.repeat(2);

        // What is known of the slot and of the key's other slots, bank by bank.
        let valid = reg(2);
        let duplicate = reg(1);
        let in_shadow = mux(shadow, valid.bit(1), valid.bit(0));
        let in_active = mux(bank, valid.bit(1), valid.bit(0));
        let same_entry = same_key & !lane.value_differs;
        command.old_valid.set(valid);
        command.old_key.set(lane.old_key);
        command.old_value.set(lane.old_value.zext(64));

        // The validity that is written.
        let shadow_bit = cat([shadow, bank]);
        let valid_of_slot = mux(inserts, valid | shadow_bit, mux(syncs, in_active.repeat(2), valid & !shadow_bit));
        let valid_of_row = (inserts | (syncs & in_active)).zext(2);
        let new_valid = mux(direct, valid_of_row, valid_of_slot);

        // Ways of the row that differ and are still to be seen to, that of bit 0 next.
        let uneven_left = reg(MOST_WAYS);
        for (i, slot) in io.slots().into_iter().enumerate() {
            let (slot_way_w, slot_row_w) = (slot.way.width(), slot.row.width());
            slot.read.set(reading.bit(i as u32));
            slot.look.set(look);
            slot.write.set(writing.bit(i as u32));
            slot.all.set(clearing);
            slot.row.set(row.trunc(slot_row_w));
            let fits = slot_row_w + slot_way_w <= row_w;
            let counted = if fits { row.slice(slot_row_w..slot_row_w + slot_way_w) } else { lit(slot_way_w, 0) };
            slot.way.set(mux(clearing, counted, way.trunc(slot_way_w)));
            slot.put.set(lane.sent);
            slot.at.set(lane.sent_at);
            slot.piece.set(lane.sent_piece);
        }
        let first_piece = cat([direct, lit(AT_W - 1, 0)]).zext(count.width());
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
                count.set(first_piece);
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
                    count.set(count + 1);
                    when(count.eq(LAST), || {
                        reading.set(0);
                        count.set(0);
                        step.go(Step::Fetch);
                    });
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
                    when(!direct & live & same_key & lane.value_differs, || duplicate.set(1));
                    way.set(after(way));
                    count.set(0);
                    when(hashes, || step.go(Step::Hash)).otherwise(|| step.go(Step::Visit));
                });
            }
            Step::Decide => {
                count.set(first_piece);
                step.go(Step::Seal);
                when(inserts, || step.go(Step::Compose));
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
                count.set(count + 1);
                when(count.eq(LAST + 1), || step.go(Step::Seal));
            }
            Step::Seal => {
                lane.send_last(new_valid);
                when(direct & syncs, || way.set(shadow.zext(way_w)));
                step.go(Step::Send);
            }
            Step::Send => {
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
                way.set(constant(Value::ones(way_w)));
                uneven_left.set(uneven);
                when(scanned & (uneven.any() | scanned_last), || {
                    reading.set(0);
                    row.set(scanned_row);
                    when(uneven.any(), || step.go(Step::Next)).otherwise(next_table);
                });
            }
            Step::Next => {
                way.set(way + 1);
                uneven_left.set(uneven_left.shr(1));
                when(uneven_left.bit(0), || step.go(Step::Visit));
                when(!uneven_left.any(), || {
                    row.set(row + 1);
                    when(at_last_row, next_table).elsewhen(direct, || step.go(Step::Visit)).otherwise(|| {
                        reading.set(this_table);
                        step.go(Step::Scan);
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
