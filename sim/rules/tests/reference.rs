//! The reference page and the file format agree.

use em_rules::{Capacity, Dscp, Feature, Match, Mode, NotForUs, Rules, Unmatched, Uplink};

const PAGE: &str = include_str!("../../../docs/rules.md");

/// The TOML blocks of the page: what the hardware does, and everything.
fn examples() -> [&'static str; 2] {
    let blocks: Vec<_> = PAGE.split("```toml\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect();
    blocks.try_into().expect("the page has two examples")
}

fn example() -> &'static str {
    examples()[1]
}

#[test]
fn the_first_example_is_what_the_hardware_does() {
    let rules = Rules::parse(examples()[0], "docs/rules.md").unwrap();
    let mut found: Vec<_> = rules.features().iter().map(|used| used.feature).collect();
    found.sort_unstable();
    found.dedup();
    let features = [
        Feature::ModeNat,
        Feature::ModePass,
        Feature::ModeDrop,
        Feature::NatIpv4,
        Feature::NextHop,
        Feature::Route,
        Feature::NotForUs,
        Feature::PuntLimit,
    ];
    assert_eq!(found, features);
    assert_eq!((*rules.port.uplink, rules.port.pass_function.map(|id| *id)), (Uplink::Net0, Some(2)));
}

#[test]
fn the_example_with_every_section_is_valid() {
    let rules = Rules::parse(example(), "docs/rules.md").unwrap();
    assert_eq!(rules.functions.len(), 3);
    assert_eq!(*rules.functions[0].mode, Mode::Nat);
    assert_eq!(*rules.function(2).unwrap().unmatched, Unmatched::Punt);
    assert_eq!(*rules.function(2).unwrap().vni.unwrap(), 0x12_3456);
    assert!(*rules.nat[1].route);
    assert_eq!(*rules.tunnels[0].dscp, Dscp::Pipe(46));
    assert!(!*rules.tunnels[0].udp_checksum);
    assert!(matches!(*rules.locals[0].matches, Match::Mac(_)));
    assert_eq!(*rules.port.not_for_us, NotForUs::Pass);
    assert_eq!((*rules.port.uplink, *rules.port.weights), (Uplink::Spread, [3, 1]));
    let ports = rules.acls[0].dst_port.unwrap();
    assert_eq!((ports.first, ports.last), (1, 1023));
    rules.check_capacity(&Capacity::unlimited("any")).unwrap();
}

#[test]
fn lines_are_those_of_the_text() {
    let text = example();
    let rules = Rules::parse(text, "R.toml").unwrap();
    let line = |number: usize| text.lines().nth(number - 1).unwrap();
    assert!(line(rules.functions[0].line).starts_with("[[function]]"));
    assert!(line(rules.functions[0].unmatched.line).starts_with("unmatched"));
    assert!(line(rules.nat[1].line).starts_with("[[nat]]"));
    assert!(line(rules.nat[1].outside.line).starts_with("outside"));
    assert!(line(rules.port.line).starts_with("[port]"));
    assert!(line(rules.vnis[0].peers[1].line).starts_with("peers"));
    assert!(line(rules.acls[0].action.line).starts_with("action"));
    for used in rules.features() {
        let text = line(used.line);
        let fits = match used.feature {
            Feature::ModeNat => text.contains("\"nat\""),
            Feature::NatIpv6 => text.starts_with("inside = \"2001"),
            Feature::UplinkSpread => text.starts_with("uplink"),
            _ => true,
        };
        assert!(fits, "{} is not in line {}: {text}", used.feature, used.line);
    }
    assert!(rules.features().iter().any(|used| used.feature == Feature::Route));
}

#[test]
fn every_key_and_word_of_the_code_is_on_the_page() {
    for words in [
        Mode::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>(),
        NotForUs::ALL.iter().map(|word| word.as_str()).collect(),
        Uplink::ALL.iter().map(|word| word.as_str()).collect(),
        em_rules::Lookup::ALL.iter().map(|word| word.as_str()).collect(),
        em_rules::Vlan::ALL.iter().map(|word| word.as_str()).collect(),
        em_rules::OverMtu::ALL.iter().map(|word| word.as_str()).collect(),
        em_rules::AclAction::ALL.iter().map(|word| word.as_str()).collect(),
        em_rules::Dir::ALL.iter().map(|word| word.as_str()).collect(),
        em_rules::PuntReason::ALL.iter().map(|word| word.as_str()).collect(),
    ] {
        for word in words {
            assert!(PAGE.contains(&format!("`{word}`")), "`{word}` is missing on the page");
        }
    }
}
