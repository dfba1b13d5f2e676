//! `em generate`.

use crate::{
    fail::{Fail, Outcome},
    profile::ProfileArgs,
};
use em_rtl::generate::{GenerateError, write};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    profile: ProfileArgs,
    /// Folder to write; new, empty, or one that this command wrote before.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Append the Rust source line to each declaration.
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
    println!("wrote {} files of profile {} to {}", files.len(), profile.name, args.out.display());
    Ok(())
}
