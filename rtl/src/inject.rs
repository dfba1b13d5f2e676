//! Takes in what the Orchestration Module injects: whole frames only, so that a slow writer never holds up traffic.
//!
//! ```text
//!                  ┌──────────┐═══▶ m_axis_tx   (to a network port)
//!  s_axis_punt ═══▶│  inject  │
//!                  └──────────┘═══▶ m_axis_rx   (to the host)
//! ```
//! Latency: 4 clocks from a frame's last beat to its first beat out. Throughput: a beat a clock. It stalls while its buffer
//! has no room. It drops nothing: a bad frame comes out with `bad`, to be counted where all drops are.
//!
//! 1. A frame begins to leave only when all of it is in.
//! 2. `tuser` of the first beat holds for the whole frame, but for `bad`.
//! 3. Of a frame longer than the maximum so much comes out that the path finds it too long; no frame blocks the way.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/inject` | LFE5UM5G-45F-8 | 146 | 66 | 10 | 186 / 198 / 198 | 162.5 |

use crate::{
    config::EmConfig,
    packet::port,
    stream::{Axis, FrameFifo, InjectUser, Memory, PathUser, WhenFull},
};
use hdl::*;

/// The block.
#[derive(Clone, Debug)]
pub struct Inject {
    /// The Execution Module's sizes.
    pub config: EmConfig,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(data_w: u32)]
pub struct InjectIo<S> {
    /// Frames of the Orchestration Module; `tuser` is a packed `InjectUser`.
    #[input]
    #[shape(Axis::shape(data_w, bundle::packed_width(&InjectUser::shape())))]
    pub s_axis_punt: Axis<S>,
    /// Frames to the network; `tuser` is a packed `PathUser`.
    #[output]
    #[shape(Axis::shape(data_w, bundle::packed_width(&PathUser::shape())))]
    pub m_axis_tx: Axis<S>,
    /// Frames to the host; `tuser` is a packed `PathUser`.
    #[output]
    #[shape(Axis::shape(data_w, bundle::packed_width(&PathUser::shape())))]
    pub m_axis_rx: Axis<S>,
}

impl Block for Inject {
    type Io<S> = InjectIo<S>;

    fn name(&self) -> String {
        "inject".into()
    }

    fn doc(&self) -> String {
        "Takes in what the Orchestration Module injects, whole frames only.".into()
    }

    fn check(&self) -> Result<(), String> {
        self.config.check()
    }

    fn io(&self) -> InjectIo<Shape> {
        InjectIo::shape(self.config.data_w)
    }

    #[names]
    fn build(&self, io: &InjectIo<Bits>) {
        let c = &self.config;
        let s = &io.s_axis_punt;
        let user_w = bundle::packed_width(&PathUser::shape());
        let depth = c.buffer.inject_beats;
        let when_full = WhenFull::Stall;
        let fifo = instance(&FrameFifo { data_w: c.data_w, user_w, depth, memory: Memory::Block, when_full });

        // Accept: what the first beat says, for the whole frame; of a frame that is too long one beat more than the
        // longest, and its end.
        let offered = unpack(&InjectUser::shape(), s.tuser);
        let at_start = reg(1).reset(1);
        let first_egress = offered.egress.delay_enable(s.transfer() & at_start);
        let first_function = offered.function.delay_enable(s.transfer() & at_start);
        let index = reg(c.beats_w()).reset(0);
        let next_index = index + 1;
        let beyond = index.eq(u64::from(c.max_beats()));
        when(s.transfer(), || {
            at_start.set(s.tlast);
            when(s.tlast, || index.set(0)).elsewhen(!beyond, || index.set(next_index));
        });
        let keep = !beyond | s.tlast;
        let user = PathUser {
            bad: offered.bad,
            port: lit(2, port::INJECT.into()),
            egress: mux(at_start, offered.egress, first_egress),
            function: mux(at_start, offered.function, first_function),
        };
        fifo.s_axis.tdata.set(s.tdata);
        fifo.s_axis.tkeep.set(s.tkeep);
        fifo.s_axis.tlast.set(s.tlast);
        fifo.s_axis.tuser.set(pack(&user));
        fifo.s_axis.tvalid.set(s.tvalid & keep);
        s.tready.set(fifo.s_axis.tready);
        fifo.bad.set(0);
        [fifo.accepted, fifo.dropped_bad, fifo.dropped_full].into_iter().for_each(Bits::ignore);

        // Emit: to the host, or to the network.
        let out = fifo.m_axis;
        let to_host = unpack(&PathUser::shape(), out.tuser).egress.eq(0);
        for (m, here) in [(&io.m_axis_tx, !to_host), (&io.m_axis_rx, to_host)] {
            assign(&m.beat(), &out.beat());
            m.tvalid.set(out.tvalid & here);
        }
        out.tready.set(mux(to_host, io.m_axis_rx.tready, io.m_axis_tx.tready));
        assert_that("nothing_lost", "3: every frame fits the buffer", !fifo.dropped_full);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Profile;

    #[test]
    fn it_elaborates_in_every_profile() {
        for name in Profile::NAMES {
            elaborate(&Inject { config: Profile::named(name).unwrap().config }).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}
