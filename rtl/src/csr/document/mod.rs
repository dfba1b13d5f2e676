//! The register map in the languages of those who read it.

/// Writes a line.
macro_rules! line {
    ($text:expr, $($arg:tt)*) => {{
        use std::fmt::Write;
        writeln!($text, $($arg)*).expect("a String takes any text");
    }};
}

mod markdown;
mod c_header;
mod rdl;

use super::RegisterMap;

/// A language of the map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A Markdown page.
    Markdown,
    /// One JSON object.
    Json,
    /// A C header, C99 and C++.
    C,
    /// SystemRDL 2.0.
    Rdl,
}

impl RegisterMap {
    /// The map as text, with a line's end at its end. `profile` is the configuration's name.
    pub fn text(&self, format: Format, profile: &str) -> String {
        match format {
            Format::Markdown => markdown::page(self, profile),
            Format::Json => serde_json::to_string_pretty(self).expect("plain data always serialises") + "\n",
            Format::C => c_header::header(self, profile),
            Format::Rdl => rdl::addrmap(self, profile),
        }
    }
}
