//! The bytecode against the definition of each operation, and statement trees against a plain interpreter.

use super::{
    commit, exec,
    flatten::flatten,
    graph::Graph,
    program::{Compiler, words},
};
use crate::{Value, eval::eval, ir::*};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::{collections::HashMap, panic::Location, rc::Rc};

struct Dice(StdRng);

impl Dice {
    fn below(&mut self, n: u32) -> u32 {
        (self.0.next_u64() % u64::from(n)) as u32
    }

    fn width(&mut self) -> u32 {
        match self.below(4) {
            0 => 1 + self.below(8),
            1 => 1 + self.below(64),
            2 => 64 * (1 + self.below(4)),
            _ => 1 + self.below(300),
        }
    }

    /// Often of a special kind: corners are where carries and signs go wrong.
    fn value(&mut self, width: u32) -> Value {
        match self.below(6) {
            0 => Value::zero(width),
            1 => Value::ones(width),
            2 => Value::new(width, u128::from(self.below(300))),
            3 => Value::new(width, 1).shl(width - 1),
            _ => Value::from_words(width, &[(); 5].map(|()| self.0.next_u64())),
        }
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// A node of the wanted width, made from others by slicing or padding when there is none.
    fn fitting(&mut self, nodes: &mut Vec<(Op, u32)>, width: u32) -> NodeId {
        let fit: Vec<usize> = (0..nodes.len()).filter(|i| nodes[*i].1 == width).collect();
        if !fit.is_empty() && self.below(4) > 0 {
            return NodeId(self.pick(&fit) as u32);
        }
        let any = self.below(nodes.len() as u32);
        let have = nodes[any as usize].1;
        let mut push = |op, width| {
            nodes.push((op, width));
            NodeId(nodes.len() as u32 - 1)
        };
        if have >= width {
            let lsb = self.below(have - width + 1);
            return push(Op::Slice(NodeId(any), lsb), width);
        }
        let pad = push(Op::Const(self.value(width - have)), width - have);
        push(Op::Concat(vec![pad, NodeId(any)]), width)
    }

    /// A random operation over the nodes so far.
    fn operation(&mut self, nodes: &mut Vec<(Op, u32)>) {
        let w = self.width();
        let kind = self.below(22);
        let a = self.fitting(nodes, w);
        let b = self.fitting(nodes, w);
        let made = match kind {
            0 => (Op::Not(a), w),
            1 => (Op::And(a, b), w),
            2 => (Op::Or(a, b), w),
            3 => (Op::Xor(a, b), w),
            4 => (Op::Add(a, b), w),
            5 => (Op::Sub(a, b), w),
            6 => (Op::Mul(a, b), w),
            7 => (Op::Eq(a, b), 1),
            8 => (Op::Ult(a, b), 1),
            9 => (Op::Slt(a, b), 1),
            10..=12 => {
                let amount = self.width().min(100);
                let mut n = self.fitting(nodes, amount);
                if self.below(3) > 0 {
                    nodes.push((Op::Const(Value::new(9, u128::from(self.below(400)))), 9));
                    n = NodeId(nodes.len() as u32 - 1);
                }
                (
                    match kind {
                        10 => Op::Shl(a, n),
                        11 => Op::Shr(a, n),
                        _ => Op::Sar(a, n),
                    },
                    w,
                )
            }
            13 | 14 => {
                let lsb = self.below(w);
                (Op::Slice(a, lsb), 1 + self.below(w - lsb))
            }
            15 | 16 => {
                let parts: Vec<NodeId> =
                    (0..1 + self.below(5)).map(|_| NodeId(self.below(nodes.len() as u32))).collect();
                let width = parts.iter().map(|p| nodes[p.0 as usize].1).sum();
                if width > 300 { (Op::Not(a), w) } else { (Op::Concat(parts), width) }
            }
            17 => {
                let n = 1 + self.below((300 / w).clamp(1, 40));
                (Op::Repeat(a, n), w * n)
            }
            18 => (Op::Mux(self.fitting(nodes, 1), a, b), w),
            19 => {
                let index = self.width().min(70);
                let index = self.fitting(nodes, index);
                let options = (0..1 + self.below(6)).map(|_| self.fitting(nodes, w)).collect();
                (Op::Select(index, options), w)
            }
            20 => (Op::RedAnd(a), 1),
            _ => (if self.below(2) == 0 { Op::RedOr(a) } else { Op::RedXor(a) }, 1),
        };
        nodes.push(made);
    }
}

#[test]
fn bytecode_agrees_with_the_definition_of_every_operation() {
    for seed in 0..400 {
        let mut dice = Dice(StdRng::seed_from_u64(seed));
        let mut nodes: Vec<(Op, u32)> = (0..6).map(|i| (Op::Sig(SigId(i)), dice.width())).collect();
        for _ in 0..60 {
            dice.operation(&mut nodes);
        }
        let mut g = Graph::default();
        let mut flat: Vec<NodeId> = Vec::new();
        for (op, width) in &nodes {
            let id = match op {
                Op::Sig(_) => g.source(*width),
                _ => g.add(op.with_operands(|o| flat[o.0 as usize]), *width),
            };
            assert_eq!(g.width(id), *width, "{op:?}");
            flat.push(id);
        }
        let mut compiler = Compiler::default();
        let half = flat.len() / 2;
        let early: Vec<NodeId> = flat.iter().copied().filter(|_| dice.below(3) == 0).collect();
        let mut code = compiler.compile(&g, early);
        code.extend(compiler.compile(&g, flat[half..].iter().copied()));
        code.extend(compiler.compile(&g, flat.iter().copied()));
        let mut m = compiler.words.clone();
        for _ in 0..6 {
            let mut values: Vec<Value> = Vec::new();
            for (i, (op, width)) in nodes.iter().enumerate() {
                let value = match op {
                    Op::Sig(_) => {
                        let v = dice.value(*width);
                        let at = compiler.place(flat[i]).unwrap() as usize;
                        m[at..at + v.words().len()].copy_from_slice(v.words());
                        v
                    }
                    _ => eval(op, *width, |id| values[id.0 as usize].clone()).unwrap(),
                };
                values.push(value);
            }
            exec::run(&code, &mut m, &[], &compiler.tables);
            for (i, expected) in values.iter().enumerate() {
                let at = compiler.place(flat[i]).unwrap() as usize;
                let got = &m[at..at + words(nodes[i].1) as usize];
                assert_eq!(got, expected.words(), "seed {seed}, node {i}: {:?} of {} bits", nodes[i].0, nodes[i].1);
            }
        }
    }
}

/// A module of random registers and wires under random statements. Wires read only signals before them.
fn random_module(dice: &mut Dice) -> Module {
    let loc = Location::caller();
    let plain = |name: String, width, kind, port| Sig {
        name,
        width,
        kind,
        port,
        domain: DomainId(0),
        loc,
        doc: "",
        ignored: false,
    };
    let mut sigs = Vec::new();
    for i in 0..4 {
        sigs.push(plain(format!("in{i}"), dice.width(), SigKind::Input, Some(Dir::In)));
    }
    for i in 0..6 {
        let width = dice.width();
        let reset = (dice.below(2) == 0).then(|| dice.value(width));
        let info = RegInfo { domain: DomainId(0), reset, async_reset: None, crossing: false, states: None };
        sigs.push(plain(format!("reg{i}"), width, SigKind::Reg(info), None));
    }
    let mut nodes: Vec<(Op, u32)> = sigs.iter().enumerate().map(|(i, s)| (Op::Sig(SigId(i as u32)), s.width)).collect();
    let mut stmts = Vec::new();
    for i in 0..4 {
        let width = dice.width();
        sigs.push(plain(format!("wire{i}"), width, SigKind::Comb, None));
        let id = SigId(sigs.len() as u32 - 1);
        (0..8).for_each(|_| dice.operation(&mut nodes));
        let value = dice.fitting(&mut nodes, width);
        stmts.push(Stmt::Assign { target: id, lsb: 0, value, loc });
        for _ in 0..3 {
            let s = random_stmt(dice, &mut nodes, &sigs, &[id], 3);
            stmts.push(s);
        }
        nodes.push((Op::Sig(id), width));
    }
    let regs: Vec<SigId> = (4..10).map(SigId).collect();
    for _ in 0..10 {
        let s = random_stmt(dice, &mut nodes, &sigs, &regs, 4);
        stmts.push(s);
    }
    let nodes = nodes.into_iter().map(|(op, width)| Node { op, width, loc, name: None }).collect();
    Module {
        name: "random".into(),
        base_name: "random".into(),
        block: "",
        params: vec![],
        doc: String::new(),
        sigs,
        nodes,
        stmts,
        insts: vec![],
        domains: vec![Domain { name: String::new() }],
        props: vec![],
        ignored: vec![],
        clocks_used: vec![ClockUse { clk: true, rst: true }],
        loc,
    }
}

fn random_stmt(dice: &mut Dice, nodes: &mut Vec<(Op, u32)>, sigs: &[Sig], targets: &[SigId], depth: u32) -> Stmt {
    let loc = Location::caller();
    let mut body =
        |dice: &mut Dice| (0..dice.below(3)).map(|_| random_stmt(dice, nodes, sigs, targets, depth - 1)).collect();
    match dice.below(if depth == 0 { 1 } else { 4 }) {
        1 | 2 => {
            let (then, otherwise) = (body(dice), body(dice));
            Stmt::If { cond: dice.fitting(nodes, 1), then, otherwise, loc }
        }
        3 => {
            let width = if dice.below(4) == 0 { 70 } else { 1 + dice.below(5) };
            let mut values: Vec<u64> = (0..(1u64 << width.min(3))).collect();
            let mut arms = Vec::new();
            while !values.is_empty() && dice.below(5) > 0 {
                let n = 1 + dice.below(2).min(values.len() as u32 - 1);
                let taken = values.split_off(values.len() - n as usize);
                arms.push((taken.iter().map(|v| Value::new(width, u128::from(*v))).collect(), body(dice)));
            }
            let default = body(dice);
            Stmt::Switch { subject: dice.fitting(nodes, width), arms, default, loc }
        }
        _ => {
            let target = dice.pick(targets);
            let whole = sigs[target.0 as usize].width;
            let lsb = if dice.below(2) == 0 { 0 } else { dice.below(whole) };
            let width = if lsb == 0 && dice.below(3) > 0 { whole } else { 1 + dice.below(whole - lsb) };
            Stmt::Assign { target, lsb, value: dice.fitting(nodes, width), loc }
        }
    }
}

/// The plain interpreter: statements are executed one after the other.
struct Plain<'a> {
    m: &'a Module,
    known: HashMap<u32, Value>,
}

impl Plain<'_> {
    fn node(&mut self, id: NodeId) -> Value {
        let n = &self.m.nodes[id.0 as usize];
        match &n.op {
            Op::Sig(s) => self.known[&s.0].clone(),
            op => {
                let values: HashMap<NodeId, Value> = op.operands().iter().map(|o| (*o, self.node(*o))).collect();
                eval(op, n.width, |o| values[&o].clone()).unwrap()
            }
        }
    }

    fn exec(&mut self, stmts: &[Stmt], only: impl Fn(SigId) -> bool + Copy, to: &mut HashMap<u32, Value>) {
        for s in stmts {
            match s {
                Stmt::Assign { target, lsb, value, .. } if only(*target) => {
                    let v = self.node(*value);
                    let t = to.get_mut(&target.0).unwrap();
                    (0..v.width()).for_each(|i| t.set_bit(lsb + i, v.bit(i)));
                }
                Stmt::Assign { .. } => {}
                Stmt::If { cond, then, otherwise, .. } => {
                    if drives(then, only) || drives(otherwise, only) {
                        let body = if self.node(*cond).is_true() { then } else { otherwise };
                        self.exec(body, only, to);
                    }
                }
                Stmt::Switch { subject, arms, default, .. } => {
                    if arms.iter().any(|(_, b)| drives(b, only)) || drives(default, only) {
                        let v = self.node(*subject);
                        let body = arms.iter().find(|(values, _)| values.contains(&v)).map_or(default, |(_, b)| b);
                        self.exec(body, only, to);
                    }
                }
            }
        }
    }

    /// Settles the wires in order, then gives the registers' next values.
    fn cycle(&mut self, reset: bool) -> HashMap<u32, Value> {
        let m = self.m;
        for (i, s) in m.sigs.iter().enumerate().filter(|(_, s)| matches!(s.kind, SigKind::Comb)) {
            let i = i as u32;
            let mut to = HashMap::from([(i, Value::zero(s.width))]);
            self.exec(&m.stmts, |t| t.0 == i, &mut to);
            self.known.extend(to);
        }
        let is_reg = |t: SigId| matches!(m.sig(t).kind, SigKind::Reg(_));
        let mut next: HashMap<u32, Value> =
            (0..m.sigs.len() as u32).filter(|i| is_reg(SigId(*i))).map(|i| (i, self.known[&i].clone())).collect();
        self.exec(&m.stmts, is_reg, &mut next);
        for (i, v) in &mut next {
            if let (SigKind::Reg(RegInfo { reset: Some(r), .. }), true) = (&m.sigs[*i as usize].kind, reset) {
                *v = r.clone();
            }
        }
        next
    }
}

fn drives(stmts: &[Stmt], only: impl Fn(SigId) -> bool + Copy) -> bool {
    stmts.iter().any(|s| match s {
        Stmt::Assign { target, .. } => only(*target),
        Stmt::If { then, otherwise, .. } => drives(then, only) || drives(otherwise, only),
        Stmt::Switch { arms, default, .. } => arms.iter().any(|(_, b)| drives(b, only)) || drives(default, only),
    })
}

#[test]
fn statement_trees_mean_what_an_interpreter_of_them_does() {
    for seed in 1000..1250 {
        let mut dice = Dice(StdRng::seed_from_u64(seed));
        let m = Rc::new(random_module(&mut dice));
        let flat = flatten(&m).unwrap();
        let mut compiler = Compiler::default();
        let plan = commit::plan(&flat);
        let roots: Vec<NodeId> = plan.roots().into_iter().chain(flat.scopes[0].sigs.iter().copied()).collect();
        let mut main = compiler.compile(&flat.graph, roots);
        let edges = plan.compile(&flat, &mut compiler, &mut main);
        let mut words = compiler.words.clone();
        let place = |s: usize| compiler.place(flat.scopes[0].sigs[s]).unwrap() as usize;
        let mut plain = Plain { m: &m, known: HashMap::new() };
        let set =
            |words: &mut Vec<u64>, s: usize, v: &Value| words[place(s)..][..v.words().len()].copy_from_slice(v.words());
        for (i, s) in m.sigs.iter().enumerate().filter(|(_, s)| matches!(s.kind, SigKind::Reg(_))) {
            let v = dice.value(s.width);
            set(&mut words, i, &v);
            plain.known.insert(i as u32, v);
        }
        for cycle in 0..10 {
            for (i, s) in m.sigs.iter().enumerate().filter(|(_, s)| matches!(s.kind, SigKind::Input)) {
                let v = dice.value(s.width);
                set(&mut words, i, &v);
                plain.known.insert(i as u32, v);
            }
            let reset = dice.below(6) == 0;
            words[compiler.place(flat.resets[0]).unwrap() as usize] = u64::from(reset);
            exec::run(&main, &mut words, &[], &compiler.tables);
            let next = plain.cycle(reset);
            for (i, s) in m.sigs.iter().enumerate() {
                let expected = &plain.known[&(i as u32)];
                assert_eq!(
                    &words[place(i)..][..expected.words().len()],
                    expected.words(),
                    "seed {seed}, cycle {cycle}, {}",
                    s.name
                );
            }
            exec::run(&edges[0], &mut words, &[], &[]);
            plain.known.extend(next);
        }
    }
}
