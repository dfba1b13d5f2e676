//! build: what operators, memories and switches refuse at once.

use crate::support::*;
use hdl::*;

fn check(block: &impl Block) -> String {
    errors(block, include_str!("build.rs"))
}

#[test]
fn widths() {
    block!(B { input a: 8, input b: 4, output y: 8 } |io| {
        let sum = io.a + io.b; // sum
        io.y.set(sum);
        let _ = io.a.slice(4..9); // slice
        io.y.set(io.b); // set
        let _ = mux(io.a, io.b, io.b); // mux
        let _ = io.a.eq(256u64); // integer
        let _ = lit(3, 8); // literal
        let _ = io.a.zext(4); // zext
        let _ = io.a.chunks(3); // chunks
        when(io.a, || {}); // when
        assert_that("p", "p", io.a); // property
        let _ = io.b.signed().grow_add(io.a.signed()); // signed
        let _ = Signed::lit(4, 8); // signed literal
        let _ = select(io.b, &[io.a, io.b]); // select
        let _ = reg(8).reset(Value::new(4, 0)); // reset
    });
    assert_eq!(
        check(&B),
        "sum: in `m`: widths differ in `+`: left `a` (8 bits), right `b` (4 bits)\n\
         slice: in `m`: slice 4..9 does not lie in a 8-bit signal\n\
         set: in `m`: widths differ in `set`: `y` (8 bits) is assigned `b` (4 bits)\n\
         mux: in `m`: widths differ in `mux`: condition `a` (8 bits), branches `b` (4 bits) and `b` (4 bits)\n\
         integer: in `m`: the integer 256 of `eq` does not fit in 8 bits\n\
         literal: in `m`: the literal 8 does not fit in 3 bits\n\
         zext: in `m`: zext to 4 bits would cut a 8-bit signal: use trunc\n\
         chunks: in `m`: 8 bits are no whole number of 3-bit chunks\n\
         when: in `m`: a condition must be 1 bit, not `a` (8 bits)\n\
         property: in `m`: a property must be 1 bit, not `a` (8 bits)\n\
         signed: in `m`: widths differ in `+`: left 5 bits (made at signed), right 9 bits (made at signed)\n\
         signed literal: in `m`: the signed literal 8 does not fit in 4 bits\n\
         select: in `m`: widths differ in `select`: option 0 is `a` (8 bits), option 1 is `b` (4 bits)\n\
         reset: in `m`: the reset value 4'h0 does not fit a 8-bit register"
    );
}

#[test]
fn access() {
    block!(B { input a: 8, output y: 8 } |io| {
        io.a.set(1); // input
        (io.a + 1).set(2); // expression
        let unnamed = wire(8);
        let _ = unnamed.reset(0); // not a register
        let _ = reg(0); // no bits
        io.y.set(io.a);
        let _ = io.y.reset(io.a); // reset not constant
    });
    assert_eq!(
        check(&B),
        "input: in `m`: `a` (8 bits) is an input here and cannot be assigned\n\
         expression: in `m`: 8 bits (made at expression) is an expression and cannot be assigned\n\
         not a register: in `m`: only a register or an output port can be a register\n\
         not a register: in `m`: this is not a register\n\
         no bits: in `m`: a signal needs at least 1 bit\n\
         reset not constant: in `m`: a reset value must be a constant"
    );
}

#[test]
fn a_signal_of_another_module() {
    use std::cell::Cell;
    thread_local!(static LEAK: Cell<Option<Bits>> = const { Cell::new(None) });
    block!(Child { input a: 4, output y: 4 } |io| {
        LEAK.set(Some(io.a));
        io.y.set(io.a);
    });
    block!(B { input a: 4, output y: 4 } |io| {
        let child = instance(&Child);
        child.a.set(io.a);
        io.y.set(child.y & LEAK.take().unwrap()); // leak
    });
    assert_eq!(check(&B), "leak: in `m`: a signal of another module was used here: connect it through a port");
}

#[test]
fn registers_of_another_module() {
    use std::cell::Cell;
    thread_local!(static LEAK: Cell<Option<Bits>> = const { Cell::new(None) });
    block!(Child { input a: 4, output y: 4, output z: 4 } |io| {
        let more = [io.a + 1, io.a + 2, io.a + 3, io.a ^ 5];
        io.y.set(more[0] ^ more[1] ^ more[2] ^ more[3]);
        let last = io.a ^ 9;
        LEAK.set(Some(last));
        io.z.set(last);
    });
    block!(B { input a: 4, output y: 4 } |io| {
        let child = instance(&Child);
        child.a.set(io.a);
        io.y.set(child.y & child.z);
        let foreign = LEAK.take().unwrap();
        let foreign = foreign.named("foreign");
        foreign.registered(); // registered
        foreign.reset(0); // reset
    });
    let message = "in `m`: a signal of another module was used here: connect it through a port";
    assert_eq!(check(&B), format!("registered: {message}\nreset: {message}"));
}

#[test]
fn no_width_and_ranges_beyond_it() {
    block!(B { input a: 8, output y: 8 } |io| {
        let _ = lit(0, 0); // literal
        let _ = cat([]); // cat
        let _ = io.a.repeat(0); // repeat
        let _ = Signed::lit(0, 0); // signed
        let _ = io.a.slice(0..=u32::MAX); // slice
        let _ = io.a.bit(u32::MAX); // bit
        let _ = io.a.byte(u32::MAX); // byte
        let _ = io.a.chunks(0); // chunks
        io.y.set(io.a.shl(8) | io.a.shr(9));
    });
    let faults = elaborate(&B).unwrap_err();
    assert!(faults.0.iter().all(|e| e.fault == Fault::Width), "{faults}");
    assert_eq!(format!("{faults:?}"), format!("\n{faults}"));
    assert_eq!(
        check(&B),
        "literal: in `m`: a literal needs at least 1 bit\n\
         cat: in `m`: `cat` needs at least one part\n\
         repeat: in `m`: 0 copies of 8 bits are no signal\n\
         signed: in `m`: the signed literal 0 does not fit in 0 bits\n\
         slice: in `m`: slice 0..4294967295 does not lie in a 8-bit signal\n\
         bit: in `m`: slice 4294967295..4294967295 does not lie in a 8-bit signal\n\
         byte: in `m`: slice 4294967295..4294967295 does not lie in a 8-bit signal\n\
         chunks: in `m`: 8 bits are no whole number of 0-bit chunks"
    );
}

#[test]
fn memories() {
    fn refused(build: fn() -> memory::MemBuilder) -> String {
        struct B(fn() -> memory::MemBuilder);
        #[derive(Bundle, Clone)]
        struct Io<S> {
            #[output]
            y: S,
        }
        impl Block for B {
            type Io<S> = Io<S>;
            fn name(&self) -> String {
                "m".into()
            }
            fn io(&self) -> Io<Shape> {
                Io::shape()
            }
            fn build(&self, io: &Io<Bits>) {
                (self.0)().simple();
                io.y.set(0);
            }
        }
        let all = elaborate(&B(build)).unwrap_err();
        assert_eq!(all.0.len(), 1, "{all}");
        assert_eq!((all.0[0].fault, all.0[0].loc.file()), (Fault::Config, file!()));
        all.0[0].message.clone()
    }
    use memory::*;
    assert_eq!(refused(|| simple_dual(1, 8)), "a memory of 1 words of 8 bits: use at least 2 words of 1 bit");
    assert_eq!(refused(|| simple_dual(16, 8).latency(3)), "read latency 3: block memories have 1 or 2");
    assert_eq!(refused(|| simple_dual(16, 8).lanes(3)), "write lanes of 3 bits do not divide a 8-bit word");
    assert_eq!(
        refused(|| simple_dual(16, 8).domains("wr", "rd").collision(Collision::Old)),
        "with two clocks a read during a write is undefined: leave the collision policy out"
    );
    assert_eq!(
        refused(|| simple_dual(16, 8).collision(Collision::NoChange)),
        "`NoChange` belongs to the ports of a true dual port memory"
    );
    assert_eq!(refused(|| simple_dual(2, 8).contents(vec![Value::zero(8); 3])), "3 words of contents for 2 words");
    assert_eq!(refused(|| simple_dual(2, 8).contents(vec![Value::zero(7)])), "contents are not all 8 bits wide");
}

#[test]
fn memories_with_the_ports_of_another_kind() {
    use memory::*;
    block!(B { input a: 1, output y: 1 } |io| {
        io.y.set(io.a);
        distributed(4, 8).dual(); // dual
        rom(4, vec![Value::zero(8)]).simple(); // simple
        true_dual(4, 8).domains("a", "b").read_only(); // read only
    });
    assert_eq!(
        check(&B),
        "dual: in `m`: a memory of the kind Distributed does not end with `dual()`\n\
         simple: in `m`: a memory of the kind Rom does not end with `simple()`\n\
         read only: in `m`: a memory of the kind TrueDual does not end with `read_only()`"
    );
}

#[test]
fn switches() {
    block!(B { input a: 2, output y: 1 } |io| {
        io.y.set(0);
        switch(io.a)
            .case(1, || io.y.set(1))
            .case_any([2, 1], || io.y.set(1)) // twice
            .case(4, || io.y.set(1)); // too wide
    });
    assert_eq!(
        check(&B),
        "twice: in `m`: the case 1 stands in this switch twice\n\
         too wide: in `m`: the case 4 does not fit in 2 bits"
    );
}

#[test]
fn a_block_that_refuses_its_configuration() {
    struct B;
    #[derive(Bundle, Clone)]
    struct Io<S> {
        #[output]
        y: S,
    }
    impl Block for B {
        type Io<S> = Io<S>;
        fn name(&self) -> String {
            "m".into()
        }
        fn check(&self) -> Result<(), String> {
            Err("depth 3 is no power of two: use 4".into())
        }
        fn io(&self) -> Io<Shape> {
            Io::shape()
        }
        fn build(&self, _: &Io<Bits>) {}
    }
    let error = elaborate(&B).unwrap_err(); // refused
    assert_eq!(
        marked(&error.to_string(), include_str!("build.rs")),
        "refused: in `m`: depth 3 is no power of two: use 4"
    );
}

#[test]
fn branches_that_do_not_follow() {
    block!(B { input a: 1, input b: 1, input s: 2, output y: 1, output z: 1 } |io| {
        io.y.set(0);
        io.z.set(0);
        let w = when(io.a, || io.y.set(1));
        when(io.b, || io.z.set(1));
        w.otherwise(|| io.y.set(0)); // otherwise
        let w = when(io.a, || io.y.set(1));
        io.z.set(1);
        w.elsewhen(io.b, || io.y.set(0)) // elsewhen
            .otherwise(|| io.y.set(1));
        let w = when(io.a, || io.y.set(1));
        when(io.b, || w.otherwise(|| io.y.set(0))); // inside
        let sw = switch(io.s).case(0, || io.y.set(1));
        io.z.set(0);
        sw.case(1, || io.y.set(0)) // case
            .default(|| io.y.set(1));
        let sw = switch(io.s).case_any([0, 1, 0], || io.y.set(1)); // twice
        io.z.set(0);
        sw.default(|| io.y.set(0)); // default
    });
    assert_eq!(
        check(&B),
        "otherwise: in `m`: this `otherwise` does not follow its `when`\n\
         elsewhen: in `m`: this `elsewhen` does not follow its `when`\n\
         inside: in `m`: this `otherwise` does not follow its `when`\n\
         case: in `m`: this `case` does not follow its `switch`\n\
         twice: in `m`: the case 0 stands in this switch twice\n\
         default: in `m`: this `default` does not follow its `switch`"
    );
}
