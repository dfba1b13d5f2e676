//! The native simulator beside Verilator on the 512-bit skid buffer, in one run, with the same work each cycle: new data
//! poked on every input, every output peeked, one clock. `cargo bench -p em-testbench --bench simulators [-- --cycles N]`.

use em_rtl::stream::Skid;
use em_sim::{
    Rng,
    verilated::{ModelSpec, Options, build},
};
use hdl::{Value, sim::Sim};
use std::time::Instant;

const DATA_W: u32 = 512;
const WORDS: usize = DATA_W as usize / 64;
const BLOCK: Skid = Skid { data_w: DATA_W, user_w: 1 };

/// One cycle's inputs: data, keep, and the small ones as bits of a word.
fn stimulus(rng: &mut Rng, data: &mut [u64; WORDS]) -> (u64, u64) {
    data.iter_mut().for_each(|w| *w = rng.bits());
    (rng.bits(), rng.bits())
}

/// Cycles a second, and a sum over all outputs that both must agree on.
fn native(cycles: u64) -> (f64, u64) {
    let sim = Sim::new(&BLOCK).expect("the skid buffer elaborates");
    // As in the Verilator model: random inputs do not keep the stream rules that the block assumes.
    sim.properties(false);
    sim.reset();
    let (s, m) = (&sim.io.s_axis, &sim.io.m_axis);
    let (mut rng, mut data, mut sum) = (Rng::new(1), [0; WORDS], 0u64);
    let start = Instant::now();
    for _ in 0..cycles {
        let (keep, bits) = stimulus(&mut rng, &mut data);
        sim.poke(s.tdata, Value::from_words(DATA_W, &data));
        sim.poke(s.tkeep, keep);
        for (i, port) in [s.tlast, s.tvalid, s.tuser, m.tready].into_iter().enumerate() {
            sim.poke(port, bits >> i & 1);
        }
        let out = sim.peek(m.tdata);
        let small = [m.tlast, m.tvalid, m.tuser, s.tready].map(|p| sim.peek_u64(p));
        if small[1] == 1 {
            sum = out.words().iter().chain(&small).fold(sum ^ sim.peek_u64(m.tkeep), |a, w| a.rotate_left(7) ^ w);
        }
        sim.step();
    }
    (cycles as f64 / start.elapsed().as_secs_f64(), sum)
}

fn verilated(cycles: u64) -> (f64, u64) {
    let design = hdl::elaborate(&BLOCK).expect("the skid buffer elaborates");
    let mut model = build(&ModelSpec::of(&design, Options::default())).expect("Verilator builds it").instance(1);
    let port = |name: &str| model.port(name).expect("a port of the skid buffer");
    let (rst, tdata, tkeep) = (port("rst"), port("s_axis_tdata"), port("s_axis_tkeep"));
    let inputs = ["s_axis_tlast", "s_axis_tvalid", "s_axis_tuser", "m_axis_tready"].map(port);
    let (out_data, out_keep) = (port("m_axis_tdata"), port("m_axis_tkeep"));
    let outputs = ["m_axis_tlast", "m_axis_tvalid", "m_axis_tuser", "s_axis_tready"].map(port);
    model.poke(rst, 1);
    model.tick_n(0, 4).expect("no assertion");
    model.poke(rst, 0);
    let (mut rng, mut data, mut out, mut sum) = (Rng::new(1), [0; WORDS], [0; WORDS], 0u64);
    let start = Instant::now();
    for _ in 0..cycles {
        let (keep, bits) = stimulus(&mut rng, &mut data);
        model.poke_words(tdata, &data);
        model.poke(tkeep, keep);
        for (i, port) in inputs.into_iter().enumerate() {
            model.poke(port, bits >> i & 1);
        }
        model.eval().expect("no assertion");
        model.peek_words(out_data, &mut out);
        let small = outputs.map(|p| model.peek(p));
        if small[1] == 1 {
            sum = out.iter().chain(&small).fold(sum ^ model.peek(out_keep), |a, w| a.rotate_left(7) ^ w);
        }
        model.tick(0).expect("no assertion");
    }
    (cycles as f64 / start.elapsed().as_secs_f64(), sum)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let given = args.iter().position(|a| a == "--cycles").and_then(|i| args.get(i + 1));
    let cycles = given.and_then(|n| n.parse().ok()).unwrap_or(2_000_000);
    let ((native, a), (verilated, b)) = (native(cycles), verilated(cycles));
    assert_eq!(a, b, "the two simulators gave different outputs");
    println!("512-bit skid buffer, {cycles} cycles, outputs equal (sum {a:016x})");
    println!("native simulator  {:6.2} M cycles/s", native / 1e6);
    println!("Verilator model   {:6.2} M cycles/s", verilated / 1e6);
}
