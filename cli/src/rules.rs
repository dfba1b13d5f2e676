//! `em rules check` and `em rules program`.

use crate::{
    fail::{Fail, Outcome},
    profile::ProfileArgs,
};
use clap::Subcommand;
use em_rules::Rules;
use em_sim::program;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the file and that the profile's tables hold it.
    Check(File),
    /// List the register writes that install it.
    Program(File),
}

#[derive(clap::Args)]
struct File {
    /// The rules file.
    rules: PathBuf,
    #[command(flatten)]
    profile: ProfileArgs,
    /// One JSON array `[{"addr":…,"data":…},…]` (or object) on stdout, nothing else.
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    let (file, list) = match args.command {
        Command::Check(file) => (file, false),
        Command::Program(file) => (file, true),
    };
    let profile = file.profile.get()?;
    let rules = Rules::load(&file.rules).map_err(Fail::input)?;
    let writes = program::compile(&rules, &profile.name, &profile.config.lookup()).map_err(Fail::input)?;
    match (list, file.json) {
        (true, true) => println!("{}", program::to_json(&writes)),
        (true, false) => writes.iter().for_each(|w| println!("{:#010x} {:#010x}", w.addr, w.data)),
        (false, true) => {
            let counts = serde_json::json!({ "functions": rules.functions.len(), "nat": rules.nat.len(), "writes": writes.len() });
            println!("{counts}");
        }
        (false, false) => println!(
            "{}: {} functions and {} NAT mappings; {} register writes install them on profile {}",
            file.rules.display(),
            rules.functions.len(),
            rules.nat.len(),
            writes.len(),
            profile.name
        ),
    }
    Ok(())
}
