//! Clock-crossing primitives under clocks of random ratios and phases.

use hdl::{cdc::*, sim::Sim, *};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::collections::VecDeque;

/// Which clocks have their edge next: `fast` and `slow` are periods in arbitrary units; both may fall together.
struct Clocks {
    period: [u64; 2],
    next: [u64; 2],
}

impl Clocks {
    fn random(rng: &mut StdRng) -> Self {
        let period = [rng.random_range(1..40), rng.random_range(1..40)];
        Clocks { period, next: [rng.random_range(0..40), rng.random_range(0..40)] }
    }

    fn next(&mut self) -> [bool; 2] {
        let now = self.next[0].min(self.next[1]);
        let edges = [self.next[0] == now, self.next[1] == now];
        for ((next, period), due) in self.next.iter_mut().zip(self.period).zip(edges) {
            *next += if due { period } else { 0 };
        }
        edges
    }
}

fn edge<B: Block>(sim: &Sim<B>, names: [&str; 2], edges: [bool; 2]) {
    let due: Vec<&str> = names.iter().zip(edges).filter(|(_, e)| *e).map(|(n, _)| *n).collect();
    sim.edge(&due);
}

/// A word that tells its number.
fn word(n: u64, width: u32) -> Value {
    Value::from_words(width, &[n.wrapping_mul(0x9e37_79b9_7f4a_7c15), n, !n])
}

/// Sends `count` words with random stalls on both sides and checks order, number and stability.
struct Link {
    sent: VecDeque<Value>,
    taken: u64,
    got: u64,
    offered: Option<Value>,
    most_inside: usize,
}

impl Link {
    fn new() -> Self {
        Link { sent: VecDeque::new(), taken: 0, got: 0, offered: None, most_inside: 0 }
    }

    fn source(&mut self, handshake: bool, data: Value) {
        if handshake {
            self.sent.push_back(data);
            self.taken += 1;
            self.most_inside = self.most_inside.max(self.sent.len());
        }
    }

    fn sink(&mut self, valid: bool, ready: bool, data: Value) {
        if let Some(offered) = self.offered.take() {
            assert!(valid && data == offered, "a word that was offered went away");
        }
        if valid && ready {
            assert_eq!(Some(data), self.sent.pop_front(), "word {} is lost, repeated or out of order", self.got);
            self.got += 1;
        } else if valid {
            self.offered = Some(data);
        }
    }
}

fn fifo(config: &AsyncFifo, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let sim = Sim::with_seed(config, seed).unwrap();
    let mut clocks = Clocks::random(&mut rng);
    let (offer, take) = (rng.random_range(0.2..1.0), rng.random_range(0.2..1.0));
    let mut link = Link::new();
    sim.reset();
    let pointers = [sim.signal("wr_gray"), sim.signal("rd_gray")];
    let mut before = pointers.map(|p| sim.peek(p));
    let mut offering = false;
    for step in 0..4_000 {
        let edges = clocks.next();
        if !offering {
            offering = rng.random_bool(offer);
        }
        let (data, ready) = (word(link.taken, config.width), rng.random_bool(take));
        sim.poke(sim.io.wr_valid, offering);
        sim.poke(sim.io.wr_data, &data);
        if edges[1] {
            sim.poke(sim.io.rd_ready, ready);
        }
        let written = offering && sim.peek_bool(sim.io.wr_ready);
        if edges[1] {
            link.sink(sim.peek_bool(sim.io.rd_valid), ready, sim.peek(sim.io.rd_data));
        }
        if edges[0] {
            link.source(written, data);
            offering &= !written;
        }
        edge(&sim, ["wr", "rd"], edges);
        let now = pointers.map(|p| sim.peek(p));
        for (b, n) in before.iter().zip(&now) {
            assert!(b.zip(n, |x, y| x ^ y).count_ones() <= 1, "step {step}: {b} to {n}");
        }
        before = now;
    }
    assert!(link.got > 20, "seed {seed}: only {} words came through", link.got);
    let room = config.depth + u32::from(config.storage == Storage::Block) + u32::from(config.output_reg);
    assert!(link.most_inside <= room as usize, "{} words in a FIFO of {room}", link.most_inside);
}

fn fifos() -> Vec<AsyncFifo> {
    let mut all = Vec::new();
    for storage in [Storage::Distributed, Storage::Block] {
        for output_reg in [false, true] {
            for (depth, width, stages) in [(2, 8, 2), (16, 70, 2), (8, 33, 3)] {
                all.push(AsyncFifo { depth, width, stages, storage, output_reg });
            }
        }
    }
    all
}

#[test]
fn a_fifo_loses_nothing_under_any_clocks() {
    for (i, config) in fifos().iter().enumerate() {
        for seed in 0..12 {
            fifo(config, 100 * i as u64 + seed);
        }
    }
}

#[test]
fn a_fifo_streams_at_one_word_a_clock_and_fills_to_its_depth() {
    for config in fifos().into_iter().filter(|f| f.depth >= 16) {
        let sim = Sim::new(&config).unwrap();
        sim.reset();
        assert!(!sim.peek_bool(sim.io.wr_ready) && !sim.peek_bool(sim.io.rd_valid));
        sim.poke(sim.io.wr_valid, true);
        sim.poke(sim.io.wr_data, word(0, config.width));
        sim.poke(sim.io.rd_ready, false);
        let mut inside = 0;
        for _ in 0..60 {
            inside += u32::from(sim.peek_bool(sim.io.wr_ready));
            sim.edge(&["wr", "rd"]);
        }
        let room = config.depth + u32::from(config.storage == Storage::Block) + u32::from(config.output_reg);
        assert_eq!(inside, room, "{config:?}");
        sim.poke(sim.io.rd_ready, true);
        sim.poke(sim.io.wr_valid, false);
        let mut out = 0;
        while sim.peek_bool(sim.io.rd_valid) {
            out += 1;
            sim.edge(&["wr", "rd"]);
        }
        assert_eq!(out, room, "without a gap: {config:?}");
        let latency = || {
            sim.poke(sim.io.wr_valid, true);
            sim.edge(&["wr", "rd"]);
            sim.poke(sim.io.wr_valid, false);
            let mut n = 0;
            while !sim.peek_bool(sim.io.rd_valid) {
                sim.edge(&["wr", "rd"]);
                n += 1;
            }
            n
        };
        sim.edge(&["wr", "rd"]);
        assert_eq!(latency(), 1 + config.stages + room - config.depth, "{config:?}");
    }
}

#[test]
fn a_handshake_carries_every_word_once() {
    for seed in 0..40 {
        let config = Handshake { width: 40, stages: 2 + seed as u32 % 2 };
        let mut rng = StdRng::seed_from_u64(seed);
        let sim = Sim::with_seed(&config, seed).unwrap();
        let mut clocks = Clocks::random(&mut rng);
        let take = rng.random_range(0.2..1.0);
        let mut link = Link::new();
        sim.reset();
        assert!(sim.peek_bool(sim.io.src_ready) && !sim.peek_bool(sim.io.dst_valid));
        let mut offering = false;
        for _ in 0..4_000 {
            let edges = clocks.next();
            offering |= rng.random_bool(0.7);
            let (data, ready) = (word(link.taken, 40), rng.random_bool(take));
            sim.poke(sim.io.src_valid, offering);
            sim.poke(sim.io.src_data, &data);
            if edges[1] {
                sim.poke(sim.io.dst_ready, ready);
                link.sink(sim.peek_bool(sim.io.dst_valid), ready, sim.peek(sim.io.dst_data));
            }
            if edges[0] {
                let taken = offering && sim.peek_bool(sim.io.src_ready);
                link.source(taken, data);
                offering &= !taken;
            }
            edge(&sim, ["src", "dst"], edges);
        }
        assert!(link.got > 5, "seed {seed}: only {} words came through", link.got);
        assert!(link.most_inside <= 2, "one word on its way, one offered");
    }
}

#[test]
fn bits_arrive_after_their_stages() {
    for stages in 2..5 {
        let sim = Sim::new(&BitSync { width: 3, stages }).unwrap();
        sim.poke(sim.io.d, 0);
        sim.reset();
        sim.poke(sim.io.d, 5);
        for _ in 0..stages {
            assert_eq!(sim.peek_u64(sim.io.q), 0);
            sim.step();
        }
        assert_eq!(sim.peek_u64(sim.io.q), 5);
    }
}

#[test]
fn a_reset_rises_at_once_and_falls_with_the_clock() {
    let sim = Sim::new(&ResetSync { stages: 3 }).unwrap();
    sim.poke(sim.io.rst_in, true);
    assert!(sim.peek_bool(sim.io.rst_out), "no clock is needed");
    sim.step();
    sim.poke(sim.io.rst_in, false);
    for left in (1..=3).rev() {
        assert!(sim.peek_bool(sim.io.rst_out), "{left} edges too early");
        sim.step();
    }
    assert!(!sim.peek_bool(sim.io.rst_out));
    sim.poke(sim.io.rst_in, true);
    assert!(sim.peek_bool(sim.io.rst_out));
}

#[test]
fn no_primitive_has_a_combinational_path() {
    for config in fifos() {
        check::assert_no_combinational_paths(&config);
    }
    check::assert_no_combinational_paths(&Handshake { width: 8, stages: 2 });
    check::assert_no_combinational_paths(&BitSync { width: 8, stages: 2 });
}

#[test]
fn configurations_that_do_not_fit_are_refused() {
    let refused = |e: Result<Design, ElabErrors>| e.unwrap_err().0[0].message.clone();
    let good = AsyncFifo { depth: 16, width: 8, stages: 2, storage: Storage::Block, output_reg: false };
    assert_eq!(
        refused(elaborate(&AsyncFifo { depth: 12, ..good.clone() })),
        "`async_fifo`: a depth of 12 words is no power of two from 2 to 2^20: use 16"
    );
    assert_eq!(
        refused(elaborate(&AsyncFifo { stages: 1, ..good })),
        "`async_fifo`: 1 synchroniser stages: use 2 to 8 (3 above about 300 MHz)"
    );
    assert!(elaborate(&BitSync { width: 1, stages: 9 }).is_err());
    assert!(elaborate(&ResetSync { stages: 0 }).is_err());
    assert!(elaborate(&Handshake { width: 1, stages: 0 }).is_err());
}

#[test]
fn primitives_join_two_domains_of_a_block() {
    #[derive(Bundle, Clone)]
    struct Io<S> {
        #[input]
        #[clock(a)]
        #[width(4)]
        from: S,
        #[output]
        #[clock(b)]
        #[width(4)]
        to: S,
    }
    struct Top;
    impl Block for Top {
        type Io<S> = Io<S>;
        fn name(&self) -> String {
            "top".into()
        }
        fn io(&self) -> Io<Shape> {
            Io::shape()
        }
        #[names]
        fn build(&self, io: &Io<Bits>) {
            let stable = in_domain("a", || io.from.delay());
            let sync = in_domain("b", || instance(&BitSync { width: 4, stages: 2 }));
            sync.d.set(stable);
            let fifo = AsyncFifo { depth: 4, width: 4, stages: 2, storage: Storage::Distributed, output_reg: true };
            let fifo = instance_in(&fifo, &[("wr", "a"), ("rd", "b")]);
            fifo.wr_valid.set(stable.any());
            fifo.wr_data.set(stable);
            fifo.wr_ready.ignore();
            fifo.rd_ready.set(1);
            io.to.set(mux(fifo.rd_valid, fifo.rd_data, sync.q));
        }
    }
    let design = elaborate(&Top).unwrap();
    let ports: Vec<String> = design.top().verilog_ports().into_iter().map(|p| p.0).collect();
    assert_eq!(ports, ["a_clk", "a_rst", "b_clk", "b_rst", "from", "to"]);
}
