//! What yosys makes of each memory on ECP5: the block RAMs that its size needs, and nothing beside them.

mod common;

use common::{plain, words};
use em_fpga::{Cells, Synthesis};
use hdl::{
    Collision::{self, *},
    MemSpec,
    memory::MemKind::{self, *},
    verilog::memory_text,
};

fn synthesis(spec: &MemSpec) -> Synthesis {
    let name = spec.module_name();
    Synthesis::new([(format!("{name}.v"), memory_text(spec))], &name)
}

fn cells(spec: &MemSpec) -> Cells {
    synthesis(spec).cells().unwrap_or_else(|e| panic!("{}: {e}", spec.module_name()))
}

fn with(kind: MemKind, collision: Collision, lane: Option<u32>, two_clocks: bool) -> MemSpec {
    MemSpec { collision, lane, two_clocks, ..plain(kind, 1024, 32) }
}

#[test]
fn block_rams_are_as_many_as_the_size_needs() {
    for (kind, depth, width, expected) in [
        (SimpleDual, 512, 36, 1),
        (SimpleDual, 1024, 129, 8),
        (SimpleDual, 4096, 32, 8),
        (SimpleDual, 512, 128, 4),
        (SimpleDual, 64, 16, 1),
        (TrueDual, 512, 36, 2),
        (TrueDual, 1024, 129, 8),
        (TrueDual, 2048, 9, 1),
    ] {
        let spec = plain(kind, depth, width);
        let found = cells(&spec);
        assert_eq!(found.block_rams(), expected, "{}", spec.module_name());
        assert_eq!((found.ffs(), found.wide_muxes()), (0, 0), "{}", spec.module_name());
        assert!(found.luts() <= 2, "{}: {found:?}", spec.module_name());
    }
}

#[test]
fn what_silicon_does_by_itself_costs_no_register() {
    for lane in [None, Some(8), Some(16)] {
        for two_clocks in [false, true] {
            for (kind, collision) in
                [(SimpleDual, Undefined), (TrueDual, NoChange), (TrueDual, Undefined), (TrueDual, Old)]
            {
                let spec = with(kind, collision, lane, two_clocks);
                let found = cells(&spec);
                assert_eq!((found.block_rams(), found.ffs()), (2, 0), "{}: {found:?}", spec.module_name());
                // With lanes: the gates of the byte enables and of the clock enable.
                let gates = if lane.is_some() { 20 } else { 2 };
                assert!(found.luts() <= gates, "{}: {found:?}", spec.module_name());
            }
        }
    }
    for two_clocks in [false, true] {
        let found = cells(&with(TrueDual, New, None, two_clocks));
        assert_eq!((found.block_rams(), found.ffs()), (2, 0), "{found:?}");
    }
}

#[test]
fn other_policies_cost_registers_as_wide_as_the_word() {
    // A word of 32 bits and the condition; read-first needs the address too.
    for (kind, collision, lane, most) in [
        (SimpleDual, New, None, 33),
        (SimpleDual, New, Some(8), 36),
        (SimpleDual, Old, None, 80),
        (TrueDual, New, Some(8), 2 * 36),
    ] {
        let spec = with(kind, collision, lane, false);
        let found = cells(&spec);
        assert_eq!(found.block_rams(), 2, "{}", spec.module_name());
        assert!((1..=most).contains(&found.ffs()), "{}: {found:?}", spec.module_name());
    }
}

#[test]
fn distributed_memory_is_distributed_and_tables_choose() {
    let found = cells(&plain(Distributed, 16, 8));
    assert_eq!((found.count("TRELLIS_DPR16X4"), found.block_rams(), found.ffs()), (2, 0, 0));
    let found = cells(&plain(Distributed, 32, 32));
    assert_eq!((found.count("TRELLIS_DPR16X4"), found.block_rams(), found.ffs()), (16, 0, 0));
    let rom = |depth, width| cells(&MemSpec { init: Some(words(depth, width)), ..plain(Rom, depth, width) });
    assert_eq!((rom(1024, 16).block_rams(), rom(1024, 16).ffs()), (1, 0));
    assert_eq!((rom(16, 8).block_rams(), rom(16, 8).ffs()), (0, 8));
}

/// Latency 2: the generic body takes a register of logic cells, the ECP5 body the one in the block.
#[test]
fn the_output_register_of_the_block_is_used() {
    for (kind, depth, width, lane, two_clocks, blocks) in [
        (SimpleDual, 1024, 32, None, false, 2),
        (SimpleDual, 512, 128, None, true, 4),
        (SimpleDual, 1024, 32, Some(8), false, 2),
        (SimpleDual, 512, 64, Some(8), false, 2),
        (TrueDual, 1024, 32, None, true, 2),
        (TrueDual, 1024, 129, None, false, 8),
        (TrueDual, 1024, 32, Some(16), false, 2),
    ] {
        let spec = MemSpec { latency: 2, lane, two_clocks, ..plain(kind, depth, width) };
        let ports = if kind == TrueDual { 2 } else { 1 };
        let generic = cells(&spec);
        assert_eq!((generic.block_rams(), generic.ffs()), (blocks, ports * u64::from(width)), "{}", spec.module_name());
        let ecp5 = cells_of(&spec);
        assert_eq!((ecp5.0.block_rams(), ecp5.0.ffs()), (blocks, 0), "{}: {:?}", spec.module_name(), ecp5.0);
        assert_eq!(ecp5.1.len() as u64, blocks);
        for block in ecp5.1 {
            let text = |name: &str| block["parameters"][name].as_str().map(|s| s.trim().to_string());
            if block["type"] == "PDPW16KD" {
                assert_eq!(text("REGMODE").as_deref(), Some("OUTREG"));
            } else {
                assert_eq!(text("REGMODE_B").as_deref(), Some("OUTREG"));
                assert_eq!(text("REGMODE_A").as_deref(), Some(if ports == 2 { "OUTREG" } else { "NOREG" }));
                assert_eq!(text("WRITEMODE_A").as_deref(), Some("NORMAL"));
                assert_eq!(text("WRITEMODE_B").as_deref(), Some("NORMAL"));
            }
        }
    }
}

/// The cells of the ECP5 body, and its block RAMs as they stand in the netlist.
fn cells_of(spec: &MemSpec) -> (Cells, Vec<serde_json::Value>) {
    let synthesis = synthesis(spec).define("EM_TECH_ECP5");
    let netlist = synthesis.netlist().unwrap();
    let all = netlist["modules"][spec.module_name()]["cells"].as_object().unwrap();
    let blocks = all.values().filter(|c| c["type"].as_str().unwrap().ends_with("16KD")).cloned().collect();
    (synthesis.cells().unwrap(), blocks)
}
