//! Drives the registers' bus in the native simulator, with random stalls on every channel; and random numbers.
#![allow(dead_code)] // each test file uses its part

use em_rtl::csr::{AxiLite, Csr, MapConfig};
use em_rtl::lookup::{Management, Tables};
use hdl::{
    Block,
    sim::{Port, Sim},
};

/// SplitMix64, seeded by each test.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Tables of a small module.
pub const TABLES: Tables = Tables {
    functions: 64,
    nat_ways: 4,
    nat_rows: 32,
    mac_ways: 2,
    mac_rows: 16,
    next_hops: 16,
    management: Management::Shared,
};

/// The map of a small module.
pub const CONFIG: MapConfig = MapConfig { tables: TABLES, punt_limits: 4, data_w: 128, max_frame: 9216 };

/// A block with the registers' bus.
pub trait HasBus: Block {
    /// The bus.
    fn axil(sim: &Sim<Self>) -> &AxiLite<Port>
    where
        Self: Sized;
}

impl HasBus for Csr {
    fn axil(sim: &Sim<Self>) -> &AxiLite<Port> {
        &sim.io.s_axil
    }
}

/// Something done before every clock.
pub type EachClock<B> = Box<dyn FnMut(&Sim<B>)>;

/// Drives the bus, one or two accesses at a time, with `stall` percent of idle clocks on every channel.
pub struct Bus<B: HasBus = Csr> {
    pub sim: Sim<B>,
    pub random: Random,
    pub stall: usize,
    /// Called before every clock, to drive the other ports.
    pub each_clock: EachClock<B>,
}

/// A write under way.
struct Write {
    addr: u64,
    data: u64,
    strb: u64,
}

impl<B: HasBus> Bus<B> {
    pub fn new(block: &B, seed: u64, stall: usize, each_clock: EachClock<B>) -> Self {
        let sim = Sim::with_seed(block, seed).unwrap_or_else(|e| panic!("{e}"));
        sim.reset();
        Bus { sim, random: Random(seed), stall, each_clock }
    }

    pub fn write(&mut self, addr: u32, data: u32) -> u64 {
        self.write_strb(addr, data, 15)
    }

    pub fn write_strb(&mut self, addr: u32, data: u32, strb: u32) -> u64 {
        let write = Write { addr: addr.into(), data: data.into(), strb: strb.into() };
        self.access(Some(write), None).0.unwrap()
    }

    pub fn read(&mut self, addr: u32) -> (u64, u32) {
        self.access(None, Some(addr.into())).1.unwrap()
    }

    /// Response of the read must be OKAY.
    pub fn value(&mut self, addr: u32) -> u32 {
        let (resp, data) = self.read(addr);
        assert_eq!(resp, 0, "read of {addr:#x}");
        data
    }

    pub fn counter(&mut self, addr: u32) -> u64 {
        u64::from(self.value(addr)) | u64::from(self.value(addr + 4)) << 32
    }

    pub fn both(&mut self, write: (u32, u32), read: u32) -> (u64, (u64, u32)) {
        let write = Write { addr: write.0.into(), data: write.1.into(), strb: 15 };
        let (w, r) = self.access(Some(write), Some(read.into()));
        (w.unwrap(), r.unwrap())
    }

    /// Clocks without an access.
    pub fn idle(&mut self, clocks: u32) {
        let s = B::axil(&self.sim);
        [s.awvalid, s.wvalid, s.arvalid].iter().for_each(|p| self.sim.poke(*p, false));
        for _ in 0..clocks {
            (self.each_clock)(&self.sim);
            self.sim.step();
        }
    }

    /// Runs a write and a read until both are answered; checks that valid responses stay.
    fn access(&mut self, write: Option<Write>, read: Option<u64>) -> (Option<u64>, Option<(u64, u32)>) {
        let mut aw = write.is_some();
        let mut w = write.is_some();
        let mut ar = read.is_some();
        let (mut wrote, mut got) = (None, None);
        let (mut aw_up, mut w_up, mut ar_up) = (false, false, false);
        let mut held = [None, None];
        for _ in 0..4000 {
            let (sim, s) = (&self.sim, B::axil(&self.sim));
            // A valid once up stays up until it is taken.
            aw_up = aw && (aw_up || !self.random.chance(self.stall));
            w_up = w && (w_up || !self.random.chance(self.stall));
            ar_up = ar && (ar_up || !self.random.chance(self.stall));
            let bready = !self.random.chance(self.stall);
            let rready = !self.random.chance(self.stall);
            let junk = self.random.next();
            let pick = |up: bool, value: u64| if up { value } else { junk & 0xffff };
            let of = write.as_ref();
            sim.poke(s.awvalid, aw_up);
            sim.poke(s.awaddr, pick(aw_up, of.map_or(0, |w| w.addr)));
            sim.poke(s.wvalid, w_up);
            sim.poke(s.wdata, pick(w_up, of.map_or(0, |w| w.data)));
            sim.poke(s.wstrb, pick(w_up, of.map_or(0, |w| w.strb)) & 15);
            sim.poke(s.arvalid, ar_up);
            sim.poke(s.araddr, pick(ar_up, read.unwrap_or(0)));
            sim.poke(s.bready, bready);
            sim.poke(s.rready, rready);
            (self.each_clock)(sim);
            let b = sim.peek_bool(s.bvalid).then(|| sim.peek_u64(s.bresp));
            let r = sim.peek_bool(s.rvalid).then(|| (sim.peek_u64(s.rresp), sim.peek_u64(s.rdata) as u32));
            let now = [b.map(|b| (b, 0)), r];
            for (before, now) in held.iter().zip(&now) {
                assert!(before.is_none() || before == now, "a response changed before it was taken");
            }
            held = [if bready { None } else { now[0] }, if rready { None } else { now[1] }];
            assert!(b.is_none() || (write.is_some() && !aw && !w && wrote.is_none()), "a response to no write");
            assert!(r.is_none() || (read.is_some() && !ar && got.is_none()), "a response to no read");
            let aw_taken = aw_up && sim.peek_bool(s.awready);
            let w_taken = w_up && sim.peek_bool(s.wready);
            let ar_taken = ar_up && sim.peek_bool(s.arready);
            sim.step();
            aw &= !aw_taken;
            w &= !w_taken;
            ar &= !ar_taken;
            wrote = wrote.or(b.filter(|_| bready));
            got = got.or(r.filter(|_| rready));
            if wrote.is_some() == write.is_some() && got.is_some() == read.is_some() {
                return (wrote, got);
            }
        }
        panic!("the bus hangs: write {wrote:?}, read {got:?}");
    }
}
