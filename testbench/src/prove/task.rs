//! A proof as a task of sby: the files, the run, and what sby says of it.

use super::{Fault, Proof, Report, Tie, Verdict, trace};
use em_tools::{Tool, ToolError};
use hdl::{
    Design, ElabErrors,
    ir::{Dir, Module, PropKind, Target},
    verilog,
};
use std::{collections::BTreeMap, fmt::Write, fs, io, path::Path, process::Command, time::Instant};
use thiserror::Error;

/// Why a proof could not be run.
#[derive(Debug, Error)]
pub enum ProveError {
    /// The harness does not elaborate.
    #[error("the harness of `{proof}` does not elaborate:\n{errors}")]
    Elaborate {
        /// The proof.
        proof: &'static str,
        /// The errors.
        errors: ElabErrors,
    },
    /// A fault's text is not there, or there more than once.
    #[error(
        "the fault `{about}` of `{proof}` needs its text in {module}.v exactly once, but it stands there {found} times"
    )]
    Fault {
        /// The proof.
        proof: &'static str,
        /// The fault.
        about: &'static str,
        /// The file.
        module: &'static str,
        /// How many times the text was found.
        found: usize,
    },
    /// A file could not be written or read.
    #[error("cannot use {path}: {source}")]
    Io {
        /// The file or folder.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// sby is missing or cannot be started.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// sby ended without a verdict.
    #[error("sby gave no verdict on `{proof}` ({part}); its last lines are:\n{tail}")]
    NoVerdict {
        /// The proof.
        proof: &'static str,
        /// `prove`, `search` or `cover`.
        part: &'static str,
        /// The end of its log.
        tail: String,
    },
}

/// Name of the top module that ties the harness's inputs.
const TOP: &str = "proof";

pub(super) fn run(proof: &Proof, fault: Option<&Fault>, folder: &Path) -> Result<Report, ProveError> {
    let started = Instant::now();
    let design = (proof.design)().map_err(|errors| ProveError::Elaborate { proof: proof.name, errors })?;
    let mut files = verilog::emit(&design, &verilog::Options::default());
    show_memories(&design, &mut files);
    if let Some(fault) = fault {
        apply(fault, &mut files)?;
    }
    files.push((format!("{TOP}.v"), top_text(proof, &design)));
    let io = |path: &Path, source| ProveError::Io { path: path.display().to_string(), source };
    fs::create_dir_all(folder).map_err(|e| io(folder, e))?;
    for (name, text) in &files {
        fs::write(folder.join(name), text).map_err(|e| io(&folder.join(name), e))?;
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let sby = folder.join("proof.sby");
    fs::write(&sby, sby_text(proof, &design, &names)).map_err(|e| io(&sby, e))?;

    let sentences = sentences(&design);
    // A fault is looked for from reset on, as far as the covers reach: a failed induction would not show it.
    let (prove, cover) = match fault {
        Some(_) => (verdict(proof, "search", folder, &sentences)?, Verdict::Holds),
        None => (verdict(proof, "prove", folder, &sentences)?, verdict(proof, "cover", folder, &sentences)?),
    };
    let props = || design.modules.iter().flat_map(|m| m.props.iter());
    let inner = |m: &&std::rc::Rc<Module>| m.name != design.top().name && Some(&m.name) != dut_name(&design).as_ref();
    let inner_assumptions =
        design.modules.iter().filter(inner).flat_map(|m| &m.props).filter(|p| p.kind == PropKind::Assume);
    let counts = [
        props().filter(|p| p.kind == PropKind::Assert).count() + inner_assumptions.count(),
        props().filter(|p| p.kind == PropKind::Cover).count(),
    ];
    Ok(Report { name: proof.name, depth: proof.depth, prove, cover, counts, time: started.elapsed() })
}

/// Module of the block that the proof is about.
fn dut_name(design: &Design) -> Option<String> {
    design.top().insts.iter().find(|inst| inst.name == "dut").map(|inst| inst.target.name())
}

/// Gives each memory a wire with all its words, for harnesses to tie to.
fn show_memories(design: &Design, files: &mut [(String, String)]) {
    for inst in design.modules.iter().flat_map(|m| &m.insts) {
        let Target::Memory(spec) = &inst.target else { continue };
        let name = format!("{}.v", spec.module_name());
        let Some((_, text)) = files.iter_mut().find(|(file, text)| *file == name && !text.contains(" words = ")) else {
            continue;
        };
        let words: Vec<String> = (0..spec.depth).rev().map(|i| format!("mem[{i}]")).collect();
        let bits = spec.depth * spec.width;
        let wire = format!("    (* keep *) wire [{}:0] words = {{{}}};\nendmodule", bits - 1, words.join(", "));
        *text = text.replacen("endmodule", &wire, 1);
    }
}

fn apply(fault: &Fault, files: &mut [(String, String)]) -> Result<(), ProveError> {
    let Fault { proof, about, module, from, to } = *fault;
    let wanted = format!("{module}.v");
    let text = files.iter_mut().find(|(name, _)| *name == wanted).map(|(_, text)| text);
    let found = text.as_ref().map_or(0, |text| text.matches(from).count());
    match text {
        Some(text) if found == 1 => {
            *text = text.replacen(from, to, 1);
            Ok(())
        }
        _ => Err(ProveError::Fault { proof, about, module, found }),
    }
}

/// The module around the harness: reset, free inputs, arbitrary constants, and wires for signals inside.
fn top_text(proof: &Proof, design: &Design) -> String {
    let harness = design.top();
    let mut ports = String::from("    input wire clk,\n    input wire rst_again");
    let mut body = String::from("    reg started = 1'b0;\n    always @(posedge clk) started <= 1'b1;\n");
    body += "    wire rst = !started | rst_again;\n";
    let mut pins = Vec::new();
    for (name, dir, width) in harness.verilog_ports() {
        let range = format!("[{}:0]", width - 1);
        pins.push(format!("        .{name}({name})"));
        match (name.as_str(), dir, tie(proof, &name)) {
            ("clk" | "rst", ..) => {}
            (_, Dir::Out, _) => _ = write!(ports, ",\n    output wire {range} {name}"),
            (_, Dir::In, None) => _ = write!(ports, ",\n    input wire {range} {name}"),
            (_, Dir::In, Some((_, Tie::Arbitrary))) => _ = writeln!(body, "    (* anyconst *) reg {range} {name};"),
            (_, Dir::In, Some((_, Tie::Inside(_)))) => _ = writeln!(body, "    (* keep *) wire {range} {name};"),
        }
    }
    format!(
        "module {TOP} (\n{ports}\n);\n{body}    {} harness (\n{}\n    );\nendmodule\n",
        harness.name,
        pins.join(",\n")
    )
}

fn tie(proof: &Proof, port: &str) -> Option<(&'static str, Tie)> {
    proof.ties.iter().copied().find(|(name, _)| *name == port)
}

/// The task: assumptions about the dut's inputs are taken, those of blocks within it are proved.
fn sby_text(proof: &Proof, design: &Design, files: &[&str]) -> String {
    let mut script = format!("read -formal -DEM_ASSERT {}\nhierarchy -top {TOP}\nproc\n", files.join(" "));
    let dut = dut_name(design);
    for m in &design.modules {
        let has_assumptions = m.props.iter().any(|p| p.kind == PropKind::Assume);
        if has_assumptions && m.name != design.top().name && Some(&m.name) != dut.as_ref() {
            _ = writeln!(script, "chformal -assume -assume2assert {}", m.name);
        }
    }
    script += "flatten\n";
    for (port, tie) in proof.ties {
        if let Tie::Inside(signal) = tie {
            _ = writeln!(script, "connect -nomap -nounset -set {port} harness.{signal}");
        }
    }
    let (depth, cover_depth, files) = (proof.depth, proof.cover_depth, files.join("\n"));
    format!(
        "[tasks]\nprove\nsearch\ncover\n\n[options]\nprove: mode prove\nprove: depth {depth}\nsearch: mode bmc\n\
         search: depth {cover_depth}\ncover: mode cover\ncover: depth {cover_depth}\n\n\
         [engines]\nsmtbmc yices\n\n[script]\n{script}prep -top {TOP}\n\n[files]\n{files}\n"
    )
}

/// The sentence of each property by its label in the Verilog.
fn sentences(design: &Design) -> BTreeMap<String, String> {
    let props = design.modules.iter().flat_map(|m| m.props.iter());
    props
        .map(|p| {
            let kind = match p.kind {
                PropKind::Assert => "assert",
                PropKind::Assume => "assume",
                PropKind::Cover => "cover",
            };
            (format!("{kind}_{}", hdl::names::identifier(&p.name)), p.message.clone())
        })
        .collect()
}

fn verdict(
    proof: &Proof,
    part: &'static str,
    folder: &Path,
    sentences: &BTreeMap<String, String>,
) -> Result<Verdict, ProveError> {
    let mut command: Command = em_tools::command(Tool::Sby)?;
    command.args(["-f", "proof.sby", part]).current_dir(folder);
    let output = command.output().map_err(|source| ProveError::Io { path: "sby".into(), source })?;
    let log = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let work = folder.join(format!("proof_{part}"));
    if log.contains("DONE (PASS") {
        return Ok(Verdict::Holds);
    }
    let wanted = if part == "cover" { "Unreached cover statement" } else { "Assert failed" };
    let failed = log.lines().filter(|line| line.contains(wanted));
    let mut failed: Vec<String> = failed.map(|line| named(line, sentences)).collect();
    failed.dedup();
    if log.contains("DONE (FAIL") {
        let trace = trace::text(&work.join("engine_0/trace.vcd")).unwrap_or_default();
        return Ok(Verdict::Refuted { failed, trace });
    }
    if log.contains("DONE (UNKNOWN") {
        let trace = trace::text(&work.join("engine_0/trace_induct.vcd")).unwrap_or_default();
        return Ok(Verdict::NotInductive { failed, trace });
    }
    let lines: Vec<&str> = log.lines().collect();
    let tail = lines[lines.len().saturating_sub(15)..].join("\n");
    Err(ProveError::NoVerdict { proof: proof.name, part, tail })
}

/// `label: sentence` for a line of the log that names a property.
fn named(line: &str, sentences: &BTreeMap<String, String>) -> String {
    let known =
        sentences.iter().filter(|(label, _)| line.contains(&format!("({label})")) || line.ends_with(label.as_str()));
    match known.max_by_key(|(label, _)| label.len()) {
        Some((label, sentence)) => format!("{label}: {sentence}"),
        None => line.trim().into(),
    }
}
