//! Computes what is written over a translated frame: new checksums from the old ones (RFC 1624, equation 3), time to
//! live and MAC addresses.
//!
//! ```text
//!                    ┌──────────┐
//!  place, mapping ──▶│          │
//!  decided (2) ─────▶│  update  │────▶ action (3)
//!  late (3) ────────▶│          │
//!                    └──────────┘
//! ```
//! Latency: [`LATENCY`] clocks from `place` and `mapping` to `action`; `decided` comes [`DECIDE_LATENCY`] clocks after
//! them, the MAC addresses with the action. Throughput: a frame a clock. It never stalls and drops nothing.
//!
//! 1. `HC' = ~(~HC + ~m + m')` with every carry folded back in; the table keeps `~m + m'` of each mapping, folded.
//! 2. A UDP result of 0 becomes FFFF, the frame's or the quoted one; results of 0 of IPv4, TCP and ICMP stay. (That a UDP
//!    checksum of 0 is not updated is decided before: `l4` is 0 then.)
//! 3. An ICMP checksum changes by the opposite of what its quoted layer 4 checksum changes by: see
//!    [`Locate`](crate::verdict::Locate).
//! 4. A frame whose MAC addresses could not be read right is dropped as `parity`.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/rx_update` | LFE5UM5G-45F-8 | 283 | 475 | 0 | 249 / 268 / 308 | 162.5 |
//! | `ecp5/tx_update` | LFE5UM5G-45F-8 | 282 | 475 | 0 | 285 / 314 / 330 | 162.5 |

use crate::{
    outcome::Outcome,
    packet::{Action, Direction, Rewrite, Size, outcome},
    verdict::{DECIDE_LATENCY, Decided, Place},
};
use hdl::*;

/// Clocks from the place to the action.
pub const LATENCY: u32 = 3;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    /// Sizes of the path.
    pub size: Size,
    /// Which way the path goes.
    pub direction: Direction,
}

/// What the table says of the frame's mapping.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct Mapping<S> {
    /// Address to write.
    #[width(32)]
    pub address: S,
    /// What it changes the ones'-complement sum of the addresses by; never 0.
    #[width(16)]
    pub delta: S,
    /// Write MAC addresses.
    pub next_hop: S,
    /// The frame takes a hop.
    pub route: S,
}

/// MAC addresses to write.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(direction: Direction)]
pub struct Macs<S> {
    /// Ethernet destination address.
    #[width(48)]
    pub eth_dst: S,
    /// Ethernet source address; on the way out only.
    #[present(direction.is_tx())]
    #[width(48)]
    pub eth_src: Option<S>,
    /// They could not be read right.
    pub parity: S,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size, direction: Direction)]
pub struct UpdateIo<S> {
    /// Where things are, and the old checksums.
    #[input]
    #[shape(Place::shape(size))]
    pub place: Place<S>,
    /// What the table says.
    #[input]
    pub mapping: Mapping<S>,
    /// The frame with its outcome, two clocks later.
    #[input]
    #[shape(Decided::shape(size))]
    pub decided: Decided<S>,
    /// MAC addresses, three clocks later.
    #[input]
    #[shape(Macs::shape(direction))]
    pub late: Macs<S>,
    /// What is to be done with the frame.
    #[output]
    #[shape(Action::shape(size, direction))]
    pub action: Action<S>,
}

/// A checksum from its complemented old value and what to add, in two clocks: add; fold and complement.
#[track_caller]
fn updated(name: &str, old_sum: Bits, add: Bits) -> Bits {
    let sum = old_sum.grow_add(add).delay().named(&format!("{name}_sum"));
    let folded = sum.slice(0..16) + sum.bit(16).zext(16);
    (!folded).delay().named(&format!("{name}_updated"))
}

impl Block for Update {
    type Io<S> = UpdateIo<S>;

    fn name(&self) -> String {
        format!("{}_update", self.direction.name())
    }

    fn doc(&self) -> String {
        "Computes what is written over a translated frame.".into()
    }

    fn io(&self) -> UpdateIo<Shape> {
        UpdateIo::shape(self.size, self.direction)
    }

    #[names]
    fn build(&self, io: &UpdateIo<Bits>) {
        let (place, mapping) = (&io.place, &io.mapping);

        // Clocks 1 and 2: add to each complemented checksum, fold, complement.
        let delta = mapping.delta;
        let l4_delta = mux(place.quoted, place.quoted_l4.repeat(16) & !delta, delta);
        let ipv4_sum = mux(mapping.route, place.ipv4_sum_routed, place.ipv4_sum);
        let ipv4_checksum = updated("ipv4", ipv4_sum, delta);
        let l4_checksum = updated("l4", place.l4_sum, l4_delta);
        let quoted_checksum = updated("quoted", place.quoted_sum, delta);
        let quoted_l4_checksum = updated("quoted_l4", place.quoted_l4_sum, delta);

        // Clock 3: UDP has no result of 0.
        let never_zero = |udp: Bits, checksum: Bits| checksum | (udp.delay_by(2) & checksum.eq(0)).repeat(16);
        let l4_final = never_zero(place.udp, l4_checksum).delay();
        let quoted_l4_final = never_zero(place.quoted_udp, quoted_l4_checksum).delay();
        let behind = LATENCY - DECIDE_LATENCY;
        let translate = io.decided.translate.delay_by(behind);
        let next_hop = mapping.next_hop.delay_by(LATENCY);
        let lost = translate & next_hop & io.late.parity;
        // A frame from the network that is dropped is nobody's.
        let known = io.decided.function_known.delay_by(behind);
        let decided_outcome = io.decided.outcome.delay_by(behind);
        let rewrite = Rewrite {
            translate,
            tagged: place.tagged.delay_by(LATENCY),
            double: place.double.delay_by(LATENCY),
            address: mapping.address.delay_by(LATENCY),
            ipv4_checksum: ipv4_checksum.delay(),
            l4: place.l4.delay_by(LATENCY),
            l4_half: place.l4_half.delay_by(LATENCY),
            l4_checksum: l4_final,
            quoted: place.quoted.delay_by(LATENCY),
            quoted_half: place.quoted_half.delay_by(LATENCY),
            quoted_checksum: quoted_checksum.delay(),
            quoted_l4: place.quoted_l4.delay_by(LATENCY),
            quoted_l4_half: place.quoted_l4_half.delay_by(LATENCY),
            quoted_l4_checksum: quoted_l4_final,
            next_hop,
            eth_dst: io.late.eth_dst,
            eth_src: io.late.eth_src,
            route: mapping.route.delay_by(LATENCY),
            ttl: place.ttl.delay_by(LATENCY),
            icrc: place.icrc.map(|icrc| icrc.delay_by(LATENCY)),
            icrc_word: place.icrc_word.map(|word| word.delay_by(LATENCY)),
        };
        let action = Action {
            valid: (0..behind).fold(io.decided.valid, |v, _| v.delay_reset(0)),
            function_known: if self.direction.is_tx() { known } else { known & !lost },
            outcome: mux(lost, outcome(Outcome::Parity), decided_outcome),
            extent: crate::packet::later("extent", &io.decided.extent, behind),
            rewrite,
        };
        assign(&io.action, &action);
        place.ttl_over.ignore();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::sim::Sim;
    use rand::{RngExt, SeedableRng, rngs::StdRng};
    use std::collections::VecDeque;

    /// Equation 3 of RFC 1624, in numbers that cannot overflow: `changes` are pairs of an old and a new half-word.
    fn equation_3(old: u64, changes: &[(u64, u64)]) -> u64 {
        let not = |half: u64| 0xFFFF - half;
        fold(not(old) + changes.iter().map(|(from, to)| not(*from) + to).sum::<u64>()) ^ 0xFFFF
    }

    fn fold(mut sum: u64) -> u64 {
        while sum > 0xFFFF {
            sum = (sum >> 16) + (sum & 0xFFFF);
        }
        sum
    }

    /// Half-words at whose sums folds carry twice and results are 0.
    const EDGES: [u64; 12] = [0, 1, 2, 3, 4, 0x7FFF, 0x8000, 0xFFFB, 0xFFFC, 0xFFFD, 0xFFFE, 0xFFFF];

    #[test]
    fn every_carry_comes_back() {
        let size = Size { data_w: 128, beats_w: 10, icrc_w: 12 };
        let sim = Sim::new(&Update { size, direction: Direction::Rx }).unwrap();
        sim.reset();
        let (place, mapping, action) = (&sim.io.place, &sim.io.mapping, &sim.io.action);
        let mut waiting = VecDeque::new();
        let mut zeros = 0;
        let mut rng = StdRng::seed_from_u64(1);
        for n in 0..EDGES.len().pow(3) * 8 {
            let edge = |digit: u32| EDGES[n / 8 / EDGES.len().pow(digit) % EDGES.len()];
            let mut any_edge = || EDGES[rng.random_range(0..EDGES.len())];
            let (old, from, to) = (edge(0), [edge(1), any_edge()], [edge(2), any_edge()]);
            let (udp, route, quoted) = (n & 1 == 1, n & 2 == 2, n & 4 == 4);
            let address = [(from[0], to[0]), (from[1], to[1])];
            let sum = fold(address.iter().map(|(m, new)| 0xFFFF - m + new).sum());
            let delta = if sum == 0 { 0xFFFF } else { sum };
            // Time to live 9, protocol 17, one hop less.
            let hop = [(0x0911, 0x0811)];
            let routed = fold(0xFFFF - old + 0xFFFF - hop[0].0 + hop[0].1);

            sim.poke(place.ipv4_sum, 0xFFFF - old);
            sim.poke(place.ipv4_sum_routed, routed);
            let l4_sum = if quoted && old == 0xFFFF { 0xFFFF } else { 0xFFFF - old };
            sim.poke(place.l4_sum, l4_sum);
            sim.poke(place.udp, udp && !quoted);
            sim.poke(place.quoted, quoted);
            sim.poke(place.quoted_l4, quoted);
            sim.poke(place.quoted_udp, udp);
            sim.poke(place.quoted_l4_sum, 0xFFFF - old);
            sim.poke(mapping.delta, delta);
            sim.poke(mapping.route, route);

            let never_zero = |udp: bool, checksum: u64| if udp && checksum == 0 { 0xFFFF } else { checksum };
            let ipv4 =
                if route { equation_3(old, &[address[0], address[1], hop[0]]) } else { equation_3(old, &address) };
            let plain = equation_3(old, &address);
            let quoted_l4 = never_zero(udp, plain);
            // An ICMP checksum covers the quoted address, the quoted header checksum and the quoted layer 4 checksum.
            let header = (old, plain);
            let icmp = equation_3(old, &[address[0], address[1], header, (old, quoted_l4)]);
            zeros += u64::from(plain == 0);
            waiting.push_back((ipv4, if quoted { icmp } else { never_zero(udp, plain) }, quoted_l4, quoted));
            sim.step();
            if waiting.len() == LATENCY as usize {
                let (ipv4, l4, quoted_l4, quoted) = waiting.pop_front().unwrap();
                let what = format!("{old:04x} {from:04x?} {to:04x?}, case {}", n - 2);
                assert_eq!(sim.peek_u64(action.rewrite.ipv4_checksum), ipv4, "IPv4, {what}");
                assert_eq!(sim.peek_u64(action.rewrite.l4_checksum), l4, "layer 4, quoted {quoted}, {what}");
                assert_eq!(sim.peek_u64(action.rewrite.quoted_l4_checksum), quoted_l4, "quoted layer 4, {what}");
            }
        }
        assert!(zeros > 0);
    }
}
