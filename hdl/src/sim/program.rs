//! Compilation: the flat graph becomes bytecode over one array of words.
//!
//! Every node has a place, the index of its lowest word. Sources and constants come first, and each result lies above
//! its operands, so that the array can be split between what an instruction reads and what it writes.

use super::graph::{Expr, Graph};
use crate::{
    ir::{NodeId, Op},
    value::words_for,
};

/// An instruction. `d` is where the result goes, `n` its number of words, `cut` how many bits of its last word are
/// unused. Those ending in `W` work on any number of words, the others on one.
#[derive(Clone, Debug)]
#[rustfmt::skip]
pub(super) enum Instr {
    Not { d: u32, a: u32, cut: u8 },
    And { d: u32, a: u32, b: u32 },
    Or { d: u32, a: u32, b: u32 },
    Xor { d: u32, a: u32, b: u32 },
    Add { d: u32, a: u32, b: u32, cut: u8 },
    Sub { d: u32, a: u32, b: u32, cut: u8 },
    Mul { d: u32, a: u32, b: u32, cut: u8 },
    Eq { d: u32, a: u32, b: u32 },
    Ult { d: u32, a: u32, b: u32 },
    Slt { d: u32, a: u32, b: u32, cut: u8 },
    Shl { d: u32, a: u32, by: u32, cut: u8 },
    Shr { d: u32, a: u32, by: u32 },
    Sar { d: u32, a: u32, by: u32, cut: u8 },
    /// Bits of one word.
    Bits { d: u32, a: u32, lsb: u8, cut: u8 },
    /// Bits that straddle words `a` and `a + 1`.
    Straddle { d: u32, a: u32, lsb: u8, cut: u8 },
    /// `high << by | low`.
    Join { d: u32, high: u32, low: u32, by: u8 },
    Mux { d: u32, c: u32, t: u32, f: u32 },
    /// 1 if the word is that of all ones.
    All { d: u32, a: u32, cut: u8 },
    Any { d: u32, a: u32 },
    Parity { d: u32, a: u32 },
    /// The bit in all places.
    Spread { d: u32, a: u32, n: u32, cut: u8 },
    /// A number of `n` words as one, saturating.
    Saturate { d: u32, a: u32, n: u32 },
    /// `tables[table + min(index, count - 1)]` is the place of the option.
    Pick { d: u32, index: u32, table: u32, count: u32, n: u32 },
    /// A word of a memory.
    Read { d: u32, mem: u32, addr: u32, n: u32 },
    Copy { d: u32, a: u32, n: u32 },
    Zero { d: u32, n: u32 },
    /// `d |= field << at`, the field being the bits of `a` from `lsb` upwards that `cut` leaves of 64.
    Field { d: u32, at: u8, a: u32, lsb: u8, cut: u8 },
    /// `d |= a << at` for `a` of `n` words; `at` < 64.
    Place { d: u32, at: u8, a: u32, n: u32, cut: u8 },
    NotW { d: u32, a: u32, n: u32, cut: u8 },
    AndW { d: u32, a: u32, b: u32, n: u32 },
    OrW { d: u32, a: u32, b: u32, n: u32 },
    XorW { d: u32, a: u32, b: u32, n: u32 },
    AddW { d: u32, a: u32, b: u32, n: u32, cut: u8 },
    SubW { d: u32, a: u32, b: u32, n: u32, cut: u8 },
    MulW { d: u32, a: u32, b: u32, n: u32, cut: u8 },
    EqW { d: u32, a: u32, b: u32, n: u32 },
    UltW { d: u32, a: u32, b: u32, n: u32 },
    SltW { d: u32, a: u32, b: u32, n: u32, cut: u8 },
    ShlW { d: u32, a: u32, by: u32, n: u32, cut: u8 },
    ShrW { d: u32, a: u32, by: u32, n: u32 },
    SarW { d: u32, a: u32, by: u32, n: u32, cut: u8 },
    /// `n` words from bit `lsb` of `a` upwards; `have` words are there to read.
    SliceW { d: u32, a: u32, lsb: u8, have: u32, n: u32, cut: u8 },
    MuxW { d: u32, c: u32, t: u32, f: u32, n: u32 },
    AllW { d: u32, a: u32, n: u32, cut: u8 },
    AnyW { d: u32, a: u32, n: u32 },
    ParityW { d: u32, a: u32, n: u32 },
    /// Goes to instruction `to` if the bit is 0.
    Unless { c: u32, to: u32 },
    Goto { to: u32 },
}

const NOWHERE: u32 = u32::MAX;

/// Places of the nodes compiled so far, and the words to start from.
#[derive(Default)]
pub(super) struct Compiler {
    places: Vec<u32>,
    /// Initial contents of the array: constants are there.
    pub words: Vec<u64>,
    /// Places of the options of [`Instr::Pick`].
    pub tables: Vec<u32>,
}

fn cut(width: u32) -> u8 {
    ((64 - width % 64) % 64) as u8
}

pub(super) fn words(width: u32) -> u32 {
    words_for(width) as u32
}

impl Compiler {
    /// Where the node is, if it was compiled.
    pub fn place(&self, id: NodeId) -> Option<u32> {
        self.places.get(id.0 as usize).copied().filter(|p| *p != NOWHERE)
    }

    fn at(&self, id: NodeId) -> u32 {
        self.place(id).expect("operands are compiled before their users")
    }

    /// New words at the end of the array.
    pub fn room(&mut self, n: u32) -> u32 {
        let at = self.words.len();
        self.words.resize(at + n as usize, 0);
        u32::try_from(at).expect("fewer than 2^32 words")
    }

    /// Gives places to all sources and compiles what `roots` need and was not compiled before.
    pub fn compile(&mut self, g: &Graph, roots: impl IntoIterator<Item = NodeId>) -> Vec<Instr> {
        if self.places.is_empty() {
            self.places.resize(g.nodes.len(), NOWHERE);
            for i in 0..g.nodes.len() {
                if g.is_source(NodeId(i as u32)) {
                    self.places[i] = self.room(words(g.nodes[i].1));
                }
            }
        }
        let mut needed = vec![false; g.nodes.len()];
        let mut stack: Vec<NodeId> = roots.into_iter().collect();
        while let Some(id) = stack.pop() {
            let i = id.0 as usize;
            if needed[i] || self.places[i] != NOWHERE {
                continue;
            }
            needed[i] = true;
            match g.expr(id) {
                Expr::Op(Op::Concat(parts)) => stack.extend(parts.iter().map(|p| self.field(g, *p).0)),
                other => stack.extend(other.operands()),
            }
        }
        let mut code = Vec::new();
        for i in (0..needed.len()).filter(|i| needed[*i]) {
            self.node(g, NodeId(i as u32), &mut code);
        }
        code
    }

    /// A part of a concatenation as a field of another node: slices of at most a word are read where they lie.
    fn field(&self, g: &Graph, part: NodeId) -> (NodeId, u32) {
        match g.op(part) {
            Some(Op::Slice(a, lsb)) if g.width(part) <= 64 && self.place(part).is_none() => (*a, *lsb),
            _ => (part, 0),
        }
    }

    fn node(&mut self, g: &Graph, id: NodeId, code: &mut Vec<Instr>) {
        let width = g.width(id);
        let place = match g.expr(id) {
            Expr::Op(Op::Const(v)) => {
                let d = self.room(words(width));
                self.words[d as usize..].copy_from_slice(v.words());
                d
            }
            Expr::Op(Op::Slice(a, lsb)) => self.slice(g, *a, *lsb, width, code),
            Expr::Op(Op::Concat(parts)) => self.concat(g, parts, width, code),
            Expr::Op(op) => {
                let amount = match op {
                    Op::Shl(_, by) | Op::Shr(_, by) | Op::Sar(_, by) | Op::Select(by, _) => self.amount(g, *by, code),
                    _ => NOWHERE,
                };
                let d = self.room(words(width));
                let instr = self.operation(g, op, width, d, amount);
                code.push(instr);
                d
            }
            Expr::Read { mem, addr } => {
                let d = self.room(words(width));
                code.push(Instr::Read { d, mem: *mem, addr: self.at(*addr), n: words(width) });
                d
            }
        };
        self.places[id.0 as usize] = place;
    }

    fn slice(&mut self, g: &Graph, a: NodeId, lsb: u32, width: u32, code: &mut Vec<Instr>) -> u32 {
        let from = self.at(a) + lsb / 64;
        let whole = lsb + width == g.width(a) || width.is_multiple_of(64);
        if lsb.is_multiple_of(64) && whole {
            return from;
        }
        let d = self.room(words(width));
        let (lsb, cut, n) = ((lsb % 64) as u8, cut(width), words(width));
        let have = words(g.width(a)) - (from - self.at(a));
        code.push(match n {
            1 if u32::from(lsb) + width <= 64 => Instr::Bits { d, a: from, lsb, cut },
            1 => Instr::Straddle { d, a: from, lsb, cut },
            _ => Instr::SliceW { d, a: from, lsb, have, n, cut },
        });
        d
    }

    fn concat(&mut self, g: &Graph, parts: &[NodeId], width: u32, code: &mut Vec<Instr>) -> u32 {
        let zero = |p: &NodeId| g.as_const(*p).is_some_and(crate::Value::is_zero);
        let low = *parts.last().expect("a concatenation has parts");
        let extended = parts[..parts.len() - 1].iter().all(zero);
        if width <= 64 {
            return match (extended, parts) {
                (true, _) if self.place(low).is_some() => self.at(low),
                (false, [high, low]) if self.place(*high).is_some() && self.place(*low).is_some() => {
                    let d = self.room(1);
                    let by = g.width(*low) as u8;
                    code.push(Instr::Join { d, high: self.at(*high), low: self.at(*low), by });
                    d
                }
                _ => self.fields(g, parts, width, code),
            };
        }
        if extended && words(g.width(low)) == words(width) && self.place(low).is_some() {
            return self.at(low);
        }
        self.fields(g, parts, width, code)
    }

    fn fields(&mut self, g: &Graph, parts: &[NodeId], width: u32, code: &mut Vec<Instr>) -> u32 {
        let zero = |p: &NodeId| g.as_const(*p).is_some_and(crate::Value::is_zero);
        let d = self.room(words(width));
        code.push(Instr::Zero { d, n: words(width) });
        let mut lsb = 0;
        for p in parts.iter().rev() {
            let (w, (from, skip)) = (g.width(*p), self.field(g, *p));
            let (to, at) = (d + lsb / 64, (lsb % 64) as u8);
            let a = self.at(from) + skip / 64;
            match (w, at) {
                _ if zero(p) => {}
                (..=64, _) => code.push(Instr::Field { d: to, at, a, lsb: (skip % 64) as u8, cut: cut(w) }),
                (_, 0) => code.push(Instr::Copy { d: to, a, n: words(w) }),
                _ => code.push(Instr::Place { d: to, at, a, n: words(w), cut: cut(w) }),
            }
            lsb += w;
        }
        d
    }

    /// An amount or index as one word.
    fn amount(&mut self, g: &Graph, id: NodeId, code: &mut Vec<Instr>) -> u32 {
        let n = words(g.width(id));
        if n == 1 {
            return self.at(id);
        }
        let d = self.room(1);
        code.push(Instr::Saturate { d, a: self.at(id), n });
        d
    }

    fn operation(&mut self, g: &Graph, op: &Op, width: u32, d: u32, by: u32) -> Instr {
        let (n, cut_d) = (words(width), cut(width));
        let operands = op.operands();
        let wide = words(g.width(operands[0])) > 1;
        let (a, cut_a, n_a) =
            (self.place(operands[0]).unwrap_or(NOWHERE), cut(g.width(operands[0])), words(g.width(operands[0])));
        let b = operands.get(1).map_or(NOWHERE, |o| self.at(*o));
        match op {
            Op::Not(_) if wide => Instr::NotW { d, a, n, cut: cut_d },
            Op::Not(_) => Instr::Not { d, a, cut: cut_d },
            Op::And(..) if wide => Instr::AndW { d, a, b, n },
            Op::And(..) => Instr::And { d, a, b },
            Op::Or(..) if wide => Instr::OrW { d, a, b, n },
            Op::Or(..) => Instr::Or { d, a, b },
            Op::Xor(..) if wide => Instr::XorW { d, a, b, n },
            Op::Xor(..) => Instr::Xor { d, a, b },
            Op::Add(..) if wide => Instr::AddW { d, a, b, n, cut: cut_d },
            Op::Add(..) => Instr::Add { d, a, b, cut: cut_d },
            Op::Sub(..) if wide => Instr::SubW { d, a, b, n, cut: cut_d },
            Op::Sub(..) => Instr::Sub { d, a, b, cut: cut_d },
            Op::Mul(..) if wide => Instr::MulW { d, a, b, n, cut: cut_d },
            Op::Mul(..) => Instr::Mul { d, a, b, cut: cut_d },
            Op::Eq(..) if wide => Instr::EqW { d, a, b, n: n_a },
            Op::Eq(..) => Instr::Eq { d, a, b },
            Op::Ult(..) if wide => Instr::UltW { d, a, b, n: n_a },
            Op::Ult(..) => Instr::Ult { d, a, b },
            Op::Slt(..) if wide => Instr::SltW { d, a, b, n: n_a, cut: cut_a },
            Op::Slt(..) => Instr::Slt { d, a, b, cut: cut_a },
            Op::Shl(..) if wide => Instr::ShlW { d, a, by, n, cut: cut_d },
            Op::Shl(..) => Instr::Shl { d, a, by, cut: cut_d },
            Op::Shr(..) if wide => Instr::ShrW { d, a, by, n },
            Op::Shr(..) => Instr::Shr { d, a, by },
            Op::Sar(..) if wide => Instr::SarW { d, a, by, n, cut: cut_d },
            Op::Sar(..) => Instr::Sar { d, a, by, cut: cut_d },
            Op::Mux(_, t, f) => match (self.at(*t), self.at(*f)) {
                (t, f) if n > 1 => Instr::MuxW { d, c: a, t, f, n },
                (t, f) => Instr::Mux { d, c: a, t, f },
            },
            Op::Select(_, options) => {
                let table = self.tables.len() as u32;
                let places: Vec<u32> = options.iter().map(|o| self.at(*o)).collect();
                self.tables.extend(places);
                Instr::Pick { d, index: by, table, count: options.len() as u32, n }
            }
            Op::Repeat(..) => Instr::Spread { d, a, n, cut: cut_d },
            Op::RedAnd(_) if wide => Instr::AllW { d, a, n: n_a, cut: cut_a },
            Op::RedAnd(_) => Instr::All { d, a, cut: cut_a },
            Op::RedOr(_) if wide => Instr::AnyW { d, a, n: n_a },
            Op::RedOr(_) => Instr::Any { d, a },
            Op::RedXor(_) if wide => Instr::ParityW { d, a, n: n_a },
            Op::RedXor(_) => Instr::Parity { d, a },
            Op::Const(_) | Op::Sig(_) | Op::Slice(..) | Op::Concat(_) => unreachable!("handled before"),
        }
    }
}
