//! The register compiler: its writes are run against the registers and tables in the native simulator.

#[path = "../../rtl/tests/support/mod.rs"]
mod support;

use em_rtl::lookup::{ExactMatch, Lookup};
use em_rules::Rules;
use em_sim::program::{RegisterWrite, compile, place, to_json};
use std::{collections::HashSet, fmt::Write};
use support::{Bus, Random};

const ECP5: Lookup = Lookup { functions: 1024, ways: 4, rows: 512 };

const RULES: &str = r#"
[[function]]
id = 1
mode = "nat"
unmatched = "pass"

[[function]]
id = 1023
mode = "drop"

[[function]]
id = 3
mode = "pass"
mac = "02:00:00:00:00:03"
unmatched = "drop"

[[nat]]
function = 1
inside = "192.0.2.10"
outside = "203.0.113.5"

[[nat]]
function = 1
inside = "192.0.2.11"
outside = "203.0.113.6"
"#;

fn rules(text: &str) -> Rules {
    Rules::parse(text, "R.toml").unwrap()
}

/// One lookup: valid, mode, unmatched, hit, outside.
fn ask(bus: &Bus, function: u64, address: u64) -> [u64; 5] {
    let (sim, request, response) = (&bus.sim, &bus.sim.io.request, &bus.sim.io.response);
    sim.poke(request.valid, true);
    sim.poke(request.function, function);
    sim.poke(request.address, address);
    sim.step();
    sim.poke(request.valid, false);
    sim.steps(u64::from(ECP5.latency()) - 1);
    [response.function_valid, response.mode, response.unmatched, response.nat_hit, response.outside]
        .map(|p| sim.peek_u64(p))
}

fn install(bus: &mut Bus, writes: &[RegisterWrite]) {
    for w in writes {
        assert_eq!(bus.write(w.addr, w.data), 0, "{w:x?}");
    }
}

#[test]
fn the_writes_install_the_rules_whatever_stood_there_before() {
    let writes = compile(&rules(RULES), "ecp5", &ECP5).unwrap();
    let mut bus = Bus::new(ECP5, 1, 10);
    for _ in 0..2 {
        install(&mut bus, &writes);
        assert_eq!(ask(&bus, 1, 0xc000_020a), [1, 0, 2, 1, 0xcb00_7105]);
        assert_eq!(ask(&bus, 1, 0xc000_020b), [1, 0, 2, 1, 0xcb00_7106]);
        assert_eq!(ask(&bus, 1, 0xc000_020c), [1, 0, 2, 0, 0]);
        assert_eq!(ask(&bus, 3, 0xc000_020a), [1, 1, 1, 0, 0]);
        assert_eq!(ask(&bus, 1023, 1), [1, 2, 0, 0, 0]);
        assert_eq!(ask(&bus, 2, 0xc000_020a), [0, 0, 0, 0, 0]);
        assert_eq!(ask(&bus, 1025, 0xc000_020a), [0, 0, 0, 0, 0]);
    }
}

#[test]
fn writes_are_the_same_on_every_run_and_have_a_json_form() {
    let writes = compile(&rules(RULES), "ecp5", &ECP5).unwrap();
    assert_eq!(writes, compile(&rules(RULES), "ecp5", &ECP5).unwrap());
    let json = to_json(&writes);
    assert!(json.starts_with(r#"[{"addr":20,"data":1},{"addr":32,"data":1},{"addr":36,"data":3221225994},"#), "{json}");
    assert_eq!(serde_json::from_str::<Vec<RegisterWrite>>(&json).unwrap(), writes);
}

#[test]
fn what_the_hardware_cannot_do_is_refused_with_line_value_and_remedy() {
    let message = |extra: &str| compile(&rules(&format!("{RULES}{extra}")), "ecp5", &ECP5).unwrap_err().to_string();
    let line = RULES.lines().count();
    assert_eq!(
        message("[[nat]]\nfunction = 1\ninside = \"2001:db8::1\"\noutside = \"2001:db8:1::1\"\n"),
        format!(
            "R.toml:{}: the hardware of profile \"ecp5\" has no block for an IPv6 [[nat]] mapping. \
             Remove the row, or map IPv4 addresses.",
            line + 3
        )
    );
    let acl = message("[[acl]]\npriority = 1\naction = \"deny\"\n");
    assert_eq!(
        acl,
        format!("R.toml:{}: the hardware of profile \"ecp5\" has no block for [[acl]]. Remove the row.", line + 1)
    );
    for (extra, what) in [
        ("[port]\nuplink = \"net1\"\n", "uplink = \"net1\""),
        ("[port]\nnot_for_us = \"drop\"\n", "not_for_us other than \"punt\""),
        ("[[vtep]]\nip = \"198.51.100.1\"\nmac = \"02:00:00:00:0a:02\"\n", "[[vtep]]"),
        ("[[vni]]\nid = 1\n", "[[vni]]"),
    ] {
        assert!(message(extra).contains(what), "{}", message(extra));
    }
    let beyond = message("[[function]]\nid = 1024\nmode = \"drop\"\n");
    assert!(beyond.contains("function id 1024") && beyond.contains("0 to 1023"), "{beyond}");
}

fn many(count: u32) -> String {
    let mut text = String::from("[[function]]\nid = 1\nmode = \"nat\"\n");
    for i in 0..count {
        let [inside, outside] = [0x0a00_0001 + i, 0x6440_0001 + i].map(std::net::Ipv4Addr::from_bits);
        write!(text, "[[nat]]\nfunction = 1\ninside = \"{inside}\"\noutside = \"{outside}\"\n").unwrap();
    }
    text
}

#[test]
fn the_rated_number_of_mappings_fits_and_one_more_names_its_line() {
    let rated = ECP5.rated_mappings();
    assert_eq!(rated, 1945);
    let writes = compile(&rules(&many(rated)), "ecp5", &ECP5).unwrap();
    let mut bus = Bus::new(ECP5, 2, 0);
    install(&mut bus, &writes);
    for i in 0..rated {
        let (inside, outside) = (u64::from(0x0a00_0001 + i), u64::from(0x6440_0001 + i));
        assert_eq!(ask(&bus, 1, inside), [1, 0, 0, 1, outside]);
    }
    let error = compile(&rules(&many(rated + 1)), "ecp5", &ECP5).unwrap_err();
    assert_eq!(error.line(), Some(3 + 4 * rated as usize + 1));
    assert!(error.to_string().contains("holds 1945"), "{error}");
}

fn distinct(count: usize, next: impl FnMut(u64) -> (u16, u32)) -> Vec<u128> {
    let mut seen = HashSet::new();
    (0..).map(next).map(|(f, a)| Lookup::nat_key(f, a)).filter(|k| seen.insert(*k)).take(count).collect()
}

/// Regular and random sets of keys at 95 % of the slots.
fn sets(count: usize, seed: u64) -> Vec<(&'static str, Vec<u128>)> {
    let base = 0x0a00_0001 + 0x0001_0100 * seed as u32;
    let mut random = Random(seed);
    let function = seed as u16 + 1;
    vec![
        ("random addresses, one function", distinct(count, |_| (function, random.next() as u32))),
        ("sequential addresses", distinct(count, |i| (function, base + i as u32))),
        ("the same addresses in many functions", distinct(count, |i| (i as u16 / 2, base + (i as u32 & 1)))),
        (
            "32 functions, their own networks",
            distinct(count, |i| (i as u16 % 32, base + 256 * (i as u32 % 32) + i as u32 / 32)),
        ),
        (
            "8 hosts in each of many networks",
            distinct(count, |i| (function, base + 256 * (i as u32 / 8) + i as u32 % 8)),
        ),
        (
            "a network of 8 hosts in each function",
            distinct(count, |i| (i as u16 / 8, base + 256 * (i as u32 / 8) + i as u32 % 8)),
        ),
        ("one host in each network", distinct(count, |i| (function, base + 256 * i as u32))),
    ]
}

#[test]
fn every_kind_of_key_set_finds_its_places_at_95_percent() {
    for rows in [512, 1024] {
        let table = ExactMatch { ways: 4, rows, key_w: Lookup::KEY_W, value_w: Lookup::VALUE_W };
        let count = (table.ways * table.rows * 95 / 100) as usize;
        for seed in 0..10 {
            for (what, keys) in sets(count, seed) {
                let slots = place(&table, &keys)
                    .unwrap_or_else(|n| panic!("{what}, {rows} rows: key {n} of {count} has no place"));
                assert_eq!(slots.iter().collect::<HashSet<_>>().len(), count, "two keys in one slot");
                assert!(keys.iter().zip(&slots).all(|(k, s)| table.row_of(s.way, *k) == s.row), "{what}");
            }
        }
    }
}

#[test]
fn more_keys_than_places_name_the_first_without() {
    let table = ExactMatch { ways: 2, rows: 16, key_w: 48, value_w: 32 };
    let keys: Vec<u128> = (0..33).collect();
    let first = place(&table, &keys).unwrap_err();
    assert!(place(&table, &keys[..first]).is_ok());
    assert!(first < 33);
}
