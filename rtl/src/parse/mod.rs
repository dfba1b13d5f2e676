//! Reads the headers while the frame is written into the buffer: alignment, fields, header checksum. Only wires.
//!
//! ```text
//!            ┌─────────┐ word  ┌───────────┐
//!  beat ────▶│  align  │──┬───▶│  extract  │────▶ headers
//!            └─────────┘  │    └───────────┘
//!                         │    ┌──────────────┐
//!                         └───▶│  header_sum  │─▶ checksum_good
//!                              └──────────────┘
//! ```
//! Latency: [`Parse::latency`] clocks from the last beat to `headers_valid`, [`CHECKSUM_AFTER`] more to `checksum_good`.
//! Throughput: a beat a clock, whatever the frames' lengths. It never stalls and drops nothing.
//!
//! 1. One `headers_valid` for each frame, in order; `headers` stands for that one clock.
//! 2. A field that the frame does not have holds anything: whoever reads it looks at the lengths first.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/rx_parse` | LFE5UM5G-45F-8 | 774 | 974 | 0 | 195 / 239 / 244 | 162.5 |
//! | `ecp5/tx_parse` | LFE5UM5G-45F-8 | 842 | 860 | 0 | 215 / 226 / 233 | 162.5 |
//! | `parse_64` | LFE5UM5G-45F-8 | 332 | 780 | 0 | 231 / 251 / 266 |  |

mod align;
mod extract;
mod header_sum;

pub use align::{Align, AlignIo};
pub use extract::{Extract, ExtractIo};
pub use header_sum::{CHECKSUM_AFTER, HeaderSum, HeaderSumIo};

use crate::packet::{Beat, Direction, Headers, Size};
use hdl::*;

/// The block.
#[derive(Clone, Debug)]
pub struct Parse {
    /// Widths.
    pub size: Size,
    /// Which address is of interest, and which other fields.
    pub direction: Direction,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, direction: Direction)]
pub struct ParseIo<S> {
    /// Beats in.
    #[input]
    #[shape(Beat::shape(size))]
    pub beat: Beat<S>,
    /// Fields out.
    #[output]
    #[shape(Headers::shape(size, direction))]
    pub headers: Headers<S>,
    /// The IPv4 header checksum is right, [`CHECKSUM_AFTER`] clocks after `headers_valid`.
    #[output]
    pub checksum_good: S,
}

impl Parse {
    /// Clocks from a frame's last beat to its `headers_valid`.
    pub const fn latency(_size: Size) -> u32 {
        3
    }
}

impl Block for Parse {
    type Io<S> = ParseIo<S>;

    fn name(&self) -> String {
        format!("{}_parse", self.direction.name())
    }

    fn doc(&self) -> String {
        "Reads the headers of frames as their beats go by.".into()
    }

    fn check(&self) -> Result<(), String> {
        self.size.check("parse")
    }

    fn io(&self) -> ParseIo<Shape> {
        ParseIo::shape(self.size, self.direction)
    }

    #[names]
    fn build(&self, io: &ParseIo<Bits>) {
        let Parse { size, direction } = *self;
        let align = instance(&Align { size, direction });
        assign(&align.beat, &io.beat);
        let extract = instance(&Extract { size, direction });
        assign(&extract.word, &align.word);
        assign(&io.headers, &extract.headers);
        let header_sum = instance(&HeaderSum { data_w: size.data_w });
        header_sum.begins.set(align.word.at.bit(0));
        header_sum.next.set(align.word.next);
        header_sum.data.set(align.word.data);
        header_sum.ihl.set(align.word.ihl);
        io.checksum_good.set(header_sum.good);
    }
}
