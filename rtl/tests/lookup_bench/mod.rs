//! The lookup block under traffic in every clock, beside a table of slots in plain Rust that says what it must answer.
#![allow(dead_code)]

mod model;

use em_rtl::lookup::{Geometry, Management, Operation, Table, TableStatus, Tables};
use hdl::{Encode, Value, sim::Sim};
pub use model::*;
use std::collections::VecDeque;

/// SplitMix64, seeded by each test.
#[derive(Clone)]
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

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// A small lookup block.
pub fn small(management: Management) -> Tables {
    Tables { functions: 16, nat_ways: 4, nat_rows: 16, mac_ways: 3, mac_rows: 16, next_hops: 4, management }
}

/// What keys the traffic asks for.
pub struct Traffic {
    pub random: Random,
    pub tx: Vec<(u16, u32)>,
    pub rx: Vec<u32>,
    pub mac: Vec<u64>,
    /// Percent of the requests that are IPv4.
    pub ipv4: usize,
    /// Percent of the requests that ask for the key of the present command.
    pub focus: usize,
}

/// The answers that are allowed to the requests of one clock; none: there was no request.
#[derive(Default)]
struct Allowed {
    tx: Vec<TxAnswer>,
    rx: Vec<RxAnswer>,
}

/// The block and its model, under traffic.
pub struct Bench {
    pub sim: Sim<Tables>,
    pub model: Model,
    pub traffic: Traffic,
    allowed: VecDeque<Allowed>,
    early: VecDeque<(TxAnswer, RxAnswer)>,
    /// What was counted, and what had to be, if each request had one possible answer.
    pub counted: Counts,
    pub expected: Counts,
    pub requests: u64,
    /// Answers that could have been before or after a command.
    pub ambiguous: u64,
    /// Clocks that the last command took.
    pub clocks: u64,
    /// Every answer to tx, in order, if wanted.
    pub tx_log: Option<Vec<(TxAnswer, bool)>>,
}

impl Bench {
    pub fn new(tables: Tables, seed: u64, traffic: Traffic) -> Self {
        let sim = Sim::with_seed(&tables, seed).unwrap_or_else(|errors| panic!("{errors}"));
        let mut bench = Bench {
            sim,
            model: Model::new(tables),
            traffic,
            allowed: VecDeque::new(),
            early: VecDeque::new(),
            counted: Counts::default(),
            expected: Counts::default(),
            requests: 0,
            ambiguous: 0,
            clocks: 0,
            tx_log: None,
        };
        bench.reset();
        bench
    }

    /// Resets the block, and waits until it is ready.
    pub fn reset(&mut self) {
        self.sim.reset();
        self.model = Model::new(self.model.tables);
        self.allowed.clear();
        self.early.clear();
        self.wait_ready();
    }

    fn wait_ready(&mut self) {
        let mut clocks = 0;
        while !self.sim.peek_bool(self.sim.io.manage.ready) {
            self.clock(None, None);
            clocks += 1;
            assert!(clocks <= 600, "the tables do not become ready");
        }
    }

    /// Clocks without a request, so that all of them are answered.
    pub fn drain(&mut self) {
        let io = &self.sim.io;
        self.sim.poke(io.tx_request.valid, false);
        self.sim.poke(io.rx_request.valid, false);
        for _ in 0..Tables::LATE_LATENCY + 2 {
            self.allowed.push_back(Allowed::default());
            self.sim.step();
            self.check_answers();
        }
    }

    /// One clock of traffic, some of it for the key of `command`; `before` is the model before the command.
    pub fn clock(&mut self, command: Option<&Command>, before: Option<&Model>) {
        let (tx, rx) = self.requests(command);
        self.clock_with(tx, rx, before);
    }

    fn requests(&mut self, command: Option<&Command>) -> (Tx, Rx) {
        let t = &mut self.traffic;
        let (function, address) = t.random.pick(&t.tx);
        let mut tx = Tx { function, address, ipv4: t.random.chance(t.ipv4) };
        let mut rx =
            Rx { address: t.random.pick(&t.rx), ipv4: t.random.chance(t.ipv4), eth_dst: t.random.pick(&t.mac) };
        if let Some(c) = command.filter(|_| t.random.chance(t.focus)) {
            match Table::ALL.get(usize::from(c.table)) {
                Some(Table::NatTx) => (tx.function, tx.address) = ((c.key >> 32) as u16, c.key as u32),
                Some(Table::NatRx) => rx.address = c.key as u32,
                Some(Table::Mac) => rx.eth_dst = c.key,
                Some(Table::Function) => tx.function = c.row as u16,
                _ => {}
            }
        }
        (tx, rx)
    }

    pub fn clock_with(&mut self, tx: Tx, rx: Rx, before: Option<&Model>) {
        let io = &self.sim.io;
        let (t, r) = (&io.tx_request, &io.rx_request);
        self.sim.poke(t.valid, true);
        self.sim.poke(t.function, u64::from(tx.function));
        self.sim.poke(t.address, u64::from(tx.address));
        self.sim.poke(t.ipv4, tx.ipv4);
        self.sim.poke(r.valid, true);
        self.sim.poke(r.address, u64::from(rx.address));
        self.sim.poke(r.ipv4, rx.ipv4);
        self.sim.poke(r.eth_dst, rx.eth_dst);
        let ready = self.sim.peek_bool(io.manage.ready);
        let bank = usize::from(self.sim.peek_bool(io.manage.bank));
        self.allowed.push_back(if ready {
            let mut allowed = Allowed { tx: vec![], rx: vec![] };
            let mut counts = Counts::default();
            for model in before.into_iter().chain([&self.model]) {
                counts = Counts::default();
                let (tx, rx) = (model.tx(bank, tx, &mut counts), model.rx(bank, rx, &mut counts));
                if !allowed.tx.contains(&tx) {
                    allowed.tx.push(tx);
                }
                if !allowed.rx.contains(&rx) {
                    allowed.rx.push(rx);
                }
            }
            for (sum, n) in self.expected.iter_mut().flatten().zip(counts.iter().flatten()) {
                *sum += n;
            }
            self.ambiguous += (allowed.tx.len() + allowed.rx.len() - 2) as u64;
            allowed
        } else {
            Allowed { tx: vec![TxAnswer::default()], rx: vec![RxAnswer::default()] }
        });
        self.sim.step();
        self.requests += 1;
        self.check_answers();
    }

    fn check_answers(&mut self) {
        let (latency, late_latency) = (Tables::LATENCY as usize, Tables::LATE_LATENCY as usize);
        let io = &self.sim.io;
        let bit = |port| self.sim.peek_bool(port);
        let word = |port| self.sim.peek_u64(port);
        for (sums, event) in self.counted.iter_mut().zip([io.events.hit, io.events.miss, io.events.parity]) {
            let event = word(event);
            sums.iter_mut().enumerate().for_each(|(i, sum)| *sum += event >> i & 1);
        }
        let answered = self.allowed.len() >= latency;
        let asked = answered && !self.allowed[self.allowed.len() - latency].tx.is_empty();
        assert_eq!((bit(io.tx_response.valid), bit(io.rx_response.valid)), (asked, asked));
        if answered {
            let (t, r) = (&io.tx_response, &io.rx_response);
            let tx = TxAnswer {
                function_valid: bit(t.function_valid),
                function_parity: bit(t.function_parity),
                mode: word(t.mode),
                unmatched: word(t.unmatched),
                nat_hit: bit(t.nat_hit),
                nat_parity: bit(t.nat_parity),
                outside: word(t.outside) as u32,
                delta: word(t.delta) as u16,
                next_hop: bit(t.next_hop),
                route: bit(t.route),
                ..TxAnswer::default()
            };
            let rx = RxAnswer {
                nat_hit: bit(r.nat_hit),
                nat_parity: bit(r.nat_parity),
                inside: word(r.inside) as u32,
                function: word(r.function) as u16,
                delta: word(r.delta) as u16,
                next_hop: bit(r.next_hop),
                route: bit(r.route),
                pass_hit: bit(r.pass_hit),
                pass_parity: bit(r.pass_parity),
                pass_function: word(r.pass_function) as u16,
                ..RxAnswer::default()
            };
            self.early.push_back((tx, rx));
        }
        if self.allowed.len() == late_latency {
            let allowed = self.allowed.pop_front().unwrap();
            let (mut tx, mut rx) = self.early.pop_front().unwrap();
            (tx.late_parity, rx.late_parity) = (bit(io.tx_late.parity), bit(io.rx_late.parity));
            // An address beside a parity error is not to be used.
            let mac = |port, failed: bool| if failed { 0 } else { self.sim.peek_u64(port) };
            tx.hop_mac = mac(io.tx_late.next_hop_mac, tx.late_parity);
            tx.function_mac = mac(io.tx_late.function_mac, tx.function_parity);
            rx.function_mac = mac(io.rx_late.function_mac, rx.late_parity);
            if allowed.tx.is_empty() {
                return;
            }
            let cycle = self.sim.cycle();
            assert!(allowed.tx.contains(&tx), "cycle {cycle}: {tx:x?}\nallowed {:x?}", allowed.tx);
            assert!(allowed.rx.contains(&rx), "cycle {cycle}: {rx:x?}\nallowed {:x?}", allowed.rx);
            if let Some(log) = &mut self.tx_log {
                log.push((tx, bit(io.manage.bank)));
            }
        }
    }

    /// Carries out a command under traffic, and compares its status and what it found.
    pub fn command(&mut self, c: Command) -> TableStatus {
        let before = self.model.clone();
        let (expected, found) = self.model.apply(&c);
        // Lookups see the tables as they were until a clear makes them not ready.
        let cleared = (c.operation == Operation::Clear).then(|| std::mem::replace(&mut self.model, before.clone()));
        let io = &self.sim.io.manage;
        self.sim.poke(io.start, true);
        self.sim.poke(io.operation, c.operation.encoded());
        self.sim.poke(io.table, u64::from(c.table));
        self.sim.poke(io.way, u64::from(c.way));
        self.sim.poke(io.row, u64::from(c.row));
        self.sim.poke(io.key, Value::new(48, c.key.into()));
        self.sim.poke(io.value, c.value);
        self.sim.poke(io.flip, c.flip.is_some());
        self.sim.poke(io.flip_bit, u64::from(c.flip.unwrap_or(0)));
        self.clocks = 0;
        while !self.sim.peek_bool(self.sim.io.manage.done) {
            self.clock(Some(&c), cleared.is_none().then_some(&before));
            self.sim.poke(self.sim.io.manage.start, false);
            if let Some(cleared) = cleared.as_ref().filter(|_| !self.sim.peek_bool(self.sim.io.manage.ready)) {
                self.model = cleared.clone();
            }
            self.clocks += 1;
            assert!(self.clocks < 200_000, "no answer to {c:x?}");
        }
        let io = &self.sim.io.manage;
        let status = self.sim.peek_u64(io.status);
        assert_eq!(status, expected.encoded(), "{c:x?}: expected {expected:?}");
        assert_eq!(self.sim.peek_u64(io.bank), self.model.bank as u64);
        if let Some(found) = found {
            let valid = u64::from(found.valid[0]) | u64::from(found.valid[1]) << 1;
            assert_eq!(self.sim.peek_u64(io.old_valid), valid, "{c:x?}");
            let shadow = 1 - before.bank;
            if found.valid[shadow] {
                assert_eq!(
                    (self.sim.peek_u64(io.old_key), self.sim.peek_u64(io.old_value)),
                    (found.key, found.value[shadow])
                );
            }
        }
        self.clock(Some(&c), None);
        expected
    }

    /// Reads every slot and compares it with the model.
    pub fn compare_all(&mut self) {
        for table in Table::ALL {
            let Geometry { ways, rows, .. } = self.model.tables.geometry(table);
            for (way, row) in (0..ways).flat_map(|way| (0..rows).map(move |row| (way, row))) {
                self.command(Command { table: table as u8, way, row, ..Command::all(Operation::Read) });
            }
        }
    }

    pub fn ok(&mut self, c: Command) {
        assert_eq!(self.command(c), TableStatus::Ok, "{c:x?}");
    }
}

/// Keys, few enough that commands and lookups often meet.
pub fn traffic(seed: u64, management: Management) -> Traffic {
    let mut random = Random(seed);
    Traffic {
        tx: (0..40).map(|_| (random.below(20) as u16, 0xc000_0200 | random.below(64) as u32)).collect(),
        rx: (0..40).map(|_| random.next() as u32).collect(),
        mac: (0..30).map(|_| random.next() & 0xffff_ffff_ffff).collect(),
        random,
        ipv4: if management == Management::Shared { 80 } else { 100 },
        focus: 60,
    }
}
