//! Limits of the frames that go to the Orchestration Module, on the emitted Verilog of the whole EM.

use em_rtl::outcome::Outcome;
use em_sim::{
    bfm::Stall,
    em::{Entry, Input, Replay},
};
use em_testbench::em::{
    Hardware, InFrame, assert_balanced, craft,
    provoke::{ROUTED, RULES, frame_for, good},
};
use std::sync::LazyLock;

static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| Hardware::strict("ecp5"));

/// So slow that no token comes back within a test.
const NEVER: u32 = 268_435_455;

/// A function beside those of [`RULES`] that has frames punted.
const OTHER: &str = "[[function]]\nid = 5\nmode = \"nat\"\n";

fn limit(fits: &str, clocks_per_frame: u32, burst: u32) -> String {
    format!("[[punt_limit]]\n{fits}\nclocks_per_frame = {clocks_per_frame}\nburst = {burst}\n")
}

fn rules(limits: &[String]) -> String {
    format!("{RULES}{OTHER}{}", limits.concat())
}

/// A frame that function `function` has no rule for.
fn unmatched(function: u16, mark: usize) -> InFrame {
    InFrame::host(function, craft::unknown(60, mark as u8))
}

/// A routed frame whose time to live is over, out of function 1 or to it.
fn dying(entry: Entry, mark: usize) -> InFrame {
    let frame = match entry {
        Entry::Host { .. } => craft::udp_of_length(ROUTED, 64, mark as u8),
        _ => craft::Ends::to([203, 0, 113, 6]).udp_of_length(64, mark as u8),
    };
    InFrame::new(entry, craft::with_ttl(1, frame))
}

/// Runs the frames back to back against the model, which knows the bounds; tests here know the numbers.
fn run(hardware: &Hardware, rules: &str, frames: &[InFrame]) -> Replay {
    let mut board = hardware.scoreboard(rules, 300);
    board.em.set_stalls(Stall::None);
    let replay = board.run(frames).unwrap_or_else(|e| panic!("{e}"));
    assert_balanced(&replay.counters);
    replay
}

/// How many frames were punted for this reason, of this function.
fn punted(replay: &Replay, reason: Outcome, function: u16) -> usize {
    replay.outputs.punted.iter().filter(|p| (p.reason, p.function) == (Some(reason), function)).count()
}

#[test]
fn exactly_the_burst_goes_and_nothing_else_is_limited() {
    let limits = [limit("function = 1\nreason = \"unmatched\"", NEVER, 8)];
    let mut frames: Vec<InFrame> = (0..40).map(|i| unmatched(1, i)).collect();
    for i in 0..20 {
        frames.extend([
            unmatched(5, i),
            dying(Entry::Host { function: 1 }, i),
            good(64, i as u8),
            unmatched(1, 40 + i),
        ]);
        frames.extend(frame_for(Outcome::PuntNotForUs, 9216, i as u8));
    }
    let replay = run(&HARDWARE, &rules(&limits), &frames);
    let count = |o| replay.counters.of(o);
    assert_eq!((count(Outcome::PuntUnmatched), count(Outcome::PuntRate)), (8 + 20, 52));
    assert_eq!((count(Outcome::PuntTtl), count(Outcome::PuntNotForUs), count(Outcome::Net0)), (20, 20, 20));
    // The first ones go.
    let first: Vec<&[u8]> = frames[..8].iter().map(|f| f.data.as_slice()).collect();
    let gone = replay.outputs.punted.iter().filter(|p| (p.reason, p.function) == (Some(Outcome::PuntUnmatched), 1));
    assert_eq!(gone.map(|p| p.frame.as_slice()).collect::<Vec<_>>(), first);
    assert_eq!(punted(&replay, Outcome::PuntUnmatched, 5), 20);
}

#[test]
fn without_limits_everything_goes() {
    let frames: Vec<InFrame> =
        (0..300).flat_map(|i| [unmatched(1, i), dying(Entry::Net0, i)]).chain([good(64, 0)]).collect();
    let replay = run(&HARDWARE, &rules(&[]), &frames);
    assert_eq!(replay.counters.of(Outcome::PuntUnmatched), 300);
    assert_eq!(replay.counters.of(Outcome::PuntTtl), 300);
    assert_eq!(replay.counters.of(Outcome::PuntRate), 0);
}

#[test]
fn the_first_that_fits_counts() {
    let limits = [
        limit("function = 1\nreason = \"ttl\"", NEVER, 2),
        limit("function = 1", NEVER, 5),
        limit("reason = \"unmatched\"", NEVER, 3),
        limit("", NEVER, 7),
    ];
    let mut frames: Vec<InFrame> = (0..20).map(|i| dying(Entry::Host { function: 1 }, i)).collect();
    frames.extend((0..20).map(|i| unmatched(1, i)));
    frames.extend((0..20).map(|i| unmatched(5, i)));
    frames.extend((0..20).filter_map(|i| frame_for(Outcome::PuntNotForUs, 9216, i)));
    let replay = run(&HARDWARE, &rules(&limits), &frames);
    assert_eq!(punted(&replay, Outcome::PuntTtl, 1), 2);
    assert_eq!(punted(&replay, Outcome::PuntUnmatched, 1), 5);
    assert_eq!(punted(&replay, Outcome::PuntUnmatched, 5), 3);
    assert_eq!(punted(&replay, Outcome::PuntNotForUs, 0), 7);
    assert_eq!(replay.counters.of(Outcome::PuntRate), 80 - 17);
}

#[test]
fn both_directions_take_from_one_limit() {
    let limits = [limit("function = 1\nreason = \"ttl\"", NEVER, 30)];
    let frames: Vec<InFrame> =
        (0..50).flat_map(|i| [dying(Entry::Host { function: 1 }, i), dying(Entry::Net0, i)]).collect();
    let replay = run(&HARDWARE, &rules(&limits), &frames);
    assert_eq!((replay.counters.of(Outcome::PuntTtl), replay.counters.of(Outcome::PuntRate)), (30, 70));
    let from_host = replay.outputs.punted.iter().filter(|p| p.port == 0).count();
    assert!((10..=20).contains(&from_host), "{from_host} of 30 from the host");
}

#[test]
fn one_comes_back_each_interval() {
    const INTERVAL: u64 = 20_000;
    const EACH: u64 = 50;
    let mut board = HARDWARE.scoreboard(&rules(&[limit("function = 1", INTERVAL as u32, 3)]), 301);
    let em = &mut board.em;
    em.set_stalls(Stall::None);
    for i in 0..5 * INTERVAL / EACH {
        em.send(Entry::Host { function: 1 }, false, &unmatched(1, i as usize).data).unwrap();
        em.bench.run(EACH).unwrap();
    }
    em.settle().unwrap();
    let clocks: Vec<u64> = em.take_outputs().unwrap().punted.iter().map(|p| p.clock).collect();
    // Three at once, then one an interval behind the first of them, which left the bucket less than full.
    assert_eq!(clocks.len(), 3 + 4);
    assert_eq!([clocks[1] - clocks[0], clocks[2] - clocks[1]], [EACH; 2]);
    for (n, clock) in (1..).zip(&clocks[3..]) {
        let due = clocks[0] + n * INTERVAL;
        // A limit is looked at each 8 clocks, and a frame comes each 50.
        assert!((due - 8..due + 8 + EACH).contains(clock), "the {n}th in clock {clock}, due in {due}");
    }
    // What is not used is kept, up to the burst.
    em.bench.run(10 * INTERVAL).unwrap();
    for i in 0..10 {
        em.send(Entry::Host { function: 1 }, false, &unmatched(1, i).data).unwrap();
    }
    em.settle().unwrap();
    assert_eq!(em.take_outputs().unwrap().punted.len(), 3);
    let counters = em.counters().unwrap();
    assert_eq!(counters.of(Outcome::PuntUnmatched), 10);
    assert_balanced(&counters);
}

/// One frame a clock in each direction at 512 bits, all to be punted: nothing waits, and the count is exact.
#[test]
fn a_punt_a_clock_each_way_is_counted_exactly_on_line100() {
    let hardware = Hardware::strict("line100");
    let limits = [limit("reason = \"not_for_us\"", NEVER, 200), limit("function = 1", NEVER, 300)];
    let mut frames = Vec::new();
    for i in 0..600 {
        frames.extend([unmatched(1, i), InFrame::new(Entry::Net1, craft::unknown(60, i as u8))]);
    }
    let replay = run(&hardware, &rules(&limits), &frames);
    let count = |o| replay.counters.of(o);
    assert_eq!((count(Outcome::PuntUnmatched), count(Outcome::PuntNotForUs)), (300, 200));
    assert_eq!((count(Outcome::PuntRate), count(Outcome::PuntFull)), (700, 0));
    assert_eq!([replay.beats_in(Input::Host), replay.beats_in(Input::Net1)], [600; 2]);
    assert!(replay.clocks < 600 + 60, "{} clocks: an input was held up", replay.clocks);
}
