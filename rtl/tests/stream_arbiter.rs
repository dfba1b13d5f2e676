//! The arbiter in the native simulator: frames unmixed, in order, in turn, without bubbles.

mod common;

use common::{Beat, PACES, Sink, Source, random_frame, rng};
use em_rtl::stream::Arbiter;
use hdl::{check::assert_no_combinational_paths, sim::Sim};
use rand::RngExt;
use std::collections::VecDeque;

const COUNTS: [u32; 4] = [2, 3, 4, 7];

#[test]
fn no_combinational_paths() {
    for inputs in COUNTS {
        assert_no_combinational_paths(&Arbiter { inputs, data_w: 128, user_w: 17 });
    }
}

/// Runs `frames` on each input, of 1 to 3 beats; `tuser` says where a frame comes from. Returns the sources in the order
/// in which their frames came out, and the number of clocks.
fn run(inputs: u32, data_w: u32, frames: usize, offers: u32, takes: u32, seed: u64) -> (Vec<usize>, usize, usize) {
    let mut rng = rng(seed);
    let sim = Sim::new(&Arbiter { inputs, data_w, user_w: 8 }).unwrap_or_else(|errors| panic!("{errors}"));
    sim.reset();
    let mut sources: Vec<Source> = sim.io.s_axis.iter().map(|axis| Source::new(*axis, offers)).collect();
    let mut sink = Sink::new(sim.io.m_axis, takes);
    let mut inside: Vec<VecDeque<Beat>> = vec![VecDeque::new(); inputs as usize];
    for (i, source) in sources.iter_mut().enumerate() {
        for _ in 0..frames {
            let bytes = rng.random_range(1..=3 * data_w as usize / 8);
            let mut frame = random_frame(&mut rng, bytes, data_w, 8);
            frame.iter_mut().for_each(|beat| beat.user = hdl::Value::new(8, i as u128));
            source.queue.extend(frame);
        }
    }
    let beats = sources.iter().map(|s| s.queue.len()).sum();
    let (mut order, mut clocks, mut open) = (vec![], 0, None);
    while sources.iter().any(|s| !s.queue.is_empty()) || inside.iter().any(|q| !q.is_empty()) {
        sources.iter_mut().for_each(|s| s.drive(&sim, &mut rng));
        sink.drive(&sim, &mut rng);
        if let Some(beat) = sink.given(&sim) {
            let from = beat.user.to_u64() as usize;
            assert!(open.is_none_or(|o| o == from), "a frame of {from} inside one of {open:?}");
            open = (!beat.last).then_some(from);
            if beat.last {
                order.push(from);
            }
            assert_eq!(Some(beat), inside[from].pop_front());
        }
        for (source, inside) in sources.iter_mut().zip(&mut inside) {
            inside.extend(source.taken(&sim));
        }
        sim.step();
        clocks += 1;
        assert!(clocks < 100_000, "something blocks");
    }
    (order, clocks, beats)
}

#[test]
fn frames_pass_unmixed_and_in_order() {
    for inputs in COUNTS {
        for (seed, (offers, takes)) in PACES.into_iter().enumerate() {
            for data_w in [64, 128, 512] {
                let (order, ..) = run(inputs, data_w, 40, offers, takes, seed as u64);
                assert_eq!(order.len(), 40 * inputs as usize);
            }
        }
    }
}

#[test]
fn who_always_waits_is_served_in_turn() {
    for inputs in COUNTS {
        let (order, clocks, beats) = run(inputs, 64, 50, 100, 100, 1);
        for (i, from) in order.iter().enumerate() {
            assert_eq!(*from, i % inputs as usize, "turn {i} of {inputs} inputs");
        }
        // Two clocks to begin: one for the register on the output, one to see it.
        assert!(clocks <= beats + 2, "{clocks} clocks for {beats} beats");
    }
}

#[test]
fn one_stream_alone_has_no_bubbles() {
    let sim = Sim::new(&Arbiter { inputs: 3, data_w: 64, user_w: 1 }).unwrap();
    sim.reset();
    let mut rng = rng(5);
    let mut source = Source::new(sim.io.s_axis[1], 100);
    let mut sink = Sink::new(sim.io.m_axis, 100);
    source.queue.extend((0..50).flat_map(|_| random_frame(&mut rng, 20, 64, 1)));
    let (beats, mut given, mut clocks) = (source.queue.len(), 0, 0);
    while given < beats {
        source.drive(&sim, &mut rng);
        sink.drive(&sim, &mut rng);
        given += usize::from(sink.given(&sim).is_some());
        source.taken(&sim);
        sim.step();
        clocks += 1;
    }
    // One clock more than with the turn already its own.
    assert!(clocks <= beats + 3, "{clocks} clocks for {beats} beats");
}
