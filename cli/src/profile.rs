//! `--profile NAME` or `--config FILE`.

use crate::fail::Fail;
use em_rtl::config::Profile;
use std::path::PathBuf;

/// Which hardware.
#[derive(clap::Args)]
pub struct ProfileArgs {
    /// Built-in profile of the hardware [default: ecp5]
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    profile: Option<String>,
    /// Profile of your own, a TOML file such as rtl/profiles/ecp5.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl ProfileArgs {
    /// The profile asked for; `ecp5` if none is.
    pub fn get(&self) -> Result<Profile, Fail> {
        match (&self.profile, &self.config) {
            (_, Some(file)) => Profile::load(file).map_err(Fail::input),
            (Some(name), None) => Profile::named(name).map_err(Fail::input),
            (None, None) => Profile::named("ecp5").map_err(Fail::input),
        }
    }
}
