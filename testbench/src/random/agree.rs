//! Do the simulators agree? And what is said when they do not.

use super::{Circuit, LOAD_CYCLES, RandomBlock, reference, stimuli};
use crate::simulate::{Answers, Subject, crashed};
use em_sim::{Rng, verilated};
use hdl::{Value, elaborate};
use sha2::{Digest, Sha256};
use std::{fmt, fmt::Write as _, fs};

/// Cycles that are compared.
pub const COMPARED_CYCLES: usize = 64;

/// A circuit that is not what it should be.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What kind of fault it is; cutting a circuit down keeps it.
    pub kind: Kind,
    /// The details: cycle, inputs, answers, or what a tool said.
    pub text: String,
    /// Outputs (their numbers) that are wrong.
    pub outputs: Vec<usize>,
}

/// Kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The language refuses the circuit.
    Elaboration,
    /// Lint, or a tool that does not take the text.
    Tool(&'static str),
    /// Icarus, Verilator, or the reference on big integers, does not agree with the native simulator.
    Answers(&'static str),
}

impl Fault {
    /// The same kind of fault, and the same warning where it is a tool's.
    pub fn is_like(&self, other: &Fault) -> bool {
        let warning = |f: &Fault| f.text.split_whitespace().find(|w| w.starts_with('%')).map(str::to_string);
        self.kind == other.kind && (!matches!(self.kind, Kind::Tool(_)) || warning(self) == warning(other))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.text)
    }
}

/// Which opinions are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ask {
    /// Verilator, and its lint.
    pub verilator: bool,
    /// Icarus.
    pub icarus: bool,
    /// yosys.
    pub yosys: bool,
}

impl Ask {
    /// The one whose answer made a fault, beside the native simulator.
    pub fn only(kind: Kind) -> Self {
        let is = |names: &[&str]| matches!(kind, Kind::Tool(n) | Kind::Answers(n) if names.contains(&n));
        Ask { verilator: is(&["verilator", "lint"]), icarus: is(&["icarus"]), yosys: is(&["yosys"]) }
    }
}

/// Runs a circuit in all that are asked, inputs from `seed`. Of a circuit that has passed before, in exactly the same
/// words, lint, Icarus and yosys are not asked again.
///
/// # Errors
/// The first fault.
pub fn agree(circuit: &Circuit, seed: u64, ask: Ask) -> Result<(), Fault> {
    let fault = |kind: Kind, text: String| Fault { kind, text, outputs: vec![] };
    let design = elaborate(&RandomBlock::top(circuit)).map_err(|e| fault(Kind::Elaboration, e.to_string()))?;
    let subject = Subject::new(design);
    let clocked = circuit.top().clocked;
    let load = if clocked { LOAD_CYCLES } else { 0 };
    let rows = stimuli(&mut Rng::new(seed), &subject.inputs, load + COMPARED_CYCLES, load);
    let native = subject.native(&rows).map_err(|e| fault(Kind::Elaboration, e))?;
    let from = load.saturating_sub(1);
    let compare = |name: &'static str, other: &Answers| compare(&subject, &rows, from, &native, name, other);
    if !clocked {
        let answers = rows.iter().map(|row| reference(circuit, row).into_iter().map(Some).collect()).collect();
        compare("reference", &answers)?;
    }
    let stamp = verilated::cache_dir().join(format!("agreed-{}", digest(&subject, &rows, &native, ask)));
    let passed = stamp.is_file();
    if ask.verilator {
        let options = verilated::Options { quick_build: true, ..Default::default() };
        let plainer = verilated::Options { without_dfg: true, ..options.clone() };
        let answers = subject.verilator(&rows, options);
        let answers = answers.or_else(|e| if crashed(&e) { subject.verilator(&rows, plainer) } else { Err(e) });
        let answers = answers.map_err(|e| fault(Kind::Tool("verilator"), e))?;
        compare("verilator", &answers)?;
        if !passed {
            subject.lint().map_err(|e| fault(Kind::Tool("lint"), e))?;
        }
    }
    if ask.icarus && !passed {
        let answers = subject.icarus(&rows).map_err(|e| fault(Kind::Tool("icarus"), e))?;
        compare("icarus", &answers)?;
    }
    if ask.yosys && !passed {
        subject.yosys().map_err(|e| fault(Kind::Tool("yosys"), e))?;
    }
    // A stamp that cannot be written only costs time the next time.
    let _ = fs::write(stamp, "");
    Ok(())
}

/// Of all that the tools' answers follow from, their versions and their answers included.
fn digest(subject: &Subject, rows: &[Vec<Value>], answers: &Answers, ask: Ask) -> String {
    let mut hash = Sha256::new();
    for tool in [em_tools::Tool::Icarus, em_tools::Tool::Verilator, em_tools::Tool::Yosys] {
        hash.update(format!("{:?} {ask:?}\n", em_tools::find(tool).map(|f| f.version).ok()));
    }
    for (name, text) in &subject.files {
        hash.update(format!("{name} {}\n{text}", text.len()));
    }
    hash.update(format!("{rows:?} {answers:?}"));
    hash.finalize().iter().take(16).fold(String::new(), |text, b| text + &format!("{b:02x}"))
}

fn compare(
    subject: &Subject,
    rows: &[Vec<Value>],
    from: usize,
    native: &Answers,
    name: &'static str,
    other: &Answers,
) -> Result<(), Fault> {
    let wrong = |cycle: usize| (0..subject.outputs.len()).filter(move |o| native[cycle][*o] != other[cycle][*o]);
    let Some(cycle) = (from..rows.len()).find(|c| wrong(*c).next().is_some()) else { return Ok(()) };
    let outputs: Vec<usize> = wrong(cycle).collect();
    let mut text = format!("the native simulator and {name} do not agree in cycle {cycle}\n");
    let shown = |v: &Option<Value>| v.as_ref().map_or("not all bits known".into(), Value::to_string);
    for o in outputs.iter().take(3) {
        let answers = (shown(&native[cycle][*o]), shown(&other[cycle][*o]));
        let _ = writeln!(text, "  {}: native {}, {name} {}", subject.outputs[*o].0, answers.0, answers.1);
    }
    let _ = writeln!(text, "inputs:");
    for ((name, _), v) in subject.inputs.iter().zip(&rows[cycle]) {
        let _ = writeln!(text, "  {name} = {v}");
    }
    Err(Fault { kind: Kind::Answers(name), text, outputs })
}
