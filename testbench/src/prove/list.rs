//! The proofs there are, and the faults that must make them fail.

use super::{
    Fault, Proof,
    Tie::{Arbitrary, Inside},
    arbiter::ArbiterHarness,
    fifo::FifoHarness,
    frame_fifo::FrameFifoHarness,
    skid::SkidHarness,
};
use em_rtl::stream::{Arbiter, Fifo, FrameFifo, Memory, Skid, WhenFull};
use hdl::elaborate;

const DATA_W: u32 = 16;
const DEPTH: u32 = 4;

/// Every proof, in the order of the blocks.
pub fn proofs() -> Vec<Proof> {
    let fifo_about = "FIFO: stream rules; beats come out in order, each once, none held back";
    let frame_about =
        "whole-frame FIFO: stream rules; accepted frames come out in order, each once; each frame has one outcome";
    vec![
        Proof {
            name: "skid",
            about: "skid buffer: stream rules; beats come out in order, each once, none held back",
            depth: 4,
            cover_depth: 8,
            design: || elaborate(&SkidHarness { dut: Skid { data_w: DATA_W, user_w: 1 } }),
            ties: SKID_TIES,
        },
        Proof {
            name: "fifo_block",
            about: fifo_about,
            depth: 5,
            cover_depth: 20,
            design: || elaborate(&FifoHarness { dut: fifo(Memory::Block) }),
            ties: FIFO_BLOCK_TIES,
        },
        Proof {
            name: "fifo_distributed",
            about: fifo_about,
            depth: 5,
            cover_depth: 20,
            design: || elaborate(&FifoHarness { dut: fifo(Memory::Distributed) }),
            ties: FIFO_TIES,
        },
        Proof {
            name: "frame_fifo_stall",
            about: frame_about,
            depth: 5,
            cover_depth: 20,
            design: || elaborate(&FrameFifoHarness { dut: frame_fifo(WhenFull::Stall) }),
            ties: FRAME_FIFO_TIES,
        },
        Proof {
            name: "frame_fifo_drop",
            about: frame_about,
            depth: 5,
            cover_depth: 20,
            design: || elaborate(&FrameFifoHarness { dut: frame_fifo(WhenFull::Drop) }),
            ties: FRAME_FIFO_TIES,
        },
        Proof {
            name: "arbiter",
            about: "arbiter of three streams: stream rules; frames unmixed, in order, each once; nobody waits for more than two frames",
            depth: 4,
            cover_depth: 12,
            design: || elaborate(&ArbiterHarness { dut: Arbiter { inputs: 3, data_w: 8, user_w: 2 } }),
            ties: ARBITER_TIES,
        },
    ]
}

fn fifo(memory: Memory) -> Fifo {
    Fifo { data_w: DATA_W, user_w: 1, depth: DEPTH, memory }
}

fn frame_fifo(when_full: WhenFull) -> FrameFifo {
    FrameFifo { data_w: DATA_W, user_w: 1, depth: DEPTH, memory: Memory::Block, when_full }
}

const SKID_TIES: &[(&str, super::Tie)] = &[
    ("number", Arbitrary),
    ("kept_tdata", Inside("dut.kept_tdata")),
    ("kept_tkeep", Inside("dut.kept_tkeep")),
    ("kept_tlast", Inside("dut.kept_tlast")),
    ("kept_tuser", Inside("dut.kept_tuser")),
    ("kept_valid", Inside("dut.kept_valid")),
];

const FIFO_TIES: &[(&str, super::Tie)] = &[
    ("number", Arbitrary),
    ("write_pointer", Inside("dut.write_pointer")),
    ("read_pointer", Inside("dut.read_pointer")),
    ("words", Inside("dut.beats.words")),
];

const FIFO_BLOCK_TIES: &[(&str, super::Tie)] = &[
    ("number", Arbitrary),
    ("write_pointer", Inside("dut.write_pointer")),
    ("read_pointer", Inside("dut.read_pointer")),
    ("fetched", Inside("dut.beats.read_data")),
    ("fetched_valid", Inside("dut.fetched_valid")),
    ("words", Inside("dut.beats.words")),
];

const FRAME_FIFO_TIES: &[(&str, super::Tie)] = &[
    ("number", Arbitrary),
    ("write_pointer", Inside("dut.write_pointer")),
    ("commit_pointer", Inside("dut.commit_pointer")),
    ("read_pointer", Inside("dut.read_pointer")),
    ("swallow", Inside("dut.swallow")),
    ("fetched", Inside("dut.beats.read_data")),
    ("fetched_valid", Inside("dut.fetched_valid")),
    ("words", Inside("dut.beats.words")),
];

const ARBITER_TIES: &[(&str, super::Tie)] = &[
    ("which", Arbitrary),
    ("number", Arbitrary),
    ("turn", Inside("dut.turn")),
    ("mid_frame", Inside("dut.mid_frame")),
    ("kept_tdata", Inside("dut.out.kept_tdata")),
    ("kept_tkeep", Inside("dut.out.kept_tkeep")),
    ("kept_tlast", Inside("dut.out.kept_tlast")),
    ("kept_tuser", Inside("dut.out.kept_tuser")),
    ("kept_valid", Inside("dut.out.kept_valid")),
];

/// Faults that must make the proofs fail, at least one for each block and for each of its promises.
pub fn faults() -> Vec<Fault> {
    let fault = |proof, about, module, from, to| Fault { proof, about, module, from, to };
    vec![
        fault("skid", "a beat kept aside is forgotten", "skid", "kept_valid <= 1'b1;", "kept_valid <= 1'b0;"),
        fault(
            "skid",
            "a beat kept aside comes out twice",
            "skid",
            "kept_valid <= 1'b0;\n            s_axis_tready <= 1'b1;",
            "kept_valid <= kept_valid & s_axis_tvalid;\n            s_axis_tready <= 1'b1;",
        ),
        fault(
            "skid",
            "a waiting beat is overwritten",
            "skid",
            "wire advance = m_axis_tready | !m_axis_tvalid;",
            "wire advance = m_axis_tready | !m_axis_tvalid | s_axis_tlast;",
        ),
        fault(
            "skid",
            "the data kept aside is not",
            "skid",
            "kept_tdata <= s_axis_tdata;",
            "kept_tdata <= m_axis_tdata;",
        ),
        fault(
            "fifo_block",
            "a full memory is written",
            "fifo",
            "assign s_axis_tready = !full;",
            "assign s_axis_tready = 1'b1;",
        ),
        fault(
            "fifo_block",
            "the word fetched is overwritten",
            "fifo",
            "wire fetch_free = out_free | !fetched_valid;",
            "wire fetch_free = 1'b1;",
        ),
        fault(
            "fifo_block",
            "the last beat waits for the next",
            "fifo",
            "wire out_free = m_axis_tready | !m_axis_tvalid;",
            "wire out_free = (m_axis_tready | !m_axis_tvalid) & (available | !m_axis_tlast);",
        ),
        fault(
            "fifo_distributed",
            "an empty memory is read",
            "fifo",
            "wire read = out_free & available;",
            "wire read = out_free;",
        ),
        fault(
            "frame_fifo_stall",
            "a bad frame is accepted",
            "frame_fifo",
            "wire accept = ends_and & !bad;",
            "wire accept = ends_and;",
        ),
        fault(
            "frame_fifo_stall",
            "a frame is seen before its end",
            "frame_fifo",
            "if (accept) begin",
            "if (accept | (store_beat & !bad)) begin",
        ),
        fault(
            "frame_fifo_stall",
            "a frame that fills the memory exactly is dropped",
            "frame_fifo",
            "!full | swallow",
            "(!full & !(s_axis_tlast & (write_pointer[1:0] == 2'd3))) | swallow",
        ),
        fault(
            "frame_fifo_drop",
            "what a dropped frame left is not forgotten",
            "frame_fifo",
            "if (forget) begin",
            "if (forget & bad) begin",
        ),
        fault(
            "frame_fifo_drop",
            "the rest of a dropped frame is stored",
            "frame_fifo",
            "swallow <= 1'b1;",
            "swallow <= 1'b0;",
        ),
        fault(
            "arbiter",
            "a frame is interrupted",
            "arbiter",
            "wire pass_on = ends | (!mid_frame & !chosen_valid);",
            "wire pass_on = take;",
        ),
        fault(
            "arbiter",
            "stream 0 is served whenever it waits",
            "arbiter",
            "wire next2 = ",
            "wire next2 = !s_axis0_tvalid & ",
        ),
    ]
}
