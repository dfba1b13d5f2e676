//! What a decoded checksum is worth, in words behind its value.

use crate::sum;

/// The words for the checksum at `at` of `data`, whose sum with all else it covers is `outside` more.
fn judged(data: &[u8], at: usize, outside: i64) -> String {
    let Some(field) = data.get(at..at + 2) else { return String::new() };
    let sum = sum::words(data) + outside;
    if sum::is_right(sum) {
        " (correct)".to_owned()
    } else {
        format!(" (wrong, should be 0x{:04x})", sum::field(sum - sum::words(field)))
    }
}

/// A checksum over a header alone; `None`: the header is cut off.
pub(crate) fn header(header: Option<&[u8]>, at: usize) -> String {
    header.map_or(String::new(), |header| judged(header, at, 0))
}

/// A checksum over `data` and a pseudo-header: addresses and protocol, to which the length is added here (RFC 9293
/// section 3.1, RFC 8200 section 8.1). An empty one is none; `None`: the checksum can't be judged.
pub(crate) fn segment(pseudo: Option<&[u8]>, data: Option<&[u8]>, at: usize) -> String {
    let (Some(pseudo), Some(data)) = (pseudo, data) else { return String::new() };
    let length = if pseudo.is_empty() { 0 } else { data.len() as i64 };
    judged(data, at, sum::words(pseudo) + length)
}
