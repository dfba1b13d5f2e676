//! crossing: signals that change clock domain without a primitive.

use crate::support::*;
use hdl::*;

fn check(block: &impl Block) -> String {
    errors(block, include_str!("crossing.rs"))
}

#[test]
fn a_register_fed_from_another_clock() {
    block!(B { input @ wr a: 8, output @ rd y: 8 } |io| {
        let kept = in_domain("wr", || reg(8));
        kept.set(io.a);
        let odd = kept ^ 1; // odd
        let got = in_domain("rd", || reg(8));
        got.set(odd); // got
        io.y.set(got);
    });
    assert!(
        check(&B).starts_with("got: in `m`: register `kept` (`wr_clk`) reaches register `got` (`rd_clk`) without a crossing primitive: `kept` ("),
        "{}", check(&B)
    );
    assert!(check(&B).ends_with(") -> `odd` (odd) -> `got` (got); use one of `hdl::cdc`"), "{}", check(&B));
}

#[test]
fn conditions_ports_pins_and_properties_count() {
    block!(Child { input a: 1, output y: 1 } |io| {
        let kept = reg(1);
        kept.set(io.a);
        io.y.set(kept);
    });
    block!(B { input @ wr a: 1, output @ rd y: 1, output @ wr z: 1 } |io| {
        let held = in_domain("rd", || reg(1).reset(0));
        when(io.a, || held.set(1)); // condition
        io.y.set(held);
        in_domain("rd", || assert_that("quiet", "never", !io.a)); // property
        let child = in_domain("rd", || instance(&Child));
        child.a.set(io.a); // pin
        io.z.set(child.y); // port
    });
    let text = check(&B);
    let heads: Vec<&str> = text.lines().map(|l| l.split_once(" without").unwrap().0).collect();
    assert_eq!(
        heads,
        [
            "port: in `m`: output `y` of instance `child` (`rd_clk`) reaches output `z` (`wr_clk`)",
            "condition: in `m`: input `a` (`wr_clk`) reaches register `held` (`rd_clk`)",
            "pin: in `m`: input `a` (`wr_clk`) reaches input `a` of instance `child` (`rd_clk`)",
            "property: in `m`: input `a` (`wr_clk`) reaches property `quiet` (`rd_clk`)",
        ]
    );
}

#[test]
fn memories_with_two_clocks_keep_their_sides_apart() {
    block!(Good { input @ wr a: 4, input @ rd b: 4, output @ rd y: 4 } |io| {
        let ram = memory::simple_dual(16, 4).domains("wr", "rd").simple();
        ram.write(io.a.any(), io.a, io.a);
        io.y.set(ram.read(io.b.any(), io.b));
    });
    assert_eq!(check(&Good), "no error");
    block!(Bad { input @ wr a: 4, input @ rd b: 4, output @ rd y: 4 } |io| {
        let ram = memory::simple_dual(16, 4).domains("wr", "rd").simple();
        ram.write(io.a.any(), io.a, io.a);
        io.y.set(ram.read(io.b.any(), io.a)); // address
        io.b.ignore();
    });
    assert!(check(&Bad).contains("reaches input `raddr` of instance `ram` (`rd_clk`) without"), "{}", check(&Bad));
}

#[test]
fn asynchronous_inputs_belong_to_no_clock() {
    block!(B { input @ async button: 1, output y: 1 } |io| {
        let seen = reg(1);
        seen.set(io.button); // seen
        io.y.set(seen);
    });
    assert!(
        check(&B).starts_with(
            "seen: in `m`: input `button` (no clock (asynchronous)) reaches register `seen` (`clk`) without"
        ),
        "{}",
        check(&B)
    );
}

#[test]
fn an_output_register_of_another_clock() {
    block!(B { input @ wr a: 1, output @ rd y: 1 } |io| {
        in_domain("wr", || io.y.registered());
        io.y.set(io.a);
    });
    assert!(
        check(&B).ends_with("output `y` belongs to `rd_clk` but is a register of `wr_clk`: declare it under `in_domain` of the port's clock"),
        "{}", check(&B)
    );
}
