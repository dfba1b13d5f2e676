//! The combinational graph of a module: loops in it, and paths through it from port to port.

use super::{describe, drive::Drivers, error, place};
use crate::{
    error::{ElabError, Fault},
    ir::*,
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// One station of a combinational path: a signal or a named expression, and the Rust line that drives it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub name: String,
    pub loc: Loc,
}

/// A combinational path from an input port to an output port, both included.
#[derive(Clone, Debug)]
pub(super) struct Through {
    pub from: u32,
    pub to: u32,
    pub steps: Rc<Vec<Step>>,
}

/// The paths of modules that have been looked at.
#[derive(Default)]
pub(super) struct Cache(HashMap<*const Module, Rc<Vec<Through>>>);

impl Cache {
    pub fn keep(&mut self, m: &Rc<Module>, paths: Vec<Through>) {
        self.0.insert(Rc::as_ptr(m), Rc::new(paths));
    }

    fn of(&self, target: &Target) -> Rc<Vec<Through>> {
        match target {
            Target::Module(m) => self.0.get(&Rc::as_ptr(m)).cloned().unwrap_or_default(),
            Target::Memory(spec) => {
                // Only an asynchronous read is combinational.
                let pins = spec.pins();
                let at = |name: &str| pins.iter().position(|p| p.name == name).map(|i| i as u32);
                match (spec.latency, at("raddr"), at("rdata")) {
                    (0, Some(from), Some(to)) => Rc::new(vec![Through { from, to, steps: Rc::default() }]),
                    _ => Rc::default(),
                }
            }
        }
    }
}

/// Expressions and signals as vertices: expressions first, by number, then signals.
pub(super) struct Graph<'a> {
    pub m: &'a Module,
    pub drivers: &'a Drivers,
    insts: Vec<Rc<Vec<Through>>>,
    /// What each vertex depends on combinationally.
    pub preds: Vec<Vec<u32>>,
}

impl<'a> Graph<'a> {
    pub fn new(m: &'a Module, drivers: &'a Drivers, cache: &Cache) -> Self {
        let insts: Vec<_> = m.insts.iter().map(|i| cache.of(&i.target)).collect();
        let first_sig = m.nodes.len() as u32;
        let mut preds: Vec<Vec<u32>> = Vec::with_capacity(m.nodes.len() + m.sigs.len());
        for n in &m.nodes {
            preds.push(match n.op {
                Op::Sig(s) => vec![first_sig + s.0],
                _ => n.op.operands().into_iter().map(|o| o.0).collect(),
            });
        }
        for (i, s) in m.sigs.iter().enumerate() {
            preds.push(match s.kind {
                SigKind::Input | SigKind::Reg(_) => vec![],
                SigKind::Comb | SigKind::InstIn { .. } => {
                    let all = drivers.get(SigId(i as u32)).iter();
                    all.flat_map(|d| std::iter::once(d.value.0).chain(d.conds.iter().map(|c| c.0))).collect()
                }
                SigKind::InstOut { inst, port } => {
                    let paths = insts[inst as usize].iter().filter(|p| p.to == port);
                    paths.map(|p| first_sig + m.insts[inst as usize].pins[p.from as usize].0).collect()
                }
            });
        }
        Graph { m, drivers, insts, preds }
    }

    pub fn vertex(&self, s: SigId) -> u32 {
        self.m.nodes.len() as u32 + s.0
    }

    pub fn as_sig(&self, v: u32) -> Option<SigId> {
        v.checked_sub(self.m.nodes.len() as u32).map(SigId)
    }

    /// A shortest way against the arrows from `from` to a vertex that `wanted` picks, in the direction of the arrows.
    pub fn path_back(&self, from: &[u32], wanted: impl Fn(u32) -> bool) -> Option<Vec<u32>> {
        let mut next: HashMap<u32, Option<u32>> = from.iter().map(|v| (*v, None)).collect();
        let mut queue: std::collections::VecDeque<u32> = from.iter().copied().collect();
        while let Some(v) = queue.pop_front() {
            if wanted(v) {
                return Some(std::iter::successors(Some(v), |v| next[v]).collect());
            }
            for p in &self.preds[v as usize] {
                if !next.contains_key(p) {
                    next.insert(*p, Some(v));
                    queue.push_back(*p);
                }
            }
        }
        None
    }

    /// The stations of a path in the direction of the arrows, those inside instances included.
    pub fn steps(&self, path: &[u32]) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for (i, v) in path.iter().enumerate() {
            let before = i.checked_sub(1).map(|i| path[i]);
            let Some(s) = self.as_sig(*v) else {
                let node = &self.m.nodes[*v as usize];
                if let Some(name) = &node.name {
                    steps.push(Step { name: name.clone(), loc: node.loc });
                }
                continue;
            };
            let sig = self.m.sig(s);
            let mut loc = sig.loc;
            match (&sig.kind, before) {
                (SigKind::InstOut { inst, port }, Some(before)) => {
                    let inside = &self.m.insts[*inst as usize];
                    let from = self.as_sig(before).and_then(|b| inside.pins.iter().position(|p| *p == b));
                    let through =
                        self.insts[*inst as usize].iter().find(|p| p.to == *port && Some(p.from as usize) == from);
                    // The child's own ports repeat the pins.
                    let inner =
                        through.map_or(&[][..], |t| t.steps.get(1..t.steps.len().saturating_sub(1)).unwrap_or(&[]));
                    loc = through.and_then(|t| t.steps.last()).map_or(loc, |s| s.loc);
                    steps
                        .extend(inner.iter().map(|s| Step { name: format!("{}.{}", inside.name, s.name), loc: s.loc }));
                }
                (_, Some(before)) => {
                    let by = self
                        .drivers
                        .get(s)
                        .iter()
                        .find(|d| d.value.0 == before || d.conds.iter().any(|c| c.0 == before));
                    loc = by.map_or(loc, |d| d.loc);
                }
                _ => {}
            }
            steps.push(Step { name: sig_name(self.m, s), loc });
        }
        steps
    }

    /// One path for each pair of an input and an output port that a combinational path joins.
    pub fn through(&self) -> Vec<Through> {
        let ports: Vec<(SigId, Dir)> = self.m.ports().map(|(s, _, d)| (s, d)).collect();
        let number: HashMap<u32, u32> =
            ports.iter().enumerate().map(|(i, (s, _))| (self.vertex(*s), i as u32)).collect();
        let mut all = Vec::new();
        for (to, (s, dir)) in ports.iter().enumerate() {
            if *dir != Dir::Out || !matches!(self.m.sig(*s).kind, SigKind::Comb) {
                continue;
            }
            let start = self.vertex(*s);
            let mut next: HashMap<u32, u32> = HashMap::from([(start, start)]);
            let mut stack = vec![start];
            while let Some(v) = stack.pop() {
                if v != start
                    && let Some(from) = number.get(&v)
                    && ports[*from as usize].1 == Dir::In
                {
                    let path: Vec<u32> = std::iter::successors(Some(v), |v| (*v != start).then(|| next[v])).collect();
                    all.push(Through { from: *from, to: to as u32, steps: Rc::new(self.steps(&path)) });
                }
                for p in &self.preds[v as usize] {
                    if !next.contains_key(p) {
                        next.insert(*p, v);
                        stack.push(*p);
                    }
                }
            }
        }
        all.sort_by_key(|t| (t.from, t.to));
        all
    }
}

/// The name of a signal, an instance's pin as `instance.pin`.
fn sig_name(m: &Module, s: SigId) -> String {
    match m.sig(s).kind {
        SigKind::InstIn { inst, port } | SigKind::InstOut { inst, port } => {
            let inst = &m.insts[inst as usize];
            format!("{}.{}", inst.name, inst.target.pins()[port as usize].name)
        }
        _ => m.sig(s).name.clone(),
    }
}

/// `` `a` (file:line) -> `b` (file:line) ``.
pub(super) fn steps_text(steps: &[Step]) -> String {
    let all: Vec<String> = steps.iter().map(|s| format!("`{}` ({})", s.name, place(s.loc))).collect();
    all.join(" -> ")
}

/// Combinational loops. Of loops that share a signal one is reported.
pub(super) fn loops(g: &Graph, errors: &mut Vec<ElabError>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; g.preds.len()];
    let mut told: HashSet<u32> = HashSet::new();
    for root in 0..g.preds.len() as u32 {
        if marks[root as usize] != Mark::New {
            continue;
        }
        marks[root as usize] = Mark::Open;
        let mut stack = vec![(root, 0)];
        while let Some((v, i)) = stack.last_mut() {
            let Some(p) = g.preds[*v as usize].get(*i).copied() else {
                marks[*v as usize] = Mark::Done;
                stack.pop();
                continue;
            };
            *i += 1;
            match marks[p as usize] {
                Mark::Done => {}
                Mark::New => {
                    marks[p as usize] = Mark::Open;
                    stack.push((p, 0));
                }
                Mark::Open => {
                    let start = stack.iter().rposition(|(v, _)| *v == p).expect("an open vertex is on the stack");
                    let cycle: Vec<u32> = stack[start..].iter().rev().map(|(v, _)| *v).collect();
                    if cycle.iter().all(|v| g.as_sig(*v).is_none() || told.insert(*v)) {
                        errors.push(loop_error(g, cycle));
                    }
                }
            }
        }
    }
}

/// `cycle` is in the direction of the arrows; the last vertex drives the first.
fn loop_error(g: &Graph, mut cycle: Vec<u32>) -> ElabError {
    // Begins and ends at the signal that was made first, so that the text does not depend on where the search began.
    let first = (0..cycle.len()).filter(|i| g.as_sig(cycle[*i]).is_some()).min_by_key(|i| cycle[*i]);
    cycle.rotate_left(first.unwrap_or(0));
    cycle.push(cycle[0]);
    let mut steps = g.steps(&cycle);
    let what = g.as_sig(cycle[0]).map_or("an expression".into(), |s| describe(g.m, s));
    // The first station was taken as a source; its line is where the loop closes.
    if let [first, .., last] = &mut steps[..] {
        first.loc = last.loc;
    }
    let loc = steps.first().map_or(g.m.loc, |s| s.loc);
    let message = format!(
        "{what} depends on itself in the same clock: {}; put a register into this loop, or, if different bits are meant, \
         give each part a signal of its own",
        steps_text(&steps)
    );
    error(g.m, Fault::Loop, loc, message)
}
