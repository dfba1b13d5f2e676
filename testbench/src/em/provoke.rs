//! A frame for each outcome.

use super::{
    InFrame,
    craft::{self, Ends},
};
use em_rtl::outcome::Outcome;
use em_sim::em::{Egress, Entry};

/// Rules under which every outcome can be had that a frame alone can bring about: function 1 translates and punts what it
/// has no rule for, 2 drops it, 3 passes everything, 4 drops everything. What comes from the network for nobody is punted.
pub const RULES: &str = r#"
[[function]]
id = 1
mode = "nat"
mac = "02:00:00:00:00:01"
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
[[nat]]
function = 1
inside = "192.0.2.11"
outside = "203.0.113.6"
next_hop_mac = "02:00:00:00:0a:01"
route = true
"#;

/// The inside address that function 1 maps.
pub const INSIDE: [u8; 4] = [192, 0, 2, 10];
/// Its outside address.
pub const OUTSIDE: [u8; 4] = [203, 0, 113, 5];
/// The inside address that function 1 maps with a next hop and `route`.
pub const ROUTED: [u8; 4] = [192, 0, 2, 11];
/// An address that nobody maps.
pub const STRANGER: [u8; 4] = [192, 0, 2, 99];

/// A good UDP datagram of function 1, `length` bytes of frame, the payload counting up from `mark`.
pub fn good(length: usize, mark: u8) -> InFrame {
    InFrame::host(1, craft::udp_of_length(INSIDE, length, mark))
}

/// A good UDP datagram from the network for function 1.
pub fn good_in(entry: Entry, length: usize, mark: u8) -> InFrame {
    InFrame::new(entry, Ends::to(OUTSIDE).udp_of_length(length, mark))
}

/// A frame of function 1, spoiled.
fn spoiled(mut data: Vec<u8>, spoil: impl FnOnce(&mut Vec<u8>)) -> InFrame {
    spoil(&mut data);
    InFrame::host(1, data)
}

/// A frame that has this outcome under [`RULES`] in hardware that takes frames of up to `max_frame` bytes. None for those
/// that need more than a frame: a full punt buffer, other rules, a fault in a table. The match is exhaustive, so that a new
/// outcome does not compile until it is provoked here. `mark` tells frames apart.
pub fn frame_for(outcome: Outcome, max_frame: usize, mark: u8) -> Option<InFrame> {
    let own = Ends::from(INSIDE);
    let udp = || own.udp_of_length(64, mark);
    // Offset of the IPv4 header.
    let ip = craft::ETHERNET;
    // A datagram that the mapped address may have got.
    let received = |to| Ends::to(to).datagram(17, 0, &craft::counting(20, mark));
    let host = |data: Vec<u8>| Some(InFrame::host(1, data));
    match outcome {
        Outcome::Net0 => Some(good(64, mark)),
        Outcome::Net1 => {
            Some(InFrame::new(Entry::Inject { egress: Egress::Net1, function: 0 }, craft::unknown(60, mark)))
        }
        Outcome::Host => Some(good_in(if mark.is_multiple_of(2) { Entry::Net0 } else { Entry::Net1 }, 64, mark)),
        Outcome::PuntUnmatched => host(craft::unknown(60, mark)),
        Outcome::PuntUnsupportedL4 => host(own.ipv4(51, 0, &craft::counting(24, mark))),
        Outcome::PuntRoce => host(own.udp(craft::ROCE_PORT, &craft::counting(21, mark))),
        Outcome::PuntIcmpQuoteOptions => {
            let mut quoted = received(INSIDE);
            quoted[0] = 0x46;
            host(own.unreachable(&quoted))
        }
        Outcome::PuntIcmpQuoteAddress => host(own.unreachable(&received(STRANGER))),
        Outcome::PuntTtl => host(craft::with_ttl(mark % 2, craft::udp_of_length(ROUTED, 64, mark))),
        Outcome::PuntNotForUs => Some(InFrame::new(Entry::Net1, Ends::to(STRANGER).udp_of_length(64, mark))),
        Outcome::BadFrame => Some(good(64, mark).bad()),
        Outcome::Runt => host(craft::counting(13, mark)),
        Outcome::Oversize => Some(good(max_frame + 1, mark)),
        // The tag's type, and half of its control information.
        Outcome::MalformedEth => host(craft::ethernet(0x8100, &[0, mark, 8])),
        Outcome::MalformedIpv4Version => Some(spoiled(udp(), |f| f[ip] = 0x55)),
        Outcome::MalformedIhl => Some(spoiled(udp(), |f| f[ip] = 0x44)),
        Outcome::MalformedIpv4Length => Some(spoiled(udp(), |f| f.truncate(63))),
        Outcome::MalformedIpv4Checksum => Some(spoiled(udp(), |f| f[ip + 10] ^= 1)),
        Outcome::MalformedIpv6 => host(craft::ethernet(0x86DD, &[0x60; 39])),
        Outcome::MalformedUdp => Some(spoiled(udp(), |f| f[ip + 20 + 5] = 7)),
        Outcome::MalformedTcp => Some(spoiled(own.tcp(&[mark; 9]), |f| f[ip + 20 + 12] = 0x40)),
        Outcome::MalformedIcmp => host(own.ipv4(1, 0, &[8, 0, mark, 0, 0, 0, 0])),
        Outcome::NoFunction => Some(InFrame::host(77, udp())),
        Outcome::FunctionDrop => Some(InFrame::host(4, udp())),
        Outcome::NatSource => host(craft::udp_of_length(STRANGER, 64, mark)),
        Outcome::Unmatched => Some(InFrame::host(2, craft::unknown(60, mark))),
        Outcome::PuntFull | Outcome::NotForUs | Outcome::Parity | Outcome::PuntRate => None,
    }
}
