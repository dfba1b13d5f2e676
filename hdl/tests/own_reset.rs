//! A reset that comes from a pin: synchronised inside the module, then the reset of an instance.

use hdl::{cdc::ResetSync, sim::Sim, *};

/// Counts clocks.
struct Counter;

/// Ports.
#[derive(Bundle, Clone)]
struct CounterIo<S> {
    /// Clocks since reset.
    #[output]
    #[width(4)]
    count: S,
}

impl Block for Counter {
    type Io<S> = CounterIo<S>;
    fn name(&self) -> String {
        "counter".into()
    }
    fn io(&self) -> CounterIo<Shape> {
        CounterIo::shape()
    }
    fn build(&self, io: &CounterIo<Bits>) {
        io.count.reset(0).set(io.count + 1);
    }
}

/// A board's top.
struct Board;

/// Ports.
#[derive(Bundle, Clone)]
struct BoardIo<S> {
    /// Push button.
    #[input]
    #[clock(async)]
    button: S,
    /// Clocks since the button was let go.
    #[output]
    #[width(4)]
    count: S,
}

impl Block for Board {
    type Io<S> = BoardIo<S>;
    fn name(&self) -> String {
        "board".into()
    }
    fn io(&self) -> BoardIo<Shape> {
        BoardIo::shape()
    }
    #[names]
    fn build(&self, io: &BoardIo<Bits>) {
        let reset_sync = instance(&ResetSync { stages: 2 });
        reset_sync.rst_in.set(io.button);
        let counter = with_reset("", reset_sync.rst_out, || instance(&Counter));
        io.count.set(counter.count);
    }
}

#[test]
fn an_instance_takes_its_reset_from_inside_the_module() {
    let design = elaborate(&Board).unwrap_or_else(|e| panic!("{e}"));
    let ports: Vec<String> = design.top().verilog_ports().into_iter().map(|(n, ..)| n).collect();
    assert_eq!(ports, ["clk", "button", "count"], "the module has no reset port of its own");
    let text = verilog::module_text(design.top(), &verilog::Options::default());
    assert!(text.contains("counter counter (\n        .clk(clk),\n        .rst(reset_sync_rst_out),"), "{text}");

    let sim = Sim::new(&Board).unwrap_or_else(|e| panic!("{e}"));
    sim.poke(sim.io.button, true);
    sim.steps(3);
    assert_eq!(sim.peek_u64(sim.io.count), 0);
    sim.poke(sim.io.button, false);
    // Two clocks for the synchroniser, one in which the counter sees its reset gone.
    sim.steps(3);
    assert_eq!(sim.peek_u64(sim.io.count), 1);
    sim.steps(4);
    assert_eq!(sim.peek_u64(sim.io.count), 5);
}
