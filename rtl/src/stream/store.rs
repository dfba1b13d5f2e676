//! What the FIFOs are made of: ring pointers, and the way from memory to the output.

use super::{Axis, Beat};
use hdl::{
    Bits, Bundle, assign, cat, clog2, lit,
    memory::{self, SimpleDual},
    mux, names, reg, unpack, when,
};

/// Where a FIFO keeps its beats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Memory {
    /// Block RAM with its output register: for hundreds of beats. Three clocks from a beat in to the beat out.
    Block,
    /// Lookup tables: for tens of beats. Two clocks from a beat in to the beat out.
    Distributed,
}

/// Bits of a ring pointer: an address and, above it, a lap bit that flips at each wrap and so tells full from empty.
pub(super) fn pointer_width(depth: u32) -> u32 {
    clog2(u64::from(depth)) + 1
}

/// A ring pointer at 0.
#[track_caller]
pub(super) fn pointer(depth: u32) -> Bits {
    reg(pointer_width(depth)).reset(0)
}

/// The address in a pointer.
#[track_caller]
pub(super) fn address(pointer: Bits) -> Bits {
    pointer.trunc(pointer.width() - 1)
}

/// The pointer to the next word.
#[track_caller]
pub(super) fn next(pointer: Bits, depth: u32) -> Bits {
    if depth.is_power_of_two() {
        return pointer + 1;
    }
    let wraps = address(pointer).eq(u64::from(depth - 1));
    mux(wraps, cat([!pointer.msb(), lit(pointer.width() - 1, 0)]), pointer + 1)
}

/// 1 bit: every word between the two pointers is taken.
#[track_caller]
pub(super) fn is_full(write: Bits, read: Bits) -> Bits {
    write.msb().ne(read.msb()) & address(write).eq(address(read))
}

/// Words between two pointers, `read` first; for properties.
#[track_caller]
pub(super) fn level(write: Bits, read: Bits, depth: u32) -> Bits {
    let width = write.width();
    let ahead = address(write).zext(width) - address(read).zext(width);
    mux(write.msb().eq(read.msb()), ahead, ahead + u64::from(depth))
}

/// The memory of `depth` beats of the stream's shape.
#[track_caller]
pub(super) fn memory(kind: Memory, depth: u32, width: u32) -> SimpleDual {
    match kind {
        Memory::Block => memory::simple_dual(depth, width).output_enable().simple(),
        Memory::Distributed => memory::distributed(depth, width).simple(),
    }
}

/// Reads the memory ahead of the output, so that a beat leaves on every clock: with block RAM the word goes through
/// the array's register and then the block's own output register, which is the output of the stream; each of them is
/// refilled as soon as the next one takes its word. With distributed RAM the output is a register of the fabric.
///
/// `available`: the word at `read_address` may be read. Returns 1 bit: it is read at this clock edge.
#[track_caller]
#[names]
pub(super) fn read_ahead(
    kind: Memory,
    memory: &SimpleDual,
    available: Bits,
    read_address: Bits,
    m_axis: &Axis<Bits>,
) -> Bits {
    let out = m_axis.beat();
    m_axis.tvalid.reset(0);
    let out_free = m_axis.tready | !m_axis.tvalid;
    let shape = Beat::shape(m_axis.tdata.width(), m_axis.tuser.width());
    match kind {
        Memory::Block => {
            let fetched_valid = reg(1).reset(0);
            let fetch_free = out_free | !fetched_valid;
            let read = fetch_free & available;
            let word = memory.read(read, read_address);
            if let Some(oe) = memory.oe {
                oe.set(out_free);
            }
            when(fetch_free, || fetched_valid.set(available));
            when(out_free, || m_axis.tvalid.set(fetched_valid));
            assign(&out, &unpack(&shape, word));
            read
        }
        Memory::Distributed => {
            out.visit(|_, leaf| {
                leaf.registered();
            });
            let read = out_free & available;
            let word = memory.read(read, read_address);
            when(out_free, || {
                m_axis.tvalid.set(available);
                assign(&out, &unpack(&shape, word));
            });
            read
        }
    }
}
