//! graph: combinational loops and paths.

use crate::support::*;
use hdl::{
    check::{assert_no_combinational_paths, combinational_paths, no_combinational_path},
    *,
};

fn check(block: &impl Block) -> String {
    errors(block, include_str!("graph.rs"))
}

block!(Pass as "pass" { input a: 1, input b: 1, output y: 1, output held: 1 } |io| {
    let both = io.a & io.b; // both
    io.y.set(both); // y
    let kept = reg(1);
    kept.set(io.b);
    io.held.set(kept);
});

#[test]
fn a_loop_lists_its_lines() {
    block!(B { input a: 1, output y: 1 } |io| {
        let ready = wire(1);
        let valid = wire(1);
        let either = ready | io.a; // either
        ready.set(valid & io.a); // ready
        when(either, || valid.set(1)).otherwise(|| valid.set(0)); // valid
        io.y.set(valid);
    });
    assert_eq!(
        check(&B),
        "ready: in `m`: wire `ready` depends on itself in the same clock: `ready` (ready) -> `either` (either) -> \
         `valid` (valid) -> `ready` (ready); put a register into this loop, or, if different bits are meant, give each \
         part a signal of its own"
    );
}

#[test]
fn a_loop_through_an_instance() {
    block!(B { input a: 1, output y: 1 } |io| {
        let pass = instance(&Pass);
        pass.a.set(io.a);
        pass.b.set(!pass.y); // closes
        io.y.set(pass.held);
    });
    let text = check(&B);
    assert_eq!(
        text,
        "closes: in `m`: input `b` of instance `pass` depends on itself in the same clock: `pass.b` (closes) -> \
         `pass.both` (both) -> `pass.y` (y) -> `pass.b` (closes); put a register into this loop, or, if different \
         bits are meant, give each part a signal of its own"
    );
}

#[test]
fn a_register_or_a_block_memory_breaks_a_loop() {
    block!(B { input a: 1, output y: 1 } |io| {
        let pass = instance(&Pass);
        pass.a.set(io.a);
        pass.b.set(!pass.held);
        let ram = memory::simple_dual(2, 1).simple();
        ram.write(io.a, pass.y, ram.rdata);
        ram.read(io.a, ram.rdata);
        io.y.set(ram.rdata);
    });
    assert_eq!(check(&B), "no error");
    block!(Small { input a: 1, output y: 1 } |io| {
        let ram = memory::distributed(2, 1).simple();
        ram.write(io.a, io.a, io.a);
        io.y.set(ram.read(io.a, ram.rdata)); // small
    });
    assert!(check(&Small).contains("`ram.raddr` (small) -> `ram.rdata` ("));
}

#[test]
fn paths_between_ports() {
    block!(B { input s_valid: 1, input s_data: 1, input m_ready: 1, output m_valid: 1, output s_ready: 1 } |io| {
        let pass = instance(&Pass);
        pass.a.set(io.s_valid); // pin a
        pass.b.set(io.s_data); // pin b
        let open = pass.held | io.m_ready; // open
        io.s_ready.set(open); // s_ready
        io.m_valid.set(pass.y); // m_valid
    });
    let design = elaborate(&B).unwrap();
    let pairs: Vec<_> = combinational_paths(&design).into_iter().map(|p| (p.from, p.to)).collect();
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    assert_eq!(pairs, [pair("s_valid", "m_valid"), pair("s_data", "m_valid"), pair("m_ready", "s_ready")]);
    no_combinational_path(&design, "s_", "s_").unwrap();
    no_combinational_path(&design, "m_", "m_").unwrap();
    let text = no_combinational_path(&design, "m_", "s_").unwrap_err().to_string();
    let text = marked(&text, include_str!("graph.rs"));
    let made = text.split_once(": in").unwrap().0.to_string();
    assert_eq!(
        text.replace(&made, "PORT"),
        "PORT: in `m`: output `s_ready` depends combinationally on input `m_ready`: `m_ready` (PORT) -> `open` (open) -> \
         `s_ready` (s_ready); put a register on this path"
    );
    let text = no_combinational_path(&design, "s_data", "m_valid").unwrap_err().to_string();
    assert!(
        marked(&text, include_str!("graph.rs"))
            .contains("-> `pass.b` (pin b) -> `pass.both` (both) -> `pass.y` (y) -> `m_valid` (m_valid)"),
        "{text}"
    );
}

#[test]
#[should_panic(expected = "output `y` depends combinationally on input `a`")]
fn a_stream_block_may_have_none() {
    assert_no_combinational_paths(&Pass);
}
