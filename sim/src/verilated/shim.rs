//! The C++ side: a fixed text with the port addresses filled in, checked against the header Verilator wrote.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::BuildError;
use super::spec::{Dir, ModelSpec};

/// The fixed text; part of the cache key.
pub(crate) const TEMPLATE: &str = include_str!("shim.cpp");
/// Included before everything, so that `$display` goes through the shim.
pub(crate) const PRELUDE: &str =
    "#pragma once\nint em_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));\n";

/// A port as Verilator's header declares it.
#[derive(Debug, PartialEq, Eq)]
struct Declared {
    dir: Dir,
    width: u32,
    /// Its C++ name.
    member: String,
}

/// The shim's text for `spec`; an error if a port is not in `header` as the spec says.
pub(crate) fn generate(spec: &ModelSpec, header: &str) -> Result<String, BuildError> {
    let declared = parse_header(header);
    let mut cases = String::new();
    for (index, port) in spec.ports.iter().enumerate() {
        let wrong = |reason: String| BuildError::Port { top: spec.top.clone(), port: port.name.clone(), reason };
        let found = declared.get(&port.name).ok_or_else(|| wrong("is not in the Verilog".into()))?;
        if found.dir != port.dir {
            return Err(wrong(format!("is declared {:?} but is {:?} in the Verilog", port.dir, found.dir)));
        }
        if found.width != port.width {
            return Err(wrong(format!("is declared {} bits wide but has {} in the Verilog", port.width, found.width)));
        }
        let _ = writeln!(cases, "    case {index}: return &self->top->{};", found.member);
    }
    let random = if spec.options.x_initial_unique { "true" } else { "false" };
    Ok(TEMPLATE.replace("EM_PORT_CASES", &cases).replace("EM_RANDOM", random))
}

/// The ports of a header, by their Verilog name. Lines look like `VL_INW(&s_tdata,511,0,16);`.
fn parse_header(header: &str) -> HashMap<String, Declared> {
    let mut ports = HashMap::new();
    for line in header.lines().map(str::trim) {
        let Some((kind, rest)) = line.split_once('(') else { continue };
        let dir = match kind {
            "VL_IN8" | "VL_IN16" | "VL_IN" | "VL_IN64" | "VL_INW" => Dir::Input,
            "VL_OUT8" | "VL_OUT16" | "VL_OUT" | "VL_OUT64" | "VL_OUTW" => Dir::Output,
            _ => continue,
        };
        let mut fields = rest.trim_end_matches(");").split(',');
        let (Some(member), Some(msb), Some(lsb)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let (Ok(msb), Ok(lsb)) = (msb.parse::<u32>(), lsb.parse::<u32>()) else { continue };
        let member = member.trim_start_matches('&').to_owned();
        ports.insert(decode_name(&member), Declared { dir, width: msb.abs_diff(lsb) + 1, member });
    }
    ports
}

/// The Verilog name of a C++ member: Verilator writes odd characters as `__0HH` and puts `__SYM__` before C++ keywords.
fn decode_name(member: &str) -> String {
    let mut rest = member.strip_prefix("__SYM__").unwrap_or(member);
    let mut name = String::new();
    while let Some(at) = rest.find("__0") {
        let code = rest.get(at + 3..at + 5).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let end = match code {
            Some(code) => {
                name.push_str(&rest[..at]);
                name.push(char::from(code));
                at + 5
            }
            None => {
                name.push_str(&rest[..at + 3]);
                at + 3
            }
        };
        rest = &rest[end..];
    }
    name + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_lines_become_ports() {
        let ports =
            parse_header("    VL_IN8(&a___05Fb,0,0);\n VL_OUTW(&q,511,0,16);\n int x(3);\n VL_IN8(__SYM__int,7,0);");
        assert_eq!(ports.len(), 3);
        assert_eq!(ports["a__b"].member, "a___05Fb");
        assert_eq!((ports["q"].dir, ports["q"].width), (Dir::Output, 512));
        assert_eq!(ports["int"].width, 8);
    }
}
