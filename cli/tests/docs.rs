//! `docs/em.md` names every option, every command and every field of `em sim --json`.

mod common;

use common::{Files, captures::pcap, good, json, nat_rules};

const PAGE: &str = include_str!("../../docs/em.md");

#[test]
fn every_option_is_on_the_page() {
    for call in ["generate", "regs", "sim", "rules check", "rules program", "prove", "area", "synth", "timing check"] {
        let help = good(&format!("{call} --help"));
        let options = help.split_whitespace().filter(|word| word.starts_with("--") && *word != "--help");
        let mut known = 0;
        for option in options {
            let option = option.trim_end_matches(|c: char| !c.is_alphanumeric());
            assert!(PAGE.contains(&format!("`{option}")) || PAGE.contains(&format!(" {option}`")), "{call}: {option}");
            known += 1;
        }
        assert!(known > 0, "{help}");
        assert!(PAGE.contains(&format!("em {call}")), "{call}");
    }
}

#[test]
fn every_field_of_a_run_is_on_the_page() {
    let files = Files::new();
    let rules = files.write("rules.toml", nat_rules(1));
    let capture = files.write("in.pcap", pcap(1, &[]));
    let out = files.arg("out");
    let run = json(&format!("sim --rules {rules} --host-in {capture} --host-function 1 --out-dir {out} --json"));
    for field in run.as_object().unwrap().keys() {
        assert!(PAGE.contains(&format!("`{field}`")), "{field}");
    }
}
