//! Building the model, putting drivers on its ports, installing rules.

use super::{
    counters::{self, ReadCounters},
    ports::{Entry, Input, Output},
};
use crate::{
    bfm::{AxilConfig, Bench, BenchError, Frame, Resp, Sink, Source, Stall, StreamConfig},
    capture::MAX_FRAME,
    program::RegisterWrite,
    verilated::{self, BuildError, Library, ModelError, ModelSpec, Options, Trace},
};
use em_rtl::{
    config::EmConfig,
    csr::Reg,
    lookup::{Table, TableStatus},
    top::EmTop,
};
use hdl::Encode;
use std::sync::Arc;

/// Clocks that a bus access may take beside the clocks of the tables.
const BUS_PATIENCE: u64 = 10_000;

/// How the Execution Module is simulated.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The hardware's configuration.
    pub config: EmConfig,
    /// Assertions in the Verilog are compiled in.
    pub assertions: bool,
    /// Registers and memories without reset start from random bits.
    pub random_start: bool,
    /// Payload is random while it is not valid; otherwise it stays as it was, which simulates faster.
    pub random_idle: bool,
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
        Setup {
            config,
            assertions: false,
            random_start: false,
            random_idle: false,
            trace: Trace::None,
            stall: 0,
            seed: 1,
        }
    }

    /// With assertions, random start values and random stalls: as tests run it.
    pub fn strict(config: EmConfig, seed: u64) -> Self {
        Setup { assertions: true, random_start: true, random_idle: true, stall: 30, seed, ..Self::new(config) }
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
    /// Frames for a stream that the configuration leaves out.
    #[error("the hardware has no port {0}. Use a profile that has it, or leave its frames out.")]
    NoPort(String),
    /// The module put out a frame that it had itself marked bad.
    #[error("{port} gave a frame marked bad in clock {clock}")]
    BadOut {
        /// The stream.
        port: String,
        /// Clock of the frame's last beat.
        clock: u64,
    },
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
    #[error("the tables were not ready {0} clocks after reset")]
    NotReady(u64),
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

/// Clocks that the longest table command may take, which goes through all slots one by one, and then some.
fn patience(config: &EmConfig) -> u64 {
    let tables = config.tables();
    let slots: u64 = Table::ALL.into_iter().map(|table| u64::from(tables.geometry(table).slots())).sum();
    BUS_PATIENCE + 32 * slots
}

/// A running Execution Module.
pub struct EmSim {
    /// The bench; step it by hand for anything the methods here don't do.
    pub bench: Bench,
    /// Place of the management bus in the bench.
    pub m2m: usize,
    /// The hardware's configuration.
    pub config: EmConfig,
    /// Places in the bench of the streams that there are.
    sources: [Option<usize>; 4],
    sinks: [Option<usize>; 4],
}

impl EmSim {
    /// Builds (or finds) the model, resets it and waits until its tables are ready.
    pub fn start(setup: &Setup) -> Result<Self, SimError> {
        Self::instance(&verilated::build(&setup.spec()?)?, setup)
    }

    /// A fresh instance of a model that was built of this set-up (with another seed or stalls, perhaps). Both links are up.
    pub fn instance(library: &Arc<Library>, setup: &Setup) -> Result<Self, SimError> {
        let mut bench = Bench::new(library.instance(setup.seed), "clk", Some("rst"))?;
        let stream = |n: u64, bad_bit| StreamConfig {
            stall: match setup.stall {
                0 => Stall::None,
                percent => Stall::Random { percent, seed: setup.seed.wrapping_mul(31).wrapping_add(n) },
            },
            bad_bit,
            random_idle: setup.random_idle,
            seed: setup.seed.wrapping_add(n),
            // Whatever a capture may hold goes in; the hardware counts what is too long for it.
            max_frame: MAX_FRAME as usize,
            ..StreamConfig::default()
        };
        let there = |bench: &Bench, prefix: &str| bench.model.find_port(&format!("{prefix}tvalid")).is_some();
        let (mut sources, mut sinks) = ([None; 4], [None; 4]);
        for input in Input::ALL {
            if there(&bench, input.prefix()) {
                let config = stream(1 + input as u64, Some(0));
                sources[input as usize] = Some(bench.add_source(input.prefix(), &config)?);
            }
        }
        for output in Output::ALL {
            if there(&bench, output.prefix()) {
                let config = stream(11 + output as u64, output.bad_bit());
                sinks[output as usize] = Some(bench.add_sink(output.prefix(), &config)?);
            }
        }
        let m2m = bench.add_axil(
            "s_axil_m2m_",
            AxilConfig { random_idle: setup.random_idle, timeout: patience(&setup.config), ..AxilConfig::default() },
        )?;
        let mut em = EmSim { bench, m2m, config: setup.config.clone(), sources, sinks };
        em.set_links([true; 2]);
        em.bench.reset(4)?;
        em.wait_ready()?;
        Ok(em)
    }

    fn wait_ready(&mut self) -> Result<(), SimError> {
        let patience = patience(&self.config);
        let limit = self.bench.cycle() + patience;
        while self.bench.cycle() < limit {
            let (status, _) = self.bench.read(self.m2m, u64::from(Reg::Status.offset()))?;
            if status & Reg::Status.field("ready").mask() != 0 {
                return Ok(());
            }
            self.bench.run(32)?;
        }
        Err(SimError::NotReady(patience))
    }

    /// Sets the status of the links of net0 and net1: true is up.
    pub fn set_links(&mut self, up: [bool; 2]) {
        if let Some(port) = self.bench.model.find_port("net_link_up") {
            self.bench.model.poke(port, u64::from(up[0]) | u64::from(up[1]) << 1);
        }
    }

    /// The driver of an input; `None` if the hardware has no such port.
    pub fn source(&mut self, input: Input) -> Option<&mut Source> {
        self.sources[input as usize].map(|at| &mut self.bench.sources[at])
    }

    /// The driver of an output; `None` if the hardware has no such port.
    pub fn sink(&mut self, output: Output) -> Option<&mut Sink> {
        self.sinks[output as usize].map(|at| &mut self.bench.sinks[at])
    }

    /// Changes the stall pattern of every stream from the next beat on.
    pub fn set_stalls(&mut self, stall: Stall) {
        self.bench.sources.iter_mut().for_each(|s| s.set_stall(stall));
        self.bench.sinks.iter_mut().for_each(|s| s.set_stall(stall));
    }

    /// Installs rules by register writes.
    pub fn program(&mut self, writes: &[RegisterWrite]) -> Result<(), SimError> {
        for w in writes {
            let resp = self.bench.write(self.m2m, u64::from(w.addr), w.data)?;
            if resp != Resp::Okay {
                let (word, _) = self.bench.read(self.m2m, u64::from(Reg::TableStatus.offset()))?;
                let code = Reg::TableStatus.field("status").get(word);
                let status = TableStatus::VARIANTS.iter().find(|(_, s)| s.encoded() == u64::from(code));
                let status = status.map_or_else(|| format!("status {code}"), |(_, s)| s.doc().to_string());
                return Err(SimError::Refused { addr: w.addr, data: w.data, resp, status });
            }
        }
        Ok(())
    }

    /// Queues a frame.
    pub fn send(&mut self, entry: Entry, bad: bool, frame: &[u8]) -> Result<(), SimError> {
        let input = entry.input();
        let source = self.source(input).ok_or_else(|| SimError::NoPort(input.prefix().trim_end_matches('_').into()))?;
        source.send(Frame { data: frame.to_vec(), user: entry.user(), bad })?;
        Ok(())
    }

    /// Reads every counter.
    pub fn counters(&mut self) -> Result<ReadCounters, SimError> {
        counters::read(self)
    }

    /// Frames queued at the inputs, those under way included.
    pub fn queued(&self) -> usize {
        self.bench.sources.iter().map(Source::queued).sum()
    }

    /// Frames that the module has taken since the start.
    pub fn taken(&self) -> u64 {
        self.bench.sources.iter().map(Source::frames).sum()
    }

    /// Frames that have come out since the start, punted ones included.
    pub fn given(&self) -> u64 {
        self.bench.sinks.iter().map(Sink::frames).sum()
    }

    /// Runs until every frame sent so far has come out, been punted or been counted as dropped, and the outputs are quiet.
    pub fn settle(&mut self) -> Result<(), SimError> {
        const LIMIT: u64 = 200_000;
        while self.queued() > 0 {
            self.bench.run(16)?;
        }
        let end = self.bench.cycle() + LIMIT;
        loop {
            let sent = self.taken();
            let done = match self.given() {
                given if given >= sent => given,
                given => given + counters::dropped(self)?,
            };
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
