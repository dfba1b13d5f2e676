//! Resets and combinational order in the native simulator.

use hdl::{sim::Sim, *};

/// Ports of two independent paths.
#[derive(Bundle, Clone)]
pub struct LanesIo<S> {
    /// In.
    #[input]
    #[width(70)]
    pub from: [S; 2],
    /// One more than `from`.
    #[output]
    #[width(70)]
    pub to: [S; 2],
}

/// Two paths that have nothing to do with each other.
struct Lanes;

impl Block for Lanes {
    type Io<S> = LanesIo<S>;

    fn name(&self) -> String {
        "lanes".into()
    }

    fn io(&self) -> LanesIo<Shape> {
        LanesIo::shape()
    }

    fn build(&self, io: &LanesIo<Bits>) {
        for (from, to) in io.from.iter().zip(&io.to) {
            to.set(*from + 1);
        }
    }
}

/// Ports of the double path.
#[derive(Bundle, Clone)]
pub struct TwiceIo<S> {
    /// In.
    #[input]
    #[width(70)]
    pub from: S,
    /// Two more than `from`.
    #[output]
    #[width(70)]
    pub to: S,
}

/// Goes through one instance twice.
struct Twice;

impl Block for Twice {
    type Io<S> = TwiceIo<S>;

    fn name(&self) -> String {
        "twice".into()
    }

    fn io(&self) -> TwiceIo<Shape> {
        TwiceIo::shape()
    }

    #[names]
    fn build(&self, io: &TwiceIo<Bits>) {
        let lanes = instance(&Lanes);
        lanes.from[1].set(io.from);
        lanes.from[0].set(lanes.to[1]);
        io.to.set(lanes.to[0]);
    }
}

#[test]
fn a_path_that_goes_through_an_instance_twice_is_no_loop() {
    let sim = Sim::new(&Twice).unwrap();
    sim.poke(sim.io.from, Value::ones(70));
    assert_eq!(sim.peek(sim.io.to), Value::new(70, 1));
    assert_eq!(sim.peek(sim.signal("lanes.to1")), Value::zero(70));
}

#[test]
fn an_asynchronous_reset_acts_without_a_clock_and_leaves_with_one() {
    let sim = Sim::new(&cdc::ResetSync { stages: 2 }).unwrap();
    sim.poke(sim.io.rst_in, false);
    sim.steps(4);
    assert!(!sim.peek_bool(sim.io.rst_out));
    sim.poke(sim.io.rst_in, true);
    assert!(sim.peek_bool(sim.io.rst_out), "at once");
    sim.poke(sim.io.rst_in, false);
    assert!(sim.peek_bool(sim.io.rst_out), "it holds");
    sim.step();
    assert!(sim.peek_bool(sim.io.rst_out));
    sim.step();
    assert!(!sim.peek_bool(sim.io.rst_out));
    // A pulse that nobody looks at counts too.
    sim.poke(sim.io.rst_in, true);
    sim.poke(sim.io.rst_in, false);
    assert!(sim.peek_bool(sim.io.rst_out));
}
