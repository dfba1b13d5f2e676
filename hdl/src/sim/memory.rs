//! Memories as they run: contents, output registers, and what collisions return.

use super::program::words;
use crate::{Collision, MemSpec, Value, memory::MemKind};
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::rc::Rc;

/// A port of a memory: places of its pins.
#[derive(Clone, Default)]
struct Pins {
    /// None: always enabled.
    enable: Option<u32>,
    /// Enable of the output register; none: always enabled.
    output: Option<u32>,
    /// None: the port cannot write.
    write: Option<u32>,
    addr: u32,
    wdata: u32,
    wstrb: Option<u32>,
    /// None: the port cannot read (or reads without a clock).
    rdata: Option<u32>,
    clock: usize,
}

/// What a port does at the present edge.
#[derive(Clone, Copy, Default)]
struct Access {
    on: bool,
    addr: u64,
    /// Writes at least one lane.
    writes: bool,
    /// Write enable, whatever the strobes are.
    we: bool,
    /// Loads its output register.
    reads: bool,
}

/// A memory's state.
pub(super) struct Mem {
    pub spec: Rc<MemSpec>,
    pub path: String,
    words_each: usize,
    contents: Vec<u64>,
    ports: Vec<Pins>,
    /// By port: the array's output, and what the visible output becomes at this edge.
    array_out: Vec<Vec<u64>>,
    pending: Vec<Option<Vec<u64>>>,
    random: StdRng,
    /// What is read beyond the last word.
    nothing: Vec<u64>,
}

impl Mem {
    /// `places` and `clocks` as in the flat memory; `random` none: undefined contents are zero.
    pub fn new(spec: &Rc<MemSpec>, path: &str, places: &[u32], clocks: &[usize], seed: u64, zero: bool) -> Self {
        let names: Vec<String> = spec.pins().into_iter().map(|p| p.name).collect();
        let pin = |name: &str| names.iter().position(|n| n == name).map(|i| places[i]);
        let must = |name: &str| pin(name).expect("the memory has this pin");
        let last = *clocks.last().expect("a memory has a clock");
        let ports = match spec.kind {
            MemKind::SimpleDual | MemKind::Distributed => vec![
                Pins {
                    write: pin("we"),
                    addr: must("waddr"),
                    wdata: must("wdata"),
                    wstrb: pin("wstrb"),
                    clock: clocks[0],
                    ..Pins::default()
                },
                Pins {
                    enable: pin("re"),
                    output: pin("oe"),
                    addr: must("raddr"),
                    rdata: pin("rdata").filter(|_| spec.kind == MemKind::SimpleDual),
                    clock: last,
                    ..Pins::default()
                },
            ],
            MemKind::Rom => vec![Pins {
                enable: pin("re"),
                addr: must("raddr"),
                rdata: pin("rdata"),
                clock: clocks[0],
                ..Pins::default()
            }],
            MemKind::TrueDual => [("a", clocks[0]), ("b", last)]
                .map(|(p, clock)| Pins {
                    enable: pin(&format!("{p}_en")),
                    output: None,
                    write: pin(&format!("{p}_we")),
                    addr: must(&format!("{p}_addr")),
                    wdata: must(&format!("{p}_wdata")),
                    wstrb: pin(&format!("{p}_wstrb")),
                    rdata: pin(&format!("{p}_rdata")),
                    clock,
                })
                .into(),
        };
        let words_each = words(spec.width) as usize;
        let mut mem = Mem {
            spec: spec.clone(),
            path: path.into(),
            words_each,
            contents: vec![0; words_each * spec.depth as usize],
            array_out: vec![vec![0; words_each]; ports.len()],
            pending: vec![None; ports.len()],
            ports,
            random: StdRng::seed_from_u64(seed),
            nothing: vec![0; words_each],
        };
        mem.power_up(zero);
        mem
    }

    fn power_up(&mut self, zero: bool) {
        let spec = self.spec.clone();
        for i in 0..spec.depth as usize {
            let word = match &spec.init {
                Some(init) => init.get(i).map_or_else(|| vec![0; self.words_each], |v| v.words().to_vec()),
                None if zero => vec![0; self.words_each],
                None => self.noise(),
            };
            self.contents[i * self.words_each..][..self.words_each].copy_from_slice(&word);
        }
        if !zero {
            for i in 0..self.array_out.len() {
                self.array_out[i] = self.noise();
            }
        }
    }

    /// A random word.
    fn noise(&mut self) -> Vec<u64> {
        let raw: Vec<u64> = (0..self.words_each).map(|_| self.random.next_u64()).collect();
        Value::from_words(self.spec.width, &raw).words().to_vec()
    }

    /// The word at an address; zero beyond the last one.
    pub fn word(&self, addr: u64) -> &[u64] {
        if addr < u64::from(self.spec.depth) {
            &self.contents[addr as usize * self.words_each..][..self.words_each]
        } else {
            &self.nothing
        }
    }

    /// Overwrites a word.
    pub fn set_word(&mut self, addr: u64, word: &[u64]) {
        if addr < u64::from(self.spec.depth) {
            self.contents[addr as usize * self.words_each..][..self.words_each].copy_from_slice(word);
        }
    }

    /// Looks at the pins before the registers change and works out the outputs after the edge of the clocks in `edges`.
    pub fn sample(&mut self, m: &[u64], edges: &[bool]) {
        let accesses: Vec<Access> = self.ports.iter().map(|p| self.access(p, m, edges[p.clock])).collect();
        if accesses.iter().all(|a| !a.on) {
            return;
        }
        let mut loads: Vec<Option<Vec<u64>>> = Vec::new();
        for (i, a) in accesses.iter().enumerate() {
            loads.push(if a.reads { Some(self.load(i, a, &accesses, m)) } else { None });
        }
        for (i, a) in accesses.iter().enumerate().filter(|(_, a)| a.writes) {
            let merged = self.merged(i, a, m);
            self.set_word(a.addr, &merged);
        }
        if let [a, b] = accesses[..]
            && a.writes
            && b.writes
            && a.addr == b.addr
        {
            let noise = self.noise();
            self.set_word(a.addr, &noise);
        }
        for (i, load) in loads.into_iter().enumerate() {
            if !edges[self.ports[i].clock] || self.ports[i].rdata.is_none() {
                continue;
            }
            let held = self.ports[i].output.is_some_and(|oe| m[oe as usize] & 1 == 0);
            self.pending[i] = match (self.spec.latency, load) {
                (2, load) if held => {
                    if let Some(load) = load {
                        self.array_out[i] = load;
                    }
                    None
                }
                (2, Some(load)) => Some(std::mem::replace(&mut self.array_out[i], load)),
                (2, None) => Some(self.array_out[i].clone()),
                (_, load) => load,
            };
        }
    }

    fn access(&self, p: &Pins, m: &[u64], edge: bool) -> Access {
        if !edge {
            return Access::default();
        }
        let bit = |at: Option<u32>, none: bool| at.map_or(none, |a| m[a as usize] & 1 == 1);
        let enabled = bit(p.enable, true);
        let we = enabled && bit(p.write, false);
        let lanes = words(self.spec.lanes()) as usize;
        let strobed = p.wstrb.is_none_or(|s| m[s as usize..][..lanes].iter().any(|w| *w != 0));
        let kept = we && self.spec.collision == Collision::NoChange && self.spec.kind == MemKind::TrueDual;
        Access {
            on: true,
            addr: m[p.addr as usize],
            writes: we && strobed,
            we,
            reads: enabled && p.rdata.is_some() && !kept,
        }
    }

    /// What port `i` reads into its output register.
    fn load(&mut self, i: usize, a: &Access, all: &[Access], m: &[u64]) -> Vec<u64> {
        if a.addr >= u64::from(self.spec.depth) {
            return self.noise();
        }
        let other = all.iter().enumerate().find(|(k, o)| *k != i && o.writes && o.addr == a.addr);
        match (other, self.spec.kind, self.spec.collision) {
            (Some(_), MemKind::TrueDual, _) => self.noise(),
            (Some((w, o)), _, Collision::New) => self.merged(w, o, m),
            (Some(_), _, Collision::Old) | (None, MemKind::SimpleDual | MemKind::Rom | MemKind::Distributed, _) => {
                self.word(a.addr).to_vec()
            }
            (Some(_), ..) => self.noise(),
            (None, MemKind::TrueDual, Collision::New) if a.we => self.merged(i, a, m),
            (None, MemKind::TrueDual, Collision::Undefined) if a.writes => self.noise(),
            (None, MemKind::TrueDual, _) => self.word(a.addr).to_vec(),
        }
    }

    /// The word that a write of port `i` leaves.
    fn merged(&self, i: usize, a: &Access, m: &[u64]) -> Vec<u64> {
        let p = &self.ports[i];
        let new = &m[p.wdata as usize..][..self.words_each];
        let (Some(strb), Some(lane)) = (p.wstrb, self.spec.lane) else { return new.to_vec() };
        let mut word = self.word(a.addr).to_vec();
        for k in (0..self.spec.lanes()).filter(|k| m[(strb + k / 64) as usize] >> (k % 64) & 1 == 1) {
            copy_bits(&mut word, new, k * lane, lane);
        }
        word
    }

    /// Shows the outputs that [`Mem::sample`] worked out.
    pub fn show(&mut self, m: &mut [u64]) {
        for (p, pending) in self.ports.iter().zip(&mut self.pending) {
            if let (Some(at), Some(word)) = (p.rdata, pending.take()) {
                m[at as usize..][..word.len()].copy_from_slice(&word);
            }
        }
    }
}

/// `to[lsb +: width] = from[lsb +: width]`.
fn copy_bits(to: &mut [u64], from: &[u64], lsb: u32, width: u32) {
    let mut at = lsb;
    while at < lsb + width {
        let (word, bit) = ((at / 64) as usize, at % 64);
        let n = (64 - bit).min(lsb + width - at);
        let mask = (u64::MAX >> (64 - n)) << bit;
        to[word] = to[word] & !mask | from[word] & mask;
        at += n;
    }
}
