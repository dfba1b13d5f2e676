//! The limit of frames to the Orchestration Module in the native simulator: against a model that knows every clock, and
//! rule by rule.

mod common;

use common::rng;
use em_rtl::{
    outcome::{Kind, Outcome},
    punt::{PuntAsk, PuntLimit, PuntRefill},
};
use hdl::{
    check::assert_no_combinational_paths,
    sim::{Port, Sim},
};
use rand::{Rng, RngExt, rngs::StdRng};
use std::collections::VecDeque;

/// Functions that there are.
const FUNCTIONS: u32 = 16;

/// What a limiter is programmed with.
#[derive(Clone, Copy, Debug)]
struct Limiter {
    enable: bool,
    function: Option<u64>,
    reason: Option<Outcome>,
    interval: u64,
    burst: u64,
}

const ANY: Limiter = Limiter { enable: true, function: None, reason: None, interval: (1 << 28) - 1, burst: 1 };

impl Limiter {
    fn fits(&self, frame: Frame) -> bool {
        let nobodys = frame.outcome == Outcome::PuntNotForUs;
        self.enable
            && self.function.is_none_or(|f| f == frame.function && !nobodys)
            && self.reason.is_none_or(|r| r == frame.outcome)
    }
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    outcome: Outcome,
    function: u64,
}

fn frame(outcome: Outcome, function: u64) -> Option<Frame> {
    Some(Frame { outcome, function })
}

/// The block and how far it has come.
struct Bench {
    sim: Sim<PuntLimit>,
    rng: StdRng,
    /// Frames without an answer yet, each way.
    asked: VecDeque<[Option<Frame>; 2]>,
}

impl Bench {
    fn new(limiters: u32, seed: u64) -> Bench {
        let sim = Sim::with_seed(&PuntLimit { limiters, functions: FUNCTIONS }, seed).unwrap_or_else(|e| panic!("{e}"));
        sim.reset();
        let asked = VecDeque::from(vec![[None; 2]; PuntLimit::LATENCY as usize]);
        Bench { sim, rng: rng(seed), asked }
    }

    /// One clock; the answers that come in it, to frames asked before.
    fn clock(&mut self, frames: [Option<Frame>; 2], write: Option<(u64, Limiter)>) -> [Option<(Frame, bool)>; 2] {
        let (sim, rng) = (&self.sim, &mut self.rng);
        let io = &sim.io;
        for (ask, frame) in [&io.tx_ask, &io.rx_ask].into_iter().zip(frames) {
            poke_ask(sim, rng, ask, frame);
        }
        let w = &io.write;
        sim.poke(w.install, write.is_some());
        let (place, l) = write.unwrap_or((0, ANY));
        // Where something means nothing it is anything.
        let mut or_any = |value: Option<u64>, port: Port| {
            value.unwrap_or_else(|| rng.next_u64() & (u64::MAX >> (64 - port.width())))
        };
        let given = |value: u64| write.map(|_| value);
        sim.poke(w.limiter, or_any(given(place), w.limiter));
        sim.poke(w.interval, or_any(given(l.interval), w.interval));
        sim.poke(w.burst, or_any(given(l.burst), w.burst));
        sim.poke(w.rule.enable, l.enable);
        sim.poke(w.rule.any_function, l.function.is_none());
        sim.poke(w.rule.function, or_any(l.function, w.rule.function));
        sim.poke(w.rule.any_reason, l.reason.is_none());
        sim.poke(w.rule.reason, or_any(l.reason.map(|r| r.code() & 15), w.rule.reason));

        self.asked.push_back(frames);
        let asked = self.asked.pop_front().unwrap();
        let refused = [io.tx_refused, io.rx_refused].map(|port| sim.peek_bool(port));
        for (frame, refused) in asked.iter().zip(refused) {
            assert!(frame.is_some() || !refused, "nobody asked");
        }
        let answers = [0, 1].map(|way| asked[way].map(|frame| (frame, refused[way])));
        sim.step();
        answers
    }

    fn program(&mut self, place: u64, limiter: Limiter) {
        self.clock([None; 2], Some((place, limiter)));
    }

    fn idle(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.clock([None; 2], None);
        }
    }

    /// Sends frames, a clock each, and says which were refused.
    fn ask(&mut self, frames: &[[Option<Frame>; 2]]) -> Vec<[bool; 2]> {
        let after = vec![[None; 2]; PuntLimit::LATENCY as usize];
        let clocks: Vec<_> = frames.iter().chain(&after).copied().collect();
        let answers: Vec<_> = clocks.into_iter().map(|frames| self.clock(frames, None)).collect();
        let answers = answers.into_iter().skip(PuntLimit::LATENCY as usize);
        answers.map(|both| both.map(|answer| answer.is_some_and(|(_, refused)| refused))).collect()
    }

    /// How many of `count` such frames on their way out, in neighbouring clocks, pass; those behind them do not.
    fn passing(&mut self, outcome: Outcome, function: u64, count: usize) -> usize {
        let refused = self.ask(&vec![[frame(outcome, function), None]; count]);
        let passed = refused.iter().take_while(|r| !r[0]).count();
        assert!(refused[passed..].iter().all(|r| r[0]), "one passes behind one that is refused");
        passed
    }
}

fn poke_ask(sim: &Sim<PuntLimit>, rng: &mut StdRng, ask: &PuntAsk<Port>, frame: Option<Frame>) {
    sim.poke(ask.valid, frame.is_some());
    sim.poke(ask.outcome, frame.map_or_else(|| rng.random_range(0..64), |f| f.outcome.code()));
    sim.poke(ask.function, frame.map_or_else(|| rng.random_range(0..4), |f| f.function));
}

const SLOWEST: u64 = (1 << 28) - 1;

#[test]
fn no_output_depends_combinationally_on_an_input() {
    assert_no_combinational_paths(&PuntLimit { limiters: 4, functions: FUNCTIONS });
}

#[test]
fn numbers_of_limiters_that_do_not_work_are_refused() {
    for limiters in [0, 1, 6, 128] {
        let error = hdl::elaborate(&PuntLimit { limiters, functions: FUNCTIONS }).unwrap_err().to_string();
        assert!(error.contains(&format!("punt_limit: limiters = {limiters}")), "{error}");
    }
    let error = hdl::elaborate(&PuntLimit { limiters: 4, functions: 100 }).unwrap_err().to_string();
    assert!(error.contains("punt_limit: functions = 100"), "{error}");
}

#[test]
fn rules_1_2_and_3_a_full_bucket_lets_exactly_its_burst_pass_and_then_one_an_interval() {
    for limiters in [2, 4, 16] {
        let mut bench = Bench::new(limiters, 1);
        let turn = u64::from(PuntRefill { limiters, functions: FUNCTIONS }.turn());
        for (burst, interval) in [(1, 5000), (7, 1000), (1023, 64 * turn)] {
            bench.idle(PuntLimit::LATENCY.into());
            bench.program(1, Limiter { burst, interval, ..ANY });
            let started = bench.passing(Outcome::PuntTtl, 3, burst as usize);
            assert_eq!(started, burst as usize, "{limiters} limiters");
            // The bucket is empty: one passes an interval, to within a turn.
            let mut passed = 0;
            let clocks = 20 * interval;
            for _ in 0..clocks {
                let answers = bench.clock([frame(Outcome::PuntTtl, 3), None], None);
                passed += u64::from(answers[0].is_some_and(|(_, refused)| !refused));
            }
            let since_full = burst + clocks + turn + 16;
            assert!((19..=since_full / interval).contains(&passed), "{passed} of {burst} an {interval}");
        }
    }
}

#[test]
fn rule_2_tokens_of_a_long_time_are_exact_and_no_more_than_the_burst_are_kept() {
    let mut bench = Bench::new(8, 2);
    // No whole number of turns.
    let interval = 77;
    bench.program(0, Limiter { burst: 1000, interval, ..ANY });
    let mut passing = |frames: u64, rest: u64| {
        let refused = bench.ask(&vec![[frame(Outcome::PuntTtl, 0), None]; frames as usize]);
        bench.idle(rest);
        refused.iter().filter(|r| !r[0]).count() as u64
    };
    // Since the first one, 600 intervals; then more than the bucket holds.
    let flood = 1100;
    let first = passing(flood, 600 * interval - flood);
    let second = passing(flood, 5000 * interval);
    let expected = 1000 + 600 + flood / interval;
    assert!((expected - 1..=expected + 1).contains(&(first + second)), "{first} and {second} of {expected}");
    assert_eq!(passing(1000, 0), 1000);
}

#[test]
fn rule_1_the_first_that_fits_counts_and_others_are_not_limited() {
    let mut bench = Bench::new(4, 3);
    let of = |function, reason, burst| Limiter { function, reason, burst, interval: SLOWEST, ..ANY };
    bench.program(0, of(Some(1), Some(Outcome::PuntTtl), 2));
    bench.program(2, of(Some(1), None, 3));
    bench.program(3, of(None, Some(Outcome::PuntTtl), 4));
    assert_eq!(bench.passing(Outcome::PuntTtl, 1, 10), 2);
    assert_eq!(bench.passing(Outcome::PuntRoce, 1, 10), 3);
    assert_eq!(bench.passing(Outcome::PuntUnmatched, 1, 10), 0, "the same bucket");
    assert_eq!(bench.passing(Outcome::PuntTtl, 2, 10), 4);
    assert_eq!(bench.passing(Outcome::PuntTtl, 0x8001, 10), 0, "the same bucket");
    assert_eq!(bench.passing(Outcome::PuntRoce, 2, 10), 10);
    assert_eq!(bench.passing(Outcome::PuntUnmatched, 0x1001, 10), 10);
    for outcome in Outcome::ALL.iter().filter(|o| o.kind() != Kind::Punt) {
        assert_eq!(bench.passing(*outcome, 1, 3), 3, "{outcome:?}");
    }
    // One that is switched off lets the next one count, and a fresh one starts full.
    bench.program(0, Limiter { enable: false, ..ANY });
    assert_eq!(bench.passing(Outcome::PuntTtl, 1, 10), 0);
    bench.program(2, of(Some(1), None, 5));
    assert_eq!(bench.passing(Outcome::PuntTtl, 1, 10), 5);
    bench.program(3, of(None, None, 0));
    assert_eq!(bench.passing(Outcome::PuntTtl, 2, 10), 0, "a burst of 0");
}

#[test]
fn rule_4_what_is_nobodys_is_of_no_function() {
    let mut bench = Bench::new(2, 4);
    let burst = 1;
    bench.program(0, Limiter { function: Some(0), burst, ..ANY });
    assert_eq!(bench.passing(Outcome::PuntNotForUs, 0, 5), 5);
    assert_eq!(bench.passing(Outcome::PuntTtl, 0, 5), 1);
    bench.program(1, Limiter { reason: Some(Outcome::PuntNotForUs), burst, ..ANY });
    assert_eq!(bench.passing(Outcome::PuntNotForUs, 0, 5), 1);
}

#[test]
fn rule_5_of_two_that_find_one_token_the_one_on_its_way_out_gets_it() {
    let both = [frame(Outcome::PuntTtl, 1), frame(Outcome::PuntTtl, 1)];
    for (burst, expected) in [(1, [1, 0]), (2, [1, 1]), (7, [4, 3]), (8, [4, 4])] {
        let mut bench = Bench::new(2, 5);
        bench.program(0, Limiter { burst, ..ANY });
        let refused = bench.ask(&[both; 12]);
        let passed = [0, 1].map(|way| refused.iter().filter(|r| !r[way]).count());
        assert_eq!(passed, expected);
    }
}

#[test]
fn rule_6_after_reset_nothing_is_limited() {
    for seed in 0..4 {
        let mut bench = Bench::new(8, seed);
        for outcome in Outcome::ALL {
            assert_eq!(bench.passing(*outcome, 1, 40), 40);
        }
    }
}

/// The block, clock by clock.
struct Model {
    turn: u64,
    rules: Vec<Limiter>,
    tokens: Vec<u64>,
    time: Vec<u64>,
    clock: u64,
    /// What the last visits have seen: limiter, full, interval.
    visits: VecDeque<Option<(usize, bool, u64)>>,
    /// Writes in the last clocks.
    written: VecDeque<bool>,
    given: Option<usize>,
    /// Frames that came in the clock before, and the limiters of those before.
    came: [Option<Frame>; 2],
    chosen: VecDeque<[Option<usize>; 2]>,
}

impl Model {
    fn new(limiters: u32) -> Model {
        let n = limiters as usize;
        Model {
            turn: PuntRefill { limiters, functions: FUNCTIONS }.turn().into(),
            rules: vec![Limiter { enable: false, ..ANY }; n],
            tokens: vec![0; n],
            time: vec![0; n],
            clock: 0,
            visits: VecDeque::from([None; 3]),
            written: VecDeque::from([false; 4]),
            given: None,
            came: [None; 2],
            chosen: VecDeque::from([[None; 2]; 2]),
        }
    }

    /// Who is denied of the frames that reach their buckets in this clock.
    fn clock(&mut self, frames: [Option<Frame>; 2], write: Option<(u64, Limiter)>) -> [bool; 2] {
        let first = |f: Frame| self.rules.iter().position(|rule| rule.fits(f));
        let is_punt = |f: &Frame| f.outcome.kind() == Kind::Punt;
        self.chosen.push_back(self.came.map(|f| f.filter(is_punt).and_then(first)));
        self.came = frames;
        let asking = self.chosen.pop_front().unwrap();

        let seen = (self.clock % self.turn) as usize;
        let visit = (seen < self.rules.len())
            .then(|| (seen, self.tokens[seen] >= self.rules[seen].burst, self.rules[seen].interval));
        self.clock += 1;
        self.visits.push_back(visit);
        self.written.push_back(write.is_some());
        let overtaken = self.written.iter().any(|w| *w);
        self.written.pop_front();
        let arrived = self.given.take();
        if let Some((i, full, interval)) = self.visits.pop_front().unwrap().filter(|_| !overtaken) {
            self.time[i] += self.turn;
            let over = self.time[i] >= interval;
            if over {
                self.time[i] -= interval;
            }
            if full {
                self.time[i] = 0;
            }
            self.given = (!full && over).then_some(i);
        }

        let mut denied = [false; 2];
        for (way, limiter) in asking.into_iter().enumerate() {
            let Some(i) = limiter else { continue };
            denied[way] = self.tokens[i] == 0;
            self.tokens[i] = self.tokens[i].saturating_sub(1);
        }
        if let Some(i) = arrived {
            self.tokens[i] += 1;
        }
        if let Some((place, limiter)) = write {
            let i = place as usize;
            (self.rules[i], self.tokens[i], self.time[i]) = (limiter, limiter.burst, 0);
        }
        denied
    }
}

#[test]
fn every_clock_is_as_the_model_says() {
    let punts: Vec<Outcome> = Outcome::ALL.iter().copied().filter(|o| o.kind() == Kind::Punt).collect();
    for (limiters, seed) in [(2, 10), (4, 11), (8, 12), (16, 13), (64, 14)] {
        let mut bench = Bench::new(limiters, seed);
        let mut model = Model::new(limiters);
        let mut rng = rng(seed + 100);
        let mut denied = VecDeque::from([[false; 2]; 2]);
        let mut refusals = 0;
        for clock in 0..30_000 {
            // Quiet times, busy ones and floods.
            let busy = [0, 5, 40, 100][clock / 500 % 4];
            let mut any_frame = || {
                let outcome = match rng.random_range(0..10) {
                    0 => Outcome::ALL[rng.random_range(0..Outcome::ALL.len())],
                    _ => punts[rng.random_range(0..punts.len())],
                };
                // Two functions that there are not, among those that there are.
                let function = [0, 1, 2, 3, 0x11, 0x8002][rng.random_range(0..6)];
                (rng.random_range(0..100) < busy).then_some(Frame { outcome, function })
            };
            let frames = [any_frame(), any_frame()];
            // At first each limiter, in order, then any.
            let place = if clock < 200 { clock as u64 / 2 } else { rng.random_range(0..u64::from(limiters)) };
            let program = if clock < 200 { clock % 2 == 0 } else { rng.random_range(0..600) == 0 };
            let write = (program && place < u64::from(limiters)).then(|| {
                let limiter = Limiter {
                    enable: rng.random_range(0..8) > 0,
                    function: (rng.random_range(0..3) > 0).then(|| rng.random_range(0..4)),
                    reason: (rng.random_range(0..3) > 0).then(|| punts[rng.random_range(0..punts.len())]),
                    interval: u64::from(limiters.max(8)) + [0, 9, 100, 1000][rng.random_range(0..4)],
                    burst: [1, 2, 3, 20, 1023][rng.random_range(0..5)],
                };
                (place, limiter)
            });
            denied.push_back(model.clock(frames, write));
            let answers = bench.clock(frames, write);
            let expected = denied.pop_front().unwrap();
            for (way, answer) in answers.into_iter().enumerate() {
                let Some((frame, refused)) = answer else { continue };
                assert_eq!(refused, expected[way], "{limiters} limiters, clock {clock}, way {way}: {frame:?}");
                refusals += u64::from(refused);
            }
        }
        assert!(refusals > 1000, "{refusals}");
        bench.sim.check().unwrap_or_else(|failures| panic!("{failures}"));
    }
}
