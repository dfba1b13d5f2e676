//! Flattening: the tree of instances becomes one [`Graph`], with the registers, memories and properties that hang on it.

use super::{
    drivers::{Driven, driven},
    graph::Graph,
    resolve::Task,
};
use crate::{MemSpec, Value, error::ElabErrors, ir::*};
use std::{collections::HashMap, rc::Rc};

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

pub(super) enum Kid {
    Module(usize),
    Memory(usize),
}

pub(super) struct Inst {
    pub module: Rc<Module>,
    pub driven: Rc<Driven>,
    pub path: String,
    pub name: String,
    pub parent: Option<usize>,
    /// The parent's signal on each port.
    pub outside: Vec<SigId>,
    pub kids: Vec<Kid>,
    /// Clock, and a reset of its own: an expression of an instance above.
    pub domains: Vec<(usize, Option<(usize, NodeId)>)>,
    /// Sources of registers.
    pub held: Vec<Option<NodeId>>,
}

pub(super) struct Flattener {
    pub graph: Graph,
    pub insts: Vec<Inst>,
    pub mems: Vec<FlatMem>,
    pub bodies: HashMap<*const Module, Rc<Driven>>,
    pub done: HashMap<Task, NodeId>,
    pub inputs: HashMap<u32, NodeId>,
    pub resets: Vec<NodeId>,
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
