//! One design in three simulators: the native one, Verilator and Icarus, with the same inputs.

use em_sim::verilated::{self, ModelSpec, PortId};
use em_tools::Tool;
use hdl::{Design, Value, ir::Dir, verilog};
use std::{fmt::Write as _, fs};

/// The outputs of each cycle, in port order. `None`: the simulator does not know all bits.
pub type Answers = Vec<Vec<Option<Value>>>;

/// A design of at most one clock, its emitted Verilog and its ports.
pub struct Subject {
    /// The design.
    pub design: Design,
    /// Its files: name and text.
    pub files: Vec<(String, String)>,
    /// Inputs but for the clock: name and width. A reset is one of them.
    pub inputs: Vec<(String, u32)>,
    /// Outputs: name and width.
    pub outputs: Vec<(String, u32)>,
    clocked: bool,
}

impl Subject {
    /// Of an elaborated design.
    ///
    /// # Panics
    /// If it has a clock domain beside the default one.
    pub fn new(design: Design) -> Self {
        let top = design.top();
        let used: Vec<_> = top.domains.iter().zip(&top.clocks_used).filter(|(_, u)| u.clk || u.rst).collect();
        assert!(used.iter().all(|(d, _)| d.name.is_empty()), "`{}` has several clocks", top.name);
        let clocked = used.iter().any(|(_, u)| u.clk);
        let ports = top.verilog_ports();
        let side = |dir: Dir| {
            let wanted = ports.iter().filter(move |(name, d, _)| *d == dir && name != "clk");
            wanted.map(|(name, _, width)| (name.clone(), *width)).collect()
        };
        let (inputs, outputs) = (side(Dir::In), side(Dir::Out));
        let files = verilog::emit(&design, &verilog::Options::default());
        Subject { design, files, inputs, outputs, clocked }
    }

    /// The design's answers in Verilator. Each row of `rows` has one value an input; outputs are read after the clock's
    /// edge, the inputs still being the row's.
    ///
    /// # Errors
    /// What the build or the model says.
    pub fn verilator(&self, rows: &[Vec<Value>], options: verilated::Options) -> Result<Answers, String> {
        let library = verilated::build(&ModelSpec::of(&self.design, options)).map_err(|e| e.to_string())?;
        let mut model = library.instance(1);
        let ports = |names: &[(String, u32)]| -> Result<Vec<PortId>, String> {
            names.iter().map(|(name, _)| model.port(name).map_err(|e| e.to_string())).collect()
        };
        let (inputs, outputs) = (ports(&self.inputs)?, ports(&self.outputs)?);
        let mut answers = Answers::new();
        for row in rows {
            for (port, value) in inputs.iter().zip(row) {
                model.poke_words(*port, value.words());
            }
            if self.clocked { model.tick(0) } else { model.eval() }.map_err(|e| e.to_string())?;
            let read =
                |(port, (_, width)): (&PortId, &(String, u32))| Some(Value::from_bytes(*width, model.bytes(*port)));
            answers.push(outputs.iter().zip(&self.outputs).map(read).collect());
        }
        Ok(answers)
    }

    /// The same in Icarus, by a bench that reads the inputs from a file and prints the outputs.
    ///
    /// # Errors
    /// What Icarus says, warnings included.
    pub fn icarus(&self, rows: &[Vec<Value>]) -> Result<Answers, String> {
        let line = |row: &Vec<Value>| {
            let all = row.iter().fold(Value::zero(0), |acc, v| acc.concat(v));
            format!("{all:x}\n")
        };
        let said = self.icarus_bench(&self.bench(rows.len()), &rows.iter().map(line).collect::<String>())?;
        let read = |line: &str| {
            let words = line.split_whitespace().zip(&self.outputs);
            words.map(|(word, (_, width))| parse_hex(*width, word)).collect::<Vec<_>>()
        };
        let answers: Answers = said.lines().filter_map(|l| l.strip_prefix("@ ")).map(read).collect();
        if answers.len() != rows.len() || answers.iter().any(|a| a.len() != self.outputs.len()) {
            return Err(format!("Icarus printed {} of {} rows:\n{said}", answers.len(), rows.len()));
        }
        Ok(answers)
    }

    /// What a bench (a module `bench`) prints under Icarus; it may read `rows`, text, from the file `rows.hex`.
    ///
    /// # Errors
    /// What Icarus says, warnings included.
    pub fn icarus_bench(&self, bench: &str, rows: &str) -> Result<String, String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).map_err(|e| e.to_string());
        for (name, text) in &self.files {
            // A sink of unused bits drives nothing, but is worked out anew at each change of any of them.
            let mut in_sink = false;
            let lines = text.lines().filter(|line| {
                let begins = line.starts_with("    wire unused = &{");
                let is_sink = begins || in_sink;
                in_sink = is_sink && !line.ends_with(';');
                !is_sink
            });
            write(name, &lines.map(|l| format!("{l}\n")).collect::<String>())?;
        }
        write("bench.v", bench)?;
        write("rows.hex", rows)?;
        let mut compile = em_tools::command(Tool::Icarus).map_err(|e| e.to_string())?;
        // Which file declares a time unit is the bench's affair, not the design's.
        compile.current_dir(dir.path()).args(["-g2005", "-Wall", "-Wno-timescale", "-s", "bench", "-o", "bench.vvp"]);
        compile.arg("bench.v").args(self.files.iter().map(|(name, _)| name));
        let said = em_tools::run(&mut compile).map_err(|e| e.to_string())?;
        if !said.stderr.trim().is_empty() {
            return Err(format!("iverilog -Wall says:\n{}", said.stderr));
        }
        let mut run = em_tools::command(Tool::Vvp).map_err(|e| e.to_string())?;
        let said = em_tools::run(run.current_dir(dir.path()).args(["-n", "bench.vvp"])).map_err(|e| e.to_string())?;
        Ok(said.stdout)
    }

    fn bench(&self, rows: usize) -> String {
        let mut v = String::from("module bench;\n");
        let total: u32 = self.inputs.iter().map(|i| i.1).sum();
        let mut pins = Vec::new();
        if self.clocked {
            v += "    reg clk = 0;\n";
            pins.push(".clk(clk)".to_string());
        }
        let _ = writeln!(v, "    reg [{}:0] rows [0:{}];", total.max(1) - 1, rows - 1);
        for (name, width) in &self.inputs {
            let _ = writeln!(v, "    reg [{}:0] {name};", width - 1);
        }
        for (name, width) in &self.outputs {
            let _ = writeln!(v, "    wire [{}:0] {name};", width - 1);
        }
        pins.extend(self.inputs.iter().chain(&self.outputs).map(|(name, _)| format!(".{name}({name})")));
        let _ = writeln!(v, "    {} dut ({});", self.design.top().name, pins.join(", "));
        let names = |list: &[(String, u32)]| list.iter().map(|i| i.0.as_str()).collect::<Vec<_>>().join(", ");
        v += "    integer row;\n    initial begin\n        $readmemh(\"rows.hex\", rows);\n";
        let _ = writeln!(v, "        for (row = 0; row < {rows}; row = row + 1) begin");
        if !self.inputs.is_empty() {
            let _ = writeln!(v, "            {{{}}} = rows[row];", names(&self.inputs));
        }
        v += "            #1;\n";
        if self.clocked {
            v += "            clk = 1;\n            #1;\n";
        }
        let format = " %h".repeat(self.outputs.len());
        let _ = writeln!(v, "            $display(\"@{format}\", {});", names(&self.outputs));
        if self.clocked {
            v += "            clk = 0;\n            #1;\n";
        }
        v + "        end\n        $finish;\n    end\nendmodule\n"
    }

    /// The same in the native simulator.
    ///
    /// # Errors
    /// What elaboration says.
    pub fn native(&self, rows: &[Vec<Value>]) -> Result<Answers, String> {
        let sim = hdl::sim::Sim::of(&self.design).map_err(|e| e.to_string())?;
        let ports = |names: &[(String, u32)]| names.iter().map(|(n, _)| sim.port(n)).collect::<Vec<_>>();
        let inputs: Vec<_> = self.inputs.iter().map(|(n, _)| (n != "rst").then(|| sim.port(n))).collect();
        let outputs = ports(&self.outputs);
        let mut answers = Answers::new();
        for row in rows {
            for (port, value) in inputs.iter().zip(row) {
                match port {
                    Some(port) => sim.poke(*port, value),
                    None => sim.set_reset("", value.is_true()),
                }
            }
            if self.clocked {
                sim.step();
            }
            answers.push(outputs.iter().map(|p| Some(sim.peek(*p))).collect());
        }
        Ok(answers)
    }

    /// `verilator --lint-only -Wall`: an error unless it is silent.
    ///
    /// # Errors
    /// What Verilator says.
    pub fn lint(&self) -> Result<(), String> {
        self.lint_with(&[]).or_else(|said| if crashed(&said) { self.lint_with(&["-fno-dfg"]) } else { Err(said) })
    }

    fn lint_with(&self, options: &[&str]) -> Result<(), String> {
        let dir = self.written()?;
        let mut lint = em_tools::command(Tool::Verilator).map_err(|e| e.to_string())?;
        lint.current_dir(dir.path()).args(["--lint-only", "-Wall", "--quiet", "--top-module", &self.design.top().name]);
        lint.args(options);
        let said = em_tools::run(lint.args(self.files.iter().map(|(name, _)| name))).map_err(|e| e.to_string())?;
        match said.stderr.trim() {
            "" => Ok(()),
            text => Err(format!("verilator --lint-only -Wall says:\n{text}")),
        }
    }

    /// yosys reads it: hierarchy, processes and its own consistency check.
    ///
    /// # Errors
    /// What yosys says.
    pub fn yosys(&self) -> Result<(), String> {
        let dir = self.written()?;
        let names: Vec<&str> = self.files.iter().map(|(name, _)| name.as_str()).collect();
        let script = format!(
            "read_verilog {}; hierarchy -check -top {}; proc; check -assert",
            names.join(" "),
            self.design.top().name
        );
        let mut yosys = em_tools::command(Tool::Yosys).map_err(|e| e.to_string())?;
        em_tools::run(yosys.current_dir(dir.path()).args(["-q", "-p", &script])).map_err(|e| e.to_string())?;
        Ok(())
    }

    fn written(&self) -> Result<tempfile::TempDir, String> {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        for (name, text) in &self.files {
            fs::write(dir.path().join(name), text).map_err(|e| e.to_string())?;
        }
        Ok(dir)
    }
}

/// Did Verilator itself fail? 5.052 does, in its data-flow graph, on some of the largest random circuits.
pub fn crashed(message: &str) -> bool {
    message.contains("Verilator internal fault")
}

/// Hexadecimal as `%h` prints it; anything else than digits is unknown.
fn parse_hex(width: u32, text: &str) -> Option<Value> {
    let digits: Option<Vec<u64>> = text.chars().rev().map(|c| c.to_digit(16).map(u64::from)).collect();
    let words: Vec<u64> =
        digits?.chunks(16).map(|c| c.iter().enumerate().fold(0, |w, (i, d)| w | d << (4 * i))).collect();
    Some(Value::from_words(width, &words))
}
