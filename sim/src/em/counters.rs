//! The counters, read over the bus.

use super::setup::{EmSim, SimError};
use em_rtl::{
    csr::{PortCounter, outcome_counter, port_counter},
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

/// Every counter at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadCounters {
    /// Frames by outcome.
    pub outcomes: Vec<(Outcome, u64)>,
    /// From the host.
    pub host: PortCount,
    /// To net0.
    pub net0: PortCount,
    /// To the Orchestration Module.
    pub punt: PortCount,
}

impl ReadCounters {
    /// Frames with this outcome.
    pub fn of(&self, outcome: Outcome) -> u64 {
        self.outcomes.iter().find(|(o, _)| *o == outcome).map_or(0, |(_, n)| *n)
    }

    fn total(&self, kind: Kind) -> u64 {
        self.outcomes.iter().filter(|(o, _)| o.kind() == kind).map(|(_, n)| n).sum()
    }

    /// Frames forwarded.
    pub fn forwarded_total(&self) -> u64 {
        self.total(Kind::Forward)
    }

    /// Frames punted.
    pub fn punted_total(&self) -> u64 {
        self.total(Kind::Punt)
    }

    /// Frames dropped.
    pub fn dropped_total(&self) -> u64 {
        self.total(Kind::Drop)
    }
}

pub(super) fn read(em: &mut EmSim) -> Result<ReadCounters, SimError> {
    let outcomes = Outcome::ALL.iter().map(|o| Ok((*o, read64(em, outcome_counter(*o))?))).collect::<Result<_, SimError>>()?;
    let mut port = |frames, bytes| -> Result<PortCount, SimError> {
        Ok(PortCount { frames: read64(em, port_counter(frames))?, bytes: read64(em, port_counter(bytes))? })
    };
    Ok(ReadCounters {
        outcomes,
        host: port(PortCounter::HostRxFrames, PortCounter::HostRxBytes)?,
        net0: port(PortCounter::Net0TxFrames, PortCounter::Net0TxBytes)?,
        punt: port(PortCounter::PuntTxFrames, PortCounter::PuntTxBytes)?,
    })
}

/// The low word latches the high one.
fn read64(em: &mut EmSim, addr: u32) -> Result<u64, SimError> {
    let (low, _) = em.bench.read(em.m2m, u64::from(addr))?;
    let (high, _) = em.bench.read(em.m2m, u64::from(addr) + 4)?;
    Ok(u64::from(high) << 32 | u64::from(low))
}
