//! The native simulator on small blocks.

use hdl::{sim::Sim, *};

#[path = "skid.rs"]
#[allow(dead_code)]
mod skid;

#[test]
fn a_skid_buffer_passes_every_beat_in_order_under_random_stalls() {
    let sim = Sim::new(&skid::Skid { data_w: 512 }).unwrap();
    sim.reset();
    let (s, m) = (sim.io.s_axis.clone(), sim.io.m_axis.clone());
    let (mut sent, mut taken, mut noise) = (0u64, 0u64, 7u64);
    let beat = |n: u64| Value::from_words(512, &[n, !n, n * 3, 0, 1, 2, 3, n << 32]);
    let mut valid = false;
    for _ in 0..2000 {
        noise = noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        valid = valid || noise >> 40 & 3 != 0;
        let ready = noise >> 50 & 1 == 1;
        sim.poke(s.tvalid, valid);
        sim.poke(s.tdata, beat(sent));
        sim.poke(s.tkeep, u64::MAX);
        sim.poke(s.tlast, sent % 4 == 3);
        sim.poke(m.tready, ready);
        if ready && sim.peek_bool(m.tvalid) {
            assert_eq!(sim.peek(m.tdata), beat(taken));
            assert_eq!(sim.peek_bool(m.tlast), taken % 4 == 3);
            taken += 1;
        }
        if valid && sim.peek_bool(s.tready) {
            sent += 1;
            valid = false;
        }
        sim.step();
    }
    assert!(taken > 700 && sent - taken <= 2, "sent {sent}, taken {taken}");
}
