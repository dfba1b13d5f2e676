//! `em prove`.

use crate::fail::{Fail, Outcome};

#[derive(clap::Args)]
pub struct Args {
    /// The block to prove; all if left out.
    block: Option<String>,
    /// One JSON object on stdout, nothing else.
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    let _ = (&args.block, args.json);
    Err(Fail::run("not built"))
}
