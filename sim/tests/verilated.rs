//! Models built from hand-written Verilog: ports, clocks, assertions, traces, errors.

mod common;

use common::{library, source};
use em_sim::Rng;
use em_sim::verilated::{BuildError, ModelError, ModelSpec, Options, Port, Trace, build};

fn reg512(options: Options) -> ModelSpec {
    ModelSpec {
        top: "reg512".into(),
        sources: vec![source("reg512.v")],
        ports: vec![
            Port::input("clk", 1),
            Port::input("d", 512),
            Port::input("a", 8),
            Port::input("b", 8),
            Port::output("q", 512),
            Port::output("sum", 8),
            Port::output("sum_q", 8),
        ],
        clocks: vec!["clk".into()],
        options,
    }
}

fn checks(options: Options) -> ModelSpec {
    ModelSpec {
        top: "checks".into(),
        sources: vec![source("checks.v")],
        ports: vec![
            Port::input("clk", 1),
            Port::input("level", 8),
            Port::input("oscillate", 1),
            Port::output("ring", 1),
            Port::output("seen", 8),
            Port::output("uninitialised__q", 72),
        ],
        clocks: vec!["clk".into()],
        options,
    }
}

#[test]
fn a_tick_samples_the_inputs_poked_before_it() {
    let mut model = library(&reg512(Options::default())).instance(1);
    let (d, q) = (model.port("d").unwrap(), model.port("q").unwrap());
    let (a, b) = (model.port("a").unwrap(), model.port("b").unwrap());
    let (sum, sum_q) = (model.port("sum").unwrap(), model.port("sum_q").unwrap());
    let mut rng = Rng::new(1);
    for cycle in 1..1000 {
        let words: [u64; 8] = std::array::from_fn(|_| rng.bits());
        let (x, y) = (rng.bits() & 0xFF, rng.bits() & 0xFF);
        model.poke_words(d, &words);
        model.poke(a, x);
        model.poke(b, y);
        model.tick(0).unwrap();
        let mut got = [0; 8];
        model.peek_words(q, &mut got);
        assert_eq!(got, words);
        assert_eq!(model.peek(sum_q), (x + y) & 0xFF, "combinational logic settles before the edge");
        assert_eq!(model.peek(sum), (x + y) & 0xFF);
        model.poke(a, x + 1);
        model.eval().unwrap();
        assert_eq!(model.peek(sum), (x + y + 1) & 0xFF);
        assert_eq!(model.cycle(), cycle);
    }
}

#[test]
fn instances_are_apart_and_move_between_threads() {
    let library = library(&reg512(Options::default()));
    let workers = (0..4u64).map(|seed| {
        let mut model = library.instance(seed);
        std::thread::spawn(move || {
            let (d, q) = (model.port("d").unwrap(), model.port("q").unwrap());
            for cycle in 0..2000 {
                model.poke(d, seed << 32 | cycle);
                model.tick(0).unwrap();
                assert_eq!(model.peek(q), seed << 32 | cycle);
            }
            model
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        assert_eq!(worker.join().unwrap().cycle(), 2000);
    }
}

#[test]
fn a_failed_assertion_is_an_error_with_its_sentence() {
    let library = library(&checks(Options { assertions: true, x_initial_unique: true, ..Options::default() }));
    let (mut model, mut other) = (library.instance(1), library.instance(2));
    let level = model.port("level").unwrap();
    model.poke(level, 100);
    model.tick_n(0, 5).unwrap();
    model.poke(level, 101);
    let Err(ModelError::Failed(failure)) = model.tick_n(0, 10) else { panic!("no failure") };
    assert_eq!(failure.message, "TOP.checks: the level is at most 100");
    assert_eq!((failure.file.as_str(), failure.line, failure.cycle), ("checks.v", 20, 5));
    assert_eq!(failure.source_line, "$stop;");
    assert_eq!(model.cycle(), 6, "ends in the cycle that failed");
    model.poke(level, 77);
    let message = model.tick(0).unwrap_err().to_string();
    assert_eq!(message, "assertion failed at cycle 6, checks.v:22: if (level == 8'd77) $stop; // 77 is unlucky");
    model.poke(level, 99);
    model.tick(0).unwrap();
    assert!(model.finished());
    assert_eq!(model.failures().len(), 2);
    assert_eq!(model.peek(model.port("seen").unwrap()), 99, "it runs on");
    assert!(model.take_output().contains("at most 100"));
    assert_eq!(model.take_output(), "");
    other.tick(0).unwrap();
    assert!(other.failures().is_empty(), "the other instance has none of it");

    other.poke(other.port("oscillate").unwrap(), 1);
    assert!(other.eval().unwrap_err().to_string().contains("converge"));
    assert!(other.is_dead());
    other.tick(0).unwrap();
}

#[test]
fn initial_state_is_random_and_follows_the_seed() {
    let library = library(&checks(Options { assertions: true, x_initial_unique: true, ..Options::default() }));
    let start = |seed| {
        let mut model = library.instance(seed);
        model.tick(0).unwrap();
        let mut words = [0; 2];
        model.peek_words(model.port("uninitialised__q").unwrap(), &mut words);
        words
    };
    assert_ne!(start(1), start(2));
    assert_eq!(start(7), start(7));
    let elsewhere = std::thread::scope(|scope| scope.spawn(|| start(7)).join().unwrap());
    assert_eq!(start(7), elsewhere);
    assert_ne!(start(0), [0, 0]);
}

#[test]
fn a_trace_covers_a_window() {
    let dir = tempfile::tempdir().unwrap();
    for (trace, name) in [(Trace::Vcd, "w.vcd"), (Trace::Fst, "w.fst")] {
        let coverage = trace == Trace::Vcd;
        let built = build(&reg512(Options { trace, coverage, ..Options::default() }));
        let mut model = match built {
            Err(BuildError::Compile { messages, .. }) if messages.contains("liblz4-dev") => continue,
            other => other.unwrap().instance(0),
        };
        let a = model.port("a").unwrap();
        for part in 0..2 {
            let file = dir.path().join(format!("{part}{name}"));
            model.tick_n(0, 100).unwrap();
            model.trace_on(&file).unwrap();
            model.poke(a, 0x5A + part);
            model.tick_n(0, 3).unwrap();
            model.trace_off();
            assert!(std::fs::metadata(&file).unwrap().len() > 100);
            if trace == Trace::Vcd {
                let text = std::fs::read_to_string(&file).unwrap();
                let times = text.lines().filter(|line| line.starts_with('#')).collect::<Vec<_>>();
                assert_eq!(times.len(), 7, "two a cycle and the last: {times:?}");
                assert!(text.contains(if part == 0 { "b01011010" } else { "b01011011" }));
            }
        }
        if coverage {
            model.write_coverage(&dir.path().join("c.dat")).unwrap();
        }
        let nowhere = dir.path().join("none/w");
        assert!(model.trace_on(&nowhere).unwrap_err().to_string().contains("cannot be written"));
    }
    let mut plain = library(&reg512(Options::default())).instance(0);
    assert!(plain.trace_on(&dir.path().join("x")).unwrap_err().to_string().contains("without trace"));
}

#[test]
fn errors_say_what_to_do() {
    let message = |change: fn(&mut ModelSpec)| {
        let mut spec = reg512(Options::default());
        change(&mut spec);
        build(&spec).unwrap_err().to_string()
    };
    let said =
        message(|spec| spec.sources[0].1 = "module reg512 (input clk);\n  wire [3:0] x = y;\nendmodule\n".into());
    assert!(said.contains("verilator refused reg512") && said.contains("reg512.v:2:"), "{said}");
    let said = message(|spec| spec.ports[1].width = 511);
    assert_eq!(said, "model reg512: port d is declared 511 bits wide but has 512 in the Verilog");
    let said = message(|spec| spec.ports[4] = Port::input("q", 512));
    assert_eq!(said, "model reg512: port q is declared Input but is Output in the Verilog");
    let said = message(|spec| spec.ports.push(Port::input("nope", 1)));
    assert_eq!(said, "model reg512: port nope is not in the Verilog");
    let said = message(|spec| spec.clocks = vec!["a".into()]);
    assert!(said.contains("clock a is not a 1-bit input"));
    let said = message(|spec| spec.sources[0].0 = "../x.v".into());
    assert!(said.contains("leave out directories"));
    let model = library(&reg512(Options::default())).instance(0);
    let said = model.port("dd").unwrap_err().to_string();
    assert!(said.starts_with("model reg512 has no port dd; it has: clk, d, a, b"), "{said}");
}

#[test]
fn a_model_is_unloaded_and_loaded_again() {
    for round in 0..20 {
        let library = build(&checks(Options::default())).unwrap();
        let mut models = [library.instance(round), library.instance(round)];
        for model in &mut models {
            model.tick_n(0, 10).unwrap();
        }
    }
}

#[test]
fn two_processes_may_build_the_same_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut spec = checks(Options::default());
    spec.options.defines.push(("UNUSED".into(), "1".into()));
    let paths = std::thread::scope(|scope| {
        let work = || em_sim::verilated::build_in(&spec, dir.path()).unwrap().path().to_owned();
        [scope.spawn(work), scope.spawn(work)].map(|worker| worker.join().unwrap())
    });
    assert_eq!(paths[0], paths[1]);
    let left = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    assert_eq!(left.len(), 2, "the model and the runtime, nothing half-made: {left:?}");
}
