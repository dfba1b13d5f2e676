//! Building the model, putting drivers on its ports, installing rules.

use super::counters::{self, ReadCounters};
use crate::{
    bfm::{AxilConfig, Bench, BenchError, Frame, Resp, Stall, StreamConfig},
    capture::MAX_FRAME,
    program::RegisterWrite,
    verilated::{self, BuildError, Library, ModelError, ModelSpec, Options, Trace},
};
use em_rtl::{config::EmConfig, csr::Reg, lookup::TableStatus, stream::HostUser, top::EmTop};
use hdl::{Encode, Value};
use std::sync::Arc;

/// Clocks that the tables may take to clear themselves after reset.
const READY_LIMIT: u64 = 100_000;

/// How the Execution Module is simulated.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The hardware's configuration.
    pub config: EmConfig,
    /// Assertions in the Verilog are compiled in.
    pub assertions: bool,
    /// Registers and memories without reset start from random bits.
    pub random_start: bool,
    /// Waveforms that the model can write.
    pub trace: Trace,
    /// Percent of cycles in which each side of each stream holds up, at random.
    pub stall: u8,
    /// Seed of every random choice.
    pub seed: u64,
}

impl Setup {
    /// A plain, fast simulation of this configuration.
    pub fn new(config: EmConfig) -> Self {
        Setup { config, assertions: false, random_start: false, trace: Trace::None, stall: 0, seed: 1 }
    }

    /// With assertions, random start values and random stalls: as tests run it.
    pub fn strict(config: EmConfig, seed: u64) -> Self {
        Setup { assertions: true, random_start: true, stall: 30, seed, ..Self::new(config) }
    }

    /// The model to build.
    pub fn spec(&self) -> Result<ModelSpec, SimError> {
        let design = hdl::elaborate(&EmTop { config: self.config.clone() }).map_err(SimError::Elaboration)?;
        let options = Options {
            assertions: self.assertions,
            x_initial_unique: self.random_start,
            trace: self.trace,
            ..Options::default()
        };
        Ok(ModelSpec::of(&design, options))
    }
}

/// Why a simulation failed.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// The configuration does not elaborate.
    #[error("the design does not elaborate: {0}")]
    Elaboration(hdl::ElabErrors),
    /// Verilator is missing or refused the Verilog.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The model failed: an assertion in the Verilog, or a port that is not there.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A bus rule was broken or a transfer timed out.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// The tables did not become ready.
    #[error("the tables were not ready {READY_LIMIT} clocks after reset")]
    NotReady,
    /// A register write was refused.
    #[error("the register write of {data:#x} to {addr:#x} was refused with {resp:?} ({status})")]
    Refused {
        /// Byte address.
        addr: u32,
        /// Data.
        data: u32,
        /// Response of the bus.
        resp: Resp,
        /// The table's own word for it.
        status: String,
    },
    /// Frames stayed in the module.
    #[error("{missing} of {sent} frames did not come out within {limit} clocks of the last one")]
    Stuck {
        /// Frames without an outcome.
        missing: u64,
        /// Frames sent.
        sent: u64,
        /// Clocks waited.
        limit: u64,
    },
}

/// A running Execution Module.
pub struct EmSim {
    /// The bench; step it by hand for anything the methods here don't do.
    pub bench: Bench,
    /// Place of the host source in the bench.
    pub host: usize,
    /// Place of the net0 sink.
    pub net0: usize,
    /// Place of the punt sink.
    pub punt: usize,
    /// Place of the management bus.
    pub m2m: usize,
    /// The hardware's configuration.
    pub config: EmConfig,
    pub(super) last_out: u64,
}

impl EmSim {
    /// Builds (or finds) the model, resets it and waits until its tables are ready.
    pub fn start(setup: &Setup) -> Result<Self, SimError> {
        Self::instance(&verilated::build(&setup.spec()?)?, setup)
    }

    /// A fresh instance of a model that was built of this set-up (with another seed or stalls, perhaps).
    pub fn instance(library: &Arc<Library>, setup: &Setup) -> Result<Self, SimError> {
        let mut bench = Bench::new(library.instance(setup.seed), "clk", Some("rst"))?;
        let stream = |n: u64, bad_bit| StreamConfig {
            stall: match setup.stall {
                0 => Stall::None,
                percent => Stall::Random { percent, seed: setup.seed.wrapping_mul(31).wrapping_add(n) },
            },
            bad_bit,
            seed: setup.seed.wrapping_add(n),
            // Whatever a capture may hold goes in; the hardware counts what is too long for it.
            max_frame: MAX_FRAME as usize,
            ..StreamConfig::default()
        };
        let host = bench.add_source("s_axis_host_", &stream(1, Some(0)))?;
        let net0 = bench.add_sink("m_axis_net0_", &stream(2, Some(0)))?;
        let punt = bench.add_sink("m_axis_punt_", &stream(3, None))?;
        let m2m = bench.add_axil("s_axil_m2m_", AxilConfig::default())?;
        let mut em = EmSim { bench, host, net0, punt, m2m, config: setup.config.clone(), last_out: 0 };
        em.bench.reset(4)?;
        em.wait_ready()?;
        Ok(em)
    }

    fn wait_ready(&mut self) -> Result<(), SimError> {
        let limit = self.bench.cycle() + READY_LIMIT;
        while self.bench.cycle() < limit {
            let (status, _) = self.bench.read(self.m2m, u64::from(Reg::Status.offset()))?;
            if status & Reg::Status.field("ready").mask() != 0 {
                return Ok(());
            }
            self.bench.run(32)?;
        }
        Err(SimError::NotReady)
    }

    /// Installs rules by register writes.
    pub fn program(&mut self, writes: &[RegisterWrite]) -> Result<(), SimError> {
        for w in writes {
            let resp = self.bench.write(self.m2m, u64::from(w.addr), w.data)?;
            if resp != Resp::Okay {
                let register = if w.addr == Reg::NatCommand.offset() { Reg::NatStatus } else { Reg::FunctionStatus };
                let (code, _) = self.bench.read(self.m2m, u64::from(register.offset()))?;
                let status = TableStatus::VARIANTS.iter().find(|(_, s)| s.encoded() == u64::from(code));
                let status = status.map_or_else(|| format!("status {code}"), |(_, s)| s.doc().to_string());
                return Err(SimError::Refused { addr: w.addr, data: w.data, resp, status });
            }
        }
        Ok(())
    }

    /// Queues a frame from the host.
    pub fn send(&mut self, function: u16, bad: bool, frame: &[u8]) -> Result<(), SimError> {
        let user = HostUser::<Value> { bad: Value::zero(1), function: Value::new(16, u128::from(function)) };
        let user = hdl::bundle::pack_values(&user).to_u64();
        self.bench.sources[self.host].send(Frame { data: frame.to_vec(), user, bad })?;
        Ok(())
    }

    /// Reads every counter.
    pub fn counters(&mut self) -> Result<ReadCounters, SimError> {
        counters::read(self)
    }

    /// Runs until every frame sent so far has come out, been punted or been counted as dropped, and the outputs are quiet.
    pub fn settle(&mut self) -> Result<(), SimError> {
        const LIMIT: u64 = 200_000;
        while self.bench.sources[self.host].queued() > 0 {
            self.bench.run(16)?;
        }
        let end = self.bench.cycle() + LIMIT;
        loop {
            let counters = self.counters()?;
            let out = self.bench.sinks[self.net0].frames() + self.bench.sinks[self.punt].frames();
            let (sent, done) = (self.bench.sources[self.host].frames(), counters.dropped_total() + out);
            if done >= sent {
                self.bench.run(64)?;
                return Ok(());
            }
            if self.bench.cycle() > end {
                return Err(SimError::Stuck { missing: sent - done, sent, limit: LIMIT });
            }
            self.bench.run(64)?;
        }
    }
}
