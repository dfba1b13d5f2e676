//! Cycles a second of processor time of driven models: `cargo bench -p em-sim`.
//!
//! `docs/decisions/verilator-binding.md` holds figures.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use em_sim::Rng;
use em_sim::bfm::{Bench, Frame, Stall, StreamConfig};
use em_sim::verilated::{Model, ModelSpec, Options, Port, Trace, build};

const CYCLES: u64 = 10_000_000;

/// Seconds that this thread has run on a processor, so that other work on the machine counts as little as possible; the time of
/// day since `start` where the system does not tell.
fn seconds(start: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

fn main() {
    for (name, trace, x_initial_unique) in [("plain", Trace::None, false), ("with VCD built in, off", Trace::Vcd, true)]
    {
        let options = Options { trace, x_initial_unique, tolerate_warnings: true, ..Options::default() };
        register(name, &options);
        skid(name, &options);
    }
    bench();
}

/// Frames a second through sources, monitors and sinks on a FIFO of four beats.
fn bench() {
    const FRAMES: usize = 500_000;
    for (data_w, stall) in [(64, 0), (128, 0), (512, 0), (512, 30)] {
        let mut ports = vec![Port::input("clk", 1), Port::input("rst", 1)];
        for (prefix, into) in [("s_axis_", true), ("m_axis_", false)] {
            for (signal, width) in
                [("tdata", data_w), ("tkeep", data_w / 8), ("tlast", 1), ("tuser", 17), ("tvalid", 1)]
            {
                let port = format!("{prefix}{signal}");
                ports.push(if into { Port::input(port, width) } else { Port::output(port, width) });
            }
        }
        ports.extend([Port::output("s_axis_tready", 1), Port::input("m_axis_tready", 1)]);
        let defines = vec![("DATA_W".to_owned(), data_w.to_string())];
        let options = Options { defines, ..Options::default() };
        let model = model("axis_fifo", "tests/verilog/axis_fifo.v", ports, "clk", &options);
        let mut bench = Bench::new(model, "clk", Some("rst")).expect("its ports");
        for (seed, prefix) in [(1, "s_axis_"), (2, "m_axis_")] {
            let config = StreamConfig { stall: Stall::Random { percent: stall, seed }, ..StreamConfig::default() };
            if seed == 1 { bench.add_source(prefix, &config) } else { bench.add_sink(prefix, &config) }
                .expect("its ports");
        }
        bench.reset(1).expect("no rule broken");
        for _ in 0..FRAMES {
            bench.sources[0].send(Frame { data: vec![0x5A; 64], ..Frame::default() }).expect("a frame");
        }
        let start = Instant::now();
        let (before, first) = (seconds(start), bench.cycle());
        bench.drain(4, u64::MAX).expect("no rule broken");
        let seconds = seconds(start) - before;
        let cycles = (bench.cycle() - first) as f64;
        let what = format!("frames of 64 bytes, {data_w} bits, stalls {stall} %: with all checks");
        println!(
            "{what:<64} {:>7.2} M cycles/s, {:.0} k frames/s",
            cycles / seconds / 1e6,
            FRAMES as f64 / seconds / 1e3
        );
    }
}

/// Runs `work` for [`CYCLES`] cycles and prints the rate.
fn measure(what: &str, model: &mut Model, mut work: impl FnMut(&mut Model, u64)) {
    for cycle in 0..CYCLES / 10 {
        work(model, cycle);
    }
    let start = Instant::now();
    let before = seconds(start);
    for cycle in 0..CYCLES {
        work(model, cycle);
    }
    let rate = CYCLES as f64 / (seconds(start) - before);
    println!("{what:<64} {:>7.2} M cycles/s", rate / 1e6);
}

fn model(top: &str, file: &str, ports: Vec<Port>, clock: &str, options: &Options) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let sources = vec![(format!("{top}.v"), text)];
    let spec = ModelSpec { top: top.into(), sources, ports, clocks: vec![clock.into()], options: options.clone() };
    build(&spec).unwrap_or_else(|error| panic!("{error}")).instance(1)
}

fn register(name: &str, options: &Options) {
    let ports = vec![Port::input("clk", 1), Port::input("d", 512), Port::output("q", 512)];
    let mut model = model("reg512", "tests/verilog/reg512.v", ports, "clk", options);
    let (d, q) = (model.port("d").expect("d"), model.port("q").expect("q"));
    let mut words = [0u64; 8];
    measure(&format!("512-bit register, {name}: poke 512, tick, peek 512"), &mut model, |model, cycle| {
        words[0] = cycle;
        words[7] = !cycle;
        model.poke_words(d, &words);
        model.tick(0).expect("no assertions");
        black_box(model.bytes(q)[63]);
    });
    measure(&format!("512-bit register, {name}: tick_n(1000)"), &mut model, |model, cycle| {
        if cycle % 1000 == 0 {
            model.tick_n(0, 1000).expect("no assertions");
        }
    });
}

fn skid(name: &str, options: &Options) {
    let mut ports = vec![Port::input("clock", 1), Port::input("reset", 1)];
    for (stream, names) in [("s", ["tdata", "tkeep", "tlast", "tvalid"]), ("m", ["tdata", "tkeep", "tlast", "tvalid"])]
    {
        for (signal, width) in names.into_iter().zip([512, 64, 1, 1]) {
            let port = format!("{stream}_{signal}");
            ports.push(if stream == "s" { Port::input(port, width) } else { Port::output(port, width) });
        }
    }
    ports.extend([Port::output("s_tready", 1), Port::input("m_tready", 1)]);
    let mut model = model("skid", "../fpga/reference/skid.v", ports, "clock", options);
    let port = |name: &str| model.port(name).expect("a port of the skid buffer");
    let (reset, s_data, s_keep, s_last) = (port("reset"), port("s_tdata"), port("s_tkeep"), port("s_tlast"));
    let (s_valid, s_ready, m_data) = (port("s_tvalid"), port("s_tready"), port("m_tdata"));
    let (m_valid, m_ready) = (port("m_tvalid"), port("m_tready"));
    model.poke(reset, 1);
    model.tick(0).expect("no assertions");
    model.poke(reset, 0);
    let mut rng = Rng::new(1);
    let mut words = [0u64; 8];
    let mut moved = 0u64;
    measure(&format!("skid buffer, {name}: random handshakes, 512-bit data"), &mut model, |model, _| {
        let random = rng.bits();
        words[0] = random;
        model.poke_words(s_data, &words);
        model.poke(s_keep, u64::MAX);
        model.poke(s_last, random >> 8 & 1);
        model.poke(s_valid, random & 1);
        model.poke(m_ready, random >> 1 & 1);
        moved += u64::from(model.is_high(m_valid) && model.is_high(s_ready));
        black_box(model.bytes(m_data)[0]);
        model.tick(0).expect("no assertions");
    });
    assert!(moved > CYCLES / 10, "the buffer moves beats");
}
