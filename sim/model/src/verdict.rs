//! What becomes of a frame.

use std::fmt;

/// A side of the EM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Port {
    /// The host interface, code 0.
    Host,
    /// Network port 0, code 1.
    Net0,
    /// Network port 1, code 2.
    Net1,
    /// The OM's: punted frames leave there, injected ones come in, code 3.
    Om,
}

impl Port {
    /// Every port, in the order of the codes.
    pub const ALL: [Port; 4] = [Port::Host, Port::Net0, Port::Net1, Port::Om];

    /// The code in the hardware's `tuser` fields.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// `host`, `net0`, `net1` or `om`; of a port that a frame is forwarded to, the outcome's name.
    pub fn name(self) -> &'static str {
        match self {
            Port::Host => "host",
            Port::Net0 => "net0",
            Port::Net1 => "net1",
            Port::Om => "om",
        }
    }
}

/// Where a frame comes in, and what the stream's `tuser` says there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrival {
    /// From the host.
    Host {
        /// The function that sends it.
        function: u16,
    },
    /// From network port 0.
    Net0,
    /// From network port 1.
    Net1,
    /// From the OM.
    Injected {
        /// The way out.
        egress: Egress,
        /// Who gets it, where the way out is the host.
        function: u16,
    },
}

impl Arrival {
    /// The port.
    pub fn port(self) -> Port {
        match self {
            Arrival::Host { .. } => Port::Host,
            Arrival::Net0 => Port::Net0,
            Arrival::Net1 => Port::Net1,
            Arrival::Injected { .. } => Port::Om,
        }
    }
}

/// The way out of an injected frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Egress {
    /// To a function, code 0.
    Host,
    /// Network port 0, code 1.
    Net0,
    /// Network port 1, code 2.
    Net1,
    /// The port that tx traffic takes, code 3.
    Uplink,
}

/// An enum of reasons whose names are the variants in snake case.
macro_rules! reasons {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// Every reason.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The name in counters, documents and `--json`.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// The reason with that name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($word => Some($name::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

reasons! {
    /// Why a frame was dropped. Every drop has exactly one reason.
    DropReason {
        /// Flagged bad on its last beat.
        BadFrame = "bad_frame",
        /// Shorter than an Ethernet header, 14 bytes.
        Runt = "runt",
        /// Longer than the profile's maximum.
        Oversize = "oversize",
        /// The frame ends within a VLAN tag.
        MalformedEth = "malformed_eth",
        /// Ethertype 0800, but a version that is not 4.
        MalformedIpv4Version = "malformed_ipv4_version",
        /// IHL below 5.
        MalformedIhl = "malformed_ihl",
        /// IPv4 header cut off, or total length below the header's or beyond the frame.
        MalformedIpv4Length = "malformed_ipv4_length",
        /// Wrong IPv4 header checksum.
        MalformedIpv4Checksum = "malformed_ipv4_checksum",
        /// IPv6 header cut off, wrong version, or payload length beyond the frame.
        MalformedIpv6 = "malformed_ipv6",
        /// UDP header cut off, or length below 8 or beyond the IP payload.
        MalformedUdp = "malformed_udp",
        /// TCP header cut off, or data offset below 5 or beyond the IP payload.
        MalformedTcp = "malformed_tcp",
        /// ICMP header or the header it quotes cut off or malformed.
        MalformedIcmp = "malformed_icmp",
        /// No entry for the function.
        NoFunction = "no_function",
        /// The function is in mode `drop`.
        FunctionDrop = "function_drop",
        /// An access rule denies.
        Acl = "acl",
        /// The function has no mapping for the source address.
        NatSource = "nat_source",
        /// No receiver for a decapsulated frame.
        NoLocal = "no_local",
        /// VXLAN I flag not set.
        VxlanFlags = "vxlan_flags",
        /// Unknown VNI.
        VxlanVni = "vxlan_vni",
        /// The sender is not a peer of the VNI.
        VxlanPeer = "vxlan_peer",
        /// Outer UDP checksum wrong, or zero where that is not allowed.
        VxlanChecksum = "vxlan_checksum",
        /// Inner frame shorter than 14 bytes, or an inner tag where none may be.
        VxlanInner = "vxlan_inner",
        /// Outer CE over an inner packet that is not ECN-capable.
        Ecn = "ecn",
        /// Outer IP length over the VNI's MTU.
        Mtu = "mtu",
        /// The function's mode has no rule for it, and `unmatched` is `drop`.
        Unmatched = "unmatched",
        /// From the network, for nobody here, and `not_for_us` is `drop`.
        NotForUs = "not_for_us",
        /// TTL or hop limit used up.
        Ttl = "ttl",
        /// The punt FIFO was full.
        PuntFull = "punt_full",
        /// Over the punt rate limit.
        PuntRate = "punt_rate",
        /// A table entry failed its parity.
        Parity = "parity",
    }
}

reasons! {
    /// Why a frame went to the OM.
    PuntReason {
        /// The function's mode has no rule for it, and `unmatched` is `punt`.
        Unmatched = "unmatched",
        /// AH, UDP-Lite or DCCP, whose checks cover addresses in ways that NAT does not follow.
        UnsupportedL4 = "unsupported_l4",
        /// An ICMP error, on hardware that does not rewrite quoted headers.
        IcmpError = "icmp_error",
        /// An ICMP error that quotes a header with options.
        IcmpQuoteOptions = "icmp_quote_options",
        /// An ICMP error that quotes a datagram to another address than its own source.
        IcmpQuoteAddress = "icmp_quote_address",
        /// RoCEv2 whose ICRC cannot be patched: a first fragment, odd lengths, or hardware without it.
        Roce = "roce",
        /// The mapping has `route`, and the TTL is used up.
        Ttl = "ttl",
        /// From the network, for nobody here, and `not_for_us` is `punt`.
        NotForUs = "not_for_us",
        /// A header ends beyond the parse window of 192 bytes (no IPv4 frame does).
        ParseWindow = "parse_window",
    }
}

/// What becomes of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It leaves on `port`.
    Forward {
        /// Where it leaves.
        port: Port,
        /// To the host: who gets it. To the network: who it is from; of an injected frame, what its `tuser` says.
        function: u16,
        /// The frame as it leaves, without FCS.
        frame: Vec<u8>,
    },
    /// It goes to the OM as it came.
    Punt {
        /// Why.
        reason: PuntReason,
        /// The frame as it came.
        frame: Vec<u8>,
        /// The function it came from; from the network, the mapping's, or 0 without one.
        function: u16,
        /// Where it came in.
        port: Port,
    },
    /// It is dropped.
    Drop(DropReason),
}

impl Verdict {
    /// The outcome's name in counters and documents: a port, or a reason.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Forward { port, .. } => port.name(),
            Verdict::Punt { reason, .. } => reason.name(),
            Verdict::Drop(reason) => reason.name(),
        }
    }

    /// The frame that leaves, without FCS.
    pub fn frame(&self) -> Option<&[u8]> {
        match self {
            Verdict::Forward { frame, .. } | Verdict::Punt { frame, .. } => Some(frame),
            Verdict::Drop(_) => None,
        }
    }
}
