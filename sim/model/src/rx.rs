//! Frames from the network: who gets them.

use crate::parse::Network;
use crate::tables::Nobody;
use crate::translate::Side;
use crate::{DropReason, Model, Outcome, Port, PuntReason};

impl Model {
    /// Steps 42 to 54.
    pub(crate) fn rx(&self, frame: &[u8]) -> Outcome {
        let network = self.network(frame);
        if let Ok(Network::Ipv4(ip)) = &network
            && let Some(mapping) = self.tables.rx.get(&ip.destination)
        {
            return match self.translated(frame, ip, Side::Destination, mapping) {
                Ok(out) => Outcome::Translated(Port::Host, mapping.function, out),
                Err(reason) => Outcome::Punt(reason, mapping.function),
            };
        }
        let owner = frame.first_chunk::<6>().and_then(|destination| self.tables.macs.get(destination));
        match (owner, network, self.tables.nobody) {
            (Some(&function), ..) => Outcome::Unchanged(Port::Host, function),
            (None, Err(fault), _) => Outcome::Drop(fault),
            (None, Ok(_), Nobody::Punt) => Outcome::Punt(PuntReason::NotForUs, 0),
            (None, Ok(_), Nobody::Drop) => Outcome::Drop(DropReason::NotForUs),
            (None, Ok(_), Nobody::Pass(function)) => Outcome::Unchanged(Port::Host, function),
        }
    }
}
