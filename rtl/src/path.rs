//! One direction's way through the Execution Module: wires its blocks in the order of the packet walk. The tables stand
//! beside it.
//!
//! ```text
//!  s_axis ═▶ ingress ─▶ parse ─┬▶ classify ─▶ decide ─┐
//!             (buffer)         ├▶ locate ─────────────┴▶ update ─▶ egress ═▶ outputs
//!                 ▲            ├▶ tables ─────▲─────────▲           ▲│  ▲
//!                 │            └▶ icrc ─────────────────────────────┘│  │
//!                 └──────────────── release ─────────────────────────┘  └ (buffer)
//! ```
//! Behind `decide` the limiters of frames to the Orchestration Module are asked too; `egress` gets their answer while the
//! frame waits there. Forwarded frames do not wait.
//!
//! [`stages`](Path::stages) says how many clocks each stage takes; a frame's first beat leaves [`latency`](Path::latency)
//! clocks after its last beat came in, if nothing waits before it.
//!
//! Throughput: a frame takes as many clocks as it has beats, dropped ones included; none is lost between frames. Only a
//! full buffer stalls the input: a stalled output delays only frames for that output until then. Frames of one output
//! leave in the order they came.

use crate::{
    config::EmConfig,
    csr::{PathEvents, Settings},
    egress::{self, Egress},
    ingress::{self, Ingress},
    lookup::{RxLate, RxRequest, RxResponse, Tables, TxLate, TxRequest, TxResponse},
    packet::{Direction, delay_line, later},
    parse::Parse,
    punt::{PuntAsk, PuntLimit},
    rewrite::{Icrc, Macs, Mapping, UPDATE_LATENCY, Update},
    stream::{Axis, HostUser, NetUser, PathUser, PuntUser, assert_stream, assume_stream},
    verdict::{CLASSIFY_LATENCY, Classify, DECIDE_LATENCY, DecideRx, DecideTx, LOCATE_LATENCY, Locate},
};
use hdl::*;

/// Clocks from the headers to the verdict: the tables or the judgement, whichever takes longer.
const VERDICT: u32 = if Tables::LATENCY > CLASSIFY_LATENCY { Tables::LATENCY } else { CLASSIFY_LATENCY };
/// The late answer comes with the action.
const _: () = assert!(VERDICT + UPDATE_LATENCY >= Tables::LATE_LATENCY && UPDATE_LATENCY >= DECIDE_LATENCY);

/// Clocks from an action to whether its frame, one to be punted, is refused.
const REFUSAL: u32 = PuntLimit::LATENCY - (UPDATE_LATENCY - DECIDE_LATENCY);

/// The block.
#[derive(Clone, Debug)]
pub struct Path {
    /// The Execution Module's sizes.
    pub config: EmConfig,
    /// Which way it goes.
    pub direction: Direction,
}

/// What the way out asks of the tables.
#[derive(Bundle, Clone, Debug)]
pub struct TxTables<S> {
    /// Asked with the headers.
    pub request: TxRequest<S>,
    /// The answer.
    #[flip]
    pub response: TxResponse<S>,
    /// MAC addresses.
    #[flip]
    pub late: TxLate<S>,
}

/// What the way in asks of the tables.
#[derive(Bundle, Clone, Debug)]
pub struct RxTables<S> {
    /// Asked with the headers.
    pub request: RxRequest<S>,
    /// The answer.
    #[flip]
    pub response: RxResponse<S>,
    /// MAC addresses.
    #[flip]
    pub late: RxLate<S>,
}

/// Ports.
#[derive(Bundle, Clone, Debug)]
#[bundle(config: &EmConfig, direction: Direction)]
pub struct PathIo<S> {
    /// Frames in; `tuser` is a packed `PathUser`.
    #[input]
    #[shape(Axis::shape(config.data_w, bundle::packed_width(&PathUser::shape())))]
    pub s_axis: Axis<S>,
    /// The tables' answers to the way out.
    #[output]
    #[present(direction.is_tx())]
    pub tx_tables: Option<TxTables<S>>,
    /// The tables' answers to the way in.
    #[output]
    #[present(!direction.is_tx())]
    pub rx_tables: Option<RxTables<S>>,
    /// The uplink is net1.
    #[input]
    #[present(direction.is_tx())]
    pub uplink_net1: Option<S>,
    /// What becomes of frames that are nobody's.
    #[input]
    #[present(!direction.is_tx())]
    pub settings: Option<Settings<S>>,
    /// Frames to net0; `tuser` is a packed `NetUser`.
    #[output]
    #[present(direction.is_tx())]
    #[shape(Axis::shape(config.data_w, bundle::packed_width(&NetUser::shape())))]
    pub m_axis_net0: Option<Axis<S>>,
    /// Frames to net1; `tuser` is a packed `NetUser`.
    #[output]
    #[present(direction.is_tx())]
    #[shape(Axis::shape(config.data_w, bundle::packed_width(&NetUser::shape())))]
    pub m_axis_net1: Option<Axis<S>>,
    /// Frames to the host; `tuser` is a packed `HostUser`.
    #[output]
    #[present(!direction.is_tx())]
    #[shape(Axis::shape(config.data_w, bundle::packed_width(&HostUser::shape())))]
    pub m_axis_host: Option<Axis<S>>,
    /// Frames to the Orchestration Module; `tuser` is a packed `PuntUser`.
    #[output]
    #[shape(Axis::shape(config.data_w, bundle::packed_width(&PuntUser::shape())))]
    pub m_axis_punt: Axis<S>,
    /// What the limiters are asked.
    #[output]
    #[present(config.table.punt_limits > 0)]
    pub punt_ask: Option<PuntAsk<S>>,
    /// The limiters' answer, [`PuntLimit::LATENCY`] clocks later.
    #[input]
    #[present(config.table.punt_limits > 0)]
    pub punt_refused: Option<S>,
    /// What is counted.
    #[output]
    pub events: PathEvents<S>,
}

impl Path {
    /// The stages between the last beat in and the first beat out, and the clocks that each takes.
    pub fn stages(&self) -> Vec<(&'static str, u32)> {
        let size = self.config.size();
        let mut stages = vec![("ingress", ingress::LATENCY), ("parse", Parse::latency(size))];
        stages.push(("lookup, classify", VERDICT));
        stages.push(("decide, update", UPDATE_LATENCY));
        stages.extend(egress::stages());
        stages
    }

    /// What computes the change of an ICRC.
    fn icrc(&self) -> Icrc {
        Icrc { size: self.config.size(), direction: self.direction, answer_after: VERDICT }
    }

    /// Clocks from the last beat in to the first beat out.
    pub fn latency(&self) -> u32 {
        self.stages().iter().map(|(_, clocks)| clocks).sum()
    }
}

impl Block for Path {
    type Io<S> = PathIo<S>;

    fn name(&self) -> String {
        self.direction.name().into()
    }

    fn doc(&self) -> String {
        match self.direction {
            Direction::Tx => "The way out, host to network.".into(),
            Direction::Rx => "The way in, network to host.".into(),
        }
    }

    fn check(&self) -> Result<(), String> {
        self.config.check()
    }

    fn io(&self) -> PathIo<Shape> {
        PathIo::shape(&self.config, self.direction)
    }

    #[names]
    fn build(&self, io: &PathIo<Bits>) {
        let (c, direction, size) = (&self.config, self.direction, self.config.size());
        let (buffer_beats, pages) = (c.buffer.ingress_beats, c.buffer.ingress_pages);

        // Write side: the frame into the buffer, its headers into the pipeline.
        let ingress = instance(&Ingress { size, max_frame: c.max_frame, buffer_beats, pages });
        connect(&io.s_axis, &ingress.s_axis);
        let parse = instance(&Parse { size, direction });
        assign(&parse.beat, &ingress.beat);
        let headers = parse.headers;

        // The judgement by the headers, and where things are; both stand until the tables have answered.
        let classify = instance(&Classify { size, direction });
        assign(&classify.headers, &headers);
        classify.checksum_good.set(parse.checksum_good);
        let classified = later("classified", &classify.classified, VERDICT - CLASSIFY_LATENCY);
        let locate = instance(&Locate { size, direction });
        assign(&locate.headers, &headers);
        let place = delay_line("place", &locate.place, VERDICT - LOCATE_LATENCY);
        // Whatever becomes of a frame, its action comes as many clocks after its end.
        let chain = delay_line("chain", &ingress.chain, Parse::latency(size) - 1 + VERDICT + UPDATE_LATENCY);
        let extent = delay_line("extent", &headers.end.extent, VERDICT);

        // The tables, and the one outcome.
        let long_enough = headers.end.extent.beats.ge(u64::from(c.least_ipv4_beats()));
        let ipv4 = headers.ethernet.ipv4 & long_enough;
        let wait = VERDICT - Tables::LATENCY;
        let late_wait = VERDICT + UPDATE_LATENCY - Tables::LATE_LATENCY;
        let decided;
        let mapping;
        let macs;
        match direction {
            Direction::Tx => {
                let tables = io.tx_tables.as_ref().expect("the way out has its tables");
                let function = headers.end.extent.function;
                let request = TxRequest { valid: headers.valid, function, address: headers.address, ipv4 };
                assign(&tables.request, &request);
                let response = later("response", &tables.response, wait);
                let decide = instance(&DecideTx { size });
                assign(&decide.classified, &classified);
                assign(&decide.extent, &extent);
                decide.egress.set(headers.end.egress.delay_by(VERDICT));
                decide.ttl_over.set(place.ttl_over);
                assign(&decide.response, &response);
                decide.uplink_net1.set(io.uplink_net1.expect("the way out has an uplink"));
                decided = decide.decided;
                let TxResponse { outside, delta, next_hop, route, .. } = response;
                mapping = Mapping { address: outside, delta, next_hop, route };
                let late = later("late", &tables.late, late_wait);
                macs = Macs { eth_dst: late.next_hop_mac, eth_src: Some(late.function_mac), parity: late.parity };
            }
            Direction::Rx => {
                let tables = io.rx_tables.as_ref().expect("the way in has its tables");
                let eth_dst = headers.eth_dst.expect("the way in has destinations");
                let request = RxRequest { valid: headers.valid, address: headers.address, ipv4, eth_dst };
                assign(&tables.request, &request);
                let response = later("response", &tables.response, wait);
                let decide = instance(&DecideRx { size });
                assign(&decide.classified, &classified);
                assign(&decide.extent, &extent);
                decide.ttl_over.set(place.ttl_over);
                assign(&decide.response, &response);
                assign(&decide.settings, io.settings.as_ref().expect("the way in has settings"));
                headers.end.egress.ignore();
                decided = decide.decided;
                let RxResponse { inside, delta, next_hop, route, .. } = response;
                mapping = Mapping { address: inside, delta, next_hop, route };
                let late = later("late", &tables.late, late_wait);
                macs = Macs { eth_dst: late.function_mac, eth_src: None, parity: late.parity };
            }
        }
        let update = instance(&Update { size, direction });
        assign(&update.place, &place);
        assign(&update.mapping, &mapping);
        assign(&update.decided, &decided);
        assign(&update.late, &macs);

        // What the address changes the ICRC of RoCEv2 by; of frames that are too short for one nothing is computed.
        let icrc = size.has_roce().then(|| {
            let icrc = instance(&self.icrc());
            let long_enough = headers.end.extent.beats.ge(u64::from(Icrc::interval(size)));
            icrc.start.set(headers.valid & long_enough);
            icrc.address.set(headers.address);
            icrc.total_words.set(headers.total_length.slice(2..2 + size.icrc_w));
            icrc.new_address.set(mapping.address);
            icrc
        });

        // Read side: out of the buffer, each frame to its output.
        let punt_beats = c.buffer.punt_beats;
        let difference_after = self.icrc().latency().saturating_sub(VERDICT + UPDATE_LATENCY);
        let refusal_after = if io.punt_refused.is_some() { REFUSAL } else { 0 };
        let egress =
            instance(&Egress { size, direction, buffer_beats, pages, punt_beats, difference_after, refusal_after });
        if let Some(ask) = &io.punt_ask {
            let function = decided.extent.function;
            assign(ask, &PuntAsk { valid: decided.valid, outcome: decided.outcome, function });
        }
        if let (Some(refused), Some(to)) = (io.punt_refused, egress.refused) {
            to.set(refused);
        }
        if let (Some(icrc), Some(difference)) = (icrc, egress.difference) {
            difference.set(icrc.difference);
        }
        assign(&egress.action, &update.action);
        assign(&egress.chain, &chain);
        connect(&egress.buffer, &ingress.buffer);
        assign(&ingress.release, &egress.release);
        let outputs = [
            ("m_axis_net0", &egress.m_axis_net0, &io.m_axis_net0),
            ("m_axis_net1", &egress.m_axis_net1, &io.m_axis_net1),
            ("m_axis_host", &egress.m_axis_host, &io.m_axis_host),
        ];
        for (name, from, to) in outputs {
            if let (Some(from), Some(to)) = (from, to) {
                connect(from, to);
                assert_stream(name, to);
            }
        }
        connect(&egress.m_axis_punt, &io.m_axis_punt);
        assign(&io.events, &egress.events);

        assume_stream("s_axis", &io.s_axis);
        assert_stream("m_axis_punt", &io.m_axis_punt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Profile;

    #[test]
    fn no_output_depends_combinationally_on_an_input() {
        for name in Profile::NAMES {
            let config = Profile::named(name).unwrap().config;
            for direction in [Direction::Tx, Direction::Rx] {
                check::assert_no_combinational_paths(&Path { config: config.clone(), direction });
            }
        }
    }
}
