//! `em timing`.

use crate::{
    fail::{Fail, Outcome},
    progress,
    text::say,
};
use em_fpga::{
    Measurement,
    timing::{self, Change, Record, Row, SEEDS, Subject},
};
use std::collections::BTreeMap;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List what is measured
    List,
    /// Measure, write fpga/timing.json, docs/timing.md and the figures at the head of each block's file
    Record(Which),
    /// Measure, compare with the record; exit code 1 if something got worse
    Check {
        #[command(flatten)]
        which: Which,
        /// Differences up to this are noise
        #[arg(long, value_name = "PCT", default_value_t = 10.0)]
        percent: f64,
    },
    /// Write docs/timing.md and the blocks' figures from the record
    Page,
}

#[derive(clap::Args)]
struct Which {
    /// Names, or the beginnings of names such as `ecp5/`; all if none is given
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

pub fn run(args: Args) -> Outcome {
    match args.command {
        Command::List => chosen(&[])?.iter().try_for_each(|subject| say(&subject.name)),
        Command::Record(which) => record(&which.names),
        Command::Check { which, percent } => check(&which.names, percent),
        Command::Page => Record::load().and_then(|record| record.write_pages()).map_err(Fail::run),
    }
}

/// The subjects of these names.
fn chosen(names: &[String]) -> Result<Vec<Subject>, Fail> {
    let mut all = timing::subjects().map_err(Fail::run)?;
    if let Some(unknown) = names.iter().find(|name| !all.iter().any(|s| s.name.starts_with(*name))) {
        let known: Vec<&str> = all.iter().map(|s| s.name.as_str()).collect();
        return Err(Fail::input(format!(
            "nothing that is measured begins with `{unknown}`; there are {}.",
            known.join(", ")
        )));
    }
    all.retain(|s| names.is_empty() || names.iter().any(|name| s.name.starts_with(name)));
    Ok(all)
}

/// Measures each subject and hands on its row.
fn measure(subjects: Vec<Subject>, mut done: impl FnMut(&str, Row) -> Outcome) -> Outcome {
    for subject in subjects {
        let bar = progress::spinner(false, &subject.name);
        let design = subject.entry.design().map_err(Fail::run)?;
        let measured = Measurement::of(&design, subject.part, SEEDS, |now| bar.set_message(now.to_string()));
        bar.finish_and_clear();
        let source = timing::source(&design);
        done(&subject.name, Row::of(&measured.map_err(Fail::run)?, subject.target_mhz, source))?;
    }
    Ok(())
}

fn summary(name: &str, row: &Row) -> String {
    let missed = if row.is_met() { "" } else { ", the target is missed" };
    let [luts, ffs, bram] = row.counts();
    let (worst, median) = (row.worst(), row.median());
    format!(
        "{name}: {luts} LUTs, {ffs} flip-flops, {bram} block RAMs, {worst:.1} MHz worst, {median:.1} median{missed}"
    )
}

fn record(names: &[String]) -> Outcome {
    let subjects = chosen(names)?;
    let kept: Vec<String> = chosen(&[])?.into_iter().map(|s| s.name).collect();
    let fresh = Record::new().map_err(Fail::run)?;
    let mut record = Record { rows: Record::load().map_err(Fail::run)?.rows, ..fresh };
    // What is measured no longer leaves the record.
    record.rows.retain(|name, _| kept.contains(name));
    measure(subjects, |name, row| {
        say(summary(name, &row))?;
        record.rows.insert(name.into(), row);
        // After each one: a run takes long and may be stopped.
        record.save().map_err(Fail::run)
    })
}

fn check(names: &[String], percent: f64) -> Outcome {
    let before: BTreeMap<String, Row> = Record::load().map_err(Fail::run)?.rows;
    let mut worse = 0;
    measure(chosen(names)?, |name, row| {
        say(summary(name, &row))?;
        let Some(recorded) = before.get(name) else { return say("  not in the record") };
        timing::compare(name, recorded, &row, percent).into_iter().try_for_each(
            |Change { what, worse: is_worse, .. }| {
                worse += usize::from(is_worse);
                say(format!("  {}: {what}", if is_worse { "worse" } else { "better" }))
            },
        )
    })?;
    match worse {
        0 => say("nothing got worse"),
        n => Err(Fail::run(format!("{n} figures are worse than the record by more than {percent} %."))),
    }
}
