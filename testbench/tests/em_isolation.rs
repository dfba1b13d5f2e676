//! What happens at one port is no other port's business: a stalled output delays only its own frames, as long as the frame
//! buffer of its path has room beside them, and inputs that share a path take turns. On the emitted Verilog of every
//! profile.

use em_rtl::{
    config::{EmConfig, Profile},
    ingress::least_pages,
};
use em_sim::{
    bfm::Stall,
    em::{Egress, EmSim, Entry, Input, Output},
};
use em_testbench::em::{
    Hardware, InFrame, craft,
    provoke::{RULES, good, good_in},
};

/// Nothing passes.
const NEVER: Stall = Stall::Random { percent: 100, seed: 0 };
const FRAMES: usize = 40;
const LENGTH: usize = 200;

/// A fresh EM of each profile, nothing stalled.
fn each_profile(mut test: impl FnMut(&str, EmSim)) {
    for name in Profile::NAMES {
        test(name, Hardware::strict(name).stalled(0).scoreboard(RULES, 401).em);
    }
}

fn send(em: &mut EmSim, frame: &InFrame) {
    em.send(frame.entry, frame.bad, &frame.data).unwrap();
}

fn injected(egress: Egress, mark: u8) -> InFrame {
    InFrame::new(Entry::Inject { egress, function: 1 }, craft::unknown(LENGTH, mark))
}

/// A frame that leaves by this output.
fn frame_to(output: Output, mark: u8) -> InFrame {
    match output {
        Output::Host => good_in(Entry::Net0, LENGTH, mark),
        Output::Net0 => good(LENGTH, mark),
        Output::Net1 => injected(Egress::Net1, mark),
        Output::Punt => InFrame::host(1, craft::unknown(LENGTH, mark)),
    }
}

/// Clocks that frames may need beside one clock a beat: the way through, and the turn of another input.
const GRACE: u64 = 80;

#[test]
fn a_stalled_output_delays_only_its_own_frames() {
    each_profile(|profile, mut em| {
        let beats = LENGTH.div_ceil(em.config.lanes() as usize) as u64;
        for stalled in Output::ALL {
            em.sink(stalled).unwrap().set_stall(NEVER);
            // Some frames wait already when the others come.
            for mark in 0..3 {
                send(&mut em, &frame_to(stalled, mark));
            }
            em.bench.run(3 * beats + GRACE).unwrap();
            let others: Vec<Output> = Output::ALL.into_iter().filter(|o| *o != stalled).collect();
            for output in &others {
                for mark in 0..FRAMES {
                    send(&mut em, &frame_to(*output, mark as u8));
                }
            }
            // All of them may share a path.
            em.bench.run((others.len() * FRAMES) as u64 * beats + GRACE).unwrap();
            let count = |em: &mut EmSim, output| em.sink(output).unwrap().waiting();
            for output in &others {
                let out = count(&mut em, *output);
                assert_eq!(out, FRAMES, "{profile}: {output:?} beside {stalled:?}, which is stalled");
            }
            assert_eq!(count(&mut em, stalled), 0, "{profile}: {stalled:?}");
            em.sink(stalled).unwrap().set_stall(Stall::None);
            em.settle().unwrap();
            assert_eq!(count(&mut em, stalled), 3, "{profile}: {stalled:?} goes on");
            em.take_outputs().unwrap();
        }
    });
}

/// Pages of the frame buffer that a frame takes.
fn pages(config: &EmConfig, length: usize) -> u32 {
    let page_beats = config.buffer.ingress_beats / config.buffer.ingress_pages;
    (length as u32).div_ceil(config.lanes()).div_ceil(page_beats)
}

/// The ports of the network, with the one that the host's frames leave by first, and the links that make it so.
const PORTS: [([Output; 2], Egress, [bool; 2]); 2] = [
    ([Output::Net0, Output::Net1], Egress::Net1, [true, true]),
    ([Output::Net1, Output::Net0], Egress::Net0, [false, true]),
];

/// Stalls one port of the network and has frames of these lengths wait for it. Gives the ports back: of the host's frames,
/// and the stalled one.
fn with_stuck(em: &mut EmSim, ports: usize, lengths: &[usize]) -> [Output; 2] {
    let ([open, stuck], egress, links) = PORTS[ports];
    em.set_links(links);
    em.sink(stuck).unwrap().set_stall(NEVER);
    em.bench.run(8).unwrap();
    for (mark, length) in lengths.iter().enumerate() {
        let frame = InFrame::new(Entry::Inject { egress, function: 1 }, craft::unknown(*length, mark as u8));
        send(em, &frame);
        em.bench.run(2 * length.div_ceil(em.config.lanes() as usize) as u64 + GRACE).unwrap();
    }
    assert_eq!(em.source(Input::Inject).unwrap().queued(), 0, "all wait inside");
    [open, stuck]
}

/// Frames of the host of these lengths in turn leave by `open`. Clocks in which they came in, and their beats.
fn pass(em: &mut EmSim, open: Output, lengths: [usize; 2], count: usize) -> (u64, u64) {
    let lanes = em.config.lanes() as usize;
    em.source(Input::Host).unwrap().take_sent();
    let lengths = || lengths.into_iter().cycle().take(count);
    let due: u64 = lengths().map(|length| length.div_ceil(lanes) as u64).sum();
    for (mark, length) in lengths().enumerate() {
        send(em, &good(length, mark as u8));
    }
    for _ in 0..60 {
        if em.sink(open).unwrap().waiting() < count {
            em.bench.run(due / 4 + GRACE).unwrap();
        }
    }
    let out = em.sink(open).unwrap().take();
    assert!(out.iter().map(|f| f.data.len()).eq(lengths()), "{} of {count} leave by {open:?}", out.len());
    let sent = em.source(Input::Host).unwrap().take_sent();
    (sent[count - 1].last_cycle + 1 - sent[0].first_cycle, due)
}

/// The stalled port goes on, and brings what waited for it.
fn let_go(em: &mut EmSim, stuck: Output, lengths: &[usize]) {
    assert_eq!(em.sink(stuck).unwrap().waiting(), 0);
    em.sink(stuck).unwrap().set_stall(Stall::None);
    em.settle().unwrap();
    let late = em.sink(stuck).unwrap().take();
    assert!(late.iter().map(|f| f.data.len()).eq(lengths.iter().copied()), "{stuck:?} brings what waited for it");
}

#[test]
fn frames_that_are_stuck_cost_the_others_no_clock() {
    each_profile(|profile, mut em| {
        let config = em.config.clone();
        for ports in 0..PORTS.len() {
            let stuck_lengths = [60, 300, 60];
            let [open, stuck] = with_stuck(&mut em, ports, &stuck_lengths);
            let left =
                config.buffer.ingress_pages - stuck_lengths.map(|length| pages(&config, length)).iter().sum::<u32>();
            for (lengths, count) in
                [([60, 60], 400), ([300, 300], 200), ([60, 300], 200), ([1500, 1500], 60), ([60, 1500], 60)]
            {
                // One comes in while one leaves, of which the first page and a few others are not free yet.
                let most = pages(&config, lengths[1]);
                if most + most / 2 + 8 > left {
                    continue;
                }
                let (clocks, due) = pass(&mut em, open, lengths, count);
                assert_eq!(clocks, due, "{profile}: {count} of {lengths:?} to {open:?}");
            }
            let_go(&mut em, stuck, &stuck_lengths);
        }
    });
}

#[test]
fn any_number_of_frames_leaves_beside_as_many_stuck_ones_as_leave_room_for_one() {
    each_profile(|profile, mut em| {
        let config = em.config.clone();
        let (max, lanes, all) = (config.max_frame as usize, config.lanes() as usize, config.buffer.ingress_pages);
        for ports in 0..PORTS.len() {
            for (lengths, count) in [([60, 60], 400), ([60, 1500], 100), ([60, max], 40)] {
                let longest = lengths[1].div_ceil(lanes) as u32;
                let mut room = all - least_pages(longest, config.buffer.ingress_beats / all);
                let mut stuck_lengths = vec![];
                for length in [1500, 60, 60, 300, max].into_iter().cycle().take(100) {
                    if let Some(left) = room.checked_sub(pages(&config, length)) {
                        room = left;
                        stuck_lengths.push(length);
                    }
                }
                let [open, stuck] = with_stuck(&mut em, ports, &stuck_lengths);
                let (clocks, due) = pass(&mut em, open, lengths, count);
                let waiting = stuck_lengths.len();
                println!("{profile}: {waiting} wait, {count} of {lengths:?}: {due} beats in {clocks} clocks");
                let_go(&mut em, stuck, &stuck_lengths);
            }
        }
    });
}

#[test]
fn frames_that_fill_the_buffer_hold_up_the_input_and_none_is_lost() {
    each_profile(|profile, mut em| {
        let config = em.config.clone();
        for ([open, stuck], egress, links) in PORTS {
            em.set_links(links);
            em.sink(stuck).unwrap().set_stall(NEVER);
            em.bench.run(8).unwrap();
            let lengths =
                [60, 1500, 60, 700, 90, 60].into_iter().cycle().take(4 * config.buffer.ingress_pages as usize);
            let frames: Vec<Vec<u8>> = lengths.enumerate().map(|(n, length)| craft::unknown(length, n as u8)).collect();
            for frame in &frames {
                send(&mut em, &InFrame::new(Entry::Inject { egress, function: 1 }, frame.clone()));
            }
            em.bench.run(6 * u64::from(config.buffer.ingress_beats)).unwrap();
            for mark in 0..FRAMES {
                send(&mut em, &good(LENGTH, mark as u8));
            }
            em.bench.run(1000).unwrap();
            assert!(em.source(Input::Inject).unwrap().queued() > 0, "{profile}: what does not fit waits outside");
            assert!(em.sink(open).unwrap().waiting() < FRAMES, "{profile}: there is no page for others");
            em.sink(stuck).unwrap().set_stall(Stall::Random { percent: 30, seed: 7 });
            em.settle().unwrap();
            let out = em.sink(stuck).unwrap().take();
            assert!(
                out.iter().map(|f| &f.data).eq(&frames),
                "{profile}: {} of {} at {stuck:?}",
                out.len(),
                frames.len()
            );
            assert_eq!(em.sink(open).unwrap().take().len(), FRAMES, "{profile}: {open:?}");
            em.sink(stuck).unwrap().set_stall(Stall::None);
        }
    });
}

#[test]
fn inputs_that_share_a_path_take_turns() {
    let one = |entry| move |mark: u8| good_in(entry, LENGTH, mark);
    each_profile(|profile, mut em| {
        type Inputs = [Box<dyn Fn(u8) -> InFrame>; 2];
        let pairs: [(&str, Output, Inputs); 2] = [
            ("net0 and net1", Output::Host, [Box::new(one(Entry::Net0)), Box::new(one(Entry::Net1))]),
            (
                "host and injected",
                Output::Net0,
                [Box::new(|mark| good(LENGTH, mark)), Box::new(|mark| injected(Egress::Net0, mark))],
            ),
        ];
        for (what, output, [a, b]) in pairs {
            // The last byte tells the input: even is the one, odd the other.
            for i in 0..FRAMES as u8 {
                for (frame, odd) in [(a(0), 0), (b(0), 1)] {
                    let mut frame = frame;
                    *frame.data.last_mut().unwrap() = 2 * i + odd;
                    send(&mut em, &frame);
                }
            }
            em.settle().unwrap();
            let out = em.sink(output).unwrap().take();
            assert_eq!(out.len(), 2 * FRAMES, "{profile}: {what}");
            let marks: Vec<u8> = out.iter().map(|f| *f.data.last().unwrap()).collect();
            for odd in [0, 1] {
                let own: Vec<u8> = marks.iter().copied().filter(|m| m % 2 == odd).collect();
                assert!(
                    own.windows(2).all(|w| w[1] == w[0] + 2),
                    "{profile}: {what}: an input's frames keep their order"
                );
            }
            // While both have frames, neither gets two turns more than the other.
            let mut lead = 0i32;
            for (place, mark) in marks.iter().enumerate() {
                lead += if mark % 2 == 0 { 1 } else { -1 };
                assert!(lead.abs() <= 2, "{profile}: {what}: {lead} ahead at frame {place}: {marks:?}");
            }
        }
    });
}

#[test]
fn the_links_decide_where_frames_of_the_host_leave() {
    each_profile(|profile, mut em| {
        for (links, output) in [
            ([true, true], Output::Net0),
            ([false, true], Output::Net1),
            ([false, false], Output::Net0),
            ([true, false], Output::Net0),
        ] {
            em.set_links(links);
            em.bench.run(8).unwrap();
            send(&mut em, &good(LENGTH, 1));
            send(&mut em, &injected(Egress::Uplink, 2));
            em.settle().unwrap();
            let given = em.sink(output).unwrap().take().len();
            assert_eq!((given, em.source(Input::Host).unwrap().queued()), (2, 0), "{profile}: links {links:?}");
        }
    });
}
