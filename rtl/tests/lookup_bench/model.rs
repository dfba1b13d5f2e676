//! What the tables must hold and answer, slot by slot.

use em_rtl::lookup::{Operation, Table, TableStatus, Tables};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    pub operation: Operation,
    pub table: u8,
    pub way: u32,
    pub row: u32,
    pub key: u64,
    pub value: u64,
    /// Bit that is inverted, counted as in the register.
    pub flip: Option<u8>,
}

impl Command {
    pub fn all(operation: Operation) -> Self {
        Command { operation, table: 0, way: 0, row: 0, key: 0, value: 0, flip: None }
    }

    pub fn insert(tables: &Tables, table: Table, way: u32, key: u64, value: u64) -> Self {
        let row = tables.geometry(table).row_of(way, key.into());
        Command { operation: Operation::Insert, table: table as u8, way, row, key, value, flip: None }
    }

    pub fn insert_direct(table: Table, row: u32, value: u64) -> Self {
        Command { operation: Operation::Insert, table: table as u8, way: 0, row, key: 0, value, flip: None }
    }

    pub fn delete(self) -> Self {
        Command { operation: Operation::Delete, ..self }
    }

    pub fn read(self) -> Self {
        Command { operation: Operation::Read, ..self }
    }

    pub fn flipped(self, bit: u8) -> Self {
        Command { flip: Some(bit), ..self }
    }
}

/// What a slot holds; of a direct table both banks' words, side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slot {
    pub valid: [bool; 2],
    pub key: u64,
    /// Of an exact table both are the same.
    pub value: [u64; 2],
    /// A bit is wrong.
    pub damaged: [bool; 2],
}

impl Slot {
    fn usable(&self, bank: usize) -> bool {
        self.valid[bank] && !self.damaged[bank]
    }
}

/// The tables as they must be.
#[derive(Clone)]
pub struct Model {
    pub tables: Tables,
    pub bank: usize,
    pub slots: HashMap<(Table, u32, u32), Slot>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tx {
    pub function: u16,
    pub address: u32,
    pub ipv4: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rx {
    pub address: u32,
    pub ipv4: bool,
    pub eth_dst: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct TxAnswer {
    pub function_valid: bool,
    pub function_parity: bool,
    pub mode: u64,
    pub unmatched: u64,
    pub nat_hit: bool,
    pub nat_parity: bool,
    pub outside: u32,
    pub delta: u16,
    pub next_hop: bool,
    pub route: bool,
    pub hop_mac: u64,
    pub function_mac: u64,
    pub late_parity: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RxAnswer {
    pub nat_hit: bool,
    pub nat_parity: bool,
    pub inside: u32,
    pub function: u16,
    pub delta: u16,
    pub next_hop: bool,
    pub route: bool,
    pub pass_hit: bool,
    pub pass_parity: bool,
    pub pass_function: u16,
    pub function_mac: u64,
    pub late_parity: bool,
}

/// Hits, misses and words of wrong parity of each table.
pub type Counts = [[u64; 5]; 3];

/// The ones'-complement sum of ~m and m' over both half-words, by the definition.
pub fn delta(old: u32, new: u32) -> u16 {
    let mut sum = (!old >> 16) + (!old & 0xffff) + (new >> 16) + (new & 0xffff);
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    if sum == 0 { 0xffff } else { sum as u16 }
}

impl Model {
    pub fn new(tables: Tables) -> Self {
        Model { tables, bank: 0, slots: HashMap::new() }
    }

    fn slot(&self, table: Table, way: u32, row: u32) -> Slot {
        self.slots.get(&(table, way, row)).copied().unwrap_or_default()
    }

    /// The value of a key in a bank, and whether a word of its rows is damaged.
    pub fn find(&self, bank: usize, table: Table, key: u64) -> (Option<u64>, bool) {
        let g = self.tables.geometry(table);
        let slots: Vec<Slot> = (0..g.ways).map(|way| self.slot(table, way, g.row_of(way, key.into()))).collect();
        let hit = slots.iter().find(|s| s.usable(bank) && s.key == key).map(|s| s.value[bank]);
        (hit, slots.iter().any(|s| s.damaged[0]))
    }

    fn entry(&self, bank: usize, table: Table, index: u32) -> (Option<u64>, bool) {
        let slot = self.slot(table, 0, index);
        (slot.usable(bank).then_some(slot.value[bank]), slot.damaged[bank])
    }

    pub fn tx(&self, bank: usize, q: Tx, counts: &mut Counts) -> TxAnswer {
        let mut a = TxAnswer::default();
        let (entry, damaged) = self.entry(bank, Table::Function, q.function.into());
        count(counts, Table::Function, entry.is_some(), damaged);
        a.function_parity = damaged;
        if let Some(entry) = entry {
            a.function_valid = true;
            (a.mode, a.unmatched, a.function_mac) = (entry & 3, entry >> 2 & 3, entry >> 4);
        }
        if q.ipv4 {
            let key = u64::from(q.function) << 32 | u64::from(q.address);
            let (value, damaged) = self.find(bank, Table::NatTx, key);
            count(counts, Table::NatTx, value.is_some(), damaged);
            a.nat_parity = damaged && value.is_none();
            if let Some(value) = value {
                a.nat_hit = true;
                a.outside = value as u32;
                a.delta = delta(q.address, a.outside);
                (a.next_hop, a.route) = (value >> 40 & 1 == 1, value >> 41 & 1 == 1);
                if a.next_hop {
                    let (mac, damaged) = self.entry(bank, Table::NextHop, (value >> 32) as u32 & 0xff);
                    count(counts, Table::NextHop, mac.is_some(), damaged);
                    (a.hop_mac, a.late_parity) = (mac.unwrap_or(0), damaged);
                }
            }
        }
        a
    }

    pub fn rx(&self, bank: usize, q: Rx, counts: &mut Counts) -> RxAnswer {
        let mut a = RxAnswer::default();
        let (function, damaged) = self.find(bank, Table::Mac, q.eth_dst);
        count(counts, Table::Mac, function.is_some(), damaged);
        (a.pass_hit, a.pass_parity) = (function.is_some(), damaged && function.is_none());
        a.pass_function = function.unwrap_or(0) as u16;
        if q.ipv4 {
            let (value, damaged) = self.find(bank, Table::NatRx, q.address.into());
            count(counts, Table::NatRx, value.is_some(), damaged);
            a.nat_parity = damaged && value.is_none();
            if let Some(value) = value {
                a.nat_hit = true;
                (a.inside, a.function) = (value as u32, (value >> 32) as u16);
                a.delta = delta(q.address, a.inside);
                (a.next_hop, a.route) = (value >> 48 & 1 == 1, value >> 49 & 1 == 1);
                let (entry, damaged) = self.entry(bank, Table::Function, a.function.into());
                (a.function_mac, a.late_parity) = (entry.unwrap_or(0) >> 4, damaged);
                // Shared with the lookups of tx: counted by those only, but for the parity.
                counts[2][Table::Function as usize] += u64::from(damaged);
            }
        }
        a
    }

    /// Carries out a command; its status, and the slot that it found.
    pub fn apply(&mut self, c: &Command) -> (TableStatus, Option<Slot>) {
        let shadow = 1 - self.bank;
        match c.operation {
            Operation::None => return (TableStatus::BadCommand, None),
            Operation::Commit => self.bank = shadow,
            Operation::Sync => {
                let bank = self.bank;
                for ((table, ..), slot) in &mut self.slots {
                    let direct = *table >= Table::Function;
                    if !slot.damaged[bank] {
                        slot.valid[shadow] = slot.valid[bank];
                        slot.value[shadow] = slot.value[bank];
                        if direct {
                            slot.damaged[shadow] = false;
                        }
                    }
                }
            }
            Operation::Clear => self.slots.clear(),
            Operation::Insert | Operation::Delete | Operation::Read => return self.edit(c, shadow),
        }
        (TableStatus::Ok, None)
    }

    fn edit(&mut self, c: &Command, shadow: usize) -> (TableStatus, Option<Slot>) {
        let Some(table) = Table::ALL.get(usize::from(c.table)).copied() else { return (TableStatus::OutOfRange, None) };
        let g = self.tables.geometry(table);
        let layout = self.tables.layout(table);
        let beyond = c.way >= g.ways
            || c.row >= g.rows
            || (g.exact && c.key & !layout.key_mask != 0)
            || (c.operation == Operation::Insert && c.value & !layout.value_mask != 0);
        if beyond {
            return (TableStatus::OutOfRange, None);
        }
        let reads = c.operation == Operation::Read;
        if g.exact && !reads && g.row_of(c.way, c.key.into()) != c.row {
            return (TableStatus::Misplaced, None);
        }
        let old = self.slot(table, c.way, c.row);
        let used = [old.usable(0), old.usable(1)];
        let same = old.key == c.key && old.value[0] == c.value;
        let found = Some(Slot { valid: used, ..old });
        let elsewhere = g.exact
            && (0..g.ways).any(|way| {
                let other = self.slot(table, way, g.row_of(way, c.key.into()));
                way != c.way && other.usable(shadow) && other.key == c.key && other.value[0] != c.value
            });
        let status = match c.operation {
            Operation::Read if old.damaged[shadow] => TableStatus::Parity,
            Operation::Read if used == [false; 2] => TableStatus::Absent,
            Operation::Delete if !used[shadow] => TableStatus::Absent,
            Operation::Delete if g.exact && old.key != c.key => TableStatus::Occupied,
            Operation::Insert if g.exact && used != [false; 2] && !same => TableStatus::Occupied,
            Operation::Insert if g.exact && elsewhere => TableStatus::Duplicate,
            _ => TableStatus::Ok,
        };
        if reads || status != TableStatus::Ok {
            return (status, found);
        }
        let mut new = Slot { valid: used, ..old };
        new.valid[shadow] = c.operation == Operation::Insert;
        let damaged = c.flip.is_some_and(|bit| stores(&self.tables, table, bit));
        if g.exact {
            new.damaged = [damaged; 2];
        } else {
            new.valid[1 - shadow] = old.valid[1 - shadow];
            new.damaged[shadow] = damaged;
        }
        if c.operation == Operation::Insert {
            new.value[shadow] = c.value;
            if g.exact {
                new.key = c.key;
                new.value = [c.value; 2];
            }
        }
        self.slots.insert((table, c.way, c.row), new);
        (status, found)
    }
}

/// Does a word of the table have this bit of the content?
fn stores(tables: &Tables, table: Table, bit: u8) -> bool {
    let layout = tables.layout(table);
    match bit {
        0 => true,
        1 => layout.valid_w == 2,
        2..=49 => layout.key_mask >> (bit - 2) & 1 == 1,
        50..=113 => layout.value_mask >> (bit - 50) & 1 == 1,
        114..=129 => layout.delta,
        130 => true,
        _ => false,
    }
}

fn count(counts: &mut Counts, table: Table, hit: bool, damaged: bool) {
    counts[usize::from(!hit)][table as usize] += 1;
    counts[2][table as usize] += u64::from(damaged);
}
