//! A memory whose output register has an enable: each of the read's two stages waits on its own.

use hdl::{sim::Sim, *};

/// The memory's pins.
#[derive(Bundle, Clone)]
pub struct RamIo<S> {
    /// Write enable.
    #[input]
    pub we: S,
    /// Both addresses.
    #[input]
    #[width(3)]
    pub addr: S,
    /// Write data.
    #[input]
    #[width(8)]
    pub wdata: S,
    /// Read enable.
    #[input]
    pub re: S,
    /// Output enable.
    #[input]
    pub oe: S,
    /// Read data.
    #[output]
    #[width(8)]
    pub rdata: S,
}

struct Ram;

impl Block for Ram {
    type Io<S> = RamIo<S>;

    fn name(&self) -> String {
        "ram".into()
    }

    fn io(&self) -> RamIo<Shape> {
        RamIo::shape()
    }

    fn build(&self, io: &RamIo<Bits>) {
        let ram = memory::simple_dual(8, 8).output_enable().simple();
        ram.write(io.we, io.addr, io.wdata);
        io.rdata.set(ram.read(io.re, io.addr));
        ram.oe.expect("asked for").set(io.oe);
    }
}

#[test]
fn each_stage_waits_for_its_enable() {
    let sim = Sim::new(&Ram).unwrap();
    let clock = |we: bool, addr: u64, re: bool, oe: bool| {
        sim.poke(sim.io.we, we);
        sim.poke(sim.io.addr, addr);
        sim.poke(sim.io.wdata, 0x10 + addr);
        sim.poke(sim.io.re, re);
        sim.poke(sim.io.oe, oe);
        sim.step();
        sim.peek_u64(sim.io.rdata)
    };
    for addr in 0..8 {
        clock(true, addr, false, false);
    }
    clock(false, 1, true, false);
    assert_eq!(clock(false, 2, true, true), 0x11);
    // The output waits while the next word is read behind it, and that one is then overtaken by a third.
    assert_eq!(clock(false, 3, false, false), 0x11);
    assert_eq!(clock(false, 3, true, false), 0x11);
    assert_eq!(clock(false, 4, false, true), 0x13);
    assert_eq!(clock(false, 5, false, true), 0x13);
}

/// A memory without the output register that the enable is for.
struct Wrong;

impl Block for Wrong {
    type Io<S> = RamIo<S>;

    fn name(&self) -> String {
        "wrong".into()
    }

    fn io(&self) -> RamIo<Shape> {
        RamIo::shape()
    }

    fn build(&self, _: &RamIo<Bits>) {
        memory::simple_dual(8, 8).output_enable().latency(1).simple();
    }
}

#[test]
fn it_needs_the_output_register() {
    let errors = elaborate(&Wrong).unwrap_err();
    assert!(errors.has(Fault::Config) && errors.to_string().contains("output register with an enable"), "{errors}");
}
