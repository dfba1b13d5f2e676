//! Operations over several signals: concatenation, multiplexers.

use crate::{Bits, Operand, Value, build::with, error::Fault, ir::*};
use std::panic::Location;

/// Concatenation, most significant part first.
#[track_caller]
pub fn cat(parts: impl IntoIterator<Item = Bits>) -> Bits {
    let loc = Location::caller();
    let parts: Vec<Bits> = parts.into_iter().collect();
    with(|b| {
        if parts.is_empty() {
            b.error(Fault::Width, loc, "`cat` needs at least one part".into());
            let id = b.constant(Value::zero(1), loc);
            return b.bits(id);
        }
        let mut flat: Vec<NodeId> = Vec::new();
        for p in parts {
            let id = b.own(p, loc);
            match b.module.node(id) {
                Node { op: Op::Concat(inner), name: None, .. } => flat.extend(inner.clone()),
                _ => flat.push(id),
            }
        }
        // Neighbouring slices of one signal become one slice.
        let mut merged: Vec<NodeId> = Vec::new();
        for id in flat {
            let join = match (merged.last().map(|l| b.module.node(*l).clone()), b.module.node(id).clone()) {
                (Some(Node { op: Op::Slice(x, hi), width: wh, .. }), Node { op: Op::Slice(y, lo), width: wl, .. })
                    if x == y && hi == lo + wl =>
                {
                    Some((Op::Slice(x, lo), wh + wl))
                }
                _ => None,
            };
            if let Some((op, width)) = join {
                merged.pop();
                merged.push(b.node(op, width, loc));
            } else {
                merged.push(id);
            }
        }
        let width = merged.iter().map(|p| b.module.node(*p).width).sum();
        let id = b.node(Op::Concat(merged), width, loc);
        b.bits(id)
    })
}

/// `cond ? t : f`.
///
/// # Errors
/// [`Fault::Width`] if `cond` is not 1 bit or the branches differ.
#[track_caller]
pub fn mux(cond: Bits, t: impl Operand, f: impl Operand + MaybeWidth) -> Bits {
    let loc = Location::caller();
    let width = f.known_width().unwrap_or(0);
    let t = t.operand(width, loc, "mux");
    let f = f.operand(t.width, loc, "mux");
    with(|b| {
        let (c, x, y) = (b.own(cond, loc), b.own(t, loc), b.own(f, loc));
        if cond.width != 1 || t.width != f.width {
            let message = format!(
                "widths differ in `mux`: condition {}, branches {} and {}",
                b.describe(c),
                b.describe(x),
                b.describe(y)
            );
            b.error(Fault::Width, loc, message);
            return t;
        }
        let id = b.node(Op::Mux(c, x, y), t.width, loc);
        b.bits(id)
    })
}

/// An operand that may know its own width (signals do, integers do not).
pub trait MaybeWidth {
    /// The width, if known.
    fn known_width(&self) -> Option<u32>;
}
impl MaybeWidth for Bits {
    fn known_width(&self) -> Option<u32> {
        Some(self.width)
    }
}
impl MaybeWidth for Value {
    fn known_width(&self) -> Option<u32> {
        Some(self.width())
    }
}
impl MaybeWidth for u64 {
    fn known_width(&self) -> Option<u32> {
        None
    }
}

/// Option number `index`; the last option for any index beyond it.
#[track_caller]
pub fn select(index: Bits, options: &[Bits]) -> Bits {
    let loc = Location::caller();
    with(|b| {
        let i = b.own(index, loc);
        let ids: Vec<NodeId> = options.iter().map(|o| b.own(*o, loc)).collect();
        let Some(first) = options.first() else {
            b.error(Fault::Config, loc, "`select` needs at least one option".into());
            return index;
        };
        if let Some(odd) = options.iter().position(|o| o.width != first.width) {
            let message = format!(
                "widths differ in `select`: option 0 is {}, option {odd} is {}",
                b.describe(ids[0]),
                b.describe(ids[odd])
            );
            b.error(Fault::Width, loc, message);
            return *first;
        }
        let id = if ids.len() == 1 { ids[0] } else { b.node(Op::Select(i, ids), first.width, loc) };
        b.bits(id)
    })
}
