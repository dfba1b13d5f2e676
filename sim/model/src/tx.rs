//! Frames from the host: whose they are, and what their function's mode has for them.

use em_rules::{Mode, Unmatched};

use crate::parse::Network;
use crate::translate::Side;
use crate::{DropReason, Model, Outcome, PuntReason};

impl Model {
    /// Steps 4 to 34.
    pub(crate) fn tx(&self, function: u16, frame: &[u8]) -> Outcome {
        let unmatched = match self.tables.functions.get(&function) {
            None => return Outcome::Drop(DropReason::NoFunction),
            Some((Mode::Drop, _)) => return Outcome::Drop(DropReason::FunctionDrop),
            Some((Mode::Pass, _)) => return Outcome::Unchanged(self.uplink(), function),
            Some((Mode::Nat | Mode::Vxlan, unmatched)) => *unmatched,
        };
        let ip = match self.network(frame) {
            Err(reason) => return Outcome::Drop(reason),
            Ok(Network::Ipv4(ip)) if ip.source != [0; 4] => ip,
            Ok(Network::Ipv6 { own_link: false }) => return Outcome::Drop(DropReason::NatSource),
            Ok(Network::Other | Network::Ipv6 { own_link: true } | Network::Ipv4(_)) => {
                return match unmatched {
                    Unmatched::Punt => Outcome::Punt(PuntReason::Unmatched, function),
                    Unmatched::Drop => Outcome::Drop(DropReason::Unmatched),
                    Unmatched::Pass => Outcome::Unchanged(self.uplink(), function),
                };
            }
        };
        let Some(mapping) = self.tables.tx.get(&(function, ip.source)) else {
            return Outcome::Drop(DropReason::NatSource);
        };
        match self.translated(frame, &ip, Side::Source, mapping) {
            Ok(out) => Outcome::Translated(self.uplink(), function, out),
            Err(reason) => Outcome::Punt(reason, function),
        }
    }
}
