//! Signals that go from one clock domain to another without a crossing primitive.

use super::{
    describe, error,
    graph::{Graph, steps_text},
};
use crate::{
    error::{ElabError, Fault},
    ir::*,
};

/// A set of a module's domains, by number.
type Domains = Vec<u64>;

/// Something clocked, and what arrives at it.
struct Sink {
    what: String,
    domain: DomainId,
    from: Vec<u32>,
    loc: Loc,
    /// The signal itself, as the last station of the path.
    sig: Option<SigId>,
}

pub(super) fn check(g: &Graph, errors: &mut Vec<ElabError>) {
    if g.m.domains.len() < 2 {
        return;
    }
    misplaced(g.m, errors);
    let reached = domains(g);
    for sink in sinks(g) {
        let mut all: Domains = vec![0; words(g.m)];
        sink.from.iter().for_each(|v| union(&mut all, &reached[*v as usize]));
        let foreign = (0..g.m.domains.len() as u32).map(DomainId).find(|d| *d != sink.domain && has(&all, *d));
        let Some(foreign) = foreign else { continue };
        let path = g.path_back(&sink.from, |v| source(g, v) == Some(foreign));
        let Some(mut path) = path else { continue };
        let from = g.as_sig(path[0]).expect("a source is a signal");
        path.extend(sink.sig.map(|s| g.vertex(s)));
        let mut steps = g.steps(&path);
        if let Some(last) = steps.last_mut().filter(|_| sink.sig.is_some()) {
            last.loc = sink.loc;
        }
        let (here, there) = (&g.m.domains[sink.domain.0 as usize], &g.m.domains[foreign.0 as usize]);
        let message = format!(
            "{} ({}) reaches {} ({}) without a crossing primitive: {}; use one of `hdl::cdc`",
            describe(g.m, from),
            there.label(),
            sink.what,
            here.label(),
            steps_text(&steps)
        );
        errors.push(error(g.m, Fault::Crossing, sink.loc, message));
    }
}

fn words(m: &Module) -> usize {
    m.domains.len().div_ceil(64)
}

fn has(set: &Domains, d: DomainId) -> bool {
    set[d.0 as usize / 64] >> (d.0 % 64) & 1 == 1
}

fn union(into: &mut Domains, other: &Domains) {
    into.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
}

fn is_async(m: &Module, d: DomainId) -> bool {
    m.domains[d.0 as usize].name == Domain::ASYNC
}

/// The domain that a vertex brings in by itself.
fn source(g: &Graph, v: u32) -> Option<DomainId> {
    let sig = g.m.sig(g.as_sig(v)?);
    match &sig.kind {
        SigKind::Reg(info) => Some(info.domain),
        SigKind::Input | SigKind::InstOut { .. } => Some(sig.domain),
        SigKind::Comb | SigKind::InstIn { .. } => None,
    }
}

/// The domains that arrive at each vertex. The graph has no loops.
fn domains(g: &Graph) -> Vec<Domains> {
    let mut reached: Vec<Option<Domains>> = vec![None; g.preds.len()];
    for root in 0..g.preds.len() as u32 {
        let mut stack = vec![root];
        while let Some(v) = stack.last().copied() {
            if reached[v as usize].is_some() {
                stack.pop();
                continue;
            }
            let mut set = vec![0; words(g.m)];
            if let Some(d) = source(g, v) {
                set[d.0 as usize / 64] |= 1 << (d.0 % 64);
            } else {
                let open: Vec<u32> =
                    g.preds[v as usize].iter().copied().filter(|p| reached[*p as usize].is_none()).collect();
                if !open.is_empty() {
                    stack.extend(open);
                    continue;
                }
                for p in &g.preds[v as usize] {
                    union(&mut set, reached[*p as usize].as_ref().expect("looked at before"));
                }
            }
            reached[v as usize] = Some(set);
            stack.pop();
        }
    }
    reached.into_iter().map(|s| s.expect("every vertex was a root")).collect()
}

/// Registers, output ports, instances' inputs and properties; those of no clock take anything.
fn sinks(g: &Graph) -> Vec<Sink> {
    let m = g.m;
    let mut all = Vec::new();
    for (i, sig) in m.sigs.iter().enumerate() {
        let id = SigId(i as u32);
        let domain = match &sig.kind {
            SigKind::Reg(info) if !info.crossing => info.domain,
            SigKind::InstIn { .. } => sig.domain,
            SigKind::Comb if sig.port.is_some() => sig.domain,
            _ => continue,
        };
        if is_async(m, domain) {
            continue;
        }
        for d in g.drivers.get(id) {
            let from = std::iter::once(d.value.0).chain(d.conds.iter().map(|c| c.0)).collect();
            all.push(Sink { what: describe(m, id), domain, from, loc: d.loc, sig: Some(id) });
        }
    }
    for p in &m.props {
        let what = format!("property `{}`", p.name);
        all.push(Sink { what, domain: p.domain, from: vec![p.cond.0], loc: p.loc, sig: None });
    }
    for inst in &m.insts {
        for map in &inst.domains {
            let what = format!("the reset of instance `{}`", inst.name);
            all.extend(map.reset.map(|n| Sink { what, domain: map.domain, from: vec![n.0], loc: inst.loc, sig: None }));
        }
    }
    all
}

/// Output ports that are registers of another domain than the port's.
fn misplaced(m: &Module, errors: &mut Vec<ElabError>) {
    for (id, sig, _) in m.ports() {
        if let SigKind::Reg(info) = &sig.kind
            && info.domain != sig.domain
            && !is_async(m, sig.domain)
        {
            let message = format!(
                "{} belongs to {} but is a register of {}: declare it under `in_domain` of the port's clock",
                describe(m, id),
                m.domains[sig.domain.0 as usize].label(),
                m.domains[info.domain.0 as usize].label()
            );
            errors.push(error(m, Fault::Crossing, sig.loc, message));
        }
    }
}
