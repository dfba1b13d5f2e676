//! The running machine behind [`super::Sim`].

use super::{
    commit,
    exec::run,
    flatten::{Flat, flatten},
    memory::Mem,
    observe::Recorder,
    port::{PokeValue, Port, PortKind},
    program::{Compiler, Instr, words},
    props::Properties,
    vcd::Dump,
};
use crate::{
    Value,
    error::ElabErrors,
    ir::{Dir, Module, NodeId, SigKind, StateNames},
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// Contents of registers and memories before they are reset or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PowerUp {
    /// Random, from the seed.
    Random,
    /// Zero.
    Zero,
}

/// Choices of a simulation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of everything random.
    pub seed: u64,
    /// Contents of registers and memories at power-up.
    pub power_up: PowerUp,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 0x5eed, power_up: PowerUp::Random }
    }
}

/// A register with asynchronous reset: while the bit at `condition` is 1 it takes the words at `value`.
struct AsyncReset {
    condition: u32,
    held: u32,
    value: Vec<u64>,
}

pub(super) struct Core {
    pub flat: Flat,
    compiler: Compiler,
    pub m: Vec<u64>,
    main: Vec<Instr>,
    watch: Vec<Instr>,
    edges: Vec<Vec<Instr>>,
    mems: Vec<Mem>,
    async_resets: Vec<AsyncReset>,
    /// Inputs that an asynchronous reset depends on: each of their changes is settled at once.
    sensitive: HashSet<u32>,
    settled: bool,
    watched: bool,
    /// Words from here on belong to watched nodes.
    main_end: u32,
    /// Edges since the last reset.
    pub cycle: u64,
    /// The top's ports in order, then signals found by name.
    pub ports: Vec<Port>,
    pub names: Vec<String>,
    /// Names of a handle's values.
    pub states: Vec<Option<Rc<StateNames>>>,
    pub props: Properties,
    pub recorder: Option<Recorder>,
    pub dump: Option<Dump>,
    found: HashMap<String, Port>,
    edge_mask: Vec<bool>,
}

impl Core {
    pub fn new(top: &Rc<Module>, options: &Options) -> Result<Self, ElabErrors> {
        let flat = flatten(top)?;
        let mut compiler = Compiler::default();
        let plan = commit::plan(&flat);
        let mut roots = plan.roots();
        roots.extend(top.ports().map(|(id, ..)| flat.scopes[0].sigs[id.0 as usize]));
        roots.extend(flat.mems.iter().flat_map(|m| &m.pins));
        roots.extend(flat.regs.iter().filter_map(|r| r.async_reset));
        let mut main = compiler.compile(&flat.graph, roots);
        let edges = plan.compile(&flat, &mut compiler, &mut main);
        let mut random = StdRng::seed_from_u64(options.seed);
        let zero = options.power_up == PowerUp::Zero;
        let mut m = compiler.words.clone();
        let main_end = m.len() as u32;
        let place = |id: NodeId| compiler.place(id).expect("roots are compiled");
        let mut fill = |id: NodeId| {
            let raw: Vec<u64> = (0..words(flat.graph.width(id))).map(|_| random.next_u64()).collect();
            let v = Value::from_words(flat.graph.width(id), &raw);
            m[place(id) as usize..][..v.words().len()].copy_from_slice(v.words());
        };
        if !zero {
            flat.regs.iter().for_each(|r| fill(r.held));
            for mem in &flat.mems {
                let pins = mem.spec.pins();
                pins.iter()
                    .zip(&mem.pins)
                    .filter(|(p, id)| p.dir == Dir::Out && flat.graph.is_source(**id))
                    .for_each(|(_, id)| fill(*id));
            }
        }
        let new_mem = |(i, f): (usize, &super::flatten::FlatMem)| {
            let places: Vec<u32> = f.pins.iter().map(|p| place(*p)).collect();
            Mem::new(&f.spec, &f.path, &places, &f.clocks, options.seed ^ (i as u64 + 1) << 32, zero)
        };
        let mems = flat.mems.iter().enumerate().map(new_mem).collect();
        let async_resets: Vec<AsyncReset> = flat
            .regs
            .iter()
            .filter_map(|r| {
                let value = r.reset.as_ref()?.words().to_vec();
                Some(AsyncReset { condition: place(r.async_reset?), held: place(r.held), value })
            })
            .collect();
        let sensitive =
            sources_of(&flat, flat.regs.iter().filter_map(|r| r.async_reset)).into_iter().map(place).collect();
        let edge_mask = vec![false; flat.clocks.len()];
        let mut core = Core {
            flat,
            compiler,
            m,
            main,
            watch: vec![],
            edges,
            mems,
            async_resets,
            sensitive,
            settled: false,
            watched: false,
            main_end,
            cycle: 0,
            ports: vec![],
            names: vec![],
            states: vec![],
            props: Properties::default(),
            recorder: None,
            dump: None,
            found: HashMap::new(),
            edge_mask,
        };
        for (id, s, dir) in top.ports() {
            let node = core.flat.scopes[0].sigs[id.0 as usize];
            let port = core.handle(node, &s.name, dir == Dir::In, states_of(&s.kind));
            core.found.insert(s.name.clone(), port);
        }
        Ok(core)
    }

    fn handle(&mut self, id: NodeId, name: &str, input: bool, states: Option<Rc<StateNames>>) -> Port {
        self.watch_nodes([id]);
        let place = self.compiler.place(id).expect("just compiled");
        let kind = match place {
            _ if input => PortKind::Input,
            _ if self.flat.graph.is_source(id) || self.flat.graph.as_const(id).is_some() => PortKind::Held,
            at if at < self.main_end => PortKind::Settled,
            _ => PortKind::Watched,
        };
        let port = Port { index: self.ports.len() as u32, place, width: self.flat.graph.width(id), kind };
        self.ports.push(port);
        self.names.push(name.into());
        self.states.push(states);
        port
    }

    /// Compiles what only watching needs.
    pub fn watch_nodes(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        let code = self.compiler.compile(&self.flat.graph, nodes);
        self.watch.extend(code);
        self.m.extend_from_slice(&self.compiler.words[self.m.len()..]);
        self.watched = false;
    }

    fn settle(&mut self) {
        if !self.settled {
            run(&self.main, &mut self.m, &self.mems, &self.compiler.tables);
            for r in &self.async_resets {
                if self.m[r.condition as usize] & 1 == 1 {
                    self.m[r.held as usize..][..r.value.len()].copy_from_slice(&r.value);
                }
            }
            self.settled = true;
        }
    }

    fn settle_for(&mut self, port: Port) {
        match port.kind {
            PortKind::Input | PortKind::Held => {}
            PortKind::Settled => self.settle(),
            PortKind::Watched => {
                self.settle_watched();
            }
        }
    }

    pub fn settle_watched(&mut self) {
        self.settle();
        if !self.watched {
            run(&self.watch, &mut self.m, &self.mems, &self.compiler.tables);
            self.watched = true;
        }
    }

    /// Where a compiled node is.
    pub fn place(&self, id: NodeId) -> u32 {
        self.compiler.place(id).expect("it was compiled")
    }

    fn stale(&mut self) {
        (self.settled, self.watched) = (false, false);
    }

    fn words_of(&self, port: Port) -> &[u64] {
        &self.m[port.place as usize..][..words(port.width) as usize]
    }

    pub fn poke(&mut self, port: Port, value: &impl PokeValue) {
        let name = |core: &Core| core.names[port.index as usize].clone();
        assert!(port.is_input(), "`{}` is driven by the design and cannot be poked", name(self));
        let to = &mut self.m[port.place as usize..][..words(port.width) as usize];
        let changed = value.with_words(port.width, |w| {
            let (low, high) = to.split_at_mut(w.len());
            let same = low == w && high.iter().all(|h| *h == 0);
            low.copy_from_slice(w);
            high.fill(0);
            !same
        });
        match changed {
            Some(changed) => self.changed(port.place, changed),
            None => panic!("{} does not fit the {}-bit port `{}`", value.text(), port.width, name(self)),
        }
    }

    fn changed(&mut self, place: u32, changed: bool) {
        if changed {
            self.stale();
            if self.sensitive.contains(&place) {
                self.settle();
            }
        }
    }

    pub fn peek(&mut self, port: Port) -> Value {
        self.settle_for(port);
        Value::from_words(port.width, self.words_of(port))
    }

    pub fn peek_word(&mut self, port: Port) -> u64 {
        self.settle_for(port);
        self.m[port.place as usize]
    }

    /// Number of the clock of the named domain.
    pub fn clock(&self, domain: &str) -> usize {
        let found = self.flat.clocks.iter().position(|c| c == domain);
        found.unwrap_or_else(|| panic!("the top has no clock domain `{domain}`; it has {:?}", self.flat.clocks))
    }

    pub fn set_reset(&mut self, clock: usize, on: bool) {
        let at = self.compiler.place(self.flat.resets[clock]).expect("sources have places");
        let changed = std::mem::replace(&mut self.m[at as usize], u64::from(on)) != u64::from(on);
        self.changed(at, changed);
    }

    pub fn reset(&mut self) {
        let all: Vec<usize> = (0..self.flat.clocks.len()).collect();
        all.iter().for_each(|c| self.set_reset(*c, true));
        self.edge(&all);
        self.edge(&all);
        all.iter().for_each(|c| self.set_reset(*c, false));
        self.cycle = 0;
    }

    pub fn edge(&mut self, clocks: &[usize]) {
        self.settle();
        self.observe(clocks);
        if !self.mems.is_empty() {
            self.edge_mask.fill(false);
            clocks.iter().for_each(|c| self.edge_mask[*c] = true);
            for mem in &mut self.mems {
                mem.sample(&self.m, &self.edge_mask);
            }
        }
        for c in clocks {
            run(&self.edges[*c], &mut self.m, &[], &[]);
        }
        for mem in &mut self.mems {
            mem.show(&mut self.m);
        }
        self.cycle += 1;
        self.stale();
    }

    pub fn port(&self, name: &str) -> Port {
        let found = self.names.iter().position(|n| n == name);
        let known = || self.names.join(", ");
        self.ports[found.unwrap_or_else(|| panic!("the top has no port `{name}`; it has {}", known()))]
    }

    pub fn signal(&mut self, path: &str) -> Port {
        if let Some(p) = self.found.get(path) {
            return *p;
        }
        let (scope, name) = path.rsplit_once('.').unwrap_or(("", path));
        let Some(s) = self.flat.scopes.iter().find(|s| s.path == scope) else {
            let known: Vec<&str> = self.flat.scopes.iter().map(|s| s.path.as_str()).collect();
            panic!("there is no instance `{scope}`; there are {}", known.join(", "));
        };
        let sig = s.module.sigs.iter().position(|x| x.name == name);
        let sig = sig.map(|i| (s.sigs[i], states_of(&s.module.sigs[i].kind)));
        let node = s.named.iter().find(|(n, _)| n == name).map(|(_, id)| (*id, None));
        let Some((id, states)) = sig.or(node) else {
            let known: Vec<&str> =
                s.module.sigs.iter().map(|x| x.name.as_str()).chain(s.named.iter().map(|(n, _)| n.as_str())).collect();
            panic!("there is no signal `{name}` in `{scope}`; there are {}", known.join(", "));
        };
        let port = self.handle(id, path, false, states);
        self.found.insert(path.into(), port);
        port
    }

    fn mem(&self, path: &str) -> usize {
        let known = || self.mems.iter().map(|m| m.path.as_str()).collect::<Vec<_>>().join(", ");
        let found = self.mems.iter().position(|m| m.path == path);
        found.unwrap_or_else(|| panic!("there is no memory `{path}`; there are {}", known()))
    }

    pub fn memory_word(&self, path: &str, addr: u64) -> Value {
        let mem = &self.mems[self.mem(path)];
        Value::from_words(mem.spec.width, mem.word(addr))
    }

    pub fn set_memory_word(&mut self, path: &str, addr: u64, word: &Value) {
        let i = self.mem(path);
        assert_eq!(word.width(), self.mems[i].spec.width, "width of the memory `{path}`");
        self.mems[i].set_word(addr, word.words());
        self.stale();
    }
}

fn states_of(kind: &SigKind) -> Option<Rc<StateNames>> {
    match kind {
        SigKind::Reg(info) => info.states.clone(),
        _ => None,
    }
}

/// The sources that some nodes depend on.
fn sources_of(flat: &Flat, roots: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
    let (mut seen, mut stack, mut sources) = (HashSet::new(), roots.collect::<Vec<_>>(), Vec::new());
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            stack.extend(flat.graph.expr(id).operands());
            if flat.graph.is_source(id) {
                sources.push(id);
            }
        }
    }
    sources
}
