//! A frame for each outcome.

use super::{HostFrame, craft};
use em_rtl::outcome::Outcome;

/// Rules under which every outcome can be had: function 1 translates and punts what it has no rule for, 2 drops it, 3
/// passes everything, 4 drops everything.
pub const RULES: &str = r#"
[[function]]
id = 1
mode = "nat"
[[function]]
id = 2
mode = "nat"
unmatched = "drop"
[[function]]
id = 3
mode = "pass"
mac = "02:00:00:00:00:03"
[[function]]
id = 4
mode = "drop"

[[nat]]
function = 1
inside = "192.0.2.10"
outside = "203.0.113.5"
"#;

/// The inside address that function 1 maps.
pub const INSIDE: [u8; 4] = [192, 0, 2, 10];
/// An address that nobody maps.
const STRANGER: [u8; 4] = [192, 0, 2, 99];

/// A good UDP datagram of function 1, `length` bytes of frame, the payload counting up from `mark`.
pub fn good(length: usize, mark: u8) -> HostFrame {
    HostFrame::new(craft::udp_of_length(INSIDE, length, mark))
}

/// A good IPv4 frame, spoiled.
fn spoiled(frame: Vec<u8>, spoil: impl FnOnce(&mut Vec<u8>)) -> HostFrame {
    let mut data = frame;
    spoil(&mut data);
    HostFrame::new(data)
}

/// An ICMP message over IPv4 from the mapped address.
fn icmp(kind: u8, rest: usize) -> Vec<u8> {
    let mut message = vec![kind];
    message.extend(craft::counting(rest, 0));
    craft::ipv4(INSIDE, 1, 0, &message)
}

/// A frame that has this outcome under [`RULES`]; none for the one that needs a full punt buffer. The match is
/// exhaustive, so that a new outcome does not compile until it is provoked here. `mark` tells frames apart.
pub fn frame_for(outcome: Outcome, mark: u8) -> Option<HostFrame> {
    let udp = || craft::udp_of_length(INSIDE, 64, mark);
    // Offset of the IPv4 header.
    let ip = craft::ETHERNET;
    Some(match outcome {
        Outcome::Net0 => good(64, mark),
        Outcome::PuntUnmatched => HostFrame::new(craft::unknown(60, mark)),
        Outcome::PuntUnsupportedL4 => HostFrame::new(craft::ipv4(INSIDE, 51, 0, &craft::counting(24, mark))),
        Outcome::PuntIcmpError => HostFrame::new(icmp(3, 35)),
        Outcome::PuntRoce => HostFrame::new(craft::udp(INSIDE, 4791, &craft::counting(20, mark))),
        Outcome::BadFrame => HostFrame { bad: true, ..good(64, mark) },
        Outcome::Runt => HostFrame::new(craft::counting(13, mark)),
        Outcome::Oversize => good(9217, mark),
        // The tag's type, and half of its control information.
        Outcome::MalformedEth => HostFrame::new(craft::ethernet(0x8100, &[0, mark, 8])),
        Outcome::MalformedIpv4Version => spoiled(udp(), |f| f[ip] = 0x55),
        Outcome::MalformedIhl => spoiled(udp(), |f| f[ip] = 0x44),
        Outcome::MalformedIpv4Length => spoiled(udp(), |f| f.truncate(63)),
        Outcome::MalformedIpv4Checksum => spoiled(udp(), |f| f[ip + 10] ^= 1),
        Outcome::MalformedIpv6 => HostFrame::new(craft::ethernet(0x86DD, &[0x60; 39])),
        Outcome::MalformedUdp => spoiled(udp(), |f| f[ip + 20 + 5] = 7),
        Outcome::MalformedTcp => spoiled(craft::tcp(INSIDE, &[mark; 9]), |f| f[ip + 20 + 12] = 0x40),
        Outcome::MalformedIcmp => HostFrame::new(icmp(8, 6)),
        Outcome::NoFunction => HostFrame { function: 77, ..good(64, mark) },
        Outcome::FunctionDrop => HostFrame { function: 4, ..good(64, mark) },
        Outcome::NatSource => HostFrame::new(craft::udp_of_length(STRANGER, 64, mark)),
        Outcome::Unmatched => HostFrame { function: 2, ..HostFrame::new(craft::unknown(60, mark)) },
        Outcome::PuntFull => return None,
    })
}
