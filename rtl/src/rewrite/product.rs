//! Multiplies two polynomials modulo that of CRC-32, some bits of one factor a clock.
//!
//! ```text
//!               ┌─────────┐
//!  start, a, b ▶│ product │──▶ result
//!               └─────────┘
//! ```
//! Latency: `clocks` + 1 from `start` to `result`, which stands for one clock. Throughput: a product every `clocks` clocks.
//! It never stalls.
//!
//! Long multiplication, the high digits of `a` first: a sum S becomes S x^w + digit b, w = 32 / `clocks` bits being a digit.
//! What goes beyond x^31 is folded back in the next clock, beside the next digit.
//!
//! 1. `result` = `a` `b` mod P, if `start` does not come again within `clocks` clocks; else it means nothing.

use super::polynomial::{DEGREE, long_product, reduced};
use hdl::*;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Product {
    /// Clocks that a product takes: 1, 2, 4, 8, 16 or 32.
    pub clocks: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct ProductIo<S> {
    /// The factors are there.
    #[input]
    pub start: S,
    /// One factor.
    #[input]
    #[width(32)]
    pub a: S,
    /// The other.
    #[input]
    #[width(32)]
    pub b: S,
    /// Their product.
    #[output]
    #[width(32)]
    pub result: S,
}

impl Product {
    /// Clocks from `start` to `result`.
    pub const fn latency(self) -> u32 {
        self.clocks + 1
    }
}

impl Block for Product {
    type Io<S> = ProductIo<S>;

    fn name(&self) -> String {
        "product".into()
    }

    fn doc(&self) -> String {
        "Multiplies two polynomials modulo that of CRC-32.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("clocks", self.clocks.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        if self.clocks.is_power_of_two() && self.clocks <= DEGREE {
            return Ok(());
        }
        Err(format!("product: clocks = {}: choose 1, 2, 4, 8, 16 or 32", self.clocks))
    }

    fn io(&self) -> ProductIo<Shape> {
        ProductIo::shape()
    }

    #[names]
    fn build(&self, io: &ProductIo<Bits>) {
        let digit_w = DEGREE / self.clocks;
        let multiplicand = io.b.delay_enable(io.start);
        let digits = reg(DEGREE);
        let digit = digits.slice(DEGREE - digit_w..);
        let added = long_product(digit, multiplicand);
        let sum = reg(DEGREE + digit_w);
        io.result.set(reduced(sum));
        if self.clocks == 1 {
            digits.set(io.a);
            sum.set(added.zext(sum.width()));
            return;
        }
        digits.set(mux(io.start, io.a, digits.shl(digit_w)));
        let first = io.start.delay();
        let moved = cat([mux(first, lit(DEGREE, 0), reduced(sum)), lit(digit_w, 0)]);
        sum.set(moved ^ added.zext(sum.width()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::polynomial;
    use hdl::sim::Sim;
    use rand::{RngExt, SeedableRng, rngs::StdRng};
    use std::collections::VecDeque;

    #[test]
    fn products_of_any_digit_width_as_close_as_they_may_come() {
        let mut rng = StdRng::seed_from_u64(1);
        for clocks in [1, 2, 4, 8, 16, 32] {
            let block = Product { clocks };
            let sim = Sim::new(&block).unwrap();
            sim.reset();
            let mut waiting = VecDeque::new();
            let mut wait = 0;
            for now in 0..300 {
                let start = wait == 0;
                sim.poke(sim.io.start, start);
                let (a, b): (u32, u32) = rng.random();
                sim.poke(sim.io.a, u64::from(a));
                sim.poke(sim.io.b, u64::from(b));
                if start {
                    waiting.push_back((now + block.latency(), polynomial::product(a, b)));
                    wait = clocks + rng.random_range(0..4) * rng.random_range(0..2);
                }
                wait -= 1;
                if waiting.front().is_some_and(|(at, _)| *at == now) {
                    let (_, expected) = waiting.pop_front().unwrap();
                    assert_eq!(sim.peek_u64(sim.io.result), u64::from(expected), "{clocks} clocks, at {now}");
                }
                sim.step();
            }
        }
    }

    #[test]
    fn digits_that_do_not_divide_a_factor_are_refused() {
        let error = elaborate(&Product { clocks: 3 }).unwrap_err().to_string();
        assert!(error.contains("clocks = 3: choose 1, 2, 4, 8, 16 or 32"), "{error}");
    }
}
