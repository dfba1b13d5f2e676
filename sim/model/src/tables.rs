//! The rules as the model looks them up.

use std::collections::HashMap;
use std::net::IpAddr;

use em_rules::{Mode, NotForUs, Rules, Unmatched, Uplink};

use crate::Port;

/// A 1:1 mapping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping {
    pub function: u16,
    pub inside: [u8; 4],
    pub outside: [u8; 4],
    pub next_hop: Option<NextHop>,
    /// Whether the TTL is decremented.
    pub route: bool,
}

/// The MAC addresses of a mapping with a next hop, as on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextHop {
    pub next_hop: [u8; 6],
    pub function: [u8; 6],
}

/// What becomes of frames from the network that are nobody's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nobody {
    Punt,
    Drop,
    Pass(u16),
}

#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub functions: HashMap<u16, (Mode, Unmatched)>,
    /// By function and inside address.
    pub tx: HashMap<(u16, [u8; 4]), Mapping>,
    /// By outside address.
    pub rx: HashMap<[u8; 4], Mapping>,
    /// Functions in mode `pass`, by MAC address.
    pub macs: HashMap<[u8; 6], u16>,
    pub nobody: Nobody,
    /// The port for tx while its link is up.
    pub uplink: Port,
}

impl Tables {
    /// From rules without IPv6 mappings.
    pub fn new(rules: &Rules) -> Tables {
        let mac = |function: u16| rules.function(function).and_then(|function| function.mac).map(|mac| mac.value.0);
        let mappings = rules.nat.iter().filter_map(|nat| {
            let (IpAddr::V4(inside), IpAddr::V4(outside)) = (*nat.inside, *nat.outside) else { return None };
            let function = *nat.function;
            let next_hop = nat.next_hop_mac.zip(mac(function));
            Some(Mapping {
                function,
                inside: inside.octets(),
                outside: outside.octets(),
                next_hop: next_hop.map(|(next_hop, function)| NextHop { next_hop: next_hop.value.0, function }),
                route: *nat.route,
            })
        });
        let mappings: Vec<Mapping> = mappings.collect();
        let functions = rules.functions.iter();
        let passing = functions.clone().filter(|function| *function.mode == Mode::Pass);
        Tables {
            functions: functions.map(|function| (*function.id, (*function.mode, *function.unmatched))).collect(),
            tx: mappings.iter().map(|mapping| ((mapping.function, mapping.inside), *mapping)).collect(),
            rx: mappings.iter().map(|mapping| (mapping.outside, *mapping)).collect(),
            macs: passing.filter_map(|function| Some((function.mac?.value.0, *function.id))).collect(),
            nobody: match (*rules.port.not_for_us, rules.port.pass_function) {
                (NotForUs::Pass, Some(function)) => Nobody::Pass(*function),
                (NotForUs::Drop, _) => Nobody::Drop,
                (NotForUs::Punt | NotForUs::Pass, _) => Nobody::Punt,
            },
            uplink: if *rules.port.uplink == Uplink::Net1 { Port::Net1 } else { Port::Net0 },
        }
    }
}
