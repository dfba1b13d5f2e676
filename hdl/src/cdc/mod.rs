//! Clock-crossing primitives. Anything else that goes from one clock to another is an elaboration error.
//!
//! | block | carries | cost in latency |
//! |---|---|---|
//! | [`BitSync`] | independent bits, or a Gray-coded vector | `stages` clocks of the destination |
//! | [`ResetSync`] | a reset: asserted at once, released with the clock | `stages` clocks |
//! | [`Handshake`] | one word now and then, both sides with ready and valid | about `stages + 2` clocks of each side a word |
//! | [`AsyncFifo`] | a stream at one word a clock | `stages + 2` clocks of the reader, one more with each output register |
//!
//! Every flip-flop that may become metastable is marked `ASYNC_REG` in the Verilog. The synchronisers' inputs must come
//! straight from flip-flops: a glitch of combinational logic is a value like any other to the far side.

mod fifo;
mod handshake;
mod sync;

pub use fifo::{AsyncFifo, AsyncFifoIo, Storage};
pub use handshake::{Handshake, HandshakeIo};
pub use sync::{BitSync, BitSyncIo, ResetSync, ResetSyncIo, synchronise};

/// The refusal of too short a chain of flip-flops.
fn check_stages(block: &str, stages: u32) -> Result<(), String> {
    match stages {
        2..=8 => Ok(()),
        _ => Err(format!("`{block}`: {stages} synchroniser stages: use 2 to 8 (3 above about 300 MHz)")),
    }
}
