//! `em prove`.

use crate::{
    fail::{Fail, Outcome},
    progress,
    text::{COLUMNS, count, say},
};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets::UTF8_FULL_CONDENSED};
use em_testbench::prove::{Proof, Report, Verdict, proofs};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Block to prove, in all its configurations or in one; every block if left out
    #[arg(value_name = "BLOCK")]
    block: Option<String>,
    /// Keep the Verilog, the logs and the waveforms of counterexamples in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

/// A proof and what came of it.
type Done = (Proof, Report);

pub fn run(args: Args) -> Outcome {
    let chosen = choose(proofs(), args.block.as_deref())?;
    let scratch = tempfile::tempdir().map_err(|e| Fail::run(format!("cannot make a temporary folder: {e}.")))?;
    if let Some(keep) = &args.keep {
        std::fs::create_dir_all(keep).map_err(|e| {
            Fail::input(format!("{}: cannot be made: {e}. Check the path and its permissions.", keep.display()))
        })?;
    }
    let folder = args.keep.as_deref().unwrap_or(scratch.path());
    let done = run_all(chosen, folder, args.json)?;
    if args.json {
        say(json(&done))?;
    } else {
        say(table(&done))?;
        for text in done.iter().filter_map(|(_, report)| counterexample(report)) {
            say(format!("\n{text}"))?;
        }
    }
    conclude(&done)
}

/// The proofs that go by this name: `fifo` means `fifo_block` and `fifo_distributed`.
fn choose(all: Vec<Proof>, block: Option<&str>) -> Result<Vec<Proof>, Fail> {
    let Some(block) = block else { return Ok(all) };
    let meant = |p: &&Proof| p.name.strip_prefix(block).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    let chosen: Vec<Proof> = all.iter().filter(meant).copied().collect();
    if chosen.is_empty() {
        let names: Vec<&str> = all.iter().map(|p| p.name).collect();
        return Err(Fail::input(format!("there is no proof of `{block}`. Choose from: {}.", names.join(", "))));
    }
    Ok(chosen)
}

fn run_all(chosen: Vec<Proof>, folder: &Path, quiet: bool) -> Result<Vec<Done>, Fail> {
    let total = chosen.len();
    let bar = progress::spinner(quiet, "");
    let mut done = Vec::new();
    for (i, proof) in chosen.into_iter().enumerate() {
        bar.set_message(format!("proving {} ({} of {total})", proof.name, i + 1));
        let report = proof.run(&folder.join(proof.name)).map_err(Fail::run)?;
        done.push((proof, report));
    }
    bar.finish_and_clear();
    Ok(done)
}

fn table(done: &[Done]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic).set_width(COLUMNS);
    table.set_header(["block", "what is proved", "result", "depth", "covers", "seconds"]);
    for (proof, report) in done {
        let [asserts, covers] = report.counts;
        let result = match &report.prove {
            Verdict::Holds => format!("{asserts} proved"),
            Verdict::Refuted { .. } => "failed".into(),
            Verdict::NotInductive { .. } => "not proved".into(),
        };
        let reached = covers - unreached(report).len().min(covers);
        table.add_row([
            proof.name.to_string(),
            proof.about.to_string(),
            result,
            report.depth.to_string(),
            format!("{reached}/{covers}"),
            format!("{:.1}", report.time.as_secs_f64()),
        ]);
    }
    for column in table.column_iter_mut().skip(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn json(done: &[Done]) -> serde_json::Value {
    let rows: Vec<_> = done
        .iter()
        .map(|(proof, report)| {
            serde_json::json!({
                "name": proof.name,
                "about": proof.about,
                "depth": report.depth,
                "assertions": report.counts[0],
                "covers": report.counts[1],
                "proved": report.prove == Verdict::Holds,
                "covers_reached": report.cover == Verdict::Holds,
                "failed": failed(&report.prove),
                "not_reached": unreached(report),
                "counterexample": trace(&report.prove),
                "seconds": report.time.as_secs_f64(),
            })
        })
        .collect();
    let holding = done.iter().filter(|(_, r)| r.holds()).count();
    serde_json::json!({ "proofs": rows, "holding": holding, "failing": done.len() - holding })
}

fn failed(verdict: &Verdict) -> &[String] {
    match verdict {
        Verdict::Holds => &[],
        Verdict::Refuted { failed, .. } | Verdict::NotInductive { failed, .. } => failed,
    }
}

fn unreached(report: &Report) -> &[String] {
    failed(&report.cover)
}

fn trace(verdict: &Verdict) -> Option<&str> {
    match verdict {
        Verdict::Refuted { trace, .. } | Verdict::NotInductive { trace, .. } if !trace.is_empty() => Some(trace),
        _ => None,
    }
}

/// What failed and the clocks that show it.
fn counterexample(report: &Report) -> Option<String> {
    let name = report.name;
    let mut text = match &report.prove {
        Verdict::Holds => String::new(),
        Verdict::Refuted { .. } => format!("{name} does not hold what it promises:"),
        Verdict::NotInductive { .. } => format!(
            "{name} holds for {} after reset, but induction does not show that it always will. What it could not show,\n\
             from a state that may be unreachable:",
            count(u64::from(report.depth), "clock")
        ),
    };
    failed(&report.prove).iter().for_each(|sentence| text += &format!("\n  {sentence}"));
    if let Some(trace) = trace(&report.prove) {
        text += &format!("\n{}", trace.trim_end());
    }
    if !unreached(report).is_empty() {
        text += &format!("{}{name} never reaches:", if text.is_empty() { "" } else { "\n" });
        unreached(report).iter().for_each(|sentence| text += &format!("\n  {sentence}"));
    }
    (!text.is_empty()).then_some(text)
}

fn conclude(done: &[Done]) -> Outcome {
    let failing: Vec<&str> = done.iter().filter(|(_, r)| !r.holds()).map(|(p, _)| p.name).collect();
    if failing.is_empty() {
        return Ok(());
    }
    Err(Fail::run(format!(
        "{} of {} failed: {}.",
        failing.len(),
        count(done.len() as u64, "proof"),
        failing.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use em_testbench::prove::faults;
    use std::time::Duration;

    fn names(block: &str) -> Vec<&'static str> {
        choose(proofs(), Some(block)).unwrap_or_default().iter().map(|p| p.name).collect()
    }

    fn proof(name: &str) -> Proof {
        choose(proofs(), Some(name)).unwrap()[0]
    }

    #[test]
    fn a_block_stands_for_all_its_configurations() {
        assert_eq!(names("fifo"), ["fifo_block", "fifo_distributed"]);
        assert_eq!(names("fifo_block"), ["fifo_block"]);
        assert_eq!(names("skid"), ["skid"]);
        assert!(names("fi").is_empty() && names("").is_empty());
        assert_eq!(choose(proofs(), None).unwrap().len(), proofs().len());
    }

    #[test]
    fn a_refuted_proof_fails_with_its_sentence_and_clocks() {
        let fault = faults().into_iter().find(|f| f.proof == "skid").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let report = proof("skid").run_with(&fault, folder.path()).unwrap();
        let text = counterexample(&report).unwrap();
        assert!(text.starts_with("skid does not hold what it promises:\n  assert_"), "{text}");
        assert!(text.contains("\nclock ") && text.contains("m_axis_tvalid"), "{text}");
        let done = [(proof("skid"), report)];
        let fail = conclude(&done).unwrap_err();
        assert_eq!((fail.message.as_str(), fail.code), ("1 of 1 proof failed: skid.", 1));
        assert!(table(&done).to_string().contains("failed"));
        let json = json(&done);
        assert_eq!((&json["failing"], &json["proofs"][0]["proved"]), (&1.into(), &false.into()));
        assert!(json["proofs"][0]["counterexample"].as_str().unwrap().contains("m_axis_tvalid"));
    }

    #[test]
    fn a_cover_that_is_not_reached_fails_too() {
        let cover = Verdict::Refuted { failed: vec!["cover_wraps: 2: the second lap".into()], trace: String::new() };
        let time = Duration::from_secs(1);
        let report = Report { name: "skid", depth: 4, prove: Verdict::Holds, cover, counts: [3, 2], time };
        assert_eq!(counterexample(&report).unwrap(), "skid never reaches:\n  cover_wraps: 2: the second lap");
        let done = [(proof("skid"), report)];
        assert!(table(&done).to_string().contains("1/2"));
        assert_eq!(conclude(&done).unwrap_err().code, 1);
    }
}
