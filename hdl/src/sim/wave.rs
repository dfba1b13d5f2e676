//! Text waveforms.
//!
//! ```text
//! cycle    0  1  2  3  4
//! tvalid  ___/‾‾‾‾‾‾‾‾\__
//! tdata   |0 |a5   |7 |0
//! ```
//! A column is one clock cycle; what stands in it is the value just before the edge that ends it.

use crate::{Value, ir::StateNames};
use std::rc::Rc;

/// Longest line.
const LINE: usize = 100;
/// Widest text in a column that is one cycle long.
const CELL: usize = 9;

/// A signal's values, one a cycle.
pub(super) struct Row {
    pub name: String,
    pub width: u32,
    pub states: Option<Rc<StateNames>>,
    pub values: Vec<Value>,
    /// A clock: ones are edges at the end of their cycles.
    pub clock: bool,
}

impl Row {
    fn text(&self, v: &Value) -> String {
        let variant = self.states.as_ref().and_then(|s| s.variants.iter().find(|(_, code)| *code == v.to_u64()));
        match variant {
            Some((name, _)) => (*name).to_string(),
            None => {
                let hex = format!("{v:x}");
                let short = hex.trim_start_matches('0');
                if short.is_empty() { "0".into() } else { short.into() }
            }
        }
    }

    fn is_line(&self) -> bool {
        self.width == 1 && self.states.is_none()
    }

    /// Runs of equal values in the cycles `from..to`: start, length, text.
    fn runs(&self, from: usize, to: usize) -> Vec<(usize, usize, String)> {
        let mut runs: Vec<(usize, usize, String)> = Vec::new();
        for i in from..to {
            match runs.last_mut() {
                Some((_, n, _)) if self.values[i] == self.values[i - 1] => *n += 1,
                _ => runs.push((i, 1, self.text(&self.values[i]))),
            }
        }
        runs
    }

    fn draw(&self, from: usize, to: usize, cell: usize) -> String {
        if self.clock {
            let mark = |i: usize| format!(" {:>cell$}", if self.values[i].is_true() { "^" } else { "" });
            return (from..to).map(mark).collect();
        }
        if self.is_line() {
            let level = |i: usize| if self.values[i].is_true() { '‾' } else { '_' };
            let edge = |i: usize| match (i > from).then(|| level(i - 1)) {
                Some('_') if level(i) == '‾' => '/',
                Some('‾') if level(i) == '_' => '\\',
                _ => level(i),
            };
            return (from..to)
                .flat_map(|i| std::iter::once(edge(i)).chain(std::iter::repeat_n(level(i), cell)))
                .collect();
        }
        let one = |(_, n, text): (usize, usize, String)| {
            let room = n * (cell + 1) - 1;
            let text = if text.chars().count() > room { shortened(&text, room) } else { text };
            format!("|{text:<room$}")
        };
        self.runs(from, to).into_iter().map(one).collect()
    }
}

/// The end of a text that is too long: the low digits, where a stream's first bytes are.
fn shortened(text: &str, room: usize) -> String {
    let skip = text.chars().count() - (room - 1);
    std::iter::once('‥').chain(text.chars().skip(skip)).collect()
}

/// Draws rows of one length; the first column is cycle number `first`.
pub(super) fn render(rows: &[Row], first: u64) -> String {
    let count = rows.iter().map(|r| r.values.len()).max().unwrap_or(0);
    let names = rows.iter().map(|r| r.name.chars().count()).chain([5]).max().unwrap_or(5);
    let number = (first + count as u64).to_string().len();
    let mut cell = number.max(2);
    for r in rows.iter().filter(|r| !r.is_line()) {
        for (_, n, text) in r.runs(0, count) {
            let wanted = (text.chars().count() + 1).div_ceil(n) - 1;
            cell = cell.max(wanted.min(CELL));
        }
    }
    let columns = ((LINE - names.min(LINE / 2) - 3) / (cell + 1)).max(1);
    let mut out = String::new();
    for from in (0..count).step_by(columns) {
        let to = count.min(from + columns);
        if from > 0 {
            out.push('\n');
        }
        let numbers: String = (from..to).map(|i| format!(" {:<cell$}", first + i as u64)).collect();
        out += format!("{:<names$}  {numbers}", "cycle").trim_end();
        out.push('\n');
        for r in rows {
            out += format!("{:<names$}  {}", r.name, r.draw(from, to, cell)).trim_end();
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, width: u32, values: &[u128]) -> Row {
        Row {
            name: name.into(),
            width,
            states: None,
            values: values.iter().map(|v| Value::new(width, *v)).collect(),
            clock: false,
        }
    }

    #[test]
    fn lines_buses_and_states_share_one_grid() {
        let names = StateNames { name: "State", variants: vec![("Idle", 0), ("Busy", 1)] };
        let state = Row { states: Some(Rc::new(names)), ..row("state", 1, &[0, 0, 1, 1, 0, 0]) };
        let rows = [row("tvalid", 1, &[0, 1, 1, 0, 0, 1]), row("tdata", 16, &[0, 0xa5, 0xa5, 7, 0, 0]), state];
        let expected = "\
cycle    8  9  10 11 12 13
tvalid  ___/‾‾‾‾‾\\_____/‾‾
tdata   |0 |a5   |7 |0
state   |Idle |Busy |Idle
";
        assert_eq!(render(&rows, 8), expected);
    }

    #[test]
    fn a_wide_bus_shows_its_low_digits_and_long_waves_are_folded() {
        let data = Row { values: vec![Value::ones(512), Value::new(512, 0xab)], ..row("d", 512, &[]) };
        let expected = "\
cycle   0         1
d      |‥ffffffff|ab
";
        assert_eq!(render(&[data], 0), expected);
        let long = row("count", 8, &(0..40).collect::<Vec<_>>());
        let text = render(&[long], 0);
        assert_eq!(text.lines().filter(|l| l.starts_with("cycle")).count(), 2);
        assert!(text.lines().all(|l| l.chars().count() <= LINE));
    }
}
