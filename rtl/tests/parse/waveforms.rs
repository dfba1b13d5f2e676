//! The waveform that stands in the page of a block is what the block does.

use em_rtl::{
    packet::{Direction, Size},
    parse::Align,
};
use hdl::{
    bundle::Field,
    sim::{Options, Ports, PowerUp, Sim},
};

#[test]
fn align_waveform() {
    let block = Align { size: Size { data_w: 128, beats_w: 10, icrc_w: 12 }, direction: Direction::Tx };
    let options = Options { power_up: PowerUp::Zero, ..Options::default() };
    let sim = Sim::with_options(&block, &options).unwrap_or_else(|errors| panic!("{errors}"));
    sim.reset();
    let (beat, word) = (&sim.io.beat, &sim.io.word);
    for port in [beat.valid, beat.first, beat.last, word.at, word.next, word.valid] {
        sim.record(&Ports(vec![(Field::root(), port)]));
    }
    // Beats of a frame of three, of a frame of one, and nothing.
    for (valid, first, last) in [(1, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)]
    {
        for (port, value) in [(beat.valid, valid), (beat.first, first), (beat.last, last)] {
            sim.poke(port, value as u64);
        }
        sim.step();
    }
    let wave = sim.wave();
    let lines: Vec<String> = wave.trim_end().lines().map(|line| format!("//! {line}").trim_end().to_string()).collect();
    let wanted = lines.join("\n");
    assert!(include_str!("../../src/parse/align.rs").contains(&wanted), "the page should show\n{wanted}");
}
