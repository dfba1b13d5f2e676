//! What the blocks of the egress side hand to each other.

use super::{Egress, Output};
use crate::{
    outcome::Outcome,
    packet::{Direction, FUNCTION_W, PORT_W, Rewrite, Size},
};
use hdl::{Bundle, clog2};

/// Sizes that the bundles of the egress side depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sizes {
    /// Sizes of the path.
    pub size: Size,
    /// Which way the path goes.
    pub direction: Direction,
    /// Bits of an address of the frame buffer.
    pub addr_w: u32,
    /// Bits of the number of a page of it. A frame goes by the number of its first page: its slot.
    pub page_w: u32,
}

impl Sizes {
    /// Half-words from a frame's beginning that a rewrite can reach, to the power of two: 64, or 128 bytes.
    pub const REACH_LOG2: u32 = 6;

    /// Sizes of a whole egress side.
    pub fn of(egress: &Egress) -> Sizes {
        Sizes {
            size: egress.size,
            direction: egress.direction,
            addr_w: clog2(u64::from(egress.buffer_beats)),
            page_w: clog2(u64::from(egress.pages)),
        }
    }

    /// Outputs of the path.
    pub fn outputs(&self) -> &'static [Output] {
        Output::of(self.direction)
    }

    /// Number of outputs.
    pub fn output_count(&self) -> u32 {
        self.outputs().len() as u32
    }

    /// Pages of the buffer, and frames that may be on their way: each has a page at least.
    pub fn pages(&self) -> u32 {
        1 << self.page_w
    }

    /// Bits of the number of a beat within its page.
    pub fn offset_w(&self) -> u32 {
        self.addr_w - self.page_w
    }

    /// Bits that number the beats that a rewrite can reach, but for that of an ICRC.
    pub fn reach_w(&self) -> u32 {
        Self::REACH_LOG2 - self.size.half_w()
    }
}

/// Where a frame stands: what its output's reader needs to know.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes)]
pub struct Place<S> {
    /// Its first page.
    #[width(sizes.page_w)]
    pub page: S,
    /// Its beats; 1 or more.
    #[width(sizes.size.beats_w)]
    pub beats: S,
    /// It has one beat only.
    pub single: S,
}

/// The rest about a frame: what its beats need as they leave. Every beat looks it up anew.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(direction: Direction, size: Size)]
pub struct Detail<S> {
    /// Last valid lane of the last beat.
    #[width(size.lane_w())]
    pub lane: S,
    /// Code of the outcome, if it is a punt, less the first code of a punt.
    #[width(Detail::<hdl::Shape>::REASON_W)]
    pub reason: S,
    /// Port it came in by.
    #[width(PORT_W)]
    pub port: S,
    /// Function that sent it or gets it.
    #[width(FUNCTION_W)]
    pub function: S,
    /// What is written over it. Each of `translate`, `l4`, `quoted`, `quoted_l4`, `next_hop`, `route` and `icrc` stands by
    /// itself: none is 1 if nothing is written.
    #[shape(Rewrite::shape(size, direction))]
    pub rewrite: Rewrite<S>,
}

impl Detail<hdl::Shape> {
    /// Bits that tell one punt from another: the lower ones of the outcome's code.
    pub const REASON_W: u32 = Outcome::WIDTH - 2;
}

/// A beat that a reader would read.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes)]
pub struct Offer<S> {
    /// Its address in the frame buffer.
    #[width(sizes.addr_w)]
    pub address: S,
    /// Slot of its frame.
    #[width(sizes.page_w)]
    pub slot: S,
    /// Which beat of its frame it is.
    #[width(sizes.size.beats_w)]
    pub index: S,
    /// It is not in its frame's first page.
    pub further: S,
    /// Last beat of its frame.
    pub last: S,
}

/// A beat that is being read.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes)]
pub struct Reading<S> {
    /// The output that the beat goes to, one bit each; none if nothing is read in this clock.
    #[width(sizes.output_count())]
    pub output: S,
    /// Which beat of its frame it is.
    #[width(sizes.size.beats_w)]
    pub index: S,
    /// It is not in its frame's first page.
    pub further: S,
    /// Last beat of its frame.
    pub last: S,
}

/// A beat as it leaves.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(sizes: Sizes)]
pub struct Leaving<S> {
    /// The output that it goes to, one bit each; none if nothing leaves in this clock.
    #[width(sizes.output_count())]
    pub output: S,
    /// The bytes.
    #[width(sizes.size.data_w)]
    pub data: S,
    /// Last valid lane of the last beat.
    #[width(sizes.size.lane_w())]
    pub lane: S,
    /// Last beat of its frame.
    pub last: S,
    /// Code of its frame's outcome, if it is a punt, less the first code of a punt.
    #[width(Detail::<hdl::Shape>::REASON_W)]
    pub reason: S,
    /// Port that its frame came in by.
    #[width(PORT_W)]
    pub port: S,
    /// Function that its frame is of.
    #[width(FUNCTION_W)]
    pub function: S,
}
