//! Values of signals and expressions in the flat graph: each is made after what it depends on, across instances.

use super::flatten::{Flattener, Kid};
use crate::{
    error::{ElabError, ElabErrors, Fault},
    ir::*,
    memory::MemKind,
};
use std::collections::HashSet;

/// A value to be made. Combinational signals are taken piece by piece, so that a chain through the bits of one signal
/// is no loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Task {
    /// Expression `.1` of instance `.0`.
    Node(usize, u32),
    /// Signal that the instance does not drive combinationally.
    Sig(usize, u32),
    /// Piece `.2` of a combinational signal.
    Piece(usize, u32, usize),
}

impl Flattener {
    /// The tasks behind a read of some bits of a signal.
    fn reading(&self, i: usize, s: SigId, lsb: u32, width: u32, to: &mut Vec<Task>) {
        match self.insts[i].module.sig(s).kind {
            SigKind::Comb | SigKind::InstIn { .. } => {
                for (n, p) in self.insts[i].driven.pieces[s.0 as usize].iter().enumerate() {
                    if p.lsb < lsb + width && lsb < p.lsb + p.width {
                        to.push(Task::Piece(i, s.0, n));
                    }
                }
            }
            _ => to.push(Task::Sig(i, s.0)),
        }
    }

    /// The value of some bits of a signal, once those tasks are done.
    fn value(&mut self, i: usize, s: SigId, lsb: u32, width: u32) -> NodeId {
        let mut tasks = Vec::new();
        self.reading(i, s, lsb, width, &mut tasks);
        if let [Task::Sig(..)] = tasks[..] {
            let whole = self.done[&tasks[0]];
            return self.graph.slice(whole, lsb, width);
        }
        let start = match tasks.first() {
            Some(Task::Piece(_, _, n)) => self.insts[i].driven.pieces[s.0 as usize][*n].lsb,
            _ => 0,
        };
        let parts: Vec<NodeId> = tasks.iter().rev().map(|t| self.done[t]).collect();
        let total = parts.iter().map(|p| self.graph.width(*p)).sum();
        let all = self.graph.add(Op::Concat(parts), total);
        self.graph.slice(all, lsb - start, width)
    }

    pub fn whole(&mut self, i: usize, s: SigId) -> NodeId {
        let width = self.insts[i].module.sig(s).width;
        self.value(i, s, 0, width)
    }

    pub fn reading_whole(&self, i: usize, s: SigId, to: &mut Vec<Task>) {
        self.reading(i, s, 0, self.insts[i].module.sig(s).width, to);
    }

    fn needs(&self, task: Task) -> Vec<Task> {
        let mut to = Vec::new();
        match task {
            Task::Node(i, n) => {
                let nodes = &self.insts[i].driven.nodes;
                let (op, width) = &nodes[n as usize];
                match op {
                    Op::Sig(s) => self.reading(i, *s, 0, *width, &mut to),
                    Op::Slice(a, lsb) if let Op::Sig(s) = nodes[a.0 as usize].0 => {
                        self.reading(i, s, *lsb, *width, &mut to)
                    }
                    _ => to.extend(op.operands().iter().map(|o| Task::Node(i, o.0))),
                }
            }
            Task::Piece(i, s, p) => to.push(Task::Node(i, self.insts[i].driven.pieces[s as usize][p].value.0)),
            Task::Sig(i, s) => match &self.insts[i].module.sigs[s as usize].kind {
                SigKind::Reg(info) => to.extend(info.async_reset.map(|n| Task::Node(i, n.0))),
                SigKind::InstOut { inst, port } => match &self.insts[i].kids[*inst as usize] {
                    Kid::Module(child) => self.reading_whole(*child, SigId(*port), &mut to),
                    Kid::Memory(m) => {
                        if let Some(raddr) = self.asynchronous_address(i, *inst, *m) {
                            self.reading_whole(i, raddr, &mut to);
                        }
                    }
                },
                _ => {
                    if let Some(p) = self.insts[i].parent {
                        self.reading_whole(p, self.insts[i].outside[s as usize], &mut to);
                    }
                }
            },
        }
        to
    }

    fn asynchronous_address(&self, i: usize, inst: u32, m: usize) -> Option<SigId> {
        let spec = &self.mems[m].spec;
        let at = spec.pins().iter().position(|p| p.name == "raddr")?;
        (spec.kind == MemKind::Distributed).then(|| self.insts[i].module.insts[inst as usize].pins[at])
    }

    fn build(&mut self, task: Task) -> NodeId {
        match task {
            Task::Node(i, n) => {
                let body = self.insts[i].driven.clone();
                let (op, width) = &body.nodes[n as usize];
                match op {
                    Op::Sig(s) => self.whole(i, *s),
                    Op::Slice(a, lsb) if let Op::Sig(s) = body.nodes[a.0 as usize].0 => self.value(i, s, *lsb, *width),
                    _ => {
                        let flat = op.with_operands(|o| self.done[&Task::Node(i, o.0)]);
                        self.graph.add(flat, *width)
                    }
                }
            }
            Task::Piece(i, s, p) => self.done[&Task::Node(i, self.insts[i].driven.pieces[s as usize][p].value.0)],
            Task::Sig(i, s) => {
                let module = self.insts[i].module.clone();
                match &module.sigs[s as usize].kind {
                    SigKind::Reg(info) => {
                        let held = self.insts[i].held[s as usize].expect("registers have sources");
                        match (info.async_reset, &info.reset) {
                            (Some(cond), Some(v)) => {
                                let (cond, v) = (self.done[&Task::Node(i, cond.0)], self.graph.constant(v.clone()));
                                self.graph.mux(cond, v, held)
                            }
                            _ => held,
                        }
                    }
                    SigKind::InstOut { inst, port } => match self.insts[i].kids[*inst as usize] {
                        Kid::Module(child) => self.whole(child, SigId(*port)),
                        Kid::Memory(m) => match self.asynchronous_address(i, *inst, m) {
                            Some(raddr) => {
                                let addr = self.whole(i, raddr);
                                self.graph.read(m as u32, addr, module.sigs[s as usize].width)
                            }
                            None => self.mems[m].pins[*port as usize],
                        },
                    },
                    _ => match self.insts[i].parent {
                        Some(p) => {
                            let outside = self.insts[i].outside[s as usize];
                            self.whole(p, outside)
                        }
                        None => self.inputs[&s],
                    },
                }
            }
        }
    }

    /// Does a task and whatever it needs, depth first.
    pub fn resolve(&mut self, goal: Task) -> Result<NodeId, ElabErrors> {
        let mut stack = vec![goal];
        let mut open = HashSet::new();
        while let Some(task) = stack.last().copied() {
            if self.done.contains_key(&task) {
                stack.pop();
                continue;
            }
            let missing: Vec<Task> = self.needs(task).into_iter().filter(|t| !self.done.contains_key(t)).collect();
            if missing.is_empty() {
                let id = self.build(task);
                self.done.insert(task, id);
                stack.pop();
                continue;
            }
            open.insert(task);
            if let Some(again) = missing.iter().find(|t| open.contains(t)) {
                let path: Vec<Task> = stack.iter().copied().filter(|t| open.contains(t)).collect();
                let from = path.iter().position(|t| t == again).unwrap_or(0);
                return Err(self.loop_error(&path[from..]));
            }
            stack.extend(missing);
        }
        Ok(self.done[&goal])
    }

    fn loop_error(&self, path: &[Task]) -> ElabErrors {
        let mut text = String::from("a combinational loop, each signal depending on the next:");
        let mut first = None;
        for t in path {
            if let Task::Sig(i, s) | Task::Piece(i, s, _) = *t {
                let (inst, sig) = (&self.insts[i], &self.insts[i].module.sigs[s as usize]);
                let dot = if inst.path.is_empty() { "" } else { "." };
                text += &format!("\n  `{}{dot}{}` ({}:{})", inst.path, sig.name, sig.loc.file(), sig.loc.line());
                first.get_or_insert((inst.module.name.clone(), sig.loc));
            }
        }
        let (module, loc) = first.unwrap_or((self.insts[0].module.name.clone(), self.insts[0].module.loc));
        ElabErrors(vec![ElabError { fault: Fault::Loop, module, loc, message: text }])
    }
}

#[cfg(test)]
mod tests {
    use crate::{Fault, ir::*, sim::flatten::flatten};
    use std::{panic::Location, rc::Rc};

    #[test]
    fn a_loop_through_two_wires_is_named() {
        let loc = Location::caller();
        let domain = DomainId(0);
        let wire = |name: &str| Sig {
            name: name.into(),
            width: 1,
            kind: SigKind::Comb,
            port: None,
            domain,
            loc,
            doc: "",
            ignored: false,
        };
        let read = |s: u32| Node { op: Op::Sig(SigId(s)), width: 1, loc, name: None };
        let drive = |target: u32, value: u32| Stmt::Assign { target: SigId(target), lsb: 0, value: NodeId(value), loc };
        let m = Module {
            name: "ring".into(),
            base_name: "ring".into(),
            block: "",
            params: vec![],
            doc: String::new(),
            sigs: vec![wire("ping"), wire("pong")],
            nodes: vec![read(0), read(1)],
            stmts: vec![drive(0, 1), drive(1, 0)],
            insts: vec![],
            domains: vec![Domain { name: String::new() }],
            props: vec![],
            ignored: vec![],
            clocks_used: vec![ClockUse::default()],
            loc,
        };
        let errors = flatten(&Rc::new(m)).err().expect("a loop is refused");
        assert!(errors.has(Fault::Loop));
        let text = errors.to_string();
        assert!(text.contains("`ping` (") && text.contains("`pong` ("), "{text}");
    }
}
