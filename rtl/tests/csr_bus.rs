//! Case BUS-01 on the registers, wire by wire in the native simulator.

mod bus;
#[path = "bus/skew.rs"]
mod skew;

use bus::CONFIG;
use em_rtl::csr::{Csr, Reg};
use hdl::sim::Sim;
use skew::Wires;

struct Native(Sim<Csr>);

impl Wires for Native {
    fn set(&mut self, wire: &str, value: u64) {
        let port = self.0.port(&format!("s_axil_{wire}"));
        self.0.poke(port, value);
    }

    fn get(&mut self, wire: &str) -> u64 {
        self.0.peek_u64(self.0.port(&format!("s_axil_{wire}")))
    }

    fn clock(&mut self) {
        self.0.step();
    }
}

#[test]
fn bus_01_address_and_data_in_any_order_and_at_any_distance() {
    let sim = Sim::with_seed(&Csr { config: CONFIG }, 1).unwrap();
    sim.reset();
    let mut bus = Native(sim);
    let registers = [Reg::Scratch, Reg::NotForUs].map(|r| (r.offset(), r.mask()));
    skew::bus_01(&mut bus, registers);
}
