//! Which hardware is modelled.

use em_rules::{Capacity, Feature, FeatureUse, Rules};

/// The configuration of the hardware that the model stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelConfig {
    /// Longest frame in bytes, without FCS.
    pub max_frame: usize,
    /// Whether ICMP errors have the datagram they quote rewritten; else they are punted, `icmp_error`.
    pub icmp_error_rewrite: bool,
    /// Whether the ICRC of RoCEv2 is patched; else UDP to port 4791 is punted, `roce`.
    pub roce: bool,
    /// Table sizes to hold the rules against; `None`: no limits.
    pub capacity: Option<Capacity>,
}

impl Default for ModelConfig {
    /// 9,216 bytes, ICMP errors rewritten, no ICRC, no limits.
    fn default() -> Self {
        ModelConfig { max_frame: 9216, icmp_error_rewrite: true, roce: false, capacity: None }
    }
}

/// The first use of a feature that the model has no behaviour for.
pub(crate) fn unsupported(rules: &Rules) -> Option<FeatureUse> {
    rules.features().into_iter().find(|used| match used.feature {
        Feature::ModeNat
        | Feature::ModePass
        | Feature::ModeDrop
        | Feature::NatIpv4
        | Feature::NextHop
        | Feature::Route
        | Feature::NotForUs
        | Feature::UplinkNet1
        | Feature::PuntLimit => false,
        Feature::ModeVxlan
        | Feature::NatIpv6
        | Feature::Vtep
        | Feature::Vni
        | Feature::Tunnel
        | Feature::Local
        | Feature::Acl
        | Feature::UplinkSpread => true,
    })
}
