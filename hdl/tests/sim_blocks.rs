//! The native simulator on whole blocks: hierarchy, states, resets, properties, waves.

use hdl::{
    ir::PropKind,
    sim::{Options, PowerUp, Sim},
    *,
};
use std::{cell::RefCell, io, rc::Rc};

/// Ports of the traffic light.
#[derive(Bundle, Clone)]
pub struct LightIo<S> {
    /// Somebody wants to cross.
    #[input]
    pub request: S,
    /// Cars may go.
    #[output]
    pub green: S,
    /// Cycles left in the state.
    #[output]
    #[width(4)]
    pub left: S,
}

#[derive(Clone, Copy, Encode)]
enum Phase {
    Go,
    Slow,
    Stop,
}

/// A state machine with a timer in a module of its own.
struct Light {
    broken: bool,
}

impl Block for Light {
    type Io<S> = LightIo<S>;

    fn name(&self) -> String {
        "light".into()
    }

    fn io(&self) -> LightIo<Shape> {
        LightIo::shape()
    }

    #[names]
    fn build(&self, io: &LightIo<Bits>) {
        let phase = state(Phase::Go);
        let timer = instance(&Timer);
        let load = wire(1);
        timer.load.set(load);
        timer.start.set(lit(4, 3));
        load.set(0);
        let over = timer.left.eq(0);
        phase.switch(|p| match p {
            Phase::Go => {
                when(io.request, || {
                    phase.go(Phase::Slow);
                    load.set(1);
                });
            }
            Phase::Slow => {
                when(over, || {
                    phase.go(Phase::Stop);
                    load.set(1);
                });
            }
            Phase::Stop => {
                when(over, || phase.go(Phase::Go));
            }
        });
        io.green.set(if self.broken { !phase.is(Phase::Stop) } else { phase.is(Phase::Go) });
        io.left.set(timer.left);
        assert_that("green_in_go_only", "cars go in the green phase only", !io.green | phase.is(Phase::Go));
        cover_that("stops", "the cars stop", phase.is(Phase::Stop));
    }
}

/// Ports of the timer.
#[derive(Bundle, Clone)]
pub struct TimerIo<S> {
    /// Takes `start`.
    #[input]
    pub load: S,
    /// Cycles to count.
    #[input]
    #[width(4)]
    pub start: S,
    /// Cycles left.
    #[output]
    #[width(4)]
    pub left: S,
}

struct Timer;

impl Block for Timer {
    type Io<S> = TimerIo<S>;

    fn name(&self) -> String {
        "timer".into()
    }

    fn io(&self) -> TimerIo<Shape> {
        TimerIo::shape()
    }

    #[names]
    fn build(&self, io: &TimerIo<Bits>) {
        let count = reg(4).reset(0);
        let running = count.any();
        when(io.load, || count.set(io.start)).elsewhen(running, || count.set(count - 1));
        io.left.set(count);
        cover_that("runs", "the timer runs", running);
    }
}

fn run_light(sim: &Sim<Light>) {
    sim.reset();
    sim.poke(sim.io.request, false);
    sim.record(&sim.io);
    sim.record_signal("phase");
    sim.record_signal("timer.running");
    for cycle in 0..12 {
        sim.poke(sim.io.request, cycle == 1);
        sim.step();
    }
}

#[test]
fn a_waveform_shows_lines_states_and_numbers() {
    let sim = Sim::new(&Light { broken: false }).unwrap();
    run_light(&sim);
    let expected = "\
cycle           0  1  2  3  4  5  6  7  8  9  10 11
request        ___/‾‾\\_____________________________
green          ‾‾‾‾‾‾\\_______________________/‾‾‾‾‾
left           |0    |3 |2 |1 |0 |3 |2 |1 |0
phase          |Go   |Slow       |Stop       |Go
timer.running  ______/‾‾‾‾‾‾‾‾\\__/‾‾‾‾‾‾‾‾\\________
";
    assert_eq!(sim.wave(), expected);
    sim.check().unwrap();
    assert_eq!(sim.covered("stops"), 4);
    assert_eq!((sim.covered("timer.runs"), sim.covered("runs")), (6, 6));
    assert_eq!(sim.peek_u64(sim.signal("timer.count")), 0);
}

#[test]
fn a_failed_property_tells_where_when_and_how() {
    let sim = Sim::new(&Light { broken: true }).unwrap();
    run_light(&sim);
    let failures = sim.failures();
    assert_eq!(failures.len(), 4);
    let first = &failures[0];
    assert_eq!((first.kind, first.name.as_str(), first.cycle), (PropKind::Assert, "green_in_go_only", 2));
    assert!(first.file.ends_with("sim_blocks.rs"));
    assert_eq!(first.message, "cars go in the green phase only");
    assert!(first.waveform.contains("request  ") && first.waveform.contains("left "), "{}", first.waveform);
    let text = sim.check().unwrap_err().to_string();
    assert!(
        text.starts_with("cycle 2: assertion `green_in_go_only` of the top fails: cars go in the green phase only\n"),
        "{text}"
    );
    assert!(text.ends_with("and 1 more failures\n"), "{text}");
}

#[test]
#[should_panic(expected = "properties failed and nobody asked")]
fn a_failure_cannot_be_missed() {
    let sim = Sim::new(&Light { broken: true }).unwrap();
    run_light(&sim);
}

#[test]
fn properties_can_be_turned_off() {
    let sim = Sim::new(&Light { broken: true }).unwrap();
    sim.properties(false);
    run_light(&sim);
    assert!(sim.failures().is_empty());
    assert_eq!(sim.covered("stops"), 0);
}

/// A sink that the test can read while the simulator owns it.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl io::Write for Shared {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_vcd_file_has_the_hierarchy_and_every_change() {
    let sim = Sim::new(&Light { broken: false }).unwrap();
    let file = Shared::default();
    sim.reset();
    sim.poke(sim.io.request, false);
    sim.vcd_start(file.clone()).unwrap();
    for cycle in 0..12 {
        sim.poke(sim.io.request, cycle == 1);
        sim.step();
    }
    sim.vcd_stop().unwrap();
    let bytes = file.0.borrow().clone();
    let mut parser = vcd::Parser::new(&bytes[..]);
    let header = parser.parse_header().unwrap();
    let left = header.find_var(&["light", "timer", "left"]).expect("the timer's port").code;
    let clock = header.find_var(&["light", "clk"]).expect("the clock").code;
    assert!(header.find_var(&["light", "rst"]).is_some() && header.find_var(&["light", "phase"]).is_some());
    let (mut time, mut lefts, mut rises) = (0, Vec::new(), Vec::new());
    for command in parser {
        match command.unwrap() {
            vcd::Command::Timestamp(t) => time = t,
            vcd::Command::ChangeVector(id, v) if id == left => {
                lefts.push((time, v.iter().fold(0, |n, b| n * 2 + u32::from(b == vcd::Value::V1))));
            }
            vcd::Command::ChangeScalar(id, vcd::Value::V1) if id == clock => rises.push(time),
            _ => {}
        }
    }
    let expected = [(0, 0), (20, 3), (30, 2), (40, 1), (50, 0), (60, 3), (70, 2), (80, 1), (90, 0)];
    assert_eq!(lefts, expected);
    assert_eq!(rises, (1..=12).map(|c| c * 10).collect::<Vec<u64>>());
}

/// Ports of the pair of registers.
#[derive(Bundle, Clone)]
pub struct SwapIo<S> {
    /// Exchanges the two.
    #[input]
    pub swap: S,
    /// One.
    #[output]
    #[width(100)]
    pub one: S,
    /// The other.
    #[output]
    #[width(100)]
    pub two: S,
    /// The first one cycle, two and three cycles ago.
    #[output]
    #[width(100)]
    pub late: [S; 3],
}

/// Registers that read each other: no order of updates does without a buffer.
struct Swap;

impl Block for Swap {
    type Io<S> = SwapIo<S>;

    fn name(&self) -> String {
        "swap".into()
    }

    fn io(&self) -> SwapIo<Shape> {
        SwapIo::shape()
    }

    #[names]
    fn build(&self, io: &SwapIo<Bits>) {
        io.one.reset(1);
        io.two.reset(2);
        when(io.swap, || {
            io.one.set(io.two);
            io.two.set(io.one);
        });
        io.late[0].set(io.one.delay());
        io.late[1].set(io.late[0].delay());
        io.late[2].set(io.late[1].delay());
    }
}

#[test]
fn registers_change_all_at_once() {
    let sim = Sim::new(&Swap).unwrap();
    sim.reset();
    sim.poke(sim.io.swap, false);
    sim.steps(3);
    sim.poke(sim.io.swap, true);
    let mut seen = Vec::new();
    for _ in 0..5 {
        let late = sim.io.late.map(|p| sim.peek_u64(p));
        seen.push((sim.peek_u64(sim.io.one), sim.peek_u64(sim.io.two), late));
        sim.step();
    }
    let expected = [(1, 2, [1, 1, 1]), (2, 1, [1, 1, 1]), (1, 2, [2, 1, 1]), (2, 1, [1, 2, 1]), (1, 2, [2, 1, 2])];
    assert_eq!(seen, expected);
}

#[test]
fn what_is_not_reset_starts_random_or_zero_by_choice() {
    let late = |sim: &Sim<Swap>| sim.io.late.map(|p| sim.peek(p));
    let [a, b] = [1, 2].map(|seed| late(&Sim::with_seed(&Swap, seed).unwrap()));
    let again = late(&Sim::with_seed(&Swap, 1).unwrap());
    assert!(a != b && a == again);
    let zero = Sim::with_options(&Swap, &Options { power_up: PowerUp::Zero, ..Options::default() }).unwrap();
    assert!(late(&zero).iter().all(Value::is_zero));
}

#[test]
fn a_design_runs_without_its_block() {
    let design = elaborate(&Swap).unwrap();
    let sim = Sim::of(&design).unwrap();
    sim.reset();
    sim.poke(sim.port("swap"), 1);
    sim.step();
    assert_eq!((sim.peek_u64(sim.port("one")), sim.peek_u64(sim.port("two"))), (2, 1));
    assert_eq!(sim.peek_all(&sim.io).leaves().len(), 6);
}

#[test]
#[should_panic(expected = "the integer 0x2 does not fit the 1-bit port `swap`")]
fn a_value_that_does_not_fit_is_refused() {
    let sim = Sim::new(&Swap).unwrap();
    sim.poke(sim.io.swap, 2);
}

#[test]
#[should_panic(expected = "`one` is driven by the design and cannot be poked")]
fn an_output_cannot_be_poked() {
    let sim = Sim::new(&Swap).unwrap();
    sim.poke(sim.io.one, Value::zero(100));
}
