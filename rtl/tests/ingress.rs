//! The first block of a path: frames into the buffer, beats to the parser.

use em_rtl::{ingress::Ingress, packet::Size, stream::PathUser};
use hdl::{
    Bundle, Value,
    bundle::{Field, pack_values},
    clog2,
    sim::{Options, Ports, PowerUp, Sim},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::collections::VecDeque;

/// A frame with its `tuser`.
#[derive(Clone, Debug)]
struct Sent {
    bytes: Vec<u8>,
    bad: bool,
    port: u64,
    egress: u64,
    function: u64,
}

/// A frame that is in the buffer until it is released.
#[derive(Clone)]
struct Inside {
    sent: Sent,
    first: u64,
    last: u64,
    beats: u64,
    /// How its pages come back: each as soon as it is read, or all at once.
    page_by_page: bool,
}

/// A frame that is being read: beats read, the page of the next one, and the page behind it once it is known.
struct Reading {
    frame: Inside,
    beat: u64,
    page: u64,
    next: Option<u64>,
}

struct Bench {
    block: Ingress,
    sim: Sim<Ingress>,
    rng: StdRng,
    queue: VecDeque<Sent>,
    /// Beats of the first frame of the queue that have been taken, and one that is offered.
    taken: usize,
    offered: bool,
    /// Chances in percent that a beat is offered, and that a frame is read and released.
    offers: u32,
    releases: u32,
    /// What must come out one clock after a transfer, and the ends two clocks after.
    beats: VecDeque<(u64, Sent, usize)>,
    ends: VecDeque<(u64, Sent)>,
    inside: Vec<Inside>,
    /// Reads under way: the clock of their data, and the data.
    reads: VecDeque<(u64, Vec<u8>)>,
    /// Pages asked for a clock ago, and the one that follows.
    asked: Option<u64>,
    reading: Option<Reading>,
    /// Frames that are read out of turn.
    out_of_turn: bool,
    /// Pages that frames stand in.
    taken_pages: Vec<bool>,
    clock: u64,
    transfers: u64,
    /// Frames that have come to their end.
    ends_seen: u64,
}

fn block(data_w: u32, max_frame: u32, buffer_beats: u32, pages: u32) -> Ingress {
    let beats_w = clog2(u64::from(max_frame.div_ceil(data_w / 8)) + 1);
    Ingress { size: Size { data_w, beats_w, icrc_w: 0 }, max_frame, buffer_beats, pages }
}

impl Bench {
    fn new(block: Ingress, offers: u32, releases: u32) -> Bench {
        let sim = Sim::new(&block).unwrap_or_else(|errors| panic!("{errors}"));
        for port in [sim.io.s_axis.tvalid, sim.io.release.valid, sim.io.buffer.re] {
            sim.poke(port, false);
        }
        sim.reset();
        Bench {
            taken_pages: vec![false; block.pages as usize],
            block,
            sim,
            rng: StdRng::seed_from_u64(u64::from(offers * 100 + releases)),
            queue: VecDeque::new(),
            taken: 0,
            offered: false,
            offers,
            releases,
            beats: VecDeque::new(),
            ends: VecDeque::new(),
            inside: vec![],
            reads: VecDeque::new(),
            asked: None,
            reading: None,
            out_of_turn: true,
            clock: 0,
            transfers: 0,
            ends_seen: 0,
        }
    }

    fn lanes(&self) -> usize {
        self.block.size.lanes() as usize
    }

    fn send(&mut self, length: usize) {
        let rng = &mut self.rng;
        let bytes = (0..length).map(|_| rng.random()).collect();
        let (bad, port, egress) = (rng.random_bool(0.2), rng.random_range(0..4), rng.random_range(0..4));
        self.queue.push_back(Sent { bytes, bad, port, egress, function: rng.random::<u16>().into() });
    }

    fn run(&mut self) {
        let mut idle = 0;
        while idle < 10 {
            self.step();
            let waiting = self.queue.len() + self.beats.len() + self.ends.len() + self.inside.len() + self.reads.len();
            idle = if waiting == 0 && self.reading.is_none() { idle + 1 } else { 0 };
            assert!(self.clock < 3_000_000, "something blocks");
        }
    }

    fn step(&mut self) {
        self.check_beat();
        self.check_end();
        self.check_data();
        self.read();
        let offered = self.offer();
        let taken = offered && self.sim.peek_bool(self.sim.io.s_axis.tready);
        self.sim.step();
        if taken {
            self.transfers += 1;
            let sent = self.queue[0].clone();
            let (beat, lanes) = (self.taken, self.lanes());
            self.beats.push_back((self.clock + 1, sent.clone(), beat));
            self.taken += 1;
            self.offered = false;
            if self.taken * lanes >= sent.bytes.len() {
                self.ends.push_back((self.clock + 2, sent));
                self.queue.pop_front();
                self.taken = 0;
            }
        }
        self.clock += 1;
    }

    fn offer(&mut self) -> bool {
        let (lanes, rng, io) = (self.block.size.lanes() as usize, &mut self.rng, &self.sim.io.s_axis);
        if self.offered {
            return true;
        }
        self.offered = !self.queue.is_empty() && rng.random_range(0..100) < self.offers;
        let mut data: Vec<u8> = (0..lanes).map(|_| rng.random()).collect();
        let mut keep = Value::from_words(lanes as u32, &[rng.random()]);
        // `bad` counts on the last beat only, the rest on the first.
        let mut user = Sent { bytes: vec![], bad: rng.random(), port: 2, egress: 1, function: 0x5A5A };
        let mut last = rng.random();
        if self.offered {
            let frame = &self.queue[0];
            let beat = frame.bytes.chunks(lanes).nth(self.taken).unwrap();
            data[..beat.len()].copy_from_slice(beat);
            keep = Value::new(lanes as u32, (1u128 << beat.len()) - 1);
            last = (self.taken + 1) * lanes >= frame.bytes.len();
            let bad = if last { frame.bad } else { user.bad };
            if self.taken == 0 {
                user = frame.clone();
            }
            user.bad = bad;
        }
        let packed = pack_values(&PathUser {
            bad: Value::new(1, user.bad.into()),
            port: Value::new(2, user.port.into()),
            egress: Value::new(2, user.egress.into()),
            function: Value::new(16, user.function.into()),
        });
        self.sim.poke(io.tvalid, self.offered);
        self.sim.poke(io.tdata, Value::from_bytes(8 * lanes as u32, &data));
        self.sim.poke(io.tkeep, keep);
        self.sim.poke(io.tlast, last);
        self.sim.poke(io.tuser, packed);
        self.offered
    }

    fn check_beat(&mut self) {
        let io = &self.sim.io.beat;
        let due = self.beats.pop_front_if(|due| due.0 == self.clock);
        assert_eq!(self.sim.peek_bool(io.valid), due.is_some());
        let Some((_, sent, beat)) = due else { return };
        let lanes = self.lanes();
        let bytes = sent.bytes.chunks(lanes).nth(beat).unwrap();
        assert_eq!(self.sim.peek(io.data).to_bytes()[..bytes.len()], *bytes);
        assert_eq!(self.sim.peek_bool(io.first), beat == 0);
        assert_eq!(self.sim.peek_bool(io.last), (beat + 1) * lanes >= sent.bytes.len());
    }

    fn check_end(&mut self) {
        let Some((_, sent)) = self.ends.pop_front_if(|due| due.0 == self.clock) else { return };
        let (lanes, length) = (self.lanes(), sent.bytes.len());
        let beats = length.min(self.block.max_frame as usize).div_ceil(lanes) as u64;
        let wanted = [
            ("extent_beats", beats),
            ("extent_lane", ((length - 1) % lanes) as u64),
            ("extent_port", sent.port),
            ("extent_function", sent.function),
            ("bad", sent.bad.into()),
            ("oversize", (length > self.block.max_frame as usize).into()),
            ("runt", (length < 14).into()),
            ("egress", sent.egress),
        ];
        let found = self.sim.peek_all(&self.sim.io.beat.end);
        for ((at, found), (name, wanted)) in found.leaves().into_iter().zip(wanted) {
            assert_eq!(at.name, name);
            assert_eq!(found.to_u64(), wanted, "{name} of a frame of {length} bytes, {lanes} lanes");
        }
        let chain = self.sim.peek_all(&self.sim.io.chain);
        let [first, last] = [chain.first.to_u64(), chain.last.to_u64()];
        let page_by_page = self.rng.random();
        self.ends_seen += 1;
        self.inside.push(Inside { sent, first, last, beats, page_by_page });
    }

    fn page_beats(&self) -> u64 {
        u64::from(self.block.buffer_beats / self.block.pages)
    }

    /// Reads a frame beat by beat, from page to page as the links say, and releases its pages.
    fn read(&mut self) {
        let (page_beats, lanes) = (self.page_beats(), self.lanes());
        let follows = self.sim.peek_u64(self.sim.io.buffer.next);
        let io = &self.sim.io;
        self.sim.poke(io.release.valid, false);
        self.sim.poke(io.buffer.re, false);
        if let (Some(reading), Some(page)) = (&mut self.reading, self.asked.take())
            && reading.page == page
        {
            reading.next = Some(follows);
        }
        if self.rng.random_range(0..100) >= self.releases {
            return;
        }
        let mut reading = match self.reading.take() {
            Some(reading) => reading,
            None if self.inside.is_empty() => return,
            None => {
                let which = if self.out_of_turn { self.rng.random_range(0..self.inside.len()) } else { 0 };
                let frame = self.inside.remove(which);
                Reading { page: frame.first, frame, beat: 0, next: None }
            }
        };
        let (beat, page) = (reading.beat, reading.page);
        if beat % page_beats == 0 {
            let taken = &mut self.taken_pages[page as usize];
            assert!(!*taken, "page {page} is taken twice");
            *taken = true;
        }
        self.sim.poke(io.buffer.re, true);
        self.sim.poke(io.buffer.raddr, page * page_beats + beat % page_beats);
        self.asked = Some(page);
        let frame = &reading.frame;
        self.reads.push_back((self.clock + 2, frame.sent.bytes.chunks(lanes).nth(beat as usize).unwrap().to_vec()));
        reading.beat += 1;
        let ends = reading.beat == frame.beats;
        if ends {
            assert_eq!(page, frame.last, "the last page");
        }
        let release = &self.sim.io.release;
        if ends || (reading.beat % page_beats == 0 && frame.page_by_page) {
            self.sim.poke(release.valid, true);
            self.sim.poke(release.chain.first, if frame.page_by_page { page } else { frame.first });
            self.sim.poke(release.chain.last, page);
        }
        if ends || reading.beat % page_beats == 0 {
            self.taken_pages[page as usize] = false;
        }
        if !ends {
            if reading.beat % page_beats == 0 {
                reading.page = reading.next.take().expect("the next page is known");
            }
            self.reading = Some(reading);
        }
    }

    fn check_data(&mut self) {
        if let Some((_, bytes)) = self.reads.pop_front_if(|due| due.0 == self.clock) {
            assert_eq!(self.sim.peek(self.sim.io.buffer.rdata).to_bytes()[..bytes.len()], *bytes);
        }
    }
}

const WIDTHS: [u32; 4] = [64, 128, 256, 512];

#[test]
fn no_output_depends_combinationally_on_an_input() {
    for data_w in WIDTHS {
        hdl::check::assert_no_combinational_paths(&block(data_w, 1518, 1024, 16));
    }
}

#[test]
fn nothing_is_lost_or_overrun_however_slowly_it_is_released() {
    for data_w in WIDTHS {
        let lanes = data_w as usize / 8;
        for (offers, releases) in [(100, 100), (100, 30), (60, 100), (100, 3), (30, 30)] {
            // The smallest buffers for 10 beats and a half: eight pages, of which a frame takes up to three.
            let max_frame = 10 * lanes + lanes / 2;
            let mut bench = Bench::new(block(data_w, max_frame as u32, 32, 8), offers, releases);
            for _ in 0..400 {
                let longest = [1, 20, 3 * lanes, max_frame + 2 * lanes, 40 * lanes][bench.rng.random_range(0..5)];
                let length = bench.rng.random_range(1..=longest);
                bench.send(length);
            }
            bench.run();
        }
    }
}

#[test]
fn runts_and_long_frames_are_told_from_others_to_the_byte() {
    for data_w in WIDTHS {
        for max_frame in [1518, 2048, 9216] {
            let mut bench = Bench::new(block(data_w, max_frame, 2048, 64), 100, 100);
            for length in (1..140).chain(max_frame as usize - 65..max_frame as usize + 66).chain([40_000]) {
                bench.send(length);
            }
            bench.run();
        }
    }
}

#[test]
fn a_beat_is_taken_every_clock_while_egress_keeps_up() {
    for data_w in WIDTHS {
        let lanes = data_w as usize / 8;
        for beats in [1, 2, 5, 20] {
            let mut bench = Bench::new(block(data_w, 9216, 2048, 64), 100, 100);
            for _ in 0..1000 / beats {
                bench.send(beats * lanes);
            }
            // `tready` comes when the first pages are linked.
            for _ in 0..8 {
                bench.step();
            }
            let before = bench.transfers;
            for clock in 1..=900 {
                bench.step();
                assert_eq!(bench.transfers - before, clock);
            }
        }
    }
}

#[test]
fn the_input_stalls_before_the_pages_are_used_up() {
    for data_w in WIDTHS {
        for beats in [1, 5, 40] {
            let mut bench = Bench::new(block(data_w, 4096, 1024, 64), 100, 0);
            let lanes = data_w as usize / 8;
            for _ in 0..80 {
                bench.send(beats * lanes);
            }
            for _ in 0..2000 {
                bench.step();
            }
            // One page is the tail, one is ready for the next beat, and two are kept back.
            let page_beats = 16;
            let pages = 64 - u64::from(em_rtl::pages::SPARE);
            let in_one = beats.div_ceil(page_beats) as u64;
            let taken = bench.ends_seen * in_one + (bench.taken / page_beats) as u64 + 1;
            assert!(taken >= pages - 1 && taken <= 63, "{data_w} bits, {beats} beats: {taken}");
            bench.releases = 50;
            bench.run();
            assert_eq!(bench.transfers, 80 * beats as u64);
        }
    }
}

#[test]
fn pages_may_come_back_in_any_order() {
    for data_w in WIDTHS {
        let lanes = data_w as usize / 8;
        for (offers, releases) in [(100, 100), (100, 50), (50, 100)] {
            let mut bench = Bench::new(block(data_w, 4096, 1024, 64), offers, releases);
            for _ in 0..300 {
                let longest = [1, 16, 17, 33, 200][bench.rng.random_range(0..5)].min(4096 / lanes);
                let beats = bench.rng.random_range(1..=longest);
                bench.send(beats * lanes);
            }
            bench.run();
            // All of them are there again.
            assert!(bench.taken_pages.iter().all(|taken| !taken));
            for _ in 0..2 * 64 {
                bench.send(1);
            }
            bench.run();
        }
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let refused = |block: &Ingress, text: &str| {
        let error = hdl::elaborate(block).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    refused(&block(128, 1518, 64, 16), "buffer_beats = 64: choose a power of two from 128 on");
    refused(&block(128, 1518, 200, 16), "buffer_beats = 200");
    refused(&block(128, 1518, 128, 12), "pages = 12: choose a power of two from 8 to 32");
    refused(&block(128, 1518, 128, 64), "pages = 64: choose a power of two from 8 to 32");
    refused(&block(128, 1518, 128, 8), "pages = 8: a frame of 95 beats takes 10; choose more beats or more pages");
    refused(&block(96, 1518, 256, 16), "size.data_w = 96");
    let narrow = Ingress { max_frame: 9216, ..block(128, 1518, 1024, 16) };
    refused(&narrow, "size.beats_w = 7");
}

#[test]
fn ingress_waveform() {
    let options = Options { power_up: PowerUp::Zero, ..Options::default() };
    let sim = Sim::with_options(&block(128, 1518, 1024, 16), &options).unwrap_or_else(|errors| panic!("{errors}"));
    sim.poke(sim.io.s_axis.tvalid, false);
    sim.poke(sim.io.release.valid, false);
    sim.reset();
    sim.poke(sim.io.s_axis.tkeep, 0xFFFFu64);
    // The first pages are linked.
    for _ in 0..8 {
        sim.step();
    }
    let (s_axis, beat) = (&sim.io.s_axis, &sim.io.beat);
    let extent = &beat.end.extent;
    for port in [
        s_axis.tvalid,
        s_axis.tready,
        s_axis.tlast,
        beat.valid,
        beat.first,
        beat.last,
        extent.beats,
        extent.lane,
        beat.end.runt,
        sim.io.chain.first,
        sim.io.chain.last,
    ] {
        sim.record(&Ports(vec![(Field::root(), port)]));
    }
    // Beats of a frame of three, of which the last has 15 bytes, and of a frame of 13 bytes.
    for (valid, last, keep) in
        [(1u64, 0u64, 0xFFFFu64), (1, 0, 0xFFFF), (1, 1, 0x7FFF), (1, 1, 0x1FFF), (0, 0, 0), (0, 0, 0), (0, 0, 0)]
    {
        sim.poke(s_axis.tvalid, valid);
        sim.poke(s_axis.tlast, last);
        sim.poke(s_axis.tkeep, keep);
        sim.step();
    }
    let wave = sim.wave();
    let lines: Vec<String> = wave.trim_end().lines().map(|line| format!("//! {line}").trim_end().to_string()).collect();
    let wanted = lines.join("\n");
    assert!(include_str!("../src/ingress.rs").contains(&wanted), "the page should show\n{wanted}");
}
