//! The register bus of the whole EM: every address answers, with what the map says.

use em_rtl::{
    csr::{Access, PortCounter, Reg, counters, outcome_counter, port_counter},
    outcome::Outcome,
};
use em_sim::bfm::Resp;
use em_testbench::em::{
    Hardware,
    provoke::{RULES, good},
};

#[test]
fn every_address_answers() {
    let mut board = Hardware::strict("ecp5").scoreboard(RULES, 160);
    let em = &mut board.em;
    let is_counter = |addr: u32| counters().iter().any(|c| addr & !7 == c.offset);
    let reg_at = |addr: u32| Reg::ALL.iter().copied().find(|r| r.offset() == addr);
    // All of the map, and words beyond it: the last, and those that differ from a register in one bit of the address.
    let mut addresses: Vec<u32> = (0..0x800).step_by(4).collect();
    addresses.extend((11..16).flat_map(|bit| Reg::ALL.iter().map(move |r| 1 << bit | r.offset())));
    addresses.extend([0x800, 0x1400, 0x7ffc, 0x8000, 0xfffc]);
    let mut unknown = 0;
    for addr in addresses {
        let (data, read) = em.bench.read(em.m2m, u64::from(addr)).unwrap_or_else(|e| panic!("{addr:#x}: {e}"));
        // Commands are tried elsewhere; a write that is no command must not harm.
        let command = matches!(reg_at(addr), Some(Reg::Control | Reg::NatCommand | Reg::FunctionEntry));
        let write = if command { Resp::Okay } else { em.bench.write(em.m2m, u64::from(addr), 0).unwrap() };
        match reg_at(addr) {
            Some(reg) => {
                assert_eq!(
                    read,
                    if reg.access() == Access::Wo { Resp::SlvErr } else { Resp::Okay },
                    "read {}",
                    reg.name()
                );
                assert_eq!(
                    write,
                    if reg.access() == Access::Ro { Resp::SlvErr } else { Resp::Okay },
                    "write {}",
                    reg.name()
                );
            }
            None if is_counter(addr) => {
                assert_eq!((read, write), (Resp::Okay, Resp::SlvErr), "counter at {addr:#x}");
            }
            None => {
                assert_eq!((data, read, write), (0, Resp::DecErr, Resp::DecErr), "nothing at {addr:#x}");
                unknown += 1;
            }
        }
    }
    assert!(unknown > 300);
    // The upper half of a counter whose lower half was not the last one read.
    em.bench.read(em.m2m, u64::from(outcome_counter(Outcome::Net0))).unwrap();
    let other = u64::from(port_counter(PortCounter::HostRxBytes)) + 4;
    assert_eq!(em.bench.read(em.m2m, other).unwrap(), (0, Resp::SlvErr));
    board.run(&[good(64, 1)]).unwrap_or_else(|e| panic!("{e}"));
}
