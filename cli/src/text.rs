//! Words and numbers for people, and writing to stdout.

use crate::fail::{Fail, Outcome};
use std::{
    fmt::Display,
    io::{ErrorKind, Write},
};

/// Lines are kept within this many columns, so that they fit a usual terminal.
pub const COLUMNS: u16 = 100;

/// `1 frame`, `1,200 frames`.
pub fn count(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Digits in groups of three: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(|g| std::str::from_utf8(g).unwrap_or("")).collect();
    groups.join(",")
}

/// The pipeline in a line or two: each stage with its clocks, and all of them.
pub fn stages<'a>(stages: impl IntoIterator<Item = (&'a str, u32)>) -> String {
    let (mut each, mut total) = (Vec::new(), 0);
    for (stage, clocks) in stages {
        each.push(format!("{stage} {clocks}"));
        total += clocks;
    }
    let each = each.join(" | ");
    wrapped(&format!("Stages from the last beat in to the first beat out: {each}; {total} clocks in all."))
}

/// The text in lines of at most [`COLUMNS`] characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > usize::from(COLUMNS) {
            lines.push(word.into());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.join("\n")
}

/// Prints `text` and a line end. A reader that has gone away (`em … | head`) is no error.
pub fn say(text: impl Display) -> Outcome {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Fail::run(format!("cannot write to stdout: {e}."))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let texts = [0, 7, 999, 1000, 12_345, 123_456, 1_234_567, u64::MAX].map(grouped);
        assert_eq!(texts, ["0", "7", "999", "1,000", "12,345", "123,456", "1,234,567", "18,446,744,073,709,551,615"]);
    }

    #[test]
    fn one_thing_is_singular() {
        assert_eq!([0, 1, 2, 1000].map(|n| count(n, "frame")), ["0 frames", "1 frame", "2 frames", "1,000 frames"]);
    }
}
