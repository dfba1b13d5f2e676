//! What the model counts.

use std::collections::BTreeMap;

use crate::{Arrival, DropReason, Port, PuntReason, Verdict};

/// A number of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Frames.
    pub frames: u64,
    /// Their bytes, without FCS.
    pub bytes: u64,
}

impl Traffic {
    fn add(&mut self, bytes: usize) {
        self.frames += 1;
        self.bytes += bytes as u64;
    }
}

/// What was done for a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionTraffic {
    /// Forwarded to the network, from the host or injected.
    pub tx: Traffic,
    /// Forwarded to it.
    pub rx: Traffic,
    /// Frames from it that were dropped.
    pub dropped: u64,
}

/// Frames and bytes (without FCS) by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames that came in, on all ports.
    pub frames_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Frames that were forwarded, translated or not.
    pub frames_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Those of them that were translated.
    pub translated: u64,
    entered: [Traffic; Port::ALL.len()],
    left: [Traffic; Port::ALL.len()],
    functions: BTreeMap<u16, FunctionTraffic>,
    punts: BTreeMap<PuntReason, u64>,
    drops: BTreeMap<DropReason, u64>,
}

impl Counters {
    /// What came in on `port`.
    pub fn entered(&self, port: Port) -> Traffic {
        self.entered[usize::from(port.code())]
    }

    /// What left on `port`.
    pub fn left(&self, port: Port) -> Traffic {
        self.left[usize::from(port.code())]
    }

    /// What was done for the function with this number.
    pub fn function(&self, number: u16) -> FunctionTraffic {
        self.functions.get(&number).copied().unwrap_or_default()
    }

    /// Frames dropped for `reason`.
    pub fn dropped(&self, reason: DropReason) -> u64 {
        self.drops.get(&reason).copied().unwrap_or(0)
    }

    /// Frames punted for `reason`.
    pub fn punted(&self, reason: PuntReason) -> u64 {
        self.punts.get(&reason).copied().unwrap_or(0)
    }

    /// Every reason that dropped frames, with its count.
    pub fn drops(&self) -> impl Iterator<Item = (DropReason, u64)> + '_ {
        self.drops.iter().map(|(reason, count)| (*reason, *count))
    }

    /// Every reason that punted frames, with its count.
    pub fn punts(&self) -> impl Iterator<Item = (PuntReason, u64)> + '_ {
        self.punts.iter().map(|(reason, count)| (*reason, *count))
    }

    /// All punted frames.
    pub fn punted_total(&self) -> u64 {
        self.punts.values().sum()
    }

    /// All dropped frames.
    pub fn dropped_total(&self) -> u64 {
        self.drops.values().sum()
    }

    pub(crate) fn count(&mut self, arrival: Arrival, bytes: usize, verdict: &Verdict, translated: bool) {
        self.frames_in += 1;
        self.bytes_in += bytes as u64;
        self.translated += u64::from(translated);
        self.entered[usize::from(arrival.port().code())].add(bytes);
        match verdict {
            Verdict::Forward { port, function, frame } => {
                self.frames_out += 1;
                self.bytes_out += frame.len() as u64;
                self.left[usize::from(port.code())].add(frame.len());
                let function = self.functions.entry(*function).or_default();
                let direction = if *port == Port::Host { &mut function.rx } else { &mut function.tx };
                direction.add(frame.len());
            }
            Verdict::Punt { reason, frame, .. } => {
                *self.punts.entry(*reason).or_default() += 1;
                self.left[usize::from(Port::Om.code())].add(frame.len());
            }
            Verdict::Drop(reason) => {
                *self.drops.entry(*reason).or_default() += 1;
                if let Arrival::Host { function } = arrival {
                    self.functions.entry(function).or_default().dropped += 1;
                }
            }
        }
    }
}
