//! `em regs`.

use crate::{fail::Outcome, profile::ProfileArgs, text::say};
use clap::ValueEnum;
use em_rtl::{csr, manifest};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    profile: ProfileArgs,
    /// Language of the map
    #[arg(long, value_enum, default_value_t = Format::Md)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Markdown page
    Md,
    /// One JSON object
    Json,
    /// C header, C99 and C++
    C,
    /// SystemRDL 2.0
    Rdl,
}

pub fn run(args: Args) -> Outcome {
    let profile = args.profile.get()?;
    let format = match args.format {
        Format::Md => csr::Format::Markdown,
        Format::Json => csr::Format::Json,
        Format::C => csr::Format::C,
        Format::Rdl => csr::Format::Rdl,
    };
    say(manifest::registers(&profile.config).text(format, &profile.name).trim_end())
}
