//! How the hardware and the golden model differ, for people.

use em_sim::em::{EmSim, Input, Output};
use std::fmt;

/// Clocks that a failure shows.
const SHOWN_CLOCKS: usize = 24;
/// Clocks that are kept, so that those around a frame that differs can be shown.
const KEPT_CLOCKS: usize = 16_384;

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

impl Mismatch {
    /// A difference that has no clock: the end of the run is shown.
    pub(super) fn new(em: &EmSim, seed: u64, text: &str) -> Self {
        let wave = em.bench.wave_around(em.bench.cycle(), SHOWN_CLOCKS);
        Mismatch { seed, text: format!("{}last clocks at the ports:\n{wave}", ended(text)) }
    }

    /// A difference in a frame that began to leave in this clock.
    pub(super) fn at(em: &EmSim, seed: u64, clock: u64, text: &str) -> Self {
        let wave = em.bench.wave_around(clock, SHOWN_CLOCKS);
        Mismatch { seed, text: format!("{}the ports around clock {clock}:\n{wave}", ended(text)) }
    }
}

fn ended(text: &str) -> String {
    format!("{}\n", text.trim_end_matches('\n'))
}

/// Has the last clocks of every stream's handshake, and of the data where it fits, kept for a failure.
pub(super) fn watch(em: &mut EmSim) -> Result<(), String> {
    let inputs = Input::ALL.into_iter().map(Input::prefix);
    let outputs = Output::ALL.into_iter().map(Output::prefix);
    let signals = ["tvalid", "tready", "tlast", "tdata"];
    let names: Vec<String> =
        inputs.chain(outputs).flat_map(|prefix| signals.map(|signal| format!("{prefix}{signal}"))).collect();
    let there: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| em.bench.model.find_port(name).is_some()).collect();
    em.bench.watch(&there, KEPT_CLOCKS).map_err(|e| e.to_string())
}
