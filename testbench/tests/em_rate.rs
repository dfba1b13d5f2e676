//! How many clocks frames take on the emitted Verilog of the whole EM when nothing holds them up. Counted, not timed.

use em_rtl::top::EmTop;
use em_sim::{
    Rng,
    bfm::{Received, Sent},
    em::{Entry, Input, Output},
};
use em_testbench::em::{Hardware, craft};
use std::sync::LazyLock;

const RULES: &str = r#"
[[function]]
id = 1
mode = "nat"
unmatched = "pass"
[[function]]
id = 2
mode = "pass"
mac = "02:00:00:00:00:02"
[[function]]
id = 4
mode = "drop"

[[nat]]
function = 1
inside = "192.0.2.10"
outside = "203.0.113.5"
"#;

const NAT: u16 = 1;
const PASS: u16 = 2;
const DROP: u16 = 4;
const LANES: usize = 16;

static HARDWARE: LazyLock<Hardware> = LazyLock::new(|| Hardware::strict("ecp5").stalled(0));

/// A run's clocks.
struct Run {
    sent: Vec<Sent>,
    out: Vec<Received>,
}

impl Run {
    /// Frames of these functions and lengths, back to back.
    fn of(frames: &[(u16, usize)]) -> Run {
        let mut board = HARDWARE.scoreboard(RULES, 301);
        let em = &mut board.em;
        for (function, length) in frames {
            let data = match length {
                craft::UDP_HEADERS.. => craft::udp_of_length([192, 0, 2, 10], *length, 0),
                _ => craft::unknown(*length, 0),
            };
            em.send(Entry::Host { function: *function }, false, &data).unwrap();
        }
        em.bench.drain(200, 1_000_000).unwrap();
        let run = Run { sent: em.source(Input::Host).unwrap().take_sent(), out: em.sink(Output::Net0).unwrap().take() };
        let due: Vec<usize> = frames.iter().filter(|(f, _)| *f != DROP).map(|(_, length)| *length).collect();
        assert_eq!(run.sent.len(), frames.len());
        assert!(run.out.iter().map(|f| f.data.len()).eq(due), "every frame came out");
        run
    }

    /// Clocks from the first beat in to the last one in.
    fn clocks_in(&self) -> u64 {
        self.sent[self.sent.len() - 1].last_cycle + 1 - self.sent[0].first_cycle
    }

    /// Clocks from the first beat out to the last one out.
    fn clocks_out(&self) -> u64 {
        self.out[self.out.len() - 1].last_cycle + 1 - self.out[0].first_cycle
    }

    /// Clocks from a frame's last beat in to its first beat out, least and most, if all come out.
    fn latency(&self) -> (u64, u64) {
        let all = || self.sent.iter().zip(&self.out).map(|(sent, out)| out.first_cycle - sent.last_cycle);
        (all().min().unwrap(), all().max().unwrap())
    }
}

fn beats(lengths: &[(u16, usize)]) -> u64 {
    lengths.iter().map(|(_, length)| length.div_ceil(LANES) as u64).sum()
}

fn documented_latency() -> u64 {
    let config = em_rtl::config::Profile::named("ecp5").unwrap().config;
    EmTop { config }.stages().into_iter().map(|(_, clocks)| u64::from(clocks)).sum()
}

/// Frames of one length move at one every `beats` clocks, which is all that a port of this width can do, and each leaves
/// the documented latency after it came in.
#[test]
fn frames_of_one_length_move_a_beat_a_clock() {
    println!("mode  bytes  beats  frames/clock   bound  latency");
    for (function, mode) in [(PASS, "pass"), (NAT, "nat")] {
        for frame_beats in 1..=95 {
            let longest = (frame_beats * LANES).min(1518);
            // The shortest of as many beats, one amid, the longest.
            let shortest = longest - (longest - 1) % LANES;
            let lengths =
                if function == NAT { vec![shortest, (shortest + longest) / 2, longest] } else { vec![longest] };
            for length in lengths.into_iter().filter(|l| *l >= LANES) {
                // More than the frame buffer holds.
                let frames = vec![(function, length); 1100 / frame_beats + 70 / frame_beats + 4];
                let run = Run::of(&frames);
                let due = beats(&frames);
                assert_eq!((run.clocks_in(), run.clocks_out()), (due, due), "{mode}, {length} bytes");
                let latency = documented_latency();
                assert_eq!(run.latency(), (latency, latency), "{mode}, {length} bytes");
                if length == longest && (frame_beats.is_power_of_two() || longest == 1518) {
                    let rate = frames.len() as f64 / run.clocks_out() as f64;
                    let bound = 1.0 / frame_beats as f64;
                    println!("{mode:4}  {length:5}  {frame_beats:5}  {rate:12.5}  {bound:6.5}  {latency:7}");
                }
            }
        }
    }
}

/// The frames in and out in as many clocks as they have beats, but for the first one's way through.
fn full_rate(what: &str, frames: &[(u16, usize)]) {
    let run = Run::of(frames);
    let due = beats(frames);
    let all = run.out[run.out.len() - 1].last_cycle + 1 - run.sent[0].first_cycle;
    println!("{what}: {due} beats, in within {} clocks, out {all} clocks after the first beat in", run.clocks_in());
    assert_eq!(run.clocks_in(), due, "{what}: the host was held up");
    // The last frame leaves a frame's length and the latency after it came in; the one before it may be longer.
    let longest = frames.iter().map(|(_, length)| length.div_ceil(LANES) as u64).max().unwrap();
    assert!(all <= due + documented_latency() + longest, "{what}: {all} clocks");
}

fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut rng = Rng::new(seed);
    (1..items.len()).rev().for_each(|i| items.swap(i, rng.below(i as u64 + 1) as usize));
}

#[test]
fn frames_of_mixed_lengths_move_a_beat_a_clock() {
    let mut all: Vec<(u16, usize)> = (16..=1518).map(|length| (NAT, length)).collect();
    full_rate("16 to 1518 bytes, ascending", &all);
    all.reverse();
    full_rate("16 to 1518 bytes, descending", &all);
    shuffle(&mut all, 1);
    full_rate("16 to 1518 bytes, shuffled", &all);
    full_rate("1518 and 60 bytes by turns", &by_turns(1518, 60, 1));
    full_rate("1518 bytes, then 24 of 60", &by_turns(1518, 60, 24));
    full_rate("1518 bytes, then 100 of 60", &by_turns(1518, 60, 100));
    // Dropped frames cost their beats on the input and nothing on the output.
    let mut some_dropped: Vec<(u16, usize)> =
        (0..1000).map(|i| (if i % 3 == 0 { DROP } else { NAT }, 60 + i % 300)).collect();
    shuffle(&mut some_dropped, 2);
    some_dropped.push((NAT, 60));
    full_rate("every third frame dropped", &some_dropped);
}

/// The one mix that does not move at full rate: behind a frame that takes `L` clocks to leave, more frames come in than
/// there are pages, so that the host waits for it to leave, and the output waits for what comes after.
/// At 64 pages of 16 beats, 8 of them in hand, it takes a frame of more than 3,584 bytes before frames of 60 bytes, of a
/// page each, and more of them than it leaves pages.
#[test]
fn many_frames_behind_a_long_one_are_held_up_by_the_number_of_pages() {
    let config = em_rtl::config::Profile::named("ecp5").unwrap().config;
    let in_flight = u64::from(config.buffer.ingress_pages) - 8;
    println!("long  short  number   beats/clock");
    for (long, short, number) in [(1518, 16, 40), (1518, 16, 90), (3568, 60, 56), (9018, 60, 20), (9018, 60, 140)] {
        let frames = by_turns(long, short, number);
        let run = Run::of(&frames);
        let rate = beats(&frames) as f64 / run.clocks_out() as f64;
        println!("{long:4}  {short:5}  {number:6}  {rate:12.3}");
        let [long_beats, short_beats] = [long, short].map(|length| length.div_ceil(LANES) as u64);
        let page_beats = u64::from(config.buffer.ingress_beats / config.buffer.ingress_pages);
        if long_beats <= in_flight * short_beats || long_beats.div_ceil(page_beats) + number as u64 <= in_flight {
            assert_eq!(run.clocks_in(), beats(&frames), "{long}, then {number} of {short}");
        } else {
            assert!(rate > 0.7, "{long}, then {number} of {short}: {rate}");
        }
    }
}

/// A long frame and `number` short ones, forty times.
fn by_turns(long: usize, short: usize, number: usize) -> Vec<(u16, usize)> {
    (0..40).flat_map(|_| std::iter::once((NAT, long)).chain(vec![(NAT, short); number])).collect()
}
