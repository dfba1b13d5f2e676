//! Computes what a new address changes the invariant CRC of RoCEv2 by (IBTA volume 1, annex A17.3.3).
//!
//! ```text
//!                 ┌─────────┐
//!  start, address │  power  │ C ┌──────────────┐
//!  total_words ──▶│  ROMs,  │──▶│   product    │──▶ difference
//!                 │ product │   │   D times C  │
//!                 └─────────┘   └──────────────┘
//!  new_address ────────────────────▲
//! ```
//! The ICRC is a CRC-32 over a datagram that ends in it. A CRC is linear: with D the old address XOR the new one, and n
//! bytes between the address and the ICRC, the new ICRC is the old one XOR D x^(8 n + 32) mod P, whatever else the datagram
//! holds. (The checksums, the time to live and the type of service, which change too, are not in an ICRC.) A wrong ICRC
//! stays wrong. As n is a multiple of four, the total length in words gives C = x^(8 n + 32): up to 511 words from one ROM,
//! beyond that as the product of two.
//!
//! Latency: [`Icrc::latency`] clocks from `start` to `difference`, which stands for one clock; `new_address` comes
//! `answer_after` clocks after `start`. Throughput: a frame every [`interval`](Icrc::interval) clocks, which is as often as
//! frames of [`LEAST_FRAME`] bytes can come. It never stalls; shorter frames must not start it.
//!
//! 1. Starts stand [`interval`](Icrc::interval) clocks apart or more.
//! 2. `difference` is right for every datagram of a whole number of words, 44 bytes or more. The frame's other properties
//!    are judged elsewhere.
//!
//! # Area and clock
//!
//! After routing, alone in a frame of registers, by nextpnr-ecp5 0.11.1, yosys 0.70; MHz: worst, median and best of three seeds.
//! `em timing record NAME` measures and writes this, `em timing check NAME` compares.
//!
//! | name | part | LUTs | FFs | EBR | MHz | target |
//! |---|---|---|---|---|---|---|
//! | `ecp5/rx_icrc` | LFE5UM5G-45F-8 | 697 | 369 | 2 | 188 / 212 / 235 | 162.5 |
//! | `ecp5/tx_icrc` | LFE5UM5G-45F-8 | 697 | 369 | 2 | 188 / 212 / 235 | 162.5 |

use super::{
    polynomial::{power, reflected},
    product::Product,
};
use crate::packet::{Direction, Size, number::LEAST_ROCE};
use hdl::*;

/// Bytes of the shortest frame with an ICRC: headers of Ethernet and IPv4, and what RoCEv2 takes at least.
pub const LEAST_FRAME: u32 = 14 + 20 + LEAST_ROCE;

/// Bits of the number of words that one block RAM's ROM takes.
const ROM_W: u32 = 9;

/// Clocks from a ROM's address to its word: the block RAM and its output register.
const ROM_LATENCY: u32 = 2;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Icrc {
    /// Sizes of the path.
    pub size: Size,
    /// Which way the path goes.
    pub direction: Direction,
    /// Clocks from `start` to the new address.
    pub answer_after: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size)]
pub struct IcrcIo<S> {
    /// The headers of a frame that may have an ICRC are there.
    #[input]
    pub start: S,
    /// The address that is translated.
    #[input]
    #[width(32)]
    pub address: S,
    /// IPv4 total length in words.
    #[input]
    #[width(size.icrc_w)]
    pub total_words: S,
    /// The address it is translated to.
    #[input]
    #[width(32)]
    pub new_address: S,
    /// What changes in the ICRC, in network order.
    #[output]
    #[width(32)]
    pub difference: S,
}

impl Icrc {
    /// Clocks that frames with an ICRC are apart at least.
    pub const fn interval(size: Size) -> u32 {
        LEAST_FRAME.div_ceil(size.lanes())
    }

    /// Clocks from `start` to `difference`.
    pub fn latency(self) -> u32 {
        self.answer_after + self.multiplier().latency() + 1
    }

    /// Multiplies D by C.
    fn multiplier(self) -> Product {
        Product { clocks: Self::interval(self.size) }
    }

    /// Makes C of two factors, in time for the answer.
    fn power_multiplier(self) -> Product {
        let at_most = self.answer_after.saturating_sub(ROM_LATENCY + 1).max(1);
        Product { clocks: Self::interval(self.size).min(1 << at_most.ilog2()) }
    }

    /// One ROM has every C.
    const fn has_one_rom(self) -> bool {
        self.size.icrc_w <= ROM_W
    }

    /// Clocks from `start` to C.
    fn power_after(self) -> u32 {
        ROM_LATENCY + if self.has_one_rom() { 0 } else { self.power_multiplier().latency() }
    }

    /// `x^(8 n + 32)` for this many words of total length, where it makes sense: the address ends after 16 (out) or 20
    /// (in) bytes, and the ICRC takes four.
    fn power_of(self, words: i64) -> Value {
        let before_icrc = i64::from(self.direction.address_at() + 4) / 4 + 1;
        Value::new(32, u128::from(power(32 * (words - before_icrc + 1))))
    }

    /// C, [`power_after`](Self::power_after) clocks after the start.
    #[names]
    fn power(self, io: &IcrcIo<Bits>, started: Bits) -> Bits {
        let low_w = self.size.icrc_w.min(ROM_W);
        let words = (0..1 << low_w).map(|words| self.power_of(words));
        let by_low = memory::rom(1 << low_w, words.collect()).latency(ROM_LATENCY).read_only();
        by_low.re.set(io.start);
        by_low.raddr.set(io.total_words.trunc(low_w));
        if self.has_one_rom() {
            return by_low.rdata;
        }
        let high = io.total_words.slice(low_w..);
        let powers: Vec<Bits> =
            (0..1i64 << high.width()).map(|h| lit(32, u128::from(power(h << (low_w + 5))))).collect();
        let by_high = select(high, &powers).delay_enable(io.start).delay();
        let powers = instance(&self.power_multiplier());
        powers.start.set(started);
        powers.a.set(by_high);
        powers.b.set(by_low.rdata);
        powers.result
    }
}

/// `value`, which stands `from` clocks after a start, kept until `to` clocks after it, though it may change before.
/// Element `n` of `started` is `start` `n` clocks ago; starts stand `interval` clocks apart.
fn held(name: &str, value: Bits, started: &[Bits], from: u32, to: u32, interval: u32) -> Bits {
    let catches = (from..to).step_by(interval as usize).enumerate();
    catches
        .fold(value, |value, (n, clock)| value.delay_enable(started[clock as usize]).named(&format!("{name}_kept{n}")))
}

impl Block for Icrc {
    type Io<S> = IcrcIo<S>;

    fn name(&self) -> String {
        format!("{}_icrc", self.direction.name())
    }

    fn doc(&self) -> String {
        "Computes what a new address changes the invariant CRC of RoCEv2 by.".into()
    }

    fn check(&self) -> Result<(), String> {
        if self.size.icrc_w == 0 || self.answer_after < ROM_LATENCY + 2 {
            let (width, clocks) = (self.size.icrc_w, self.answer_after);
            return Err(format!("icrc: icrc_w = {width}, answer_after = {clocks}: at least 1 and 4."));
        }
        self.size.check("icrc")
    }

    fn io(&self) -> IcrcIo<Shape> {
        IcrcIo::shape(self.size)
    }

    #[names]
    fn build(&self, io: &IcrcIo<Bits>) {
        let interval = Self::interval(self.size);
        let mut started = vec![io.start];
        for n in 1..=self.answer_after {
            let before = started[n as usize - 1];
            started.push(before.delay_reset(0).named(&format!("started{n}")));
        }

        // C, by the total length.
        let by_length = self.power(io, started[ROM_LATENCY as usize]);

        // D times C.
        let old = held("address", io.address, &started, 0, self.answer_after, interval);
        let power = held("power", by_length, &started, self.power_after(), self.answer_after, interval);
        let product = instance(&self.multiplier());
        product.start.set(started[self.answer_after as usize]);
        product.a.set(reflected(old ^ io.new_address));
        product.b.set(power);
        io.difference.registered().set(reflected(product.result));

        let early = started[1..interval as usize].iter().fold(lit(1, 0), |any, one| any | *one);
        assert_that("spaced", "1: starts stand an interval apart", !(io.start & early));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdl::sim::Sim;
    use rand::{RngExt, SeedableRng, rngs::StdRng};
    use std::collections::VecDeque;

    /// CRC-32 by its definition: the message times x^32, its first 32 bits complemented, divided by the polynomial; the
    /// remainder complemented. Bytes go low bit first, and so do those of the result.
    fn crc32(message: &[u8]) -> [u8; 4] {
        let bits = message.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1));
        let mut dividend: Vec<bool> = bits.chain([false; 32]).collect();
        dividend[..32].iter_mut().for_each(|bit| *bit = !*bit);
        let divisor: Vec<bool> = (0..33).rev().map(|i| 0x1_04C1_1DB7u64 >> i & 1 == 1).collect();
        for at in 0..dividend.len() - 32 {
            if dividend[at] {
                dividend[at..].iter_mut().zip(&divisor).for_each(|(bit, d)| *bit ^= d);
            }
        }
        let remainder = &dividend[dividend.len() - 32..];
        let byte = |n: usize| (0..8).fold(0, |byte, i| byte | u8::from(!remainder[8 * n + i]) << i);
        std::array::from_fn(byte)
    }

    /// The ICRC of a datagram whose last four bytes are its place (annex A17.3.3): 8 bytes of ones stand before it; type of
    /// service, time to live, header checksum, UDP checksum and the reserved byte of the base transport header are ones.
    fn icrc(datagram: &[u8]) -> [u8; 4] {
        let header = 4 * usize::from(datagram[0] & 15);
        let mut covered = datagram[..datagram.len() - 4].to_vec();
        for at in [1, 8, 10, 11, header + 6, header + 7, header + 8 + 4] {
            covered[at] = 0xFF;
        }
        crc32(&[vec![0xFF; 8], covered].concat())
    }

    /// A random datagram of so many words with another address in it: the old address, the new one, and the ICRCs' XOR.
    fn translated(rng: &mut StdRng, words: u32, address_at: usize) -> (u32, u32, u32) {
        let mut datagram = vec![0; 4 * words as usize];
        rng.fill(&mut datagram[..]);
        let options = if words > 21 { rng.random_range(0..11) } else { words - 11 };
        datagram[0] = 0x45 + options.min(10) as u8;
        let before = icrc(&datagram);
        let address = |d: &[u8]| u32::from_be_bytes(d[address_at..address_at + 4].try_into().unwrap());
        let old = address(&datagram);
        datagram[address_at..address_at + 4].copy_from_slice(&rng.random::<[u8; 4]>());
        // What may change on the way.
        datagram[8] = rng.random();
        let after = icrc(&datagram);
        (old, address(&datagram), u32::from_be_bytes(before) ^ u32::from_be_bytes(after))
    }

    fn check(data_w: u32, icrc_w: u32, direction: Direction) {
        let block = Icrc { size: Size { data_w, beats_w: 10, icrc_w }, direction, answer_after: 7 };
        let sim = Sim::new(&block).unwrap();
        sim.reset();
        let mut rng = StdRng::seed_from_u64(u64::from(data_w + icrc_w));
        let (mut answers, mut expected) = (VecDeque::new(), VecDeque::new());
        let mut wait = 0;
        let most = (1 << icrc_w) - 1;
        for now in 0..1000 {
            let start = wait == 0;
            sim.poke(sim.io.start, start);
            let words = match rng.random_range(0..24) {
                0 => most - rng.random_range(0..4),
                1 => rng.random_range(11..=most),
                _ => rng.random_range(11..51),
            };
            sim.poke(sim.io.total_words, u64::from(words));
            sim.poke(sim.io.address, u64::from(rng.random::<u32>()));
            sim.poke(sim.io.new_address, u64::from(rng.random::<u32>()));
            if start {
                let (old, new, difference) = translated(&mut rng, words, direction.address_at() as usize);
                sim.poke(sim.io.address, u64::from(old));
                answers.push_back((now + block.answer_after, new));
                expected.push_back((now + block.latency(), difference, words));
                wait = Icrc::interval(block.size) + rng.random_range(0..5) * rng.random_range(0..2);
            }
            wait -= 1;
            if answers.front().is_some_and(|(at, _)| *at == now) {
                sim.poke(sim.io.new_address, u64::from(answers.pop_front().unwrap().1));
            }
            if expected.front().is_some_and(|(at, ..)| *at == now) {
                let (_, difference, words) = expected.pop_front().unwrap();
                let got = sim.peek_u64(sim.io.difference);
                assert_eq!(got, u64::from(difference), "{data_w} bits, {direction:?}, {words} words, at {now}");
            }
            sim.step();
        }
    }

    #[test]
    fn the_difference_is_that_of_the_icrcs_of_the_datagrams() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926u32.to_le_bytes());
        for (data_w, icrc_w) in [(64, 9), (64, 12), (128, 12), (256, 12), (512, 9), (512, 12)] {
            for direction in [Direction::Tx, Direction::Rx] {
                check(data_w, icrc_w, direction);
            }
        }
    }
}
