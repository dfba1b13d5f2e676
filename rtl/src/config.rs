//! The configuration of an Execution Module: a TOML profile, read and checked.

use crate::{
    csr::MapConfig,
    ingress::{LEAST_PAGE_BEATS, least_pages},
    lookup::{Geometry, Management, Tables},
    packet::Size,
    punt::{MOST_LIMITERS, PuntLimit},
};
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
    /// Network address translation.
    pub nat: NatConfig,
}

/// Depths of the buffers.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BufferConfig {
    /// Beats of the whole-frame buffer of each direction; a power of two.
    pub ingress_beats: u32,
    /// Pages that it is divided into; a power of two. A frame takes whole pages, wherever they are free.
    pub ingress_pages: u32,
    /// Beats of the whole-frame buffer of each direction towards the Orchestration Module; a power of two.
    pub punt_beats: u32,
    /// Beats of the whole-frame buffer of frames that the Orchestration Module injects; a power of two.
    pub inject_beats: u32,
}

/// Geometry of the tables.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TableConfig {
    /// Function numbers go from 0 to this less one; a power of two.
    pub functions: u32,
    /// Ways of each of the two NAT tables: 4 to 8.
    pub nat_ways: u32,
    /// Rows of each way of the NAT tables: a power of two, not less than [`Geometry::least_rows`].
    pub nat_rows: u32,
    /// Ways of the table of the MAC addresses of functions in mode pass: 4 to 8.
    pub mac_ways: u32,
    /// Rows of each of its ways, as `nat_rows`.
    pub mac_rows: u32,
    /// Next hops; a power of two.
    pub next_hops: u32,
    /// Limiters of frames to the Orchestration Module; 0, or a power of two.
    pub punt_limits: u32,
    /// How commands reach the memory of the NAT tables: `shared` or `own_port`.
    pub management: Management,
}

/// What network address translation does by itself.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NatConfig {
    /// The ICRC of RoCEv2 is patched; without it such datagrams are punted.
    pub roce: bool,
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

const BUILT_IN: [(&str, &str); 3] = [
    ("small", include_str!("../profiles/small.toml")),
    ("ecp5", include_str!("../profiles/ecp5.toml")),
    ("line100", include_str!("../profiles/line100.toml")),
];

impl Profile {
    /// Names of the built-in profiles.
    pub const NAMES: [&'static str; 3] = ["small", "ecp5", "line100"];

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

    /// Sizes of the paths' bundles.
    pub fn size(&self) -> Size {
        let icrc_w = if self.nat.roce { hdl::clog2(u64::from(self.max_frame.div_ceil(4))) } else { 0 };
        Size { data_w: self.data_w, beats_w: self.beats_w(), icrc_w }
    }

    /// Checks that the values fit together.
    ///
    /// # Errors
    /// The first field that does not, its value and the remedy.
    pub fn check(&self) -> Result<(), String> {
        if ![64, 128, 256, 512].contains(&self.data_w) {
            return Err(format!("data_w = {} is no width of a stream; choose 64, 128, 256 or 512.", self.data_w));
        }
        within("max_frame", self.max_frame, 1518, 16_368, "bytes")?;
        self.check_buffers()?;
        self.check_tables()
    }

    fn check_buffers(&self) -> Result<(), String> {
        let b = &self.buffer;
        let least = (self.max_beats() + 32).next_power_of_two();
        for (field, beats) in
            [("ingress_beats", b.ingress_beats), ("punt_beats", b.punt_beats), ("inject_beats", b.inject_beats)]
        {
            if !beats.is_power_of_two() || !(least..=65_536).contains(&beats) {
                return Err(format!(
                    "buffer.{field} = {beats} does not suit max_frame = {} and data_w = {}; choose a power of two from {least} to 65536.",
                    self.max_frame, self.data_w
                ));
            }
        }
        power_of_two("buffer.ingress_pages", b.ingress_pages, 16, (b.ingress_beats / LEAST_PAGE_BEATS).min(512))?;
        let page_beats = b.ingress_beats / b.ingress_pages;
        let least = least_pages(self.max_beats(), page_beats);
        if b.ingress_pages < least {
            return Err(format!(
                "buffer.ingress_pages = {} of {page_beats} beats do not suit max_frame = {}, which takes {least}; choose more pages, or more ingress_beats.",
                b.ingress_pages, self.max_frame
            ));
        }
        Ok(())
    }

    fn check_tables(&self) -> Result<(), String> {
        let t = &self.table;
        power_of_two("table.functions", t.functions, 2, 65_536)?;
        check_exact("nat", t.nat_ways, t.nat_rows)?;
        check_exact("mac", t.mac_ways, t.mac_rows)?;
        power_of_two("table.next_hops", t.next_hops, 2, 256)?;
        if t.punt_limits > 0 && (!t.punt_limits.is_power_of_two() || !(2..=MOST_LIMITERS).contains(&t.punt_limits)) {
            return Err(format!(
                "table.punt_limits = {} is out of range; choose a power of two from 2 to {MOST_LIMITERS}, or 0 to leave the limiters out.",
                t.punt_limits
            ));
        }
        if t.management == Management::Shared && self.data_w > 256 {
            return Err(format!(
                "table.management = \"shared\" does not suit data_w = {}, where a lookup may come in every clock and none is left for commands; set table.management = \"own_port\".",
                self.data_w
            ));
        }
        Ok(())
    }

    /// Shortest IPv4 frame that is looked up, in beats: an Ethernet and an IPv4 header.
    pub fn least_ipv4_beats(&self) -> u32 {
        (14 + 20u32).div_ceil(self.lanes())
    }

    /// The tables.
    pub fn tables(&self) -> Tables {
        let t = &self.table;
        Tables {
            functions: t.functions,
            nat_ways: t.nat_ways,
            nat_rows: t.nat_rows,
            mac_ways: t.mac_ways,
            mac_rows: t.mac_rows,
            next_hops: t.next_hops,
            management: t.management,
        }
    }

    /// The limiters of frames to the Orchestration Module, if there are any.
    pub fn punt_limit(&self) -> Option<PuntLimit> {
        let (limiters, functions) = (self.table.punt_limits, self.table.functions);
        (limiters > 0).then_some(PuntLimit { limiters, functions })
    }

    /// What the register map depends on.
    pub fn map(&self) -> MapConfig {
        MapConfig {
            tables: self.tables(),
            punt_limits: self.table.punt_limits,
            data_w: self.data_w,
            max_frame: self.max_frame,
        }
    }
}

fn within(field: &str, value: u32, least: u32, most: u32, unit: &str) -> Result<(), String> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{field} = {value} is out of range; choose {least} to {most} {unit}."))
}

/// A table of fewer rows could not hold what it is rated for.
fn check_exact(table: &str, ways: u32, rows: u32) -> Result<(), String> {
    within(&format!("table.{table}_ways"), ways, 4, 8, "ways")?;
    let least = Geometry::least_rows(ways).unwrap_or(512);
    if rows.is_power_of_two() && (least..=32_768).contains(&rows) {
        return Ok(());
    }
    Err(format!(
        "table.{table}_rows = {rows} does not suit table.{table}_ways = {ways}; choose a power of two from {least} to 32768, or more ways for fewer rows: 128 from 5 ways on, 8 with 8."
    ))
}

fn power_of_two(field: &str, value: u32, least: u32, most: u32) -> Result<(), String> {
    if value.is_power_of_two() && (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{field} = {value} is out of range; choose a power of two from {least} to {most}."))
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
        let small = Profile::named("small").unwrap().config;
        assert_eq!((small.data_w, small.max_frame), (64, 2048));
        assert!(small.tables().rated_mappings() >= 256);
        assert_eq!(Profile::named("line100").unwrap().config.data_w, 512);
        let ecp5 = Profile::named("ecp5").unwrap().config;
        assert_eq!((ecp5.data_w, ecp5.max_frame, ecp5.max_beats(), ecp5.beats_w()), (128, 9216, 576, 10));
        assert!(ecp5.tables().rated_mappings() >= 1024);
    }

    #[test]
    fn what_does_not_fit_names_field_value_and_remedy() {
        assert_eq!(with(|c| c.data_w = 96), "data_w = 96 is no width of a stream; choose 64, 128, 256 or 512.");
        assert!(with(|c| c.max_frame = 100).starts_with("max_frame = 100 is out of range"));
        let small = with(|c| c.buffer.ingress_beats = 512);
        assert!(small.contains("buffer.ingress_beats = 512") && small.contains("from 1024"), "{small}");
        assert!(with(|c| c.buffer.punt_beats = 1000).contains("buffer.punt_beats = 1000"));
        assert!(with(|c| c.buffer.ingress_pages = 20).contains("buffer.ingress_pages = 20"));
        assert!(with(|c| c.buffer.ingress_pages = 512).contains("choose a power of two from 16 to 256"));
        let pages = with(|c| (c.max_frame, c.buffer.ingress_pages) = (15_360, 16));
        assert!(pages.contains("buffer.ingress_pages = 16 of 64 beats") && pages.contains("takes 19"), "{pages}");
        assert!(with(|c| c.table.functions = 3).contains("table.functions = 3"));
        assert!(with(|c| c.table.nat_ways = 1).contains("table.nat_ways = 1"));
        assert!(with(|c| c.table.nat_rows = 768).contains("table.nat_rows = 768"));
        let few = with(|c| c.table.nat_rows = 256);
        assert!(few.contains("table.nat_rows = 256") && few.contains("from 512") && few.contains("more ways"), "{few}");
        assert!(with(|c| (c.table.mac_ways, c.table.mac_rows) = (6, 64)).contains("from 128"));
        assert!(with(|c| c.table.mac_ways = 9).contains("table.mac_ways = 9"));
        assert!(with(|c| c.table.next_hops = 512).contains("table.next_hops = 512"));
        assert!(with(|c| c.table.punt_limits = 6).contains("table.punt_limits = 6"));
        let many = with(|c| c.table.punt_limits = 128);
        assert!(many.contains("table.punt_limits = 128") && many.contains("from 2 to 64, or 0"), "{many}");
        let clash = with(|c| c.data_w = 512);
        assert!(clash.contains("management = \"shared\"") && clash.contains("data_w = 512"), "{clash}");
    }

    #[test]
    fn texts_that_are_no_profile_are_refused() {
        let good = BUILT_IN[1].1;
        let error = |text: &str| Profile::parse("p", "p.toml", text).unwrap_err().to_string();
        let unknown = error(&good.replace("[buffer]", "clock = 1\n[buffer]"));
        assert!(unknown.starts_with("p.toml:") && unknown.contains("clock"), "{unknown}");
        assert!(error(&good.replace("data_w = 128", "")).contains("data_w"));
        assert!(error("data_w = ").starts_with("p.toml:1: "));
        let value = error(&good.replace("ingress_pages = 64", "ingress_pages = 20"));
        let line = 1 + good.lines().position(|l| l == "ingress_pages = 64").unwrap();
        assert!(value.starts_with(&format!("p.toml:{line}: buffer.ingress_pages = 20 ")), "{value}");
        assert!(Profile::named("ecp6").unwrap_err().to_string().contains("built in: small, ecp5, line100"));
        let missing = Profile::load(Path::new("no/such.toml")).unwrap_err().to_string();
        assert!(missing.contains("no/such.toml"), "{missing}");
    }
}
