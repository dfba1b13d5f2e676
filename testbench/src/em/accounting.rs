//! The sums that always hold of an idle module's counters.

use em_rtl::outcome::{Kind, Outcome};
use em_sim::em::{Input, Output, ReadCounters};

/// Every frame that came in has one outcome, and left where that says.
///
/// # Panics
/// If the counters say otherwise.
pub fn assert_balanced(counters: &ReadCounters) {
    let taken: u64 = Input::ALL.into_iter().map(|i| counters.input(i).frames).sum();
    let outcomes: u64 = counters.outcomes.iter().map(|(_, n)| n).sum();
    assert_eq!(taken, outcomes, "a frame has one outcome");
    for (output, outcome) in
        [(Output::Host, Outcome::Host), (Output::Net0, Outcome::Net0), (Output::Net1, Outcome::Net1)]
    {
        assert_eq!(counters.output(output).frames, counters.of(outcome), "{}", output.name());
    }
    assert_eq!(counters.output(Output::Punt).frames, counters.total(Kind::Punt), "punt");
    let given: u64 = Output::ALL.into_iter().map(|o| counters.output(o).frames).sum();
    assert_eq!(taken, given + counters.total(Kind::Drop), "in = out + punted + dropped");
}
