//! The graph of one module: what blocks build, what the checks read, the emitter prints and the simulator runs.
//!
//! A module holds *signals* (ports, registers, wires, the pins of its instances), *nodes* (hash-consed expressions over
//! them; an operand always has a smaller [`NodeId`] than its user) and *statements* (assignments under `when` and
//! `switch`, in program order, the last one wins; a signal read in an expression always means its final value).

use crate::Value;
use std::{panic::Location, rc::Rc};

/// The Rust source line that made a thing.
pub type Loc = &'static Location<'static>;

/// Index of an expression in [`Module::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

/// Index of a signal in [`Module::sigs`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SigId(pub u32);

/// Index of a clock domain in [`Module::domains`]; 0 is the module's default domain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DomainId(pub u32);

/// One operation. Operand widths are checked when the node is made; no operation extends or cuts an operand.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A constant.
    Const(Value),
    /// The value of a signal.
    Sig(SigId),
    /// Bitwise complement.
    Not(NodeId),
    /// Bitwise and, both operands of the node's width.
    And(NodeId, NodeId),
    /// Bitwise or.
    Or(NodeId, NodeId),
    /// Bitwise exclusive or.
    Xor(NodeId, NodeId),
    /// Sum modulo 2^width.
    Add(NodeId, NodeId),
    /// Difference modulo 2^width.
    Sub(NodeId, NodeId),
    /// Product modulo 2^width; operands are extended to the node's width beforehand.
    Mul(NodeId, NodeId),
    /// Equal: operands of one width, result 1 bit.
    Eq(NodeId, NodeId),
    /// Unsigned less-than.
    Ult(NodeId, NodeId),
    /// Signed less-than.
    Slt(NodeId, NodeId),
    /// Logical shift left by an amount of any width; shifting by the width or more gives zero.
    Shl(NodeId, NodeId),
    /// Logical shift right.
    Shr(NodeId, NodeId),
    /// Arithmetic shift right.
    Sar(NodeId, NodeId),
    /// `width` bits of the operand from `lsb` upwards.
    Slice(NodeId, u32),
    /// Concatenation, most significant part first.
    Concat(Vec<NodeId>),
    /// The operand repeated; the node's width is a multiple of the operand's.
    Repeat(NodeId, u32),
    /// `Mux(c, t, f)`: `c ? t : f`, `c` 1 bit.
    Mux(NodeId, NodeId, NodeId),
    /// `Select(index, options)`: option number `index`; the last option for any index beyond it.
    Select(NodeId, Vec<NodeId>),
    /// All bits one.
    RedAnd(NodeId),
    /// Any bit one.
    RedOr(NodeId),
    /// Parity.
    RedXor(NodeId),
}

impl Op {
    /// The operands, in order.
    pub fn operands(&self) -> Vec<NodeId> {
        use Op::*;
        match self {
            Const(_) | Sig(_) => vec![],
            Not(a) | Slice(a, _) | Repeat(a, _) | RedAnd(a) | RedOr(a) | RedXor(a) => vec![*a],
            And(a, b)
            | Or(a, b)
            | Xor(a, b)
            | Add(a, b)
            | Sub(a, b)
            | Mul(a, b)
            | Eq(a, b)
            | Ult(a, b)
            | Slt(a, b)
            | Shl(a, b)
            | Shr(a, b)
            | Sar(a, b) => vec![*a, *b],
            Mux(c, t, f) => vec![*c, *t, *f],
            Concat(parts) => parts.clone(),
            Select(index, options) => std::iter::once(*index).chain(options.iter().copied()).collect(),
        }
    }

    /// The same operation on other operands.
    pub fn with_operands(&self, mut f: impl FnMut(NodeId) -> NodeId) -> Op {
        use Op::*;
        let mut op = self.clone();
        match &mut op {
            Const(_) | Sig(_) => {}
            Not(a) | Slice(a, _) | Repeat(a, _) | RedAnd(a) | RedOr(a) | RedXor(a) => *a = f(*a),
            And(a, b)
            | Or(a, b)
            | Xor(a, b)
            | Add(a, b)
            | Sub(a, b)
            | Mul(a, b)
            | Eq(a, b)
            | Ult(a, b)
            | Slt(a, b)
            | Shl(a, b)
            | Shr(a, b)
            | Sar(a, b) => (*a, *b) = (f(*a), f(*b)),
            Mux(c, t, e) => (*c, *t, *e) = (f(*c), f(*t), f(*e)),
            Concat(parts) => parts.iter_mut().for_each(|p| *p = f(*p)),
            Select(index, options) => {
                *index = f(*index);
                options.iter_mut().for_each(|o| *o = f(*o));
            }
        }
        op
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it computes.
    pub op: Op,
    /// Width of the result in bits.
    pub width: u32,
    /// Where it was first made.
    pub loc: Loc,
    /// The name it was given by a `let` or by `named()`.
    pub name: Option<String>,
}

/// Direction of a port, seen from its module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dir {
    /// Driven from outside.
    In,
    /// Driven by the module.
    Out,
}

impl Dir {
    /// The other direction.
    pub fn flip(self) -> Self {
        match self {
            Dir::In => Dir::Out,
            Dir::Out => Dir::In,
        }
    }
}

/// How a register is clocked and reset.
#[derive(Clone, Debug)]
pub struct RegInfo {
    /// Its clock domain.
    pub domain: DomainId,
    /// Value under the domain's synchronous reset (or under `async_reset`); none: not reset.
    pub reset: Option<Value>,
    /// An asynchronous active-high reset instead of the domain's synchronous one.
    pub async_reset: Option<NodeId>,
    /// First stage of a clock-crossing primitive: its input may come from any domain.
    pub crossing: bool,
    /// For a state register: the variants' names, by value.
    pub states: Option<Rc<StateNames>>,
}

/// Names of an enumerated state, for the emitter's `localparam`s, waveforms and the check for states never reached.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StateNames {
    /// The Rust enum's name.
    pub name: &'static str,
    /// `(variant, encoded value)`.
    pub variants: Vec<(&'static str, u64)>,
}

/// What a signal is.
#[derive(Clone, Debug)]
pub enum SigKind {
    /// Input port of the module.
    Input,
    /// Driven by statements, combinational: a wire or an output port.
    Comb,
    /// Driven by statements at the clock edge: a register, or an output port that is one.
    Reg(RegInfo),
    /// Input pin of an instance: driven by statements.
    InstIn {
        /// Index in [`Module::insts`].
        inst: u32,
        /// Index in the instance's port list.
        port: u32,
    },
    /// Output pin of an instance: driven by it.
    InstOut {
        /// Index in [`Module::insts`].
        inst: u32,
        /// Index in the instance's port list.
        port: u32,
    },
}

/// A signal.
#[derive(Clone, Debug)]
pub struct Sig {
    /// Its name; empty until a `let` or `named()` gives one (registers and wires only).
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// What it is.
    pub kind: SigKind,
    /// Is it a port of the module?
    pub port: Option<Dir>,
    /// Clock domain that a port or an instance's pin belongs to.
    pub domain: DomainId,
    /// Where it was made.
    pub loc: Loc,
    /// Doc comment of the bundle's field.
    pub doc: &'static str,
    /// Bits that the author declared unused with `ignore()`.
    pub ignored: bool,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `target[lsb +: width of value] = value`.
    Assign {
        /// What is driven.
        target: SigId,
        /// Lowest bit driven.
        lsb: u32,
        /// Driven with.
        value: NodeId,
        /// Where.
        loc: Loc,
    },
    /// `if (cond) then else otherwise`.
    If {
        /// 1 bit.
        cond: NodeId,
        /// Statements when it is 1.
        then: Vec<Stmt>,
        /// Statements when it is 0.
        otherwise: Vec<Stmt>,
        /// Where.
        loc: Loc,
    },
    /// `case (subject)`; arms are disjoint constants.
    Switch {
        /// What is compared.
        subject: NodeId,
        /// `(values, statements)`.
        arms: Vec<(Vec<Value>, Vec<Stmt>)>,
        /// Statements when no arm matches.
        default: Vec<Stmt>,
        /// Where.
        loc: Loc,
    },
}

/// What an instance is an instance of.
#[derive(Clone, Debug)]
pub enum Target {
    /// Another module.
    Module(Rc<Module>),
    /// A memory.
    Memory(Rc<crate::MemSpec>),
}

/// A pin of a module or memory as its user sees it.
#[derive(Clone, Debug)]
pub struct Pin {
    /// Port name.
    pub name: String,
    /// Direction seen from the instance.
    pub dir: Dir,
    /// Width in bits.
    pub width: u32,
    /// Domain inside the instance.
    pub domain: DomainId,
    /// Doc comment.
    pub doc: &'static str,
}

/// An instance.
#[derive(Clone, Debug)]
pub struct Inst {
    /// Instance name (a Rust binding's or field's).
    pub name: String,
    /// Of what.
    pub target: Target,
    /// One a pin, in the order of [`Target::pins`].
    pub pins: Vec<SigId>,
    /// For each domain of the target, the parent's domain that feeds its clock and reset.
    pub domains: Vec<DomainMap>,
    /// Where.
    pub loc: Loc,
}

/// What feeds one clock domain of an instance.
#[derive(Clone, Copy, Debug)]
pub struct DomainMap {
    /// The parent's domain whose clock is used.
    pub domain: DomainId,
    /// A reset other than that domain's own.
    pub reset: Option<NodeId>,
}

/// A clock domain of a module.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Domain {
    /// Empty for the default domain; [`Domain::ASYNC`] for signals of no clock.
    pub name: String,
}

impl Domain {
    /// Name of the pseudo-domain of asynchronous inputs.
    pub const ASYNC: &'static str = "async";

    /// The clock port.
    pub fn clk(&self) -> String {
        if self.name.is_empty() { "clk".into() } else { format!("{}_clk", self.name) }
    }

    /// The reset port.
    pub fn rst(&self) -> String {
        if self.name.is_empty() { "rst".into() } else { format!("{}_rst", self.name) }
    }

    /// For messages: `clk` or `NAME_clk`.
    pub fn label(&self) -> String {
        if self.name == Self::ASYNC { "no clock (asynchronous)".into() } else { format!("`{}`", self.clk()) }
    }
}

/// Kind of a property.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PropKind {
    /// Must hold at every clock edge out of reset.
    Assert,
    /// Taken for granted about the inputs.
    Assume,
    /// Must be reachable.
    Cover,
}

/// A property, looked at on each edge of its domain's clock while reset is low.
#[derive(Clone, Debug)]
pub struct Prop {
    /// Assert, assume or cover.
    pub kind: PropKind,
    /// Label, unique in the module.
    pub name: String,
    /// The sentence of the contract.
    pub message: String,
    /// 1 bit.
    pub cond: NodeId,
    /// Clock domain.
    pub domain: DomainId,
    /// Where.
    pub loc: Loc,
}

/// A finished module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Name in Verilog: the block's, with those parameters folded in that tell it from its namesakes.
    pub name: String,
    /// The block's own name.
    pub base_name: String,
    /// The block's type with the modules that it stands in, such as `em_rtl::stream::skid::Skid`.
    pub block: &'static str,
    /// Parameters that may be folded into the name.
    pub params: Vec<(&'static str, String)>,
    /// One sentence on what it does.
    pub doc: String,
    /// Signals; ports come first, in order.
    pub sigs: Vec<Sig>,
    /// Expressions.
    pub nodes: Vec<Node>,
    /// Statements in program order.
    pub stmts: Vec<Stmt>,
    /// Instances.
    pub insts: Vec<Inst>,
    /// Clock domains; 0 is the default.
    pub domains: Vec<Domain>,
    /// Properties.
    pub props: Vec<Prop>,
    /// Nodes whose unused bits go to the named sink.
    pub ignored: Vec<NodeId>,
    /// Does anything in the module (or below) use each domain's clock, and its reset?
    pub clocks_used: Vec<ClockUse>,
    /// Where the block was instantiated.
    pub loc: Loc,
}

/// Which of a domain's two ports exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockUse {
    /// The clock port.
    pub clk: bool,
    /// The reset port.
    pub rst: bool,
}

impl Module {
    /// The node `id`.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The signal `id`.
    pub fn sig(&self, id: SigId) -> &Sig {
        &self.sigs[id.0 as usize]
    }

    /// Ports in order: signal and direction. Clocks and resets are not among them (see [`Module::clocks_used`]).
    pub fn ports(&self) -> impl Iterator<Item = (SigId, &Sig, Dir)> {
        self.sigs.iter().enumerate().filter_map(|(i, s)| s.port.map(|d| (SigId(i as u32), s, d)))
    }

    /// Every port as it stands in the Verilog, clocks and resets first: name, direction, width.
    pub fn verilog_ports(&self) -> Vec<(String, Dir, u32)> {
        let mut all = Vec::new();
        for (d, used) in self.domains.iter().zip(&self.clocks_used) {
            if used.clk {
                all.push((d.clk(), Dir::In, 1));
            }
            if used.rst {
                all.push((d.rst(), Dir::In, 1));
            }
        }
        all.extend(self.ports().map(|(_, s, d)| (s.name.clone(), d, s.width)));
        all
    }
}

impl Target {
    /// The pins in order.
    pub fn pins(&self) -> Vec<Pin> {
        match self {
            Target::Memory(spec) => spec.pins(),
            Target::Module(m) => m
                .ports()
                .map(|(_, s, dir)| Pin { name: s.name.clone(), dir, width: s.width, domain: s.domain, doc: s.doc })
                .collect(),
        }
    }

    /// Number of clock domains.
    pub fn domains(&self) -> Vec<Domain> {
        match self {
            Target::Memory(spec) => spec.domains(),
            Target::Module(m) => m.domains.clone(),
        }
    }

    /// Module name in Verilog.
    pub fn name(&self) -> String {
        match self {
            Target::Memory(spec) => spec.module_name(),
            Target::Module(m) => m.name.clone(),
        }
    }
}
