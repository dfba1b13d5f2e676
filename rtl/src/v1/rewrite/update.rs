//! Computes the new checksums of a translated frame from its old ones (RFC 1624, equation 3).
//!
//! ```text
//!              ┌──────────┐
//!  decided ───▶│  update  │────▶ action
//!              └──────────┘
//! ```
//! Latency: [`LATENCY`] clocks. Throughput: a frame a clock. It never stalls and drops nothing.
//!
//! 1. `HC' = ~(~HC + ~m + m')` over both half-words of the address, every carry folded back in.
//! 2. A UDP result of 0 becomes FFFF; a result of 0 of IPv4 and TCP stays. (That a UDP checksum of 0 is not updated is
//!    decided before: `l4` is 0 then.)

use crate::{
    v1::packet::{Action, Rewrite, later},
    v1::verdict::Decided,
};
use hdl::*;

/// Clocks from `decided_valid` to `action_valid`.
pub const LATENCY: u32 = 6;

/// The block.
#[derive(Clone, Debug)]
pub struct Update {
    /// Bits that count the beats of a frame.
    pub beats_w: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct UpdateIo<S> {
    /// A frame with its outcome and its old checksums.
    #[input]
    #[shape(Decided::shape(beats_w))]
    pub decided: Decided<S>,
    /// What is to be done with it.
    #[output]
    #[shape(Action::shape(beats_w))]
    pub action: Action<S>,
}

/// One fold of the carries above bit 15 back into the low half-word: 17 bits. After it a second one gives no carry.
fn fold(sum: Bits) -> Bits {
    sum.slice(0..16).grow_add(sum.slice(16..).zext(16))
}

impl Block for Update {
    type Io<S> = UpdateIo<S>;

    fn name(&self) -> String {
        "update".into()
    }

    fn doc(&self) -> String {
        "Computes the new checksums of a translated frame from its old ones.".into()
    }

    fn io(&self) -> UpdateIo<Shape> {
        UpdateIo::shape(self.beats_w)
    }

    #[names]
    fn build(&self, io: &UpdateIo<Bits>) {
        let decided = &io.decided;
        let place = &decided.place;

        // Clocks 1 and 2: ~m + m' over both half-words.
        let high = (!place.source.slice(16..32)).grow_add(decided.outside.slice(16..32)).delay();
        let low = (!place.source.slice(0..16)).grow_add(decided.outside.slice(0..16)).delay();
        let difference = high.grow_add(low).delay();

        // Clocks 3 to 5: add to each complemented checksum, fold twice, complement.
        let updated = |name: &str, old: Bits| {
            let complement = (!old).delay().named(&format!("{name}_complement")).delay();
            let sum = complement.zext(18).grow_add(difference).delay();
            let folded = fold(sum).delay();
            let whole = folded.slice(0..16) + folded.slice(16..).zext(16);
            (!whole).delay()
        };
        let ipv4_checksum = updated("ipv4", place.ipv4_checksum);
        let l4_checksum = updated("l4", place.l4_checksum);

        // Clock 6: UDP has no result of 0.
        let udp = place.udp.delay_by(LATENCY - 1);
        let nothing = udp & l4_checksum.eq(0);
        let l4_final = (l4_checksum | nothing.repeat(16)).delay();
        let ipv4_final = ipv4_checksum.delay();

        let rewrite = Rewrite {
            translate: decided.translate.delay_by(LATENCY),
            tagged: place.tagged.delay_by(LATENCY),
            double: place.double.delay_by(LATENCY),
            address: decided.outside.delay_by(LATENCY),
            ipv4_checksum: ipv4_final,
            l4: place.l4.delay_by(LATENCY),
            l4_half: place.l4_half.delay_by(LATENCY),
            l4_checksum: l4_final,
        };
        let action = Action {
            valid: (0..LATENCY).fold(decided.valid, |v, _| v.delay_reset(0)),
            outcome: decided.outcome.delay_by(LATENCY),
            extent: later("extent", &decided.extent, LATENCY),
            rewrite,
        };
        assign(&io.action, &action);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::sim::Sim;

    const BLOCK: Update = Update { beats_w: 10 };

    #[test]
    fn no_output_depends_combinationally_on_an_input() {
        check::assert_no_combinational_paths(&BLOCK);
    }

    /// Equation 3 of RFC 1624, in numbers that cannot overflow.
    fn equation_3(old: u64, from: u64, to: u64) -> u64 {
        let not = |half: u64| 0xFFFF - half;
        let mut sum = not(old) + not(from >> 16) + not(from & 0xFFFF) + (to >> 16) + (to & 0xFFFF);
        while sum > 0xFFFF {
            sum = (sum >> 16) + (sum & 0xFFFF);
        }
        not(sum)
    }

    #[test]
    fn every_carry_comes_back() {
        // Halves at the edges, where folds carry twice and results are 0.
        let edges = [0u64, 1, 2, 3, 4, 0x7FFF, 0x8000, 0xFFFB, 0xFFFC, 0xFFFD, 0xFFFE, 0xFFFF];
        let sim = Sim::new(&BLOCK).unwrap();
        sim.reset();
        let (decided, action) = (&sim.io.decided, &sim.io.action);
        let mut zeros = 0;
        let mut waiting = std::collections::VecDeque::new();
        let count = edges.len() * edges.len() * edges.len() * edges.len();
        for n in 0..count * 2 {
            let edge = |digit: u32| edges[n / 2 / edges.len().pow(digit) % edges.len()];
            let (old, from, to, udp) = (edge(0), edge(1) << 16 | edge(2), edge(3) << 16 | edge(1), n % 2 == 1);
            sim.poke(decided.place.source, from);
            sim.poke(decided.outside, to);
            sim.poke(decided.place.ipv4_checksum, old);
            sim.poke(decided.place.l4_checksum, old);
            sim.poke(decided.place.udp, udp);
            let new = equation_3(old, from, to);
            zeros += u32::from(new == 0);
            waiting.push_back((new, if udp && new == 0 { 0xFFFF } else { new }));
            sim.step();
            if waiting.len() == LATENCY as usize {
                let (ipv4, l4) = waiting.pop_front().unwrap();
                assert_eq!(sim.peek_u64(action.rewrite.ipv4_checksum), ipv4, "{old:04x} {from:08x} {to:08x}");
                assert_eq!(sim.peek_u64(action.rewrite.l4_checksum), l4, "{old:04x} {from:08x} {to:08x}");
            }
        }
        assert!(zeros > 0);
    }
}
