//! unused: signals and bits that nothing uses.

use crate::support::*;
use hdl::*;

fn check(block: &impl Block) -> String {
    errors(block, include_str!("unused.rs"))
}

/// The message without the place in front.
fn message(block: &impl Block) -> String {
    let text = check(block);
    text.split_once("in `m`: ").map_or(text.clone(), |(_, m)| m.to_string())
}

#[test]
fn inputs() {
    block!(B { input a: 8, input b: 8, output y: 8 } |io| {
        io.y.set(io.a);
    });
    assert_eq!(message(&B), "input `b` is never used: use it, or `ignore()` it");
    block!(Bits8 { input a: 9, output y: 4 } |io| {
        io.y.set(io.a.slice(2..6));
    });
    assert_eq!(message(&Bits8), "bits 8:6 and 1:0 of input `a` are never used: use them, or `ignore()` them");
    block!(Said { input a: 9, input b: 8, output y: 4 } |io| {
        io.a.slice(0..2).ignore();
        io.a.slice(6..9).ignore();
        io.b.ignore();
        io.y.set(io.a.slice(2..6));
    });
    assert_eq!(check(&Said), "no error");
}

#[test]
fn registers_and_wires() {
    block!(B { input a: 8, output y: 8 } |io| {
        let idle = reg(8); // idle
        idle.set(io.a);
        let spare = wire(8); // spare
        spare.set(io.a);
        io.y.set(io.a);
    });
    assert_eq!(
        check(&B),
        "idle: in `m`: register `idle` is never used: remove it, or `ignore()` it\n\
         spare: in `m`: wire `spare` is never used: remove it, or `ignore()` it"
    );
    block!(Own { input a: 8, output y: 8 } |io| {
        let count = reg(8).reset(0); // count
        count.set(count + 1);
        io.y.set(io.a);
    });
    assert_eq!(
        check(&Own),
        "count: in `m`: register `count` is used only to compute itself: remove it, or `ignore()` it"
    );
}

#[test]
fn outputs_of_instances_and_memories() {
    block!(Child { input a: 4, output y: 4, output z: 4 } |io| {
        io.y.set(io.a);
        io.z.set(!io.a);
    });
    block!(B { input a: 4, output y: 6 } |io| {
        let child = instance(&Child); // child
        child.a.set(io.a);
        let ram = memory::distributed(16, 4).simple(); // ram
        ram.write(io.a.any(), io.a, io.a);
        io.y.set(cat([child.y, ram.read(io.a.any(), io.a).slice(1..3)]));
    });
    assert_eq!(
        check(&B),
        "child: in `m`: output `z` of instance `child` is never used: use it, or `ignore()` it\n\
         ram: in `m`: bits 3 and 0 of output `rdata` of instance `ram` are never used: use them, or `ignore()` them"
    );
}

#[test]
fn expressions_of_which_bits_are_left_over() {
    block!(Named { input a: 8, input b: 8, output y: 8 } |io| {
        let sum = io.a.grow_add(io.b); // sum
        io.y.set(sum.slice(0..8));
    });
    assert_eq!(check(&Named), "sum: in `m`: bit 8 of `sum` is never used: slice the operands before, or `ignore()` it");
    block!(Unnamed { input a: 8, input b: 8, output y: 8 } |io| {
        io.y.set(io.a.grow_add(io.b).slice(0..8)); // unnamed
    });
    assert_eq!(
        check(&Unnamed),
        "unnamed: in `m`: bit 8 of the value made at unnamed is never used: slice the operands before, or `ignore()` it"
    );
    block!(Dead { input a: 8, input b: 8, output y: 8 } |io| {
        let _unused = io.a.grow_add(io.b);
        let dropped = io.a ^ io.b;
        let _ = dropped.slice(0..2);
        io.y.set(io.a & io.b);
    });
    assert_eq!(check(&Dead), "no error");
}

#[test]
fn wiring_through_a_concatenation_uses_only_what_it_takes() {
    block!(B { input a: 8, input b: 8, output y: 8 } |io| {
        io.a.slice(4..8).ignore();
        io.b.slice(0..4).ignore();
        io.y.set(cat([io.a, io.b]).slice(4..12));
    });
    assert_eq!(check(&B), "no error");
}

#[test]
fn uses_by_properties() {
    block!(Hidden { input a: 8, output y: 8 } |io| {
        let before = reg(8).reset(0);
        before.set(io.a);
        assert_that("steps", "a grows", io.a.ge(before));
        let kept = reg(8).reset(0);
        kept.set(io.a);
        io.y.set(kept);
    });
    assert_eq!(check(&Hidden), "no error");
    block!(Input { input a: 8, input last: 1, output y: 8 } |io| {
        assert_that("last", "the last one is zero", !io.last | io.a.eq(0));
        let kept = reg(8).reset(0);
        kept.set(io.a);
        io.y.set(kept);
    });
    assert_eq!(
        message(&Input),
        "input `last` is used only by properties, which are left out of synthesis: use it in the logic, or `ignore()` it"
    );
    block!(Partly { input a: 8, output y: 4 } |io| {
        let kept = reg(8).reset(0); // kept
        kept.set(io.a);
        assert_that("kept", "never zero", kept.any());
        io.y.set(kept.slice(0..4));
    });
    assert_eq!(
        check(&Partly),
        "kept: in `m`: bits 7:4 of register `kept` are used only by properties, which are left out of synthesis: \
         use them in the logic, or `ignore()` them"
    );
}

#[test]
fn clocks_and_resets_that_only_properties_use() {
    block!(Clock { input a: 8, output y: 8 } |io| {
        assert_that("small", "a is below 9", io.a.lt(9));
        io.y.set(io.a);
    });
    assert_eq!(
        message(&Clock),
        "`clk` is used only by properties, which are left out of synthesis: state them in a block that has registers"
    );
    block!(Reset { input a: 8, output y: 8 } |io| {
        assert_that("small", "a is below 9", io.a.lt(9));
        io.y.set(io.a.delay());
    });
    assert_eq!(
        message(&Reset),
        "`rst` is used only by properties, which are left out of synthesis: give a register of this clock a reset, or \
         state them in a block that has one"
    );
}

#[test]
fn a_fault_of_a_block_is_told_once_for_all_its_instances() {
    block!(Child { input a: 4, output y: 4 } |io| {
        let idle = reg(4); // idle in child
        idle.set(io.a);
        io.y.set(io.a);
    });
    block!(B { input a: 4, output y: 4 } |io| {
        let first = instance(&Child);
        let second = instance(&Child);
        first.a.set(io.a);
        second.a.set(first.y);
        io.y.set(second.y);
    });
    assert_eq!(check(&B), "idle in child: in `m`: register `idle` is never used: remove it, or `ignore()` it");
}
