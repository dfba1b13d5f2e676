//! `em rules` on rules that are good.

mod common;

use common::{Files, RATED, good, json, nat_rules};

#[test]
fn check_says_what_it_found() {
    let files = Files::new();
    // Two writes switch off each of the eight limiters.
    let one = files.write("one.toml", nat_rules(1));
    let text = good(&format!("rules check {one}"));
    assert_eq!(
        text,
        format!("{one}: 1 function and 1 NAT mapping, good for profile ecp5: 59 register writes to install\n")
    );
    let full = files.write("full.toml", nat_rules(RATED));
    let text = good(&format!("rules check {full}"));
    assert!(text.contains("1 function and 1,946 NAT mappings"), "{text}");
    let none = files.write("none.toml", "");
    let text = good(&format!("rules check {none}"));
    assert!(text.contains("0 functions and 0 NAT mappings") && text.contains(": 19 register writes to"), "{text}");
}

#[test]
fn json_is_one_object_or_one_array() {
    let files = Files::new();
    let rules = files.write("R.toml", nat_rules(1500));
    let found = json(&format!("rules check {rules} --json"));
    assert_eq!((&found["functions"], &found["nat"], &found["profile"]), (&1.into(), &1500.into(), &"ecp5".into()));
    let writes = json(&format!("rules program {rules} --json"));
    let writes = writes.as_array().unwrap();
    assert_eq!(found["writes"], writes.len());
    assert!(writes.iter().all(|w| w["addr"].is_u64() && w["data"].is_u64() && w.as_object().unwrap().len() == 2));
    let text = good(&format!("rules program {rules}"));
    let hex = |word: &str| u64::from_str_radix(word.strip_prefix("0x").unwrap(), 16).unwrap();
    for (line, write) in text.lines().zip(writes) {
        let (addr, data) = line.split_once(' ').unwrap();
        assert_eq!((hex(addr).into(), hex(data).into()), (write["addr"].clone(), write["data"].clone()));
    }
    assert_eq!(text.lines().count(), writes.len());
}
