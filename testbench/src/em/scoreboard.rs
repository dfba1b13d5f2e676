//! Holds what the verilated EM puts out against the golden model, frame by frame and counter by counter.

use super::{
    InFrame,
    kept::Kept,
    mismatch::{Mismatch, watch},
    order::{Disorder, merged},
};
use em_model::{Counters, DropReason, Model, ModelConfig, Port, Verdict};
use em_rtl::{
    config::{EmConfig, Profile},
    outcome::{Kind, Outcome},
};
use em_rules::Rules;
use em_sim::{
    em::{EmSim, Forwarded, Input, Output, PortCount, ReadCounters, Replay, Setup},
    program,
    verilated::{self, Library},
};
use std::{collections::BTreeMap, sync::Arc};

/// The EM and the model with the same rules installed.
pub struct Scoreboard {
    /// The hardware.
    pub em: EmSim,
    model: Model,
    seed: u64,
    watched: bool,
    /// Frames that each limit has let go since it was installed.
    passed: Vec<u64>,
}

/// The longest frame whose bytes the hardware counts exactly.
const EXACT_BYTES: usize = 16_383;

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

    /// The hardware's configuration.
    pub fn config(&self) -> &EmConfig {
        &self.profile.config
    }

    /// A fresh EM and a fresh model with the rules installed in both: by register writes in the hardware, from the file
    /// itself in the model.
    pub fn scoreboard(&self, rules: &str, seed: u64) -> Scoreboard {
        let setup = Setup { seed, ..self.setup.clone() };
        let rules = Rules::parse(rules, "test rules").unwrap_or_else(|e| panic!("{e}"));
        let config = &self.profile.config;
        let writes = program::compile(&rules, &self.profile.name, &config.map()).unwrap_or_else(|e| panic!("{e}"));
        let mut em = EmSim::instance(&self.library, &setup).unwrap_or_else(|e| panic!("{e}"));
        em.program(&writes).unwrap_or_else(|e| panic!("{e}"));
        let model = Model::new(&rules, model_config(config)).unwrap_or_else(|e| panic!("{e}"));
        let passed = vec![0; model.punt_limits().len()];
        Scoreboard { em, model, seed, watched: false, passed }
    }
}

/// A frame that an output owes: its origin, what the port's `tuser` must say, its bytes.
struct Due<'a> {
    input: &'a InFrame,
    /// The reason of a punt.
    reason: &'static str,
    function: u16,
    /// Code of the port that a punted frame came in by.
    port: u8,
    frame: &'a [u8],
    /// A limit may keep it.
    limited: bool,
}

/// A frame that came out, in the same terms.
struct Got<'a> {
    reason: &'static str,
    function: u16,
    port: u8,
    frame: &'a [u8],
    clock: u64,
}

impl Due<'_> {
    fn is(&self, got: &Got<'_>) -> bool {
        self.frame == got.frame && (self.reason, self.function, self.port) == (got.reason, got.function, got.port)
    }

    fn differs(&self, got: &Got<'_>) -> String {
        let tuser = match (self.reason, self.function, self.port) == (got.reason, got.function, got.port) {
            true => String::new(),
            false => format!(
                "tuser: expected function {}, port {}, reason `{}`; got function {}, port {}, reason `{}`\n",
                self.function, self.port, self.reason, got.function, got.port, got.reason
            ),
        };
        let bytes = match self.frame == got.frame {
            true => String::new(),
            false => em_model::diff(self.frame, got.frame),
        };
        format!("{self}\n{tuser}{bytes}")
    }
}

impl std::fmt::Display for Due<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let reason = if self.reason.is_empty() { String::new() } else { format!(" (punt `{}`)", self.reason) };
        write!(f, "the frame that went in as{reason}\n  {:?}", self.input)
    }
}

impl Scoreboard {
    /// A board on the strict `ecp5` hardware.
    pub fn new(rules: &str, seed: u64) -> Self {
        Hardware::strict("ecp5").scoreboard(rules, seed)
    }

    /// Sets the status of the links of net0 and net1, in the hardware and in the model.
    pub fn set_links(&mut self, up: [bool; 2]) {
        self.em.set_links(up);
        self.model.set_link_up(up);
    }

    /// Sends the frames, on all inputs side by side, and compares everything that comes of them.
    ///
    /// # Errors
    /// The first difference, with both frames decoded, the seed, the clock and the last clocks at the ports.
    pub fn run(&mut self, frames: &[InFrame]) -> Result<Replay, Mismatch> {
        if !self.watched {
            watch(&mut self.em).map_err(|e| self.mismatch(&e))?;
            self.watched = true;
        }
        let before = self.em.counters().map_err(|e| self.mismatch(&e.to_string()))?;
        let model_before = self.model.counters().clone();
        let input = frames.iter().map(|f| (f.entry, f.bad, f.data.as_slice()));
        let first_clock = self.em.bench.cycle();
        let replay = self.em.replay(input, |_| {}).map_err(|e| self.mismatch(&e.to_string()))?;
        let clocks = self.em.bench.cycle() - first_clock;
        let verdicts: Vec<Verdict> = frames.iter().map(|f| self.model.frame(f.arrival(), f.bad, &f.data)).collect();
        for output in Output::ALL {
            let due = due_at(output, frames, &verdicts, &self.model);
            self.compare(output, &due, &got_at(output, &replay))?;
        }
        let kept = Kept::of(&self.model, &verdicts, &replay);
        kept.within_bounds(&self.model, &mut self.passed, clocks).map_err(|e| self.mismatch(&e))?;
        self.compare_outcomes(&verdicts, &kept, &before, &replay.counters)?;
        self.compare_ports(frames, &kept, &model_before, &before, &replay.counters)?;
        Ok(replay)
    }

    fn compare(&self, output: Output, due: &[Vec<Due<'_>>], got: &[Got<'_>]) -> Result<(), Mismatch> {
        let name = output.name();
        let text = |due: &[&Due<'_>], tell: &dyn Fn(&Due<'_>) -> String| -> String {
            due.iter().map(|d| tell(d)).collect::<Vec<_>>().join("\n")
        };
        match merged(due, got, Due::is, |due| due.limited) {
            Ok(()) => Ok(()),
            Err(Disorder::Missing { due }) => {
                Err(self.mismatch(&format!("{name}: did not come out: {}", text(&due, &|d| d.to_string()))))
            }
            Err(Disorder::Unexpected { place, due }) => {
                let out = &got[place];
                let what = match due.is_empty() {
                    true => format!("one frame too many\n{}", em_model::diff(&[], out.frame)),
                    false => format!("expected {}", text(&due, &|d| d.differs(out))),
                };
                let text = format!("{name}: frame {place}, clock {}: {what}", out.clock);
                Err(Mismatch::at(&self.em, self.seed, out.clock, &text))
            }
        }
    }

    /// Every outcome is counted as often as the model says.
    fn compare_outcomes(
        &self,
        verdicts: &[Verdict],
        kept: &Kept,
        before: &ReadCounters,
        after: &ReadCounters,
    ) -> Result<(), Mismatch> {
        let mut expected: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for v in verdicts {
            let kind = match v {
                Verdict::Forward { .. } => "forward",
                Verdict::Punt { .. } => "punt",
                Verdict::Drop(_) => "drop",
            };
            *expected.entry((kind, v.name())).or_default() += 1;
        }
        for (reason, count) in kept.reasons() {
            *expected.entry(("punt", reason)).or_default() -= count;
            *expected.entry(("drop", DropReason::PuntRate.name())).or_default() += count;
        }
        for o in Outcome::ALL {
            let kind = match o.kind() {
                Kind::Forward => "forward",
                Kind::Punt => "punt",
                Kind::Drop => "drop",
            };
            let counted = after.of(*o) - before.of(*o);
            let expected = expected.remove(&(kind, o.name())).unwrap_or(0);
            if counted != expected {
                let text =
                    format!("counter of {kind} `{}`: expected {expected}, the hardware counted {counted}", o.name());
                return Err(self.mismatch(&text));
            }
        }
        expected.retain(|_, count| *count > 0);
        match expected.pop_first() {
            None => Ok(()),
            Some(((_, name), n)) => {
                Err(self
                    .mismatch(&format!("{n} frames have the outcome `{name}`, which the hardware has no counter for")))
            }
        }
    }

    /// Every port counted the frames and bytes that the model says; bytes of frames beyond 16,383 bytes are not exact.
    fn compare_ports(
        &self,
        frames: &[InFrame],
        kept: &Kept,
        model: &Counters,
        before: &ReadCounters,
        after: &ReadCounters,
    ) -> Result<(), Mismatch> {
        let now = self.model.counters();
        let less = |a: PortCount, b: PortCount| (a.frames - b.frames, a.bytes - b.bytes);
        let model_less = |a: em_model::Traffic, b: em_model::Traffic| (a.frames - b.frames, a.bytes - b.bytes);
        let inputs = Input::ALL.map(|i| {
            let port = port_of_input(i);
            let counted = less(after.input(i), before.input(i));
            let mut expected = model_less(now.entered(port), model.entered(port));
            if frames.iter().any(|f| f.entry.input() == i && f.data.len() > EXACT_BYTES) {
                expected.1 = counted.1;
            }
            (i.prefix(), counted, expected)
        });
        let outputs = Output::ALL.map(|o| {
            let port = port_of_output(o);
            let mut expected = model_less(now.left(port), model.left(port));
            if o == Output::Punt {
                expected = (expected.0 - kept.frames(), expected.1 - kept.bytes());
            }
            (o.prefix(), less(after.output(o), before.output(o)), expected)
        });
        for (prefix, counted, expected) in inputs.into_iter().chain(outputs) {
            if counted != expected {
                let port = prefix.trim_end_matches('_');
                let text = format!("{port}: expected (frames, bytes) {expected:?}, the hardware counted {counted:?}");
                return Err(self.mismatch(&text));
            }
        }
        Ok(())
    }

    fn mismatch(&self, text: &str) -> Mismatch {
        Mismatch::new(&self.em, self.seed, text)
    }
}

/// What an output owes, in the order of each input.
fn due_at<'a>(output: Output, frames: &'a [InFrame], verdicts: &'a [Verdict], model: &Model) -> Vec<Vec<Due<'a>>> {
    let mut queues: Vec<Vec<Due<'a>>> = Input::ALL.map(|_| Vec::new()).into();
    for (input, verdict) in frames.iter().zip(verdicts) {
        let due = match verdict {
            Verdict::Forward { port, function, frame } if output == output_of(*port) => {
                // A network port does not tell a function.
                let function = if output == Output::Host { *function } else { 0 };
                Due { input, reason: "", function, port: 0, frame, limited: false }
            }
            Verdict::Punt { reason, function, frame, port } if output == Output::Punt => {
                let limited = model.punt_limit_of(*reason, *function).is_some();
                Due { input, reason: reason.name(), function: *function, port: port.code(), frame, limited }
            }
            Verdict::Forward { .. } | Verdict::Punt { .. } | Verdict::Drop(_) => continue,
        };
        queues[input.entry.input() as usize].push(due);
    }
    queues
}

/// What came out of an output.
fn got_at(output: Output, replay: &Replay) -> Vec<Got<'_>> {
    fn forwarded(frames: &[Forwarded]) -> Vec<Got<'_>> {
        let frames = frames.iter();
        frames.map(|f| Got { reason: "", function: f.function, port: 0, frame: &f.frame, clock: f.clock }).collect()
    }
    let outputs = &replay.outputs;
    match output {
        Output::Host => forwarded(&outputs.host),
        Output::Net0 => forwarded(&outputs.net0),
        Output::Net1 => forwarded(&outputs.net1),
        Output::Punt => (outputs.punted.iter())
            .map(|p| Got {
                reason: p.reason.map_or("none", Outcome::name),
                function: p.function,
                port: p.port,
                frame: &p.frame,
                clock: p.clock,
            })
            .collect(),
    }
}

fn output_of(port: Port) -> Output {
    match port {
        Port::Host => Output::Host,
        Port::Net0 => Output::Net0,
        Port::Net1 => Output::Net1,
        Port::Om => Output::Punt,
    }
}

fn port_of_output(output: Output) -> Port {
    match output {
        Output::Host => Port::Host,
        Output::Net0 => Port::Net0,
        Output::Net1 => Port::Net1,
        Output::Punt => Port::Om,
    }
}

fn port_of_input(input: Input) -> Port {
    match input {
        Input::Host => Port::Host,
        Input::Net0 => Port::Net0,
        Input::Net1 => Port::Net1,
        Input::Inject => Port::Om,
    }
}

fn model_config(config: &EmConfig) -> ModelConfig {
    ModelConfig { max_frame: config.max_frame as usize, roce: config.nat.roce, ..ModelConfig::default() }
}
