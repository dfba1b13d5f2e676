//! Sources, sinks and the protocol checks on hand-written streams.

mod common;

use common::{library, source, stream_ports};
use em_sim::Rng;
use em_sim::bfm::{Bench, BenchError, Frame, Received, Rule, Stall, StreamConfig};
use em_sim::verilated::{ModelSpec, Options, Port};

fn fifo(data_w: u32, user_w: u32) -> Bench {
    let mut ports = vec![Port::input("clk", 1), Port::input("rst", 1)];
    ports.extend(stream_ports("s_axis_", true, data_w, user_w));
    ports.extend(stream_ports("m_axis_", false, data_w, user_w));
    let defines = vec![("DATA_W".into(), data_w.to_string()), ("USER_W".into(), user_w.to_string())];
    let spec = ModelSpec {
        top: "axis_fifo".into(),
        sources: vec![source("axis_fifo.v")],
        ports,
        clocks: vec!["clk".into()],
        options: Options { x_initial_unique: true, defines, ..Options::default() },
    };
    Bench::new(library(&spec).instance(1), "clk", Some("rst")).unwrap()
}

fn frames(count: usize, longest: u64, user_w: u32, seed: u64) -> Vec<Frame> {
    let mut rng = Rng::new(seed);
    let frame = |_| {
        let mut data = vec![0; 1 + rng.below(longest) as usize];
        rng.fill(&mut data);
        let user = rng.bits() & (u64::MAX >> (64 - user_w.min(64))) & !1;
        Frame { data, user, bad: rng.percent(20) }
    };
    (0..count).map(frame).collect()
}

fn as_sent(received: Vec<Received>) -> Vec<Frame> {
    received.into_iter().map(|frame| Frame { data: frame.data, user: frame.user, bad: frame.bad }).collect()
}

#[test]
fn frames_pass_whole_under_every_stall_pattern() {
    let patterns = [
        Stall::None,
        Stall::Random { percent: 50, seed: 3 },
        Stall::OffThenOn { cycles: 40 },
        Stall::Alternating,
        Stall::AfterValid,
        Stall::HoldLast,
        Stall::HoldFirst,
    ];
    for (data_w, user_w) in [(64, 17), (512, 90)] {
        for (number, stall_in) in patterns.into_iter().enumerate() {
            for stall_out in patterns {
                let mut bench = fifo(data_w, user_w);
                let seed = number as u64;
                let config = StreamConfig { stall: stall_in, max_gap: 2, seed, ..StreamConfig::default() };
                let input = bench.add_source("s_axis_", &config).unwrap();
                let output =
                    bench.add_sink("m_axis_", &StreamConfig { stall: stall_out, ..StreamConfig::default() }).unwrap();
                bench.reset(2).unwrap();
                let sent = frames(40, 200, user_w, seed);
                for frame in &sent {
                    bench.sources[input].send(frame.clone()).unwrap();
                }
                bench.drain(8, 100_000).unwrap_or_else(|error| panic!("{stall_in:?} {stall_out:?}: {error}"));
                let received = bench.sinks[output].take();
                let times = bench.sources[input].take_sent();
                for (out, sent) in received.iter().zip(&times) {
                    assert!(sent.first_cycle < out.first_cycle && sent.last_cycle < out.last_cycle);
                    assert_eq!(out.beats, (out.data.len() as u64).div_ceil(u64::from(data_w / 8)));
                    assert_eq!(out.wide_user.len(), if user_w > 64 { 12 } else { 0 });
                }
                assert_eq!(as_sent(received), sent, "{stall_in:?} {stall_out:?}");
            }
        }
    }
}

#[test]
fn a_last_beat_is_filled_and_its_user_can_be_a_function_of_the_frame() {
    let mut bench = fifo(64, 17);
    bench.add_source("s_axis_", &StreamConfig::default()).unwrap();
    bench.reset(1).unwrap();
    bench.sources[0].set_user_fn(Box::new(|frame, beat, last, user| {
        user.fill(0);
        user[0] = 0x40 + frame.data.len() as u8 + 2 * beat as u8;
        user[1] = u8::from(last);
    }));
    bench.sources[0].send(Frame { data: vec![1, 2, 3], ..Frame::default() }).unwrap();
    bench.step().unwrap();
    let peek = |name: &str| bench.model.peek(bench.model.port(name).unwrap());
    assert_eq!(peek("s_axis_tdata"), 0xEEEE_EEEE_EE03_0201);
    assert_eq!((peek("s_axis_tkeep"), peek("s_axis_tlast"), peek("s_axis_tuser")), (7, 1, 0x143));
}

fn break_a_rule(fault: u64) -> Result<Vec<Received>, BenchError> {
    let mut ports = vec![Port::input("clk", 1), Port::input("rst", 1), Port::input("fault", 4)];
    ports.extend(stream_ports("m_axis_", false, 64, 8));
    let spec = ModelSpec {
        top: "axis_breaker".into(),
        sources: vec![source("axis_breaker.v")],
        ports,
        clocks: vec!["clk".into()],
        options: Options::default(),
    };
    let mut bench = Bench::new(library(&spec).instance(1), "clk", Some("rst"))?;
    let stall = Stall::Random { percent: 50, seed: 1 };
    bench.add_sink("m_axis_", &StreamConfig { stall, max_frame: 100, ..StreamConfig::default() })?;
    let port = bench.model.port("fault")?;
    bench.model.poke(port, fault);
    bench.watch(&["m_axis_tvalid", "m_axis_tready", "m_axis_tlast", "m_axis_tdata"], 6)?;
    bench.reset(1)?;
    let end = bench.run(200);
    if fault == 2 {
        let wave = bench.wave();
        assert_eq!(wave.lines().count(), 5, "{wave}");
    }
    end?;
    Ok(bench.sinks[0].take())
}

#[test]
fn every_broken_rule_is_found() {
    let received = break_a_rule(0).unwrap();
    assert!(received.len() > 20 && received.iter().all(|frame| frame.data.len() == 24 && !frame.bad));
    assert!(break_a_rule(11).unwrap().iter().all(|frame| frame.bad), "the bad bit may move");
    let rules = [
        (1, Rule::Stable, "tvalid fell"),
        (2, Rule::Stable, "tdata changed"),
        (3, Rule::Stable, "tkeep changed"),
        (4, Rule::Stable, "tlast changed"),
        (5, Rule::Stable, "tuser changed"),
        (6, Rule::KeepContiguous, "tkeep is 0xb"),
        (7, Rule::KeepFull, "tkeep is 0x7f"),
        (8, Rule::NullBeat, "tkeep is 0x0"),
        (9, Rule::UserHeld, "tuser changed within the frame"),
        (10, Rule::FrameEnds, "more than 100 bytes without tlast"),
    ];
    for (fault, rule, seen) in rules {
        match break_a_rule(fault) {
            Err(BenchError::Violation(violation)) => {
                assert_eq!(violation.rule, rule, "fault {fault}: {violation}");
                assert!(violation.seen.contains(seen), "fault {fault}: {violation}");
                assert!(violation.beats.contains("tdata") && violation.stream == "m_axis");
            }
            other => panic!("fault {fault} gave {other:?}"),
        }
    }
}

#[test]
fn a_violation_reads_as_text() {
    let text = break_a_rule(7).unwrap_err().to_string();
    let mut lines = text.lines();
    let head = lines.next().unwrap();
    assert!(head.starts_with("m_axis at cycle "), "{text}");
    assert!(head.ends_with("broken rule: tkeep is full except on the last beat; tkeep is 0x7f"), "{text}");
    assert_eq!(lines.next(), Some("last beats:"));
    assert!(lines.next_back().unwrap().ends_with("tlast 0  tkeep 7f  tuser 00  tdata 0001000000000000"), "{text}");
}

#[test]
fn an_open_frame_at_the_end_and_an_idle_bench_are_told_apart() {
    let mut bench = fifo(64, 17);
    bench.add_source("s_axis_", &StreamConfig::default()).unwrap();
    bench
        .add_sink("m_axis_", &StreamConfig { stall: Stall::OffThenOn { cycles: 20 }, ..StreamConfig::default() })
        .unwrap();
    bench.reset(1).unwrap();
    bench.finish().unwrap();
    bench.sources[0].send(Frame { data: vec![0; 100], ..Frame::default() }).unwrap();
    bench.run(3).unwrap();
    let said = bench.finish().unwrap_err().to_string();
    assert!(said.contains("s_axis at cycle 4") && said.contains("a frame comes out whole or not at all"), "{said}");
    let said = bench.drain(4, 10).unwrap_err().to_string();
    assert!(said.contains("s_axis has 1 frames to send, m_axis gave 0 frames"), "{said}");
    bench.drain(4, 100).unwrap();
    assert_eq!(bench.sinks[0].waiting(), 1);
    let said = bench.sources[0].send(Frame::default()).unwrap_err().to_string();
    assert_eq!(said, "s_axis: a frame of no bytes cannot be sent; leave it out");
    let said = bench.add_sink("m_axis_net0_", &StreamConfig::default()).unwrap_err().to_string();
    assert!(said.contains("has no port m_axis_net0_tdata"), "{said}");
}
