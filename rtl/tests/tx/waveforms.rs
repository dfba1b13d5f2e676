//! The waveforms that stand in the blocks' pages are what the blocks do.

use em_rtl::{outcome::Outcome, v1::egress::Egress, v1::parse::Align};
use hdl::{
    Block,
    sim::{Options, PowerUp, Sim},
};

/// Asserts that the recorded waveform stands in the page `source`, and prints it as it should stand there otherwise.
fn is_in_page<B: Block>(source: &str, sim: &Sim<B>) {
    let wave = sim.wave();
    let lines: Vec<String> = wave.trim_end().lines().map(|line| format!("//! {line}").trim_end().to_string()).collect();
    let wanted = lines.join("\n");
    assert!(source.contains(&wanted), "the page should show\n{wanted}");
}

/// A simulator that starts from zeros, after reset.
fn start<B: Block>(block: &B) -> Sim<B> {
    let options = Options { power_up: PowerUp::Zero, ..Options::default() };
    let sim = Sim::with_options(block, &options).unwrap_or_else(|errors| panic!("{errors}"));
    sim.reset();
    sim
}

#[test]
fn align_shows_an_untagged_frame_of_three_beats_and_one_of_one() {
    let sim = start(&Align { beats_w: 10 });
    let (beat, word) = (&sim.io.beat, &sim.io.word);
    for port in [beat.valid, beat.first, beat.last, word.at, word.valid] {
        sim.record(&hdl::sim::Ports(vec![(hdl::bundle::Field::root(), port)]));
    }
    for (valid, first, last) in
        [(1u64, 1u64, 0u64), (1, 0, 0), (1, 0, 1), (1, 1, 1), (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)]
    {
        sim.poke(beat.valid, valid);
        sim.poke(beat.first, first);
        sim.poke(beat.last, last);
        sim.step();
    }
    is_in_page(include_str!("../../src/parse/align.rs"), &sim);
}

#[test]
fn egress_shows_two_forwarded_frames_and_one_dropped_between_them() {
    let sim = start(&Egress { beats_w: 10, buffer_beats: 1024, net0_beats: 16, punt_beats: 1024 });
    let io = &sim.io;
    for port in
        [io.head.valid, io.take, io.read.valid, io.raddr, io.read.last, io.release.beats, io.outcome_valid, io.outcome]
    {
        sim.record(&hdl::sim::Ports(vec![(hdl::bundle::Field::root(), port)]));
    }
    let mut heads = vec![(Outcome::Net0, 1u64), (Outcome::NatSource, 5), (Outcome::Net0, 3)];
    for _ in 0..10 {
        let head = heads.last().copied();
        sim.poke(io.head.valid, head.is_some());
        let (outcome, beats) = head.unwrap_or((Outcome::Net0, 0));
        sim.poke(io.head.outcome, outcome.code());
        sim.poke(io.head.extent.beats, beats);
        let take = sim.peek_bool(io.take);
        sim.step();
        if take {
            heads.pop();
        }
    }
    is_in_page(include_str!("../../src/egress.rs"), &sim);
}
