//! Which pages of a frame buffer are free, and which page follows which: a linked list.
//!
//! ```text
//!              ┌───────────┐──▶ ready, page  (a free page, to the writing side)
//!       take ─▶│   pages   │
//!  give_back ─▶│           │
//!         of ─▶│           │──▶ next         (the page that follows, to the reading side)
//!              └───────────┘
//! ```
//! ```text
//!            head                            tail
//!  walked ◀── 5 ──▶ 2 ──▶ 7 ──▶ … ──▶ 3 ──▶ 6      give_back 4 … 1:  6 ──▶ 4 ──▶ … ──▶ 1, which is the tail
//! ```
//! A memory holds for each page the one that follows it. Free pages stand in a list from head to tail. The head walks
//! ahead of what is taken, into a small FIFO of pages ready to be taken; it never takes the tail, so that what follows a
//! page is written before the page is taken, and the pages taken for a frame are linked already, in the order in which
//! they are taken. To give pages back is to write what follows the tail: one write, for a page as for the chain of a whole
//! frame. So nothing is searched or counted, and pages come back in any order.
//!
//! Latency: 1 clock from `of` to `next`; from `give_back` 3 to `ready`. Throughput: a page taken and a chain given back in
//! every clock. After reset the list is linked, a page a clock in which none is given back; page 0 is taken from the start.
//!
//! 1. Each page is free or taken: none is taken twice before it is given back.
//! 2. `next` is the page taken after `of`, until `of` is given back and taken again.
//! 3. While `ready` was 1 in the clock before, [`MARGIN`] pages can be taken.

use crate::packet::Release;
use hdl::*;

/// Pages at hand when `ready` is 1.
pub const MARGIN: u32 = 3;
/// Pages that are free and yet of no use to a frame, at most: the tail, and those at hand when `ready` is 0.
pub const SPARE: u32 = MARGIN;
/// Places of the FIFO of pages walked: those of a piece of distributed RAM.
const WALKED: u32 = 16;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Pages {
    /// Number of pages; a power of two.
    pub count: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(page_w: u32)]
pub struct PagesIo<S> {
    /// `page` is taken; only if there is one.
    #[input]
    pub take: S,
    /// The page that is taken next.
    #[output]
    #[width(page_w)]
    pub page: S,
    /// Some pages can be taken.
    #[output]
    pub ready: S,
    /// Pages that are free again.
    #[input]
    #[shape(Release::shape(page_w))]
    pub give_back: Release<S>,
    /// A page.
    #[input]
    #[width(page_w)]
    pub of: S,
    /// The page that follows it, a clock later.
    #[output]
    #[width(page_w)]
    pub next: S,
}

impl Pages {
    fn page_w(self) -> u32 {
        clog2(u64::from(self.count))
    }
}

impl Block for Pages {
    type Io<S> = PagesIo<S>;

    fn name(&self) -> String {
        "pages".into()
    }

    fn doc(&self) -> String {
        format!("Which of {} pages of a frame buffer are free, and which page follows which.", self.count)
    }

    fn check(&self) -> Result<(), String> {
        if !self.count.is_power_of_two() || self.count < 8 {
            return Err(format!("pages: count = {}: choose a power of two from 8 on", self.count));
        }
        Ok(())
    }

    fn io(&self) -> PagesIo<Shape> {
        PagesIo::shape(self.page_w())
    }

    #[names]
    fn build(&self, io: &PagesIo<Bits>) {
        let page_w = self.page_w();

        // Give back: behind the tail. After reset all pages but the first come one by one, behind page 0.
        let linking = reg(1).reset(1);
        let fresh = reg(page_w).reset(1);
        let give_back = &io.give_back;
        when(linking & !give_back.valid, || {
            fresh.set(fresh + 1);
            linking.set(!fresh.all());
        });
        let append = give_back.valid | linking;
        let append_first = mux(give_back.valid, give_back.chain.first, fresh);
        let tail = reg(page_w).reset(0);
        when(append, || tail.set(mux(give_back.valid, give_back.chain.last, fresh)));
        let links = || {
            let following = memory::distributed(self.count, page_w).simple();
            following.write(append, tail, append_first);
            following
        };
        let links_of_free = links();
        let links_of_taken = links();
        io.next.registered().set(links_of_taken.read(lit(1, 1), io.of));

        // Walk: the head ahead of what is taken; it begins as the tail once page 1 is linked.
        let head = reg(page_w).reset(1);
        let fill = reg(clog2(u64::from(WALKED)) + 1).reset(0);
        let begun = lit(1, 1).delay_reset(0);
        let walk = begun & head.ne(tail) & !fill.msb();
        let behind_head = links_of_free.read(lit(1, 1), head);
        when(walk, || head.set(behind_head));
        let walked = memory::distributed(WALKED, page_w).simple();
        let step = |on: Bits, name: &str| {
            let place = reg(clog2(u64::from(WALKED))).reset(0).named(name);
            when(on, || place.set(place + 1));
            place
        };
        walked.write(walk, step(walk, "walked_place"), head);
        io.page.set(walked.read(lit(1, 1), step(io.take, "taken_place")));
        when(walk & !io.take, || fill.set(fill + 1)).elsewhen(io.take & !walk, || fill.set(fill - 1));
        io.ready.set(fill.ge(u64::from(MARGIN)));

        assert_that("page_there", "3: a page is taken only if there is one", !io.take | fill.any());
        let fits = fill.le(u64::from(WALKED));
        assert_that("walked_fits", "1: no more pages are walked than have a place", fits);
    }
}
