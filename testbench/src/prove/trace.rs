//! A counterexample as text: the last clocks of the signals of the harness and of the block, read from sby's VCD.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufReader},
    path::Path,
};
use vcd::{Command, IdCode, Parser, ScopeItem, Value};

/// How many clocks are shown.
const SHOWN: usize = 12;

/// Signals that say nothing, or the same as another.
const HIDDEN: &[&str] = &["clk", "smt_clock", "smt_step", "started", "rst_again", "rst"];

/// One row a signal, one column a clock; values in hexadecimal, `.` where a value is as the clock before.
///
/// # Errors
/// The file cannot be read or is no VCD.
pub(super) fn text(path: &Path) -> io::Result<String> {
    let mut parser = Parser::new(BufReader::new(File::open(path)?));
    let header = parser.parse_header()?;
    let mut signals = Vec::new();
    collect(&header.items, "", &mut signals);
    let mut now: HashMap<IdCode, String> = HashMap::new();
    let mut steps: Vec<HashMap<IdCode, String>> = Vec::new();
    let mut time = None;
    for command in parser {
        match command? {
            // Clocks fall on multiples of 10; what stands between is the falling edge.
            Command::Timestamp(t) => {
                if time.is_some_and(|t| t % 10 == 0) {
                    steps.push(now.clone());
                }
                time = Some(t);
            }
            Command::ChangeScalar(id, value) => _ = now.insert(id, digit(value)),
            Command::ChangeVector(id, value) => _ = now.insert(id, hex(&value.iter().collect::<Vec<_>>())),
            _ => {}
        }
    }
    if time.is_some_and(|t| t % 10 == 0) {
        steps.push(now);
    }
    Ok(table(&signals, &steps))
}

fn collect(items: &[ScopeItem], at: &str, signals: &mut Vec<(String, IdCode)>) {
    for item in items {
        match item {
            ScopeItem::Var(var) => {
                let name = format!("{at}{}", var.reference);
                let known = signals.iter().any(|(other, id)| *id == var.code || *other == name);
                if !known
                    && !HIDDEN.contains(&var.reference.as_str())
                    && !var.reference.starts_with(['$', '_', '\\'])
                    && !var.reference.ends_with("_EN")
                {
                    signals.push((name, var.code));
                }
            }
            ScopeItem::Scope(scope) => {
                let inner = if scope.identifier == "proof" || scope.identifier == "harness" {
                    String::new()
                } else {
                    format!("{at}{}.", scope.identifier)
                };
                collect(&scope.items, &inner, signals);
            }
            _ => {}
        }
    }
}

fn table(signals: &[(String, IdCode)], steps: &[HashMap<IdCode, String>]) -> String {
    let first = steps.len().saturating_sub(SHOWN);
    let shown = &steps[first..];
    let name_w = signals.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(5);
    let nothing = String::new();
    let widths: Vec<usize> = shown
        .iter()
        .enumerate()
        .map(|(i, step)| {
            let values = signals.iter().map(|(_, id)| step.get(id).unwrap_or(&nothing).len());
            values.max().unwrap_or(1).max((first + i).to_string().len())
        })
        .collect();
    let mut out = format!("{:name_w$}", "clock");
    for (i, w) in widths.iter().enumerate() {
        out += &format!("  {:>w$}", first + i);
    }
    for (name, id) in signals {
        out += &format!("\n{name:name_w$}");
        let mut before = None;
        for (step, w) in shown.iter().zip(&widths) {
            let value = step.get(id).unwrap_or(&nothing);
            out += &format!("  {:>w$}", if before == Some(value) { "." } else { value });
            before = Some(value);
        }
    }
    out
}

fn digit(value: Value) -> String {
    match value {
        Value::V0 => "0".into(),
        Value::V1 => "1".into(),
        _ => "x".into(),
    }
}

fn hex(bits: &[Value]) -> String {
    bits.rchunks(4)
        .rev()
        .map(|nibble| {
            let value = nibble.iter().try_fold(0, |n, bit| match bit {
                Value::V0 => Some(n * 2),
                Value::V1 => Some(n * 2 + 1),
                _ => None,
            });
            value.and_then(|n| char::from_digit(n, 16)).unwrap_or('x')
        })
        .collect()
}
