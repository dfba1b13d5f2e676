//! A fresh run beside the record.

use super::Row;

/// Something that changed by more than is tolerated.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// Whose.
    pub name: String,
    /// What, from what to what.
    pub what: String,
    /// Is it a loss?
    pub worse: bool,
}

/// What is different by more than `percent`, or no longer reaches its target.
pub fn compare(name: &str, before: &Row, now: &Row, percent: f64) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut note = |what: String, worse| changes.push(Change { name: name.into(), what, worse });
    let counts = [
        ("LUTs", before.cells.luts(), now.cells.luts()),
        ("flip-flops", before.cells.ffs(), now.cells.ffs()),
        ("block RAMs", before.cells.block_rams(), now.cells.block_rams()),
    ];
    for (what, before, now) in counts {
        if differs(before as f64, now as f64, percent) {
            note(format!("{what} {before} → {now}"), now > before);
        }
    }
    for (what, before, now) in [("worst", before.worst(), now.worst()), ("median", before.median(), now.median())] {
        if differs(before, now, percent) {
            note(format!("{what} clock {before:.1} → {now:.1} MHz"), now < before);
        }
    }
    if before.is_met() && !now.is_met() {
        note(format!("the target of {} MHz is missed: {:.1} MHz", now.target_mhz.unwrap_or(0.0), now.worst()), true);
    }
    changes
}

fn differs(before: f64, now: f64, percent: f64) -> bool {
    (now - before).abs() * 100.0 > percent * before
}

#[cfg(test)]
mod tests {
    use super::{super::tests::row, *};

    fn texts(before: Row, now: Row) -> Vec<(String, bool)> {
        compare("b", &before, &now, 5.0).into_iter().map(|c| (c.what, c.worse)).collect()
    }

    #[test]
    fn small_differences_are_noise() {
        assert!(texts(row(100, &[150.0], Some(120.0)), row(105, &[143.0], Some(120.0))).is_empty());
    }

    #[test]
    fn losses_and_gains_are_told_apart() {
        let changes = texts(row(100, &[150.0], None), row(90, &[140.0], None));
        let expected = [
            ("LUTs 100 → 90", false),
            ("flip-flops 200 → 180", false),
            ("worst clock 150.0 → 140.0 MHz", true),
            ("median clock 150.0 → 140.0 MHz", true),
        ];
        assert_eq!(changes, expected.map(|(what, worse)| (what.to_string(), worse)));
    }

    #[test]
    fn a_target_missed_by_little_is_a_loss_all_the_same() {
        let changes = texts(row(100, &[121.0], Some(120.0)), row(100, &[119.0], Some(120.0)));
        assert_eq!(changes, [("the target of 120 MHz is missed: 119.0 MHz".to_string(), true)]);
    }
}
