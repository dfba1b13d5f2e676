//! Width converters in the native simulator: the bytes of each frame come out as they went in, whatever the stalls.

mod common;

use common::{Beat, PACES, Sink, Source, beats, rng};
use em_rtl::stream::{Narrow, StreamIo, Widen};
use hdl::{
    Block, Value,
    check::assert_no_combinational_paths,
    elaborate,
    sim::{IoPorts, Port, Sim},
};
use rand::RngExt;
use std::collections::VecDeque;

const USER_W: u32 = 5;

/// Narrow and wide side, in bits.
const WIDTHS: [(u32, u32); 6] = [(64, 128), (128, 512), (64, 512), (8, 24), (64, 256), (8, 64)];

/// Frames of every length from a byte to more than three wide beats, at every pace. Rule 2: their bytes come out; rule 3:
/// with their `tuser`. At full pace there is no bubble: a frame takes as many clocks as its longer side has beats.
fn converts<B: Block>(block: &B, ends: fn(&IoPorts<B>) -> StreamIo<Port>) {
    for (seed, (offers, takes)) in PACES.into_iter().enumerate() {
        let mut rng = rng(seed as u64);
        let sim = Sim::new(block).unwrap_or_else(|errors| panic!("{errors}"));
        let io = ends(&sim.io);
        let (from_w, to_w) = (io.s_axis.tdata.width(), io.m_axis.tdata.width());
        sim.reset();
        let (mut source, mut sink) = (Source::new(io.s_axis, offers), Sink::new(io.m_axis, takes));
        let mut expected: VecDeque<Beat> = VecDeque::new();
        let mut bound = 0;
        let lanes = (from_w.max(to_w) / 8) as usize;
        // Twice, in ascending and in random order.
        let ascending: Vec<usize> = (1..=3 * lanes + 2).collect();
        let random = (0..40).map(|_| rng.random_range(1..=3 * lanes + 2)).collect();
        for bytes in [ascending, random].concat() {
            let content: Vec<u8> = (0..bytes).map(|_| rng.random()).collect();
            let user = Value::new(USER_W, rng.random::<u128>() & ((1 << USER_W) - 1));
            let (sent, got) = (beats(&content, from_w, &user), beats(&content, to_w, &user));
            bound += sent.len().max(got.len());
            source.queue.extend(sent);
            expected.extend(got);
        }
        let mut clocks = 0;
        while !expected.is_empty() {
            source.drive(&sim, &mut rng);
            sink.drive(&sim, &mut rng);
            if let Some(beat) = sink.given(&sim) {
                assert_eq!(Some(beat), expected.pop_front(), "{from_w} to {to_w}, offers {offers} %, takes {takes} %");
            }
            source.taken(&sim);
            sim.step();
            clocks += 1;
            assert!(clocks < 20 * bound, "a beat is held back");
        }
        assert!(source.queue.is_empty());
        if (offers, takes) == (100, 100) {
            assert!(clocks <= bound + 2, "{clocks} clocks where {bound} are enough");
        }
    }
}

#[test]
fn beats_are_collected() {
    for (from_w, to_w) in WIDTHS {
        converts(&Widen { from_w, to_w, user_w: USER_W }, |io| *io);
    }
}

#[test]
fn beats_are_split() {
    for (to_w, from_w) in WIDTHS {
        converts(&Narrow { from_w, to_w, user_w: USER_W }, |io| *io);
    }
}

#[test]
fn no_combinational_paths() {
    for (narrow, wide) in WIDTHS {
        assert_no_combinational_paths(&Widen { from_w: narrow, to_w: wide, user_w: 1 });
        assert_no_combinational_paths(&Narrow { from_w: wide, to_w: narrow, user_w: 1 });
    }
}

#[test]
fn widths_that_do_not_fit_are_refused() {
    let of = |from_w, to_w| elaborate(&Widen { from_w, to_w, user_w: 1 }).unwrap_err().to_string();
    let refused = of(64, 96);
    assert!(refused.contains("widen: to_w = 96 is no multiple of from_w = 64: use 128 or 256"), "{refused}");
    assert!(of(64, 64).contains("to_w = 64"));
    assert!(of(12, 24).contains("data_w = 12 is no whole number of bytes"));
    let refused = elaborate(&Narrow { from_w: 64, to_w: 128, user_w: 1 }).unwrap_err().to_string();
    assert!(refused.contains("narrow: from_w = 64 is no multiple of to_w = 128"), "{refused}");
}
