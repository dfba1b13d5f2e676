//! The counters, read over the bus.

use super::{
    ports::{Input, Output},
    setup::{EmSim, SimError},
};
use em_rtl::{
    csr::{PortCounter, Reg, outcome_counter, port_counter},
    outcome::{Kind, Outcome},
};

/// Frames and bytes at a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCount {
    /// Frames.
    pub frames: u64,
    /// Bytes, without FCS.
    pub bytes: u64,
}

impl std::ops::AddAssign for PortCount {
    fn add_assign(&mut self, other: Self) {
        self.frames += other.frames;
        self.bytes += other.bytes;
    }
}

/// Every counter at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadCounters {
    /// Frames by outcome.
    pub outcomes: Vec<(Outcome, u64)>,
    inputs: [PortCount; 4],
    outputs: [PortCount; 4],
}

impl ReadCounters {
    /// Frames with this outcome.
    pub fn of(&self, outcome: Outcome) -> u64 {
        self.outcomes.iter().find(|(o, _)| *o == outcome).map_or(0, |(_, n)| *n)
    }

    /// What came in by this port; 0 where the hardware does not count it.
    pub fn input(&self, input: Input) -> PortCount {
        self.inputs[input as usize]
    }

    /// What went out by this port; 0 where the hardware does not count it.
    pub fn output(&self, output: Output) -> PortCount {
        self.outputs[output as usize]
    }

    /// Frames with an outcome of this kind.
    pub fn total(&self, kind: Kind) -> u64 {
        self.outcomes.iter().filter(|(o, _)| o.kind() == kind).map(|(_, n)| n).sum()
    }
}

pub(super) fn read(em: &mut EmSim) -> Result<ReadCounters, SimError> {
    latch(em)?;
    let outcomes =
        Outcome::ALL.iter().map(|o| Ok((*o, read64(em, outcome_counter(*o))?))).collect::<Result<_, SimError>>()?;
    let mut port = |port| -> Result<PortCount, SimError> {
        let at = port_counter(port);
        Ok(PortCount { frames: read64(em, at)?, bytes: read64(em, at + 8)? })
    };
    let mut counters = ReadCounters { outcomes, ..ReadCounters::default() };
    counters.inputs[Input::Host as usize] = port(PortCounter::HostRx)?;
    counters.inputs[Input::Net0 as usize] = port(PortCounter::Net0Rx)?;
    counters.inputs[Input::Net1 as usize] = port(PortCounter::Net1Rx)?;
    counters.inputs[Input::Inject as usize] = port(PortCounter::InjectRx)?;
    counters.outputs[Output::Host as usize] = port(PortCounter::HostTx)?;
    counters.outputs[Output::Net0 as usize] = port(PortCounter::Net0Tx)?;
    counters.outputs[Output::Net1 as usize] = port(PortCounter::Net1Tx)?;
    counters.outputs[Output::Punt as usize] = port(PortCounter::PuntTx)?;
    Ok(counters)
}

/// Frames dropped so far: what became of those that did not come out.
pub(super) fn dropped(em: &mut EmSim) -> Result<u64, SimError> {
    latch(em)?;
    let drops = Outcome::ALL.iter().filter(|o| o.kind() == Kind::Drop);
    drops.map(|o| read64(em, outcome_counter(*o))).sum()
}

/// Takes a snapshot of all counters, at one instant.
fn latch(em: &mut EmSim) -> Result<(), SimError> {
    let (register, busy) = (Reg::CounterLatch.offset().into(), Reg::CounterLatch.mask());
    em.bench.write(em.m2m, register, busy)?;
    while em.bench.read(em.m2m, register)?.0 & busy != 0 {}
    Ok(())
}

fn read64(em: &mut EmSim, addr: u32) -> Result<u64, SimError> {
    let (low, _) = em.bench.read(em.m2m, u64::from(addr))?;
    let (high, _) = em.bench.read(em.m2m, u64::from(addr) + 4)?;
    Ok(u64::from(high) << 32 | u64::from(low))
}
