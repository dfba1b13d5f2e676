//! Clock edges: each clock's registers take their next values, one after the other in an order in which none is
//! overwritten before every other that reads it has taken its value.

use super::{
    flatten::Flat,
    program::{Compiler, Instr, words},
};
use crate::ir::{NodeId, Op};
use std::collections::{HashMap, HashSet};

/// How one register is updated.
enum Update {
    /// Keeps its value.
    Hold,
    /// Takes the value of a node.
    Take(NodeId),
    /// One or the other by a condition.
    Choose(NodeId, Box<[Update; 2]>),
}

impl Update {
    fn reads(&self, to: &mut Vec<NodeId>) {
        match self {
            Update::Hold => {}
            Update::Take(n) => to.push(*n),
            Update::Choose(c, branches) => {
                to.push(*c);
                branches.iter().for_each(|b| b.reads(to));
            }
        }
    }

    /// Wide registers are updated through jumps, so that a branch not taken costs nothing; a multiplexer that occurs
    /// twice is computed.
    fn of(flat: &Flat, held: NodeId, next: NodeId, seen: &mut HashSet<NodeId>) -> Update {
        if next == held {
            return Update::Hold;
        }
        match flat.graph.op(next) {
            Some(Op::Mux(c, t, f)) if flat.graph.width(held) > 64 && seen.insert(next) => {
                let branches = [Update::of(flat, held, *t, seen), Update::of(flat, held, *f, seen)];
                Update::Choose(*c, Box::new(branches))
            }
            _ => Update::Take(next),
        }
    }
}

/// What the edge of each clock does, after the plan is compiled.
pub(super) struct Plan {
    updates: Vec<Update>,
}

/// Decides how registers are updated.
pub(super) fn plan(flat: &Flat) -> Plan {
    let updates = flat.regs.iter().map(|r| Update::of(flat, r.held, r.next, &mut HashSet::new())).collect();
    Plan { updates }
}

impl Plan {
    /// Nodes that must be computed before an edge.
    pub fn roots(&self) -> Vec<NodeId> {
        let mut roots = Vec::new();
        self.updates.iter().for_each(|u| u.reads(&mut roots));
        roots
    }

    /// Code for each clock's edge; copies that must be made beforehand are appended to `main`.
    pub fn compile(mut self, flat: &Flat, compiler: &mut Compiler, main: &mut Vec<Instr>) -> Vec<Vec<Instr>> {
        // Slices may share their operand's words, so it is places that tell which registers are read.
        let mut owner: HashMap<u32, usize> = HashMap::new();
        for (i, r) in flat.regs.iter().enumerate() {
            let at = compiler.place(r.held).expect("sources have places");
            (0..words(flat.graph.width(r.held))).for_each(|k| {
                owner.insert(at + k, i);
            });
        }
        let mut reads: Vec<HashSet<usize>> = Vec::new();
        let mut buffered: Vec<Option<u32>> = vec![None; flat.regs.len()];
        for (i, u) in self.updates.iter().enumerate() {
            let mut nodes = Vec::new();
            u.reads(&mut nodes);
            let of = |n: &NodeId| owner.get(&compiler.place(*n).expect("roots are compiled")).copied();
            reads.push(nodes.iter().filter_map(of).filter(|r| *r != i).collect());
        }
        let crosses = |i: usize| reads[i].iter().any(|r| flat.regs[*r].clock != flat.regs[i].clock);
        let crossing: Vec<usize> = (0..flat.regs.len()).filter(|i| crosses(*i)).collect();
        for i in crossing {
            self.buffer(flat, i, compiler, main, &mut reads, &mut buffered);
        }
        let mut codes = vec![Vec::new(); flat.clocks.len()];
        let mut readers = vec![0; flat.regs.len()];
        reads.iter().flatten().for_each(|r| readers[*r] += 1);
        let mut placed = vec![false; flat.regs.len()];
        let mut ready: Vec<usize> = (0..flat.regs.len()).rev().filter(|i| readers[*i] == 0).collect();
        let mut next = 0;
        while next < flat.regs.len() {
            while let Some(i) = ready.pop() {
                if std::mem::replace(&mut placed[i], true) {
                    continue;
                }
                let (reg, code) = (&flat.regs[i], &mut codes[flat.regs[i].clock]);
                let d = compiler.place(reg.held).expect("sources have places");
                let n = words(flat.graph.width(reg.held));
                match buffered[i] {
                    Some(a) => code.push(Instr::Copy { d, a, n }),
                    None => emit(&self.updates[i], d, n, compiler, code),
                }
                release(std::mem::take(&mut reads[i]), &mut readers, &mut ready);
            }
            match placed[next] {
                true => next += 1,
                false => {
                    // A ring of registers that read each other: one of them is taken through a buffer.
                    let released = self.buffer(flat, next, compiler, main, &mut reads, &mut buffered);
                    if released.is_empty() {
                        let reader =
                            (0..reads.len()).find(|r| reads[*r].contains(&next)).expect("it waits for a reader");
                        let released = self.buffer(flat, reader, compiler, main, &mut reads, &mut buffered);
                        release(released, &mut readers, &mut ready);
                    } else {
                        release(released, &mut readers, &mut ready);
                    }
                }
            }
        }
        codes
    }

    /// Computes a register's next value into words of its own, ahead of the edge; returns what it no longer reads.
    fn buffer(
        &mut self,
        flat: &Flat,
        i: usize,
        compiler: &mut Compiler,
        main: &mut Vec<Instr>,
        reads: &mut [HashSet<usize>],
        buffered: &mut [Option<u32>],
    ) -> HashSet<usize> {
        if buffered[i].is_none() {
            let next = flat.regs[i].next;
            main.extend(compiler.compile(&flat.graph, [next]));
            let (a, n) = (compiler.place(next).expect("just compiled"), words(flat.graph.width(next)));
            let d = compiler.room(n);
            main.push(Instr::Copy { d, a, n });
            buffered[i] = Some(d);
        }
        std::mem::take(&mut reads[i])
    }
}

fn release(no_longer_read: HashSet<usize>, readers: &mut [i32], ready: &mut Vec<usize>) {
    for r in no_longer_read {
        readers[r] -= 1;
        if readers[r] == 0 {
            ready.push(r);
        }
    }
}

fn emit(update: &Update, d: u32, n: u32, compiler: &Compiler, code: &mut Vec<Instr>) {
    let place = |id: &NodeId| compiler.place(*id).expect("roots are compiled");
    match update {
        Update::Hold => {}
        Update::Take(node) => code.push(Instr::Copy { d, a: place(node), n }),
        Update::Choose(c, branches) => {
            let test = code.len();
            code.push(Instr::Unless { c: place(c), to: 0 });
            emit(&branches[0], d, n, compiler, code);
            let mut end = code.len() as u32;
            if !matches!(branches[1], Update::Hold) {
                code.push(Instr::Goto { to: 0 });
                end += 1;
            }
            code[test] = Instr::Unless { c: place(c), to: end };
            emit(&branches[1], d, n, compiler, code);
            if !matches!(branches[1], Update::Hold) {
                code[end as usize - 1] = Instr::Goto { to: code.len() as u32 };
            }
        }
    }
}
