//! The frame that blocks are measured in, and the way through place and route.

use em_fpga::{Cells, Measurement, Part, reference::Csum, synthesis};
use em_rtl::stream::Skid;
use em_tools::Tool;
use hdl::{
    Block, Design,
    cdc::{AsyncFifo, Storage},
    ir::Dir,
};

fn elaborate(block: impl Block) -> Design {
    hdl::elaborate(&block).unwrap_or_else(|e| panic!("{e}"))
}

fn async_fifo() -> AsyncFifo {
    AsyncFifo { depth: 16, width: 24, stages: 2, storage: Storage::Distributed, output_reg: true }
}

/// Bits of the ports in one direction, clocks left out.
fn bits(design: &Design, dir: Dir) -> u64 {
    let top = design.top();
    top.ports().filter(|(_, _, d)| *d == dir).map(|(_, sig, _)| u64::from(sig.width)).sum()
}

fn check_frame(block: impl Block) {
    let design = elaborate(block);
    let alone: Cells = synthesis(&design).cells().unwrap();
    let framed = synthesis(&design).framed(design.top()).unwrap();
    assert_eq!(framed.block, alone, "the frame changes nothing in the block");
    let ports = bits(&design, Dir::In) + bits(&design, Dir::Out);
    assert!(framed.frame.ffs() >= ports, "a flip-flop a port: {} for {ports}", framed.frame.ffs());
    // Everything is in the netlist that is placed.
    let netlist: serde_json::Value = serde_json::from_str(&framed.netlist).unwrap();
    let cells = netlist["modules"]["harness"]["cells"].as_object().unwrap().values();
    let count = |kind: &str| cells.clone().filter(|c| c["type"] == kind).count() as u64;
    for kind in alone.0.keys() {
        assert_eq!(count(kind), framed.block.count(kind) + framed.frame.count(kind), "{kind}");
    }
}

#[test]
fn the_frame_costs_the_block_nothing() {
    check_frame(Csum);
    check_frame(Skid { data_w: 64, user_w: 17 });
    check_frame(async_fifo());
}

/// Each clock has its own registers, and nothing is shared between them.
#[test]
fn two_clocks_have_two_sides() {
    let design = elaborate(async_fifo());
    let text = em_fpga::harness::verilog(design.top());
    for line in [
        "    input  wire wr_clk,",
        "    input  wire rd_rst,",
        "    output wire wr_out,",
        "        .wr_clk(wr_clk),",
        "        .rd_rst(rd_rst_held),",
        "        .wr_data(wr_shift[1 +: 24]),",
        "        .rd_data(rd_results[1 +: 24])",
        "    assign rd_out = rd_fold3[0];",
    ] {
        assert!(text.lines().any(|l| l == line), "{line}\n{text}");
    }
}

#[test]
fn a_small_block_is_placed_and_routed() {
    if let Err(error) = em_tools::find(Tool::NextpnrEcp5) {
        eprintln!("skipped: {error}");
        return;
    }
    let measured = Measurement::of(&elaborate(Csum), Part::LFE5U_25F_6, 1, |_| ()).unwrap();
    assert_eq!(measured.clocks(), ["clk"]);
    assert!((50.0..600.0).contains(&measured.worst("clk")), "{}", measured.worst("clk"));
    let path = measured.path("clk").expect("a block with a register has a path");
    assert!((path.ns() - 1000.0 / measured.worst("clk")).abs() < 0.01, "{path:?}");
    assert!(!path.in_frame && path.to.starts_with("hc_new["), "{path:?}");
    // Nothing was pruned: every cell of both is on the part, with what nextpnr adds at the ends of carry chains.
    let framed = &measured.framed;
    let (wanted, placed) = (framed.block.luts() + framed.frame.luts(), measured.runs[0].sites["TRELLIS_COMB"].used);
    assert!((wanted..=wanted + wanted / 8).contains(&placed), "{placed} of {wanted}");
}
