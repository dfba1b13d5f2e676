//! Text of one module: ports, declarations, instances, assignments, processes.

use super::{
    Options,
    expr::{Printer, literal},
    one_line,
    plan::Plan,
    process::{self, Process},
    property, range,
};
use crate::ir::*;
use std::{cell::RefCell, collections::HashSet};

pub(super) struct Writer<'a> {
    pub m: &'a Module,
    options: &'a Options,
    plan: Plan,
}

impl<'a> Writer<'a> {
    pub fn new(m: &'a Module, options: &'a Options) -> Self {
        Writer { m, options, plan: Plan::new(m) }
    }

    pub fn text(&self) -> String {
        let printer = Printer { m: self.m, plan: &self.plan, states: RefCell::default() };
        let logic = self.section(&printer, &self.plan.logic, false);
        let props = property::text(self, &printer);
        let mut out = String::new();
        if !self.m.doc.is_empty() {
            out += &format!("// {}\n", one_line(&self.m.doc));
        }
        out += "`default_nettype none\n\n";
        out += &self.head();
        let states = printer.states.into_inner();
        let pad = states.values().map(String::len).max().unwrap_or(0);
        for ((_, code, _, width), name) in &states {
            out += &format!("    localparam {}{name:pad$} = {width}'d{code};\n", range(*width));
        }
        if !states.is_empty() {
            out.push('\n');
        }
        out += &logic;
        out += &props;
        let body = out.trim_end().len();
        out.truncate(body);
        out += "\nendmodule\n\n`default_nettype wire\n";
        out
    }

    fn is_procedural(&self, id: SigId) -> bool {
        match self.m.sig(id).kind {
            SigKind::Reg(_) => true,
            SigKind::Comb | SigKind::InstIn { .. } => {
                !self.plan.simple.contains_key(&id) && !self.plan.constants.contains_key(&id)
            }
            SigKind::Input | SigKind::InstOut { .. } => false,
        }
    }

    fn head(&self) -> String {
        let mut rows: Vec<(String, String)> = Vec::new();
        let pad = self.m.ports().map(|(_, s, _)| range(s.width).len()).max().unwrap_or(0);
        for (d, used) in self.m.domains.iter().zip(&self.m.clocks_used) {
            if used.clk {
                rows.push((format!("input  wire {:pad$}{}", "", d.clk()), String::new()));
            }
            if used.rst {
                rows.push((format!("input  wire {:pad$}{}", "", d.rst()), String::new()));
            }
        }
        for (id, s, dir) in self.m.ports() {
            let kind = match (dir, self.is_procedural(id)) {
                (Dir::In, _) => "input  wire",
                (Dir::Out, true) => "output reg ",
                (Dir::Out, false) => "output wire",
            };
            rows.push((format!("{kind} {:pad$}{}", range(s.width), s.name), one_line(s.doc)));
        }
        let last = rows.len().saturating_sub(1);
        let text: Vec<String> =
            rows.iter().enumerate().map(|(i, (r, _))| format!("    {r}{}", if i == last { "" } else { "," })).collect();
        let column = text.iter().map(String::len).max().unwrap_or(0).min(60);
        let mut out = format!("module {} (\n", self.m.name);
        for (line, (_, doc)) in text.iter().zip(&rows) {
            out += &if doc.is_empty() { format!("{line}\n") } else { format!("{line:column$}  // {doc}\n") };
        }
        out + ");\n\n"
    }

    /// Declarations and logic of `sigs`; `checking`: those that only serve properties.
    pub fn section(&self, p: &Printer<'_>, sigs: &HashSet<SigId>, checking: bool) -> String {
        let mut out = Vec::new();
        self.declare(sigs, &mut out);
        self.wires(p, checking, &mut out);
        if !checking {
            for inst in &self.m.insts {
                out.push(self.instance(p, inst));
            }
        }
        self.assigns(p, sigs, &mut out);
        self.processes(p, sigs, &mut out);
        if !checking && !self.m.ignored.is_empty() {
            let parts: Vec<String> = self.m.ignored.iter().map(|n| p.expr(*n)).collect();
            let name = self.plan.taken.borrow_mut().unique("unused");
            out.push(format!("    wire {name} = &{{1'b0, {}}};\n", parts.join(", ")));
        }
        out.join("\n") + if out.is_empty() { "" } else { "\n" }
    }

    fn comment(&self, loc: Loc) -> String {
        if self.options.source_lines { format!("  // {}:{}", loc.file(), loc.line()) } else { String::new() }
    }

    fn in_order(&self, sigs: &HashSet<SigId>) -> Vec<SigId> {
        (0..self.m.sigs.len() as u32).map(SigId).filter(|s| sigs.contains(s)).collect()
    }

    fn declare(&self, sigs: &HashSet<SigId>, out: &mut Vec<String>) {
        let mut text = String::new();
        let pad = self.in_order(sigs).iter().map(|s| range(self.m.sig(*s).width).len()).max().unwrap_or(0);
        for id in self.in_order(sigs) {
            let s = self.m.sig(id);
            if s.port.is_some() || self.plan.inlined.contains_key(&id) || self.plan.bound.contains_key(&id) {
                continue;
            }
            let crossing = matches!(&s.kind, SigKind::Reg(r) if r.crossing);
            let attribute = if crossing { "(* ASYNC_REG = \"TRUE\" *) " } else { "" };
            let kind = if self.is_procedural(id) { "reg " } else { "wire" };
            text += &format!("    {attribute}{kind} {:pad$}{};{}\n", range(s.width), s.name, self.comment(s.loc));
        }
        if !text.is_empty() {
            out.push(text);
        }
    }

    fn wires(&self, p: &Printer<'_>, checking: bool, out: &mut Vec<String>) {
        let (mut lines, mut tables) = (String::new(), Vec::new());
        for (i, node) in self.m.nodes.iter().enumerate() {
            let id = NodeId(i as u32);
            let here =
                if checking { self.plan.checking_nodes.contains(&id) } else { self.plan.logic_nodes.contains(&id) };
            let Some(name) = self.plan.wires.get(&id).filter(|_| here) else { continue };
            if let Op::Select(index, options) = &node.op {
                lines += &format!("    reg  {}{name};{}\n", range(node.width), self.comment(node.loc));
                tables.push(select_text(p, name, *index, options));
            } else {
                lines += &format!(
                    "    wire {}{name} = {};{}\n",
                    range(node.width),
                    p.definition(id),
                    self.comment(node.loc)
                );
            }
        }
        if !lines.is_empty() {
            out.push(lines);
        }
        out.extend(tables);
    }

    fn instance(&self, p: &Printer<'_>, inst: &Inst) -> String {
        let mut pins: Vec<String> = Vec::new();
        let used = match &inst.target {
            Target::Memory(spec) => vec![ClockUse { clk: true, rst: false }; spec.domains().len()],
            Target::Module(child) => child.clocks_used.clone(),
        };
        for ((inner, used), map) in inst.target.domains().iter().zip(used).zip(&inst.domains) {
            let outer = &self.m.domains[map.domain.0 as usize];
            if used.clk {
                pins.push(format!("        .{}({})", inner.clk(), outer.clk()));
            }
            if used.rst {
                let rst = map.reset.map_or_else(|| outer.rst(), |r| p.expr(r));
                pins.push(format!("        .{}({rst})", inner.rst()));
            }
        }
        for (pin, sig) in inst.target.pins().iter().zip(&inst.pins) {
            pins.push(format!("        .{}({})", pin.name, p.sig(*sig)));
        }
        format!("    {} {} (\n{}\n    );\n", inst.target.name(), inst.name, pins.join(",\n"))
    }

    fn assigns(&self, p: &Printer<'_>, sigs: &HashSet<SigId>, out: &mut Vec<String>) {
        let mut text = String::new();
        for id in self.in_order(sigs) {
            let s = self.m.sig(id);
            if let Some(v) = self.plan.constants.get(&id) {
                text += &format!("    assign {} = {};{}\n", s.name, literal(v), self.comment(s.loc));
            }
            let driven = matches!(s.kind, SigKind::Comb | SigKind::InstIn { .. });
            let Some(value) = self.plan.simple.get(&id).filter(|_| driven) else { continue };
            let bound = matches!(self.m.node(*value).op, Op::Sig(source) if self.plan.bound.get(&source) == Some(&id));
            if !bound && !self.plan.inlined.contains_key(&id) {
                text += &format!("    assign {} = {};{}\n", s.name, p.expr(*value), self.comment(s.loc));
            }
        }
        if !text.is_empty() {
            out.push(text);
        }
    }

    fn processes(&self, p: &Printer<'_>, sigs: &HashSet<SigId>, out: &mut Vec<String>) {
        let select = |f: &dyn Fn(&SigKind, SigId) -> bool| -> HashSet<SigId> {
            sigs.iter().copied().filter(|s| f(&self.m.sig(*s).kind, *s)).collect()
        };
        let combinational =
            select(&|k, s| matches!(k, SigKind::Comb | SigKind::InstIn { .. }) && self.is_procedural(s));
        for process in process::combinational(self.m, &combinational) {
            out.push(always(p, "@*", &process.stmts, "=", vec![]));
        }
        for (d, domain) in self.m.domains.iter().enumerate() {
            let here = |r: &RegInfo| r.domain.0 as usize == d;
            let synchronous = select(&|k, _| matches!(k, SigKind::Reg(r) if here(r) && r.async_reset.is_none()));
            for process in process::clocked(self.m, &synchronous) {
                let reset = self.reset_lines(p, &process, &domain.rst());
                out.push(always(p, &format!("@(posedge {})", domain.clk()), &process.stmts, "<=", reset));
            }
            let asynchronous = select(&|k, _| matches!(k, SigKind::Reg(r) if here(r) && r.async_reset.is_some()));
            for id in self.in_order(&asynchronous) {
                out.push(self.asynchronous(p, id, &domain.clk()));
            }
        }
    }

    fn reset_lines(&self, p: &Printer<'_>, process: &Process, rst: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for t in &process.targets {
            let s = self.m.sig(*t);
            if let SigKind::Reg(RegInfo { reset: Some(v), states, .. }) = &s.kind {
                lines.push(format!("            {} <= {};", s.name, p.constant(v, states.as_ref())));
            }
        }
        if !lines.is_empty() {
            lines.insert(0, format!("        if ({rst}) begin"));
            lines.push("        end".into());
        }
        lines
    }

    fn asynchronous(&self, p: &Printer<'_>, id: SigId, clk: &str) -> String {
        let s = self.m.sig(id);
        let SigKind::Reg(RegInfo { reset, async_reset: Some(condition), .. }) = &s.kind else {
            unreachable!("chosen for its asynchronous reset")
        };
        let rst = p.expr(*condition);
        let value = reset.as_ref().map_or_else(|| literal(&crate::Value::zero(s.width)), literal);
        let mut lines = vec![format!("    always @(posedge {clk} or posedge {rst}) begin")];
        lines.push(format!("        if ({rst}) begin\n            {} <= {value};\n        end else begin", s.name));
        let stmts = process::project(&self.m.stmts, &|t| t == id);
        process::text(p, &stmts, "<=", 3, &mut lines);
        lines.push("        end\n    end\n".into());
        lines.join("\n")
    }
}

fn always(p: &Printer<'_>, event: &str, stmts: &[Stmt], assign: &str, reset: Vec<String>) -> String {
    let mut lines = vec![format!("    always {event} begin")];
    process::text(p, stmts, assign, 2, &mut lines);
    lines.extend(reset);
    lines.push("    end\n".into());
    lines.join("\n")
}

fn select_text(p: &Printer<'_>, name: &str, index: NodeId, options: &[NodeId]) -> String {
    let width = p.m.node(index).width;
    let mut lines = vec!["    always @* begin".to_string(), format!("        case ({})", p.expr(index))];
    for (i, o) in options[..options.len() - 1].iter().enumerate() {
        if width < 32 && i as u64 >= 1 << width {
            break;
        }
        let label = literal(&crate::Value::new(width, i as u128));
        lines.push(format!("            {label}: {name} = {};", p.expr(*o)));
    }
    lines.push(format!("            default: {name} = {};", p.expr(options[options.len() - 1])));
    lines.push("        endcase\n    end\n".into());
    lines.join("\n")
}
