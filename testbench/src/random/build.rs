//! A random circuit as a block of the language.

use super::ast::*;
use hdl::{
    Bits, Block, Bundle, Encode, Shape, State, Value,
    bundle::Field,
    cat, constant, instance,
    memory::{self, Collision, MemKind},
    mux, reg, select, switch, when, wire,
};
use std::{cell::RefCell, rc::Rc};

/// Ports known only at run time: name, is it an input, leaf.
#[derive(Clone, Debug)]
pub struct Ports<S>(pub Vec<(String, bool, S)>);

impl<S> Bundle<S> for Ports<S> {
    type With<T> = Ports<T>;

    fn map_fields<T>(&self, at: &Field, f: &mut dyn FnMut(&Field, &S) -> T) -> Ports<T> {
        let leaf =
            |(name, input, s): &(String, bool, S)| (name.clone(), *input, f(&at.child(name, *input, None, ""), s));
        Ports(self.0.iter().map(leaf).collect())
    }
}

/// Number `module` of a circuit, with a parameter.
#[derive(Clone, Debug)]
pub struct RandomBlock {
    /// The circuit.
    pub circuit: Rc<Circuit>,
    /// Which of its modules.
    pub module: usize,
    /// Value of [`Expr::Param`].
    pub param: u64,
}

impl RandomBlock {
    /// The top of a circuit.
    pub fn top(circuit: &Circuit) -> Self {
        RandomBlock { circuit: Rc::new(circuit.clone()), module: circuit.modules.len() - 1, param: 1 }
    }

    fn module(&self) -> &Module {
        &self.circuit.modules[self.module]
    }
}

impl Block for RandomBlock {
    type Io<S> = Ports<S>;

    fn name(&self) -> String {
        self.module().name.clone()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("p", self.param.to_string())]
    }

    fn io(&self) -> Ports<Shape> {
        let m = self.module();
        let mut ports = Vec::new();
        if m.clocked {
            ports.extend(CONTROL.map(|(name, w)| (name.to_string(), true, Shape(w))));
        }
        ports.extend(m.inputs.iter().enumerate().map(|(i, w)| (format!("in{i}"), true, Shape(*w))));
        ports.extend(m.outputs.iter().enumerate().map(|(i, o)| (format!("out{i}"), false, Shape(o.width()))));
        Ports(ports)
    }

    fn build(&self, io: &Ports<Bits>) {
        let m = self.module();
        let bits = |input: bool| io.0.iter().filter(move |p| p.1 == input).map(|p| p.2).collect::<Vec<_>>();
        let scope = Scope {
            block: self,
            inputs: bits(true),
            outputs: bits(false),
            items: RefCell::default(),
            clocked: m.clocked,
        };
        for (output, port) in m.outputs.iter().zip(&scope.outputs) {
            match output {
                Output::Wire(_) | Output::Driven(_, None) => {}
                Output::Reg(_, None) => drop(port.registered()),
                Output::Reg(_, Some(v)) | Output::Driven(_, Some(v)) => drop(port.reset(v.clone())),
            }
        }
        for (i, item) in m.items.iter().enumerate() {
            let made = scope.item(i, item);
            scope.items.borrow_mut().push(made);
        }
        for (output, port) in m.outputs.iter().zip(&scope.outputs) {
            if let Output::Wire(e) | Output::Reg(e, _) = output {
                port.set(scope.expr(e));
            }
        }
        scope.inputs.iter().for_each(|b| b.ignore());
        scope.items.borrow().iter().flat_map(Made::readable).for_each(Bits::ignore);
    }
}

macro_rules! states {
    ($($name:ident: $($variant:ident)+;)+) => {
        $(
            #[derive(Clone, Copy, Encode)]
            enum $name { $($variant),+ }
        )+
        /// Number of variants of each enum of states.
        pub const STATES: &[usize] = &[$([$(stringify!($variant)),+].len()),+];

        #[derive(Clone, Copy)]
        enum AnyState { $($name(State<$name>)),+ }

        impl AnyState {
            fn new(which: usize, initial: usize) -> Self {
                let names = [$(stringify!($name)),+];
                match names[which] {
                    $(stringify!($name) => AnyState::$name(hdl::state($name::VARIANTS[initial].1)),)+
                    _ => unreachable!("every enum is listed"),
                }
            }
            fn bits(self) -> Bits {
                match self { $(AnyState::$name(s) => s.bits()),+ }
            }
            fn is(self, variant: usize) -> Bits {
                match self { $(AnyState::$name(s) => s.is($name::VARIANTS[variant].1)),+ }
            }
            fn go(self, variant: usize) {
                match self { $(AnyState::$name(s) => s.go($name::VARIANTS[variant].1)),+ }
            }
            fn switch(self, mut body: impl FnMut(usize)) {
                match self { $(AnyState::$name(s) => s.switch(|v| body(v.encoded() as usize))),+ }
            }
        }
    };
}
states! {
    Lamp: Off On;
    Phase: Idle Fetch Wait;
    Step: Start Header Body Tail Done;
}

/// What an item became.
enum Made {
    Bits(Bits),
    State(AnyState),
    Pins(Vec<Bits>),
    Nothing,
}

impl Made {
    fn readable(&self) -> Vec<Bits> {
        match self {
            Made::Bits(b) => vec![*b],
            Made::State(s) => vec![s.bits()],
            Made::Pins(pins) => pins.clone(),
            Made::Nothing => vec![],
        }
    }
}

struct Scope<'a> {
    block: &'a RandomBlock,
    inputs: Vec<Bits>,
    outputs: Vec<Bits>,
    items: RefCell<Vec<Made>>,
    clocked: bool,
}

impl Scope<'_> {
    fn load(&self) -> Bits {
        assert!(self.clocked, "only a clocked module has state");
        self.inputs[0]
    }

    fn item(&self, index: usize, item: &Item) -> Made {
        let name = |b: Bits, kind: &str| b.named(&format!("{kind}{index}"));
        match item {
            Item::Let(e, named) => {
                let b = self.expr(e);
                Made::Bits(if *named { name(b, "let") } else { b })
            }
            Item::Wire(w) => Made::Bits(name(wire(*w), "wire")),
            Item::Reg(w, None) => Made::Bits(name(reg(*w), "reg")),
            Item::Reg(w, Some(v)) => Made::Bits(name(reg(*w).reset(v.clone()), "reg")),
            Item::State(which, initial) => {
                let state = AnyState::new(*which, *initial);
                name(state.bits(), "state");
                Made::State(state)
            }
            Item::Delay(e, n) => Made::Bits(name(self.expr(e).delay_by(*n), "delay")),
            Item::DelayReset(e, init) => Made::Bits(name(self.expr(e).delay_reset(*init), "delay")),
            Item::DelayEnable(e, enable) => {
                Made::Bits(name(self.expr(e).delay_enable(self.expr(enable) | self.load()), "held"))
            }
            Item::Block(stmts) => {
                stmts.iter().for_each(|s| self.stmt(s));
                Made::Nothing
            }
            Item::Instance { module, param, inputs } => {
                let block = RandomBlock { circuit: self.block.circuit.clone(), module: *module, param: *param };
                let child = block.module();
                let pins = instance(&block);
                pins.0[0].2.named(&format!("u{index}"));
                let controls = self.inputs[..child.controls()].iter().copied();
                let driven = controls.chain(inputs.iter().map(|e| self.expr(e)));
                for (pin, value) in pins.0.iter().filter(|p| p.1).zip(driven) {
                    pin.2.set(value);
                }
                Made::Pins(pins.0.iter().filter(|p| !p.1).map(|p| p.2).collect())
            }
            Item::Memory(m) => Made::Pins(self.memory(m)),
        }
    }

    fn stmt(&self, stmt: &Stmt) {
        let all = |body: &[Stmt]| body.iter().for_each(|s| self.stmt(s));
        match stmt {
            Stmt::Set(target, lsb, e) => {
                let target = match target {
                    Target::Item(i) => self.read(Src::Item(*i)),
                    Target::Output(i) => self.outputs[*i],
                };
                let value = self.expr(e);
                let part =
                    if value.width() == target.width() { target } else { target.slice(*lsb..lsb + value.width()) };
                part.set(value);
            }
            Stmt::Go(i, variant) => self.state(*i).go(*variant),
            Stmt::When(branches, otherwise) => {
                let ((cond, body), rest) = branches.split_first().expect("a when has a branch");
                let mut open = when(self.expr(cond), || all(body));
                for (cond, body) in rest {
                    // The condition is made outside of the branch before it, as an argument would be.
                    open = open.elsewhen(self.expr(cond), || all(body));
                }
                if let Some(body) = otherwise {
                    open.otherwise(|| all(body));
                }
            }
            Stmt::Switch(subject, arms, default) => {
                let mut open = switch(self.expr(subject));
                for (values, body) in arms {
                    open = open.case_any(values.iter().copied(), || all(body));
                }
                if let Some(body) = default {
                    open.default(|| all(body));
                }
            }
            Stmt::OnState(i, arms) => self.state(*i).switch(|v| all(&arms[v])),
        }
    }

    fn state(&self, item: usize) -> AnyState {
        match &self.items.borrow()[item] {
            Made::State(s) => *s,
            _ => unreachable!("item {item} is a state"),
        }
    }

    fn read(&self, src: Src) -> Bits {
        let items = self.items.borrow();
        match src {
            Src::Input(i) => self.inputs[i],
            Src::Item(i) => items[i].readable()[0],
            Src::Pin(i, k) => items[i].readable()[k],
        }
    }

    fn expr(&self, e: &Expr) -> Bits {
        match e {
            Expr::Const(v) => constant(v.clone()),
            Expr::Read(src, _) => self.read(*src),
            Expr::Param(w) => constant(Value::new(*w, u128::from(self.block.param))),
            Expr::Is(i, variant) => self.state(*i).is(*variant),
            Expr::Un(op, a) => unary(*op, self.expr(a)),
            Expr::Bin(op, a, b) => binary(*op, self.expr(a), self.expr(b)),
            Expr::Mux(c, t, f) => mux(self.expr(c), self.expr(t), self.expr(f)),
            Expr::Select(i, options) => select(self.expr(i), &options.iter().map(|o| self.expr(o)).collect::<Vec<_>>()),
            Expr::Cat(parts) => cat(parts.iter().map(|p| self.expr(p))),
        }
    }

    /// Under `load` every word is written from `fill` while `seq` is below 64, and read afterwards. Where a collision is
    /// undefined the two addresses differ in their top bit, which changes each cycle.
    fn memory(&self, m: &Memory) -> Vec<Bits> {
        if m.kind == MemKind::Rom {
            let rom = memory::rom(m.depth, m.init.clone().expect("a ROM has contents")).latency(m.latency).read_only();
            let p = &m.ports[0];
            let load = self.load();
            rom.re.set(self.expr(&p.en) | load);
            rom.raddr.set(self.expr(&p.raddr));
            return vec![rom.rdata];
        }
        let (load, seq, fill) = (self.load(), self.inputs[1], self.inputs[2]);
        let aw = hdl::clog2(u64::from(m.depth));
        let walk = |top: Bits| if aw == 1 { top } else { cat([top, seq.slice(1..aw)]) };
        let apart = |top: Bits, b: Bits| {
            b.ignore();
            if aw == 1 { top } else { cat([top, b.slice(0..aw - 1)]) }
        };
        let (even, odd) = (!seq.bit(0), seq.bit(0));
        let filling = load & !seq.bit(6);
        let copies = fill.repeat(m.width.div_ceil(64));
        copies.ignore();
        let data = |p: &MemPort| mux(load, copies.slice(0..m.width), self.expr(&p.data));
        let strobe = |pin: Option<Bits>, p: &MemPort| {
            if let (Some(pin), Some(e)) = (pin, &p.strobe) {
                pin.set(mux(load, Value::ones(pin.width()), self.expr(e)));
            }
        };
        let mut spec = match m.kind {
            MemKind::TrueDual => memory::true_dual(m.depth, m.width),
            MemKind::Distributed => memory::distributed(m.depth, m.width),
            _ => memory::simple_dual(m.depth, m.width),
        };
        if m.kind != MemKind::Distributed {
            spec = spec.latency(m.latency).collision(m.collision);
        }
        if let Some(lane) = m.lane {
            spec = spec.lanes(lane);
        }
        if let Some(words) = &m.init {
            spec = spec.contents(words.clone());
        }
        if m.kind == MemKind::TrueDual {
            let pins = spec.dual();
            for (i, (pin, p)) in pins.iter().zip(&m.ports).enumerate() {
                let top = if i == 0 { even } else { odd };
                pin.en.set(self.expr(&p.en) | load);
                pin.we.set(if i == 0 { mux(load, filling, self.expr(&p.we)) } else { self.expr(&p.we) & !load });
                pin.addr.set(mux(load, walk(top), apart(top, self.expr(&p.addr))));
                pin.wdata.set(data(p));
                strobe(pin.wstrb, p);
            }
            return pins.iter().map(|p| p.rdata).collect();
        }
        let p = &m.ports[0];
        let ram = spec.simple();
        let undefined = m.kind == MemKind::SimpleDual && m.collision == Collision::Undefined;
        let place = |top: Bits, b: Bits| if undefined { apart(top, b) } else { b };
        ram.we.set(mux(load, filling, self.expr(&p.we)));
        ram.waddr.set(mux(load, walk(even), place(even, self.expr(&p.addr))));
        ram.wdata.set(data(p));
        strobe(ram.wstrb, p);
        if let Some(re) = ram.re {
            re.set(self.expr(&p.en) | load);
        }
        ram.raddr.set(mux(load, walk(odd), place(odd, self.expr(&p.raddr))));
        vec![ram.rdata]
    }
}

fn unary(op: Un, a: Bits) -> Bits {
    let whole = match op {
        Un::Slice(_, w) => w == a.width(),
        Un::Shl(_) | Un::Shr(_) | Un::Sar(_) | Un::Negative => false,
        _ => true,
    };
    if !whole {
        a.ignore();
    }
    match op {
        Un::Not => !a,
        Un::Zext(w) => a.zext(w),
        Un::Sext(w) => a.sext(w),
        Un::Slice(0, w) => a.trunc(w),
        Un::Slice(lo, w) => a.slice(lo..lo + w),
        Un::Repeat(n) => a.repeat(n),
        Un::Shl(n) => a.shl(n),
        Un::Shr(n) => a.shr(n),
        Un::Sar(n) => a.signed().shr(n).bits(),
        Un::SwapBytes => a.swap_bytes(),
        Un::All => a.all(),
        Un::Any => a.any(),
        Un::Parity => a.parity(),
        Un::Negative => a.signed().is_negative(),
        Un::Abs => a.signed().abs(),
    }
}

fn binary(op: Bin, a: Bits, b: Bits) -> Bits {
    let (x, y) = (a.signed(), b.signed());
    match op {
        Bin::And => a & b,
        Bin::Or => a | b,
        Bin::Xor => a ^ b,
        Bin::Add => a + b,
        Bin::Sub => a - b,
        Bin::Mul => a * b,
        Bin::SMul => (x * y).bits(),
        Bin::GrowAdd => a.grow_add(b),
        Bin::GrowSub => a.grow_sub(b),
        Bin::SGrowAdd => x.grow_add(y).bits(),
        Bin::SGrowSub => x.grow_sub(y).bits(),
        Bin::Eq => a.eq(b),
        Bin::Ne => a.ne(b),
        Bin::Lt => a.lt(b),
        Bin::Ge => a.ge(b),
        Bin::Gt => a.gt(b),
        Bin::Le => a.le(b),
        Bin::SLt => x.lt(y),
        Bin::SGe => x.ge(y),
        Bin::ShlBy => a.shl_by(b),
        Bin::ShrBy => a.shr_by(b),
        Bin::SarBy => x.shr_by(b).bits(),
    }
}

/// A constant of any width from the words of a random number generator.
pub fn random_value(rng: &mut em_sim::Rng, width: u32) -> Value {
    let words: Vec<u64> = (0..width.div_ceil(64)).map(|_| rng.bits()).collect();
    Value::from_words(width, &words)
}
