//! The AXI4-Lite slave: turns the bus's five channels into one register access at a time.
//!
//! ```text
//!            ┌───────────────┐
//!  s_axil ──▶│ axi_lite_slave│──▶ bus: write or read, one at a time, until its `done`
//!            └───────────────┘
//! ```
//!
//! | port | |
//! |---|---|
//! | `s_axil` | AXI4-Lite, 32-bit data; protection types are not looked at |
//! | `bus` | `write` or `read` of a word, one at a time, until `done` with `resp` and `read_data` |
//!
//! Latency: 2 clocks from the last of address and data to the access, 1 from `done` to the response.
//!
//! A write whose data comes two clocks before its address; the response waits to be taken:
//!
//! ```text
//! cycle            1  2  3  4  5  6  7  8  9  10
//! s_axil_awvalid  ______/‾‾\____________________
//! s_axil_awready  ‾‾‾‾‾‾‾‾‾\________/‾‾‾‾‾‾‾‾‾‾‾
//! s_axil_wvalid   ‾‾‾\__________________________
//! s_axil_wready   ‾‾‾\______________/‾‾‾‾‾‾‾‾‾‾‾
//! s_axil_bvalid   __________________/‾‾‾‾‾‾‾‾\__
//! s_axil_bready   ________________________/‾‾‾‾‾
//! bus_write       ____________/‾‾\______________
//! bus_word        |0    |4
//! bus_done        _______________/‾‾\___________
//! ```
//!
//! 1. Address and data of a write may come in either order, any number of clocks apart (ARM IHI 0022, A3.3).
//! 2. A response, once valid, stays until it is taken. Each access has exactly one.
//! 3. Reads and writes that wait at the same time are served in turn.
//! 4. An unaligned address answers SLVERR and has no effect.
//! 5. All outputs are registers: nothing on the bus depends combinationally on anything else on it.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/axi_lite_slave` | LFE5UM5G-45F-8 | 86 | 133 | 0 | 352 / 358 / 374 | 162.5 |

use super::{AxiLite, RegBus};
use hdl::*;

/// Responses (ARM IHI 0022, A3.4.4).
pub mod resp {
    /// Done.
    pub const OKAY: u64 = 0;
    /// The register refused.
    pub const SLVERR: u64 = 2;
    /// There is no register.
    pub const DECERR: u64 = 3;
}

/// Configuration of a slave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AxiLiteSlave {
    /// Bits of a byte address.
    pub addr_w: u32,
}

/// Ports of a slave.
#[derive(Bundle, Clone, Debug)]
#[bundle(addr_w: u32)]
pub struct AxiLiteSlaveIo<S> {
    /// The bus.
    #[input]
    #[shape(AxiLite::shape(addr_w))]
    pub s_axil: AxiLite<S>,
    /// Register accesses.
    #[output]
    #[shape(RegBus::shape(addr_w))]
    pub bus: RegBus<S>,
}

/// What the slave is doing.
#[derive(Encode, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Waits for an address (and data).
    Idle,
    /// A write is under way.
    Write,
    /// A read is under way.
    Read,
}

impl Block for AxiLiteSlave {
    type Io<S> = AxiLiteSlaveIo<S>;

    fn name(&self) -> String {
        "axi_lite_slave".into()
    }

    fn doc(&self) -> String {
        "AXI4-Lite slave: one register access at a time.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("addr", self.addr_w.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        match self.addr_w {
            3..=64 => Ok(()),
            n => Err(format!("axi_lite_slave with addresses of {n} bits: use 3 to 64")),
        }
    }

    fn io(&self) -> AxiLiteSlaveIo<Shape> {
        AxiLiteSlaveIo::shape(self.addr_w)
    }

    #[names]
    fn build(&self, io: &AxiLiteSlaveIo<Bits>) {
        let (s, bus) = (&io.s_axil, &io.bus);
        s.awprot.ignore();
        s.arprot.ignore();
        let step = state(Step::Idle);
        let write_over = wire(1);
        let read_over = wire(1);
        let aw_full = holder("aw_full", s.awvalid, s.awready, write_over);
        let w_full = holder("w_full", s.wvalid, s.wready, write_over);
        let ar_full = holder("ar_full", s.arvalid, s.arready, read_over);
        let awaddr = s.awaddr.delay_enable(s.awready);
        let araddr = s.araddr.delay_enable(s.arready);
        bus.write_data.registered();
        bus.write_strb.registered();
        when(s.wready, || {
            bus.write_data.set(s.wdata);
            bus.write_strb.set(s.wstrb);
        });

        let read_next = reg(1).reset(0);
        let can_write = aw_full & w_full & !s.bvalid;
        let can_read = ar_full & !s.rvalid;
        let choose_read = can_read & (read_next | !can_write);
        let chosen_addr = mux(choose_read, araddr, awaddr);
        let unaligned = chosen_addr.trunc(2).any();
        bus.write.reset(0).set(0);
        bus.read.reset(0).set(0);
        bus.word.registered();
        s.bvalid.reset(0);
        s.rvalid.reset(0);
        s.bresp.registered();
        s.rresp.registered();
        s.rdata.registered();
        write_over.set(0);
        read_over.set(0);
        when(s.bready, || s.bvalid.set(0));
        when(s.rready, || s.rvalid.set(0));
        // An unaligned access is none of the registers: it is refused a clock later.
        let refused = reg(1);
        let over = bus.done | refused;
        let resp = mux(refused, lit(2, resp::SLVERR.into()), bus.resp);
        step.switch(|now| match now {
            Step::Idle => {
                when(can_write | can_read, || read_next.set(!choose_read));
                bus.word.set(chosen_addr.slice(2..));
                refused.set(unaligned);
                when(choose_read, || {
                    bus.read.set(!unaligned);
                    step.go(Step::Read);
                })
                .elsewhen(can_write, || {
                    bus.write.set(!unaligned);
                    step.go(Step::Write);
                });
            }
            Step::Write => {
                s.bresp.set(resp);
                when(over, || {
                    s.bvalid.set(1);
                    write_over.set(1);
                    step.go(Step::Idle);
                });
            }
            Step::Read => {
                s.rresp.set(resp);
                s.rdata.set(bus.read_data & (!refused).repeat(32));
                when(over, || {
                    s.rvalid.set(1);
                    read_over.set(1);
                    step.go(Step::Idle);
                });
            }
        });
    }
}

/// One place for a transfer: taken when `valid` meets `ready`, given free by `over`. Drives `ready` from a register.
fn holder(name: &str, valid: Bits, ready: Bits, over: Bits) -> Bits {
    let full = reg(1).reset(0).named(name);
    let still_full = ((full | (valid & ready)) & !over).named(&format!("{name}_next"));
    full.set(still_full);
    ready.reset(0).set(!still_full);
    full
}
