//! The configuration of an Execution Module: a TOML profile, read and checked.

use crate::lookup::Lookup;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Sizes that a profile fixes. All fields are stated: there are no silent defaults.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EmConfig {
    /// Bits of a stream's `tdata`.
    pub data_w: u32,
    /// Longest frame in bytes, without FCS.
    pub max_frame: u32,
    /// Buffers.
    pub buffer: BufferConfig,
    /// Tables.
    pub table: TableConfig,
}

/// Depths of the buffers.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BufferConfig {
    /// Beats of the host's whole-frame buffer; a power of two.
    pub ingress_beats: u32,
    /// Frames that may be between the host's input and the outputs; a power of two.
    pub frames: u32,
    /// Beats of the whole-frame buffer towards the Orchestration Module; a power of two.
    pub punt_beats: u32,
}

/// Geometry of the tables.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TableConfig {
    /// Function numbers go from 0 to this less one; a power of two.
    pub functions: u32,
    /// Ways of the NAT table.
    pub nat_ways: u32,
    /// Rows of each way of the NAT table; a power of two.
    pub nat_rows: u32,
}

/// Why a profile was refused. Each message has the field or file, the value and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// No profile of that name is built in.
    #[error("there is no profile `{name}`; built in: {known}. A profile of your own goes by --config FILE.", known = Profile::NAMES.join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// The file cannot be read.
    #[error("{path}: cannot be read ({error}). Check the path and its permissions; a profile is UTF-8 text.")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The text is not TOML, or has unknown or missing keys.
    #[error("{origin}: {message}. The built-in profiles in rtl/profiles show each key.")]
    Syntax {
        /// File, or name of the profile.
        origin: String,
        /// Line, key and what is wrong.
        message: String,
    },
    /// Values that do not fit together.
    #[error("{origin}: {message}")]
    Value {
        /// File, or name of the profile.
        origin: String,
        /// Field, value and remedy.
        message: String,
    },
}

/// A named configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Its name: that of the built-in profile, or the file's without its ending.
    pub name: String,
    /// Its sizes, checked.
    pub config: EmConfig,
}

const BUILT_IN: [(&str, &str); 1] = [("ecp5", include_str!("../profiles/ecp5.toml"))];

impl Profile {
    /// Names of the built-in profiles.
    pub const NAMES: [&'static str; 1] = ["ecp5"];

    /// The built-in profile of this name.
    ///
    /// # Errors
    /// [`ConfigError::Unknown`].
    pub fn named(name: &str) -> Result<Profile, ConfigError> {
        match BUILT_IN.iter().find(|(n, _)| *n == name) {
            Some((n, text)) => Self::parse(n, &format!("profile {n}"), text),
            None => Err(ConfigError::Unknown { name: name.into() }),
        }
    }

    /// A profile from a TOML file.
    ///
    /// # Errors
    /// Any [`ConfigError`] but `Unknown`.
    pub fn load(path: &Path) -> Result<Profile, ConfigError> {
        let shown = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| ConfigError::Unreadable { path: shown.clone(), error })?;
        let name = path.file_stem().map_or_else(|| shown.clone(), |s| s.to_string_lossy().into_owned());
        Self::parse(&name, &shown, &text)
    }

    fn parse(name: &str, origin: &str, text: &str) -> Result<Profile, ConfigError> {
        let config: EmConfig = toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(1, |s| text[..s.start].matches('\n').count() + 1);
            let message = e.message().split_whitespace().collect::<Vec<_>>().join(" ");
            ConfigError::Syntax { origin: format!("{origin}:{line}"), message }
        })?;
        config.check().map_err(|message| ConfigError::Value { origin: at_field(origin, text, &message), message })?;
        Ok(Profile { name: name.into(), config })
    }
}

/// `origin` with the line of the field that `message` begins with, as in `buffer.frames = 20 is …`.
fn at_field(origin: &str, text: &str, message: &str) -> String {
    let field = message.split(" = ").next().and_then(|path| path.rsplit('.').next()).unwrap_or("");
    let sets =
        |line: &str| line.trim_start().strip_prefix(field).is_some_and(|rest| rest.trim_start().starts_with('='));
    match text.lines().position(sets) {
        Some(before) => format!("{origin}:{}", before + 1),
        None => origin.into(),
    }
}

impl EmConfig {
    /// Bytes of a beat.
    pub fn lanes(&self) -> u32 {
        self.data_w / 8
    }

    /// Beats of the longest frame.
    pub fn max_beats(&self) -> u32 {
        self.max_frame.div_ceil(self.lanes())
    }

    /// Bits that count the beats of a frame, 0 to [`max_beats`](Self::max_beats).
    pub fn beats_w(&self) -> u32 {
        hdl::clog2(u64::from(self.max_beats()) + 1)
    }

    /// Checks that the values fit together.
    ///
    /// # Errors
    /// The first field that does not, its value and the remedy.
    pub fn check(&self) -> Result<(), String> {
        let b = &self.buffer;
        if self.data_w != 128 {
            return Err(format!("data_w = {} is not built yet; set data_w = 128.", self.data_w));
        }
        if !(1518..=16_368).contains(&self.max_frame) {
            return Err(format!("max_frame = {} is out of range; choose 1518 to 16368 bytes.", self.max_frame));
        }
        let least = (self.max_beats() + 32).next_power_of_two();
        for (field, beats) in [("ingress_beats", b.ingress_beats), ("punt_beats", b.punt_beats)] {
            if !beats.is_power_of_two() || !(least..=65_536).contains(&beats) {
                return Err(format!(
                    "buffer.{field} = {beats} does not suit max_frame = {}; choose a power of two from {least} to 65536.",
                    self.max_frame
                ));
            }
        }
        if !b.frames.is_power_of_two() || !(16..=512).contains(&b.frames) {
            return Err(format!("buffer.frames = {} is out of range; choose a power of two from 16 to 512.", b.frames));
        }
        let t = &self.table;
        if !t.functions.is_power_of_two() || !(2..=65_536).contains(&t.functions) {
            return Err(format!(
                "table.functions = {} is out of range; choose a power of two from 2 to 65536.",
                t.functions
            ));
        }
        if !(2..=8).contains(&t.nat_ways) {
            return Err(format!("table.nat_ways = {} is out of range; choose 2 to 8.", t.nat_ways));
        }
        if !t.nat_rows.is_power_of_two() || !(16..=32_768).contains(&t.nat_rows) {
            return Err(format!(
                "table.nat_rows = {} is out of range; choose a power of two from 16 to 32768.",
                t.nat_rows
            ));
        }
        hdl::Block::check(&self.lookup())
    }

    /// The tables.
    pub fn lookup(&self) -> Lookup {
        Lookup { functions: self.table.functions, ways: self.table.nat_ways, rows: self.table.nat_rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut EmConfig)) -> String {
        let mut c = Profile::named("ecp5").unwrap().config;
        change(&mut c);
        c.check().unwrap_err()
    }

    #[test]
    fn the_built_in_profiles_hold_what_they_promise() {
        for name in Profile::NAMES {
            assert_eq!(Profile::named(name).unwrap().name, name);
        }
        let ecp5 = Profile::named("ecp5").unwrap().config;
        assert_eq!((ecp5.data_w, ecp5.max_frame, ecp5.max_beats(), ecp5.beats_w()), (128, 9216, 576, 10));
        assert!(ecp5.table.nat_ways * ecp5.table.nat_rows >= 1024);
    }

    #[test]
    fn what_does_not_fit_names_field_value_and_remedy() {
        assert_eq!(with(|c| c.data_w = 64), "data_w = 64 is not built yet; set data_w = 128.");
        assert!(with(|c| c.max_frame = 100).starts_with("max_frame = 100 is out of range"));
        let small = with(|c| c.buffer.ingress_beats = 512);
        assert!(small.contains("buffer.ingress_beats = 512") && small.contains("from 1024"), "{small}");
        assert!(with(|c| c.buffer.punt_beats = 1000).contains("buffer.punt_beats = 1000"));
        assert!(with(|c| c.buffer.frames = 20).contains("buffer.frames = 20"));
        assert!(with(|c| c.table.functions = 3).contains("table.functions = 3"));
        assert!(with(|c| c.table.nat_ways = 1).contains("table.nat_ways = 1"));
        assert!(with(|c| c.table.nat_rows = 48).contains("table.nat_rows = 48"));
    }

    #[test]
    fn texts_that_are_no_profile_are_refused() {
        let good = BUILT_IN[0].1;
        let error = |text: &str| Profile::parse("p", "p.toml", text).unwrap_err().to_string();
        let unknown = error(&good.replace("[buffer]", "clock = 1\n[buffer]"));
        assert!(unknown.starts_with("p.toml:") && unknown.contains("clock"), "{unknown}");
        assert!(error(&good.replace("data_w = 128", "")).contains("data_w"));
        assert!(error("data_w = ").starts_with("p.toml:1: "));
        let value = error(&good.replace("frames = 64", "frames = 20"));
        let line = 1 + good.lines().position(|l| l == "frames = 64").unwrap();
        assert!(value.starts_with(&format!("p.toml:{line}: buffer.frames = 20 ")), "{value}");
        assert!(Profile::named("ecp6").unwrap_err().to_string().contains("built in: ecp5"));
        let missing = Profile::load(Path::new("no/such.toml")).unwrap_err().to_string();
        assert!(missing.contains("no/such.toml"), "{missing}");
    }
}
