//! The way out, host to network: wires its blocks in the order of the packet walk. The tables stand beside it.
//!
//! ```text
//!  s_axis_host ═▶ ingress ─▶ align ─▶ extract ─▶ classify ─▶ decide ─▶ update ─▶ actions ─▶ egress ─▶ patch ═▶ m_axis_net0
//!                  (buffer) └▶ header_sum ──────▶ ┘           ▲                               ▲  (buffer)  ═▶ m_axis_punt
//!                                     └─▶ lookup ────────────┘                               └── places
//! ```
//! A frame's first beat leaves [`Tx::latency`] clocks after its last beat came in, if nothing waits before it:
//!
//! | stage | clocks | what it does |
//! |---|---|---|
//! | ingress | 3 | takes the beat, counts it, stores it |
//! | align | 2 | words of what follows the Ethernet header |
//! | extract | 1 | fields |
//! | lookup, classify | the longer of the tables' latency and 7 | mapping and function; judgement by the headers (the checksum takes 6) |
//! | decide | 2 | one outcome |
//! | update | 6 | new checksums |
//! | actions | 2 | waits for the reading side |
//! | egress | 1 | begins to read |
//! | buffer, patch | 3 | reads and writes over |
//! | FIFO | 2 | out |
//!
//! Throughput: a frame takes as many clocks as it has beats, dropped ones included; none is lost between frames. Only a
//! stalled output stalls the input. Frames leave the buffer in the order they came, so a punt behind a frame that waits
//! for the network waits too; the network never waits for a punt.

use crate::{
    config::EmConfig,
    csr::CounterEvents,
    lookup::{LookupRequest, LookupResponse},
    stream::{Axis, Fifo, HostUser, Memory, NetUser, PuntUser, assert_stream, assume_stream},
    v1::actions::Actions,
    v1::egress::Egress,
    v1::ingress::Ingress,
    v1::meter::Meter,
    v1::packet::{DATA_W, later},
    v1::parse::{Align, Extract, HEADER_SUM_LATENCY, HeaderSum},
    v1::rewrite::{Patch, UPDATE_LATENCY, Update},
    v1::verdict::{CHECKSUM_AFTER, CLASSIFY_LATENCY, Classify, DECIDE_LATENCY, Decide},
};
use hdl::*;

/// Places of the FIFO towards the network: more than the clocks from a read to the place's return.
const NET0_BEATS: u32 = 16;

/// The block.
#[derive(Clone, Debug)]
pub struct Tx {
    /// The Execution Module's sizes.
    pub config: EmConfig,
    /// Clocks from a lookup request to its response.
    pub lookup_latency: u32,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(host_w: u32, net_w: u32, punt_w: u32)]
pub struct TxIo<S> {
    /// Frames from the host; `tuser` is a packed `HostUser`.
    #[input]
    #[shape(Axis::shape(DATA_W, host_w))]
    pub s_axis_host: Axis<S>,
    /// What is asked of the tables.
    #[output]
    pub request: LookupRequest<S>,
    /// What they answer.
    #[input]
    pub response: LookupResponse<S>,
    /// Frames to the network; `tuser` is a packed `NetUser`.
    #[output]
    #[shape(Axis::shape(DATA_W, net_w))]
    pub m_axis_net0: Axis<S>,
    /// Frames to the Orchestration Module; `tuser` is a packed `PuntUser`.
    #[output]
    #[shape(Axis::shape(DATA_W, punt_w))]
    pub m_axis_punt: Axis<S>,
    /// What is counted.
    #[output]
    pub events: CounterEvents<S>,
}

impl Tx {
    /// Clocks from the last beat in to the first beat out: ingress, align, extract, the tables or classify (whichever
    /// takes longer), decide, update, actions, egress, buffer and patch, FIFO.
    pub fn latency(&self) -> u32 {
        3 + 2 + 1 + self.lookup_latency.max(CLASSIFY_LATENCY) + DECIDE_LATENCY + UPDATE_LATENCY + 2 + 1 + 3 + 2
    }
}

impl Block for Tx {
    type Io<S> = TxIo<S>;

    fn name(&self) -> String {
        "tx".into()
    }

    fn doc(&self) -> String {
        "The way out, host to network.".into()
    }

    fn check(&self) -> Result<(), String> {
        self.config.check()
    }

    fn io(&self) -> TxIo<Shape> {
        TxIo::shape(
            bundle::packed_width(&HostUser::shape()),
            bundle::packed_width(&NetUser::shape()),
            bundle::packed_width(&PuntUser::shape()),
        )
    }

    #[names]
    fn build(&self, io: &TxIo<Bits>) {
        let c = &self.config;
        let beats_w = c.beats_w();

        // Write side: the frame into the buffer, its headers into the pipeline.
        let ingress = instance(&Ingress { config: c.clone() });
        connect(&io.s_axis_host, &ingress.s_axis);
        let align = instance(&Align { beats_w });
        assign(&align.beat, &ingress.beat);
        let extract = instance(&Extract { beats_w });
        assign(&extract.word, &align.word);
        let header_sum = instance(&HeaderSum {});
        header_sum.at.set(align.word.at.slice(0..4));
        header_sum.data.set(align.word.data);
        header_sum.ihl.set(extract.ihl);
        let headers = extract.headers;

        // The tables and the judgement, side by side; the faster one waits.
        let request =
            LookupRequest { valid: headers.valid, function: headers.end.extent.function, address: headers.source };
        assign(&io.request, &request);
        let classify = instance(&Classify { beats_w });
        assign(&classify.headers, &headers);
        // The sum is timed from the word, the headers stand a clock later.
        let good = header_sum.good.delay_by(CHECKSUM_AFTER + 1 - HEADER_SUM_LATENCY);
        classify.checksum_good.set(good);
        let longest = self.lookup_latency.max(CLASSIFY_LATENCY);
        let decide = instance(&Decide { beats_w });
        assign(&decide.classified, &later("classified", &classify.classified, longest - CLASSIFY_LATENCY));
        assign(&decide.response, &later("response", &io.response, longest - self.lookup_latency));
        let update = instance(&Update { beats_w });
        assign(&update.decided, &decide.decided);
        let actions = instance(&Actions { beats_w, places: c.buffer.frames });
        assign(&actions.action, &update.action);

        // Read side.
        let egress = instance(&Egress {
            beats_w,
            buffer_beats: c.buffer.ingress_beats,
            net0_beats: NET0_BEATS,
            punt_beats: c.buffer.punt_beats,
        });
        assign(&egress.head, &actions.head);
        actions.take.set(egress.take);
        assign(&ingress.release, &egress.release);
        ingress.buffer.re.set(egress.read.valid);
        ingress.buffer.raddr.set(egress.raddr);
        let patch = instance(&Patch {});
        assign(&patch.read, &egress.read);
        patch.rdata.set(ingress.buffer.rdata);
        let patched = patch.patched;

        // Out by the two FIFOs, which always have a place for what egress reads.
        let net_user = NetUser { bad: lit(1, 0) };
        let punt_user = PuntUser { reason: patched.outcome, port: lit(2, 0), function: patched.function };
        let fifo = |name: &str, user: Bits, here: Bits, depth: u32, memory: Memory, out: &Axis<Bits>| {
            let fifo = instance(&Fifo { data_w: DATA_W, user_w: user.width(), depth, memory });
            fifo.s_axis.tvalid.named(name);
            fifo.s_axis.tvalid.set(patched.valid & here);
            fifo.s_axis.tdata.set(patched.data);
            fifo.s_axis.tkeep.set(patched.keep);
            fifo.s_axis.tlast.set(patched.last);
            fifo.s_axis.tuser.set(user);
            connect(&fifo.m_axis, out);
            fifo.s_axis.tready.ignore();
            let label = format!("{name}_has_room");
            assert_that(
                &label,
                "a beat is read only if there is a place for it",
                !fifo.s_axis.tvalid | fifo.s_axis.tready,
            );
            fifo.m_axis.transfer()
        };
        let net0_taken =
            fifo("net0_fifo", bundle::pack(&net_user), !patched.punt, NET0_BEATS, Memory::Distributed, &io.m_axis_net0);
        let punt_taken = fifo(
            "punt_fifo",
            bundle::pack(&punt_user),
            patched.punt,
            c.buffer.punt_beats,
            Memory::Block,
            &io.m_axis_punt,
        );
        egress.net0_taken.set(net0_taken.delay_reset(0));
        egress.punt_taken.set(punt_taken.delay_reset(0));

        // What is counted.
        let meter = |name: &str, axis: &Axis<Bits>| {
            let meter = instance(&Meter {});
            meter.transfer.named(name);
            meter.transfer.set(axis.transfer());
            meter.last.set(axis.tlast);
            meter.others.set(axis.tkeep.slice(1..));
            (meter.frame, meter.bytes)
        };
        let (host_frame, host_bytes) = meter("host_meter", &io.s_axis_host);
        let (net0_frame, net0_bytes) = meter("net0_meter", &io.m_axis_net0);
        let (punt_frame, punt_bytes) = meter("punt_meter", &io.m_axis_punt);
        let events = CounterEvents {
            outcome_valid: egress.outcome_valid,
            outcome: egress.outcome,
            host_frame,
            host_bytes,
            net0_frame,
            net0_bytes,
            punt_frame,
            punt_bytes,
        };
        assign(&io.events, &events);

        assume_stream("s_axis_host", &io.s_axis_host);
        assert_stream("m_axis_net0", &io.m_axis_net0);
        assert_stream("m_axis_punt", &io.m_axis_punt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Profile;

    #[test]
    fn no_output_depends_combinationally_on_an_input() {
        let config = Profile::named("ecp5").unwrap().config;
        check::assert_no_combinational_paths(&Tx { config, lookup_latency: 8 });
    }
}
