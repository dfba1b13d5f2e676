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
struct Inside {
    sent: Sent,
    address: u64,
    beats: u64,
}

struct Bench {
    block: Ingress,
    sim: Sim<Ingress>,
    rng: StdRng,
    queue: VecDeque<Sent>,
    /// Beats of the first frame of the queue that have been taken, and one that is offered.
    taken: usize,
    offered: bool,
    /// Chances in percent that a beat is offered, and that the oldest frame is read and released.
    offers: u32,
    releases: u32,
    /// What must come out one clock after a transfer, and the ends two clocks after.
    beats: VecDeque<(u64, Sent, usize)>,
    ends: VecDeque<(u64, Sent)>,
    inside: VecDeque<Inside>,
    /// Reads under way: the clock of their data, and the data.
    reads: VecDeque<(u64, Vec<u8>)>,
    reading: Option<(Inside, u64)>,
    write_address: u64,
    free: u64,
    clock: u64,
    transfers: u64,
}

fn block(data_w: u32, max_frame: u32, buffer_beats: u32, frames: u32) -> Ingress {
    let beats_w = clog2(u64::from(max_frame.div_ceil(data_w / 8)) + 1);
    Ingress { size: Size { data_w, beats_w }, max_frame, buffer_beats, frames }
}

impl Bench {
    fn new(block: Ingress, offers: u32, releases: u32) -> Bench {
        let sim = Sim::new(&block).unwrap_or_else(|errors| panic!("{errors}"));
        for port in [sim.io.s_axis.tvalid, sim.io.release.frame, sim.io.buffer.re] {
            sim.poke(port, false);
        }
        sim.poke(sim.io.release.beats, 0u64);
        sim.reset();
        Bench {
            free: u64::from(block.buffer_beats),
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
            inside: VecDeque::new(),
            reads: VecDeque::new(),
            reading: None,
            write_address: 0,
            clock: 0,
            transfers: 0,
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
            if beat < self.block.max_frame.div_ceil(lanes as u32) as usize {
                assert!(self.free > 0, "a beat over one that is not released");
                self.free -= 1;
            }
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
        self.inside.push_back(Inside { sent, address: self.write_address, beats });
        self.write_address = (self.write_address + beats) % u64::from(self.block.buffer_beats);
    }

    /// Reads a frame beat by beat, then releases it.
    fn read(&mut self) {
        let io = &self.sim.io;
        self.sim.poke(io.release.frame, false);
        self.sim.poke(io.release.beats, 0u64);
        self.sim.poke(io.buffer.re, false);
        if self.rng.random_range(0..100) >= self.releases {
            return;
        }
        let Some((frame, beat)) = self.reading.take().or_else(|| Some((self.inside.pop_front()?, 0))) else { return };
        let depth = u64::from(self.block.buffer_beats);
        self.sim.poke(io.buffer.re, true);
        self.sim.poke(io.buffer.raddr, (frame.address + beat) % depth);
        let lanes = self.lanes();
        let bytes = frame.sent.bytes.chunks(lanes).nth(beat as usize).unwrap().to_vec();
        self.reads.push_back((self.clock + 2, bytes));
        if beat + 1 < frame.beats {
            self.reading = Some((frame, beat + 1));
        } else {
            self.sim.poke(io.release.frame, true);
            self.sim.poke(io.release.beats, frame.beats);
            self.free += frame.beats;
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
            // The smallest buffers for 10 beats and a half.
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
            // `tready` is 0 under reset and in the clock behind it.
            bench.step();
            let before = bench.transfers;
            for clock in 1..=900 {
                bench.step();
                assert_eq!(bench.transfers - before, clock);
            }
        }
    }
}

#[test]
fn too_many_frames_stall_the_input_before_the_buffer_is_full() {
    for data_w in WIDTHS {
        let mut bench = Bench::new(block(data_w, 1518, 1024, 16), 100, 0);
        for _ in 0..40 {
            bench.send(1);
        }
        for _ in 0..100 {
            bench.step();
        }
        assert_eq!(bench.transfers, 16);
        bench.releases = 50;
        bench.run();
        assert_eq!(bench.transfers, 40);
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
    refused(&block(128, 1518, 128, 12), "frames = 12: choose a power of two from 8 on");
    refused(&block(96, 1518, 256, 16), "size.data_w = 96");
    let narrow = Ingress { max_frame: 9216, ..block(128, 1518, 1024, 16) };
    refused(&narrow, "size.beats_w = 7");
}

#[test]
fn ingress_waveform() {
    let options = Options { power_up: PowerUp::Zero, ..Options::default() };
    let sim = Sim::with_options(&block(128, 1518, 1024, 16), &options).unwrap_or_else(|errors| panic!("{errors}"));
    sim.reset();
    sim.poke(sim.io.s_axis.tkeep, 0xFFFFu64);
    sim.step();
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
