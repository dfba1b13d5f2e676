//! Measuring one length.

use super::{Dir, Row, updates::Updates};
use crate::em::craft::{Ends, udp_of_length};
use em_model::{Arrival, Model, ModelConfig, Verdict};
use em_rtl::{
    config::Profile,
    lookup::{Table, nat_tx_key},
};
use em_rules::Rules;
use em_sim::{
    bfm::{Received, Sent},
    em::{EmSim, Entry, Input, Output, Setup, SimError},
    program,
    verilated::Library,
};
use std::sync::Arc;

/// One mapping, both ways.
const RULES: &str = r#"
[[function]]
id = 1
mode = "nat"
[[nat]]
function = 1
inside = "192.0.2.10"
outside = "203.0.113.5"
"#;
const FUNCTION: u16 = 1;
const INSIDE: [u8; 4] = [192, 0, 2, 10];
const OUTSIDE: [u8; 4] = [203, 0, 113, 5];

/// Key of the rules' mapping in a table.
pub(super) fn mapping_key(table: Table) -> Option<u64> {
    match table {
        Table::NatTx => Some(nat_tx_key(FUNCTION, u32::from_be_bytes(INSIDE))),
        Table::NatRx => Some(u32::from_be_bytes(OUTSIDE).into()),
        Table::Mac | Table::Function | Table::NextHop => None,
    }
}

/// Frames that are sent at least, however long they are.
const LEAST_FRAMES: u64 = 6;
/// Clocks without traffic before a frame's latency is measured.
const PAUSE: u64 = 24;
/// Clocks after which frames that are still missing count as lost.
const PATIENCE: u64 = 20_000;

/// Why a bench has no result.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The simulation failed.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// The EM did something wrong.
    #[error("{0}")]
    Wrong(String),
}

impl From<em_sim::bfm::BenchError> for BenchError {
    fn from(error: em_sim::bfm::BenchError) -> Self {
        BenchError::Sim(error.into())
    }
}

/// What was measured in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Clocks from the first frame's first beat to the last frame's, of the slower side.
    pub clocks: u64,
    /// Frames that began in these clocks.
    pub frames: u64,
    /// Clocks from the last beat in to the first beat out of a frame alone.
    pub latency: u64,
}

/// A running EM with the rules installed.
pub struct Probe {
    /// The hardware.
    pub em: EmSim,
    model: Model,
    profile: String,
    lanes: usize,
    /// Between two lengths: what it goes on with.
    updates: Option<Updates>,
}

/// A direction's way through the EM.
#[derive(Clone, Copy)]
struct Lane {
    entry: Entry,
    output: Output,
}

const TX: Lane = Lane { entry: Entry::Host { function: FUNCTION }, output: Output::Net0 };
const RX: Lane = Lane { entry: Entry::Net0, output: Output::Host };

impl Lane {
    fn of(dir: Dir) -> &'static [Lane] {
        match dir {
            Dir::Tx => &[TX],
            Dir::Rx => &[RX],
            Dir::Both => &[TX, RX],
        }
    }

    fn input(self) -> Input {
        self.entry.input()
    }

    /// A frame of this length that is translated.
    fn frame(self, length: usize) -> Vec<u8> {
        match self.entry {
            Entry::Host { .. } => udp_of_length(INSIDE, length, 0),
            Entry::Net0 | Entry::Net1 | Entry::Inject { .. } => Ends::to(OUTSIDE).udp_of_length(length, 0),
        }
    }

    fn arrival(self) -> Arrival {
        match self.entry {
            Entry::Host { function } => Arrival::Host { function },
            Entry::Net0 | Entry::Net1 | Entry::Inject { .. } => Arrival::Net0,
        }
    }
}

impl Probe {
    /// An instance of hardware that was built of this set-up.
    ///
    /// # Errors
    /// A simulation that fails.
    pub fn new(profile: &Profile, library: &Arc<Library>, setup: &Setup) -> Result<Self, BenchError> {
        let wrong = |e: em_rules::RulesError| BenchError::Wrong(e.to_string());
        let rules = Rules::parse(RULES, "the bench's rules").map_err(wrong)?;
        let hardware = &profile.config;
        let (max_frame, roce) = (hardware.max_frame as usize, hardware.nat.roce);
        let config = ModelConfig { max_frame, roce, ..ModelConfig::default() };
        let model = Model::new(&rules, config).map_err(wrong)?;
        let writes = program::compile(&rules, &profile.name, &profile.config.map()).map_err(wrong)?;
        let mut em = EmSim::instance(library, setup)?;
        em.program(&writes)?;
        Ok(Probe { em, model, profile: profile.name.clone(), lanes: profile.config.lanes() as usize, updates: None })
    }

    /// All rows of a length: each direction, with the tables at rest and rewritten.
    ///
    /// # Errors
    /// A simulation that fails, or a frame that does not come out as it should.
    pub fn size(&mut self, length: usize, window: u64) -> Result<Vec<Row>, BenchError> {
        let mut rows = Vec::new();
        for dir in Dir::ALL {
            rows.push(self.row(dir, length, window, None)?);
        }
        let mut updates = std::mem::take(&mut self.updates).unwrap_or_else(|| Updates::new(self.em.config.tables()));
        for dir in Dir::ALL {
            rows.push(self.row(dir, length, window, Some(&mut updates))?);
        }
        updates.finish(&mut self.em).map_err(BenchError::Wrong)?;
        self.updates = Some(updates);
        Ok(rows)
    }

    fn row(
        &mut self,
        dir: Dir,
        length: usize,
        window: u64,
        mut updates: Option<&mut Updates>,
    ) -> Result<Row, BenchError> {
        let beats = length.div_ceil(self.lanes) as u64;
        let before = updates.as_ref().map_or(0, |u| u.done());
        let measured = self.measure(dir, length, window, updates.as_deref_mut())?;
        let worst = measured.iter().map(|m| m.frames as f64 / m.clocks as f64).fold(f64::INFINITY, f64::min);
        Ok(Row {
            profile: self.profile.clone(),
            dir,
            mode: "nat",
            updates: updates.is_some(),
            frame_bytes: length,
            frames_per_clock: worst,
            bound: 1.0 / beats as f64,
            no_bubbles: measured.iter().all(|m| m.clocks == m.frames * beats),
            latency_clocks: measured.iter().map(|m| m.latency).max().unwrap_or(0),
            beats,
            frames: measured.iter().map(|m| m.frames + 1).min().unwrap_or(0),
            table_commands: updates.map_or(0, |u| u.done()) - before,
        })
    }

    /// Measures frames of one length in one direction, or in both at once; one result a direction.
    ///
    /// # Errors
    /// A simulation that fails, or a frame that does not come out as it should.
    fn measure(
        &mut self,
        dir: Dir,
        length: usize,
        window: u64,
        mut updates: Option<&mut Updates>,
    ) -> Result<Vec<Measured>, BenchError> {
        let lanes = Lane::of(dir);
        self.run(PAUSE, updates.as_deref_mut())?;
        let alone = self.pass(lanes, length, 1, updates.as_deref_mut())?;
        self.run(PAUSE, updates.as_deref_mut())?;
        let beats = length.div_ceil(self.lanes) as u64;
        let frames = window.div_ceil(beats).max(LEAST_FRAMES);
        let many = self.pass(lanes, length, frames, updates)?;
        let results = many.iter().zip(&alone).map(|(many, alone)| {
            let clocks_in = many.sent[many.sent.len() - 1].first_cycle - many.sent[0].first_cycle;
            let clocks_out = many.out[many.out.len() - 1].first_cycle - many.out[0].first_cycle;
            let latency = alone.out[0].first_cycle - alone.sent[0].last_cycle;
            Measured { clocks: clocks_in.max(clocks_out), frames: frames - 1, latency }
        });
        Ok(results.collect())
    }

    /// Sends so many frames back to back on each lane and gives when they went in and out.
    fn pass(
        &mut self,
        lanes: &[Lane],
        length: usize,
        frames: u64,
        mut updates: Option<&mut Updates>,
    ) -> Result<Vec<Passed>, BenchError> {
        for lane in lanes {
            let frame = lane.frame(length);
            for _ in 0..frames {
                self.em.send(lane.entry, false, &frame)?;
            }
        }
        let due = self.em.given() + frames * lanes.len() as u64;
        let limit = self.em.bench.cycle() + frames * length.div_ceil(self.lanes) as u64 * 4 + PATIENCE;
        while self.em.given() < due {
            if self.em.bench.cycle() > limit {
                let missing = due - self.em.given();
                return Err(BenchError::Wrong(format!(
                    "{missing} of {frames} frames of {length} bytes did not come out"
                )));
            }
            self.run(8, updates.as_deref_mut())?;
        }
        lanes.iter().map(|lane| self.passed(*lane, length, frames)).collect()
    }

    fn run(&mut self, clocks: u64, updates: Option<&mut Updates>) -> Result<(), BenchError> {
        if let Some(updates) = updates {
            updates.feed(&mut self.em).map_err(BenchError::Wrong)?;
        }
        Ok(self.em.bench.run(clocks)?)
    }

    /// Takes a lane's frames and checks them.
    fn passed(&mut self, lane: Lane, length: usize, frames: u64) -> Result<Passed, BenchError> {
        let no_port = |prefix: &str| SimError::NoPort(prefix.trim_end_matches('_').into());
        let source = self.em.source(lane.input()).ok_or_else(|| no_port(lane.input().prefix()))?;
        let sent = source.take_sent();
        let sink = self.em.sink(lane.output).ok_or_else(|| no_port(lane.output.prefix()))?;
        let out = sink.take();
        let Verdict::Forward { frame: due, .. } = self.model.frame(lane.arrival(), false, &lane.frame(length)) else {
            return Err(BenchError::Wrong(format!("the golden model does not forward a frame of {length} bytes")));
        };
        if (sent.len() as u64, out.len() as u64) != (frames, frames) {
            return Err(BenchError::Wrong(format!("of {frames} frames of {length} bytes, {} came out", out.len())));
        }
        if let Some(wrong) = out.iter().find(|f| f.data != due || f.bad) {
            return Err(BenchError::Wrong(em_model::diff(&due, &wrong.data)));
        }
        Ok(Passed { sent, out })
    }
}

/// When frames went in and out.
struct Passed {
    sent: Vec<Sent>,
    out: Vec<Received>,
}
