//! What is looked at on every edge: properties, recorded waves and value change dumps.

use super::{
    core::Core,
    port::Port,
    program::words,
    props::{Check, Failure, Failures, KEPT, Seen},
    vcd::{Dump, ScopeVars, Var},
    wave::{Row, render},
};
use crate::{
    Value,
    ir::{Domain, NodeId, PropKind, SigKind, Target},
};
use std::io::{self, Write};

/// Signals recorded for a text waveform.
#[derive(Default)]
pub(super) struct Recorder {
    rows: Vec<(Port, Row)>,
    /// Which clocks had an edge at the end of each cycle.
    edges: Vec<Vec<usize>>,
    first: u64,
}

impl Core {
    /// Looks at the cycle that the coming edge of `clocks` ends.
    pub fn observe(&mut self, clocks: &[usize]) {
        if self.recorder.is_some() {
            self.record_cycle(clocks);
        }
        if let Some(mut dump) = self.dump.take() {
            self.settle_watched();
            dump.cycle(&self.m, clocks);
            self.dump = Some(dump);
        }
        if !self.props.off && !self.flat.props.is_empty() {
            self.check_properties(clocks);
        }
    }

    fn check_properties(&mut self, clocks: &[usize]) {
        if self.props.checks.is_none() {
            self.compile_properties();
        }
        self.settle_watched();
        self.props.remember(&self.m);
        let checks = self.props.checks.take().expect("just compiled");
        for c in checks.iter().filter(|c| clocks.contains(&c.clock)) {
            let (reset, cond) = (self.m[c.reset as usize] & 1 == 1, self.m[c.cond as usize] & 1 == 1);
            let p = &self.flat.props[c.prop];
            match self.flat.scopes[p.scope].module.props[p.index].kind {
                _ if reset => {}
                PropKind::Cover if cond => self.props.covered[c.prop] += 1,
                PropKind::Assert | PropKind::Assume if !cond && self.props.failures.len() < KEPT => {
                    let failure = self.failure(c.prop);
                    self.props.failures.push(failure);
                }
                _ => {}
            }
        }
        self.props.checks = Some(checks);
    }

    fn compile_properties(&mut self) {
        let mut nodes: Vec<NodeId> = Vec::new();
        let mut scopes: Vec<usize> = self.flat.props.iter().map(|p| p.scope).collect();
        scopes.dedup();
        for p in &self.flat.props {
            nodes.extend([p.cond, p.reset]);
        }
        let ports = |s: usize| {
            let module = self.flat.scopes[s].module.clone();
            (0..module.sigs.len()).filter(move |i| module.sigs[*i].port.is_some())
        };
        for s in &scopes {
            nodes.extend(ports(*s).map(|i| self.flat.scopes[*s].sigs[i]));
        }
        let (mut seen, mut copied, mut offset) = (Vec::new(), Vec::new(), 0);
        let lists: Vec<(usize, Vec<usize>)> = scopes.iter().map(|s| (*s, ports(*s).collect())).collect();
        self.watch_nodes(nodes);
        for (scope, list) in lists {
            let mut sigs = Vec::new();
            for i in list {
                let id = self.flat.scopes[scope].sigs[i];
                let n = words(self.flat.graph.width(id));
                copied.push((self.place(id), n));
                sigs.push((i, offset));
                offset += n as usize;
            }
            seen.push(Seen { scope, sigs });
        }
        let check = |(prop, p): (usize, &super::flatten::FlatProp)| Check {
            prop,
            cond: self.place(p.cond),
            reset: self.place(p.reset),
            clock: p.clock,
        };
        let checks = self.flat.props.iter().enumerate().map(check).collect();
        self.props.checks = Some(checks);
        self.props.covered = vec![0; self.flat.props.len()];
        (self.props.seen, self.props.copied) = (seen, copied);
    }

    fn failure(&self, prop: usize) -> Failure {
        let p = &self.flat.props[prop];
        let scope = &self.flat.scopes[p.scope];
        let stated = &scope.module.props[p.index];
        let seen = self.props.seen.iter().find(|s| s.scope == p.scope).expect("all scopes with properties are seen");
        let row = |(sig, offset): &(usize, usize)| {
            let s = &scope.module.sigs[*sig];
            let value = |entry: &Vec<u64>| Value::from_words(s.width, &entry[*offset..]);
            Row {
                name: s.name.clone(),
                width: s.width,
                states: None,
                values: self.props.kept().map(value).collect(),
                clock: false,
            }
        };
        let rows: Vec<Row> = seen.sigs.iter().map(row).collect();
        let columns = rows.first().map_or(0, |r| r.values.len()) as u64;
        Failure {
            kind: stated.kind,
            name: stated.name.clone(),
            message: stated.message.clone(),
            instance: scope.path.clone(),
            cycle: self.cycle,
            file: stated.loc.file(),
            line: stated.loc.line(),
            waveform: render(&rows, (self.cycle + 1).saturating_sub(columns)),
        }
    }

    /// All failures so far; they count as reported.
    pub fn failures(&mut self) -> Vec<Failure> {
        self.props.reported = self.props.failures.len();
        self.props.failures.clone()
    }

    /// Times that a cover held.
    pub fn covered(&self, name: &str) -> u64 {
        let full = |p: &super::flatten::FlatProp| {
            let scope = &self.flat.scopes[p.scope];
            let own = &scope.module.props[p.index].name;
            let path = if scope.path.is_empty() { own.clone() } else { format!("{}.{own}", scope.path) };
            (scope.module.props[p.index].kind == PropKind::Cover).then_some((path, own.clone()))
        };
        let covers: Vec<(usize, (String, String))> =
            self.flat.props.iter().enumerate().filter_map(|(i, p)| full(p).map(|f| (i, f))).collect();
        let exact = covers.iter().any(|(_, (path, _))| path == name);
        let hit = |(_, (path, own)): &&(usize, (String, String))| if exact { path == name } else { own == name };
        let hits: Vec<usize> = covers.iter().filter(hit).map(|(i, _)| *i).collect();
        let known = || covers.iter().map(|(_, (path, _))| path.as_str()).collect::<Vec<_>>().join(", ");
        assert!(!hits.is_empty(), "there is no cover `{name}`; there are {}", known());
        hits.iter().map(|i| self.props.covered.get(*i).copied().unwrap_or(0)).sum()
    }

    /// Adds a signal to the record.
    pub fn record(&mut self, port: Port) {
        let states = self.states[port.index as usize].clone();
        let name = self.names[port.index as usize].clone();
        let recorder = self.recorder.get_or_insert_default();
        recorder.rows.push((port, Row { name, width: port.width, states, values: vec![], clock: false }));
        recorder.rows.iter_mut().for_each(|(_, r)| r.values.clear());
        recorder.edges.clear();
        recorder.first = self.cycle;
    }

    fn record_cycle(&mut self, clocks: &[usize]) {
        let mut recorder = self.recorder.take().expect("asked before");
        for (port, row) in &mut recorder.rows {
            row.values.push(self.peek(*port));
        }
        recorder.edges.push(clocks.to_vec());
        self.recorder = Some(recorder);
    }

    /// Restarts the record, keeping its signals.
    pub fn clear_record(&mut self) {
        let cycle = self.cycle;
        if let Some(r) = &mut self.recorder {
            r.rows.iter_mut().for_each(|(_, r)| r.values.clear());
            r.edges.clear();
            r.first = cycle;
        }
    }

    /// The record as text; with several clocks, rows that mark each one's edges come first.
    pub fn wave(&self) -> String {
        let Some(recorder) = &self.recorder else { return String::new() };
        let ticks = |i: usize| recorder.edges.iter().any(|e| e.contains(&i));
        let clocks: Vec<(usize, &String)> = self.flat.clocks.iter().enumerate().filter(|(i, _)| ticks(*i)).collect();
        let mut rows = Vec::new();
        if clocks.len() > 1 {
            for (i, c) in clocks {
                let values = recorder.edges.iter().map(|e| Value::new(1, u128::from(e.contains(&i)))).collect();
                rows.push(Row { name: Domain { name: c.clone() }.clk(), width: 1, states: None, values, clock: true });
            }
        }
        for (_, r) in &recorder.rows {
            let values = r.values.clone();
            rows.push(Row { name: r.name.clone(), width: r.width, states: r.states.clone(), values, clock: false });
        }
        render(&rows, recorder.first)
    }

    /// Starts a dump of the instance at `path` and everything beneath it.
    pub fn vcd_start(&mut self, path: &str, to: Box<dyn Write>) -> io::Result<()> {
        let inside =
            |p: &str| path.is_empty() || p == path || p.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        let depth = |p: &str| if p.is_empty() { 0 } else { 1 + p.matches('.').count() };
        let chosen: Vec<usize> = (0..self.flat.scopes.len()).filter(|s| inside(&self.flat.scopes[*s].path)).collect();
        let Some(first) = chosen.first() else {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no instance `{path}`")));
        };
        let base = depth(&self.flat.scopes[*first].path);
        let mut wanted = Vec::new();
        for s in &chosen {
            let scope = &self.flat.scopes[*s];
            let mut list: Vec<(String, NodeId)> = Vec::new();
            if scope.path.is_empty() {
                let resets = self.flat.clocks.iter().zip(&self.flat.resets).filter(|(c, _)| *c != Domain::ASYNC);
                list.extend(resets.map(|(c, id)| (Domain { name: c.clone() }.rst(), *id)));
            }
            for (sig, id) in scope.module.sigs.iter().zip(&scope.sigs) {
                // A submodule's pins are shown as its ports.
                let pin = match sig.kind {
                    SigKind::InstIn { inst, .. } | SigKind::InstOut { inst, .. } => {
                        matches!(scope.module.insts[inst as usize].target, Target::Module(_))
                    }
                    _ => false,
                };
                if !pin {
                    list.push((sig.name.clone(), *id));
                }
            }
            list.extend(scope.named.iter().cloned());
            let name = if scope.path.is_empty() { scope.module.name.clone() } else { scope.name.clone() };
            wanted.push((name, depth(&scope.path) - base, list));
        }
        let nodes: Vec<NodeId> = wanted.iter().flat_map(|(.., list)| list.iter().map(|(_, id)| *id)).collect();
        self.watch_nodes(nodes);
        let var = |(name, id): (String, NodeId)| Var { name, width: self.flat.graph.width(id), place: self.place(id) };
        let scopes: Vec<ScopeVars> = wanted
            .into_iter()
            .map(|(name, depth, list)| ScopeVars { name, depth, vars: list.into_iter().map(var).collect() })
            .collect();
        let clocks: Vec<String> = self.flat.clocks.iter().map(|c| Domain { name: c.clone() }.clk()).collect();
        self.dump = Some(Dump::start(to, &clocks, &scopes)?);
        Ok(())
    }

    /// Ends the dump.
    pub fn vcd_stop(&mut self) -> io::Result<()> {
        self.settle_watched();
        self.dump.take().map_or(Ok(()), |d| d.stop(&self.m))
    }
}

impl Drop for Core {
    /// A failure that nobody has looked at must not pass for success.
    fn drop(&mut self) {
        if self.props.reported < self.props.failures.len() && !std::thread::panicking() {
            panic!(
                "properties failed and nobody asked:\n{}",
                Failures(self.props.failures.split_off(self.props.reported))
            );
        }
    }
}
