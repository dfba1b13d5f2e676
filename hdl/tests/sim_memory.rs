//! Memories in the native simulator: every kind, latency and collision policy, on one clock and on two.

use hdl::{
    Collision::*,
    memory::{MemBuilder, distributed, rom, simple_dual, true_dual},
    sim::{Port, Sim},
    *,
};

/// Ports of a memory with one write and one read port.
#[derive(Bundle, Clone)]
pub struct DualIo<S> {
    /// Write enable.
    #[input]
    pub we: S,
    /// Write address.
    #[input]
    #[width(4)]
    pub waddr: S,
    /// Write data.
    #[input]
    #[width(72)]
    pub wdata: S,
    /// Lanes of 24 bits.
    #[input]
    #[width(3)]
    pub wstrb: S,
    /// Read enable.
    #[input]
    pub re: S,
    /// Read address.
    #[input]
    #[width(4)]
    pub raddr: S,
    /// Read data.
    #[output]
    #[width(72)]
    pub rdata: S,
}

struct Dual(fn() -> MemBuilder);

impl Block for Dual {
    type Io<S> = DualIo<S>;

    fn name(&self) -> String {
        "dual".into()
    }

    fn io(&self) -> DualIo<Shape> {
        DualIo::shape()
    }

    #[names]
    fn build(&self, io: &DualIo<Bits>) {
        let ram = (self.0)().simple();
        ram.we.set(io.we);
        ram.waddr.set(io.waddr);
        ram.wdata.set(io.wdata);
        match ram.wstrb {
            Some(strb) => strb.set(io.wstrb),
            None => io.wstrb.ignore(),
        }
        ram.raddr.set(io.raddr);
        match ram.re {
            Some(re) => re.set(io.re),
            None => io.re.ignore(),
        }
        io.rdata.set(ram.rdata);
    }
}

fn word(n: u64) -> Value {
    Value::from_words(72, &[n.wrapping_mul(0x9e37_79b9_7f4a_7c15), n])
}

fn dual(make: fn() -> MemBuilder) -> Sim<Dual> {
    let sim = Sim::new(&Dual(make)).unwrap();
    for p in [sim.io.we, sim.io.re] {
        sim.poke(p, false);
    }
    sim.poke(sim.io.wstrb, 7);
    for a in 0..10 {
        write(&sim, a, a + 100);
    }
    sim
}

fn write(sim: &Sim<Dual>, addr: u64, n: u64) {
    sim.poke(sim.io.we, true);
    sim.poke(sim.io.waddr, addr);
    sim.poke(sim.io.wdata, word(n));
    sim.step();
    sim.poke(sim.io.we, false);
}

fn read(sim: &Sim<Dual>, addr: u64) {
    sim.poke(sim.io.re, true);
    sim.poke(sim.io.raddr, addr);
    sim.step();
    sim.poke(sim.io.re, false);
}

/// Writes word `n` to address 3 while it is read; what comes out.
fn collide(sim: &Sim<Dual>, n: u64) -> Value {
    sim.poke(sim.io.re, true);
    sim.poke(sim.io.raddr, 3);
    write(sim, 3, n);
    sim.poke(sim.io.re, false);
    sim.peek(sim.io.rdata)
}

#[test]
fn latency_1_reads_hold_while_not_enabled() {
    let sim = dual(|| simple_dual(10, 72));
    read(&sim, 4);
    assert_eq!(sim.peek(sim.io.rdata), word(104));
    sim.poke(sim.io.raddr, 5);
    sim.steps(3);
    assert_eq!(sim.peek(sim.io.rdata), word(104));
    read(&sim, 9);
    assert_eq!(sim.peek(sim.io.rdata), word(109));
    assert_eq!(sim.memory_word("ram", 9), word(109));
    sim.set_memory_word("ram", 9, &word(1));
    read(&sim, 9);
    assert_eq!(sim.peek(sim.io.rdata), word(1));
}

#[test]
fn latency_2_adds_a_register_that_is_always_enabled() {
    let sim = dual(|| simple_dual(10, 72).latency(2));
    read(&sim, 4);
    read(&sim, 5);
    assert_eq!(sim.peek(sim.io.rdata), word(104));
    sim.step();
    assert_eq!(sim.peek(sim.io.rdata), word(105));
    sim.steps(2);
    assert_eq!(sim.peek(sim.io.rdata), word(105));
}

#[test]
fn a_collision_returns_the_old_the_new_or_a_random_word() {
    let old = dual(|| simple_dual(10, 72).collision(Old));
    assert_eq!(collide(&old, 7), word(103));
    assert_eq!(collide(&old, 8), word(7));
    let new = dual(|| simple_dual(10, 72).collision(New));
    assert_eq!(collide(&new, 7), word(7));
    let any = dual(|| simple_dual(10, 72));
    let seen: Vec<Value> = (0..4).map(|n| collide(&any, n)).collect();
    assert!(
        (0..4)
            .all(|n| seen[n] != word(n as u64) && (n == 0 || seen[n] != word(n as u64 - 1) && seen[n] != seen[n - 1]))
    );
    read(&any, 3);
    assert_eq!(any.peek(any.io.rdata), word(3), "the write itself is sound");
}

#[test]
fn strobes_write_lanes_and_a_new_word_is_merged() {
    let sim = dual(|| simple_dual(10, 72).lanes(24).collision(New));
    sim.poke(sim.io.wstrb, 0b010);
    let merged = word(103).slice(48, 24).concat(&word(7).slice(24, 24)).concat(&word(103).slice(0, 24));
    assert_eq!(collide(&sim, 7), merged);
    assert_eq!(sim.memory_word("ram", 3), merged);
    sim.poke(sim.io.wstrb, 0);
    assert_eq!(collide(&sim, 9), merged);
    let any = dual(|| simple_dual(10, 72).lanes(24));
    any.poke(any.io.wstrb, 0);
    assert_eq!(collide(&any, 9), word(103), "without a strobe there is no write to collide with");
}

#[test]
fn distributed_memory_reads_at_once() {
    let sim = dual(|| distributed(10, 72));
    sim.poke(sim.io.raddr, 6);
    assert_eq!(sim.peek(sim.io.rdata), word(106));
    sim.poke(sim.io.we, true);
    sim.poke(sim.io.waddr, 6);
    sim.poke(sim.io.wdata, word(1));
    assert_eq!(sim.peek(sim.io.rdata), word(106));
    sim.step();
    assert_eq!(sim.peek(sim.io.rdata), word(1));
}

#[test]
fn contents_are_there_at_power_up_and_missing_words_are_zero() {
    let sim = Sim::new(&Dual(|| simple_dual(10, 72).contents(vec![word(5), word(6)]))).unwrap();
    sim.poke(sim.io.we, false);
    read(&sim, 1);
    assert_eq!(sim.peek(sim.io.rdata), word(6));
    read(&sim, 2);
    assert_eq!(sim.peek(sim.io.rdata), Value::zero(72));
}

/// One port of a true dual port memory.
#[derive(Bundle, Clone)]
pub struct SideIo<S> {
    /// Enable.
    pub en: S,
    /// Write.
    pub we: S,
    /// Address.
    #[width(4)]
    pub addr: S,
    /// Write data.
    #[width(72)]
    pub wdata: S,
    /// Read data.
    #[flip]
    #[width(72)]
    pub rdata: S,
}

/// Ports a and b.
#[derive(Bundle, Clone)]
pub struct TrueIo<S> {
    /// Port a.
    #[input]
    #[shape(SideIo::shape())]
    pub a: SideIo<S>,
    /// Port b.
    #[input]
    #[shape(SideIo::shape())]
    pub b: SideIo<S>,
}

struct True(fn() -> MemBuilder);

impl Block for True {
    type Io<S> = TrueIo<S>;

    fn name(&self) -> String {
        "both".into()
    }

    fn io(&self) -> TrueIo<Shape> {
        TrueIo::shape()
    }

    #[names]
    fn build(&self, io: &TrueIo<Bits>) {
        let ram = (self.0)().dual();
        for (port, side) in ram.iter().zip([&io.a, &io.b]) {
            port.en.set(side.en);
            port.we.set(side.we);
            port.addr.set(side.addr);
            port.wdata.set(side.wdata);
            side.rdata.set(port.rdata);
        }
    }
}

/// Sets up one port for the next edge: `n` none reads, else writes that word.
fn access(sim: &Sim<True>, side: &SideIo<Port>, addr: u64, n: Option<u64>) {
    sim.poke(side.en, true);
    sim.poke(side.we, n.is_some());
    sim.poke(side.addr, addr);
    sim.poke(side.wdata, word(n.unwrap_or(0)));
}

fn both(make: fn() -> MemBuilder) -> (Sim<True>, SideIo<Port>, SideIo<Port>) {
    let sim = Sim::new(&True(make)).unwrap();
    let (a, b) = (sim.io.a.clone(), sim.io.b.clone());
    sim.poke(b.en, false);
    for addr in 0..10 {
        access(&sim, &a, addr, Some(addr + 100));
        sim.step();
    }
    access(&sim, &a, 2, None);
    sim.step();
    assert_eq!(sim.peek(a.rdata), word(102));
    (sim, a, b)
}

#[test]
fn a_port_that_writes_reads_by_its_own_policy() {
    let after_write = |make| {
        let (sim, a, _) = both(make);
        access(&sim, &a, 3, Some(7));
        sim.step();
        sim.peek(a.rdata)
    };
    assert_eq!(after_write(|| true_dual(10, 72)), word(102), "no change");
    assert_eq!(after_write(|| true_dual(10, 72).collision(Old)), word(103));
    assert_eq!(after_write(|| true_dual(10, 72).collision(New)), word(7));
    let random = after_write(|| true_dual(10, 72).collision(Undefined));
    assert!([102, 103, 7].iter().all(|n| random != word(*n)));
}

#[test]
fn ports_that_meet_at_one_word_get_random_data() {
    let (sim, a, b) = both(|| true_dual(10, 72).collision(Old));
    access(&sim, &a, 3, Some(7));
    access(&sim, &b, 3, None);
    sim.step();
    assert!(sim.peek(b.rdata) != word(103) && sim.peek(b.rdata) != word(7));
    assert_eq!(sim.peek(a.rdata), word(103));
    assert_eq!(sim.memory_word("ram", 3), word(7));
    access(&sim, &a, 4, Some(7));
    access(&sim, &b, 4, Some(8));
    sim.step();
    assert!([104, 7, 8].iter().all(|n| sim.memory_word("ram", 4) != word(*n)));
    access(&sim, &a, 5, Some(7));
    access(&sim, &b, 6, None);
    sim.step();
    assert_eq!((sim.peek(a.rdata), sim.peek(b.rdata)), (word(105), word(106)));
    access(&sim, &a, 5, None);
    access(&sim, &b, 5, None);
    sim.step();
    assert_eq!((sim.peek(a.rdata), sim.peek(b.rdata)), (word(7), word(7)), "two reads never collide");
}

/// Ports of a look-up.
#[derive(Bundle, Clone)]
pub struct RomIo<S> {
    /// Enable.
    #[input]
    pub re: S,
    /// Address.
    #[input]
    #[width(3)]
    pub addr: S,
    /// Data.
    #[output]
    #[width(72)]
    pub data: S,
}

struct Table;

impl Block for Table {
    type Io<S> = RomIo<S>;

    fn name(&self) -> String {
        "squares".into()
    }

    fn io(&self) -> RomIo<Shape> {
        RomIo::shape()
    }

    #[names]
    fn build(&self, io: &RomIo<Bits>) {
        let table = rom(8, (0..6).map(word).collect()).read_only();
        table.re.set(io.re);
        table.raddr.set(io.addr);
        io.data.set(table.rdata);
    }
}

#[test]
fn a_rom_reads_its_contents() {
    let sim = Sim::new(&Table).unwrap();
    sim.poke(sim.io.re, true);
    for a in 0..8 {
        sim.poke(sim.io.addr, a);
        sim.step();
        assert_eq!(sim.peek(sim.io.data), if a < 6 { word(a) } else { Value::zero(72) });
    }
}

/// Ports in two domains.
#[derive(Bundle, Clone)]
pub struct TwoIo<S> {
    /// Write enable.
    #[input]
    #[clock(wr)]
    pub we: S,
    /// Write address.
    #[input]
    #[width(4)]
    #[clock(wr)]
    pub waddr: S,
    /// Write data.
    #[input]
    #[width(72)]
    #[clock(wr)]
    pub wdata: S,
    /// Read address.
    #[input]
    #[width(4)]
    #[clock(rd)]
    pub raddr: S,
    /// Read data.
    #[output]
    #[width(72)]
    #[clock(rd)]
    pub rdata: S,
    /// Edges of the writing clock, in its reset's absence.
    #[output]
    #[width(8)]
    #[clock(wr)]
    pub writes: S,
}

struct Two;

impl Block for Two {
    type Io<S> = TwoIo<S>;

    fn name(&self) -> String {
        "two".into()
    }

    fn io(&self) -> TwoIo<Shape> {
        TwoIo::shape()
    }

    #[names]
    fn build(&self, io: &TwoIo<Bits>) {
        let ram = simple_dual(16, 72).domains("wr", "rd").simple();
        ram.write(io.we, io.waddr, io.wdata);
        io.rdata.set(ram.read(lit(1, 1), io.raddr));
        in_domain("wr", || {
            let writes = reg(8).reset(0);
            writes.set(writes + 1);
            io.writes.set(writes);
        });
    }
}

#[test]
fn two_clocks_collide_only_on_a_common_edge() {
    let sim = Sim::new(&Two).unwrap();
    sim.poke(sim.io.we, false);
    sim.reset();
    sim.poke(sim.io.we, true);
    sim.poke(sim.io.waddr, 3);
    sim.poke(sim.io.raddr, 3);
    sim.poke(sim.io.wdata, word(1));
    sim.step_domain("wr");
    sim.step_domain("rd");
    assert_eq!(sim.peek(sim.io.rdata), word(1));
    sim.poke(sim.io.wdata, word(2));
    sim.step_domain("wr");
    assert_eq!(sim.peek(sim.io.rdata), word(1), "the reading clock has not ticked");
    sim.record(&sim.io);
    sim.poke(sim.io.wdata, word(3));
    sim.edge(&["wr", "rd"]);
    assert!([1, 2, 3].iter().all(|n| sim.peek(sim.io.rdata) != word(*n)));
    sim.step_domain("rd");
    assert_eq!(sim.peek(sim.io.rdata), word(3));
    assert_eq!(sim.peek_u64(sim.io.writes), 3);
    sim.set_reset("rd", true);
    sim.step_domain("wr");
    assert_eq!(sim.peek_u64(sim.io.writes), 4, "the other domain's reset");
    sim.set_reset("wr", true);
    sim.step_domain("wr");
    assert_eq!(sim.peek_u64(sim.io.writes), 0);
    let wave = sim.wave();
    let row = |name: &str| wave.lines().find(|l| l.starts_with(name)).map(|l| l[name.len()..].trim().to_string());
    assert_eq!(row("wr_clk").as_deref(), Some("^                   ^         ^"), "{wave}");
    assert_eq!(row("rd_clk").as_deref(), Some("^         ^"), "{wave}");
}
