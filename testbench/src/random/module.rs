//! Random modules and circuits.

use super::{
    ast::*,
    build::{STATES, random_value},
    expr::{Scope, corner_value, random_width},
};
use em_sim::Rng;
use hdl::{
    Value,
    memory::{Collision, MemKind},
};

/// A circuit of combinational expressions only: each output is one.
pub fn expressions(seed: u64, outputs: usize) -> Circuit {
    let mut rng = Rng::new(seed);
    let mut g = Generator::new(&mut rng, "expressions", false, vec![]);
    g.inputs(24);
    // Shared ones read inputs only: event-driven simulators take exponential time over deep sharing.
    let mut shared = Vec::new();
    for i in 0..outputs {
        let width = random_width(g.rng);
        let depth = [1, 1, 2, 2, 3][g.below(5)];
        if i % 8 == 7 {
            let known = g.scope.signals.len();
            g.shared();
            shared.extend(g.scope.signals.drain(known..));
            if i % 64 == 63 {
                g.scope.signals.append(&mut shared);
            }
        } else {
            let e = g.scope.expr(g.rng, width, depth);
            g.m.outputs.push(Output::Wire(e));
        }
    }
    Circuit { modules: vec![g.m] }
}

/// A circuit of everything: three levels of modules with registers, wires, statements, states and memories.
pub fn circuit(seed: u64, items: usize) -> Circuit {
    let mut rng = Rng::new(seed);
    let mut modules: Vec<Module> = Vec::new();
    for (name, share, children) in
        [("leaf", 8, vec![]), ("gates", 8, vec![]), ("middle", 4, vec![0, 1, 0]), ("top", 1, vec![2, 0, 2])]
    {
        let known: Vec<(usize, Module)> = children.iter().map(|c| (*c, modules[*c].clone())).collect();
        let mut g = Generator::new(&mut rng, name, name != "gates", known);
        let inputs = 5 + g.rng.below(8) as usize;
        g.inputs(inputs);
        g.body(items / share);
        modules.push(g.m);
    }
    Circuit { modules }
}

struct Generator<'a> {
    rng: &'a mut Rng,
    m: Module,
    scope: Scope,
    /// Instances still to be placed.
    children: Vec<(usize, Module)>,
    /// Registers with reset whose block comes at the end, since it may read everything.
    open: Vec<(Target, u32)>,
    /// Clocks that data without reset may still take through this module.
    latency_left: u32,
}

impl<'a> Generator<'a> {
    fn new(rng: &'a mut Rng, name: &str, clocked: bool, children: Vec<(usize, Module)>) -> Self {
        let m = Module { name: name.into(), clocked, ..Module::default() };
        let scope = Scope { param: name != "top" && name != "expressions", ..Scope::default() };
        Generator { rng, m, scope, children, open: vec![], latency_left: if name == "top" { 20 } else { 10 } }
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n as u64) as usize
    }

    fn inputs(&mut self, n: usize) {
        if self.m.clocked {
            self.scope.signals.extend([(Src::Input(1), 8), (Src::Input(2), 64)]);
        }
        for i in 0..n {
            let width = random_width(self.rng);
            self.scope.signals.push((Src::Input(self.m.controls() + i), width));
            self.m.inputs.push(width);
        }
    }

    fn push(&mut self, item: Item) -> usize {
        self.m.items.push(item);
        self.m.items.len() - 1
    }

    fn readable(&mut self, item: usize, width: u32) {
        self.scope.signals.push((Src::Item(item), width));
    }

    fn expr(&mut self, width: u32) -> Expr {
        let depth = [1, 1, 2, 2, 3][self.below(5)];
        self.scope.expr(self.rng, width, depth)
    }

    /// An input as it is, in any width.
    fn input(&mut self, width: u32) -> Expr {
        let n = self.below(self.m.inputs.len());
        let w = self.m.inputs[n];
        let read = Box::new(Expr::Read(Src::Input(self.m.controls() + n), w));
        match w {
            _ if w == width => *read,
            _ if w < width => Expr::Un(Un::Sext(width), read),
            _ => Expr::Un(Un::Slice(self.rng.below(u64::from(w - width + 1)) as u32, width), read),
        }
    }

    fn shared(&mut self) {
        let width = random_width(self.rng);
        let e = self.expr(width);
        let named = self.rng.percent(50);
        let item = self.push(Item::Let(e, named));
        self.readable(item, width);
    }

    fn body(&mut self, items: usize) {
        let clocked = self.m.clocked;
        if clocked {
            for _ in 0..2 + items / 12 {
                let width = random_width(self.rng);
                let reset = corner_value(self.rng, width);
                let item = self.push(Item::Reg(width, Some(reset)));
                self.readable(item, width);
                self.open.push((Target::Item(item), width));
            }
        }
        let states = if clocked { 1 + self.below(2) } else { 0 };
        let mut machines = Vec::new();
        for _ in 0..states {
            let which = self.below(STATES.len());
            let initial = self.below(STATES[which]);
            let item = self.push(Item::State(which, initial));
            self.scope.states.push((item, STATES[which]));
            self.readable(item, hdl::clog2(STATES[which] as u64).max(1));
            machines.push((item, STATES[which]));
        }
        let steps = items.max(self.children.len() * 3);
        for step in 0..steps {
            if step % 3 == 1 && !self.children.is_empty() {
                self.instance();
                continue;
            }
            match self.rng.below(20) {
                0..6 => self.shared(),
                6..11 => self.wires(),
                11..13 if clocked => self.delay(),
                13..16 if clocked => self.loaded(),
                16..18 if clocked => self.memory(),
                _ => {
                    let width = random_width(self.rng);
                    let e = self.expr(width);
                    self.m.outputs.push(Output::Wire(e));
                }
            }
        }
        self.outputs();
        for (item, variants) in machines {
            self.machine(item, variants);
        }
        while !self.open.is_empty() {
            let n = (1 + self.below(3)).min(self.open.len());
            let targets: Vec<_> = self.open.drain(..n).collect();
            let mut block = self.statements(&targets, 2);
            for (t, width) in targets {
                let whole = vec![Stmt::Set(t, 0, self.expr(width))];
                block.push(Stmt::When(vec![(self.scope.condition(self.rng, 1), whole)], None));
            }
            self.push(Item::Block(block));
        }
    }

    /// Outputs of all kinds, so that what the module computes is seen.
    fn outputs(&mut self) {
        let signals = self.scope.signals.clone();
        for (src, width) in signals.into_iter().filter(|s| !matches!(s.0, Src::Input(_))) {
            if self.rng.percent(if self.m.name == "top" { 90 } else { 40 }) {
                self.m.outputs.push(Output::Wire(Expr::Read(src, width)));
            }
        }
        for _ in 0..3 {
            let width = random_width(self.rng);
            let number = self.m.outputs.len();
            match self.rng.below(4) {
                0 => {
                    self.m.outputs.push(Output::Driven(width, None));
                    let block = self.covered(&[(Target::Output(number), width)]);
                    self.push(Item::Block(block));
                }
                1 if self.m.clocked => {
                    let reset = corner_value(self.rng, width);
                    self.m.outputs.push(Output::Driven(width, Some(reset)));
                    self.open.push((Target::Output(number), width));
                }
                2 if self.m.clocked => {
                    let (reset, e) = (corner_value(self.rng, width), self.expr(width));
                    self.m.outputs.push(Output::Reg(e, self.rng.percent(70).then_some(reset)));
                }
                _ => {
                    let e = self.expr(width);
                    self.m.outputs.push(Output::Wire(e));
                }
            }
        }
    }

    fn instance(&mut self) {
        let (module, child) = self.children.remove(0);
        let inputs = child.inputs.iter().map(|w| self.expr(*w)).collect();
        let param = 1 + self.rng.below(3);
        let item = self.push(Item::Instance { module, param, inputs });
        for (k, output) in child.outputs.iter().enumerate() {
            self.scope.signals.push((Src::Pin(item, k), output.width()));
        }
    }

    fn delay(&mut self) {
        let width = random_width(self.rng);
        let e = self.expr(width);
        let n = 1 + self.below(3) as u32;
        let item = match self.below(3) {
            0 if self.latency_left >= n => {
                self.latency_left -= n;
                Item::Delay(e, n)
            }
            1 if self.latency_left >= 1 => {
                self.latency_left -= 1;
                let enable = self.scope.condition(self.rng, 1);
                Item::DelayEnable(e, enable)
            }
            _ => Item::DelayReset(e, self.rng.below(1 << width.min(30))),
        };
        let item = self.push(item);
        self.readable(item, width);
    }

    /// A register without reset: loaded while `load` is 1 from what came before it, else free.
    fn loaded(&mut self) {
        if self.latency_left == 0 {
            return self.delay();
        }
        self.latency_left -= 1;
        let width = random_width(self.rng);
        let first = self.expr(width);
        let item = self.push(Item::Reg(width, None));
        self.readable(item, width);
        let target = Target::Item(item);
        let load = (Expr::Read(Src::Input(0), 1), vec![Stmt::Set(target, 0, first)]);
        let mut branches = vec![load];
        for _ in 0..self.below(3) {
            let body = self.statements(&[(target, width)], 1);
            branches.push((self.scope.condition(self.rng, 1), body));
        }
        let otherwise = self.rng.percent(50).then(|| self.statements(&[(target, width)], 1));
        self.push(Item::Block(vec![Stmt::When(branches, otherwise)]));
    }

    /// One to three wires driven by one block; a later one may read those before it.
    fn wires(&mut self) {
        let mut targets = Vec::new();
        for _ in 0..1 + self.below(3) {
            let width = random_width(self.rng);
            targets.push((Target::Item(self.push(Item::Wire(width))), width));
        }
        let block = self.covered(&targets);
        self.push(Item::Block(block));
        for (t, width) in targets {
            if let Target::Item(item) = t {
                self.readable(item, width);
            }
        }
    }

    /// A state machine: from each state a way to the next one, and some others.
    fn machine(&mut self, item: usize, variants: usize) {
        let arms = (0..variants)
            .map(|v| {
                let onward = vec![Stmt::Go(item, (v + 1) % variants)];
                let cond = self.scope.condition(self.rng, 1);
                let other = self.rng.percent(60).then(|| vec![Stmt::Go(item, self.below(variants))]);
                vec![Stmt::When(vec![(cond, onward)], other)]
            })
            .collect();
        self.push(Item::Block(vec![Stmt::OnState(item, arms)]));
    }

    fn memory(&mut self) {
        let kind = [MemKind::SimpleDual, MemKind::TrueDual, MemKind::Rom, MemKind::Distributed][self.below(4)];
        let width = if self.rng.percent(70) { 1 + self.rng.below(72) as u32 } else { random_width(self.rng) };
        let depth = 1 << (1 + self.below(5));
        let collision = match kind {
            MemKind::SimpleDual => [Collision::Old, Collision::New, Collision::Undefined][self.below(3)],
            MemKind::TrueDual => [Collision::Old, Collision::New, Collision::NoChange][self.below(3)],
            _ => Collision::Undefined,
        };
        let lanes: Vec<u32> = (1..=width).filter(|l| width.is_multiple_of(*l) && width / l <= 16).collect();
        let can_lane = matches!(kind, MemKind::SimpleDual | MemKind::TrueDual);
        let lane = (can_lane && self.rng.percent(40)).then(|| lanes[self.rng.below(lanes.len() as u64) as usize]);
        let words = if kind == MemKind::Rom { 1 + self.below(depth as usize) } else { depth as usize };
        let has_words = kind == MemKind::Rom || self.rng.percent(30);
        let init = has_words.then(|| (0..words).map(|_| random_value(self.rng, width)).collect());
        let aw = hdl::clog2(u64::from(depth));
        let ports = (0..if kind == MemKind::TrueDual { 2 } else { 1 })
            .map(|_| MemPort {
                en: self.expr(1),
                we: self.expr(1),
                addr: self.expr(aw),
                raddr: self.expr(aw),
                data: self.expr(width),
                strobe: lane.map(|l| self.expr(width / l)),
            })
            .collect();
        let latency = 1 + self.below(2) as u32;
        let outputs = if kind == MemKind::TrueDual { 2 } else { 1 };
        let item = self.push(Item::Memory(Memory { kind, depth, width, latency, collision, lane, init, ports }));
        for k in 0..outputs {
            self.scope.signals.push((Src::Pin(item, k), width));
        }
    }
}

/// Values of a `case`, and its statements.
type Arm = (Vec<u64>, Vec<Stmt>);

/// Statements.
impl Generator<'_> {
    /// Statements that drive every target on every path: a default first, then changes.
    fn covered(&mut self, targets: &[(Target, u32)]) -> Vec<Stmt> {
        let mut out = Vec::new();
        let known = self.scope.signals.len();
        for (t, width) in targets {
            self.cover(*t, *width, 2, &mut out);
            if let Target::Item(item) = t {
                self.readable(*item, *width);
            }
        }
        // A condition over all of them must read none.
        self.scope.signals.truncate(known);
        let changes = self.statements(targets, 2);
        // What follows a default at the same level has to be conditional.
        out.extend(changes.into_iter().filter(|s| !matches!(s, Stmt::Set(..))));
        // No bit is a constant in disguise, which lint would find.
        for (t, width) in targets {
            let (cond, value) = (self.input(1), self.input(*width));
            out.push(Stmt::When(vec![(cond, vec![Stmt::Set(*t, 0, value)])], None));
        }
        out
    }

    fn cover(&mut self, t: Target, width: u32, depth: u32, out: &mut Vec<Stmt>) {
        match self.rng.below(if depth == 0 { 2 } else { 4 }) {
            0 if width > 1 => {
                let cut = 1 + self.rng.below(u64::from(width - 1)) as u32;
                out.push(Stmt::Set(t, cut, self.expr(width - cut)));
                out.push(Stmt::Set(t, 0, self.expr(cut)));
            }
            2 => {
                let arm = |g: &mut Self| {
                    let mut body = Vec::new();
                    g.cover(t, width, depth - 1, &mut body);
                    body
                };
                let (then, other) = (arm(self), arm(self));
                let mut branches = vec![(self.scope.condition(self.rng, 1), then)];
                if self.rng.percent(40) {
                    let body = arm(self);
                    branches.push((self.scope.condition(self.rng, 1), body));
                }
                out.push(Stmt::When(branches, Some(other)));
            }
            3 => {
                let (subject, arms) = self.arms(|g| {
                    let mut body = Vec::new();
                    g.cover(t, width, depth - 1, &mut body);
                    body
                });
                let mut default = Vec::new();
                self.cover(t, width, depth - 1, &mut default);
                out.push(Stmt::Switch(subject, arms, Some(default)));
            }
            _ => out.push(Stmt::Set(t, 0, self.expr(width))),
        }
    }

    fn arms(&mut self, mut body: impl FnMut(&mut Self) -> Vec<Stmt>) -> (Expr, Vec<Arm>) {
        let most = if self.rng.percent(20) { 70 } else { 4 };
        let width = 1 + self.below(most) as u32;
        let subject = self.expr(width);
        let mut values: Vec<u64> = (0..1u64 << width.min(4)).collect();
        let mut arms = Vec::new();
        for _ in 0..1 + self.below(4) {
            let wanted = (1 + self.below(2)).min(values.len().saturating_sub(1));
            if wanted == 0 {
                break;
            }
            let mine: Vec<u64> =
                (0..wanted).map(|_| values.remove(self.rng.below(values.len() as u64) as usize)).collect();
            arms.push((mine, body(self)));
        }
        (subject, arms)
    }

    /// Statements that may drive the targets, each at most once unconditionally and before all else.
    fn statements(&mut self, targets: &[(Target, u32)], depth: u32) -> Vec<Stmt> {
        let mut out = Vec::new();
        for (t, width) in targets {
            if self.rng.percent(60) || depth == 0 {
                out.push(self.assignment(*t, *width));
            }
        }
        if depth == 0 {
            return out;
        }
        for _ in 0..1 + self.below(2) {
            let some: Vec<_> = targets.iter().filter(|_| self.rng.percent(70)).copied().collect();
            if some.is_empty() {
                continue;
            }
            out.push(match self.below(3) {
                0 | 1 => {
                    let mut branches = Vec::new();
                    for _ in 0..1 + self.below(3) {
                        let body = self.statements(&some, depth - 1);
                        branches.push((self.scope.condition(self.rng, 1), body));
                    }
                    let otherwise = self.rng.percent(50).then(|| self.statements(&some, depth - 1));
                    Stmt::When(branches, otherwise)
                }
                _ => {
                    let (subject, arms) = self.arms(|g| g.statements(&some, depth - 1));
                    let default = self.rng.percent(50).then(|| self.statements(&some, depth - 1));
                    Stmt::Switch(subject, arms, default)
                }
            });
        }
        out
    }

    fn assignment(&mut self, t: Target, width: u32) -> Stmt {
        if width > 1 && self.rng.percent(30) {
            let w = 1 + self.rng.below(u64::from(width - 1)) as u32;
            let lsb = self.rng.below(u64::from(width - w + 1)) as u32;
            return Stmt::Set(t, lsb, self.expr(w));
        }
        Stmt::Set(t, 0, self.expr(width))
    }
}

/// Random input values: all bits random, corners, or as in the cycle before.
pub fn stimuli(rng: &mut Rng, inputs: &[(String, u32)], cycles: usize, load: usize) -> Vec<Vec<Value>> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for cycle in 0..cycles {
        let loading = cycle < load;
        let row = inputs.iter().enumerate().map(|(i, (name, width))| match name.as_str() {
            "rst" => Value::new(1, u128::from(loading || rng.percent(1))),
            "load" => Value::new(1, u128::from(loading)),
            "seq" => Value::new(8, cycle as u128),
            // While memories fill and registers load, nothing else need change.
            _ if cycle > 0 && cycle < load && (name != "fill" || cycle > 64) => rows[cycle - 1][i].clone(),
            _ if cycle > 0 && rng.percent(15) => rows[cycle - 1][i].clone(),
            _ if rng.percent(50) => random_value(rng, *width),
            _ => corner_value(rng, *width),
        });
        let row = row.collect();
        rows.push(row);
    }
    rows
}
