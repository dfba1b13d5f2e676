//! The native cycle simulator: a design runs as bytecode, its ports are poked and peeked through the block's bundle.
//!
//! ```
//! use hdl::{sim::Sim, *};
//!
//! /// Ports.
//! #[derive(Bundle, Clone)]
//! struct CounterIo<S> {
//!     /// Counts while 1.
//!     #[input]
//!     enable: S,
//!     /// The count.
//!     #[output]
//!     #[width(8)]
//!     count: S,
//! }
//!
//! struct Counter;
//!
//! impl Block for Counter {
//!     type Io<S> = CounterIo<S>;
//!     fn name(&self) -> String {
//!         "counter".into()
//!     }
//!     fn io(&self) -> CounterIo<Shape> {
//!         CounterIo::shape()
//!     }
//!     fn build(&self, io: &CounterIo<Bits>) {
//!         io.count.reset(0);
//!         when(io.enable, || io.count.set(io.count + 1));
//!     }
//! }
//!
//! let sim = Sim::new(&Counter).unwrap();
//! sim.reset();
//! sim.poke(sim.io.enable, true);
//! sim.step();
//! sim.step();
//! assert_eq!(sim.peek_u64(sim.io.count), 2);
//! ```
//!
//! Every signal has two values, 0 and 1. What hardware leaves undefined is random, from a seed that is always the same
//! unless it is chosen: registers and memories before they are reset or written, memory collisions.

mod commit;
mod core;
mod drivers;
mod exec;
mod flatten;
mod graph;
mod memory;
mod observe;
mod port;
mod program;
mod props;
mod resolve;
mod vcd;
mod wave;

#[cfg(test)]
mod tests;

use self::core::Core;
pub use self::{
    core::{Options, PowerUp},
    port::{PokeValue, Port, Ports},
    props::{Failure, Failures},
};
use crate::{
    Block, Bundle, Design, Shape, Value,
    bundle::Field,
    elaborate,
    error::ElabErrors,
    ir::{Dir, Module},
};
use std::{cell::RefCell, io, rc::Rc};

/// Simulator handles in the shape of a block's ports.
pub type IoPorts<B> = <<B as Block>::Io<Shape> as Bundle<Shape>>::With<Port>;

/// A running design. All methods take `&self`, so that drivers of several interfaces can share it.
pub struct Sim<B: Block> {
    /// Handles of the top's ports.
    pub io: IoPorts<B>,
    core: RefCell<Core>,
}

/// The block of a [`Sim`] made from a [`Design`]: its ports are known by name only.
pub struct Untyped;

impl Block for Untyped {
    type Io<S> = Ports<S>;

    fn name(&self) -> String {
        "untyped".into()
    }

    fn io(&self) -> Ports<Shape> {
        Ports(vec![])
    }

    fn build(&self, _: &Ports<crate::Bits>) {}
}

impl Sim<Untyped> {
    /// A simulator of an elaborated design; find its ports with [`Sim::port`].
    ///
    /// # Errors
    /// A combinational loop.
    pub fn of(design: &Design) -> Result<Self, ElabErrors> {
        let core = Core::new(design.top(), &Options::default())?;
        let top: &Rc<Module> = design.top();
        let io = top.ports().enumerate().map(|(i, (_, s, dir))| {
            let field = Field { name: s.name.clone(), dir, clock: None, doc: s.doc };
            (field, core.ports[i])
        });
        Ok(Sim { io: Ports(io.collect()), core: RefCell::new(core) })
    }
}

impl<B: Block> Sim<B> {
    /// Elaborates a block and makes a simulator of it. Nothing has been reset yet: see [`Sim::reset`].
    ///
    /// # Errors
    /// Whatever elaboration finds, or a combinational loop.
    #[track_caller]
    pub fn new(block: &B) -> Result<Self, ElabErrors> {
        Self::with_options(block, &Options::default())
    }

    /// The same with another seed for what is undefined.
    ///
    /// # Errors
    /// As [`Sim::new`].
    #[track_caller]
    pub fn with_seed(block: &B, seed: u64) -> Result<Self, ElabErrors> {
        Self::with_options(block, &Options { seed, ..Options::default() })
    }

    /// The same with all choices.
    ///
    /// # Errors
    /// As [`Sim::new`].
    #[track_caller]
    pub fn with_options(block: &B, options: &Options) -> Result<Self, ElabErrors> {
        let design = elaborate(block)?;
        let core = Core::new(design.top(), options)?;
        let mut ports = core.ports.iter();
        let io = block.io().map(|_, _| *ports.next().expect("one handle a port"));
        Ok(Sim { io, core: RefCell::new(core) })
    }

    /// Drives an input of the top. It holds until the next poke.
    ///
    /// # Panics
    /// If the port is no input, or the value does not fit its width (a [`Value`] must have exactly that width).
    pub fn poke(&self, port: Port, value: impl PokeValue) {
        self.core.borrow_mut().poke(port, &value);
    }

    /// The present value of a port or signal, all combinational logic settled.
    pub fn peek(&self, port: Port) -> Value {
        self.core.borrow_mut().peek(port)
    }

    /// The low 64 bits of [`Sim::peek`].
    pub fn peek_u64(&self, port: Port) -> u64 {
        self.core.borrow_mut().peek_word(port)
    }

    /// Is bit 0 of the port set?
    pub fn peek_bool(&self, port: Port) -> bool {
        self.peek_u64(port) & 1 == 1
    }

    /// Pokes all inputs among the ports of a bundle; outputs are left alone.
    pub fn poke_all<P: Bundle<Port>>(&self, ports: &P, values: &P::With<Value>) {
        let mut all = values.leaves().into_iter();
        ports.visit(|_, p| {
            let (_, v) = all.next().expect("bundles of one type have the same leaves");
            if p.is_input() {
                self.poke(*p, v);
            }
        });
    }

    /// Peeks all ports of a bundle.
    pub fn peek_all<P: Bundle<Port>>(&self, ports: &P) -> P::With<Value> {
        ports.map(|_, p| self.peek(*p))
    }

    /// One edge of the default clock.
    pub fn step(&self) {
        self.core.borrow_mut().edge(&[0]);
    }

    /// `n` edges of the default clock.
    pub fn steps(&self, n: u64) {
        (0..n).for_each(|_| self.step());
    }

    /// One edge of the clock of the named domain.
    ///
    /// # Panics
    /// If the top has no such domain.
    pub fn step_domain(&self, domain: &str) {
        self.edge(&[domain]);
    }

    /// One simultaneous edge of the clocks of several domains; the default one is called `""`.
    ///
    /// # Panics
    /// If the top has no such domain.
    pub fn edge(&self, domains: &[&str]) {
        let clocks: Vec<usize> = domains.iter().map(|d| self.core.borrow().clock(d)).collect();
        self.core.borrow_mut().edge(&clocks);
    }

    /// Resets every domain: all resets are held at 1 for two simultaneous edges of all clocks, then released.
    pub fn reset(&self) {
        self.core.borrow_mut().reset();
    }

    /// Drives the reset of one domain; the default one is called `""`.
    ///
    /// # Panics
    /// If the top has no such domain.
    pub fn set_reset(&self, domain: &str, on: bool) {
        let mut core = self.core.borrow_mut();
        let clock = core.clock(domain);
        core.set_reset(clock, on);
    }

    /// Edges since the last [`Sim::reset`] (or since the start).
    pub fn cycle(&self) -> u64 {
        self.core.borrow().cycle
    }

    /// A port of the top by its Verilog name.
    ///
    /// # Panics
    /// If there is none.
    pub fn port(&self, name: &str) -> Port {
        self.core.borrow().port(name)
    }

    /// Any signal or named expression in the hierarchy, for debugging: `sim.peek(sim.signal("u_fifo.count"))`.
    ///
    /// # Panics
    /// If there is none; the message lists the instance's signals.
    pub fn signal(&self, path: &str) -> Port {
        self.core.borrow_mut().signal(path)
    }

    /// A word of a memory by the hierarchical name of its instance, past all ports.
    ///
    /// # Panics
    /// If there is no such memory.
    pub fn memory_word(&self, path: &str, addr: u64) -> Value {
        self.core.borrow().memory_word(path, addr)
    }

    /// Overwrites a word of a memory, past all ports.
    ///
    /// # Panics
    /// If there is no such memory, or the value has not its width.
    pub fn set_memory_word(&self, path: &str, addr: u64, word: &Value) {
        self.core.borrow_mut().set_memory_word(path, addr, word);
    }

    /// Were all properties kept so far?
    ///
    /// # Errors
    /// Every failure, with the waveform that led to it. Failures that nobody asks about panic when the simulator is dropped.
    pub fn check(&self) -> Result<(), Failures> {
        let failures = self.failures();
        if failures.is_empty() { Ok(()) } else { Err(Failures(failures)) }
    }

    /// The failures so far (the first fifty).
    pub fn failures(&self) -> Vec<Failure> {
        self.core.borrow_mut().failures()
    }

    /// Edges at which a cover held, out of reset: by hierarchical name (`"u_fifo.full"`), or by its own name summed over
    /// all instances that have it.
    ///
    /// # Panics
    /// If there is no such cover.
    pub fn covered(&self, name: &str) -> u64 {
        self.core.borrow().covered(name)
    }

    /// Turns the properties off (or on again, as they are at the start): without them it runs faster.
    pub fn properties(&self, on: bool) {
        self.core.borrow_mut().props.off = !on;
    }

    /// Records all signals of a bundle from now on, for [`Sim::wave`].
    pub fn record<P: Bundle<Port>>(&self, ports: &P) {
        ports.visit(|_, p| self.core.borrow_mut().record(*p));
    }

    /// Records a signal by its hierarchical name, below those recorded before. State registers show their variants' names.
    ///
    /// # Panics
    /// As [`Sim::signal`].
    pub fn record_signal(&self, path: &str) {
        let port = self.signal(path);
        self.core.borrow_mut().record(port);
    }

    /// Forgets the cycles recorded so far; goes on with the same signals.
    pub fn clear_record(&self) {
        self.core.borrow_mut().clear_record();
    }

    /// What was recorded, as a text waveform: one column a cycle, 1-bit signals as lines, others in hexadecimal.
    pub fn wave(&self) -> String {
        self.core.borrow().wave()
    }

    /// Dumps all signals to a VCD file from now until [`Sim::vcd_stop`].
    ///
    /// # Errors
    /// If writing fails.
    pub fn vcd_start(&self, to: impl io::Write + 'static) -> io::Result<()> {
        self.vcd_start_at("", to)
    }

    /// Dumps the signals of one instance and everything beneath it.
    ///
    /// # Errors
    /// If there is no such instance or writing fails.
    pub fn vcd_start_at(&self, instance: &str, to: impl io::Write + 'static) -> io::Result<()> {
        self.core.borrow_mut().vcd_start(instance, Box::new(to))
    }

    /// Ends the dump; does nothing if there is none.
    ///
    /// # Errors
    /// The first failure to write since it was started.
    pub fn vcd_stop(&self) -> io::Result<()> {
        self.core.borrow_mut().vcd_stop()
    }
}
