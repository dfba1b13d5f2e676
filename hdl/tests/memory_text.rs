//! The emitted text of memories, read and approved.

use hdl::{Collision, MemSpec, memory::MemKind, verilog::memory_text};

fn spec(kind: MemKind, depth: u32, width: u32) -> MemSpec {
    let collision = if kind == MemKind::TrueDual { Collision::NoChange } else { Collision::Undefined };
    MemSpec {
        kind,
        depth,
        width,
        latency: 1,
        collision,
        lane: None,
        two_clocks: false,
        init: None,
        output_enable: false,
    }
}

#[test]
fn simple_dual_port() {
    let text = memory_text(&spec(MemKind::SimpleDual, 512, 36));
    assert_eq!(text, include_str!("golden/ram_sdp_512x36.v"));
}

#[test]
fn true_dual_port_with_lanes_and_output_register() {
    let spec = MemSpec { latency: 2, lane: Some(8), ..spec(MemKind::TrueDual, 2000, 16) };
    assert_eq!(memory_text(&spec), include_str!("golden/ram_tdp_2000x16_reg_lane8_nochange.v"));
}

#[test]
fn contents_are_written_word_by_word() {
    let init = (0..4).map(|i| hdl::Value::new(9, i * 100)).collect();
    let text = memory_text(&MemSpec { init: Some(init), ..spec(MemKind::Rom, 6, 9) });
    for line in ["init_word < 6", "mem[1] = 9'h064;", "mem[2] = 9'h0c8;", "mem[3] = 9'h12c;"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("mem[0] ="), "zeros need no line:\n{text}");
}

#[test]
fn the_text_depends_on_the_contract_alone() {
    let made = || memory_text(&MemSpec { two_clocks: true, ..spec(MemKind::TrueDual, 64, 40) });
    assert_eq!(made(), made());
}
