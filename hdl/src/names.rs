//! Names: every signal and instance gets one that is an identifier, no keyword and the same on every run.

use crate::{
    Bits,
    bundle::{Bundle, Field},
    ir::*,
};
use std::collections::{HashMap, HashSet};

/// Words of Verilog-2005 and SystemVerilog that are never emitted as names.
const KEYWORDS: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins \
binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint context continue \
cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end endcase endchecker endclass endclocking \
endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram endproperty endsequence endspecify \
endtable endtask enum event eventually expect export extends extern final first_match for force foreach forever fork forkjoin function \
generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input \
inside instance int integer interconnect interface intersect join join_any join_none large let liblist library local localparam logic \
longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or \
output package packed parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup \
pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on release repeat \
restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint \
shortreal showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1 \
sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand \
trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order \
wand weak weak0 weak1 while wildcard wire with within wor xnor xor";

/// A legal Verilog identifier from any text: keywords get a trailing underscore, odd characters become one.
pub fn identifier(text: &str) -> String {
    let mut name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'n');
    }
    if KEYWORDS.split_whitespace().any(|k| k == name) {
        name.push('_');
    }
    name
}

/// A set of names in use.
#[derive(Default)]
pub(crate) struct Taken(HashSet<String>);

impl Taken {
    /// The name itself if it is free, else with the lowest number that makes it free.
    pub fn unique(&mut self, wanted: &str) -> String {
        let base = identifier(wanted);
        let mut name = base.clone();
        let mut n = 1;
        while !self.0.insert(name.clone()) {
            name = format!("{base}_{n}");
            n += 1;
        }
        name
    }
}

/// Gives every signal and instance of a finished module its final name. Ports keep theirs.
pub(crate) fn settle(m: &mut Module) {
    let mut taken = Taken::default();
    for d in &m.domains {
        taken.unique(&d.clk());
        taken.unique(&d.rst());
    }
    for s in m.sigs.iter_mut().filter(|s| s.port.is_some()) {
        s.name = taken.unique(&s.name.clone());
    }
    for i in 0..m.insts.len() {
        let wanted = if m.insts[i].name.is_empty() { m.insts[i].target.name() } else { m.insts[i].name.clone() };
        m.insts[i].name = taken.unique(&wanted);
    }
    // A register that no `let` named is called after what it delays.
    let delayed: HashMap<SigId, NodeId> = (m.stmts.iter())
        .filter_map(|s| match s {
            Stmt::Assign { target, value, .. } => Some((*target, *value)),
            _ => None,
        })
        .collect();
    for i in 0..m.sigs.len() {
        let wanted = match m.sigs[i].kind {
            _ if m.sigs[i].port.is_some() => continue,
            SigKind::InstIn { inst, port } | SigKind::InstOut { inst, port } => {
                let inst = &m.insts[inst as usize];
                format!("{}_{}", inst.name, inst.target.pins()[port as usize].name)
            }
            SigKind::Reg(_) if m.sigs[i].name.is_empty() => {
                delayed.get(&SigId(i as u32)).and_then(|v| named(m, *v)).map_or("register".into(), |n| format!("{n}_q"))
            }
            _ if m.sigs[i].name.is_empty() => "value".into(),
            _ => m.sigs[i].name.clone(),
        };
        m.sigs[i].name = taken.unique(&wanted);
    }
    for n in m.nodes.iter_mut() {
        if let Some(name) = n.name.take() {
            n.name = Some(taken.unique(&name));
        }
    }
}

/// The name of an expression, or of the signal that it is or is a part of.
fn named(m: &Module, id: NodeId) -> Option<String> {
    let node = m.node(id);
    match &node.op {
        _ if node.name.is_some() => node.name.clone(),
        Op::Sig(s) => Some(m.sig(*s).name.clone()).filter(|n| !n.is_empty()),
        Op::Slice(a, _) => named(m, *a),
        _ => None,
    }
}

/// Things that take a name from the `let` they are bound to (see [`crate::names`]).
pub trait Nameable {
    /// Gives the name to whatever in it has none yet.
    fn give_name(&self, name: &str);
}

impl Nameable for Bits {
    fn give_name(&self, name: &str) {
        self.named(name);
    }
}

impl Nameable for crate::Signed {
    fn give_name(&self, name: &str) {
        self.0.named(name);
    }
}

impl<E: crate::Encode> Nameable for crate::State<E> {
    fn give_name(&self, name: &str) {
        self.bits().named(name);
    }
}

impl<T: Nameable> Nameable for Vec<T> {
    fn give_name(&self, name: &str) {
        for (i, t) in self.iter().enumerate() {
            t.give_name(&format!("{name}{i}"));
        }
    }
}

impl<T: Nameable, const N: usize> Nameable for [T; N] {
    fn give_name(&self, name: &str) {
        for (i, t) in self.iter().enumerate() {
            t.give_name(&format!("{name}{i}"));
        }
    }
}

impl<T: Nameable> Nameable for Option<T> {
    fn give_name(&self, name: &str) {
        if let Some(t) = self {
            t.give_name(name);
        }
    }
}

impl Nameable for crate::memory::SimpleDual {
    fn give_name(&self, name: &str) {
        self.rdata.named(name);
    }
}

impl Nameable for crate::memory::RamPort {
    fn give_name(&self, name: &str) {
        self.rdata.named(name.trim_end_matches(|c: char| c.is_ascii_digit()));
    }
}

impl Nameable for crate::memory::Rom {
    fn give_name(&self, name: &str) {
        self.rdata.named(name);
    }
}

/// Names the leaves of a bundle after it. (Called by derived code.)
pub fn name_bundle<B: Bundle<Bits>>(bundle: &B, name: &str) {
    let mut instance = false;
    bundle.visit(|_, b| instance |= crate::build::with(|bu| bu.is_pin(*b)));
    bundle.map_fields(&Field::named(name), &mut |at, b| {
        b.named(if instance { name } else { &at.name });
    });
}

/// What `#[names]` puts after each `let`: names the value if its type can take one, else does nothing.
#[doc(hidden)]
pub struct Probe<'a, T>(pub &'a T);

#[doc(hidden)]
pub trait NameIt {
    fn name_it(&self, name: &str);
}
impl<T: Nameable> NameIt for Probe<'_, T> {
    fn name_it(&self, name: &str) {
        self.0.give_name(name);
    }
}

#[doc(hidden)]
pub trait NameNothing {
    fn name_it(&self, name: &str);
}
impl<T> NameNothing for &Probe<'_, T> {
    fn name_it(&self, _: &str) {}
}
