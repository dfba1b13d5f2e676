//! A word at a time from clock to clock.
//!
//! ```text
//!            src clock                                   dst clock
//!  src_data ──▶ word ─────────────────────────────────▶ dst_data
//!               request ──▶ synchroniser ──▶ differs? ──▶ dst_valid
//!  src_ready ◀─ differs? ◀── synchroniser ◀── acknowledge
//! ```
//!
//! Contract:
//! 1. Each word taken (`src_valid` and `src_ready`) appears once on `dst_data`, in order.
//! 2. Once `dst_valid` is up, it and the word stay until `dst_ready`; the word stays on until the next one arrives.
//! 3. No output depends combinationally on an input.

use super::{check_stages, synchronise};
use crate::{Bits, Block, Bundle, Shape, assert_that, clock::crossing, cover_that, in_domain, names, reg, when};

/// Carries a word from domain `src` to domain `dst` with a request and an acknowledge that toggle. For a bundle,
/// `pack` it. Both domains must be reset together. Cost: `3 width / 2` flip-flops or so (two words) and the chains.
#[derive(Clone, Debug)]
pub struct Handshake {
    /// Width of a word in bits.
    pub width: u32,
    /// Flip-flops in each synchroniser, 2 to 8.
    pub stages: u32,
}

/// Ports of [`Handshake`].
#[derive(Bundle, Clone)]
#[bundle(width: u32)]
pub struct HandshakeIo<S> {
    /// A word is offered.
    #[input]
    #[clock(src)]
    pub src_valid: S,
    /// The word.
    #[input]
    #[clock(src)]
    #[width(width)]
    pub src_data: S,
    /// The word is taken.
    #[output]
    #[clock(src)]
    pub src_ready: S,
    /// A word has arrived.
    #[output]
    #[clock(dst)]
    pub dst_valid: S,
    /// The word.
    #[output]
    #[clock(dst)]
    #[width(width)]
    pub dst_data: S,
    /// The word is taken.
    #[input]
    #[clock(dst)]
    pub dst_ready: S,
}

impl Block for Handshake {
    type Io<S> = HandshakeIo<S>;

    fn name(&self) -> String {
        "cdc_handshake".into()
    }

    fn doc(&self) -> String {
        format!("Carries {}-bit words from the clock src_clk to dst_clk, one at a time.", self.width)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("w", self.width.to_string()), ("stages", self.stages.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        check_stages("cdc_handshake", self.stages)
    }

    fn io(&self) -> HandshakeIo<Shape> {
        HandshakeIo::shape(self.width)
    }

    #[names]
    fn build(&self, io: &HandshakeIo<Bits>) {
        let word = in_domain("src", || reg(self.width));
        let request = in_domain("src", || reg(1).reset(0));
        let acknowledge = in_domain("dst", || reg(1).reset(0));
        let acknowledged = in_domain("src", || synchronise(acknowledge, self.stages));
        let requested = in_domain("dst", || synchronise(request, self.stages));

        let idle = request.eq(acknowledged);
        io.src_ready.set(idle);
        when(io.src_valid & idle, || {
            word.set(io.src_data);
            request.set(!request);
        });

        in_domain("dst", || {
            io.dst_valid.reset(0);
            // The word has been still since before the request arrived.
            crossing(io.dst_data.registered());
            let arrived = requested.ne(acknowledge);
            when(arrived & (!io.dst_valid | io.dst_ready), || {
                io.dst_data.set(word);
                io.dst_valid.set(1);
                acknowledge.set(requested);
            })
            .elsewhen(io.dst_ready, || io.dst_valid.set(0));

            let offered = (io.dst_valid & !io.dst_ready).delay_reset(0);
            let offered_data = io.dst_data.delay();
            let held = io.dst_valid & io.dst_data.eq(offered_data);
            assert_that("dst_stays", "a word offered stays until it is taken", !offered | held);
            cover_that(
                "back_to_back",
                "a word arrives while another is being taken",
                arrived & io.dst_valid & io.dst_ready,
            );
        });
    }
}
