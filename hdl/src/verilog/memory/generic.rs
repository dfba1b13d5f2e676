//! The body that any synthesis tool maps to its own memories, and that simulators run.

use super::{
    Text,
    undefined::{power_up, split, undefined, undefined_source},
};
use crate::{Collision, MemSpec, memory::MemKind, verilog::range};

/// The body between the ports and `endmodule`.
pub(super) fn body(t: &mut Text, spec: &MemSpec) {
    match spec.kind {
        MemKind::SimpleDual | MemKind::Rom => simple(t, spec),
        MemKind::TrueDual => dual(t, spec),
        MemKind::Distributed => distributed(t, spec),
    }
}

fn clock(spec: &MemSpec, port: usize) -> String {
    let domains = spec.domains();
    domains[port.min(domains.len() - 1)].clk()
}

/// The array, with what synthesis must know of it.
fn array(t: &mut Text, spec: &MemSpec, name: &str) {
    let style = match (spec.kind, spec.collision) {
        (MemKind::Distributed, _) => "(* ram_style = \"distributed\" *) ",
        // Left to synthesis: a small table is better off in lookup tables.
        (MemKind::Rom, _) => "",
        (MemKind::SimpleDual, Collision::Old) => "(* ram_style = \"block\" *) ",
        (MemKind::TrueDual, Collision::Old | Collision::New) if !bypasses(spec) => "(* ram_style = \"block\" *) ",
        _ => "(* ram_style = \"block\", no_rw_check *) ",
    };
    t.line(format!("{style}reg {}{name} [0:{}];", range(spec.width), spec.depth - 1));
}

/// Is new data on a collision brought by a register beside the array? A port of block RAM shows what it writes by itself,
/// but not lane by lane, and not across ports.
pub(super) fn bypasses(spec: &MemSpec) -> bool {
    spec.collision == Collision::New
        && match spec.kind {
            MemKind::SimpleDual => true,
            MemKind::TrueDual => spec.lane.is_some(),
            MemKind::Rom | MemKind::Distributed => false,
        }
}

/// One port of the array as the statements see it.
struct Port<'a> {
    spec: &'a MemSpec,
    /// `a_`, `b_` or nothing.
    prefix: &'a str,
    /// The write address.
    waddr: String,
    /// The array that is written.
    array: &'a str,
    /// What a word is combined with before it is written, and after it is read: the other half of the array.
    other_half: Option<&'a str>,
}

impl Port<'_> {
    fn read(&self, addr: &str) -> String {
        match self.other_half {
            Some(other) => format!("{}[{addr}] ^ {other}[{addr}]", self.array),
            None => format!("{}[{addr}]", self.array),
        }
    }

    /// Writes `wdata`, lane by lane if there are strobes, under `enable`.
    fn write(&self, t: &mut Text, enable: &str) {
        let Port { spec, prefix: p, waddr, array, .. } = self;
        let half = |part: &str| self.other_half.map_or(String::new(), |other| format!(" ^ {other}[{waddr}]{part}"));
        match spec.lane {
            None => t.line(format!("if ({enable}) {array}[{waddr}] <= {p}wdata{};", half(""))),
            Some(_) if spec.lanes() == 1 => {
                t.line(format!("if ({enable} && {p}wstrb) {array}[{waddr}] <= {p}wdata{};", half("")));
            }
            Some(l) => self.each_lane(t, &format!("if ({enable})"), |i, t| {
                let part = lane_part(i, l);
                t.line(format!("if ({p}wstrb[{i}]) {array}[{waddr}]{part} <= {p}wdata{part}{};", half(&part)));
            }),
        }
    }

    fn each_lane(&self, t: &mut Text, head: &str, body: impl FnOnce(&str, &mut Text)) {
        let i = format!("{}lane", self.prefix);
        t.block(head, |t| {
            t.block(&format!("for ({i} = 0; {i} < {}; {i} = {i} + 1)", self.spec.lanes()), |t| body(&i, t));
        });
    }
}

/// `[8 * lane +: 8]`, or `[lane]` for lanes of one bit.
fn lane_part(index: &str, lane: u32) -> String {
    if lane == 1 { format!("[{index}]") } else { format!("[{lane} * {index} +: {lane}]") }
}

/// Does the statement for `lane` need a loop variable?
fn has_lane_loop(spec: &MemSpec) -> bool {
    spec.lanes() > 1
}

/// An address beyond the last word.
fn beyond(spec: &MemSpec, addr: &str) -> Option<String> {
    let aw = spec.addr_width();
    (u64::from(spec.depth) < 1 << aw).then(|| format!("{addr} >= {aw}'d{}", spec.depth))
}

fn simple(t: &mut Text, spec: &MemSpec) {
    let (w, rom) = (range(spec.width), spec.kind == MemKind::Rom);
    let bypass = bypasses(spec);
    let strobes = spec.lanes();
    let writes = match strobes {
        0 => "we".to_string(),
        1 => "we && wstrb".into(),
        _ => "we && |wstrb".into(),
    };
    let mut conditions = Vec::new();
    if !rom && spec.collision == Collision::Undefined {
        conditions.push(format!("{writes} && waddr == raddr"));
    }
    conditions.extend(beyond(spec, "raddr"));

    array(t, spec, "mem");
    t.line(format!("reg {w}read_data;"));
    let mut regs = vec!["read_data"];
    if bypass {
        bypass_regs(t, spec, "");
        regs.push("bypass_data");
    }
    if spec.latency == 2 {
        t.line(format!("reg {w}out_data;"));
        regs.push("out_data");
    }
    if has_lane_loop(spec) && !rom {
        t.line("integer lane;");
    }
    power_up(t, spec, &regs);
    if !conditions.is_empty() {
        undefined_source(t, spec.width, "");
    }

    let port = Port { spec, prefix: "", waddr: "waddr".into(), array: "mem", other_half: None };
    if !rom {
        t.line("");
        t.block(&format!("always @(posedge {})", clock(spec, 0)), |t| port.write(t, "we"));
    }
    t.line("");
    let read_clock = clock(spec, if rom { 0 } else { 1 });
    t.block(&format!("always @(posedge {read_clock})"), |t| {
        t.block("if (re)", |t| {
            t.line(format!("read_data <= {};", port.read("raddr")));
            if bypass {
                bypass_set(t, spec, "", "we && waddr == raddr");
            }
            undefined(t, &conditions, spec.width, "read_data", "");
        });
    });
    let mut data = "read_data";
    if bypass {
        data = "merged";
        bypass_mux(t, spec, "", "read_data");
    }
    output(t, spec, &read_clock, "", data);
    if rom && spec.two_clocks {
        t.line("wire unused_clk = rd_clk;");
    }
}

/// The written word and which lanes of it count.
fn bypass_regs(t: &mut Text, spec: &MemSpec, p: &str) {
    t.line(format!("reg {}{p}bypass_data;", range(spec.width)));
    t.line(format!("reg {}{p}bypass;", range(spec.lanes().max(1))));
}

fn bypass_set(t: &mut Text, spec: &MemSpec, p: &str, cond: &str) {
    t.line(format!("{p}bypass_data <= {p}wdata;"));
    t.line(match spec.lanes() {
        0 => format!("{p}bypass <= {cond};"),
        1 => format!("{p}bypass <= {cond} && {p}wstrb;"),
        n => format!("{p}bypass <= {{{n}{{{cond}}}}} & {p}wstrb;"),
    });
}

/// The written word where there is one, lane by lane, else what the array gave.
fn bypass_mux(t: &mut Text, spec: &MemSpec, p: &str, array_data: &str) {
    t.line("");
    t.line(format!("wire {}{p}merged;", range(spec.width)));
    match spec.lane {
        Some(l) if has_lane_loop(spec) => {
            t.line(format!("genvar {p}part;"));
            let i = format!("{p}part");
            t.generate(&format!("for ({i} = 0; {i} < {}; {i} = {i} + 1)", spec.lanes()), &format!("{p}parts"), |t| {
                let part = lane_part(&i, l);
                t.line(format!("assign {p}merged{part} = {p}bypass[{i}] ? {p}bypass_data{part} : {array_data}{part};"));
            });
        }
        _ => t.line(format!("assign {p}merged = {p}bypass ? {p}bypass_data : {array_data};")),
    }
}

/// Drives `rdata`, through the output register if there is one.
fn output(t: &mut Text, spec: &MemSpec, clock: &str, prefix: &str, data: &str) {
    t.line("");
    if spec.latency == 2 {
        let enable = if spec.output_enable { "if (oe) " } else { "" };
        t.block(&format!("always @(posedge {clock})"), |t| t.line(format!("{enable}{prefix}out_data <= {data};")));
        t.line("");
        t.line(format!("assign {prefix}rdata = {prefix}out_data;"));
    } else {
        t.line(format!("assign {prefix}rdata = {data};"));
    }
}

fn dual(t: &mut Text, spec: &MemSpec) {
    let w = range(spec.width);
    if split(spec) {
        t.line("`ifdef SYNTHESIS");
        array(t, spec, "mem");
        t.line("`else");
        t.line("// In simulation each port writes an array of its own; a word is the exclusive or of both.");
        array(t, spec, "a_mem");
        array(t, spec, "b_mem");
        t.line("`endif");
    } else {
        array(t, spec, "mem");
    }
    let mut regs = vec!["a_read", "b_read"];
    t.lines([format!("reg {w}a_read;"), format!("reg {w}b_read;")]);
    if bypasses(spec) {
        bypass_regs(t, spec, "a_");
        bypass_regs(t, spec, "b_");
        regs.extend(["a_bypass_data", "b_bypass_data"]);
    }
    if spec.latency == 2 {
        t.lines([format!("reg {w}a_out_data;"), format!("reg {w}b_out_data;")]);
        regs.extend(["a_out_data", "b_out_data"]);
    }
    if has_lane_loop(spec) {
        t.lines(["integer a_lane;", "integer b_lane;"]);
    }
    power_up(t, spec, &regs);
    undefined_source(t, spec.width, "a_");
    undefined_source(t, spec.width, "b_");
    if split(spec) {
        t.lines(["", "`ifdef SYNTHESIS"]);
        dual_port(t, spec, ["a_", "b_"], &["mem"], false);
        dual_port(t, spec, ["b_", "a_"], &["mem"], false);
        t.line("`else");
        dual_port(t, spec, ["a_", "b_"], &["a_mem", "b_mem"], true);
        dual_port(t, spec, ["b_", "a_"], &["b_mem", "a_mem"], true);
        t.line("`endif");
    } else {
        dual_port(t, spec, ["a_", "b_"], &["mem"], true);
        dual_port(t, spec, ["b_", "a_"], &["mem"], true);
    }
    for (i, p) in ["a_", "b_"].into_iter().enumerate() {
        let array_data = format!("{p}read");
        if bypasses(spec) {
            bypass_mux(t, spec, p, &array_data);
            output(t, spec, &clock(spec, i), p, &format!("{p}merged"));
        } else {
            output(t, spec, &clock(spec, i), p, &array_data);
        }
    }
}

/// One port of a true dual port memory: its prefix and the other's, the array it writes and the other half of it; with
/// what simulation adds or for synthesis alone.
fn dual_port(t: &mut Text, spec: &MemSpec, [p, q]: [&str; 2], arrays: &[&str], simulated: bool) {
    let (array, other_half) = (arrays[0], arrays.get(1).copied());
    let clock = clock(spec, usize::from(p == "b_"));
    let port = Port { spec, prefix: p, waddr: format!("{p}addr"), array, other_half };
    let writes = |p: &str| match spec.lanes() {
        0 => format!("{p}en && {p}we"),
        1 => format!("{p}en && {p}we && {p}wstrb"),
        _ => format!("{p}en && {p}we && |{p}wstrb"),
    };
    let clash = format!("{} && {q}addr == {p}addr", writes(q));
    t.line("");
    t.block(&format!("always @(posedge {clock})"), |t| {
        port.write(t, &format!("{p}en && {p}we"));
        let both = format!("{} && {clash}", writes(p));
        if simulated {
            undefined(t, &[both], spec.width, &format!("{array}[{p}addr]"), p);
        }
        let read_enable =
            if spec.collision == Collision::NoChange { format!("{p}en && !{p}we") } else { format!("{p}en") };
        t.block(&format!("if ({read_enable})"), |t| {
            t.line(format!("{p}read <= {};", port.read(&format!("{p}addr"))));
            if bypasses(spec) {
                bypass_set(t, spec, p, &format!("{p}we"));
            } else if spec.collision == Collision::New {
                t.line(format!("if ({p}we) {p}read <= {p}wdata;"));
            }
            if !spec.two_clocks && matches!(spec.collision, Collision::Old | Collision::New) && !bypasses(spec) {
                // Tells synthesis that the order matters on this port, and not across the two.
                t.line("`ifdef SYNTHESIS");
                match spec.lane {
                    // One condition a lane: synthesis does not see through nested ones.
                    Some(l) if has_lane_loop(spec) => {
                        let (n, part) = (spec.lanes(), lane_part(&format!("{p}lane"), l));
                        t.block(&format!("for ({p}lane = 0; {p}lane < {n}; {p}lane = {p}lane + 1)"), |t| {
                            let cond = format!("{q}en && {q}we && {q}wstrb[{p}lane] && {q}addr == {p}addr");
                            t.line(format!("if ({cond}) {p}read{part} <= {l}'hx;"));
                        });
                    }
                    _ => t.line(format!("if ({clash}) {p}read <= {}'hx;", spec.width)),
                }
                t.line("`endif");
            }
            let mut conditions = vec![clash.clone()];
            if spec.collision == Collision::Undefined {
                conditions.push(writes(p));
            }
            conditions.extend(beyond(spec, &format!("{p}addr")));
            if simulated {
                undefined(t, &conditions, spec.width, &format!("{p}read"), p);
            }
        });
    });
}

fn distributed(t: &mut Text, spec: &MemSpec) {
    array(t, spec, "mem");
    if has_lane_loop(spec) {
        t.line("integer lane;");
    }
    power_up(t, spec, &[]);
    let port = Port { spec, prefix: "", waddr: "waddr".into(), array: "mem", other_half: None };
    t.line("");
    t.block(&format!("always @(posedge {})", clock(spec, 0)), |t| port.write(t, "we"));
    t.line("");
    match beyond(spec, "raddr") {
        Some(out_of_range) => {
            t.line("`ifdef SYNTHESIS");
            t.line("assign rdata = mem[raddr];");
            t.line("`else");
            t.line(format!("assign rdata = ({out_of_range}) ? {}'h0 : mem[raddr];", spec.width));
            t.line("`endif");
        }
        None => t.line("assign rdata = mem[raddr];"),
    }
    if spec.two_clocks {
        t.line("wire unused_clk = rd_clk;");
    }
}
