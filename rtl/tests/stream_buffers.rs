//! Skid buffer and FIFOs in the native simulator: everything comes out as it went in, whatever the stalls.

mod common;

use common::{Beat, PACES, Sink, Source, random_frame, rng};
use em_rtl::stream::{Fifo, Memory, Skid, StreamIo};
use hdl::{
    Block,
    check::assert_no_combinational_paths,
    sim::{IoPorts, Port, Sim},
};
use std::collections::VecDeque;

/// Frames of every length from a byte to a bit more than three beats, at every pace; the block must pass them in order,
/// and at full pace without a bubble, each `latency` clocks after it came in.
fn passes_everything<B: Block>(block: &B, ends: fn(&IoPorts<B>) -> StreamIo<Port>, latency: usize) {
    for (seed, (offers, takes)) in PACES.into_iter().enumerate() {
        let mut rng = rng(seed as u64);
        let sim = Sim::new(block).unwrap_or_else(|errors| panic!("{errors}"));
        let io = ends(&sim.io);
        let (data_w, user_w) = (io.s_axis.tdata.width(), io.s_axis.tuser.width());
        let lanes = (data_w / 8) as usize;
        sim.reset();
        let (mut source, mut sink) = (Source::new(io.s_axis, offers), Sink::new(io.m_axis, takes));
        for bytes in 1..=3 * lanes + 2 {
            source.queue.extend(random_frame(&mut rng, bytes, data_w, user_w));
        }
        let total = source.queue.len();
        let mut inside: VecDeque<Beat> = VecDeque::new();
        let mut clocks = 0;
        let mut idle = 0;
        while !source.queue.is_empty() || !inside.is_empty() {
            source.drive(&sim, &mut rng);
            sink.drive(&sim, &mut rng);
            // The last beat is never held back: the output is not idle for longer than the latency while one is inside.
            idle = if inside.is_empty() || sink.offered(&sim).is_some() { 0 } else { idle + 1 };
            assert!(idle < latency.max(1), "a beat is held back");
            if let Some(beat) = sink.given(&sim) {
                assert_eq!(Some(beat), inside.pop_front(), "{data_w} bits, offers {offers} %, takes {takes} %");
            }
            inside.extend(source.taken(&sim));
            sim.step();
            clocks += 1;
        }
        if (offers, takes) == (100, 100) {
            assert!(clocks <= total + latency + 1, "{clocks} clocks for {total} beats");
        }
    }
}

const WIDTHS: [(u32, u32); 3] = [(64, 1), (128, 17), (512, 24)];

#[test]
fn no_combinational_paths() {
    for (data_w, user_w) in WIDTHS {
        assert_no_combinational_paths(&Skid { data_w, user_w });
        assert_no_combinational_paths(&Fifo { data_w, user_w, depth: 32, memory: Memory::Block });
        assert_no_combinational_paths(&Fifo { data_w, user_w, depth: 32, memory: Memory::Distributed });
    }
}

#[test]
fn the_skid_buffer_passes_everything() {
    for (data_w, user_w) in WIDTHS {
        passes_everything(&Skid { data_w, user_w }, |io| *io, 1);
    }
}

#[test]
fn the_fifo_passes_everything() {
    for (data_w, user_w) in WIDTHS {
        // Depths that are no power of two wrap elsewhere.
        for depth in [2, 3, 8, 13] {
            for (memory, latency) in [(Memory::Block, 3), (Memory::Distributed, 2)] {
                passes_everything(&Fifo { data_w, user_w, depth, memory }, |io| *io, latency);
            }
        }
    }
}

#[test]
fn the_fifo_holds_its_depth() {
    let (data_w, user_w, depth) = (64, 1, 13);
    for (memory, behind) in [(Memory::Block, 2), (Memory::Distributed, 1)] {
        let sim = Sim::new(&Fifo { data_w, user_w, depth, memory }).unwrap();
        sim.reset();
        let mut rng = rng(1);
        let mut source = Source::new(sim.io.s_axis, 100);
        let mut sink = Sink::new(sim.io.m_axis, 0);
        source.queue.extend((0..40).flat_map(|_| random_frame(&mut rng, 8, data_w, user_w)));
        let mut taken = 0;
        for _ in 0..40 {
            source.drive(&sim, &mut rng);
            sink.drive(&sim, &mut rng);
            taken += u32::from(source.taken(&sim).is_some());
            sim.step();
        }
        assert_eq!(taken, depth + behind);
    }
}
