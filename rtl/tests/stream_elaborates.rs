//! Every stream block elaborates at the widths in use, and refuses configurations that make no sense.

use em_rtl::stream::{
    Arbiter, AsyncFifo, AsyncFrameFifo, Axis, Fifo, FrameFifo, Memory, Narrow, Skid, StreamIo, WhenFull, Widen,
};
use hdl::{Bits, Block, Fault, Shape, elaborate};

fn good(block: &impl Block) {
    elaborate(block).unwrap_or_else(|errors| panic!("{errors}"));
}

fn refused(block: &impl Block, text: &str) {
    let errors = elaborate(block).unwrap_err();
    assert!(errors.has(Fault::Config) && errors.to_string().contains(text), "{errors}");
}

#[test]
fn at_every_width() {
    for (data_w, user_w) in [(8, 1), (64, 1), (128, 17), (512, 24)] {
        good(&Skid { data_w, user_w });
        for inputs in [2, 3, 5] {
            good(&Arbiter { inputs, data_w, user_w });
        }
        good(&Widen { from_w: data_w, to_w: 2 * data_w, user_w });
        good(&Narrow { from_w: 4 * data_w, to_w: data_w, user_w });
        for memory in [Memory::Distributed, Memory::Block] {
            good(&AsyncFifo { data_w, user_w, depth: 16, memory, stages: 2 });
            let when_full = WhenFull::Drop;
            good(&AsyncFrameFifo { data_w, user_w, depth: 256, memory, when_full, stages: 2 });
        }
        for (depth, memory) in [(16, Memory::Distributed), (512, Memory::Block), (300, Memory::Block)] {
            good(&Fifo { data_w, user_w, depth, memory });
            for when_full in [WhenFull::Stall, WhenFull::Drop] {
                good(&FrameFifo { data_w, user_w, depth, memory, when_full });
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    refused(&Skid { data_w: 12, user_w: 1 }, "skid: data_w = 12 is no whole number of bytes");
    refused(&Skid { data_w: 64, user_w: 0 }, "skid: user_w = 0");
    refused(&Fifo { data_w: 64, user_w: 1, depth: 1, memory: Memory::Block }, "fifo: depth = 1: use at least 2");
    let frame_fifo = FrameFifo { data_w: 64, user_w: 1, depth: 0, memory: Memory::Block, when_full: WhenFull::Drop };
    refused(&frame_fifo, "frame_fifo: depth = 0: use at least 2");
    refused(&Arbiter { inputs: 1, data_w: 64, user_w: 1 }, "arbiter: inputs = 1: use 2 to 16");
}

/// A pipeline written with `>>`.
struct Pipeline;

impl Block for Pipeline {
    type Io<S> = StreamIo<S>;

    fn name(&self) -> String {
        "pipeline".into()
    }

    fn io(&self) -> StreamIo<Shape> {
        StreamIo::shape(Axis::shape(64, 1), Axis::shape(64, 1))
    }

    fn build(&self, io: &StreamIo<Bits>) {
        let skid = Skid { data_w: 64, user_w: 1 };
        let fifo = Fifo { data_w: 64, user_w: 1, depth: 16, memory: Memory::Distributed };
        io.s_axis >> skid >> ("rx_fifo", fifo) >> skid >> io.m_axis
    }
}

#[test]
fn a_pipeline_reads_from_left_to_right() {
    let design = elaborate(&Pipeline).unwrap();
    let instances: Vec<&str> = design.top().insts.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(instances, ["skid", "rx_fifo", "skid_1"]);
}
