//! states: states that no transition reaches.

use crate::support::*;
use hdl::*;

fn check(block: &impl Block) -> String {
    errors(block, include_str!("states.rs"))
}

#[derive(Encode, Clone, Copy)]
enum Phase {
    Idle,
    Run,
    Wait,
}

#[test]
fn a_state_without_a_way_in() {
    block!(B { input go: 1, output y: 1 } |io| {
        let phase = state(Phase::Idle); // phase
        phase.switch(|p| match p {
            Phase::Idle => drop(when(io.go, || phase.go(Phase::Run))),
            Phase::Run | Phase::Wait => phase.go(Phase::Idle),
        });
        io.y.set(phase.is(Phase::Run));
    });
    assert_eq!(
        check(&B),
        "phase: in `m`: state `Phase::Wait` of register `phase` is never reached: it is neither the reset state nor ever \
         assigned; add the transition or remove the variant"
    );
}

#[test]
fn ways_through_a_choice_count_and_what_cannot_be_followed_is_let_be() {
    block!(Choice { input go: 1, output y: 1 } |io| {
        let phase = state(Phase::Idle);
        phase.bits().set(mux(io.go, lit(2, 1), mux(phase.is(Phase::Run), lit(2, 2), phase.bits())));
        io.y.set(phase.is(Phase::Run));
    });
    assert_eq!(check(&Choice), "no error");
    block!(Any { input to: 2, output y: 1 } |io| {
        let phase = state(Phase::Idle);
        phase.bits().set(io.to);
        io.y.set(phase.is(Phase::Run));
    });
    assert_eq!(check(&Any), "no error");
}

#[test]
fn a_state_machine_drives_a_wire_on_every_path() {
    block!(B { input go: 1, output y: 2 } |io| {
        let phase = state(Phase::Idle);
        phase.switch(|p| match p {
            Phase::Idle => {
                io.y.set(0);
                when(io.go, || phase.go(Phase::Run));
            }
            Phase::Run => {
                io.y.set(1);
                phase.go(Phase::Wait);
            }
            Phase::Wait => io.y.set(2),
        });
    });
    assert_eq!(check(&B), "no error");
}
