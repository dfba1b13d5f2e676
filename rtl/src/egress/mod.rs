//! The reading side of a path: sends every frame to its output as its action says, writes over it what changes, and gives
//! the frame buffer's space back.
//!
//! ```text
//!           ┌──────────┐ enqueue  ┌────────┐ offer  ┌────────┐ address                         ┌────────┐
//!           │          │─────────▶│ reader │◀──────▶│ select │────────▶ buffer ──▶┌───────┐    │ outlet │
//!  action ─▶│ dispatch │          └────────┘ grant  └────────┘ slot               │ patch │═══▶│        │═══▶ m_axis_*
//!   chain ─▶│          │───────────────────────────────┼──────────▶ details ─────▶└───────┘    └────────┘
//!           └──────────┘  (one reader an output)       └──────────▶ give_back ─▶ release     (one an output)
//!                └──▶ events
//! ```
//! A frame's first beat leaves [`LATENCY`] clocks after its `action_valid`, if nothing waits before it; to the Orchestration
//! Module one more, and as many as `refused` comes after the action:
//!
//! | stage | clocks | what it does |
//! |---|---|---|
//! | dispatch | 1 | room for punts (which wait for `refused` before) |
//! | queue | 2 | waits for the reader of its output |
//! | select | 1 | the readers take turns |
//! | buffer, patch | 3 | reads and writes over |
//! | FIFO | 2 (punt: 3) | out |
//!
//! Throughput: a beat a clock and a frame a clock, whatever the outputs; a dropped frame costs no read. An output that is
//! stalled delays the frames that go there, and others only when frames for it fill the frame buffer: pages are given back
//! in any order. The Orchestration Module delays nobody: a frame to be punted is dropped as `punt_full` unless the FIFO has
//! room for all of it, and before as `punt_rate` if it is refused.
//!
//! Where nothing is refused, in pages of four beats, a frame of three beats to net0, one of 20 that is dropped (outcome 2e, `nat_source`), and one of
//! two to net1:
//!
//! ```text
//! cycle                  0  1  2  3  4  5  6  7  8  9  10 11 12 13 14
//! action_valid          ‾‾‾‾‾‾‾‾‾\___________________________________
//! action_outcome        |0 |2e|1
//! events_outcome_valid  ______/‾‾‾‾‾‾‾‾\_____________________________
//! events_outcome        |0       |2e|1
//! buffer_re             ____________/‾‾‾‾‾‾‾‾‾‾‾‾‾‾\_________________
//! buffer_raddr          |0          |4 |5 |8 |6 |9 |0
//! release_valid         ____________/‾‾\________/‾‾‾‾‾\______________
//! release_chain_first   |0          |4 |0       |1 |2 |0
//! release_chain_last    |0          |7 |0       |1 |2 |0
//! m_axis_net0_tvalid    ___________________________/‾‾‾‾‾\__/‾‾\_____
//! m_axis_net0_tlast     ____________________________________/‾‾\_____
//! m_axis_net1_tvalid    _________________________________/‾‾\__/‾‾\__
//! m_axis_net1_tlast     _______________________________________/‾‾\__
//! ```
//!
//! 1. Every action has one outcome event, and every frame that is not dropped leaves by the output that its outcome names,
//!    with its own bytes but for what its [`Rewrite`](crate::packet::Rewrite) says.
//! 2. Frames for one output leave in the order they came.
//! 3. Every page of the buffer is given back once, and not before it has been read.
//! 4. The rules of [`Axis`] on every output.
//! 5. What changes in an ICRC may come later than the action, but is there when the first beat with a byte of the shortest
//!    frame's ICRC is read ([`Differences`]).
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/tx_egress` | LFE5UM5G-45F-8 | 2750 | 1716 | 16 | 139 / 161 / 162 | **162.5: missed** |

mod bundles;
mod output;
mod dispatch;
mod ring;
mod queue;
mod reader;
mod select;
mod details;
mod differences;
mod patch;
mod give_back;
mod outlet;

pub use bundles::{Detail, Leaving, Offer, Place, Reading, Sizes};
pub use details::{Details, DetailsIo};
pub use differences::{Differences, DifferencesIo};
pub use dispatch::{Dispatch, DispatchIo};
pub use give_back::{GiveBack, GiveBackIo};
pub use outlet::{Outlet, OutletBeat, OutletIo};
pub use output::Output;
pub use patch::{Patch, PatchIo};
pub use queue::{Queue, QueueIo};
pub use reader::{Reader, ReaderIo};
pub use select::{Select, SelectIo};

use crate::{
    csr::PathEvents,
    ingress::LEAST_PAGE_BEATS,
    packet::{Action, BufferRead, Chain, Direction, Release, Size},
    rewrite::LEAST_ICRC_FRAME,
    stream::Axis,
};
use hdl::*;

/// Clocks from `action_valid` until the frame is in the queue of its output.
pub const DISPATCH_LATENCY: u32 = 1;
/// Clocks from there until its reader has it.
pub const QUEUE_LATENCY: u32 = 2;
/// Clocks from there until its first beat is being read.
pub const SELECT_LATENCY: u32 = 1;
/// Clocks from there until the beat is ready to leave: two of the buffer, one of patch.
pub const PATCH_LATENCY: u32 = 3;
/// Clocks from there until it is on an output other than the Orchestration Module's.
pub const FIFO_LATENCY: u32 = 2;
/// The same of the Orchestration Module's.
pub const PUNT_FIFO_LATENCY: u32 = 3;

/// Clocks from `action_valid` to the frame's first beat on an output other than the Orchestration Module's.
pub const LATENCY: u32 = DISPATCH_LATENCY + QUEUE_LATENCY + SELECT_LATENCY + PATCH_LATENCY + FIFO_LATENCY;

/// The stages of the reading side and the clocks that each takes, to an output that is not the punt FIFO's.
pub fn stages() -> [(&'static str, u32); 5] {
    [
        ("dispatch", DISPATCH_LATENCY),
        ("queue", QUEUE_LATENCY),
        ("select", SELECT_LATENCY),
        ("buffer, patch", PATCH_LATENCY),
        ("output FIFO", FIFO_LATENCY),
    ]
}

/// Places of the FIFOs towards the ports: more than the clocks from a beat's grant to its place's return.
const PORT_BEATS: u32 = 16;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Egress {
    /// Sizes of the path.
    pub size: Size,
    /// Which way the path goes.
    pub direction: Direction,
    /// Beats of the frame buffer; a power of two.
    pub buffer_beats: u32,
    /// Pages that it is divided into; a power of two.
    pub pages: u32,
    /// Places of the FIFO towards the Orchestration Module; a power of two.
    pub punt_beats: u32,
    /// Clocks from an action to what changes in its frame's ICRC.
    pub difference_after: u32,
    /// Clocks from an action to whether its frame, one to be punted, is refused; 0 if nothing is.
    pub refusal_after: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(sizes: Sizes, refusal_after: u32)]
pub struct EgressIo<S> {
    /// The next frame's action; one a clock at most, never stalled.
    #[input]
    #[shape(Action::shape(sizes.size, sizes.direction))]
    pub action: Action<S>,
    /// Its pages.
    #[input]
    #[shape(Chain::shape(sizes.page_w))]
    pub chain: Chain<S>,
    /// What changes in the ICRC of a frame, some clocks after its action.
    #[input]
    #[present(sizes.size.has_roce())]
    #[width(32)]
    pub difference: Option<S>,
    /// A frame to be punted is not, as too many were: that of the action some clocks ago.
    #[input]
    #[present(refusal_after > 0)]
    pub refused: Option<S>,
    /// Reads the frame buffer.
    #[output]
    #[shape(BufferRead::shape(sizes.size.data_w, sizes.addr_w, sizes.page_w))]
    pub buffer: BufferRead<S>,
    /// What ingress gets back.
    #[output]
    #[shape(Release::shape(sizes.page_w))]
    pub release: Release<S>,
    /// Frames to the first network port; `tuser` is a packed `NetUser`. On the way out only.
    #[output]
    #[present(sizes.direction.is_tx())]
    #[shape(Axis::shape(sizes.size.data_w, Output::Net0.user_w()))]
    pub m_axis_net0: Option<Axis<S>>,
    /// Frames to the second network port; `tuser` is a packed `NetUser`. On the way out only.
    #[output]
    #[present(sizes.direction.is_tx())]
    #[shape(Axis::shape(sizes.size.data_w, Output::Net0.user_w()))]
    pub m_axis_net1: Option<Axis<S>>,
    /// Frames to the host; `tuser` is a packed `HostUser`. On the way in only.
    #[output]
    #[present(!sizes.direction.is_tx())]
    #[shape(Axis::shape(sizes.size.data_w, Output::Host.user_w()))]
    pub m_axis_host: Option<Axis<S>>,
    /// Frames to the Orchestration Module; `tuser` is a packed `PuntUser`.
    #[output]
    #[shape(Axis::shape(sizes.size.data_w, Output::Punt.user_w()))]
    pub m_axis_punt: Axis<S>,
    /// What became of a frame.
    #[output]
    pub events: PathEvents<S>,
}

impl Egress {
    /// Clocks from an action to the first beat with a byte of an ICRC being read, at least.
    fn icrc_read_after(&self) -> u32 {
        DISPATCH_LATENCY + QUEUE_LATENCY + SELECT_LATENCY + (LEAST_ICRC_FRAME - 4) / self.size.lanes()
    }

    fn differences(&self) -> Differences {
        Differences { sizes: Sizes::of(self), after: self.difference_after }
    }

    /// 5: an ICRC's difference is there when it is needed.
    fn check_icrc(&self) -> Result<(), String> {
        let (found, needed) = (self.differences().usable_after(), self.icrc_read_after());
        if !self.size.has_roce() || found <= needed {
            return Ok(());
        }
        let after = self.difference_after;
        Err(format!("egress: difference_after = {after} is {} clocks too many for the shortest frame.", found - needed))
    }
}

impl EgressIo<Bits> {
    fn stream(&self, output: Output) -> Option<Axis<Bits>> {
        match output {
            Output::Net0 => self.m_axis_net0,
            Output::Net1 => self.m_axis_net1,
            Output::Host => self.m_axis_host,
            Output::Punt => Some(self.m_axis_punt),
        }
    }
}

impl Block for Egress {
    type Io<S> = EgressIo<S>;

    fn name(&self) -> String {
        format!("{}_egress", self.direction.name())
    }

    fn doc(&self) -> String {
        "The reading side of a path: sends every frame to its output.".into()
    }

    fn check(&self) -> Result<(), String> {
        if !matches!(self.size.data_w, 64 | 128 | 256 | 512) {
            return Err(format!("egress: data_w = {}: choose 64, 128, 256 or 512.", self.size.data_w));
        }
        let powers = [("buffer_beats", self.buffer_beats), ("pages", self.pages), ("punt_beats", self.punt_beats)];
        for (field, value) in powers {
            if !value.is_power_of_two() || value < 2 {
                return Err(format!("egress: {field} = {value} is no power of two; choose 2 or more."));
            }
        }
        let most = self.buffer_beats / LEAST_PAGE_BEATS;
        if self.pages > most {
            return Err(format!(
                "egress: pages = {}: choose {most} at most, {LEAST_PAGE_BEATS} beats each.",
                self.pages
            ));
        }
        self.check_icrc()
    }

    fn io(&self) -> EgressIo<Shape> {
        EgressIo::shape(Sizes::of(self), self.refusal_after)
    }

    #[names]
    fn build(&self, io: &EgressIo<Bits>) {
        let sizes = Sizes::of(self);

        // Every frame to its reader.
        let (punt_beats, refusal_after) = (self.punt_beats, self.refusal_after);
        let dispatch = instance(&Dispatch { sizes, punt_beats, refusal_after });
        if let (Some(refused), Some(to)) = (io.refused, dispatch.refused) {
            to.set(refused);
        }
        assign(&dispatch.action, &io.action);
        assign(&dispatch.chain, &io.chain);
        assign(&io.events, &dispatch.events);
        let select = instance(&Select { sizes });
        let readers: Vec<ReaderIo<Bits>> = (sizes.outputs().iter().enumerate())
            .map(|(i, output)| {
                let room = (!output.is_punt()).then_some(PORT_BEATS);
                let reader = named_instance(output, "reader", &Reader { sizes, room });
                reader.enqueue.set(dispatch.enqueue.bit(i as u32));
                let punt_place = dispatch.punt_place.filter(|_| output.is_punt());
                assign(&reader.place, &punt_place.unwrap_or(dispatch.place));
                assign(&select.offer[i], &reader.offer);
                reader.grant.set(select.grant.bit(i as u32));
                reader.answered.set(select.answered.bit(i as u32));
                reader.next.set(io.buffer.next);
                reader
            })
            .collect();
        select.ready.set(cat(readers.iter().rev().map(|reader| reader.ready)));

        // Every beat out of the buffer, and its space back.
        io.buffer.re.set(select.read);
        io.buffer.raddr.set(select.address);
        let give_back = instance(&GiveBack { sizes });
        assign(&give_back.dropped, &dispatch.dropped);
        give_back.read.set(select.read);
        give_back.address.set(select.address);
        assign(&give_back.reading, &select.reading);
        give_back.slot.set(select.slot);
        assign(&io.release, &give_back.release);
        let details = instance(&Details { sizes });
        details.write.set(dispatch.store);
        assign(&details.word, &dispatch.detail);
        details.write_slot.set(dispatch.place.page);
        details.read.set(select.next_read);
        details.read_slot.set(select.next_slot);
        let patch = instance(&Patch { sizes });
        assign(&patch.reading, &select.reading);
        assign(&patch.detail, &details.detail);
        patch.rdata.set(io.buffer.rdata);
        if let (Some(difference), Some(found)) = (io.difference, patch.difference) {
            let differences = instance(&self.differences());
            differences.store.set(dispatch.store & dispatch.detail.rewrite.icrc.unwrap_or(lit(1, 0)));
            differences.slot.set(dispatch.place.page);
            differences.difference.set(difference);
            differences.read_slot.set(select.slot);
            found.set(differences.found);
        }

        // Out by the FIFOs, which always have a place for what is read.
        let leaving = patch.leaving;
        for (i, (output, reader)) in sizes.outputs().iter().zip(&readers).enumerate() {
            let Some(stream) = io.stream(*output) else { continue };
            let places = if output.is_punt() { punt_beats } else { PORT_BEATS };
            let outlet = named_instance(output, "outlet", &Outlet { size: sizes.size, output: *output, places });
            outlet.write.set(leaving.output.bit(i as u32));
            let beat = OutletBeat {
                data: leaving.data,
                lane: leaving.lane,
                last: leaving.last,
                reason: outlet.beat.reason.map(|_| leaving.reason),
                port: outlet.beat.port.map(|_| leaving.port),
                function: outlet.beat.function.map(|_| leaving.function),
            };
            assign(&outlet.beat, &beat);
            outlet.m_axis >> stream;
            match reader.returned {
                Some(returned) => returned.set(outlet.taken),
                None => dispatch.punt_taken.set(outlet.taken),
            }
        }
    }
}

/// An instance called after its output.
fn named_instance<B: Block>(output: &Output, name: &str, block: &B) -> B::Io<Bits>
where
    B::Io<Bits>: Nameable,
{
    let made = instance(block);
    made.give_name(&format!("{}_{name}", output.name()));
    made
}
