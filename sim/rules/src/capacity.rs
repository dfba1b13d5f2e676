//! Whether the hardware's tables hold what the file wants.

use crate::{Rules, RulesError};

/// How much the tables of a profile hold. A table that the profile leaves out holds 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// The profile's name, for messages.
    pub profile: String,
    /// Function numbers go from 0 to this less one.
    pub function_ids: usize,
    /// Rows of `[[nat]]`; each takes an entry for tx and one for rx.
    pub nat: usize,
    /// Different `next_hop_mac` of all `[[nat]]` rows.
    pub next_hops: usize,
    /// Functions in mode `pass`, which rx finds by their MAC address.
    pub macs: usize,
    /// Rows of `[[vtep]]`.
    pub vteps: usize,
    /// Rows of `[[vni]]`.
    pub vnis: usize,
    /// Peers of all VNIs together.
    pub peers: usize,
    /// Rows of `[[tunnel]]`.
    pub tunnels: usize,
    /// Rows of `[[local]]`.
    pub locals: usize,
    /// Rows of `[[acl]]`.
    pub acls: usize,
    /// Rows of `[[punt_limit]]`.
    pub punt_limits: usize,
}

impl Capacity {
    /// A profile without limits, to start from.
    pub fn unlimited(profile: impl Into<String>) -> Self {
        Capacity::all(profile.into(), usize::MAX)
    }

    /// A profile without tables, to start from.
    pub fn nothing(profile: impl Into<String>) -> Self {
        Capacity::all(profile.into(), 0)
    }

    fn all(profile: String, room: usize) -> Self {
        Capacity {
            profile,
            function_ids: room,
            nat: room,
            next_hops: room,
            macs: room,
            vteps: room,
            vnis: room,
            peers: room,
            tunnels: room,
            locals: room,
            acls: room,
            punt_limits: room,
        }
    }
}

impl Rules {
    /// Refuses more rows than `capacity` has room for, naming the first line beyond.
    ///
    /// # Errors
    /// The first table that overflows.
    pub fn check_capacity(&self, capacity: &Capacity) -> Result<(), RulesError> {
        let profile = &capacity.profile;
        if let Some(beyond) = self.functions.iter().find(|function| usize::from(*function.id) >= capacity.function_ids)
        {
            let text = match capacity.function_ids.checked_sub(1) {
                None => format!("profile \"{profile}\" has no functions. Remove the row, or use another profile."),
                Some(most) => format!(
                    "function id {} is beyond those of profile \"{profile}\". Use ids from 0 to {most}, or a larger profile.",
                    *beyond.id
                ),
            };
            return Err(self.fault(beyond.id.line, text));
        }
        let fits = |what: &str, lines: Vec<usize>, room: usize| match lines.get(room) {
            None => Ok(()),
            Some(&line) => {
                let wanted = lines.len();
                let text = format!(
                    "the file has {wanted} {what}, but profile \"{profile}\" holds {room}. \
                     Remove {} from here on, or use a larger profile.",
                    wanted - room
                );
                Err(self.fault(line, text))
            }
        };
        fits("[[nat]] rows", self.nat.iter().map(|row| row.line).collect(), capacity.nat)?;
        let next_hops = self.next_hops().iter().map(|next_hop| next_hop.line).collect();
        fits("different next_hop_mac addresses", next_hops, capacity.next_hops)?;
        let macs = self.passing().map(|(mac, _)| mac.line).collect();
        fits("functions in mode \"pass\"", macs, capacity.macs)?;
        fits("[[vtep]] rows", self.vteps.iter().map(|row| row.line).collect(), capacity.vteps)?;
        fits("[[vni]] rows", self.vnis.iter().map(|row| row.line).collect(), capacity.vnis)?;
        let peers = self.vnis.iter().flat_map(|vni| vni.peers.iter().map(|peer| peer.line)).collect();
        fits("peers", peers, capacity.peers)?;
        fits("[[tunnel]] rows", self.tunnels.iter().map(|row| row.line).collect(), capacity.tunnels)?;
        fits("[[local]] rows", self.locals.iter().map(|row| row.line).collect(), capacity.locals)?;
        fits("[[acl]] rows", self.acls.iter().map(|row| row.line).collect(), capacity.acls)?;
        let limits = self.punt_limits.iter().map(|row| row.line).collect();
        fits("[[punt_limit]] rows", limits, capacity.punt_limits)
    }
}
