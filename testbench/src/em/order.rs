//! Whether frames that came out of a port may have come in this order.

use std::collections::BTreeSet;

/// What is wrong with what came out.
#[derive(Debug, PartialEq, Eq)]
pub enum Disorder<'a, T> {
    /// This item, the `place`th of those that came out, is not the next one of any queue.
    Unexpected {
        /// Its place.
        place: usize,
        /// The next one of each queue that has more.
        due: Vec<&'a T>,
    },
    /// Everything came out right, and then these should have.
    Missing {
        /// The next one of each queue that has more.
        due: Vec<&'a T>,
    },
}

/// Checks that `got` is the items of all of `queues`, the order of each queue kept and any way of taking turns allowed.
/// Each queue holds what one input owes to the port; which input an item came from need not be told. An item that
/// `may_lack` need not come; all that are alike may lack, or none.
///
/// # Errors
/// The first item that does not fit, or what is missing at the end.
pub fn merged<'a, T, G>(
    queues: &'a [Vec<T>],
    got: &[G],
    same: impl Fn(&T, &G) -> bool,
    may_lack: impl Fn(&T) -> bool,
) -> Result<(), Disorder<'a, T>> {
    // The place of the next item like this one, if all before it may lack.
    let next_like = |queue: &[T], from: usize, item: &G| {
        let ahead = queue[from..].iter().position(|due| same(due, item) || !may_lack(due))?;
        same(&queue[from + ahead], item).then_some(from + ahead)
    };
    // Every set of places in the queues that the items so far can have led to: more than one only where items are alike.
    let mut reached = BTreeSet::from([vec![0; queues.len()]]);
    for (place, item) in got.iter().enumerate() {
        let mut next = BTreeSet::new();
        for at in &reached {
            for (queue, place) in at.iter().enumerate() {
                if let Some(found) = next_like(&queues[queue], *place, item) {
                    let mut after = at.clone();
                    after[queue] = found + 1;
                    next.insert(after);
                }
            }
        }
        if next.is_empty() {
            return Err(Disorder::Unexpected { place, due: due(queues, &reached) });
        }
        reached = next;
    }
    let at_end = |at: &Vec<usize>| queues.iter().zip(at).all(|(queue, from)| queue[*from..].iter().all(&may_lack));
    if !reached.iter().any(at_end) {
        return Err(Disorder::Missing { due: due(queues, &reached) });
    }
    Ok(())
}

fn due<'a, T>(queues: &'a [Vec<T>], reached: &BTreeSet<Vec<usize>>) -> Vec<&'a T> {
    let first = reached.first().expect("there is always a way to have come here");
    queues.iter().zip(first).filter_map(|(queue, at)| queue.get(*at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(queues: &[&str], got: &str) -> Result<(), String> {
        let queues: Vec<Vec<char>> = queues.iter().map(|q| q.chars().collect()).collect();
        let got: Vec<char> = got.chars().collect();
        merged(&queues, &got, |a, b| a == b, |due| due.is_ascii_uppercase()).map_err(|e| format!("{e:?}"))
    }

    #[test]
    fn turns_may_be_taken_in_any_way() {
        for got in ["abxy", "axby", "xyab", "xaby"] {
            assert_eq!(check(&["ab", "xy"], got), Ok(()), "{got}");
        }
        // Which queue the first x came from shows only later.
        assert_eq!(check(&["xy", "xz"], "xzxy"), Ok(()));
        assert_eq!(check(&["xy", "xz"], "xyxz"), Ok(()));
        assert_eq!(check(&[], ""), Ok(()));
    }

    #[test]
    fn some_may_lack_but_come_in_order() {
        for got in ["aBcD", "ac", "aBc", "acD"] {
            assert_eq!(check(&["aBcD"], got), Ok(()), "{got}");
        }
        assert_eq!(check(&["aBBc", "BBx"], "BaxBBc"), Ok(()));
        assert_eq!(check(&["aBBc", "BBx"], "axBBBc"), Err("Unexpected { place: 4, due: ['c'] }".into()));
        assert_eq!(check(&["aBc"], "aB"), Err("Missing { due: ['c'] }".into()));
        assert_eq!(check(&["aBc"], "acB"), Err("Unexpected { place: 2, due: [] }".into()));
    }

    #[test]
    fn what_does_not_fit_is_told_with_what_was_due() {
        assert_eq!(check(&["ab", "xy"], "ba"), Err("Unexpected { place: 0, due: ['a', 'x'] }".into()));
        assert_eq!(check(&["ab", "xy"], "axyxb"), Err("Unexpected { place: 3, due: ['b'] }".into()));
        assert_eq!(check(&["ab", "xy"], "axy"), Err("Missing { due: ['b'] }".into()));
        assert_eq!(check(&["a"], "aa"), Err("Unexpected { place: 1, due: [] }".into()));
    }
}
