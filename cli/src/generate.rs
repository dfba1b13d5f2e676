//! `em generate`.

use crate::{
    fail::{Fail, Outcome},
    profile::ProfileArgs,
    text::{count, say},
};
use em_rtl::generate::{GenerateError, write};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    profile: ProfileArgs,
    /// Folder to write: new, empty, or written by this command before
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Append the Rust source line to each declaration of the Verilog
    #[arg(long)]
    source_lines: bool,
}

pub fn run(args: Args) -> Outcome {
    let profile = args.profile.get()?;
    let options = hdl::verilog::Options { source_lines: args.source_lines };
    let files = write(&profile, &options, &args.out).map_err(|e| match e {
        GenerateError::Elaboration { .. } => Fail::run(e),
        _ => Fail::input(e),
    })?;
    let files = count(files.len() as u64, "file");
    say(format!("wrote {files} of profile {} to {}; the top module is em_top", profile.name, args.out.display()))
}
