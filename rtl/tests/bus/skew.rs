//! Case BUS-01 (ARM IHI 0022, A3.3): a write's address and data come in any order and at any distance. Driven wire by
//! wire, so that the same sequences run on the native simulator and on emitted Verilog.

use std::collections::VecDeque;

/// The wires of a bus, without their prefix, and its clock.
pub trait Wires {
    /// Drives an input of the slave.
    fn set(&mut self, wire: &str, value: u64);
    /// A wire's value now.
    fn get(&mut self, wire: &str) -> u64;
    /// One clock.
    fn clock(&mut self);
}

/// A write, and the clocks in which its address and data are offered.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    pub addr: u32,
    pub data: u32,
    pub aw_at: u64,
    pub w_at: u64,
}

/// Everything low.
pub fn idle(bus: &mut impl Wires) {
    for wire in ["awvalid", "wvalid", "bready", "arvalid", "rready", "awprot", "arprot"] {
        bus.set(wire, 0);
    }
}

/// Carries out the writes, the response to each taken `b_delay` clocks after it is valid. Returns the responses in order.
///
/// # Panics
/// If a response comes before its address and data were both taken, falls or changes before it is taken, comes without a
/// write, or does not come.
pub fn writes(bus: &mut impl Wires, writes: &[Write], b_delay: u64) -> Vec<u64> {
    let mut addresses: VecDeque<Write> = writes.iter().copied().collect();
    let mut data = addresses.clone();
    let mut responses = Vec::new();
    let mut held: Option<(u64, u64)> = None;
    for clock in 0..600 {
        let address = addresses.front().filter(|w| w.aw_at <= clock).copied();
        let word = data.front().filter(|w| w.w_at <= clock).copied();
        bus.set("awvalid", address.is_some().into());
        bus.set("awaddr", address.map_or(0xdead, |w| w.addr.into()));
        bus.set("wvalid", word.is_some().into());
        bus.set("wdata", word.map_or(0xdead_beef, |w| w.data.into()));
        bus.set("wstrb", if word.is_some() { 15 } else { 9 });
        let response = (bus.get("bvalid") == 1).then(|| bus.get("bresp"));
        let waited = held.map_or(0, |(_, waited)| waited);
        let ready = response.is_some() && waited >= b_delay;
        bus.set("bready", ready.into());
        if let Some((before, _)) = held {
            assert_eq!(response, Some(before), "clock {clock}: a response changed before it was taken");
        }
        if response.is_some() {
            let taken = writes.len() - addresses.len().max(data.len());
            assert!(responses.len() < taken, "clock {clock}: a response before address and data were both taken");
        }
        held = response.filter(|_| !ready).map(|resp| (resp, waited + 1));
        if address.is_some() && bus.get("awready") == 1 {
            addresses.pop_front();
        }
        if word.is_some() && bus.get("wready") == 1 {
            data.pop_front();
        }
        bus.clock();
        responses.extend(response.filter(|_| ready));
        if responses.len() == writes.len() && clock > 40 {
            idle(bus);
            return responses;
        }
    }
    panic!("only {responses:?} came of {writes:?} with {b_delay} clocks before each is taken");
}

/// What is read, and the response.
pub fn read(bus: &mut impl Wires, addr: u32) -> (u32, u64) {
    bus.set("arvalid", 1);
    bus.set("araddr", addr.into());
    while bus.get("arready") == 0 {
        bus.clock();
    }
    bus.clock();
    bus.set("arvalid", 0);
    bus.set("rready", 1);
    for _ in 0..100 {
        if bus.get("rvalid") == 1 {
            let got = (bus.get("rdata") as u32, bus.get("rresp"));
            bus.clock();
            bus.set("rready", 0);
            return got;
        }
        bus.clock();
    }
    panic!("the read of {addr:#x} is not answered");
}

/// All of the case: every skew in both orders, every delay of the response, one and several writes outstanding. `registers`
/// are two that keep what is written, with the bits that they have.
pub fn bus_01(bus: &mut impl Wires, registers: [(u32, u32); 2]) {
    idle(bus);
    let mut data = 0x1111_1111u32;
    for skew in [-10i64, -7, -3, -2, -1, 0, 1, 2, 3, 7, 10] {
        let (aw_at, w_at) = ((-skew).max(0) as u64, skew.max(0) as u64);
        for b_delay in 0..=5 {
            for (addr, mask) in registers {
                data = data.rotate_left(5) ^ 0x0123_4567;
                assert_eq!(writes(bus, &[Write { addr, data, aw_at, w_at }], b_delay), [0], "skew {skew}");
                assert_eq!(read(bus, addr), (data & mask, 0), "skew {skew}, BREADY after {b_delay}");
            }
            // Several outstanding, all the addresses before or after all the data.
            let both: Vec<Write> = (0..4)
                .map(|i| {
                    data = data.rotate_left(7) ^ 0x89ab_cdef;
                    Write { addr: registers[i % 2].0, data, aw_at, w_at }
                })
                .collect();
            assert_eq!(writes(bus, &both, b_delay), [0; 4], "skew {skew}");
            for (i, (addr, mask)) in registers.into_iter().enumerate() {
                assert_eq!(read(bus, addr), (both[2 + i].data & mask, 0), "skew {skew}, BREADY after {b_delay}");
            }
        }
    }
}
