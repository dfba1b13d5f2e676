//! Speed of the native simulator on the 512-bit skid buffer: `cargo bench -p hdl --bench native -- --cycles N`.

use hdl::{Value, sim::Sim};
use std::time::Instant;

#[allow(dead_code)]
#[path = "../tests/skid.rs"]
mod skid;

const DATA_W: u32 = 512;

/// Every cycle new data is poked on all inputs and all outputs are peeked.
fn skid_cycles(cycles: u64) -> f64 {
    let sim = Sim::new(&skid::Skid { data_w: DATA_W }).expect("the skid buffer elaborates");
    sim.reset();
    let (s, m) = (&sim.io.s_axis, &sim.io.m_axis);
    let mut words = [0u64; DATA_W as usize / 64];
    let (mut noise, mut sum) = (1u64, 0u64);
    let (start, start_cpu) = (Instant::now(), cpu_seconds());
    for _ in 0..cycles {
        for w in &mut words {
            noise = noise.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            *w = noise;
        }
        sim.poke(s.tdata, Value::from_words(DATA_W, &words));
        sim.poke(s.tkeep, noise);
        sim.poke(s.tlast, noise >> 32 & 1);
        sim.poke(s.tvalid, noise >> 33 & 1);
        sim.poke(m.tready, noise >> 34 & 1);
        let data = sim.peek(m.tdata);
        sum = sum.wrapping_add(data.words().iter().fold(0, |x, w| x ^ w));
        sum = sum.wrapping_add(
            sim.peek_u64(m.tkeep) ^ sim.peek_u64(m.tlast) ^ sim.peek_u64(m.tvalid) ^ sim.peek_u64(s.tready),
        );
        sim.step();
    }
    let seconds = start.elapsed().as_secs_f64();
    if let (Some(before), Some(after)) = (start_cpu, cpu_seconds()) {
        println!("{:.2} M cycles per second of processor time", cycles as f64 / (after - before) / 1e6);
    }
    println!("skid buffer, {DATA_W} bits: {cycles} cycles in {seconds:.3} s (checksum {sum:016x})");
    cycles as f64 / seconds
}

/// Processor time of this process, where the system tells: on a busy machine it is steadier than the clock on the wall.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let given = args.iter().position(|a| a == "--cycles").and_then(|i| args.get(i + 1));
    let cycles = match given.map(|n| n.parse()) {
        None => 2_000_000,
        Some(Ok(n)) => n,
        Some(Err(_)) => {
            eprintln!("--cycles takes a number");
            std::process::exit(2);
        }
    };
    println!("{:.2} M cycles/s", skid_cycles(cycles) / 1e6);
}
