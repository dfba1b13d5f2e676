//! Version numbers as tools print them.

use std::cmp::Ordering;
use std::fmt;

/// A dotted version number, compared part by part: 5.052 is later than 5.6, and 5.36 equals 5.036.
#[derive(Clone, Debug)]
pub struct Version(String);

impl Version {
    /// The first dotted number in `text`, which may be all that a tool prints when asked for its version.
    pub fn parse(text: &str) -> Option<Version> {
        text.split(|c: char| !c.is_ascii_digit() && c != '.')
            .map(|word| word.trim_matches('.'))
            .find(|word| word.contains('.') && word.split('.').all(|part| part.parse::<u32>().is_ok()))
            .map(|word| Version(word.to_string()))
    }

    /// A minimum, which may be a single number.
    pub(crate) fn minimum(text: &str) -> Version {
        Version(text.to_string())
    }

    fn parts(&self) -> impl Iterator<Item = u32> {
        self.0.split('.').map(|part| part.parse().unwrap_or(0))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        let length = self.parts().count().max(other.parts().count());
        let padded = |version: &Version| version.parts().chain(std::iter::repeat(0)).take(length).collect::<Vec<_>>();
        padded(self).cmp(&padded(other))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Version) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_found_in_what_tools_print() {
        for (text, version) in [
            ("Verilator 5.052 2026-09-05 rev v5.052", "5.052"),
            ("g++ (Debian 12.2.0-14) 12.2.0", "12.2.0"),
            ("Icarus Verilog version 11.0 (stable) ()", "11.0"),
            ("Running as user \"root\" and group \"root\".\nTShark (Wireshark) 4.0.17 (Git v4.0.17).", "4.0.17"),
            ("GNU Make 4.3\nBuilt for x86_64-pc-linux-gnu", "4.3"),
            ("This is perl 5, version 36, subversion 0 (v5.36.0) built for x86_64", "5.36.0"),
        ] {
            assert_eq!(Version::parse(text).map(|v| v.to_string()).as_deref(), Some(version));
        }
        assert_eq!(Version::parse("command not found."), None);
    }

    #[test]
    fn compares_part_by_part() {
        let version = |text| Version::parse(text).unwrap();
        assert!(version("5.052") > version("5.036"));
        assert!(version("5.006") < version("5.036"));
        assert!(version("11.0") > version("9.9"));
        assert_eq!(version("4.0"), version("4.0.0"));
        assert!(version("12.2.0") > Version::minimum("10"));
    }
}
