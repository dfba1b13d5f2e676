//! `stream >> block`: pipelines of blocks with one stream in and one out, written from left to right.

use super::Axis;
use hdl::{Bits, Block, Bundle, Nameable, Shape, connect, instance};
use std::ops::Shr;

/// The ports of a block with one stream in, one out and nothing else.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(s_axis: Axis<Shape>, m_axis: Axis<Shape>)]
pub struct StreamIo<S> {
    /// Beats in.
    #[input]
    #[shape(s_axis)]
    pub s_axis: Axis<S>,
    /// Beats out.
    #[output]
    #[shape(m_axis)]
    pub m_axis: Axis<S>,
}

/// A block with one stream in and one out, and no other port that its user must connect.
///
/// `stream >> block` instantiates it, connects `stream` to its input and is its output. The instance has the block's
/// name; `stream >> ("rx_skid", block)` gives it another one. `stream >> sink`, where `sink` is a stream to be driven
/// (an output port, or the input of an instance), ends the pipeline.
pub trait StreamBlock: Block {
    /// The stream in and the stream out.
    fn ends(io: &Self::Io<Bits>) -> (Axis<Bits>, Axis<Bits>);
}

impl<B: StreamBlock> Shr<B> for Axis<Bits> {
    type Output = Axis<Bits>;

    #[track_caller]
    fn shr(self, block: B) -> Axis<Bits> {
        let name = block.name();
        self >> (name.as_str(), block)
    }
}

impl<B: StreamBlock> Shr<(&str, B)> for Axis<Bits> {
    type Output = Axis<Bits>;

    #[track_caller]
    fn shr(self, (name, block): (&str, B)) -> Axis<Bits> {
        let (s_axis, m_axis) = B::ends(&instance(&block));
        s_axis.give_name(name);
        connect(&self, &s_axis);
        m_axis
    }
}

impl Shr<Axis<Bits>> for Axis<Bits> {
    type Output = ();

    #[track_caller]
    fn shr(self, sink: Axis<Bits>) {
        connect(&self, &sink);
    }
}
