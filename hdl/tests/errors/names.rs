//! names: of ports, properties and modules.

use crate::support::*;
use hdl::*;

fn message(block: &impl Block) -> String {
    match elaborate(block) {
        Ok(_) => "no error".into(),
        Err(e) => e.0.iter().map(|e| e.message.clone()).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn a_keyword_is_no_port() {
    block!(B { input reg: 1, output y: 1 } |io| {
        io.y.set(io.reg);
    });
    assert_eq!(message(&B), "`reg` cannot be a port's name in Verilog: call the field e.g. `reg_`");
}

#[test]
fn clashing_ports() {
    block!(Clock { input clk: 1, output y: 1 } |io| {
        io.y.set(io.clk);
    });
    assert_eq!(message(&Clock), "the port name `clk` is taken by the clock of domain `clk`: rename the field");

    #[derive(Bundle, Clone)]
    pub struct Io<S> {
        #[input]
        #[count(2)]
        a: Vec<S>,
        #[output]
        a0: S,
        #[output]
        a1_: S,
    }
    struct Twice;
    impl Block for Twice {
        type Io<S> = Io<S>;
        fn name(&self) -> String {
            "m".into()
        }
        fn io(&self) -> Io<Shape> {
            Io::shape()
        }
        fn build(&self, io: &Io<Bits>) {
            io.a0.set(io.a[0]);
            io.a1_.set(io.a[1]);
        }
    }
    assert_eq!(message(&Twice), "the port name `a0` is taken by another port of 1 bits: rename the field");
}

#[test]
fn two_properties_of_one_name() {
    block!(B { input a: 1, output y: 1 } |io| {
        assert_that("high", "a is high", io.a);
        cover_that("high", "a is high", io.a);
        io.y.set(io.a);
    });
    assert_eq!(message(&B), "there are two properties called `high`");
}

#[test]
fn a_module_name_that_is_no_identifier() {
    block!(B as "8b-10b" { input a: 1, output y: 1 } |io| {
        io.y.set(io.a);
    });
    assert_eq!(message(&B), "`8b-10b` cannot be a module's name in Verilog: use e.g. `n8b_10b`");
}

#[test]
fn two_modules_of_one_name() {
    block!(Child as "same" { input a: 1, output y: 1 } |io| {
        io.y.set(!io.a);
    });
    block!(B as "same" { input a: 1, output y: 1 } |io| {
        let child = instance(&Child); // child
        child.a.set(io.a);
        io.y.set(child.y);
    });
    let text = message(&B);
    let text = marked(&text, include_str!("names.rs"));
    assert_eq!(
        text,
        "two different modules are called `same` (the other is made at child): give their block `params()` that differ"
    );
}

#[test]
fn modules_of_different_blocks_that_clash() {
    struct Kid(u32);
    #[derive(Bundle, Clone)]
    struct Io<S> {
        #[input]
        a: S,
        #[output]
        y: S,
    }
    impl Block for Kid {
        type Io<S> = Io<S>;
        fn name(&self) -> String {
            "kid".into()
        }
        fn params(&self) -> Vec<(&'static str, String)> {
            vec![("d", self.0.to_string())]
        }
        fn io(&self) -> Io<Shape> {
            Io::shape()
        }
        fn build(&self, io: &Io<Bits>) {
            io.y.set(if self.0 == 0 { io.a } else { !io.a });
        }
    }
    block!(Other as "kid_d0" { input a: 1, output y: 1 } |io| {
        io.y.set(io.a);
    });
    block!(Ram as "ram_sdp_4x1" { input a: 1, output y: 1 } |io| {
        io.y.set(io.a);
    });
    block!(B { input a: 1, output y: 4 } |io| {
        let zero = instance(&Kid(0)); // kid 0
        let one = instance(&Kid(1));
        let other = instance(&Other); // other
        let ram = memory::simple_dual(4, 1).simple(); // memory
        let clash = instance(&Ram); // block
        zero.a.set(io.a);
        one.a.set(io.a);
        other.a.set(io.a);
        clash.a.set(io.a);
        ram.write(io.a, lit(2, 0), io.a);
        let read = ram.read(io.a, lit(2, 0));
        io.y.set(cat([zero.y, one.y, other.y, clash.y & read]));
    });
    assert_eq!(
        marked(&message(&B), include_str!("names.rs")),
        "two different modules are called `kid_d0` (the other is made at kid 0): rename a block\n\
         two different modules are called `ram_sdp_4x1` (the other is made at memory): rename a block"
    );
}
