//! Flattening: the tree of instances becomes one [`Graph`], with the registers, memories and properties that hang on it.

use super::{
    drivers::{Driven, driven},
    graph::Graph,
};
use crate::{
    MemSpec, Value,
    error::{ElabError, ElabErrors, Fault},
    ir::*,
    memory::MemKind,
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

pub(super) struct FlatReg {
    /// What it holds (a source).
    pub held: NodeId,
    pub next: NodeId,
    pub clock: usize,
    /// The condition of its asynchronous reset.
    pub async_reset: Option<NodeId>,
    pub reset: Option<Value>,
}

pub(super) struct FlatMem {
    pub spec: Rc<MemSpec>,
    pub path: String,
    /// One a pin; an output's is its source.
    pub pins: Vec<NodeId>,
    /// One a domain of the memory.
    pub clocks: Vec<usize>,
}

pub(super) struct FlatProp {
    pub scope: usize,
    /// Index in the module's properties.
    pub index: usize,
    pub cond: NodeId,
    pub reset: NodeId,
    pub clock: usize,
}

/// One instance of a module; the first is the top.
pub(super) struct Scope {
    /// Instance names from the top's children down, joined by dots; empty for the top.
    pub path: String,
    pub name: String,
    pub module: Rc<Module>,
    /// One a signal.
    pub sigs: Vec<NodeId>,
    /// Expressions that have names.
    pub named: Vec<(String, NodeId)>,
}

pub(super) struct Flat {
    pub graph: Graph,
    /// The top's domains.
    pub clocks: Vec<String>,
    /// Reset source of each.
    pub resets: Vec<NodeId>,
    pub regs: Vec<FlatReg>,
    pub mems: Vec<FlatMem>,
    pub scopes: Vec<Scope>,
    pub props: Vec<FlatProp>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Task {
    /// Expression `.1` of instance `.0`.
    Node(usize, u32),
    /// Signal that the instance does not drive combinationally.
    Sig(usize, u32),
    /// Piece `.2` of a combinational signal.
    Piece(usize, u32, usize),
}

enum Kid {
    Module(usize),
    Memory(usize),
}

struct Inst {
    module: Rc<Module>,
    driven: Rc<Driven>,
    path: String,
    name: String,
    parent: Option<usize>,
    /// The parent's signal on each port.
    outside: Vec<SigId>,
    kids: Vec<Kid>,
    /// Clock, and a reset of its own: an expression of an instance above.
    domains: Vec<(usize, Option<(usize, NodeId)>)>,
    /// Sources of registers.
    held: Vec<Option<NodeId>>,
}

struct Flattener {
    graph: Graph,
    insts: Vec<Inst>,
    mems: Vec<FlatMem>,
    bodies: HashMap<*const Module, Rc<Driven>>,
    done: HashMap<Task, NodeId>,
    inputs: HashMap<u32, NodeId>,
    resets: Vec<NodeId>,
}

/// Flattens the tree under `top`.
pub(super) fn flatten(top: &Rc<Module>) -> Result<Flat, ElabErrors> {
    let mut f = Flattener {
        graph: Graph::default(),
        insts: vec![],
        mems: vec![],
        bodies: HashMap::new(),
        done: HashMap::new(),
        inputs: HashMap::new(),
        resets: vec![],
    };
    f.resets = top.domains.iter().map(|_| f.graph.source(1)).collect();
    for (id, s, dir) in top.ports() {
        if dir == Dir::In {
            let source = f.graph.source(s.width);
            f.inputs.insert(id.0, source);
        }
    }
    let domains = (0..top.domains.len()).map(|d| (d, None)).collect();
    f.instantiate(top, None, String::new(), domains, vec![]);
    f.finish()
}

impl Flattener {
    fn instantiate(
        &mut self,
        module: &Rc<Module>,
        parent: Option<usize>,
        name: String,
        domains: Vec<(usize, Option<(usize, NodeId)>)>,
        outside: Vec<SigId>,
    ) -> usize {
        let body = self.bodies.entry(Rc::as_ptr(module)).or_insert_with(|| Rc::new(driven(module))).clone();
        let path = match parent {
            Some(p) if !self.insts[p].path.is_empty() => format!("{}.{name}", self.insts[p].path),
            _ => name.clone(),
        };
        let held: Vec<Option<NodeId>> =
            module.sigs.iter().map(|s| matches!(s.kind, SigKind::Reg(_)).then(|| self.graph.source(s.width))).collect();
        let me = self.insts.len();
        let inst =
            Inst { module: module.clone(), driven: body, path, name, parent, outside, kids: vec![], domains, held };
        self.insts.push(inst);
        for inst in &module.insts {
            let above = |m: &DomainMap| {
                let (clock, reset) = self.insts[me].domains[m.domain.0 as usize];
                (clock, m.reset.map(|n| (me, n)).or(reset))
            };
            let domains: Vec<_> = inst.domains.iter().map(above).collect();
            let kid = match &inst.target {
                Target::Module(child) => {
                    Kid::Module(self.instantiate(child, Some(me), inst.name.clone(), domains, inst.pins.clone()))
                }
                Target::Memory(spec) => Kid::Memory(self.memory(spec, me, inst, &domains)),
            };
            self.insts[me].kids.push(kid);
        }
        me
    }

    fn memory(
        &mut self,
        spec: &Rc<MemSpec>,
        me: usize,
        inst: &crate::ir::Inst,
        domains: &[(usize, Option<(usize, NodeId)>)],
    ) -> usize {
        let zero = NodeId(0);
        let pins =
            spec.pins().iter().map(|p| if p.dir == Dir::Out { self.graph.source(p.width) } else { zero }).collect();
        let above = &self.insts[me].path;
        let path = if above.is_empty() { inst.name.clone() } else { format!("{above}.{}", inst.name) };
        let clocks = domains.iter().map(|(c, _)| *c).collect();
        self.mems.push(FlatMem { spec: spec.clone(), path, pins, clocks });
        self.mems.len() - 1
    }

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

    fn whole(&mut self, i: usize, s: SigId) -> NodeId {
        let width = self.insts[i].module.sig(s).width;
        self.value(i, s, 0, width)
    }

    fn reading_whole(&self, i: usize, s: SigId, to: &mut Vec<Task>) {
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
    fn resolve(&mut self, goal: Task) -> Result<NodeId, ElabErrors> {
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

    fn read_node(&mut self, i: usize, n: NodeId) -> Result<NodeId, ElabErrors> {
        self.resolve(Task::Node(i, n.0))
    }

    fn read_sig(&mut self, i: usize, s: SigId) -> Result<NodeId, ElabErrors> {
        let mut tasks = Vec::new();
        self.reading_whole(i, s, &mut tasks);
        for t in tasks {
            self.resolve(t)?;
        }
        Ok(self.whole(i, s))
    }

    fn reset_of(&mut self, i: usize, d: DomainId) -> Result<(usize, NodeId), ElabErrors> {
        let (clock, own) = self.insts[i].domains[d.0 as usize];
        Ok((clock, own.map_or(Ok(self.resets[clock]), |(at, n)| self.read_node(at, n))?))
    }

    fn finish(mut self) -> Result<Flat, ElabErrors> {
        let (mut scopes, mut regs, mut props) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..self.insts.len() {
            let m = self.insts[i].module.clone();
            let mut sigs = Vec::new();
            for s in 0..m.sigs.len() as u32 {
                sigs.push(self.read_sig(i, SigId(s))?);
                if let SigKind::Reg(info) = &m.sigs[s as usize].kind {
                    regs.push(self.register(i, SigId(s), info)?);
                }
            }
            let mut named = Vec::new();
            for (n, node) in m.nodes.iter().enumerate() {
                if let Some(name) = &node.name {
                    named.push((name.clone(), self.read_node(i, NodeId(n as u32))?));
                }
            }
            for (index, p) in m.props.iter().enumerate() {
                let (clock, reset) = self.reset_of(i, p.domain)?;
                props.push(FlatProp { scope: i, index, cond: self.read_node(i, p.cond)?, reset, clock });
            }
            let inst = &self.insts[i];
            scopes.push(Scope { path: inst.path.clone(), name: inst.name.clone(), module: m, sigs, named });
        }
        for i in 0..self.insts.len() {
            let m = self.insts[i].module.clone();
            for (n, inst) in m.insts.iter().enumerate() {
                let Kid::Memory(mem) = self.insts[i].kids[n] else { continue };
                for (k, pin) in inst.target.pins().iter().enumerate() {
                    if pin.dir == Dir::In {
                        self.mems[mem].pins[k] = self.read_sig(i, inst.pins[k])?;
                    }
                }
            }
        }
        let clocks = self.insts[0].module.domains.iter().map(|d| d.name.clone()).collect();

        Ok(Flat { graph: self.graph, clocks, resets: self.resets, regs, mems: self.mems, scopes, props })
    }

    fn register(&mut self, i: usize, s: SigId, info: &RegInfo) -> Result<FlatReg, ElabErrors> {
        let held = self.insts[i].held[s.0 as usize].expect("registers have sources");
        let body = self.insts[i].driven.clone();
        let mut parts = Vec::new();
        for p in body.pieces[s.0 as usize].iter().rev() {
            parts.push(self.read_node(i, p.value)?);
        }
        let width = self.graph.width(held);
        let mut next = self.graph.add(Op::Concat(parts), width);
        let (clock, reset) = self.reset_of(i, info.domain)?;
        let async_reset = info.async_reset.map(|n| self.read_node(i, n)).transpose()?;
        if let Some(v) = &info.reset {
            let v = self.graph.constant(v.clone());
            next = self.graph.mux(async_reset.unwrap_or(reset), v, next);
        }
        Ok(FlatReg { held, next, clock, async_reset, reset: info.reset.clone() })
    }
}
