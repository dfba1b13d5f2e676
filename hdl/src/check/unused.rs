//! Signals and bits that nothing uses.
//!
//! A use is a reference in the emitted text: a slice uses the bits it takes, every other operation all bits of its
//! operands. What is reached from the output ports, the instances' inputs and `ignore()` is used by *logic*; what
//! only properties reach stands under `` `ifdef EM_ASSERT`` in the Verilog.

use super::{bits_text, clocks_of, describe, drive::Drivers, error, place, range, verb};
use crate::{
    Value,
    error::{ElabError, Fault},
    ir::*,
};

/// Who uses a signal or an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Nobody: an expression of this kind is not emitted.
    Nobody,
    /// Only properties.
    Properties,
    /// The logic itself.
    Logic,
}

/// Which bits of each signal and expression are used, by logic and by properties.
pub struct Uses {
    logic: Masks,
    props: Masks,
}

struct Masks {
    nodes: Vec<Value>,
    sigs: Vec<Value>,
}

impl Uses {
    /// Of a finished module.
    pub fn of(m: &Module) -> Self {
        Self::with_drivers(m, &Drivers::of(m))
    }

    fn with_drivers(m: &Module, drivers: &Drivers) -> Self {
        let mut logic = Walk::new(m, drivers);
        for (i, s) in m.sigs.iter().enumerate() {
            if s.port == Some(Dir::Out) || matches!(s.kind, SigKind::InstIn { .. }) {
                logic.sig(SigId(i as u32), &Value::ones(s.width));
            }
        }
        for n in &m.ignored {
            logic.whole(*n);
        }
        // An instance's own reset stands in the text whatever the instance does.
        for map in m.insts.iter().flat_map(|i| &i.domains) {
            map.reset.iter().for_each(|n| logic.whole(*n));
        }
        let logic = logic.run();
        let mut props = Walk::new(m, drivers);
        m.props.iter().for_each(|p| props.whole(p.cond));
        Uses { logic, props: props.run() }
    }

    /// Who uses an expression.
    pub fn node(&self, id: NodeId) -> Use {
        who(&self.logic.nodes[id.0 as usize], &self.props.nodes[id.0 as usize])
    }

    /// Who uses a signal.
    pub fn sig(&self, id: SigId) -> Use {
        who(&self.logic.sigs[id.0 as usize], &self.props.sigs[id.0 as usize])
    }
}

fn who(logic: &Value, props: &Value) -> Use {
    match (logic.is_zero(), props.is_zero()) {
        (false, _) => Use::Logic,
        (true, false) => Use::Properties,
        (true, true) => Use::Nobody,
    }
}

struct Walk<'a> {
    m: &'a Module,
    drivers: &'a Drivers,
    used: Masks,
    queue: Vec<(NodeId, Value)>,
}

impl<'a> Walk<'a> {
    fn new(m: &'a Module, drivers: &'a Drivers) -> Self {
        let nodes = m.nodes.iter().map(|n| Value::zero(n.width)).collect();
        let sigs = m.sigs.iter().map(|s| Value::zero(s.width)).collect();
        Walk { m, drivers, used: Masks { nodes, sigs }, queue: vec![] }
    }

    fn whole(&mut self, n: NodeId) {
        self.queue.push((n, Value::ones(self.m.node(n).width)));
    }

    fn sig(&mut self, s: SigId, bits: &Value) {
        let known = &mut self.used.sigs[s.0 as usize];
        let first = known.is_zero();
        *known = known.zip(bits, |a, b| a | b);
        if !first {
            return;
        }
        let drivers = self.drivers;
        for d in drivers.get(s) {
            self.whole(d.value);
            d.conds.iter().for_each(|c| self.whole(*c));
        }
        if let SigKind::Reg(RegInfo { async_reset: Some(n), .. }) = self.m.sig(s).kind {
            self.whole(n);
        }
    }

    fn run(mut self) -> Masks {
        let m = self.m;
        while let Some((id, bits)) = self.queue.pop() {
            let known = &mut self.used.nodes[id.0 as usize];
            let first = known.is_zero();
            let all = known.zip(&bits, |a, b| a | b);
            if *known == all {
                continue;
            }
            *known = all;
            let node = m.node(id);
            match &node.op {
                Op::Sig(s) => self.sig(*s, &bits),
                Op::Slice(of, lsb) => {
                    let bits = range(m.node(*of).width, *lsb, node.width);
                    self.queue.push((*of, bits));
                }
                op if first => op.operands().into_iter().for_each(|o| self.whole(o)),
                _ => {}
            }
        }
        self.used
    }
}

pub(super) fn check(m: &Module, drivers: &Drivers, errors: &mut Vec<ElabError>) {
    let uses = Uses::with_drivers(m, drivers);
    clocks(m, &uses, errors);
    for (i, s) in m.sigs.iter().enumerate() {
        let (logic, props) = (&uses.logic.sigs[i], &uses.props.sigs[i]);
        let what = describe(m, SigId(i as u32));
        let Some((bits, by_props)) = unused_bits(logic, props, can_hide(s)) else { continue };
        let part = part(&what, &bits);
        let is = if bits.is_ones() { "is" } else { verb(&bits) };
        let message = match (by_props, &s.kind) {
            (true, _) => format!(
                "{part} {is} used only by properties, which are left out of synthesis: use {} in the logic, or `ignore()` {}",
                them(&bits),
                them(&bits)
            ),
            (false, SigKind::Input | SigKind::InstOut { .. }) => {
                format!("{part} {is} never used: use {0}, or `ignore()` {0}", them(&bits))
            }
            (false, SigKind::Reg(_)) if bits.is_ones() && reads_itself(m, drivers, SigId(i as u32)) => {
                format!("{part} is used only to compute itself: remove it, or `ignore()` it")
            }
            (false, _) => format!("{part} {is} never used: remove {0}, or `ignore()` {0}", them(&bits)),
        };
        errors.push(error(m, Fault::Unused, s.loc, message));
    }
    for (i, n) in m.nodes.iter().enumerate() {
        if matches!(n.op, Op::Sig(_) | Op::Const(_)) {
            continue;
        }
        let (logic, props) = (&uses.logic.nodes[i], &uses.props.nodes[i]);
        if logic.is_zero() && props.is_zero() {
            continue; // not emitted
        }
        let Some((bits, by_props)) = unused_bits(logic, props, true) else { continue };
        let what = match &n.name {
            Some(name) => format!("`{name}`"),
            None => format!("the value made at {}", place(n.loc)),
        };
        let only = if by_props { "used only by properties" } else { "never used" };
        let message = format!(
            "{} {} {only}: slice the operands before, or `ignore()` {}",
            part(&what, &bits),
            verb(&bits),
            them(&bits)
        );
        errors.push(error(m, Fault::Unused, n.loc, message));
    }
}

/// Clock and reset ports that nothing but properties would use in the text.
fn clocks(m: &Module, uses: &Uses, errors: &mut Vec<ElabError>) {
    // A register that nobody uses is an error of its own.
    let logic = clocks_of(m, |s| uses.sig(s) != Use::Properties);
    for ((domain, all), logic) in m.domains.iter().zip(&m.clocks_used).zip(logic) {
        let (port, remedy) = match (all.clk && !logic.clk, all.rst && !logic.rst) {
            (true, _) => (domain.clk(), "state them in a block that has registers"),
            (false, true) => {
                (domain.rst(), "give a register of this clock a reset, or state them in a block that has one")
            }
            (false, false) => continue,
        };
        let message = format!("`{port}` is used only by properties, which are left out of synthesis: {remedy}");
        errors.push(error(m, Fault::Unused, m.loc, message));
    }
}

fn part(what: &str, bits: &Value) -> String {
    if bits.is_ones() { what.into() } else { format!("{} of {what}", bits_text(bits)) }
}

fn them(bits: &Value) -> &'static str {
    if bits.is_ones() || bits.count_ones() == 1 { "it" } else { "them" }
}

/// May the whole signal stand under `` `ifdef EM_ASSERT``?
fn can_hide(s: &Sig) -> bool {
    s.port.is_none() && matches!(s.kind, SigKind::Reg(_) | SigKind::Comb)
}

/// The bits that would be unused in the text, and whether properties use all of these.
fn unused_bits(logic: &Value, props: &Value, can_hide: bool) -> Option<(Value, bool)> {
    let hidden = logic.is_zero() && !props.is_zero() && can_hide;
    let bits = if hidden { props.not() } else { logic.not() };
    if bits.is_zero() {
        return None;
    }
    let by_props = !hidden && bits.zip(props, |b, p| b & !p).is_zero();
    Some((bits, by_props))
}

fn reads_itself(m: &Module, drivers: &Drivers, s: SigId) -> bool {
    let mut walk = Walk::new(m, drivers);
    for d in drivers.get(s) {
        walk.whole(d.value);
        d.conds.iter().for_each(|c| walk.whole(*c));
    }
    !walk.run().sigs[s.0 as usize].is_zero()
}
