//! A stream from clock to clock.
//!
//! ```text
//!        wr clock                                              rd clock
//!  wr_data ──▶ memory[write pointer] ───▶ memory[read pointer] ──▶ (registers) ──▶ rd_data
//!              write pointer, Gray ──▶ synchroniser ──▶ equal: empty
//!              full: one turn apart ◀── synchroniser ◀── read pointer, Gray
//! ```
//!
//! Contract:
//! 1. Words leave in the order in which they came, each once.
//! 2. Once `rd_valid` is up, it and the word stay until `rd_ready`.
//! 3. A pointer that crosses changes in at most one bit a clock.
//! 4. No output depends combinationally on an input.

use super::{check_stages, synchronise};
use crate::{
    self as hdl, Bits, Block, Bundle, Shape, assert_that, cat, cover_that, in_domain, memory, mux, names, reg, when,
};

/// Where an [`AsyncFifo`] keeps its words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Lookup tables with an asynchronous read: no latency, the memory's delay lies behind `rd_data`.
    Distributed,
    /// Block RAM with its read latency of one clock.
    Block,
}

/// A FIFO from domain `wr` to domain `rd`, one word a clock on both sides. The first word shows by itself (first-word
/// fall-through). From the write's clock edge to `rd_valid`: `stages + 1` or `stages + 2` reader's clocks, one more with
/// block storage and one more with `output_reg`. Both domains must be reset together. Holds `depth` words, and one more
/// with each of these two.
#[derive(Clone, Debug)]
pub struct AsyncFifo {
    /// Words, a power of two from 2 to 2^20.
    pub depth: u32,
    /// Width of a word in bits.
    pub width: u32,
    /// Flip-flops in each synchroniser, 2 to 8.
    pub stages: u32,
    /// Kind of memory.
    pub storage: Storage,
    /// Puts `rd_data` and `rd_valid` straight behind flip-flops; those of the data are the block RAM's own, if it is one.
    pub output_reg: bool,
}

/// Ports of [`AsyncFifo`].
#[derive(Bundle, Clone)]
#[bundle(width: u32)]
pub struct AsyncFifoIo<S> {
    /// A word is offered.
    #[input]
    #[clock(wr)]
    pub wr_valid: S,
    /// The word.
    #[input]
    #[clock(wr)]
    #[width(width)]
    pub wr_data: S,
    /// The word is taken; low while full, and in the first clock after reset.
    #[output]
    #[clock(wr)]
    pub wr_ready: S,
    /// A word is there.
    #[output]
    #[clock(rd)]
    pub rd_valid: S,
    /// The word.
    #[output]
    #[clock(rd)]
    #[width(width)]
    pub rd_data: S,
    /// The word is taken.
    #[input]
    #[clock(rd)]
    pub rd_ready: S,
}

impl AsyncFifo {
    fn addr_width(&self) -> u32 {
        crate::clog2(u64::from(self.depth))
    }
}

impl Block for AsyncFifo {
    type Io<S> = AsyncFifoIo<S>;

    fn name(&self) -> String {
        "async_fifo".into()
    }

    fn doc(&self) -> String {
        format!("FIFO of {} words of {} bits from the clock wr_clk to rd_clk.", self.depth, self.width)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![
            ("depth", self.depth.to_string()),
            ("w", self.width.to_string()),
            ("stages", self.stages.to_string()),
            ("block", u32::from(self.storage == Storage::Block).to_string()),
            ("reg", u32::from(self.output_reg).to_string()),
        ]
    }

    fn check(&self) -> Result<(), String> {
        check_stages("async_fifo", self.stages)?;
        match self.depth {
            d if d.is_power_of_two() && (2..=1 << 20).contains(&d) => Ok(()),
            d => {
                let use_instead = d.clamp(2, 1 << 20).next_power_of_two();
                Err(format!("`async_fifo`: a depth of {d} words is no power of two from 2 to 2^20: use {use_instead}"))
            }
        }
    }

    fn io(&self) -> AsyncFifoIo<Shape> {
        AsyncFifoIo::shape(self.width)
    }

    #[names]
    fn build(&self, io: &AsyncFifoIo<Bits>) {
        let ptr_w = self.addr_width() + 1;
        let wr_gray = in_domain("wr", || reg(ptr_w).reset(hdl::Value::zero(ptr_w)));
        let rd_gray = in_domain("rd", || reg(ptr_w).reset(hdl::Value::zero(ptr_w)));
        let (wr_addr, push) = in_domain("wr", || self.write_side(io, wr_gray, rd_gray));
        let ram = match (self.storage, self.output_reg) {
            (Storage::Distributed, _) => memory::distributed(self.depth, self.width),
            (Storage::Block, false) => memory::simple_dual(self.depth, self.width),
            (Storage::Block, true) => memory::simple_dual(self.depth, self.width).output_enable(),
        };
        let ram = ram.domains("wr", "rd").simple();
        ram.write(push, wr_addr, io.wr_data);
        in_domain("rd", || self.read_side(io, wr_gray, rd_gray, &ram));
    }
}

impl AsyncFifo {
    /// Returns the address and the strobe of a write.
    #[names]
    fn write_side(&self, io: &AsyncFifoIo<Bits>, wr_gray: Bits, rd_gray: Bits) -> (Bits, Bits) {
        let rd_gray_seen = synchronise(rd_gray, self.stages);
        let push = io.wr_valid & io.wr_ready.reset(0);
        let wr_gray_next = pointer("wr", wr_gray, push);
        // One turn ahead in Gray code: the two top bits differ, the rest is equal.
        let top = rd_gray_seen.width() - 2;
        let full_at = match top {
            0 => !rd_gray_seen,
            _ => cat([!rd_gray_seen.slice(top..), rd_gray_seen.slice(..top)]),
        };
        io.wr_ready.set(wr_gray_next.ne(full_at));
        gray_property("wr", wr_gray);
        let level = from_gray(wr_gray) - from_gray(rd_gray_seen);
        assert_that(
            "wr_level",
            "there are never more words inside than the memory holds",
            level.le(u64::from(self.depth)),
        );
        cover_that("full", "the memory is full", level.eq(u64::from(self.depth)));
        (address(wr_gray), push)
    }

    #[names]
    fn read_side(&self, io: &AsyncFifoIo<Bits>, wr_gray: Bits, rd_gray: Bits, ram: &memory::SimpleDual) {
        let wr_gray_seen = synchronise(wr_gray, self.stages);
        let filled = reg(1).reset(0);
        let pop = hdl::wire(1);
        let rd_gray_next = pointer("rd", rd_gray, pop);
        filled.set(rd_gray_next.ne(wr_gray_seen));
        let word = ram.read(pop, address(rd_gray));

        // Each stage after the pointers takes a word when it is empty or being emptied.
        let out_ready = if self.output_reg { !io.rd_valid | io.rd_ready } else { io.rd_ready };
        let (valid, ready) = match self.storage {
            Storage::Distributed => (filled, out_ready),
            Storage::Block => {
                let fetched = reg(1).reset(0);
                let fetch_ready = !fetched | out_ready;
                when(fetch_ready, || fetched.set(filled));
                (fetched, fetch_ready)
            }
        };
        pop.set(filled & ready);
        if self.output_reg {
            io.rd_valid.reset(0);
            when(out_ready, || io.rd_valid.set(valid));
        } else {
            io.rd_valid.set(valid);
        }
        match ram.oe {
            Some(enable) => {
                enable.set(out_ready);
                io.rd_data.set(word);
            }
            None if self.output_reg => {
                io.rd_data.registered();
                when(out_ready, || io.rd_data.set(word));
            }
            None => io.rd_data.set(word),
        }

        gray_property("rd", rd_gray);
        let offered = (io.rd_valid & !io.rd_ready).delay_reset(0);
        let offered_data = io.rd_data.delay();
        let held = io.rd_valid & io.rd_data.eq(offered_data);
        assert_that("rd_stays", "a word offered stays until it is taken", !offered | held);
        let taken_before = (io.rd_valid & io.rd_ready).delay_reset(0);
        cover_that("rd_streams", "words leave in two successive clocks", taken_before & io.rd_valid);
    }
}

/// Drives a Gray-coded pointer, which goes one further when `step` is 1, and returns what it comes to next. The code
/// ahead of it waits in a register, and the number whose code follows that in another, so that no carry is in the way of
/// a comparison.
fn pointer(side: &str, gray: Bits, step: Bits) -> Bits {
    let width = gray.width();
    let ahead = reg(width).reset(hdl::Value::new(width, 1)).named(&format!("{side}_ahead"));
    let count = reg(width).reset(hdl::Value::new(width, 2)).named(&format!("{side}_count"));
    let gray_next = mux(step, ahead, gray).named(&format!("{side}_gray_next"));
    gray.set(gray_next);
    when(step, || {
        ahead.set(count ^ count.shr(1));
        count.set(count + 1);
    });
    gray_next
}

/// The address in a Gray-coded pointer: the code of its lap's offset, as good an address as the offset itself, since both
/// sides count alike.
fn address(gray: Bits) -> Bits {
    let top = gray.width() - 2;
    let high = gray.msb() ^ gray.bit(top);
    if top == 0 { high } else { cat([high, gray.slice(..top)]) }
}

/// Binary from Gray code: each bit is the parity of the bits from it upwards.
fn from_gray(gray: Bits) -> Bits {
    let bits = (0..gray.width()).rev().map(|i| gray.slice(i..).parity());
    cat(bits)
}

/// States that a pointer changes in at most one bit a clock.
fn gray_property(side: &str, gray: Bits) {
    let before = gray.delay_reset(0).named(&format!("{side}_gray_before"));
    let changed = (gray ^ before).named(&format!("{side}_gray_changed"));
    let one_at_most = (changed & (changed - 1)).eq(0);
    let name = format!("{side}_gray_steps");
    assert_that(&name, "a pointer that crosses changes in one bit at a time", one_at_most);
}
