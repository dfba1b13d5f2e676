//! Holds what the verilated EM puts out against the golden model, frame by frame and counter by counter.

use super::HostFrame;
use em_model::{Model, ModelConfig, Verdict};
use em_rtl::{
    config::{EmConfig, Profile},
    outcome::{Kind, Outcome},
};
use em_rules::Rules;
use em_sim::{
    em::{EmSim, Replay, Setup, SimError},
    program,
    verilated::{self, Library},
};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// The EM and the model with the same rules installed.
pub struct Scoreboard {
    /// The hardware.
    pub em: EmSim,
    model: Model,
    seed: u64,
    watched: bool,
}

/// How the hardware and the model differ.
pub struct Mismatch {
    seed: u64,
    text: String,
}

impl fmt::Debug for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the verilated EM and the golden model differ (seed {})", self.seed)?;
        f.write_str(&self.text)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Ports whose last clocks a failure shows.
const WATCHED: [&str; 10] = [
    "s_axis_host_tvalid",
    "s_axis_host_tready",
    "s_axis_host_tlast",
    "s_axis_host_tdata",
    "m_axis_net0_tvalid",
    "m_axis_net0_tready",
    "m_axis_net0_tlast",
    "m_axis_net0_tdata",
    "m_axis_punt_tvalid",
    "m_axis_punt_tready",
];

/// Clocks that a failure shows.
const SHOWN_CLOCKS: usize = 24;
/// Clocks that are kept, so that those around a frame that differs can be shown.
const KEPT_CLOCKS: usize = 16_384;

/// A profile's model, built once for many runs.
pub struct Hardware {
    profile: Profile,
    setup: Setup,
    library: Arc<Library>,
}

impl Hardware {
    /// As tests run it: assertions in, random start values, random stalls on both sides of every stream.
    pub fn strict(profile: &str) -> Self {
        let profile = Profile::named(profile).unwrap_or_else(|e| panic!("{e}"));
        let setup = Setup::strict(profile.config.clone(), 0);
        let spec = setup.spec().unwrap_or_else(|e| panic!("{e}"));
        let library = verilated::build(&spec).unwrap_or_else(|e| panic!("{e}"));
        Hardware { profile, setup, library }
    }

    /// The same hardware with this share of stalled clocks, in percent.
    pub fn stalled(mut self, percent: u8) -> Self {
        self.setup.stall = percent;
        self
    }

    /// A fresh EM and a fresh model with the rules installed in both: by register writes in the hardware, from the file
    /// itself in the model.
    pub fn scoreboard(&self, rules: &str, seed: u64) -> Scoreboard {
        let setup = Setup { seed, ..self.setup.clone() };
        let rules = Rules::parse(rules, "test rules").unwrap_or_else(|e| panic!("{e}"));
        let config = &self.profile.config;
        let writes = program::compile(&rules, &self.profile.name, &config.lookup()).unwrap_or_else(|e| panic!("{e}"));
        let mut em = EmSim::instance(&self.library, &setup).unwrap_or_else(|e| panic!("{e}"));
        em.program(&writes).unwrap_or_else(|e| panic!("{e}"));
        let model = Model::new(&rules, model_config(config)).unwrap_or_else(|e| panic!("{e}"));
        Scoreboard { em, model, seed, watched: false }
    }
}

impl Scoreboard {
    /// A board on the strict `ecp5` hardware.
    pub fn new(rules: &str, seed: u64) -> Self {
        Hardware::strict("ecp5").scoreboard(rules, seed)
    }

    /// Sends the frames and compares everything that comes of them.
    ///
    /// # Errors
    /// The first difference, with both frames decoded, the seed, the clock and the last clocks at the ports.
    pub fn run(&mut self, frames: &[HostFrame]) -> Result<Replay, Mismatch> {
        if !self.watched {
            self.em.bench.watch(&WATCHED, KEPT_CLOCKS).map_err(|e| self.mismatch(e.to_string()))?;
            self.watched = true;
        }
        let before = self.em.counters().map_err(|e| self.failed(&e))?;
        let input = frames.iter().map(|f| (f.function, f.bad, f.data.as_slice()));
        let replay = self.em.replay(input, |_| {}).map_err(|e| self.failed(&e))?;
        let verdicts: Vec<Verdict> = frames.iter().map(|f| self.model.host_tx(f.function, f.bad, &f.data)).collect();
        self.compare_net0(frames, &verdicts, &replay)?;
        self.compare_punts(frames, &verdicts, &replay)?;
        let mut expected: BTreeMap<(bool, &str), u64> = BTreeMap::new();
        for v in &verdicts {
            match v {
                Verdict::Drop(reason) => *expected.entry((false, reason.name())).or_default() += 1,
                Verdict::Punt { reason, .. } => *expected.entry((true, reason.name())).or_default() += 1,
                Verdict::Forward { .. } => {}
            }
        }
        for o in Outcome::ALL.iter().filter(|o| o.kind() != Kind::Forward) {
            let counted = replay.counters.of(*o) - before.of(*o);
            let expected = expected.remove(&(o.kind() == Kind::Punt, o.name())).unwrap_or(0);
            if counted != expected {
                let text = format!("counter of {:?} `{}`: expected {expected}, the hardware counted {counted}\n", o.kind(), o.name());
                return Err(self.mismatch(text));
            }
        }
        if let Some(((_, name), n)) = expected.pop_first() {
            return Err(self.mismatch(format!("{n} frames have the outcome `{name}`, which the hardware has no counter for\n")));
        }
        Ok(replay)
    }

    fn compare_net0(&self, frames: &[HostFrame], verdicts: &[Verdict], replay: &Replay) -> Result<(), Mismatch> {
        let expected = frames.iter().zip(verdicts).filter_map(|(f, v)| match v {
            Verdict::Forward { frame, .. } => Some((f, frame)),
            _ => None,
        });
        let mut got = replay.outputs.net0.iter();
        for (n, (input, expected)) in expected.enumerate() {
            let Some(out) = got.next() else {
                return Err(self.mismatch(format!("net0: frame {n} did not come out; it went in as\n  {input:?}\n")));
            };
            if out.frame != *expected {
                let diff = em_model::diff(expected, &out.frame);
                let text = format!("net0: frame {n}, clock {}; it went in as\n  {input:?}\n{diff}", out.clock);
                return Err(self.mismatch_at(out.clock, text));
            }
        }
        self.nothing_more("net0", got.next().map(|f| (f.clock, &f.frame)))
    }

    fn compare_punts(&self, frames: &[HostFrame], verdicts: &[Verdict], replay: &Replay) -> Result<(), Mismatch> {
        let expected = frames.iter().zip(verdicts).filter_map(|(f, v)| match v {
            Verdict::Punt { reason, frame, function, .. } => Some((f, *reason, frame, *function)),
            _ => None,
        });
        let mut got = replay.outputs.punted.iter();
        for (n, (input, reason, frame, function)) in expected.enumerate() {
            let Some(out) = got.next() else {
                return Err(self.mismatch(format!("punt: frame {n} ({reason}) did not come out; it went in as\n  {input:?}\n")));
            };
            let clock = out.clock;
            if out.frame != *frame {
                let diff = em_model::diff(frame, &out.frame);
                let text = format!("punt: frame {n} ({reason}), clock {clock}; it went in as\n  {input:?}\n{diff}");
                return Err(self.mismatch_at(clock, text));
            }
            let name = out.reason.map_or("none", Outcome::name);
            if name != reason.name() || out.function != function || out.port != 0 {
                let text = format!(
                    "punt: tuser of frame {n}, clock {clock}: expected reason {reason}, function {function}, port 0; got {name}, {}, {}\n  {input:?}\n",
                    out.function, out.port
                );
                return Err(self.mismatch_at(clock, text));
            }
        }
        self.nothing_more("punt", got.next().map(|p| (p.clock, &p.frame)))
    }

    fn nothing_more(&self, port: &str, more: Option<(u64, &Vec<u8>)>) -> Result<(), Mismatch> {
        match more {
            None => Ok(()),
            Some((clock, frame)) => {
                let text = format!("{port}: one frame too many, clock {clock}\n{}", em_model::diff(&[], frame));
                Err(self.mismatch_at(clock, text))
            }
        }
    }

    fn failed(&self, error: &SimError) -> Mismatch {
        self.mismatch(format!("{error}\n"))
    }

    /// A difference that has no clock: the end of the run is shown.
    fn mismatch(&self, text: String) -> Mismatch {
        let wave = self.em.bench.wave_around(self.em.bench.cycle(), SHOWN_CLOCKS);
        Mismatch { seed: self.seed, text: format!("{text}last clocks at the ports:\n{wave}") }
    }

    /// A difference in a frame that began to leave in this clock.
    fn mismatch_at(&self, clock: u64, text: String) -> Mismatch {
        let wave = self.em.bench.wave_around(clock, SHOWN_CLOCKS);
        Mismatch { seed: self.seed, text: format!("{text}the ports around clock {clock}:\n{wave}") }
    }
}

fn model_config(config: &EmConfig) -> ModelConfig {
    ModelConfig { max_frame: config.max_frame as usize, ..ModelConfig::default() }
}
