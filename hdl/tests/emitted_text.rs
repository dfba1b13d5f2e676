//! Texts that once meant something else than the graph, or that lint refused.

use hdl::*;

/// Ports.
#[derive(Bundle, Clone)]
struct Io<S> {
    /// Operand.
    #[input]
    #[width(8)]
    a: S,
    /// Amount.
    #[input]
    #[width(8)]
    n: S,
    /// Result.
    #[output]
    #[width(8)]
    y: S,
}

struct Probe(fn(&Io<Bits>) -> Bits);

impl Block for Probe {
    type Io<S> = Io<S>;

    fn name(&self) -> String {
        "probe".into()
    }

    fn io(&self) -> Io<Shape> {
        Io::shape()
    }

    fn build(&self, io: &Io<Bits>) {
        io.n.ignore();
        io.y.set(cat([io.a.slice(1..8), (self.0)(io)]));
        io.a.ignore();
    }
}

/// The text that drives bit 0 of `y`.
fn text(f: fn(&Io<Bits>) -> Bits) -> String {
    let design = elaborate(&Probe(f)).unwrap();
    let all = verilog::emit_text(&design, &verilog::Options::default());
    let line = all.lines().find_map(|l| l.trim().strip_prefix("assign y = {a[7:1], ")).expect("y is assigned");
    line.trim_end_matches("};").to_string()
}

#[test]
fn a_reduction_of_a_complement_is_no_other_operator() {
    // `^~a` is the complement of the parity of `a`, which is something else where the width is even.
    assert_eq!(text(|io| (!io.a).parity()), "^(~a)");
    assert_eq!(text(|io| (!io.a).any()), "|(~a)");
    assert_eq!(text(|io| (!io.a).all()), "&(~a)");
}

#[test]
fn comparisons_that_lint_calls_constant_are_none() {
    assert_eq!(text(|io| io.a.lt(0)), "1'b0");
    assert_eq!(text(|io| io.a.ge(255)), "a == 8'hff");
    assert_eq!(text(|io| io.a.gt(0)), "a != 8'd0");
    assert_eq!(text(|io| io.a.signed().lt(Signed::lit(8, -128))), "1'b0");
    assert_eq!(text(|io| io.a.signed().ge(Signed::lit(8, 127))), "a == 8'h7f");
    assert_eq!(text(|io| io.a.lt((io.a * lit(8, 0)).slice(0..8))), "1'b0");
    assert_eq!(text(|io| io.a.lt(lit(8, 0).shl_by(io.n))), "1'b0");
    assert_eq!(text(|io| io.a.lt(cat([lit(4, 0), io.n.trunc(4)]) & lit(8, 0xf0))), "1'b0");
    assert_eq!(text(|io| cat([lit(4, 0), io.n.trunc(4)]).lt(0x10)), "1'b1");
    assert_eq!(text(|io| cat([lit(4, 3), io.n.trunc(4)]).eq(0x40)), "1'b0");
    assert_eq!(text(|io| cat([lit(4, 3), io.n.trunc(4)]).any()), "1'b1");
}

#[test]
fn a_constant_shift_stays_within_the_width() {
    // Verilator 5.052 takes `$signed(a) >>> 8'd9` for zero.
    let design = elaborate(&Probe(|io| io.a.signed().shr_by(lit(8, 9)).bits().all())).unwrap();
    let all = verilog::emit_text(&design, &verilog::Options::default());
    assert!(all.contains("$signed(a) >>> 8'd7"), "{all}");
}

#[test]
fn a_wire_of_constants_needs_no_process() {
    // An `always @*` that reads nothing never runs.
    struct Constant;
    impl Block for Constant {
        type Io<S> = Io<S>;
        fn name(&self) -> String {
            "constant".into()
        }
        fn io(&self) -> Io<Shape> {
            Io::shape()
        }
        fn build(&self, io: &Io<Bits>) {
            io.a.ignore();
            io.n.ignore();
            io.y.set(0x0f);
            io.y.slice(2..6).set(0b0110);
            switch(lit(2, 1)).case(0, || io.y.set(1)).case(1, || io.y.bit(7).set(1)).default(|| io.y.set(2));
        }
    }
    let all = verilog::emit_text(&elaborate(&Constant).unwrap(), &verilog::Options::default());
    assert!(all.contains("assign y = 8'h9b;") && !all.contains("always"), "{all}");
}

#[test]
fn names_and_comments_of_any_text() {
    mod other {
        #[derive(hdl::Encode, Clone, Copy)]
        pub enum State {
            Idle,
            Größe,
        }
    }
    #[derive(Encode, Clone, Copy)]
    enum State {
        Halt,
        Idle,
    }
    struct B;
    impl Block for B {
        type Io<S> = Io<S>;
        fn name(&self) -> String {
            "m".into()
        }
        fn io(&self) -> Io<Shape> {
            Io::shape()
        }
        fn build(&self, io: &Io<Bits>) {
            let ours = state(State::Halt);
            let theirs = state(other::State::Idle);
            let unused = wire(1).named("unused");
            unused.set(io.n.any());
            io.n.ignore();
            when(unused, || {
                ours.go(State::Idle);
                theirs.go(other::State::Größe);
            });
            when(!unused, || {
                ours.go(State::Halt);
                theirs.go(other::State::Idle);
            });
            let mut sum = io.a;
            for _ in 0..20 {
                sum = sum ^ (sum + io.n);
            }
            assert_that("p", "two\n  lines", unused);
            let label = wire(1).named("assert_p");
            label.set(ours.is(State::Idle) & theirs.is(other::State::Größe));
            io.y.set(mux(label, sum, io.n));
        }
    }
    let text = verilog::emit_text(&elaborate(&B).unwrap(), &verilog::Options::default());
    for wanted in [
        "STATE_IDLE   = 1'd0;",
        "STATE_HALT   = 1'd0;",
        "STATE_IDLE_1 = 1'd1;",
        "STATE_GR__E  = 1'd1;",
        "wire unused_1 = &{1'b0, n};",
        "assert_p_1: assert (unused);",
        "two lines",
    ] {
        assert!(text.contains(wanted), "no `{wanted}` in\n{text}");
    }
    assert!(!text.contains("_sum_xor"), "{text}");
}
