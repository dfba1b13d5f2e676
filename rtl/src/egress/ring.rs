//! Pointers of a FIFO whose writer knows that there is room.

use hdl::*;

/// A ring of places, a power of two.
pub(super) struct Ring {
    places: u32,
    write_pointer: Bits,
    read_pointer: Bits,
    /// There is a word: a register.
    pub waiting: Bits,
}

impl Ring {
    /// An empty ring.
    #[names]
    pub fn new(places: u32) -> Ring {
        let pointer_w = clog2(u64::from(places)) + 1;
        let write_pointer = reg(pointer_w).reset(0);
        let read_pointer = reg(pointer_w).reset(0);
        let waiting = reg(1).reset(0);
        Ring { places, write_pointer, read_pointer, waiting }
    }

    /// Where a word is written.
    pub fn write_address(&self) -> Bits {
        self.write_pointer.trunc(self.write_pointer.width() - 1)
    }

    /// Where the oldest word stands.
    pub fn read_address(&self) -> Bits {
        self.read_pointer.trunc(self.read_pointer.width() - 1)
    }

    /// A word is written with `write`; the oldest one is taken with `take`, if there is one.
    #[names]
    pub fn advance(&self, write: Bits, take: Bits) {
        let (write_pointer, read_pointer, waiting) = (self.write_pointer, self.read_pointer, self.waiting);
        when(write, || write_pointer.set(write_pointer + 1));
        let read_next = read_pointer + 1;
        when(take & waiting, || read_pointer.set(read_next));
        // Whether one is left behind the one that is taken is known before it is known whether it is.
        let more = write_pointer.ne(read_next);
        waiting.set(write | (waiting & (more | !take)));

        let held = write_pointer - read_pointer;
        assert_that("words_fit", "2: no more words than there are places", held.le(u64::from(self.places)));
        assert_that("waiting_known", "1: a word waits if the pointers say so", waiting.eq(held.any()));
    }
}
