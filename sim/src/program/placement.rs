//! Which slot of an exact-match table each key takes.

use em_rtl::lookup::Geometry;
use std::collections::VecDeque;

/// A place in an exact-match table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// Way.
    pub way: u32,
    /// Row of the way.
    pub row: u32,
}

/// A slot for each key, in the keys' order and the same on every run.
///
/// Each key may stand in one row of each way. Where all of them are taken, the shortest chain of keys that can move on
/// to their other slots is looked for (cuckoo placement by breadth-first search). Such a chain is found if there is any,
/// so that a set of keys is refused only if no placement of it exists.
///
/// # Errors
/// The index of the first key that has no place beside those before it.
pub fn place(table: &Geometry, keys: &[u128]) -> Result<Vec<Slot>, usize> {
    let slot_of = |way: u32, key: u128| (way * table.rows + table.row_of(way, key)) as usize;
    let choices: Vec<Vec<usize>> =
        keys.iter().map(|key| (0..table.ways).map(|way| slot_of(way, *key)).collect()).collect();
    let mut slots = Slots::new((table.ways * table.rows) as usize);
    for key in 0..keys.len() {
        let free = slots.chain(key, &choices).ok_or(key)?;
        slots.shift(free, key);
    }
    let mut placed = vec![Slot { way: 0, row: 0 }; keys.len()];
    for (slot, owner) in slots.owner.iter().enumerate() {
        if let Some(key) = owner {
            placed[*key] = Slot { way: slot as u32 / table.rows, row: slot as u32 % table.rows };
        }
    }
    Ok(placed)
}

/// The table while it fills, and the search's marks.
struct Slots {
    /// The key in each slot.
    owner: Vec<Option<usize>>,
    /// The key whose search last reached the slot.
    seen: Vec<Option<usize>>,
    /// The slot from which that search came, if it was not the key's own.
    from: Vec<Option<usize>>,
}

impl Slots {
    fn new(count: usize) -> Self {
        Slots { owner: vec![None; count], seen: vec![None; count], from: vec![None; count] }
    }

    /// The nearest free slot that `key` can reach by moving others on.
    fn chain(&mut self, key: usize, choices: &[Vec<usize>]) -> Option<usize> {
        let mut queue = VecDeque::new();
        let reach = |slots: &mut Slots, queue: &mut VecDeque<usize>, owner: usize, from: Option<usize>| {
            for &slot in &choices[owner] {
                if slots.seen[slot] != Some(key) {
                    slots.seen[slot] = Some(key);
                    slots.from[slot] = from;
                    queue.push_back(slot);
                }
            }
        };
        reach(self, &mut queue, key, None);
        while let Some(slot) = queue.pop_front() {
            match self.owner[slot] {
                None => return Some(slot),
                Some(owner) => reach(self, &mut queue, owner, Some(slot)),
            }
        }
        None
    }

    /// Moves the keys of the chain that ends in `free` one on, and puts `key` at its head.
    fn shift(&mut self, free: usize, key: usize) {
        let mut slot = free;
        while let Some(before) = self.from[slot] {
            self.owner[slot] = self.owner[before];
            slot = before;
        }
        self.owner[slot] = Some(key);
    }
}
