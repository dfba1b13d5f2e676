//! Step 57: which limit counts for a frame.

use em_model::{Model, ModelConfig, PuntReason};
use em_rules::Rules;

fn model(limits: &str) -> Model {
    let text = format!("[[function]]\nid = 0\nmode = \"nat\"\n[[function]]\nid = 1\nmode = \"nat\"\n{limits}");
    Model::new(&Rules::parse(&text, "R.toml").unwrap(), ModelConfig::default()).unwrap()
}

fn row(keys: &str) -> String {
    format!("[[punt_limit]]\n{keys}\nclocks_per_frame = 1000\nburst = 5\n")
}

#[test]
fn the_first_that_fits_counts() {
    let rows = [row("function = 1\nreason = \"ttl\""), row("reason = \"ttl\""), row("function = 1")].concat();
    let model = model(&rows);
    assert_eq!(model.punt_limit_of(PuntReason::Ttl, 1), Some(0));
    assert_eq!(model.punt_limit_of(PuntReason::Ttl, 0), Some(1));
    assert_eq!(model.punt_limit_of(PuntReason::Roce, 1), Some(2));
    assert_eq!(model.punt_limit_of(PuntReason::Roce, 0), None);
}

#[test]
fn what_is_nobodys_is_not_of_function_0() {
    let of_function = model(&row("function = 0"));
    assert_eq!(of_function.punt_limit_of(PuntReason::NotForUs, 0), None);
    assert_eq!(of_function.punt_limit_of(PuntReason::Unmatched, 0), Some(0));
    assert_eq!(model(&row("")).punt_limit_of(PuntReason::NotForUs, 0), Some(0));
    assert_eq!(model("").punt_limit_of(PuntReason::NotForUs, 0), None);
}

#[test]
fn a_limit_lets_its_burst_go_and_then_one_an_interval() {
    let limit = model(&row("")).punt_limits()[0];
    assert_eq!([0, 999, 1000, 10_000].map(|clocks| limit.most(clocks)), [6, 6, 7, 16]);
}
