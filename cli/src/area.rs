//! `em area`.

use crate::fail::{Fail, Outcome};

#[derive(clap::Args)]
pub struct Args {
    /// One JSON object on stdout, nothing else.
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    let _ = args.json;
    Err(Fail::run("not built"))
}
