//! Changes to tables that carry traffic: a batch of inserts, deletes and new values, seen by frames all at once.
//!
//! An entry is written to a slot that is free in both banks only, so that no lookup ever reads a word for another one.
//! A key that finds all its slots taken moves others on to their other slots; such a move changes nothing that a frame
//! could see, and is committed on its own before the batch: the slot that it leaves is free then. At the end both banks
//! hold the same again.

use super::{RegisterWrite, Slot, Writer};
use em_rtl::lookup::{Geometry, Operation, Table, Tables};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// A change to one entry. The key of a direct table is its index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The key gets this value, whether or not it has one.
    Set(Table, u64, u64),
    /// The key goes.
    Remove(Table, u64),
}

/// Why a batch was refused; nothing has changed then.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UpdateError {
    /// A key finds no place beside those that stand and those that go with the same batch.
    #[error(
        "there is no place in table {} for key {key:#x}. Remove entries in a batch of their own before, or set fewer at once.",
        table.name()
    )]
    NoPlace {
        /// The table.
        table: Table,
        /// The key.
        key: u64,
    },
    /// A key to be removed is not there.
    #[error("table {} has no key {key:#x} to remove.", table.name())]
    Absent {
        /// The table.
        table: Table,
        /// The key.
        key: u64,
    },
}

/// What stands in the tables, as the Orchestration Module knows it.
#[derive(Clone, Debug)]
pub struct Live {
    images: Vec<Image>,
}

/// What stands in one table.
#[derive(Clone, Debug)]
struct Image {
    table: Table,
    geometry: Geometry,
    /// By slot of an exact table; by index of a direct one.
    slots: Vec<State>,
    /// The slot of each key.
    places: HashMap<u64, usize>,
}

/// What is in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Free,
    /// Key and value stand there.
    Stands(u64, u64),
    /// Key and value are to be written there with the batch.
    Comes(u64, u64),
    /// What stood there goes with the batch; the slot is free only after it.
    Goes(u64, u64),
}

/// An edit of the shadow bank.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Insert(Table, Slot, u64, u64),
    Delete(Table, Slot, u64),
}

/// A sync costs about as much as an edit for so many slots.
const SLOTS_PER_EDIT: u32 = 64;

impl Live {
    /// Empty tables, as after reset or a clear.
    pub fn new(tables: &Tables) -> Self {
        let image = |table: &Table| {
            let geometry = tables.geometry(*table);
            let slots = vec![State::Free; geometry.slots() as usize];
            Image { table: *table, geometry, slots, places: HashMap::new() }
        };
        Live { images: Table::ALL.iter().map(image).collect() }
    }

    /// The value of a key.
    pub fn value(&self, table: Table, key: u64) -> Option<u64> {
        let image = &self.images[table as usize];
        match image.slots[*image.places.get(&key)?] {
            State::Stands(_, value) => Some(value),
            _ => None,
        }
    }

    /// Where a key stands.
    pub fn place(&self, table: Table, key: u64) -> Option<Slot> {
        let image = &self.images[table as usize];
        image.places.get(&key).map(|slot| image.slot(*slot))
    }

    /// The register writes that carry out a batch. Each must answer OKAY before the next.
    ///
    /// # Errors
    /// What has no place or is not there; nothing has changed then.
    pub fn update(&mut self, changes: &[Change]) -> Result<Vec<RegisterWrite>, UpdateError> {
        // What each key is to have at the end; the last change of a key counts.
        let mut wanted = BTreeMap::new();
        for change in changes {
            match *change {
                Change::Set(table, key, value) => wanted.insert((table, key), Some(value)),
                Change::Remove(table, key) => wanted.insert((table, key), None),
            };
        }
        let mut next = self.clone();
        let mut comes = Vec::new();
        for ((table, key), value) in wanted {
            let standing = next.value(table, key);
            match value {
                None if standing.is_none() => return Err(UpdateError::Absent { table, key }),
                _ if value == standing => continue,
                _ => next.images[table as usize].remove(key),
            }
            comes.extend(value.map(|value| (table, key, value)));
        }
        let mut moves = Vec::new();
        for (table, key, value) in comes {
            let image = &mut next.images[table as usize];
            image.set(key, value, &mut moves).ok_or(UpdateError::NoPlace { table, key })?;
        }
        let mut writer = Writer::default();
        for edits in moves {
            self.round(&edits, &mut writer);
        }
        let edits: Vec<Edit> = next.images.iter_mut().flat_map(Image::settle).collect();
        if !edits.is_empty() {
            self.round(&edits, &mut writer);
        }
        *self = next;
        Ok(writer.into_writes())
    }

    /// Edits the shadow bank, makes it the active one, and gives the other bank the same.
    fn round(&self, edits: &[Edit], writer: &mut Writer) {
        edits.iter().for_each(|edit| edit.write(writer));
        writer.operation(Operation::Commit);
        let slots: u32 = self.images.iter().map(|image| image.geometry.slots()).sum();
        if edits.len() as u32 > slots / SLOTS_PER_EDIT {
            writer.operation(Operation::Sync);
        } else {
            edits.iter().for_each(|edit| edit.write(writer));
        }
    }
}

impl Edit {
    fn write(&self, writer: &mut Writer) {
        match *self {
            Edit::Insert(table, slot, key, value) => writer.insert(table, slot, key, value),
            Edit::Delete(table, slot, key) => writer.delete(table, slot, key),
        }
    }
}

impl Image {
    fn slot(&self, index: usize) -> Slot {
        let rows = self.geometry.rows as usize;
        Slot { way: (index / rows) as u32, row: (index % rows) as u32 }
    }

    /// Key that hardware compares: a direct table has none.
    fn key(&self, key: u64) -> u64 {
        if self.geometry.exact { key } else { 0 }
    }

    /// The slots that a key may stand in.
    fn choices(&self, key: u64) -> impl Iterator<Item = usize> + use<> {
        let geometry = self.geometry;
        (0..geometry.ways).map(move |way| {
            let row = if geometry.exact { geometry.row_of(way, key.into()) } else { key as u32 };
            (way * geometry.rows + row) as usize
        })
    }

    /// The key goes, if it stands here.
    fn remove(&mut self, key: u64) {
        if let Some(slot) = self.places.remove(&key)
            && let State::Stands(key, value) = self.slots[slot]
        {
            self.slots[slot] = State::Goes(key, value);
        }
    }

    /// Finds a place for a new key; adds the moves that make it free, each a round. `None` if there is no place.
    fn set(&mut self, key: u64, value: u64, moves: &mut Vec<Vec<Edit>>) -> Option<()> {
        if !self.geometry.exact {
            // The banks of a direct table have slots of their own.
            let slot = usize::try_from(key).ok().filter(|slot| *slot < self.slots.len())?;
            self.slots[slot] = State::Comes(key, value);
            self.places.insert(key, slot);
            return Some(());
        }
        let mut chain = self.chain(key)?;
        let mut free = chain.pop()?;
        while let Some(from) = chain.pop() {
            let state = self.slots[from];
            if let State::Stands(key, value) = state {
                let (to, from) = (self.slot(free), self.slot(from));
                moves.push(vec![Edit::Insert(self.table, to, key, value), Edit::Delete(self.table, from, key)]);
            }
            if let State::Stands(key, _) | State::Comes(key, _) = state {
                self.places.insert(key, free);
            }
            self.slots[free] = state;
            free = from;
        }
        self.slots[free] = State::Comes(key, value);
        self.places.insert(key, free);
        Some(())
    }

    /// The shortest way from a slot of `key` over keys that can move on to a free slot.
    fn chain(&self, key: u64) -> Option<Vec<usize>> {
        let mut from: HashMap<usize, Option<usize>> = HashMap::new();
        let mut queue: VecDeque<usize> = VecDeque::new();
        let mut reach = |queue: &mut VecDeque<usize>, key: u64, before: Option<usize>| {
            for slot in self.choices(key) {
                from.entry(slot).or_insert_with(|| {
                    queue.push_back(slot);
                    before
                });
            }
        };
        reach(&mut queue, key, None);
        while let Some(slot) = queue.pop_front() {
            match self.slots[slot] {
                State::Free => {
                    let mut chain = vec![slot];
                    while let Some(before) = from[chain.last()?] {
                        chain.push(before);
                    }
                    chain.reverse();
                    return Some(chain);
                }
                State::Stands(key, _) | State::Comes(key, _) => reach(&mut queue, key, Some(slot)),
                State::Goes(..) => {}
            }
        }
        None
    }

    /// The edits of the batch, what goes first; afterwards it stands.
    fn settle(&mut self) -> Vec<Edit> {
        let (mut deletes, mut inserts) = (Vec::new(), Vec::new());
        for index in 0..self.slots.len() {
            let slot = self.slot(index);
            match self.slots[index] {
                State::Goes(key, _) => {
                    deletes.push(Edit::Delete(self.table, slot, self.key(key)));
                    self.slots[index] = State::Free;
                }
                State::Comes(key, value) => {
                    inserts.push(Edit::Insert(self.table, slot, self.key(key), value));
                    self.slots[index] = State::Stands(key, value);
                }
                State::Free | State::Stands(..) => {}
            }
        }
        deletes.append(&mut inserts);
        deletes
    }
}
