//! What became of a frame: every frame has exactly one outcome. Counters, documentation and `--json` names come from here.

macro_rules! outcomes {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal, $kind:ident, $text:literal;)*) => {
        /// What became of a frame.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Outcome { $($(#[doc = $doc])* $name = $code,)* }

        impl Outcome {
            /// Every outcome, in order of its code.
            pub const ALL: &'static [Outcome] = &[$(Outcome::$name),*];

            /// Forwarded, punted or dropped.
            pub const fn kind(self) -> Kind { match self { $(Outcome::$name => Kind::$kind,)* } }

            /// Name in `--json`, captures and counters; without `drop_` or `punt_`.
            pub const fn name(self) -> &'static str { match self { $(Outcome::$name => $text,)* } }

            /// One sentence.
            pub const fn doc(self) -> &'static str { match self { $(Outcome::$name => concat!($($doc),*),)* } }
        }
    };
}

/// Where an outcome sends a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Out by a port.
    Forward,
    /// To the Orchestration Module.
    Punt,
    /// Nowhere.
    Drop,
}

outcomes! {
    /// Forwarded to net0.
    Net0 = 0, Forward, "net0";

    /// Forwarded to net1.
    Net1 = 1, Forward, "net1";
    /// Forwarded to the host.
    Host = 2, Forward, "host";

    /// The function's mode has no rule for the frame (ARP, unknown EtherType, neighbour discovery, three tags).
    PuntUnmatched = 16, Punt, "unmatched";
    /// AH, UDP-Lite or DCCP, whose checksums cover the addresses in ways that the EM does not follow.
    PuntUnsupportedL4 = 17, Punt, "unsupported_l4";
    /// A RoCEv2 datagram whose ICRC cannot be patched: a first fragment, odd lengths, or hardware without it.
    PuntRoce = 19, Punt, "roce";
    /// An ICMP error that quotes an IPv4 header with options.
    PuntIcmpQuoteOptions = 20, Punt, "icmp_quote_options";
    /// An ICMP error that quotes a datagram of another address than its own.
    PuntIcmpQuoteAddress = 21, Punt, "icmp_quote_address";
    /// A routed mapping, and a time to live of 0 or 1.
    PuntTtl = 22, Punt, "ttl";
    /// A frame from the network that is nobody's.
    PuntNotForUs = 23, Punt, "not_for_us";

    /// `tuser` said bad on the last beat.
    BadFrame = 32, Drop, "bad_frame";
    /// Shorter than an Ethernet header (14 bytes).
    Runt = 33, Drop, "runt";
    /// Longer than the profile's maximum.
    Oversize = 34, Drop, "oversize";
    /// A VLAN tag that is cut off.
    MalformedEth = 35, Drop, "malformed_eth";
    /// An IPv4 header whose version is not 4.
    MalformedIpv4Version = 36, Drop, "malformed_ipv4_version";
    /// An IPv4 header length below 5 words.
    MalformedIhl = 37, Drop, "malformed_ihl";
    /// An IPv4 total length below the header or beyond the frame, or a header that is cut off.
    MalformedIpv4Length = 38, Drop, "malformed_ipv4_length";
    /// A wrong IPv4 header checksum.
    MalformedIpv4Checksum = 39, Drop, "malformed_ipv4_checksum";
    /// An IPv6 header with another version, a payload beyond the frame, or cut off.
    MalformedIpv6 = 40, Drop, "malformed_ipv6";
    /// A UDP header that is cut off or whose length contradicts IPv4's.
    MalformedUdp = 41, Drop, "malformed_udp";
    /// A TCP header that is cut off or whose data offset does not fit.
    MalformedTcp = 42, Drop, "malformed_tcp";
    /// An ICMP header that is cut off.
    MalformedIcmp = 43, Drop, "malformed_icmp";
    /// The function has no entry.
    NoFunction = 44, Drop, "no_function";
    /// The function's mode is `drop`.
    FunctionDrop = 45, Drop, "function_drop";
    /// The function has no mapping for the source address.
    NatSource = 46, Drop, "nat_source";
    /// The function drops what its mode has no rule for.
    Unmatched = 47, Drop, "unmatched";
    /// A frame to be punted found the punt buffer full.
    PuntFull = 48, Drop, "punt_full";
    /// A frame from the network that is nobody's, and the rules drop such.
    NotForUs = 49, Drop, "not_for_us";
    /// A table entry that may have been the frame's failed its parity.
    Parity = 50, Drop, "parity";
    /// A frame to be punted found no token of the limiter that counts for it.
    PuntRate = 51, Drop, "punt_rate";
}

impl Outcome {
    /// Bits of the code.
    pub const WIDTH: u32 = 6;

    /// The code that hardware uses.
    pub const fn code(self) -> u64 {
        self as u64
    }

    /// The outcome of this code.
    pub fn from_code(code: u64) -> Option<Outcome> {
        Self::ALL.iter().copied().find(|o| o.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_fit_and_differ() {
        for (i, o) in Outcome::ALL.iter().enumerate() {
            assert!(o.code() < 1 << Outcome::WIDTH);
            assert_eq!(Outcome::from_code(o.code()), Some(*o), "{i}");
            assert!(!o.doc().is_empty());
        }
    }
}
