//! `em`: generates, simulates and proves the Execution Module. Each subcommand calls one library function and prints.

mod area;
mod bench;
mod fail;
mod generate;
mod profile;
mod progress;
mod prove;
mod regs;
mod rules;
mod sim;
mod synth;
mod text;
mod timing;

use clap::{Parser, Subcommand};
use std::{io::Write, process::ExitCode};

/// The Execution Module of an open DPU data plane: its Verilog, its simulation, its proofs
#[derive(Parser)]
#[command(name = "em", version, arg_required_else_help = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the run failed; 2 bad input, told on stderr with its remedy.\n\
                          `em COMMAND --help` explains a command; docs/em.md is the reference.";

#[derive(Subcommand)]
enum Command {
    /// Write a profile's Verilog, manifest and register map
    Generate(generate::Args),
    /// Replay a capture through the generated Verilog and write what comes out
    Sim(sim::Args),
    /// Measure frames a clock and latency on the generated Verilog
    Bench(bench::Args),
    /// Check a rules file, or list the register writes that install it
    Rules(rules::Args),
    /// Print the register map: Markdown, JSON, C header or SystemRDL
    Regs(regs::Args),
    /// Prove the stream blocks by induction (sby, yices)
    Prove(prove::Args),
    /// Compare the area of emitted blocks with hand-written Verilog (yosys)
    Area(area::Args),
    /// Synthesise, place and route the core or a block of it: area, clock, critical path
    Synth(synth::Args),
    /// Record area and clock of every block, and say what got worse
    Timing(timing::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Generate(args) => generate::run(args),
        Command::Sim(args) => sim::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Rules(args) => rules::run(args),
        Command::Regs(args) => regs::run(args),
        Command::Prove(args) => prove::run(args),
        Command::Area(args) => area::run(args),
        Command::Synth(args) => synth::run(args),
        Command::Timing(args) => timing::run(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(fail) => {
            // Nobody is left to be told if stderr is closed.
            _ = writeln!(std::io::stderr(), "em: {}", fail.message);
            ExitCode::from(fail.code)
        }
    }
}
