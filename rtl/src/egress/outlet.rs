//! The FIFO of an output, which makes a stream of the beats that leave. Whoever writes has reserved the place.
//!
//! ```text
//!               ┌────────┐
//!  write, beat ▶│ outlet │═══▶ m_axis
//!               └────────┘──▶ taken  (a beat has left)
//! ```
//! Latency: 2 clocks in distributed RAM, 3 in block RAM; `taken` 1 clock. Throughput: a beat a clock. It never stalls its
//! writer. One beat more (distributed) or two (block RAM, in its own registers) wait on the way out, so that the last beat
//! of a frame is never held back.
//!
//! 1. Beats come out as they went in, in order, each once.
//! 2. The memory never holds more beats than it has places.
//! 3. The rules of [`Axis`] on `m_axis`.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/outlet_host` | LFE5UM5G-45F-8 | 291 | 175 | 0 | 255 / 282 / 283 | 162.5 |
//! | `ecp5/outlet_net` | LFE5UM5G-45F-8 | 266 | 158 | 0 | 274 / 278 / 314 | 162.5 |
//! | `ecp5/outlet_punt` | LFE5UM5G-45F-8 | 73 | 26 | 9 | 222 / 235 / 270 | 162.5 |

use super::{Output, bundles::Detail, ring::Ring};
use crate::{
    packet::{FUNCTION_W, PORT_W, Size},
    stream::{Axis, Beat, HostUser, NetUser, PuntUser, assert_stream},
};
use hdl::*;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Outlet {
    /// Sizes of the path.
    pub size: Size,
    /// The output; that of the Orchestration Module is in block RAM, the others are in distributed RAM.
    pub output: Output,
    /// Places; a power of two.
    pub places: u32,
}

/// A beat as it is stored.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, output: Output)]
pub struct OutletBeat<S> {
    /// The bytes.
    #[width(size.data_w)]
    pub data: S,
    /// Last valid lane of the last beat.
    #[width(size.lane_w())]
    pub lane: S,
    /// Last beat of its frame.
    pub last: S,
    /// Code of its frame's outcome less the first code of a punt; to the Orchestration Module only.
    #[present(output.is_punt())]
    #[width(Detail::<hdl::Shape>::REASON_W)]
    pub reason: Option<S>,
    /// Port that its frame came in by; to the Orchestration Module only.
    #[present(output.is_punt())]
    #[width(PORT_W)]
    pub port: Option<S>,
    /// Function that its frame is of; not to the network.
    #[present(output.has_function())]
    #[width(FUNCTION_W)]
    pub function: Option<S>,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, output: Output)]
pub struct OutletIo<S> {
    /// A beat comes.
    #[input]
    pub write: S,
    /// The beat.
    #[input]
    #[shape(OutletBeat::shape(size, output))]
    pub beat: OutletBeat<S>,
    /// Beats out.
    #[output]
    #[shape(Axis::shape(size.data_w, output.user_w()))]
    pub m_axis: Axis<S>,
    /// A beat has left.
    #[output]
    pub taken: S,
}

impl Block for Outlet {
    type Io<S> = OutletIo<S>;

    fn name(&self) -> String {
        "outlet".into()
    }

    fn doc(&self) -> String {
        format!("FIFO of {} beats on the way out.", self.places)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        let user = if self.output.has_function() { self.output.name() } else { "net" };
        vec![("", user.into())]
    }

    fn io(&self) -> OutletIo<Shape> {
        OutletIo::shape(self.size, self.output)
    }

    #[names]
    fn build(&self, io: &OutletIo<Bits>) {
        let shape = OutletBeat::shape(self.size, self.output);
        let width = bundle::packed_width(&shape);
        let ring = Ring::new(self.places);
        let (write_address, read_address) = (ring.write_address(), ring.read_address());
        let available = ring.waiting;

        // Reads the memory ahead of the output.
        let out = &io.m_axis;
        let out_free = out.tready | !out.tvalid;
        out.tvalid.reset(0);
        let free = if self.output.is_punt() {
            // The word goes through the array's register and then the block's own output register, which is the output;
            // each of them is refilled as soon as the next one takes its word.
            let beats = memory::simple_dual(self.places, width).output_enable().simple();
            beats.write(io.write, write_address, pack(&io.beat));
            let fetched_valid = reg(1).reset(0);
            let fetch_free = out_free | !fetched_valid;
            let word = unpack(&shape, beats.read(fetch_free & available, read_address));
            if let Some(output_enable) = beats.oe {
                output_enable.set(out_free);
            }
            when(fetch_free, || fetched_valid.set(available));
            when(out_free, || out.tvalid.set(fetched_valid));
            assign(&out.beat(), &self.leaves(&word));
            fetch_free
        } else {
            // `tkeep` is made before the memory, whose answer is late. `tuser` of the network is constant.
            let leaves = self.leaves(&io.beat);
            let keeps_user = self.output.has_function();
            let first = [leaves.tlast, leaves.tkeep, leaves.tdata];
            let stored = cat(keeps_user.then_some(leaves.tuser).into_iter().chain(first));
            let beats = memory::distributed(self.places, stored.width()).simple();
            beats.write(io.write, write_address, stored);
            let word = beats.read(available, read_address);
            let word = if keeps_user { word } else { cat([leaves.tuser, word]) };
            let next = unpack(&Beat::shape(self.size.data_w, self.output.user_w()), word);
            when(out_free, || {
                out.tvalid.set(available);
                out.tdata.registered().set(next.tdata);
                out.tkeep.registered().set(next.tkeep);
                out.tlast.registered().set(next.tlast);
                if keeps_user {
                    out.tuser.registered().set(next.tuser);
                }
            });
            if !keeps_user {
                out.tuser.set(next.tuser);
            }
            out_free
        };
        ring.advance(io.write, free);
        io.taken.reset(0).set(out.transfer());

        assert_stream("m_axis", out);
    }
}

impl Outlet {
    /// A stored beat as it leaves.
    fn leaves(&self, beat: &OutletBeat<Bits>) -> Beat<Bits> {
        let lanes = (0..self.size.lanes()).rev();
        let bad = lit(1, 0);
        let tuser = match (beat.reason, beat.port, beat.function) {
            (Some(reason), Some(port), Some(function)) => {
                // All punts have these upper bits.
                pack(&PuntUser { reason: cat([lit(2, 1), reason]), port, function })
            }
            (_, _, Some(function)) => pack(&HostUser { bad, function }),
            _ => pack(&NetUser { bad }),
        };
        Beat {
            tdata: beat.data,
            tkeep: cat(lanes.map(|lane| !beat.last | beat.lane.ge(u64::from(lane)))),
            tlast: beat.last,
            tuser,
        }
    }
}
