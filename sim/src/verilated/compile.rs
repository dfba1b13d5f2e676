//! Verilog to shared object: Verilator, then the C++ compiler, in a scratch directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::BuildError;
use super::cache::{get_or_make, key};
use super::shim;
use super::spec::{ModelSpec, Trace};
use super::toolchain::Toolchain;

/// `-fno-gnu-unique` and `-Bsymbolic` keep the statics of two loaded models apart.
const CXX_FLAGS: &[&str] = &[
    "-std=gnu++17",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-gnu-unique",
    "-faligned-new",
    "-fcf-protection=none",
    "-w",
    "-DVL_USER_STOP",
    "-DVL_USER_FATAL",
    "-DVL_USER_FINISH",
    "-DVL_USER_WARN",
    "-DVL_PRINTF=em_printf",
    "-include",
    "em_printf.h",
];
/// Generated files are put together to units of about this size, to be compiled side by side.
const UNIT_BYTES: u64 = 200_000;
/// How much of the tools' messages an error quotes.
const QUOTED_LINES: usize = 30;

/// All that the way of building adds to the cache key.
pub(crate) fn recipe(tools: &Toolchain) -> String {
    let flags = CXX_FLAGS.join(" ");
    format!("{}\n{}\n{}\n{flags}\n{}", tools.verilator_version, tools.cxx_version, shim::TEMPLATE, shim::PRELUDE)
}

/// Builds `spec` in `scratch` and gives the shared object's path. `cache` holds the compiled run-time files.
pub(crate) fn compile(
    spec: &ModelSpec,
    tools: &Toolchain,
    cache: &Path,
    scratch: &Path,
) -> Result<PathBuf, BuildError> {
    let source_dir = scratch.join("src");
    let object_dir = scratch.join("obj");
    for dir in [&source_dir, &object_dir] {
        fs::create_dir(dir).map_err(|source| BuildError::Io { path: dir.clone(), source })?;
    }
    for (name, text) in &spec.sources {
        write(&source_dir.join(name), text)?;
    }
    verilate(spec, &source_dir)?;

    write(&object_dir.join("em_printf.h"), shim::PRELUDE)?;
    let header = read(&object_dir.join("Vem.h"))?;
    write(&object_dir.join("em_shim.cpp"), &shim::generate(spec, &header)?)?;
    let list = ClassList::parse(&read(&object_dir.join("Vem_classes.mk"))?);
    let mut flags = CXX_FLAGS.iter().map(|flag| (*flag).to_owned()).collect::<Vec<_>>();
    flags.extend(list.defines.iter().cloned());
    for dir in [tools.include.clone(), tools.include.join("vltstd")] {
        flags.extend(["-I".into(), dir.display().to_string()]);
    }

    let runtime = runtime_object(spec, tools, cache, &list, &flags)?;
    let mut objects = vec![runtime];
    let fast = if spec.options.quick_build { "-O0" } else { "-O2" };
    let mut units = group(&object_dir, &list.fast, "fast")?.into_iter().map(|unit| (unit, fast)).collect::<Vec<_>>();
    units.extend(group(&object_dir, &list.slow, "slow")?.into_iter().map(|unit| (unit, "-O0")));
    units.push(("em_shim".into(), fast));
    objects.extend(units.iter().map(|(unit, _)| object_dir.join(format!("{unit}.o"))));
    compile_units(spec, tools, &object_dir, &units, &flags)?;

    let mut link = Command::new(&tools.cxx);
    link.current_dir(&object_dir).args(["-shared", "-Wl,-Bsymbolic", "-o", "model.so"]).args(&objects).arg("-pthread");
    if spec.options.trace == Trace::Fst {
        link.args(["-llz4", "-lz"]);
    }
    run_cxx(spec, vec![spawn(link)?])?;
    Ok(object_dir.join("model.so"))
}

fn verilate(spec: &ModelSpec, source_dir: &Path) -> Result<(), BuildError> {
    let missing = |error: em_tools::ToolError| BuildError::ToolMissing(error.to_string());
    let mut command = em_tools::command(em_tools::Tool::Verilator).map_err(missing)?;
    command.current_dir(source_dir).args(["--cc", "--prefix", "Vem", "--Mdir", "../obj", "--quiet"]);
    command.args(["--top-module", &spec.top]).args(spec.options.verilator_flags());
    command.args(spec.sources.iter().map(|(name, _)| name));
    let output = command.output().map_err(|error| {
        BuildError::ToolMissing(format!("verilator does not start: {error}; run ./scripts/setup sim"))
    })?;
    if !output.status.success() {
        let messages = quote(&output.stderr);
        return Err(BuildError::Verilator { top: spec.top.clone(), messages });
    }
    Ok(())
}

/// Verilator's lists of what to compile.
#[derive(Default)]
struct ClassList {
    fast: Vec<String>,
    slow: Vec<String>,
    runtime: Vec<String>,
    defines: Vec<String>,
}

impl ClassList {
    /// Reads `Vem_classes.mk`: `VM_X = value` and lists of `VM_Y += \` followed by one indented name a line.
    fn parse(text: &str) -> Self {
        let mut list = Self::default();
        let mut group = "";
        for line in text.lines() {
            if let Some((name, value)) = line.split_once(" = ") {
                if name.starts_with("VM_TRACE") || name == "VM_COVERAGE" {
                    list.defines.push(format!("-D{name}={}", value.trim()));
                }
            } else if let Some((name, _)) = line.split_once(" +=") {
                group = name;
            } else if line.starts_with("  ") {
                let class = line.trim().trim_end_matches('\\').trim();
                match group {
                    _ if class.is_empty() => {}
                    "VM_CLASSES_FAST" | "VM_SUPPORT_FAST" => list.fast.push(class.into()),
                    "VM_CLASSES_SLOW" | "VM_SUPPORT_SLOW" => list.slow.push(class.into()),
                    "VM_GLOBAL_FAST" | "VM_GLOBAL_SLOW" => list.runtime.push(class.into()),
                    _ => {}
                }
            }
        }
        list
    }
}

/// Writes units that include several of the generated files each and gives their names without extension.
fn group(dir: &Path, classes: &[String], kind: &str) -> Result<Vec<String>, BuildError> {
    let mut units: Vec<(String, u64)> = Vec::new();
    for class in classes {
        let path = dir.join(format!("{class}.cpp"));
        let size = fs::metadata(&path).map_err(|source| BuildError::Io { path, source })?.len();
        let line = format!("#include \"{class}.cpp\"\n");
        match units.last_mut() {
            Some((text, total)) if *total + size <= UNIT_BYTES => {
                text.push_str(&line);
                *total += size;
            }
            _ => units.push((line, size)),
        }
    }
    let mut names = Vec::new();
    for (index, (text, _)) in units.iter().enumerate() {
        let name = format!("em_{kind}_{index}");
        write(&dir.join(format!("{name}.cpp")), text)?;
        names.push(name);
    }
    Ok(names)
}

/// Verilator's own run-time files as one object, compiled once for each set of options.
fn runtime_object(
    spec: &ModelSpec,
    tools: &Toolchain,
    cache: &Path,
    list: &ClassList,
    flags: &[String],
) -> Result<PathBuf, BuildError> {
    let key = key(&[&recipe(tools), &list.runtime.join(" "), &list.defines.join(" ")]);
    get_or_make(cache, &format!("runtime-{}.o", &key[..32]), |scratch| {
        write(&scratch.join("em_printf.h"), shim::PRELUDE)?;
        let mut units = Vec::new();
        for class in &list.runtime {
            write(&scratch.join(format!("em_{class}.cpp")), &format!("#include \"{class}.cpp\"\n"))?;
            units.push((format!("em_{class}"), "-O2"));
        }
        compile_units(spec, tools, scratch, &units, flags)?;
        let mut link = Command::new(&tools.cxx);
        link.current_dir(scratch).args(["-r", "-nostdlib", "-o", "runtime.o"]);
        link.args(units.iter().map(|(unit, _)| format!("{unit}.o")));
        run_cxx(spec, vec![spawn(link)?])?;
        Ok(scratch.join("runtime.o"))
    })
}

/// Compiles `name.cpp` to `name.o` for each unit, as many side by side as there are processors.
fn compile_units(
    spec: &ModelSpec,
    tools: &Toolchain,
    dir: &Path,
    units: &[(String, &str)],
    flags: &[String],
) -> Result<(), BuildError> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    for batch in units.chunks(jobs) {
        let mut running = Vec::new();
        for (unit, optimise) in batch {
            let mut command = match &tools.launcher {
                Some(launcher) => {
                    let mut command = Command::new(launcher);
                    command.arg(&tools.cxx);
                    command
                }
                None => Command::new(&tools.cxx),
            };
            command.current_dir(dir).arg(optimise).args(flags).args(["-I", "."]);
            command.args(["-c", &format!("{unit}.cpp"), "-o", &format!("{unit}.o")]);
            running.push(spawn(command)?);
        }
        run_cxx(spec, running)?;
    }
    Ok(())
}

fn spawn(mut command: Command) -> Result<Child, BuildError> {
    let name = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| BuildError::ToolMissing(format!("{name} does not start: {error}; run ./scripts/setup sim")))
}

fn run_cxx(spec: &ModelSpec, running: Vec<Child>) -> Result<(), BuildError> {
    let mut problem = None;
    for child in running {
        match child.wait_with_output() {
            Ok(output) if output.status.success() => {}
            Ok(output) => problem = problem.or(Some(quote(&output.stderr))),
            Err(error) => problem = problem.or(Some(error.to_string())),
        }
    }
    match problem {
        None => Ok(()),
        Some(mut messages) => {
            if messages.contains("lz4.h") || messages.contains("zlib.h") || messages.contains("-llz4") {
                messages.push_str("\nFST traces need liblz4-dev and zlib1g-dev; run ./scripts/setup or trace to VCD.");
            }
            Err(BuildError::Compile { top: spec.top.clone(), messages })
        }
    }
}

/// The first lines of what a tool said.
fn quote(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let mut lines = text.lines().filter(|line| !line.starts_with("- ")).take(QUOTED_LINES).collect::<Vec<_>>();
    if text.lines().count() > QUOTED_LINES {
        lines.push("…");
    }
    lines.join("\n")
}

fn write(path: &Path, text: &str) -> Result<(), BuildError> {
    fs::write(path, text).map_err(|source| BuildError::Io { path: path.to_owned(), source })
}

fn read(path: &Path) -> Result<String, BuildError> {
    fs::read_to_string(path).map_err(|source| BuildError::Io { path: path.to_owned(), source })
}
