//! The ports of an AXI4-Lite bus, seen by its master.

use super::BenchError;
use crate::verilated::{Model, PortId};

/// `valid` and `ready` of a channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handshake {
    pub valid: PortId,
    pub ready: PortId,
}

impl Handshake {
    /// True if the channel transfers in this cycle.
    pub(crate) fn fires(self, model: &Model) -> bool {
        model.is_high(self.valid) && model.is_high(self.ready)
    }
}

/// The ports of one bus; `awprot` and `arprot` may be missing and are held 0.
#[derive(Clone, Debug)]
pub(crate) struct AxilPorts {
    pub name: String,
    pub aw: Handshake,
    pub awaddr: PortId,
    pub w: Handshake,
    pub wdata: PortId,
    pub wstrb: PortId,
    pub b: Handshake,
    pub bresp: PortId,
    pub ar: Handshake,
    pub araddr: PortId,
    pub r: Handshake,
    pub rdata: PortId,
    pub rresp: PortId,
}

impl AxilPorts {
    pub(crate) fn find(model: &Model, prefix: &str) -> Result<Self, BenchError> {
        let port = |signal: &str| model.port(&format!("{prefix}{signal}"));
        let handshake = |channel: &str| -> Result<Handshake, BenchError> {
            Ok(Handshake { valid: port(&format!("{channel}valid"))?, ready: port(&format!("{channel}ready"))? })
        };
        for (signal, width, wanted) in [
            ("wdata", 32, "AXI4-Lite data has 32 bits here"),
            ("rdata", 32, "AXI4-Lite data has 32 bits here"),
            ("wstrb", 4, "wstrb has one bit for each byte"),
        ] {
            let info = model.port_info(port(signal)?);
            if info.width != width {
                return Err(BenchError::Width { port: info.name.clone(), width: info.width, wanted });
            }
        }
        Ok(Self {
            name: prefix.trim_end_matches('_').to_owned(),
            aw: handshake("aw")?,
            awaddr: port("awaddr")?,
            w: handshake("w")?,
            wdata: port("wdata")?,
            wstrb: port("wstrb")?,
            b: handshake("b")?,
            bresp: port("bresp")?,
            ar: handshake("ar")?,
            araddr: port("araddr")?,
            r: handshake("r")?,
            rdata: port("rdata")?,
            rresp: port("rresp")?,
        })
    }
}
