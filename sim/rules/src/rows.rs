//! The rows of the file, one type a section.

use std::net::IpAddr;

use crate::{
    AclAction, At, Dir, Dscp, Lookup, Mac, Mode, NotForUs, OverMtu, PortRange, Prefix, Proto, PuntReason, Unmatched,
    Uplink, Vlan,
};

/// `[[function]]`: a PF or VF and what its frames get.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The line the section starts on.
    pub line: usize,
    /// The function's number, as the host interface gives it.
    pub id: At<u16>,
    /// What the EM does with its frames.
    pub mode: At<Mode>,
    /// The function's MAC address; always there in mode `pass`, and where a `[[nat]]` row has a next hop.
    pub mac: Option<At<Mac>>,
    /// What happens to frames that the mode has no rule for.
    pub unmatched: At<Unmatched>,
    /// The function's network, 24 bits; there in mode `vxlan` only.
    pub vni: Option<At<u32>>,
}

/// `[[nat]]`: a 1:1 mapping; both addresses are of one family.
#[derive(Clone, Debug, PartialEq)]
pub struct Nat {
    /// The line the section starts on.
    pub line: usize,
    /// The function that owns the inside address; its mode is `nat`.
    pub function: At<u16>,
    /// The address that the tenant uses.
    pub inside: At<IpAddr>,
    /// The address that the network sees.
    pub outside: At<IpAddr>,
    /// If there, MAC addresses are rewritten on the way out.
    pub next_hop_mac: Option<At<Mac>>,
    /// Whether TTL or hop limit is decremented.
    pub route: At<bool>,
}

/// `[[vtep]]`: a local tunnel endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Vtep {
    /// The line the section starts on.
    pub line: usize,
    /// Outer address.
    pub ip: At<IpAddr>,
    /// Outer source MAC address.
    pub mac: At<Mac>,
}

/// `[[vni]]`: a VXLAN network.
#[derive(Clone, Debug, PartialEq)]
pub struct Vni {
    /// The line the section starts on.
    pub line: usize,
    /// The network's identifier, 24 bits.
    pub id: At<u32>,
    /// What of the inner destination is looked up.
    pub lookup: At<Lookup>,
    /// What happens to an inner VLAN tag at decap.
    pub vlan: At<Vlan>,
    /// The underlay's IP MTU in bytes.
    pub mtu: At<u16>,
    /// What happens to what exceeds it.
    pub over_mtu: At<OverMtu>,
    /// Who may send into this network.
    pub peers: Vec<At<IpAddr>>,
}

/// The inner destination that a row is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Match {
    /// A MAC address; the VNI's `lookup` is `mac`.
    Mac(Mac),
    /// An IP address; the VNI's `lookup` is `ip`.
    Ip(IpAddr),
    /// What no other row of the VNI is for.
    Default,
}

/// `[[tunnel]]`: where tx frames go.
#[derive(Clone, Debug, PartialEq)]
pub struct Tunnel {
    /// The line the section starts on.
    pub line: usize,
    /// The network.
    pub vni: At<u32>,
    /// The inner destination.
    pub matches: At<Match>,
    /// The local VTEP.
    pub local: At<IpAddr>,
    /// The remote VTEP, of the same family.
    pub remote: At<IpAddr>,
    /// Outer destination MAC address.
    pub next_hop_mac: At<Mac>,
    /// Outer DSCP.
    pub dscp: At<Dscp>,
    /// Whether the outer UDP checksum is computed: by default over IPv6 only.
    pub udp_checksum: At<bool>,
    /// Whether a zero UDP checksum over IPv6 is accepted on decap.
    pub accept_zero_checksum: At<bool>,
}

/// `[[local]]`: who gets a decapsulated frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// The line the section starts on.
    pub line: usize,
    /// The network.
    pub vni: At<u32>,
    /// The inner destination.
    pub matches: At<Match>,
    /// The function, which is of the same VNI.
    pub function: At<u16>,
}

/// `[port]`: the network side.
#[derive(Clone, Debug, PartialEq)]
pub struct PortRules {
    /// The line the section starts on; 1 if the file has none.
    pub line: usize,
    /// What happens to frames from the network that are nobody's.
    pub not_for_us: At<NotForUs>,
    /// Who gets them under `not_for_us = "pass"`.
    pub pass_function: Option<At<u16>>,
    /// Which port tx frames take.
    pub uplink: At<Uplink>,
    /// Shares of net0 and net1 under `uplink = "spread"`.
    pub weights: At<[u8; 2]>,
}

/// `[[acl]]`: an access rule. Of two with the same priority the earlier in the file wins.
#[derive(Clone, Debug, PartialEq)]
pub struct Acl {
    /// The line the section starts on.
    pub line: usize,
    /// The lowest number is looked at first.
    pub priority: At<u32>,
    /// The function it is for; absent: every function.
    pub function: Option<At<u16>>,
    /// The direction it is for; absent: both.
    pub dir: Option<At<Dir>>,
    /// Source prefix.
    pub src: Option<At<Prefix>>,
    /// Destination prefix.
    pub dst: Option<At<Prefix>>,
    /// Protocol.
    pub proto: Option<At<Proto>>,
    /// Source ports; `proto` is TCP or UDP.
    pub src_port: Option<At<PortRange>>,
    /// Destination ports; `proto` is TCP or UDP.
    pub dst_port: Option<At<PortRange>>,
    /// What to do.
    pub action: At<AclAction>,
}

/// `[[punt_limit]]`: how many frames may go to the OM. Of several that fit a frame the first in the file counts.
#[derive(Clone, Debug, PartialEq)]
pub struct PuntLimit {
    /// The line the section starts on.
    pub line: usize,
    /// The function whose frames it fits; absent: every function's, and those that are nobody's.
    pub function: Option<At<u16>>,
    /// The reason that it fits; absent: every reason.
    pub reason: Option<At<PuntReason>>,
    /// Clocks between two frames in the long run.
    pub clocks_per_frame: At<u32>,
    /// Frames that may go at once after a long rest.
    pub burst: At<u16>,
}

impl PuntLimit {
    /// Whether it fits everything that `other` fits.
    pub(crate) fn covers(&self, other: &PuntLimit) -> bool {
        let function = self.function.is_none_or(|own| other.function.is_some_and(|function| *function == *own));
        function && self.reason.is_none_or(|own| other.reason.is_some_and(|reason| *reason == *own))
    }
}
