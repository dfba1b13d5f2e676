//! What the hardware must be able to do for a file.

use std::fmt;

use crate::{Mode, NotForUs, Rules, RulesError, Uplink};

/// A thing that a file can ask of the hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Feature {
    /// A function in mode `nat`.
    ModeNat,
    /// A function in mode `vxlan`.
    ModeVxlan,
    /// A function in mode `pass`.
    ModePass,
    /// A function in mode `drop`.
    ModeDrop,
    /// An IPv4 mapping.
    NatIpv4,
    /// An IPv6 mapping.
    NatIpv6,
    /// A mapping that rewrites MAC addresses.
    NextHop,
    /// A mapping that decrements TTL or hop limit.
    Route,
    /// A local tunnel endpoint.
    Vtep,
    /// A VXLAN network.
    Vni,
    /// A tunnel for tx frames.
    Tunnel,
    /// A receiver of decapsulated frames.
    Local,
    /// An access rule.
    Acl,
    /// `not_for_us` other than its default, punt.
    NotForUs,
    /// Tx by net1 while its link is up.
    UplinkNet1,
    /// Tx spread over both ports.
    UplinkSpread,
    /// A limit of what goes to the OM.
    PuntLimit,
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Feature::ModeNat => "mode = \"nat\"",
            Feature::ModeVxlan => "mode = \"vxlan\"",
            Feature::ModePass => "mode = \"pass\"",
            Feature::ModeDrop => "mode = \"drop\"",
            Feature::NatIpv4 => "an IPv4 [[nat]] mapping",
            Feature::NatIpv6 => "an IPv6 [[nat]] mapping",
            Feature::NextHop => "next_hop_mac of [[nat]]",
            Feature::Route => "route = true of [[nat]]",
            Feature::Vtep => "[[vtep]]",
            Feature::Vni => "[[vni]]",
            Feature::Tunnel => "[[tunnel]]",
            Feature::Local => "[[local]]",
            Feature::Acl => "[[acl]]",
            Feature::NotForUs => "not_for_us other than \"punt\"",
            Feature::UplinkNet1 => "uplink = \"net1\"",
            Feature::UplinkSpread => "uplink = \"spread\"",
            Feature::PuntLimit => "[[punt_limit]]",
        })
    }
}

impl Feature {
    /// What to write in the file for hardware without it.
    fn remedy(self) -> &'static str {
        match self {
            Feature::ModeNat => "Use mode pass or drop.",
            Feature::ModeVxlan => "Use mode nat, pass or drop.",
            Feature::ModePass => "Use mode nat or drop.",
            Feature::ModeDrop => "Leave the function out: frames of unknown functions are dropped.",
            Feature::NatIpv4 => "Remove the row.",
            Feature::NatIpv6 => "Remove the row, or map IPv4 addresses.",
            Feature::NextHop | Feature::Route => "Remove the key: MAC addresses and TTL stay as they are.",
            Feature::Vtep | Feature::Vni | Feature::Tunnel | Feature::Local | Feature::Acl | Feature::PuntLimit => {
                "Remove the row."
            }
            Feature::NotForUs => "Leave it at \"punt\".",
            Feature::UplinkNet1 => "Leave it at \"net0\".",
            Feature::UplinkSpread => "Use \"net0\" or \"net1\".",
        }
    }
}

/// A feature and a line that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureUse {
    /// What is used.
    pub feature: Feature,
    /// Where, from 1.
    pub line: usize,
}

impl Rules {
    /// Every use of every feature, by line.
    pub fn features(&self) -> Vec<FeatureUse> {
        let mut uses = Vec::new();
        let mut add = |feature, line| uses.push(FeatureUse { feature, line });
        for function in &self.functions {
            let feature = match function.mode.value {
                Mode::Nat => Feature::ModeNat,
                Mode::Vxlan => Feature::ModeVxlan,
                Mode::Pass => Feature::ModePass,
                Mode::Drop => Feature::ModeDrop,
            };
            add(feature, function.mode.line);
        }
        for nat in &self.nat {
            add(if nat.inside.is_ipv4() { Feature::NatIpv4 } else { Feature::NatIpv6 }, nat.inside.line);
            if let Some(next_hop) = nat.next_hop_mac {
                add(Feature::NextHop, next_hop.line);
            }
            if *nat.route {
                add(Feature::Route, nat.route.line);
            }
        }
        self.vteps.iter().for_each(|row| add(Feature::Vtep, row.line));
        self.vnis.iter().for_each(|row| add(Feature::Vni, row.line));
        self.tunnels.iter().for_each(|row| add(Feature::Tunnel, row.line));
        self.locals.iter().for_each(|row| add(Feature::Local, row.line));
        self.acls.iter().for_each(|row| add(Feature::Acl, row.line));
        self.punt_limits.iter().for_each(|row| add(Feature::PuntLimit, row.line));
        if *self.port.not_for_us != NotForUs::Punt {
            add(Feature::NotForUs, self.port.not_for_us.line);
        }
        match *self.port.uplink {
            Uplink::Net0 => {}
            Uplink::Net1 => add(Feature::UplinkNet1, self.port.uplink.line),
            Uplink::Spread => add(Feature::UplinkSpread, self.port.uplink.line),
        }
        uses.sort_by_key(|used| used.line);
        uses
    }

    /// Refuses what the hardware of `profile` does not have, at the first line that asks for it.
    ///
    /// # Errors
    /// The line, what it asks for, and what to write instead.
    pub fn check_features(&self, profile: &str, has: impl Fn(Feature) -> bool) -> Result<(), RulesError> {
        let Some(missing) = self.features().into_iter().find(|used| !has(used.feature)) else { return Ok(()) };
        let FeatureUse { feature, line } = missing;
        let text = format!("the hardware of profile \"{profile}\" has no block for {feature}. {}", feature.remedy());
        Err(self.fault(line, text))
    }
}
