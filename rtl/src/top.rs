//! The Execution Module's top: only wires.
//!
//! ```text
//!  s_axis_host ═▶┐                                  ┌═▶ m_axis_net0
//!                ├ tx_arbiter ═▶ tx ════════════════┼═▶ m_axis_net1
//!  s_axis_punt ═▶ inject          │▲                └═▶┐
//!                ├ rx_arbiter ═▶ rx ════▶ m_axis_host   ├ punt_arbiter ═▶ m_axis_punt
//!  s_axis_net0 ═▶┤               ││                 ┌═▶┘
//!  s_axis_net1 ═▶┘               │└═════════════════┘
//!                                ▼▲
//!                              tables, punt_limit
//!                                ▲
//!  s_axil_m2m ─────────────────▶ csr ◀─ events
//! ```

use crate::{
    config::EmConfig,
    csr::{ADDR_W, AxiLite, CounterEvents, Csr, Settings},
    inject::Inject,
    meter::Meter,
    packet::{Direction, port},
    path::{Path, PathIo},
    punt::PuntAsk,
    stream::{Arbiter, Axis, HostUser, InjectUser, NetUser, PathUser, PuntUser, assert_stream, assume_stream},
};
use hdl::*;

/// The Execution Module.
#[derive(Clone, Debug)]
pub struct EmTop {
    /// Its sizes.
    pub config: EmConfig,
}

/// Ports of the Execution Module.
#[derive(Bundle, Clone, Debug)]
#[bundle(data_w: u32)]
pub struct EmTopIo<S> {
    /// Frames from the host; `tuser` is a packed `HostUser`.
    #[input]
    #[shape(Axis::shape(data_w, bundle::packed_width(&HostUser::shape())))]
    pub s_axis_host: Axis<S>,
    /// Frames to the host; `tuser` is a packed `HostUser`.
    #[output]
    #[shape(Axis::shape(data_w, bundle::packed_width(&HostUser::shape())))]
    pub m_axis_host: Axis<S>,
    /// Frames from net0; `tuser` is a packed `NetUser`.
    #[input]
    #[shape(Axis::shape(data_w, bundle::packed_width(&NetUser::shape())))]
    pub s_axis_net0: Axis<S>,
    /// Frames to net0; `tuser` is a packed `NetUser`.
    #[output]
    #[shape(Axis::shape(data_w, bundle::packed_width(&NetUser::shape())))]
    pub m_axis_net0: Axis<S>,
    /// Frames from net1; `tuser` is a packed `NetUser`.
    #[input]
    #[shape(Axis::shape(data_w, bundle::packed_width(&NetUser::shape())))]
    pub s_axis_net1: Axis<S>,
    /// Frames to net1; `tuser` is a packed `NetUser`.
    #[output]
    #[shape(Axis::shape(data_w, bundle::packed_width(&NetUser::shape())))]
    pub m_axis_net1: Axis<S>,
    /// Frames to the Orchestration Module; `tuser` is a packed `PuntUser`.
    #[output]
    #[shape(Axis::shape(data_w, bundle::packed_width(&PuntUser::shape())))]
    pub m_axis_punt: Axis<S>,
    /// Frames that the Orchestration Module injects; `tuser` is a packed `InjectUser`.
    #[input]
    #[shape(Axis::shape(data_w, bundle::packed_width(&InjectUser::shape())))]
    pub s_axis_punt: Axis<S>,
    /// One bit a network port, net0 in bit 0: its link is up.
    #[input]
    #[width(2)]
    pub net_link_up: S,
    /// Registers and tables.
    #[input]
    #[shape(AxiLite::shape(ADDR_W))]
    pub s_axil_m2m: AxiLite<S>,
}

impl EmTop {
    /// One direction's path.
    pub fn path(&self, direction: Direction) -> Path {
        Path { config: self.config.clone(), direction }
    }

    /// The stages between the last beat in and the first beat out, and the clocks that each takes: the same both ways.
    pub fn stages(&self) -> Vec<(&'static str, u32)> {
        let mut stages = vec![("arbiter", ARBITER_LATENCY)];
        stages.extend(self.path(Direction::Tx).stages());
        stages
    }
}

/// Clocks from a beat in to the beat out of an arbiter.
const ARBITER_LATENCY: u32 = 1;

/// The frames of a port as the paths take them.
#[track_caller]
fn enter(from: &Axis<Bits>, to: &Axis<Bits>, bad: Bits, function: Bits, port: u64) {
    let user = PathUser { bad, port: lit(2, port.into()), egress: lit(2, 0), function };
    to.tdata.set(from.tdata);
    to.tkeep.set(from.tkeep);
    to.tlast.set(from.tlast);
    to.tvalid.set(from.tvalid);
    to.tuser.set(pack(&user));
    from.tready.set(to.tready);
}

impl Block for EmTop {
    type Io<S> = EmTopIo<S>;

    fn name(&self) -> String {
        "em_top".into()
    }

    fn doc(&self) -> String {
        "Execution Module of a DistDPU: host and network, 1:1 NAT by the tables of an Orchestration Module.".into()
    }

    fn check(&self) -> Result<(), String> {
        self.config.check()
    }

    fn io(&self) -> EmTopIo<Shape> {
        EmTopIo::shape(self.config.data_w)
    }

    #[names]
    fn build(&self, io: &EmTopIo<Bits>) {
        let c = &self.config;
        let arbiter = |inputs: u32, user_w: u32| Arbiter { inputs, data_w: c.data_w, user_w };
        let path_w = bundle::packed_width(&PathUser::shape());
        let punt_w = bundle::packed_width(&PuntUser::shape());
        let inject = instance(&Inject { config: c.clone() });
        let tx_arbiter = instance(&arbiter(2, path_w));
        let rx_arbiter = instance(&arbiter(3, path_w));
        let tx = instance(&self.path(Direction::Tx));
        let rx = instance(&self.path(Direction::Rx));
        let punt_arbiter = instance(&arbiter(2, punt_w));
        let tables = instance(&c.tables());
        let csr = instance(&Csr { config: c.map() });

        // In: the host and the network, and what is injected.
        let host_user = unpack(&HostUser::shape(), io.s_axis_host.tuser);
        let net0_user = unpack(&NetUser::shape(), io.s_axis_net0.tuser);
        let net1_user = unpack(&NetUser::shape(), io.s_axis_net1.tuser);
        let nobody = lit(16, 0);
        connect(&io.s_axis_punt, &inject.s_axis_punt);
        enter(&io.s_axis_host, &tx_arbiter.s_axis[0], host_user.bad, host_user.function, port::HOST);
        connect(&inject.m_axis_tx, &tx_arbiter.s_axis[1]);
        enter(&io.s_axis_net0, &rx_arbiter.s_axis[0], net0_user.bad, nobody, port::NET0);
        enter(&io.s_axis_net1, &rx_arbiter.s_axis[1], net1_user.bad, nobody, port::NET1);
        connect(&inject.m_axis_rx, &rx_arbiter.s_axis[2]);
        connect(&tx_arbiter.m_axis, &tx.s_axis);
        connect(&rx_arbiter.m_axis, &rx.s_axis);

        // The tables and the settings.
        let tx_tables = tx.tx_tables.as_ref().expect("the way out has its tables");
        connect(&tx_tables.request, &tables.tx_request);
        connect(&tables.tx_response, &tx_tables.response);
        connect(&tables.tx_late, &tx_tables.late);
        let rx_tables = rx.rx_tables.as_ref().expect("the way in has its tables");
        connect(&rx_tables.request, &tables.rx_request);
        connect(&tables.rx_response, &rx_tables.response);
        connect(&tables.rx_late, &rx_tables.late);
        connect(&csr.manage, &tables.manage);
        if let Some(limits) = c.punt_limit() {
            let punt_limit = instance(&limits);
            connect(csr.punt_limit.as_ref().expect("the registers write limiters"), &punt_limit.write);
            let ask = |path: &PathIo<Bits>, ask: &PuntAsk<Bits>, refused: Bits| {
                connect(path.punt_ask.as_ref().expect("a path asks the limiters"), ask);
                path.punt_refused.expect("a path hears the limiters").set(refused);
            };
            ask(&tx, &punt_limit.tx_ask, punt_limit.tx_refused);
            ask(&rx, &punt_limit.rx_ask, punt_limit.rx_refused);
        }
        let settings: &Settings<Bits> = &csr.settings;
        connect(settings, rx.settings.as_ref().expect("the way in has settings"));
        let net0_up = io.net_link_up.bit(0).delay_reset(0);
        let net1_up = io.net_link_up.bit(1).delay_reset(0);
        csr.link_up.set(cat([net1_up, net0_up]));
        let uplink_net1 = mux(settings.uplink_net1, net1_up | !net0_up, net1_up & !net0_up).delay_reset(0);
        tx.uplink_net1.expect("the way out has an uplink").set(uplink_net1);

        // Out.
        let outputs = [
            (&tx.m_axis_net0, &io.m_axis_net0),
            (&tx.m_axis_net1, &io.m_axis_net1),
            (&rx.m_axis_host, &io.m_axis_host),
        ];
        for (from, to) in outputs {
            connect(from.as_ref().expect("each path has its outputs"), to);
        }
        connect(&tx.m_axis_punt, &punt_arbiter.s_axis[0]);
        connect(&rx.m_axis_punt, &punt_arbiter.s_axis[1]);
        connect(&punt_arbiter.m_axis, &io.m_axis_punt);

        // What is counted.
        let meter = |name: &str, axis: &Axis<Bits>| {
            let meter = instance(&Meter { data_w: c.data_w });
            meter.transfer.named(name);
            meter.transfer.set(axis.transfer());
            meter.last.set(axis.tlast);
            meter.others.set(axis.tkeep.slice(1..));
            meter.events
        };
        let events = CounterEvents {
            tx: tx.events.clone(),
            rx: rx.events.clone(),
            host_rx: meter("host_rx_meter", &io.s_axis_host),
            host_tx: meter("host_tx_meter", &io.m_axis_host),
            net0_rx: meter("net0_rx_meter", &io.s_axis_net0),
            net0_tx: meter("net0_tx_meter", &io.m_axis_net0),
            net1_rx: meter("net1_rx_meter", &io.s_axis_net1),
            net1_tx: meter("net1_tx_meter", &io.m_axis_net1),
            punt_tx: meter("punt_tx_meter", &io.m_axis_punt),
            inject_rx: meter("inject_rx_meter", &io.s_axis_punt),
            tables: tables.events.clone(),
        };
        assign(&csr.events, &events);
        connect(&io.s_axil_m2m, &csr.s_axil);

        let inputs = [
            ("s_axis_host", &io.s_axis_host),
            ("s_axis_net0", &io.s_axis_net0),
            ("s_axis_net1", &io.s_axis_net1),
            ("s_axis_punt", &io.s_axis_punt),
        ];
        inputs.into_iter().for_each(|(name, stream)| assume_stream(name, stream));
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
            check::assert_no_combinational_paths(&EmTop { config: Profile::named(name).unwrap().config });
        }
    }

    #[test]
    fn it_elaborates_with_the_ports_of_the_specification() {
        let config = Profile::named("ecp5").unwrap().config;
        let design = elaborate(&EmTop { config }).unwrap_or_else(|e| panic!("{e}"));
        let ports: Vec<String> = design.top().verilog_ports().into_iter().map(|(name, ..)| name).collect();
        let stream = |name: &str| {
            ["tdata", "tkeep", "tvalid", "tready", "tlast", "tuser"].map(|signal| format!("{name}_{signal}"))
        };
        let lite = [
            "awaddr", "awprot", "awvalid", "awready", "wdata", "wstrb", "wvalid", "wready", "bresp", "bvalid",
            "bready", "araddr", "arprot", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready",
        ];
        let streams = [
            "s_axis_host",
            "m_axis_host",
            "s_axis_net0",
            "m_axis_net0",
            "s_axis_net1",
            "m_axis_net1",
            "m_axis_punt",
            "s_axis_punt",
        ];
        let mut expected = vec!["clk".to_string(), "rst".into()];
        expected.extend(streams.into_iter().flat_map(stream));
        expected.push("net_link_up".into());
        expected.extend(lite.map(|signal| format!("s_axil_m2m_{signal}")));
        assert_eq!(ports, expected);
    }
}
