//! The scoreboard itself: hardware and model that hold different rules must not agree, and the message must say where.

use em_rtl::{
    csr::Reg,
    lookup::{Operation, Table, function_value},
};
use em_sim::{bfm::Resp, em::EmSim, program::Slot};
use em_testbench::em::{Hardware, InFrame, Scoreboard, TableEntry, craft, for_all_tables};

const RULES: &str = r#"
[[function]]
id = 1
mode = "nat"
[[nat]]
function = 1
inside = "192.0.2.10"
outside = "203.0.113.5"
"#;

const SEED: u64 = 4711;
const INSIDE: [u8; 4] = [192, 0, 2, 10];

fn board() -> Scoreboard {
    Hardware::strict("ecp5").scoreboard(RULES, SEED)
}

/// Maps the inside address to another outside address, in the hardware alone; or to none.
fn rewire(board: &mut Scoreboard, outside: Option<[u8; 4]>) {
    let em = &mut board.em;
    let tables = em.config.tables();
    let mapping = |way, outside| TableEntry::mapping_tx(&tables, way, 1, INSIDE, outside);
    let ways = 0..tables.nat_ways;
    let deleted = ways.clone().filter(|way| mapping(*way, [0; 4]).command(em, Operation::Delete).0 == Resp::Okay);
    assert_eq!(deleted.count(), 1, "the mapping stood in one way");
    if let Some(outside) = outside {
        let mut ways = ways.map(|way| mapping(way, outside).command(em, Operation::Insert).0);
        assert!(ways.any(|answer| answer == Resp::Okay), "another way is free");
    }
    assert_eq!(for_all_tables(em, Operation::Commit), Resp::Okay);
}

/// Gives function 9 an entry, in the hardware alone: mode 1 is pass, 2 is drop.
fn add_function(em: &mut EmSim, mode: u8) {
    let (slot, value) = (Slot { way: 0, row: 9 }, function_value(mode, 0, 0));
    let entry = TableEntry { table: Table::Function, slot, key: 0, value };
    assert_eq!(entry.command(em, Operation::Insert).0, Resp::Okay);
    assert_eq!(for_all_tables(em, Operation::Commit), Resp::Okay);
}

fn frames() -> Vec<InFrame> {
    vec![InFrame::host(9, craft::tcp(INSIDE, b"dropped")), InFrame::host(1, craft::udp(INSIDE, 2000, b"key test"))]
}

#[test]
fn another_address_shows_both_frames_decoded_with_seed_and_clock() {
    let mut board = board();
    rewire(&mut board, Some([203, 0, 113, 99]));
    let text = board.run(&frames()).expect_err("the rules differ").to_string();
    println!("{text}");
    let line = |start: &str| {
        let found = text.lines().find(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("no line begins with `{start}`:\n{text}"))
    };
    assert_eq!(line("the verilated EM"), format!("the verilated EM and the golden model differ (seed {SEED})"));
    let place = line("net0: frame 0, clock ");
    let clock: u64 =
        place["net0: frame 0, clock ".len()..].split(':').next().unwrap().parse().expect("a number of clocks");
    assert!(clock > 0 && clock <= board.em.bench.cycle());
    assert!(
        line("  fn1, 50 bytes: 020000000001")
            .ends_with(&"key test".bytes().map(|b| format!("{b:02x}")).collect::<String>())
    );
    assert_eq!(line("expected 50 bytes, got 50"), "expected 50 bytes, got 50; first difference at byte 24");
    // Each field that differs is marked, with both values; the others stand there too.
    let marked: Vec<&str> =
        text.lines().filter(|l| l.starts_with("* ")).map(|l| l.split_whitespace().nth(2).unwrap()).collect();
    assert_eq!(marked, ["ipv4_checksum", "ipv4_src", "udp_checksum"]);
    let source = line("*   26  ipv4_src");
    assert!(source.contains("203.0.113.5 ") && source.ends_with("203.0.113.99"), "{source}");
    let destination = line("    30  ipv4_dst");
    assert_eq!(destination.matches("198.51.100.7").count(), 2, "{destination}");
    // The ports when the frame left.
    line(&format!("the ports around clock {clock}:"));
    let clocks = line("cycle ").split('|').skip(1).map(|c| c.trim().parse::<u64>().expect("a clock"));
    assert!(clocks.collect::<Vec<_>>().contains(&clock));
    assert!(line("m_axis_net0_tvalid").contains('‾'), "the frame is in the picture");
}

#[test]
fn a_frame_that_is_missing_is_named_with_what_went_in() {
    let mut board = board();
    rewire(&mut board, None);
    let text = board.run(&frames()).expect_err("the rules differ").to_string();
    assert!(text.contains("net0: did not come out: the frame that went in as\n  fn1, 50 bytes: 0200"), "{text}");
    assert!(text.contains(&format!("(seed {SEED})")), "{text}");
}

#[test]
fn a_frame_too_many_is_shown() {
    let mut board = board();
    add_function(&mut board.em, 1);
    let text = board.run(&[frames().remove(0)]).expect_err("the rules differ").to_string();
    assert!(text.contains("net0: frame 0, clock ") && text.contains(": one frame too many\n"), "{text}");
    assert!(text.contains("ipv4_src"), "{text}");
}

#[test]
fn another_drop_reason_is_named_by_its_counter() {
    let mut board = board();
    add_function(&mut board.em, 2);
    let text = board.run(&frames()).expect_err("the rules differ").to_string();
    assert!(text.contains("counter of drop `no_function`: expected 1, the hardware counted 0"), "{text}");
}

#[test]
fn equal_rules_agree() {
    board().run(&frames()).unwrap_or_else(|e| panic!("{e}"));
}

/// Gives the first limiter another burst, in the hardware alone.
fn allow(em: &mut EmSim, burst: u32) {
    let fits = Reg::PuntLimitMatch;
    let any = ["enable", "any_function", "any_reason"].iter().fold(0, |all, name| all | fits.field(name).mask());
    for (reg, value) in [(Reg::PuntLimitSelect, 0), (Reg::PuntLimitBurst, burst), (fits, any)] {
        assert_eq!(em.bench.write(em.m2m, u64::from(reg.offset()), value).unwrap(), Resp::Okay);
    }
}

#[test]
fn a_limit_that_lets_too_many_or_too_few_go_is_told() {
    let rules = format!("{RULES}[[punt_limit]]\nclocks_per_frame = 268_435_455\nburst = 8\n");
    let frames: Vec<InFrame> = (0..40).map(|i| InFrame::host(1, craft::unknown(60, i))).collect();
    for (burst, wanted) in [
        (8, None),
        (9, None),
        (10, Some("limit 0 let 10 frames go in ")),
        (7, Some("limit 0 kept frames before its burst was used up")),
    ] {
        let mut board = Hardware::strict("ecp5").scoreboard(&rules, SEED);
        allow(&mut board.em, burst);
        match (board.run(&frames), wanted) {
            (Ok(_), None) => {}
            (Err(e), Some(wanted)) => assert!(e.to_string().contains(wanted), "{e}"),
            (Ok(_), Some(_)) => panic!("a burst of {burst} is not seen"),
            (Err(e), None) => panic!("{e}"),
        }
    }
}
