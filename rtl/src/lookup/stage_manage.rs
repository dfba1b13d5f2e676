//! The management side of an exact-match table: clears it, then carries out one command at a time over
//! port b of the ways' RAMs.

use super::stage_exact::{Entry, ExactIo, ExactMatch, RAM_LATENCY};
use super::{Operation, SlotCommand, TableStatus};
use hdl::{memory::RamPort, *};

/// Clocks from a digit's number to its table word: the digit is picked, then read from the ROM.
const DIGIT_LATENCY: u32 = 1 + RAM_LATENCY;

/// What the management side is doing.
#[derive(Encode, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Writes an empty entry to every row.
    Clear,
    /// Waits for a command.
    Idle,
    /// Hashes the key, a digit a clock.
    Hash,
    /// Presents the slots' rows to the RAMs.
    Address,
    /// Reads the key's slot in each way.
    Fetch,
    /// Judges what was read.
    Judge,
    /// Writes the slot.
    Write,
    /// Answers.
    Answer,
}

/// What was found in the key's slot of one way.
struct Found {
    /// This way is the command's.
    chosen: Bits,
    /// It is, and the slot holds a live entry.
    holds: Bits,
    /// That entry's key is the command's.
    own: Bits,
    /// That entry's value is the command's.
    same: Bits,
    /// This way is the command's, and the command's row is the one that the key hashes to.
    placed: Bits,
    /// The way is another, and it holds the key with another value.
    duplicate: Bits,
}

/// Builds the management side onto `ports`, one a way, and drives `command` and `ready` of `io`.
#[names]
pub(super) fn build(table: &ExactMatch, io: &ExactIo<Bits>, ports: &[RamPort]) {
    let command = &io.command;
    let step = state(Step::Clear);
    let is = |o: Operation| command.operation.eq(o.encoded());
    let status = |s: TableStatus| command.status.set(s.encoded());
    command.status.registered();
    command.done.reset(0);
    command.done.set(0);
    io.ready.reset(0);

    let row_w = table.hash().row_w;
    let slot_rows: Vec<Bits> = (0..ports.len()).map(|_| reg(row_w).reset(0)).collect();
    let count = reg(clog2(u64::from(table.hash().digits() + DIGIT_LATENCY)).max(2));
    let sum = serial_hash(table, command.key, step.is(Step::Hash), count);
    let hashed: Vec<Bits> = sum.chunks(row_w);

    let write_entry = Entry { live: is(Operation::Insert), key: command.key, value: command.value };
    // A register, because it fans out to all RAMs; nothing but zeros unless a command is about to write.
    let written = reg(pack(&write_entry).width()).reset(0);
    written.set(0);
    let fetched = &ports.iter().map(|port| unpack(&table.entry(), port.rdata)).collect::<Vec<_>>();
    let found = &(0..ports.len())
        .map(|way| find(command, way, &fetched[way], hashed[way], step.is(Step::Fetch)))
        .collect::<Vec<_>>();
    for ((port, row), found) in ports.iter().zip(&slot_rows).zip(found) {
        port.we.set(step.is(Step::Clear) | (step.is(Step::Write) & found.chosen));
        port.en.set(port.we | step.is(Step::Fetch));
        port.addr.set(*row);
        port.wdata.set(written);
    }
    let (old_key, old_value) = fetched_entry(fetched, command.way);
    command.old_key.registered();
    command.old_value.registered();
    when(step.is(Step::Fetch), || {
        command.old_key.set(old_key);
        command.old_value.set(old_value);
    });

    let any = |of: &dyn Fn(&Found) -> Bits| cat(found.iter().map(of).collect::<Vec<_>>()).any();
    let live = any(&|f| f.holds);
    let own = any(&|f| f.own);
    let same = any(&|f| f.same);
    let placed = any(&|f| f.placed);
    let duplicate = any(&|f| f.duplicate);
    let in_range = command.way.lt(ports.len() as u64) & command.row.shr(row_w).eq(0);

    step.switch(|now| match now {
        Step::Clear => {
            let next_row = slot_rows[0] + 1;
            slot_rows.iter().for_each(|row| row.set(next_row));
            when(slot_rows[0].all(), || {
                io.ready.set(1);
                step.go(Step::Idle);
            });
            when(command.start, || {
                command.done.set(1);
                status(TableStatus::NotReady);
            });
        }
        Step::Idle => {
            count.set(0);
            when(command.start, || step.go(Step::Hash));
            when(io.clear, || {
                slot_rows.iter().for_each(|row| row.set(0));
                io.ready.set(0);
                step.go(Step::Clear);
            });
        }
        Step::Hash => {
            count.set(count + 1);
            when(count.eq(u64::from(table.hash().digits() + DIGIT_LATENCY - 1)), || step.go(Step::Address));
        }
        Step::Address => {
            count.set(0);
            for (row, hashed) in slot_rows.iter().zip(&hashed) {
                row.set(mux(is(Operation::Read), command.row.trunc(row_w), *hashed));
            }
            step.go(Step::Fetch);
        }
        Step::Fetch => {
            count.set(count + 1);
            when(count.eq(u64::from(RAM_LATENCY)), || step.go(Step::Judge));
        }
        Step::Judge => {
            step.go(Step::Answer);
            written.set(write_data(&write_entry));
            when(!in_range, || status(TableStatus::OutOfRange))
                .elsewhen(is(Operation::None), || status(TableStatus::BadCommand))
                .elsewhen(is(Operation::Read), || {
                    command.status.set(mux(
                        live,
                        TableStatus::Ok.encoded(),
                        lit(TableStatus::WIDTH, TableStatus::Absent.encoded().into()),
                    ));
                })
                .elsewhen(!placed, || status(TableStatus::Misplaced))
                .elsewhen(is(Operation::Delete) & !live, || status(TableStatus::Absent))
                .elsewhen(live & !same & !(own & is(Operation::Delete)), || status(TableStatus::Occupied))
                .elsewhen(is(Operation::Insert) & duplicate, || status(TableStatus::Duplicate))
                .otherwise(|| {
                    status(TableStatus::Ok);
                    // An insert of what stands there already is done; writing it again would make lookups miss it.
                    when(is(Operation::Delete) | !live, || step.go(Step::Write));
                });
        }
        Step::Write => step.go(Step::Answer),
        Step::Answer => {
            command.done.set(1);
            step.go(Step::Idle);
        }
    });
}

/// Judges the slot read in one way when it has `arrived`.
fn find(command: &SlotCommand<Bits>, way: usize, entry: &Entry<Bits>, row: Bits, arrived: Bits) -> Found {
    let named = |name: &str, value: Bits| value.named(&format!("way{way}_{name}"));
    let keep = |name: &str, value: Bits| named(name, value.delay_enable(arrived));
    let chosen = named("chosen", command.way.eq(way as u64));
    let live = keep("live", entry.live);
    let same_key = keep("same_key", entry.key.eq(command.key));
    let same_value = keep("same_value", entry.value.eq(command.value));
    let same_row = keep("same_row", row.zext(16).eq(command.row));
    let own = named("own", chosen & live & same_key);
    Found {
        chosen,
        holds: named("holds", chosen & live),
        own,
        same: named("same_entry", own & same_value),
        placed: named("placed", chosen & same_row),
        duplicate: named("duplicate", !chosen & live & same_key & !same_value),
    }
}

/// The word that a command writes: an insert's entry, or nothing but zeros.
fn write_data(entry: &Entry<Bits>) -> Bits {
    let word = pack(entry);
    entry.live.repeat(word.width()) & word
}

/// Key and value of the entry that was read in the command's way.
fn fetched_entry(fetched: &[Entry<Bits>], way: Bits) -> (Bits, Bits) {
    let way = way.trunc(clog2(fetched.len() as u64));
    let keys: Vec<Bits> = fetched.iter().map(|entry| entry.key).collect();
    let values: Vec<Bits> = fetched.iter().map(|entry| entry.value).collect();
    (select(way, &keys), select(way, &values))
}

/// The rows that `key` hashes to, side by side, summed up while `running`, a digit a clock from a ROM of the tables.
/// It is complete when `count` has reached the number of digits plus [`DIGIT_LATENCY`].
#[names]
fn serial_hash(table: &ExactMatch, key: Bits, running: Bits, count: Bits) -> Bits {
    let hash = table.hash();
    let digits = hash.digits();
    let digit_w = clog2(u64::from(16 * digits)) - 4;
    let tables = memory::rom(16 * digits, hash.rom()).latency(RAM_LATENCY).read_only();
    let mixed = hash.mix(key).chunks(4);
    let digit = select(count.trunc(digit_w), &mixed);
    let digit_valid = (running & count.lt(u64::from(digits))).delay_reset(0);
    let table_index = cat([count.trunc(digit_w), digit]).delay();
    tables.re.set(digit_valid);
    tables.raddr.set(table_index);
    let row_sum = reg(hash.ways * hash.row_w);
    when(running, || {
        when(count.lt(u64::from(DIGIT_LATENCY)), || row_sum.set(0)).otherwise(|| row_sum.set(row_sum ^ tables.rdata));
    });
    row_sum
}
