//! What a model is made from.

use std::fmt::Write as _;

/// Everything that decides a model: the same spec gives the same shared object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelSpec {
    /// Name of the top module.
    pub top: String,
    /// Verilog files: plain file name and text. Failures and messages quote this name.
    pub sources: Vec<(String, String)>,
    /// The top module's ports. Each must exist with the same direction and width; a port that is left out cannot be reached.
    pub ports: Vec<Port>,
    /// The input ports that are clocks; [`Model::tick`](super::Model::tick) takes an index into this list.
    pub clocks: Vec<String>,
    /// How it is built.
    pub options: Options,
}

/// One port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name in the Verilog.
    pub name: String,
    /// Its direction, seen from the module.
    pub dir: Dir,
    /// Its width in bits, at least 1.
    pub width: u32,
}

impl Port {
    /// An input of `width` bits.
    pub fn input(name: impl Into<String>, width: u32) -> Self {
        Self { name: name.into(), dir: Dir::Input, width }
    }

    /// An output of `width` bits.
    pub fn output(name: impl Into<String>, width: u32) -> Self {
        Self { name: name.into(), dir: Dir::Output, width }
    }
}

/// A port's direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dir {
    /// Driven by the test.
    Input,
    /// Driven by the module.
    Output,
}

/// Waveform dumps compiled into the model. A model that can trace is slower also while it doesn't.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trace {
    /// None.
    #[default]
    None,
    /// Value change dump, text.
    Vcd,
    /// FST, compressed; needs zlib's and lz4's headers.
    Fst,
}

/// Build options; the default is a plain, fast model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Defines `EM_ASSERT` and lets SystemVerilog assertions run.
    pub assertions: bool,
    /// Registers and memories without reset start from random bits, a function of the instance's seed, and an assigned X is a
    /// random constant. Otherwise they start at 0.
    pub x_initial_unique: bool,
    /// Waveforms.
    pub trace: Trace,
    /// Line and toggle coverage; see [`Model::write_coverage`](super::Model::write_coverage). Some 25 times slower.
    pub coverage: bool,
    /// Compiles the model unoptimised: built in half the time, some ten times slower. For models that run few cycles.
    pub quick_build: bool,
    /// Verilator works without its data-flow graph, whose optimiser crashes on rare texts ("internal fault").
    pub without_dfg: bool,
    /// Verilog macros: name and value (empty for none).
    pub defines: Vec<(String, String)>,
    /// No output depends combinationally on an input, so that drivers need not settle the model before they look at it.
    pub registered_outputs: bool,
    /// Verilator's default warnings do not fail the build. For Verilog that was not written here.
    pub tolerate_warnings: bool,
}

impl Options {
    /// The arguments that Verilator gets for them.
    pub fn verilator_flags(&self) -> Vec<String> {
        let mut flags = vec!["-O3", "--threads", "1", "--no-timing"];
        flags.extend(if self.assertions { &["--assert", "+define+EM_ASSERT"][..] } else { &["--no-assert"] });
        flags.extend(if self.x_initial_unique {
            ["--x-initial", "unique", "--x-assign", "unique"]
        } else {
            ["--x-initial", "0", "--x-assign", "fast"]
        });
        match self.trace {
            Trace::None => {}
            Trace::Vcd => flags.push("--trace-vcd"),
            Trace::Fst => flags.push("--trace-fst"),
        }
        let switches =
            [(self.coverage, "--coverage"), (self.tolerate_warnings, "-Wno-fatal"), (self.without_dfg, "-fno-dfg")];
        flags.extend(switches.into_iter().filter_map(|(on, flag)| on.then_some(flag)));
        let defines = self.defines.iter().map(|(name, value)| match value.as_str() {
            "" => format!("+define+{name}"),
            _ => format!("+define+{name}={value}"),
        });
        flags.into_iter().map(String::from).chain(defines).collect()
    }
}

impl ModelSpec {
    /// The text that the cache key is a hash of: every field, with lengths, so that no two specs share it.
    pub(crate) fn fingerprint(&self) -> String {
        let mut text = String::new();
        let mut field = |name: &str, value: &str| {
            let _ = writeln!(text, "{name} {}\n{value}", value.len());
        };
        field("top", &self.top);
        for (name, source) in &self.sources {
            field("file", name);
            field("text", source);
        }
        for port in &self.ports {
            field("port", &format!("{} {:?} {}", port.name, port.dir, port.width));
        }
        for clock in &self.clocks {
            field("clock", clock);
        }
        field("options", &format!("{:?}", self.options));
        text
    }
}
