//! What happens at one port is no other port's business: a stalled output delays only its own frames, as long as the frame
//! buffer of its path has room behind them, and inputs that share a path take turns. On the emitted Verilog of every profile.

use em_rtl::config::{EmConfig, Profile};
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

/// How many frames for `output` pass while another output is stalled. A path has one frame buffer, whose places come back in
/// order: behind frames that wait for one of its outputs it takes as many others as fit. Punted frames never hold it up, and
/// the other path does not know of it.
fn passing(config: &EmConfig, output: Output, stalled: Output) -> usize {
    match matches!(stalled, Output::Net0 | Output::Net1) && output != Output::Host {
        true => config.buffer.frames as usize / 8,
        false => FRAMES,
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
            let config = em.config.clone();
            let due = |output| passing(&config, output, stalled);
            for output in &others {
                for mark in 0..due(*output) {
                    send(&mut em, &frame_to(*output, mark as u8));
                }
            }
            // All of them may share a path.
            em.bench.run((others.len() * FRAMES) as u64 * beats + GRACE).unwrap();
            let count = |em: &mut EmSim, output| em.sink(output).unwrap().waiting();
            for output in &others {
                let (out, due) = (count(&mut em, *output), due(*output));
                assert_eq!(out, due, "{profile}: {output:?} beside {stalled:?}, which is stalled");
            }
            assert_eq!(count(&mut em, stalled), 0, "{profile}: {stalled:?}");
            em.sink(stalled).unwrap().set_stall(Stall::None);
            em.settle().unwrap();
            assert_eq!(count(&mut em, stalled), 3, "{profile}: {stalled:?} goes on");
            em.take_outputs().unwrap();
        }
    });
}

#[test]
fn inputs_that_share_a_path_take_turns() {
    let one = |entry| move |mark: u8| good_in(entry, LENGTH, mark);
    each_profile(|profile, mut em| {
        let pairs: [(&str, Output, [Box<dyn Fn(u8) -> InFrame>; 2]); 2] = [
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
