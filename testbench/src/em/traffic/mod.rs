//! Random traffic for every input that is mostly right and wrong in one place at a time: every header, length, option,
//! fragment and checksum corner of IPv4 behind up to three tags, ICMP errors, and frames of other kinds.

mod ipv4;
mod transport;

use super::InFrame;
use em_sim::em::{Egress, Entry};
use ipv4::ipv4_frame;
use proptest::{collection::vec, prelude::*, sample::select};

/// Rules for this traffic: every mode, every `unmatched`, mappings with a next hop and with `route`.
pub const TRAFFIC_RULES: &str = r#"
[[function]]
id = 1
mode = "nat"
mac = "02:00:00:00:00:0a"
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
[[function]]
id = 5
mode = "nat"
unmatched = "pass"
mac = "02:00:00:00:00:0b"

[[nat]]
function = 1
inside = "192.0.2.10"
outside = "203.0.113.5"
[[nat]]
function = 1
inside = "192.0.2.11"
outside = "223.255.255.254"
next_hop_mac = "02:00:00:00:0a:01"
[[nat]]
function = 1
inside = "192.0.2.12"
outside = "203.0.113.8"
next_hop_mac = "02:00:00:00:0a:02"
route = true
[[nat]]
function = 2
inside = "192.0.2.10"
outside = "203.0.113.6"
[[nat]]
function = 5
inside = "192.0.2.11"
outside = "203.0.113.7"
next_hop_mac = "02:00:00:00:0a:01"
route = true
"#;

/// Limits of what these rules have punted.
pub const TRAFFIC_LIMITS: &str = r#"
[[punt_limit]]
function = 1
reason = "unmatched"
clocks_per_frame = 500
burst = 2
[[punt_limit]]
reason = "ttl"
clocks_per_frame = 268_435_455
burst = 1
[[punt_limit]]
function = 1
clocks_per_frame = 64
burst = 1
[[punt_limit]]
clocks_per_frame = 100
burst = 4
"#;

/// Inside addresses that the rules map, one that they do not, and the unspecified one.
const INSIDES: [[u8; 4]; 5] = [[192, 0, 2, 10], [192, 0, 2, 11], [192, 0, 2, 12], [192, 0, 2, 200], [0, 0, 0, 0]];
/// Outside addresses that the rules map, and one that they do not.
const OUTSIDES: [[u8; 4]; 6] =
    [[203, 0, 113, 5], [223, 255, 255, 254], [203, 0, 113, 8], [203, 0, 113, 6], [203, 0, 113, 7], [203, 0, 113, 99]];
/// The MAC address of the function that passes everything.
const PASS_MAC: [u8; 6] = [2, 0, 0, 0, 0, 3];

/// The address that belongs to the module's side, and which one of the header it is.
#[derive(Clone, Copy, Debug)]
enum Own {
    /// The source, of a frame from the host.
    Source([u8; 4]),
    /// The destination, of a frame from the network.
    Destination([u8; 4]),
}

/// One to `most` frames for all inputs.
pub fn any_traffic(most: usize) -> impl Strategy<Value = Vec<InFrame>> {
    vec(any_frame(), 1..=most)
}

/// A frame for any of the inputs.
pub fn any_frame() -> impl Strategy<Value = InFrame> {
    prop_oneof![12 => host_frame(), 6 => net_frame(), 1 => injected_frame()]
}

/// A frame of a mapped function, now and then of another one.
pub fn host_frame() -> impl Strategy<Value = InFrame> {
    let function =
        prop_oneof![12 => Just(1u16), 3 => Just(2), 1 => Just(3), 1 => Just(4), 3 => Just(5), 1 => any::<u16>()];
    let [a, b, c, unknown, unspecified] = INSIDES;
    let own = select(vec![a, a, a, a, b, b, c, c, unknown, unspecified]).prop_map(Own::Source);
    let entry = function.prop_map(|function| Entry::Host { function });
    frame(entry, own.prop_flat_map(content))
}

/// A frame from the network for a mapped address, now and then for another one or for a passing function.
pub fn net_frame() -> impl Strategy<Value = InFrame> {
    let own = select(OUTSIDES.to_vec()).prop_map(Own::Destination);
    let to = prop_oneof![8 => Just(None), 1 => Just(Some(PASS_MAC)), 1 => Just(Some([0xff; 6]))];
    let content = (own.prop_flat_map(content), to).prop_map(|(mut data, to)| {
        if let (Some(mac), Some(start)) = (to, data.get_mut(..6)) {
            start.copy_from_slice(&mac);
        }
        data
    });
    frame(select(vec![Entry::Net0, Entry::Net1]), content)
}

/// A frame that the Orchestration Module injects, for any way out.
fn injected_frame() -> impl Strategy<Value = InFrame> {
    let egress = select(vec![Egress::Host, Egress::Net0, Egress::Net1, Egress::Uplink]);
    let entry = (egress, 0..6u16).prop_map(|(egress, function)| Entry::Inject { egress, function });
    frame(entry, Just(Own::Source(INSIDES[0])).prop_flat_map(content))
}

fn frame(entry: impl Strategy<Value = Entry>, data: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = InFrame> {
    (entry, prop::bool::weighted(0.03), data, damage()).prop_map(|(entry, bad, mut data, damage)| {
        damage.apply(&mut data);
        InFrame { entry, bad, data }
    })
}

// Boxed here and below: the types of all the parts in one would fill a thread's stack.
fn content(own: Own) -> BoxedStrategy<Vec<u8>> {
    prop_oneof![12 => ipv4_frame(own), 2 => other_frame(), 2 => ipv6_frame()].boxed()
}

/// What is done to a finished frame.
#[derive(Clone, Debug)]
enum Damage {
    None,
    Cut(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Pad(u8),
    /// To the 60 bytes that Ethernet wants at least.
    PadToLeast,
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        8 => Just(Damage::None),
        1 => any::<prop::sample::Index>().prop_map(Damage::Cut),
        1 => (any::<prop::sample::Index>(), 1..=255u8).prop_map(|(i, x)| Damage::Flip(i, x)),
        2 => (1..50u8).prop_map(Damage::Pad),
        1 => Just(Damage::PadToLeast),
    ]
}

impl Damage {
    fn apply(&self, frame: &mut Vec<u8>) {
        match self {
            Damage::None => {}
            Damage::Cut(at) => frame.truncate(at.index(frame.len().min(100)) + 1),
            Damage::Flip(at, x) => {
                // Headers are hit, not payload.
                let i = at.index(frame.len().min(110));
                frame[i] ^= x;
            }
            Damage::PadToLeast => frame.resize(frame.len().max(60), 0),
            Damage::Pad(n) => frame.resize(frame.len() + usize::from(*n), 0xA5),
        }
    }
}

/// Destination, source and up to three tags, without the type.
fn ethernet() -> impl Strategy<Value = Vec<u8>> {
    let tag = (select(vec![[0x81, 0x00], [0x88, 0xA8]]), any::<[u8; 2]>());
    let tags = prop_oneof![
        6 => vec(tag.clone(), 0..1),
        3 => vec(tag.clone(), 1..2),
        3 => vec(tag.clone(), 2..3),
        1 => vec(tag, 3..4),
    ];
    tags.prop_map(|tags| {
        let mut head = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
        tags.iter().for_each(|(tpid, tci)| head.extend(tpid.iter().chain(tci)));
        head
    })
}

fn ipv6_frame() -> impl Strategy<Value = Vec<u8>> {
    let source = prop_oneof![
        3 => any::<[u8; 16]>(),
        1 => Just([0; 16]),
        // Link-local, fe80::/10.
        1 => any::<[u8; 14]>().prop_map(|rest| {
            let mut address = [0; 16];
            address[2..].copy_from_slice(&rest);
            (address[0], address[1]) = (0xfe, 0x80 | (rest[0] & 0x3f));
            address
        }),
    ];
    let next = prop_oneof![2 => Just(58u8), 1 => Just(0), 1 => any::<u8>()];
    let types = select(vec![128u8, 130, 131, 132, 133, 135, 137, 138, 143, 144, 58]);
    let body = (types, vec(any::<u8>(), 0..40), any::<u8>());
    let off = prop_oneof![8 => Just(0i32), 1 => -50..50i32];
    (ethernet(), source, next, body, off).prop_map(|(mut frame, source, next, (kind, rest, inner), off)| {
        let mut payload = if next == 0 { vec![58, 0, 5, 2, 0, 0, 1, 0, inner] } else { vec![kind] };
        payload.extend(rest);
        frame.extend([0x86, 0xDD, 0x60, 0, 0, 0]);
        frame.extend(((payload.len() as i32 + off).clamp(0, 65_535) as u16).to_be_bytes());
        frame.extend([next, 255]);
        frame.extend(source);
        frame.extend([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
        frame.extend(payload);
        frame
    })
}

/// ARP, LLC, unknown types, plain noise.
fn other_frame() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![Just(0x0806u16), 0..0x0600u16, Just(0x05dd), Just(0x88cc), Just(0x8035), any::<u16>()];
    let typed = (ethernet(), kind, vec(any::<u8>(), 0..120)).prop_map(|(mut frame, kind, rest)| {
        frame.extend(kind.to_be_bytes());
        frame.extend(rest);
        frame
    });
    prop_oneof![4 => typed, 1 => vec(any::<u8>(), 1..200)]
}
