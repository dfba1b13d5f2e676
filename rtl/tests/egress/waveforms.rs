//! The waveform that stands in the block's page is what the block does.

use crate::rig::block;
use em_rtl::{egress::Egress, outcome::Outcome, packet::Direction};
use hdl::{
    bundle::Field,
    sim::{Options, Ports, PowerUp, Sim},
};

#[test]
fn egress_shows_two_ports_that_take_turns_and_a_dropped_frame_between_them() {
    let options = Options { power_up: PowerUp::Zero, ..Options::default() };
    let block = Egress { refusal_after: 0, ..block(128, Direction::Tx) };
    let sim = Sim::with_options(&block, &options).unwrap();
    sim.reset();
    let io = &sim.io;
    let (net0, net1) = (io.m_axis_net0.unwrap(), io.m_axis_net1.unwrap());
    let shown = [
        io.action.valid,
        io.action.outcome,
        io.events.outcome_valid,
        io.events.outcome,
        io.buffer.re,
        io.buffer.raddr,
        io.release.valid,
        io.release.chain.first,
        io.release.chain.last,
        net0.tvalid,
        net0.tlast,
        net1.tvalid,
        net1.tlast,
    ];
    for port in shown {
        sim.record(&Ports(vec![(Field::root(), port)]));
    }
    sim.poke(net0.tready, true);
    sim.poke(net1.tready, true);
    // With the first and the last page of each.
    let frames = [(Outcome::Net0, 3, 1, 1), (Outcome::NatSource, 20, 4, 7), (Outcome::Net1, 2, 2, 2)];
    for clock in 0..15 {
        let frame = frames.get(clock);
        sim.poke(io.action.valid, frame.is_some());
        if let Some((outcome, beats, first, last)) = frame {
            sim.poke(io.action.outcome, outcome.code());
            sim.poke(io.action.extent.beats, *beats as u64);
            sim.poke(io.chain.first, *first as u64);
            sim.poke(io.chain.last, *last as u64);
        }
        sim.step();
    }
    let lines: Vec<String> = sim.wave().trim_end().lines().map(|l| format!("//! {l}").trim_end().to_string()).collect();
    let wanted = lines.join("\n");
    assert!(include_str!("../../src/egress/mod.rs").contains(&wanted), "the page should show\n{wanted}");
}
