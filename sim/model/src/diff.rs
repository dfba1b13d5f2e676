//! Two frames side by side.

use std::fmt::Write;

use crate::decode::{Field, decode};

/// Longest value that a line shows whole.
const SHOWN: usize = 40;

/// Both frames decoded, one field a line, `*` before each that differs. Empty if the frames are equal.
///
/// ```
/// let text = em_model::diff(&[0x11; 14], &[0x11; 15]);
/// assert!(text.starts_with("expected 14 bytes, got 15; first difference at byte 14\n"));
/// assert_eq!(em_model::diff(&[1, 2], &[1, 2]), "");
/// ```
pub fn diff(expected: &[u8], got: &[u8]) -> String {
    if expected == got {
        return String::new();
    }
    let first = expected.iter().zip(got).take_while(|(expected, got)| expected == got).count();
    let mut text = format!("expected {} bytes, got {}; first difference at byte {first}\n", expected.len(), got.len());
    let _ = writeln!(text, "  {:>4}  {:<24} {:<SHOWN$}  got", "byte", "field", "expected");
    for (expected, got) in pairs(decode(expected), decode(got)) {
        let same = expected.as_ref().map(|field| &field.bytes) == got.as_ref().map(|field| &field.bytes);
        let field = expected.as_ref().or(got.as_ref()).expect("a pair has a side");
        let (offset, name) = (field.offset, field.name.clone());
        // Where two payloads differ, the bytes around the difference say more than their length.
        let from = match (&expected, &got) {
            (Some(left), Some(right)) => left.bytes.iter().zip(&right.bytes).take_while(|(a, b)| a == b).count(),
            _ => 0,
        };
        let show = |field: &Option<Field>| field.as_ref().map_or("-".to_owned(), |field| shown(field, same, from));
        let mark = if same { ' ' } else { '*' };
        let line = format!("{mark} {offset:>4}  {name:<24} {:<SHOWN$}  {}", show(&expected), show(&got));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn shown(field: &Field, same: bool, from: usize) -> String {
    let long = field.name.ends_with("payload") || field.name.ends_with("padding") || field.name.ends_with("cut_off");
    if same || !long {
        let cut: String = field.value.chars().take(SHOWN).collect();
        return if cut.len() < field.value.len() { format!("{cut}…") } else { cut };
    }
    let bytes: String = field.bytes.iter().skip(from).take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{}, from {}: {bytes}", field.value, field.offset + from)
}

/// Fields with equal name and offset beside each other, the others alone, by offset.
fn pairs(expected: Vec<Field>, got: Vec<Field>) -> Vec<(Option<Field>, Option<Field>)> {
    let mut got: Vec<_> = got.into_iter().map(Some).collect();
    let mut pairs: Vec<_> = expected
        .into_iter()
        .map(|left| {
            let fits = |right: &&mut Option<Field>| {
                right.as_ref().is_some_and(|right| right.name == left.name && right.offset == left.offset)
            };
            let right = got.iter_mut().find(fits).and_then(Option::take);
            (Some(left), right)
        })
        .collect();
    pairs.extend(got.into_iter().flatten().map(|right| (None, Some(right))));
    pairs.sort_by_key(|(left, right)| left.as_ref().or(right.as_ref()).map_or(0, |field| field.offset));
    pairs
}
