//! Addresses, prefixes, protocols and port ranges.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An Ethernet MAC address, in the order of the wire.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// Whether the group bit (IEEE 802 section 8.2) is set: multicast and broadcast.
    pub fn is_group(self) -> bool {
        self.0[0] & 1 == 1
    }

    /// Six pairs of hex digits with colons between.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let bad = || "is not a MAC address. Write six pairs of hex digits, such as \"02:00:00:00:00:0a\"".to_owned();
        let mut mac = [0; 6];
        let mut pairs = text.split(':');
        for byte in &mut mac {
            let pair = pairs.next().ok_or_else(bad)?;
            if pair.len() != 2 || !pair.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(bad());
            }
            *byte = u8::from_str_radix(pair, 16).map_err(|_| bad())?;
        }
        if pairs.next().is_some() {
            return Err(bad());
        }
        if mac == [0; 6] {
            return Err("is the all-zero MAC address, which no station has. Write the station's own address".to_owned());
        }
        Ok(Mac(mac))
    }

    /// An address that one station can own.
    pub(crate) fn parse_station(text: &str) -> Result<Self, String> {
        let mac = Mac::parse(text)?;
        if mac.is_group() {
            return Err("is a multicast address. Write a unicast one (second hex digit even), \
                        such as \"02:00:00:00:00:0a\""
                .to_owned());
        }
        Ok(mac)
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Any IP address.
pub(crate) fn ip(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| {
        "is not an IP address. Write one such as \"192.0.2.10\" or \"2001:db8::10\", without a prefix length".to_owned()
    })
}

/// An address that one host can have and that may cross a router.
pub(crate) fn host_ip(text: &str) -> Result<IpAddr, String> {
    let address = ip(text)?;
    let what = match address {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) | IpAddr::V6(Ipv6Addr::UNSPECIFIED) => "is the unspecified address",
        IpAddr::V4(Ipv4Addr::BROADCAST) => "is the broadcast address",
        _ if address.is_multicast() => "is a multicast address",
        _ if address.is_loopback() => "is a loopback address",
        IpAddr::V6(v6) if v6.segments()[0] & 0xffc0 == 0xfe80 => "is a link-local address, which is never translated",
        _ => return Ok(address),
    };
    Err(format!("{what}. Write the unicast address of one host"))
}

/// "IPv4" or "IPv6".
pub(crate) fn family(address: IpAddr) -> &'static str {
    if address.is_ipv4() { "IPv4" } else { "IPv6" }
}

/// An address with a prefix length; a bare address is a prefix of its whole length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The address, bits beyond the prefix being 0.
    pub address: IpAddr,
    /// How many leading bits count: 0 to 32, or 0 to 128.
    pub length: u8,
}

impl Prefix {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let bad = "is not an address or prefix. Write one such as \"192.0.2.0/24\" or \"2001:db8::/32\"";
        let address: IpAddr = address.parse().map_err(|_| bad.to_owned())?;
        let bits: u8 = if address.is_ipv4() { 32 } else { 128 };
        let length = match length {
            None => bits,
            Some(digits) if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                match digits.parse() {
                    Ok(length) if length <= bits => length,
                    _ => {
                        let family = family(address);
                        return Err(format!(
                            "has a prefix length out of range. Write 0 to {bits} for an {family} address"
                        ));
                    }
                }
            }
            Some(_) => return Err(bad.to_owned()),
        };
        let prefix = Prefix { address, length };
        let base = prefix.base();
        if base != address {
            return Err(format!("has bits beyond its prefix length. Write \"{base}/{length}\""));
        }
        Ok(prefix)
    }

    fn base(&self) -> IpAddr {
        match self.address {
            IpAddr::V4(v4) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.length)).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(v4.to_bits() & mask))
            }
            IpAddr::V6(v6) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.length)).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & mask))
            }
        }
    }
}

/// An IP protocol number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proto(pub u8);

impl Proto {
    /// TCP, 6.
    pub const TCP: Proto = Proto(6);
    /// UDP, 17.
    pub const UDP: Proto = Proto(17);

    /// Whether the protocol has the ports that a rule may name.
    pub fn has_ports(self) -> bool {
        self == Proto::TCP || self == Proto::UDP
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "icmp" => Ok(Proto(1)),
            "tcp" => Ok(Proto::TCP),
            "udp" => Ok(Proto::UDP),
            "icmpv6" => Ok(Proto(58)),
            _ => {
                Err("is not a protocol. Write \"tcp\", \"udp\", \"icmp\", \"icmpv6\" or a number from 0 to 255".into())
            }
        }
    }
}

/// Ports from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortRange {
    /// The lowest port.
    pub first: u16,
    /// The highest port.
    pub last: u16,
}

impl PortRange {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let port = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            digits.parse::<u16>().ok().filter(|_| plain)
        };
        let ends = match text.split_once('-') {
            Some((first, last)) => port(first).zip(port(last)),
            None => port(text).map(|one| (one, one)),
        };
        match ends {
            Some((first, last)) if first <= last => Ok(PortRange { first, last }),
            Some((first, last)) => Err(format!("runs backwards. Write \"{last}-{first}\"")),
            None => Err("is not a port or range. Write one such as \"443\" or \"1-1023\", up to 65535".to_owned()),
        }
    }
}
