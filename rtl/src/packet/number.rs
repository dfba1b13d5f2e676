//! Numbers of the protocols that the parser knows.

/// EtherTypes (IEEE 802 numbers).
pub mod ethertype {
    /// IPv4.
    pub const IPV4: u64 = 0x0800;
    /// IPv6.
    pub const IPV6: u64 = 0x86DD;
    /// 802.1Q tag.
    pub const VLAN: u64 = 0x8100;
    /// 802.1ad service tag.
    pub const SERVICE_VLAN: u64 = 0x88A8;
}

/// Protocol numbers of IPv4 and next headers of IPv6 (IANA).
pub mod protocol {
    /// IPv6 hop-by-hop options.
    pub const HOP_BY_HOP: u64 = 0;
    /// ICMP.
    pub const ICMP: u64 = 1;
    /// TCP.
    pub const TCP: u64 = 6;
    /// UDP.
    pub const UDP: u64 = 17;
    /// DCCP.
    pub const DCCP: u64 = 33;
    /// Authentication header.
    pub const AH: u64 = 51;
    /// ICMPv6.
    pub const ICMPV6: u64 = 58;
    /// UDP-Lite.
    pub const UDP_LITE: u64 = 136;
}

/// Types of ICMP messages that quote a datagram: destination unreachable, source quench, redirect, time exceeded,
/// parameter problem (RFC 792; RFC 1122, section 3.2.2).
pub const ICMP_ERRORS: [u64; 5] = [3, 4, 5, 11, 12];

/// UDP port of RoCEv2.
pub const ROCE_PORT: u64 = 4791;

/// Bytes of the shortest RoCEv2 datagram, from its UDP header on: that, the base transport header, the ICRC (IBTA volume 1,
/// annex A17).
pub const LEAST_ROCE: u32 = 8 + 12 + 4;
