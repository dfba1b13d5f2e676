//! Memories with a chosen contract. Each is emitted as a module of its own that synthesis maps to block RAM (or to
//! distributed RAM), with the ports named below.
//!
//! | kind | ports |
//! |---|---|
//! | [`simple_dual`] | `we waddr wdata [wstrb]`, `re [oe] raddr` -> `rdata` |
//! | [`true_dual`] | `a_en a_we a_addr a_wdata [a_wstrb]` -> `a_rdata`, the same for `b` |
//! | [`rom`] | `re raddr` -> `rdata` |
//! | [`distributed`] | `we waddr wdata`, `raddr` -> `rdata` in the same cycle |
//!
//! `rdata` holds its value while `re` (`en`) is 0. With latency 2 the array's own output register follows, which is
//! always enabled unless it has an enable of its own, `oe`. A memory's contents are not reset.

use crate::{
    Bits, Value,
    block::add_instance,
    build::with,
    error::Fault,
    ir::{Dir, Domain, DomainId, Loc, Pin, Target},
};
use std::{panic::Location, rc::Rc};

/// The kind of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemKind {
    /// One write port, one read port.
    SimpleDual,
    /// Two ports that both read and write.
    TrueDual,
    /// Read only.
    Rom,
    /// One write port, one asynchronous read port, in lookup tables.
    Distributed,
}

/// What a read returns when the same word is written in the same cycle: across the two ports of a simple dual port
/// memory, or on one port of a true dual port memory (whose cross-port collisions are always `Undefined`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Collision {
    /// The word before the write.
    Old,
    /// The word after the write.
    New,
    /// Whatever silicon does; simulation returns random data.
    Undefined,
    /// True dual port only: the read data keeps its value during a write.
    NoChange,
}

/// A memory's contract.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MemSpec {
    /// Kind.
    pub kind: MemKind,
    /// Number of words.
    pub depth: u32,
    /// Width of a word in bits.
    pub width: u32,
    /// Clocks from address to data: 1, or 2 with the output register; 0 for distributed memory.
    pub latency: u32,
    /// Read during write.
    pub collision: Collision,
    /// Bits written by one write strobe; none: whole words.
    pub lane: Option<u32>,
    /// Has each port a clock of its own (domains `wr` and `rd`, or `a` and `b`)?
    pub two_clocks: bool,
    /// Contents at power-up; missing words are zero. None: undefined.
    pub init: Option<Vec<Value>>,
    /// Simple dual port memory with latency 2: has the output register an enable (`oe`) of its own?
    pub output_enable: bool,
}

impl MemSpec {
    /// Width of an address.
    pub fn addr_width(&self) -> u32 {
        crate::clog2(u64::from(self.depth)).max(1)
    }

    /// Number of write strobes; 0 without byte enables.
    pub fn lanes(&self) -> u32 {
        self.lane.map_or(0, |l| self.width / l)
    }

    /// The ports in order.
    pub fn pins(&self) -> Vec<Pin> {
        let (aw, w, lanes) = (self.addr_width(), self.width, self.lanes());
        let second = DomainId(u32::from(self.two_clocks));
        let pin = |name: &str, dir, width, domain| Pin { name: name.into(), dir, width, domain, doc: "" };
        let mut pins = Vec::new();
        match self.kind {
            MemKind::SimpleDual | MemKind::Distributed => {
                pins.push(pin("we", Dir::In, 1, DomainId(0)));
                pins.push(pin("waddr", Dir::In, aw, DomainId(0)));
                pins.push(pin("wdata", Dir::In, w, DomainId(0)));
                if lanes > 0 {
                    pins.push(pin("wstrb", Dir::In, lanes, DomainId(0)));
                }
                if self.kind == MemKind::SimpleDual {
                    pins.push(pin("re", Dir::In, 1, second));
                }
                if self.output_enable {
                    pins.push(pin("oe", Dir::In, 1, second));
                }
                pins.push(pin("raddr", Dir::In, aw, second));
                pins.push(pin("rdata", Dir::Out, w, second));
            }
            MemKind::Rom => {
                pins.push(pin("re", Dir::In, 1, DomainId(0)));
                pins.push(pin("raddr", Dir::In, aw, DomainId(0)));
                pins.push(pin("rdata", Dir::Out, w, DomainId(0)));
            }
            MemKind::TrueDual => {
                for (p, domain) in [("a", DomainId(0)), ("b", second)] {
                    pins.push(pin(&format!("{p}_en"), Dir::In, 1, domain));
                    pins.push(pin(&format!("{p}_we"), Dir::In, 1, domain));
                    pins.push(pin(&format!("{p}_addr"), Dir::In, aw, domain));
                    pins.push(pin(&format!("{p}_wdata"), Dir::In, w, domain));
                    if lanes > 0 {
                        pins.push(pin(&format!("{p}_wstrb"), Dir::In, lanes, domain));
                    }
                    pins.push(pin(&format!("{p}_rdata"), Dir::Out, w, domain));
                }
            }
        }
        pins
    }

    /// Clock domains of the ports. Memories have clocks but no resets.
    pub fn domains(&self) -> Vec<Domain> {
        let names: &[&str] = match (self.two_clocks, self.kind) {
            (false, _) => &[""],
            (true, MemKind::TrueDual) => &["a", "b"],
            (true, _) => &["wr", "rd"],
        };
        names.iter().map(|n| Domain { name: (*n).into() }).collect()
    }

    /// Name of the Verilog module: the kind, the size and every choice that is not the default.
    pub fn module_name(&self) -> String {
        let kind = match self.kind {
            MemKind::SimpleDual => "ram_sdp",
            MemKind::TrueDual => "ram_tdp",
            MemKind::Rom => "rom",
            MemKind::Distributed => "ram_dist",
        };
        let mut name = format!("{kind}_{}x{}", self.depth, self.width);
        if self.latency == 2 {
            name += "_reg";
        }
        if self.output_enable {
            name += "_oe";
        }
        if let Some(l) = self.lane {
            name += &format!("_lane{l}");
        }
        if self.two_clocks {
            name += "_2clk";
        }
        name += match (self.kind, self.collision) {
            (MemKind::Rom | MemKind::Distributed, _) | (_, Collision::Undefined) => "",
            (_, Collision::Old) => "_old",
            (_, Collision::New) => "_new",
            (_, Collision::NoChange) => "_nochange",
        };
        if let Some(init) = &self.init {
            // Contents tell two memories of one shape apart; FNV-1a keeps the name short and the same on every run.
            let bytes = init.iter().flat_map(|v| v.to_bytes());
            let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
            name += &format!("_init{hash:016x}");
        }
        name
    }

    /// What of the contract does not fit together.
    fn fault(&self) -> Option<String> {
        let bad = |text: String| Some(text);
        if self.depth < 2 || self.width == 0 {
            return bad(format!(
                "a memory of {} words of {} bits: use at least 2 words of 1 bit",
                self.depth, self.width
            ));
        }
        if self.kind != MemKind::Distributed && !(1..=2).contains(&self.latency) {
            return bad(format!("read latency {}: block memories have 1 or 2", self.latency));
        }
        if self.kind == MemKind::Distributed && self.latency != 0 {
            return bad("distributed memory reads in the same cycle: leave the latency out".into());
        }
        if self.kind == MemKind::Rom && self.two_clocks {
            return bad("a ROM has one port: leave the second clock out".into());
        }
        if let Some(l) = self.lane
            && (l == 0 || !self.width.is_multiple_of(l))
        {
            return bad(format!("write lanes of {l} bits do not divide a {}-bit word", self.width));
        }
        if self.output_enable && (self.kind != MemKind::SimpleDual || self.latency != 2) {
            return bad("only a simple dual port memory of latency 2 has an output register with an enable".into());
        }
        if self.two_clocks && self.kind == MemKind::SimpleDual && self.collision != Collision::Undefined {
            return bad("with two clocks a read during a write is undefined: leave the collision policy out".into());
        }
        if self.kind == MemKind::SimpleDual && self.collision == Collision::NoChange {
            return bad("`NoChange` belongs to the ports of a true dual port memory".into());
        }
        match &self.init {
            Some(init) if init.len() > self.depth as usize => {
                bad(format!("{} words of contents for {} words", init.len(), self.depth))
            }
            Some(init) if init.iter().any(|v| v.width() != self.width) => {
                bad(format!("contents are not all {} bits wide", self.width))
            }
            None if self.kind == MemKind::Rom => bad("a ROM needs contents".into()),
            _ => None,
        }
    }
}

/// A memory's contract while it is being chosen; ends with `simple()`, `dual()` or `read_only()`.
#[derive(Clone, Debug)]
pub struct MemBuilder {
    spec: MemSpec,
    write_domain: Option<String>,
    read_domain: Option<String>,
    loc: Loc,
}

#[track_caller]
fn builder(kind: MemKind, depth: u32, width: u32, latency: u32, collision: Collision) -> MemBuilder {
    let spec = MemSpec {
        kind,
        depth,
        width,
        latency,
        collision,
        lane: None,
        two_clocks: false,
        init: None,
        output_enable: false,
    };
    MemBuilder { spec, write_domain: None, read_domain: None, loc: Location::caller() }
}

/// One write port, one read port; latency 1, collisions undefined.
#[track_caller]
pub fn simple_dual(depth: u32, width: u32) -> MemBuilder {
    builder(MemKind::SimpleDual, depth, width, 1, Collision::Undefined)
}

/// Two ports that both read and write; latency 1, read data unchanged by a write on the same port.
#[track_caller]
pub fn true_dual(depth: u32, width: u32) -> MemBuilder {
    builder(MemKind::TrueDual, depth, width, 1, Collision::NoChange)
}

/// A read-only memory; missing words are zero; latency 1.
#[track_caller]
pub fn rom(depth: u32, contents: Vec<Value>) -> MemBuilder {
    let width = contents.first().map_or(1, Value::width);
    builder(MemKind::Rom, depth, width, 1, Collision::Undefined).contents(contents)
}

/// A small memory in lookup tables: the read is asynchronous.
#[track_caller]
pub fn distributed(depth: u32, width: u32) -> MemBuilder {
    builder(MemKind::Distributed, depth, width, 0, Collision::Old)
}

/// Ports of a simple dual port (or distributed) memory.
#[derive(Clone, Copy, Debug)]
pub struct SimpleDual {
    /// Write enable.
    pub we: Bits,
    /// Write address.
    pub waddr: Bits,
    /// Write data.
    pub wdata: Bits,
    /// Write strobes, one a lane.
    pub wstrb: Option<Bits>,
    /// Read enable (not on distributed memory).
    pub re: Option<Bits>,
    /// Output register's enable (with [`MemBuilder::output_enable`]), to be driven by the block.
    pub oe: Option<Bits>,
    /// Read address.
    pub raddr: Bits,
    /// Read data.
    pub rdata: Bits,
}

/// One port of a true dual port memory.
#[derive(Clone, Copy, Debug)]
pub struct RamPort {
    /// Enable: read, or write if `we`.
    pub en: Bits,
    /// Write enable.
    pub we: Bits,
    /// Address.
    pub addr: Bits,
    /// Write data.
    pub wdata: Bits,
    /// Write strobes, one a lane.
    pub wstrb: Option<Bits>,
    /// Read data.
    pub rdata: Bits,
}

/// Ports of a ROM.
#[derive(Clone, Copy, Debug)]
pub struct Rom {
    /// Read enable.
    pub re: Bits,
    /// Address.
    pub raddr: Bits,
    /// Data.
    pub rdata: Bits,
}

impl MemBuilder {
    /// Clocks from address to data: 1, or 2 to use the block's output register.
    pub fn latency(mut self, latency: u32) -> Self {
        self.spec.latency = latency;
        self
    }

    /// Latency 2 with an enable for the output register, [`SimpleDual::oe`]: each of the read's two stages can wait.
    pub fn output_enable(mut self) -> Self {
        self.spec.latency = 2;
        self.spec.output_enable = true;
        self
    }

    /// Read-during-write policy.
    pub fn collision(mut self, collision: Collision) -> Self {
        self.spec.collision = collision;
        self
    }

    /// Write strobes, one for each `bits` bits of a word.
    pub fn lanes(mut self, bits: u32) -> Self {
        self.spec.lane = Some(bits);
        self
    }

    /// A clock domain for each port: writing (or port a) and reading (or port b).
    pub fn domains(mut self, write: &str, read: &str) -> Self {
        self.spec.two_clocks = true;
        self.write_domain = Some(write.into());
        self.read_domain = Some(read.into());
        self
    }

    /// Contents at power-up.
    pub fn contents(mut self, words: Vec<Value>) -> Self {
        self.spec.init = Some(words);
        self
    }

    /// Only memories of these kinds end with the method `end`; another one is taken for the first of them.
    fn expect(mut self, kinds: &[MemKind], end: &str) -> Self {
        if !kinds.contains(&self.spec.kind) {
            let message = format!("a memory of the kind {:?} does not end with `{end}`", self.spec.kind);
            with(|b| b.error(Fault::Config, self.loc, message));
            let spec = builder(kinds[0], self.spec.depth.max(2), self.spec.width.max(1), 1, Collision::Undefined).spec;
            let init = (spec.kind == MemKind::Rom).then(Vec::new);
            self = MemBuilder { spec: MemSpec { init, ..spec }, write_domain: None, read_domain: None, loc: self.loc };
        }
        self
    }

    fn pins(self) -> Vec<Bits> {
        let mut spec = self.spec;
        if let Some(message) = spec.fault() {
            with(|b| b.error(Fault::Config, self.loc, message));
            // The same pins, so that building can go on and find more.
            let width = spec.width.max(1);
            spec = MemSpec { depth: spec.depth.max(2), width, lane: spec.lane.map(|_| width), ..spec };
        }
        let names = spec.domains();
        let wanted = [self.write_domain, self.read_domain];
        let maps: Vec<(&str, &str)> =
            names.iter().zip(&wanted).filter_map(|(n, w)| w.as_deref().map(|w| (n.name.as_str(), w))).collect();
        add_instance(Target::Memory(Rc::new(spec)), &maps, self.loc)
    }

    /// Makes a simple dual port or distributed memory.
    pub fn simple(self) -> SimpleDual {
        let memory = self.expect(&[MemKind::SimpleDual, MemKind::Distributed], "simple()");
        let (kind, lanes, oe) = (memory.spec.kind, memory.spec.lane.is_some(), memory.spec.output_enable);
        let mut pins = memory.pins().into_iter();
        let mut next = || pins.next().expect("pins of a simple dual port memory");
        SimpleDual {
            we: next(),
            waddr: next(),
            wdata: next(),
            wstrb: lanes.then(&mut next),
            re: (kind == MemKind::SimpleDual).then(&mut next),
            oe: oe.then(&mut next),
            raddr: next(),
            rdata: next(),
        }
    }

    /// Makes a true dual port memory: ports a and b.
    pub fn dual(self) -> [RamPort; 2] {
        let memory = self.expect(&[MemKind::TrueDual], "dual()");
        let lanes = memory.spec.lane.is_some();
        let mut pins = memory.pins().into_iter();
        let mut next = || pins.next().expect("pins of a true dual port memory");
        [(); 2].map(|()| RamPort {
            en: next(),
            we: next(),
            addr: next(),
            wdata: next(),
            wstrb: lanes.then(&mut next),
            rdata: next(),
        })
    }

    /// Makes a ROM.
    pub fn read_only(self) -> Rom {
        let mut pins = self.expect(&[MemKind::Rom], "read_only()").pins().into_iter();
        let mut next = || pins.next().expect("pins of a ROM");
        Rom { re: next(), raddr: next(), rdata: next() }
    }
}

impl SimpleDual {
    /// Drives the write port (all lanes).
    #[track_caller]
    pub fn write(&self, we: Bits, addr: Bits, data: Bits) {
        self.we.set(we);
        self.waddr.set(addr);
        self.wdata.set(data);
        if let Some(strb) = self.wstrb {
            strb.set(crate::constant(Value::ones(strb.width())));
        }
    }

    /// Drives the read port and returns the data, which follows after the memory's latency.
    #[track_caller]
    pub fn read(&self, re: Bits, addr: Bits) -> Bits {
        if let Some(r) = self.re {
            r.set(re);
        }
        self.raddr.set(addr);
        self.rdata
    }
}
