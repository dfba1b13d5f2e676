//! Cuts a failing circuit down to what is needed to fail, and tells what is left of it.

use super::{
    Circuit, RandomBlock,
    agree::{Ask, Fault, Kind, agree},
    ast::*,
};
use em_sim::verilated::cache_dir;
use hdl::{Value, elaborate, verilog};
use std::time::{Duration, Instant};

/// A smaller circuit with a fault of the same kind, found in about `budget`.
pub fn shrink(circuit: &Circuit, fault: &Fault, seed: u64, budget: Duration) -> (Circuit, Fault) {
    let mut best = (circuit.clone(), fault.clone());
    let end = Instant::now() + budget;
    let attempt = |best: &mut (Circuit, Fault), candidate: Circuit| {
        let smaller = candidate.size() < best.0.size();
        if !smaller || Instant::now() > end {
            return false;
        }
        match agree(&candidate, seed, Ask::only(fault.kind)) {
            Err(f) if f.is_like(&best.1) => {
                *best = (candidate, f);
                true
            }
            _ => false,
        }
    };
    // Whole expressions first, many at a time, then a part for the whole.
    let mut chunk = count(circuit);
    while chunk > 0 {
        let mut from = 0;
        while from < count(&best.0) {
            let mut candidate = best.0.clone();
            let exprs = candidate.modules.iter_mut().flat_map(Module::exprs_mut);
            exprs.skip(from).take(chunk).for_each(|e| *e = Expr::Const(Value::zero(e.width())));
            attempt(&mut best, candidate);
            from += chunk;
        }
        chunk /= 2;
    }
    loop {
        let before = best.0.size();
        for index in 0..count(&best.0) {
            let mut path = Vec::new();
            while let Some(replacements) = at(&mut best.0.clone(), index, &path).map(|e| replacements(e)) {
                let found = replacements.into_iter().any(|r| {
                    let mut candidate = best.0.clone();
                    if let Some(e) = at(&mut candidate, index, &path) {
                        *e = r;
                    }
                    attempt(&mut best, candidate)
                });
                if !found && !next(&mut best.0.clone(), index, &mut path) {
                    break;
                }
            }
        }
        if best.0.size() == before || Instant::now() > end {
            return best;
        }
    }
}

fn count(circuit: &Circuit) -> usize {
    circuit.clone().modules.iter_mut().map(|m| m.exprs_mut().len()).sum()
}

/// The part at `path` of expression number `index`.
fn at<'a>(circuit: &'a mut Circuit, index: usize, path: &[usize]) -> Option<&'a mut Expr> {
    let mut e = circuit.modules.iter_mut().flat_map(Module::exprs_mut).nth(index)?;
    for step in path {
        e = e.parts_mut().into_iter().nth(*step)?;
    }
    Some(e)
}

/// The next path in depth-first order; false at the end.
fn next(circuit: &mut Circuit, index: usize, path: &mut Vec<usize>) -> bool {
    path.push(0);
    while at(circuit, index, path).is_none() {
        path.pop();
        match path.last_mut() {
            Some(last) => *last += 1,
            None => return false,
        }
    }
    true
}

/// Plainer expressions of the same width.
fn replacements(e: &Expr) -> Vec<Expr> {
    if e.parts().is_empty() {
        return vec![];
    }
    let same = e.parts().into_iter().filter(|p| p.width() == e.width()).cloned();
    std::iter::once(Expr::Const(Value::zero(e.width()))).chain(same).collect()
}

/// Lines of Verilog in a report; the whole of it goes to a file.
const SHOWN_LINES: usize = 150;

/// All that a person needs to see: the seed, the fault, and the Verilog of what is left.
pub fn report(circuit: &Circuit, fault: &Fault, seed: u64) -> String {
    let verilog = match elaborate(&RandomBlock::top(circuit)) {
        Ok(design) => verilog::emit_text(&design, &verilog::Options::default()),
        Err(e) if fault.kind == Kind::Elaboration => e.to_string(),
        Err(e) => format!("(no Verilog: {e})"),
    };
    let head = format!("seed {seed}: {fault}\nthe circuit, cut down to {} operations:", circuit.size().1);
    let lines: Vec<&str> = verilog.lines().collect();
    if lines.len() <= SHOWN_LINES {
        return format!("{head}\n{verilog}");
    }
    let file = cache_dir().join(format!("random-{seed}.v"));
    let place = match std::fs::write(&file, &verilog) {
        Ok(()) => format!("all of it is in {}", file.display()),
        Err(e) => format!("{} cannot be written: {e}", file.display()),
    };
    format!("{head}\n{}\n… ({} lines; {place})", lines[..SHOWN_LINES].join("\n"), lines.len())
}
