//! `em rules check` and `em rules program`.

use crate::{
    fail::{Fail, Outcome},
    profile::ProfileArgs,
    text::{count, say},
};
use clap::Subcommand;
use em_rules::Rules;
use em_sim::program::{self, RegisterWrite};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check a rules file, and that the profile's hardware can do what it asks for
    Check(Check),
    /// List the register writes that install a rules file, in order
    Program(List),
}

#[derive(clap::Args)]
struct Check {
    #[command(flatten)]
    file: File,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    file: File,
    /// Print one JSON array, [{"addr":…,"data":…},…], and nothing else
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct File {
    /// Rules file (docs/rules.md)
    #[arg(value_name = "FILE")]
    rules: PathBuf,
    #[command(flatten)]
    profile: ProfileArgs,
}

pub fn run(args: Args) -> Outcome {
    match args.command {
        Command::Check(args) => check(&args),
        Command::Program(args) => list(&args),
    }
}

/// The file's rules, the writes that install them, and the profile's name.
fn compile(file: &File) -> Result<(Rules, Vec<RegisterWrite>, String), Fail> {
    let profile = file.profile.get()?;
    let rules = Rules::load(&file.rules).map_err(Fail::input)?;
    let writes = program::compile(&rules, &profile.name, &profile.config.map()).map_err(Fail::input)?;
    Ok((rules, writes, profile.name))
}

fn check(args: &Check) -> Outcome {
    let (rules, writes, profile) = compile(&args.file)?;
    let [functions, nat, writes] = [rules.functions.len(), rules.nat.len(), writes.len()].map(|n| n as u64);
    if args.json {
        return say(serde_json::json!({ "profile": profile, "functions": functions, "nat": nat, "writes": writes }));
    }
    say(format!(
        "{}: {} and {}, good for profile {profile}: {} to install",
        args.file.rules.display(),
        count(functions, "function"),
        count(nat, "NAT mapping"),
        count(writes, "register write"),
    ))
}

fn list(args: &List) -> Outcome {
    let (_, writes, _) = compile(&args.file)?;
    if args.json {
        return say(program::to_json(&writes));
    }
    writes.iter().try_for_each(|w| say(format!("{:#010x} {:#010x}", w.addr, w.data)))
}
