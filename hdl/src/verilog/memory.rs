//! The Verilog module of a memory.
//!
//! Every memory has a generic body, from which synthesis infers block RAM (or distributed RAM). Memories with an output
//! register also have a body of ECP5 primitives, taken when `EM_TECH_ECP5` is defined, since synthesis does not move a
//! register into the block by itself.

use crate::{
    Collision, MemSpec,
    ir::{Dir, Pin},
    memory::MemKind,
    verilog::range,
};

mod ecp5;
mod generic;
mod undefined;

/// Verilog text under construction, indented by four spaces a level.
#[derive(Default)]
struct Text {
    out: String,
    depth: usize,
}

impl Text {
    fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        // Compiler directives stand in the first column, whatever they divide.
        if !line.is_empty() && !line.starts_with('`') {
            self.out.extend(std::iter::repeat_n("    ", self.depth));
        }
        self.out += line;
        self.out.push('\n');
    }

    fn lines<L: AsRef<str>>(&mut self, lines: impl IntoIterator<Item = L>) {
        lines.into_iter().for_each(|l| self.line(l));
    }

    /// `head begin`, the body one level deeper, `end`.
    fn block(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.line(format!("{head} begin"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("end");
    }

    /// A generate loop whose block is called `name`.
    fn generate(&mut self, head: &str, name: &str, body: impl FnOnce(&mut Self)) {
        self.line("generate");
        self.depth += 1;
        self.line(format!("{head} begin : {name}"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("end");
        self.depth -= 1;
        self.line("endgenerate");
    }
}

/// The module of `spec`, for a file of its own named after [`MemSpec::module_name`].
pub fn memory_text(spec: &MemSpec) -> String {
    let mut t = Text::default();
    t.lines(contract(spec).iter().map(|l| if l.is_empty() { "//".into() } else { format!("// {l}") }));
    ports(&mut t, spec);
    t.depth = 1;
    match ecp5::Tiling::of(spec) {
        Some(tiling) => {
            t.line("`ifdef EM_TECH_ECP5");
            tiling.body(&mut t, spec);
            t.line("`else");
            generic::body(&mut t, spec);
            t.line("`endif");
        }
        None => generic::body(&mut t, spec),
    }
    t.depth = 0;
    t.line("endmodule");
    t.out
}

fn ports(t: &mut Text, spec: &MemSpec) {
    t.line(format!("module {} (", spec.module_name()));
    let clocks = spec.domains().into_iter().map(|d| format!("input  wire {}", d.clk()));
    let pins = spec.pins().into_iter().map(|Pin { name, dir, width, .. }| match dir {
        Dir::In => format!("input  wire {}{name}", range(width)),
        Dir::Out => format!("output wire {}{name}", range(width)),
    });
    let all: Vec<String> = clocks.chain(pins).collect();
    t.depth = 1;
    for (i, port) in all.iter().enumerate() {
        t.line(format!("{port}{}", if i + 1 < all.len() { "," } else { "" }));
    }
    t.depth = 0;
    t.line(");");
}

/// The memory's contract in sentences, for the head of the file.
fn contract(spec: &MemSpec) -> Vec<String> {
    let size = format!("{} words of {} bits", spec.depth, spec.width);
    let mut c = vec![match spec.kind {
        MemKind::SimpleDual => format!("Memory of {size}: one write port, one read port."),
        MemKind::TrueDual => format!("Memory of {size}: ports a and b both read and write."),
        MemKind::Rom => format!("Read-only memory of {size}."),
        MemKind::Distributed => format!("Small memory of {size} in lookup tables: one write port, one read port."),
    }];
    c.push(String::new());
    let (p, q, en) = if spec.kind == MemKind::TrueDual { ("a_", "b_", "a_en") } else { ("", "", "re") };
    match (spec.kind, spec.latency) {
        (MemKind::Distributed, _) => c.push("Read: rdata follows raddr in the same cycle.".into()),
        (_, 2) if spec.output_enable => c.push(
            "Read: read data follows raddr one clock after re, and rdata follows it one clock after oe; each keeps its value \
             while its enable is 0."
                .into(),
        ),
        (_, 2) => c.push(format!(
            "Read: {p}rdata follows {p}{}addr two clocks after {en}, which gates the first; the output register always runs.",
            if p.is_empty() { "r" } else { "" }
        )),
        _ => c.push(format!(
            "Read: {p}rdata follows {p}{}addr one clock after {en}, and keeps its value while {en} is 0.",
            if p.is_empty() { "r" } else { "" }
        )),
    }
    let strobes = match spec.lane {
        Some(l) => format!(", where bit i of {p}wstrb lets bits {l} i + {} to {l} i through", l - 1),
        None => String::new(),
    };
    match spec.kind {
        MemKind::Rom => {}
        MemKind::TrueDual => {
            c.push(format!("Write: at the clock edge with {p}en and {p}we{strobes}. Port b likewise."))
        }
        _ => c.push(format!("Write: at the clock edge with we{strobes}.")),
    }
    let same_port = format!("A port that writes shows, in {p}rdata and {q}rdata,");
    match (spec.kind, spec.collision) {
        (MemKind::Rom, _) => {}
        (MemKind::Distributed, _) => c.push("A word that is being written reads as it was before.".into()),
        (MemKind::SimpleDual, Collision::Old) => c.push(
            "A word that is being written reads as it was before; block RAM cannot do that by itself, so synthesis adds registers \
             and multiplexers as wide as the word."
                .into(),
        ),
        (MemKind::SimpleDual, Collision::New) => c.push(
            "A word that is being written reads as it will be, through a bypass register as wide as the word.".into(),
        ),
        (MemKind::SimpleDual, _) => {
            c.push("Reading a word while it is being written gives undefined data: random in simulation.".into());
        }
        (MemKind::TrueDual, policy) => {
            c.push(match policy {
                Collision::Old => format!("{same_port} the word as it was before."),
                Collision::New => format!("{same_port} the word as it will be."),
                Collision::NoChange => format!("A port that writes keeps its {p}rdata ({q}rdata)."),
                Collision::Undefined => format!("{same_port} undefined data: random in simulation."),
            });
            c.push(
                "A word that one port writes while the other reads it reads undefined; a word that both write becomes undefined: \
                 random in simulation."
                    .into(),
            );
            if generic::bypasses(spec) {
                c.push("New data comes through a bypass register as wide as the word, for each port.".into());
            }
        }
    }
    if spec.two_clocks && spec.kind != MemKind::Distributed {
        c.push("\"While\" means that the write is set up on the other port at the edge of the reading clock.".into());
    }
    c.push(match (&spec.init, spec.kind) {
        (Some(_), _) => "Contents at power-up: as below.".into(),
        (None, _) => "Contents at power-up: undefined, random in simulation.".into(),
    });
    if spec.latency == 2 && spec.kind != MemKind::Distributed {
        c.push(match ecp5::Tiling::of(spec) {
            Some(tiling) => format!("With EM_TECH_ECP5 defined: {}.", tiling.sentence()),
            None => {
                "There is no ECP5 form with the block's own output register: it is a register of logic cells.".into()
            }
        });
    }
    c.iter().flat_map(|l| wrapped(l, 115)).collect()
}

/// The text in lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is always a line");
        if last.is_empty() {
            *last = word.into();
        } else if last.len() + 1 + word.len() <= width {
            *last += " ";
            *last += word;
        } else {
            lines.push(word.into());
        }
    }
    lines
}
