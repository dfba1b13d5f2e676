//! AXI4-Stream: the bundle and the blocks that buffer and join streams.
//!
//! Pipelines read from left to right: `io.s_axis >> skid >> ("rx_fifo", fifo) >> io.m_axis` (see [`StreamBlock`]).

mod axis;
mod rules;
mod pipe;
mod store;
mod skid;
mod fifo;
mod frame_writer;
mod frame_fifo;
mod arbiter;
mod widen;
mod narrow;
mod async_fifo;
mod async_frame_fifo;

pub use arbiter::{Arbiter, ArbiterIo};
pub use async_fifo::{AsyncFifo, AsyncFifoIo};
pub use async_frame_fifo::{AsyncFrameFifo, AsyncFrameFifoIo};
pub use axis::{Axis, Beat, HostUser, InjectUser, NetUser, PathUser, PuntUser};
pub use fifo::Fifo;
pub use frame_fifo::{FrameFifo, FrameFifoIo, WhenFull};
pub use narrow::Narrow;
pub use pipe::{StreamBlock, StreamIo};
pub use rules::{assert_stream, assume_stream, is_well_formed};
pub use skid::Skid;
pub use store::Memory;
pub use widen::Widen;
