//! Parts of the Lattice ECP5 family and the flags by which nextpnr knows them.

use std::{fmt, str::FromStr};

/// A part: family, size and speed grade, as in `LFE5UM5G-45F-8`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    family: Family,
    size: u32,
    speed: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Family {
    /// Without SERDES.
    Plain,
    /// With SERDES up to 3.2 Gbit/s.
    Serdes,
    /// With SERDES up to 5 Gbit/s, at a higher core voltage.
    Serdes5g,
}

/// A name that is no part of the family.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "there is no part `{0}`. Known are LFE5U-12F, -25F, -45F, -85F and LFE5UM-25F, -45F, -85F, each with speed grade -6, -7 or -8, \
     and LFE5UM5G-25F-8, LFE5UM5G-45F-8, LFE5UM5G-85F-8."
)]
pub struct UnknownPart(pub String);

impl Part {
    /// The part of the profile `small`.
    pub const LFE5U_25F_6: Part = Part { family: Family::Plain, size: 25, speed: 6 };
    /// The part of the profile `ecp5`, and the one that the peers were measured on.
    pub const LFE5UM5G_45F_8: Part = Part { family: Family::Serdes5g, size: 45, speed: 8 };
    /// The largest part of the family, at its highest speed grade.
    pub const LFE5UM5G_85F_8: Part = Part { family: Family::Serdes5g, size: 85, speed: 8 };

    /// The package that every size comes in; only two to six pins are used, so that it has no influence.
    pub const PACKAGE: &'static str = "CABGA381";

    /// The flags that choose it.
    pub fn flags(&self) -> Vec<String> {
        let family = match self.family {
            Family::Plain => "",
            Family::Serdes => "um-",
            Family::Serdes5g => "um5g-",
        };
        let text =
            [&format!("--{family}{}k", self.size), "--speed", &self.speed.to_string(), "--package", Self::PACKAGE];
        text.map(str::to_string).to_vec()
    }
}

impl FromStr for Part {
    type Err = UnknownPart;

    fn from_str(name: &str) -> Result<Part, UnknownPart> {
        let unknown = || UnknownPart(name.into());
        let upper = name.to_uppercase();
        let [family, size, speed] = upper.split('-').collect::<Vec<_>>()[..] else { return Err(unknown()) };
        let family = match family {
            "LFE5U" => Family::Plain,
            "LFE5UM" => Family::Serdes,
            "LFE5UM5G" => Family::Serdes5g,
            _ => return Err(unknown()),
        };
        let size = match (size, family) {
            ("12F", Family::Plain) => 12,
            ("25F", _) => 25,
            ("45F", _) => 45,
            ("85F", _) => 85,
            _ => return Err(unknown()),
        };
        let speed = match (speed, family) {
            ("6", Family::Plain | Family::Serdes) => 6,
            ("7", Family::Plain | Family::Serdes) => 7,
            ("8", _) => 8,
            _ => return Err(unknown()),
        };
        Ok(Part { family, size, speed })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = match self.family {
            Family::Plain => "LFE5U",
            Family::Serdes => "LFE5UM",
            Family::Serdes5g => "LFE5UM5G",
        };
        write!(f, "{family}-{}F-{}", self.size, self.speed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_flags() {
        let flags = |name: &str| name.parse::<Part>().unwrap().flags().join(" ");
        assert_eq!(flags("LFE5UM5G-45F-8"), "--um5g-45k --speed 8 --package CABGA381");
        assert_eq!(flags("LFE5U-25F-6"), "--25k --speed 6 --package CABGA381");
        assert_eq!(flags("lfe5um-85f-7"), "--um-85k --speed 7 --package CABGA381");
    }

    #[test]
    fn the_constants_are_what_they_are_called() {
        let names = [Part::LFE5U_25F_6, Part::LFE5UM5G_45F_8, Part::LFE5UM5G_85F_8].map(|p| p.to_string());
        assert_eq!(names, ["LFE5U-25F-6", "LFE5UM5G-45F-8", "LFE5UM5G-85F-8"]);
    }

    #[test]
    fn a_name_is_printed_as_it_is_read() {
        for name in ["LFE5UM5G-85F-8", "LFE5U-12F-6", "LFE5UM-45F-7"] {
            assert_eq!(name.parse::<Part>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn what_is_not_made_is_refused() {
        for name in ["LFE5UM5G-45F-6", "LFE5UM-12F-6", "LFE5U-25F", "LFE5U-25F-9", "ICE40HX8K", ""] {
            let error = name.parse::<Part>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("there is no part `{name}`.")), "{error}");
        }
    }
}
