//! The Execution Module's top: only wires.
//!
//! ```text
//!  s_axis_host ═▶ tx ═▶ m_axis_net0
//!                 │ ═▶ m_axis_punt
//!                 ▼▲
//!               lookup
//!                 ▲
//!  s_axil_m2m ─▶ csr ◀─ events
//! ```

use crate::{
    config::EmConfig,
    csr::{ADDR_W, AxiLite, Csr},
    lookup::Lookup,
    stream::{Axis, HostUser, NetUser, PuntUser},
    v1::packet::DATA_W,
    v1::tx::Tx,
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
#[bundle(host_w: u32, net_w: u32, punt_w: u32)]
pub struct EmTopIo<S> {
    /// Frames from the host; `tuser` is a packed `HostUser`.
    #[input]
    #[shape(Axis::shape(DATA_W, host_w))]
    pub s_axis_host: Axis<S>,
    /// Frames to the network; `tuser` is a packed `NetUser`.
    #[output]
    #[shape(Axis::shape(DATA_W, net_w))]
    pub m_axis_net0: Axis<S>,
    /// Frames to the Orchestration Module; `tuser` is a packed `PuntUser`.
    #[output]
    #[shape(Axis::shape(DATA_W, punt_w))]
    pub m_axis_punt: Axis<S>,
    /// Registers and tables.
    #[input]
    #[shape(AxiLite::shape(ADDR_W))]
    pub s_axil_m2m: AxiLite<S>,
}

impl Block for EmTop {
    type Io<S> = EmTopIo<S>;

    fn name(&self) -> String {
        "em_top".into()
    }

    fn doc(&self) -> String {
        "Execution Module of a DistDPU: host to network, 1:1 NAT by the tables of an Orchestration Module.".into()
    }

    fn check(&self) -> Result<(), String> {
        self.config.check()
    }

    fn io(&self) -> EmTopIo<Shape> {
        EmTopIo::shape(
            bundle::packed_width(&HostUser::shape()),
            bundle::packed_width(&NetUser::shape()),
            bundle::packed_width(&PuntUser::shape()),
        )
    }

    #[names]
    fn build(&self, io: &EmTopIo<Bits>) {
        let tables: Lookup = self.config.lookup();
        let tx = instance(&Tx { config: self.config.clone(), lookup_latency: tables.latency() });
        let lookup = instance(&tables);
        let csr = instance(&Csr { lookup: tables });
        connect(&io.s_axis_host, &tx.s_axis_host);
        connect(&tx.m_axis_net0, &io.m_axis_net0);
        connect(&tx.m_axis_punt, &io.m_axis_punt);
        connect(&tx.request, &lookup.request);
        connect(&lookup.response, &tx.response);
        connect(&io.s_axil_m2m, &csr.s_axil);
        connect(&csr.manage, &lookup.manage);
        connect(&tx.events, &csr.events);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Profile;

    #[test]
    fn no_output_depends_combinationally_on_an_input() {
        let config = Profile::named("ecp5").unwrap().config;
        check::assert_no_combinational_paths(&EmTop { config });
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
        let mut expected = vec!["clk".to_string(), "rst".into()];
        expected.extend(["s_axis_host", "m_axis_net0", "m_axis_punt"].into_iter().flat_map(stream));
        expected.extend(lite.map(|signal| format!("s_axil_m2m_{signal}")));
        assert_eq!(ports, expected);
    }
}
