//! drive: signals driven on no path, not on every path, twice.

use crate::support::*;
use hdl::*;

fn check(block: &impl Block) -> String {
    errors(block, include_str!("drive.rs"))
}

#[test]
fn a_wire_that_nothing_assigns() {
    block!(B { output y: 8 } |io| {
        let lost = wire(8); // lost
        io.y.set(lost);
    });
    assert_eq!(check(&B), "lost: in `m`: wire `lost` is never assigned: assign it with `set`, or remove it");
}

#[test]
fn a_register_and_an_output_that_nothing_assigns() {
    block!(B { output y: 8, output z: 1 } |io| {
        let held = reg(8).reset(3); // held
        io.y.set(held);
    });
    let made = elaborate(&B).unwrap_err().0[0].loc.line();
    assert_eq!(
        check(&B).lines().map(|l| l.split_once(": in").unwrap().1).collect::<Vec<_>>(),
        [
            " `m`: output `z` is never assigned: assign it with `set`, or remove it",
            " `m`: register `held` is never assigned: assign it with `set`, or remove it"
        ]
    );
    assert_eq!(made, line!() - 8, "a port's line is that of `elaborate`");
    assert!(check(&B).contains("\nheld: "));
}

#[test]
fn pins_of_instances_and_memories_that_nothing_assigns() {
    block!(Child { input a: 4, output y: 4 } |io| {
        io.y.set(io.a);
    });
    block!(B { input go: 1, output y: 4 } |io| {
        let child = instance(&Child); // child
        let ram = memory::simple_dual(16, 4).simple(); // ram
        ram.write(io.go, ram.read(io.go, child.y), child.y);
        io.y.set(ram.rdata);
    });
    assert_eq!(
        check(&B),
        "child: in `m`: input `a` of instance `child` is never assigned: assign it with `set`, or remove it"
    );
    block!(C { input go: 1, output y: 4 } |io| {
        let ram = memory::simple_dual(16, 4).simple(); // ram C
        ram.we.set(io.go);
        ram.waddr.set(ram.rdata);
        ram.wdata.set(ram.rdata);
        ram.raddr.set(ram.rdata);
        io.y.set(ram.rdata);
    });
    assert_eq!(
        check(&C),
        "ram C: in `m`: input `re` of instance `ram` is never assigned: assign it with `set`, or remove it"
    );
}

#[test]
fn bits_that_no_slice_assigns() {
    block!(B { input a: 4, output y: 12 } |io| {
        let parts = wire(12); // parts
        parts.slice(0..4).set(io.a);
        parts.slice(6..10).set(io.a);
        io.y.set(parts);
    });
    assert_eq!(check(&B), "parts: in `m`: bits 11:10 and 5:4 of wire `parts` are never assigned");
    block!(R { input a: 4, output y: 5 } |io| {
        let parts = reg(5); // reg parts
        when(io.a.any(), || parts.slice(0..4).set(io.a));
        io.y.set(parts);
    });
    assert_eq!(check(&R), "reg parts: in `m`: bit 4 of register `parts` is never assigned");
}

#[test]
fn latches_name_the_path() {
    block!(B { input a: 8, input go: 1, output y: 8 } |io| {
        let next = wire(8); // next
        when(io.go, || next.set(io.a)); // go
        io.y.set(next);
    });
    assert_eq!(
        check(&B),
        "next: in `m`: wire `next` is not assigned on every path (a latch): nothing assigns it when `go` (go) is 0; \
         assign it there, or give it a default before"
    );
    block!(Deep { input a: 8, input go: 1, output y: 8 } |io| {
        let next = wire(8); // deep
        when(io.go, || next.set(io.a)) // outer
            .elsewhen(io.a.lt(7), || next.set(1)) // middle
            .otherwise(|| {
                when(io.a.bit(0), || {}).otherwise(|| next.set(2)); // inner
            });
        io.y.set(next);
    });
    assert_eq!(
        check(&Deep),
        "deep: in `m`: wire `next` is not assigned on every path (a latch): nothing assigns it when `go` (outer) is 0 \
         and when the condition at middle is 0 and when the condition at inner is 1; assign it there, or give it a \
         default before"
    );
    block!(Case { input a: 2, output y: 8 } |io| {
        let next = wire(8); // case
        next.slice(0..4).set(0);
        let high = next.slice(4..8);
        switch(io.a) // switch
            .case(0, || high.set(1))
            .case_any([1, 2], || high.set(3));
        io.y.set(next);
    });
    assert_eq!(
        check(&Case),
        "case: in `m`: bits 7:4 of wire `next` are not assigned on every path (a latch): nothing assigns it when `a` \
         (switch) matches no case; assign it there, or give it a default before"
    );
    block!(Arm { input a: 2, output y: 8 } |io| {
        let next = wire(8); // arm
        switch(io.a) // arms
            .case(0, || next.set(1))
            .case_any([1, 2], || {})
            .default(|| next.set(1));
        io.y.set(next);
    });
    assert_eq!(
        check(&Arm),
        "arm: in `m`: wire `next` is not assigned on every path (a latch): nothing assigns it when `a` (arms) is 2'h1 or \
         2'h2; assign it there, or give it a default before"
    );
}

#[test]
fn complete_assignments_are_no_latches() {
    block!(B { input a: 2, input go: 1, output y: 8, output z: 8 } |io| {
        let next = wire(8);
        switch(io.a)
            .case_any([0, 3], || next.set(1))
            .case_any([1, 2], || when(io.go, || next.set(2)).otherwise(|| next.set(3)));
        io.y.set(next);
        io.z.set(0);
        io.z.slice(4..8).set(next.slice(0..4));
        when(io.go, || io.z.set(next));
    });
    assert_eq!(check(&B), "no error");
}

#[test]
fn bits_driven_twice() {
    block!(B { input a: 8, output y: 8 } |io| {
        io.y.set(io.a); // first
        io.y.set(!io.a); // second
    });
    assert_eq!(
        check(&B),
        "first: in `m`: output `y` is driven twice: this assignment never counts, the one at second always follows it; \
         remove one, or put the later one under a `when`"
    );
    block!(Part { input a: 8, output y: 12 } |io| {
        io.y.slice(0..8).set(io.a); // low
        io.y.slice(4..12).set(io.a); // high
    });
    assert_eq!(
        check(&Part),
        "low: in `m`: bits 7:4 of output `y` are driven twice: this assignment never counts, the one at high always \
         follows it; remove one, or put the later one under a `when`"
    );
    block!(Branch { input a: 8, input go: 1, output y: 8 } |io| {
        io.y.set(0);
        when(io.go, || {
            io.y.set(io.a); // branch first
            io.y.set(!io.a); // branch second
        });
    });
    assert_eq!(
        check(&Branch),
        "branch first: in `m`: output `y` is driven twice: this assignment never counts, the one at branch second always \
         follows it; remove one, or put the later one under a `when`"
    );
    block!(Outer { input a: 8, input go: 1, output y: 8 } |io| {
        when(io.go, || io.y.set(io.a)); // hidden
        io.y.set(!io.a); // hides
    });
    assert!(check(&Outer).starts_with("hidden: in `m`: output `y` is driven twice"));
}
