//! What a random circuit consists of: plain data, so that it can be printed, cut down and built again.

use hdl::{
    Value,
    memory::{Collision, MemKind},
};

/// Something an expression reads: an input port, or what an earlier item of the module made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Src {
    /// Input port, by number.
    Input(usize),
    /// The value of an item: a let, a wire, a register, a state register.
    Item(usize),
    /// Output number `.1` of an instance or a memory.
    Pin(usize, usize),
}

/// Operations on one operand. Widths that the operation changes are parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is the method of the same name")]
pub enum Un {
    Not,
    Zext(u32),
    Sext(u32),
    /// `slice(lo..lo + width)`
    Slice(u32, u32),
    Repeat(u32),
    Shl(u32),
    Shr(u32),
    /// `signed().shr(n)`
    Sar(u32),
    SwapBytes,
    All,
    Any,
    Parity,
    Negative,
    Abs,
}

/// Operations on two operands. An `S` in front: on signed operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is the operator or method of the same name")]
pub enum Bin {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    SMul,
    GrowAdd,
    GrowSub,
    SGrowAdd,
    SGrowSub,
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
    SLt,
    SGe,
    ShlBy,
    ShrBy,
    SarBy,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A constant.
    Const(Value),
    /// A signal of this width.
    Read(Src, u32),
    /// The module's parameter, cut to this width.
    Param(u32),
    /// 1 bit: is the state register (an item) in the state of this number?
    Is(usize, usize),
    /// One operand.
    Un(Un, Box<Expr>),
    /// Two operands.
    Bin(Bin, Box<Expr>, Box<Expr>),
    /// `mux(cond, then, otherwise)`
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `select(index, options)`
    Select(Box<Expr>, Vec<Expr>),
    /// Most significant part first.
    Cat(Vec<Expr>),
}

impl Expr {
    /// Width in bits.
    pub fn width(&self) -> u32 {
        match self {
            Expr::Const(v) => v.width(),
            Expr::Read(_, w) | Expr::Param(w) => *w,
            Expr::Is(..) => 1,
            Expr::Un(op, a) => match op {
                Un::Zext(w) | Un::Sext(w) | Un::Slice(_, w) => *w,
                Un::Repeat(n) => n * a.width(),
                Un::All | Un::Any | Un::Parity | Un::Negative => 1,
                Un::Not | Un::Shl(_) | Un::Shr(_) | Un::Sar(_) | Un::SwapBytes | Un::Abs => a.width(),
            },
            Expr::Bin(op, a, b) => match op {
                Bin::And | Bin::Or | Bin::Xor | Bin::Add | Bin::Sub | Bin::ShlBy | Bin::ShrBy | Bin::SarBy => a.width(),
                Bin::Mul | Bin::SMul => a.width() + b.width(),
                Bin::GrowAdd | Bin::GrowSub | Bin::SGrowAdd | Bin::SGrowSub => a.width() + 1,
                Bin::Eq | Bin::Ne | Bin::Lt | Bin::Ge | Bin::Gt | Bin::Le | Bin::SLt | Bin::SGe => 1,
            },
            Expr::Mux(_, t, _) => t.width(),
            Expr::Select(_, options) => options[0].width(),
            Expr::Cat(parts) => parts.iter().map(Expr::width).sum(),
        }
    }

    /// The operands.
    pub fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Const(_) | Expr::Read(..) | Expr::Param(_) | Expr::Is(..) => vec![],
            Expr::Un(_, a) => vec![a],
            Expr::Bin(_, a, b) => vec![a, b],
            Expr::Mux(c, t, f) => vec![c, t, f],
            Expr::Select(i, options) => std::iter::once(&**i).chain(options).collect(),
            Expr::Cat(parts) => parts.iter().collect(),
        }
    }

    /// The operands, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Const(_) | Expr::Read(..) | Expr::Param(_) | Expr::Is(..) => vec![],
            Expr::Un(_, a) => vec![a],
            Expr::Bin(_, a, b) => vec![a, b],
            Expr::Mux(c, t, f) => vec![c, t, f],
            Expr::Select(i, options) => std::iter::once(&mut **i).chain(options).collect(),
            Expr::Cat(parts) => parts.iter_mut().collect(),
        }
    }

    /// Operations in the tree.
    pub fn operations(&self) -> usize {
        let own = usize::from(!self.parts().is_empty());
        own + self.parts().into_iter().map(Expr::operations).sum::<usize>()
    }
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Stmt {
    /// `target.slice(lsb..lsb + width of value).set(value)`; the target is an item or an output port.
    Set(Target, u32, Expr),
    /// `state.go(variant)`
    Go(usize, usize),
    /// `when(..).elsewhen(..).otherwise(..)`
    When(Vec<(Expr, Vec<Stmt>)>, Option<Vec<Stmt>>),
    /// `switch(..).case_any(..).default(..)`
    Switch(Expr, Vec<(Vec<u64>, Vec<Stmt>)>, Option<Vec<Stmt>>),
    /// `state.switch(..)`, one arm a variant.
    OnState(usize, Vec<Vec<Stmt>>),
}

/// What a statement drives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Target {
    /// A wire or register.
    Item(usize),
    /// Output port, by number.
    Output(usize),
}

/// One thing a module declares, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// A shared expression, with or without a name.
    Let(Expr, bool),
    /// A wire of this width, driven by a later block.
    Wire(u32),
    /// A register of this width, driven by a later block.
    Reg(u32, Option<Value>),
    /// A state register over the enum of this number; starts in this variant.
    State(usize, usize),
    /// `expr.delay_by(n)`
    Delay(Expr, u32),
    /// `expr.delay_reset(init)`
    DelayReset(Expr, u64),
    /// `expr.delay_enable(enable | load)`
    DelayEnable(Expr, Expr),
    /// Statements.
    Block(Vec<Stmt>),
    /// An instance of a module with this parameter.
    Instance {
        /// Number of the module in the circuit.
        module: usize,
        /// Its parameter.
        param: u64,
        /// One expression an input port.
        inputs: Vec<Expr>,
    },
    /// A memory.
    Memory(Memory),
}

/// A memory and what drives its ports.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    /// Kind.
    pub kind: MemKind,
    /// Words; a power of two.
    pub depth: u32,
    /// Word width.
    pub width: u32,
    /// Clocks from address to data.
    pub latency: u32,
    /// Read during write.
    pub collision: Collision,
    /// Width of a write lane.
    pub lane: Option<u32>,
    /// Contents at power-up.
    pub init: Option<Vec<Value>>,
    /// What drives the ports: two of them for a true dual port memory.
    pub ports: Vec<MemPort>,
}

/// What drives one port of a memory: of a simple dual port memory `raddr` belongs to the read port.
#[derive(Clone, PartialEq, Debug)]
pub struct MemPort {
    /// Enable (of reading, where the ports are apart).
    pub en: Expr,
    /// Write enable.
    pub we: Expr,
    /// Address (of writing, where the ports are apart).
    pub addr: Expr,
    /// Read address of a port that only reads.
    pub raddr: Expr,
    /// Write data.
    pub data: Expr,
    /// Write strobes.
    pub strobe: Option<Expr>,
}

/// How an output port is driven.
#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    /// By an expression.
    Wire(Expr),
    /// By an expression through a register, with or without reset.
    Reg(Expr, Option<Value>),
    /// A wire or a register (with reset) of this width, driven by a block.
    Driven(u32, Option<Value>),
}

impl Output {
    /// Width in bits.
    pub fn width(&self) -> u32 {
        match self {
            Output::Wire(e) | Output::Reg(e, _) => e.width(),
            Output::Driven(w, _) => *w,
        }
    }
}

/// A module.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    /// Name in Verilog.
    pub name: String,
    /// Has it state, and so the ports `load`, `seq` and `fill`?
    pub clocked: bool,
    /// Widths of the input ports `in0`, `in1`, ….
    pub inputs: Vec<u32>,
    /// Items, in order; an expression reads only items before its own.
    pub items: Vec<Item>,
    /// Output ports `out0`, `out1`, ….
    pub outputs: Vec<Output>,
}

/// A circuit: modules, children before parents; the last one is the top.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Circuit {
    /// The modules.
    pub modules: Vec<Module>,
}

/// Input ports of every clocked module, before its own: everything without reset is loaded while `load` is 1; `seq`
/// counts the cycles; `fill` is random data for memories.
pub const CONTROL: [(&str, u32); 3] = [("load", 1), ("seq", 8), ("fill", 64)];

impl Module {
    /// Number of control ports in front of the inputs.
    pub fn controls(&self) -> usize {
        if self.clocked { CONTROL.len() } else { 0 }
    }

    /// Every expression in it.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        let mut all = Vec::new();
        for item in &mut self.items {
            match item {
                Item::Let(e, _) | Item::Delay(e, _) | Item::DelayReset(e, _) => all.push(e),
                Item::DelayEnable(e, en) => all.extend([e, en]),
                Item::Block(stmts) => stmts.iter_mut().for_each(|s| s.exprs_mut(&mut all)),
                Item::Instance { inputs, .. } => all.extend(inputs),
                Item::Memory(m) => {
                    for p in &mut m.ports {
                        all.extend([&mut p.en, &mut p.we, &mut p.addr, &mut p.raddr, &mut p.data]);
                        all.extend(&mut p.strobe);
                    }
                }
                Item::Wire(_) | Item::Reg(..) | Item::State(..) => {}
            }
        }
        for output in &mut self.outputs {
            if let Output::Wire(e) | Output::Reg(e, _) = output {
                all.push(e);
            }
        }
        all
    }
}

impl Stmt {
    fn exprs_mut<'a>(&'a mut self, all: &mut Vec<&'a mut Expr>) {
        match self {
            Stmt::Set(_, _, e) => all.push(e),
            Stmt::Go(..) => {}
            Stmt::When(branches, otherwise) => {
                for (cond, body) in branches {
                    all.push(cond);
                    body.iter_mut().for_each(|s| s.exprs_mut(all));
                }
                otherwise.iter_mut().flatten().for_each(|s| s.exprs_mut(all));
            }
            Stmt::Switch(subject, arms, default) => {
                all.push(subject);
                arms.iter_mut().flat_map(|(_, body)| body).for_each(|s| s.exprs_mut(all));
                default.iter_mut().flatten().for_each(|s| s.exprs_mut(all));
            }
            Stmt::OnState(_, arms) => arms.iter_mut().flatten().for_each(|s| s.exprs_mut(all)),
        }
    }
}

impl Circuit {
    /// The top module.
    pub fn top(&self) -> &Module {
        self.modules.last().expect("a circuit has a top")
    }

    /// Expression trees with at least one operation, and operations in all.
    pub fn size(&self) -> (usize, usize) {
        let mut copy = self.clone();
        let sizes = copy.modules.iter_mut().flat_map(Module::exprs_mut).map(|e| e.operations());
        sizes.filter(|n| *n > 0).fold((0, 0), |(trees, all), n| (trees + 1, all + n))
    }
}
