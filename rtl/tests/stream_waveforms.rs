//! The waveforms that stand in the blocks' pages are what the blocks do.

use em_rtl::stream::{Arbiter, Axis, Fifo, FrameFifo, Memory, Narrow, Skid, WhenFull, Widen};
use hdl::{
    Block,
    bundle::Field,
    sim::{Options, Port, Ports, PowerUp, Sim},
};

const DATA_W: u32 = 32;

/// Asserts that `wave` stands in the page `source`, and prints it as it should stand there otherwise.
fn is_in_page(source: &str, wave: &str) {
    let lines: Vec<String> = wave.trim_end().lines().map(|line| format!("//! {line}").trim_end().to_string()).collect();
    let wanted = lines.join("\n");
    assert!(source.contains(&wanted), "the page should show\n{wanted}");
}

/// Offers beat `n` of `frames` (their lengths in beats, one after the other), or nothing after the last. `first` is the
/// first beat's data; each further one is one more.
fn offer<B: Block>(sim: &Sim<B>, axis: &Axis<Port>, first: u64, frames: &[u64], n: u64) {
    let ends: Vec<u64> =
        frames.iter().scan(0, |sum, beats| Some(std::mem::replace(sum, *sum + beats) + beats)).collect();
    let valid = ends.last().is_some_and(|all| n < *all);
    sim.poke(axis.tvalid, valid);
    sim.poke(axis.tlast, valid && ends.contains(&(n + 1)));
    sim.poke(axis.tdata, if valid { first + n } else { 0 });
    sim.poke(axis.tkeep, if valid { (1u64 << axis.tkeep.width()) - 1 } else { 0 });
}

/// Runs `clocks`; the output is stalled in those of `stalls`.
fn play<B: Block>(
    sim: &Sim<B>,
    s_axis: &[Axis<Port>],
    m_axis: &Axis<Port>,
    frames: &[&[u64]],
    clocks: u64,
    stalls: &[u64],
) {
    let mut next = vec![0; s_axis.len()];
    for clock in 0..clocks {
        sim.poke(m_axis.tready, !stalls.contains(&clock));
        for (i, ((axis, frames), next)) in s_axis.iter().zip(frames).zip(&mut next).enumerate() {
            offer(sim, axis, 0xa0 + 0x10 * i as u64, frames, *next);
            *next += u64::from(sim.peek_bool(axis.tvalid) && sim.peek_bool(axis.tready));
        }
        sim.step();
    }
}

/// A simulator that starts from zeros, after reset.
fn start<B: Block>(block: &B) -> Sim<B> {
    let options = Options { power_up: PowerUp::Zero, ..Options::default() };
    let sim = Sim::with_options(block, &options).unwrap_or_else(|errors| panic!("{errors}"));
    sim.reset();
    sim
}

fn record<B: Block>(sim: &Sim<B>, axes: &[&Axis<Port>]) {
    for axis in axes {
        for port in [axis.tvalid, axis.tready, axis.tdata, axis.tlast] {
            sim.record(&Ports(vec![(Field::root(), port)]));
        }
    }
}

#[test]
fn skid_waveform() {
    let sim = start(&Skid { data_w: DATA_W, user_w: 1 });
    sim.step();
    record(&sim, &[&sim.io.s_axis, &sim.io.m_axis]);
    play(&sim, &[sim.io.s_axis], &sim.io.m_axis, &[&[4]], 9, &[2, 3]);
    is_in_page(include_str!("../src/stream/skid.rs"), &sim.wave());
}

#[test]
fn fifo_waveform() {
    let sim = start(&Fifo { data_w: DATA_W, user_w: 1, depth: 16, memory: Memory::Block });
    record(&sim, &[&sim.io.s_axis, &sim.io.m_axis]);
    play(&sim, &[sim.io.s_axis], &sim.io.m_axis, &[&[4]], 10, &[3, 4]);
    is_in_page(include_str!("../src/stream/fifo.rs"), &sim.wave());
}

#[test]
fn frame_fifo_waveform() {
    let block = FrameFifo { data_w: DATA_W, user_w: 1, depth: 16, memory: Memory::Block, when_full: WhenFull::Stall };
    let sim = start(&block);
    record(&sim, &[&sim.io.s_axis, &sim.io.m_axis]);
    sim.record(&Ports(vec![(Field::root(), sim.io.accepted)]));
    sim.poke(sim.io.bad, false);
    play(&sim, &[sim.io.s_axis], &sim.io.m_axis, &[&[3]], 11, &[]);
    is_in_page(include_str!("../src/stream/frame_fifo.rs"), &sim.wave());
}

#[test]
fn arbiter_waveform() {
    let sim = start(&Arbiter { inputs: 2, data_w: DATA_W, user_w: 1 });
    sim.step();
    record(&sim, &[&sim.io.s_axis[0], &sim.io.s_axis[1], &sim.io.m_axis]);
    play(&sim, &sim.io.s_axis, &sim.io.m_axis, &[&[2, 1], &[1, 2]], 9, &[]);
    is_in_page(include_str!("../src/stream/arbiter.rs"), &sim.wave());
}

#[test]
fn widen_waveform() {
    let sim = start(&Widen { from_w: 8, to_w: 16, user_w: 1 });
    sim.step();
    record(&sim, &[&sim.io.s_axis, &sim.io.m_axis]);
    play(&sim, &[sim.io.s_axis], &sim.io.m_axis, &[&[3, 2]], 9, &[2, 3]);
    is_in_page(include_str!("../src/stream/widen.rs"), &sim.wave());
}

#[test]
fn narrow_waveform() {
    let sim = start(&Narrow { from_w: 16, to_w: 8, user_w: 1 });
    sim.step();
    record(&sim, &[&sim.io.s_axis, &sim.io.m_axis]);
    sim.poke(sim.io.m_axis.tready, true);
    for (n, stalls) in [(0, false), (1, false), (1, false), (2, true), (2, false), (2, false), (2, false), (2, false)] {
        let (data, last, valid) = [(0xb0a0, false, true), (0xb1a1, true, true), (0, false, false)][n];
        sim.poke(sim.io.s_axis.tvalid, valid);
        sim.poke(sim.io.s_axis.tlast, last);
        sim.poke(sim.io.s_axis.tdata, data);
        sim.poke(sim.io.s_axis.tkeep, if valid { 3 } else { 0 });
        sim.poke(sim.io.m_axis.tready, !stalls);
        sim.step();
    }
    is_in_page(include_str!("../src/stream/narrow.rs"), &sim.wave());
}
