//! `em`: generates, simulates and proves the Execution Module. Each subcommand calls one library function and prints.

mod area;
mod fail;
mod generate;
mod profile;
mod prove;
mod rules;
mod sim;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The Execution Module of an open DPU data plane: generate its Verilog, run frames through it, prove its blocks.
#[derive(Parser)]
#[command(name = "em", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the Verilog of a profile, its manifest and its register map.
    Generate(generate::Args),
    /// Replay a capture through the verilated EM.
    Sim(sim::Args),
    /// Check a rules file, or list the register writes that install it.
    Rules(rules::Args),
    /// Prove the stream blocks with sby and yices.
    Prove(prove::Args),
    /// Compare the area of reference blocks with hand-written Verilog.
    Area(area::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Generate(args) => generate::run(args),
        Command::Sim(args) => sim::run(args),
        Command::Rules(args) => rules::run(args),
        Command::Prove(args) => prove::run(args),
        Command::Area(args) => area::run(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(fail) => {
            eprintln!("em: {}", fail.message);
            ExitCode::from(fail.code)
        }
    }
}
