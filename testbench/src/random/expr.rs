//! Random expressions: for a wanted width, an operation that gives it.

use super::{ast::*, build::random_value};
use em_sim::Rng;
use hdl::Value;

/// Widths at the borders of machine words and of buses.
pub const BORDERS: &[u32] = &[1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 511, 512, 513, 600];
/// The widest signal.
pub const MAX_WIDTH: u32 = 600;

/// A width of 1 to 600 bits; small ones and borders more often.
pub fn random_width(rng: &mut Rng) -> u32 {
    match rng.below(10) {
        0..3 => 1 + rng.below(4) as u32,
        3..6 => 1 + rng.below(40) as u32,
        6..9 => BORDERS[rng.below(BORDERS.len() as u64) as usize],
        _ => 1 + rng.below(u64::from(MAX_WIDTH)) as u32,
    }
}

/// Random, or one of the values that arithmetic goes wrong at.
pub fn corner_value(rng: &mut Rng, width: u32) -> Value {
    let mut v = match rng.below(8) {
        0 => Value::zero(width),
        1 => Value::ones(width),
        2 => Value::ones(width).sub(&Value::new(width, 1)),
        3 => Value::new(width, u128::from(rng.below(12))),
        4 => Value::ones(width).not().add(&Value::new(width, 1)),
        _ => return random_value(rng, width),
    };
    if rng.percent(30) {
        let on = !v.bit(width - 1);
        v.set_bit(width - 1, on);
    }
    v
}

/// What expressions may read, and how they are made.
#[derive(Clone, Default)]
pub struct Scope {
    /// Signals and their widths.
    pub signals: Vec<(Src, u32)>,
    /// State registers: item and number of variants.
    pub states: Vec<(usize, usize)>,
    /// May [`Expr::Param`] occur?
    pub param: bool,
}

impl Scope {
    /// An expression of `width` bits with at most `depth` levels of operations.
    pub fn expr(&self, rng: &mut Rng, width: u32, depth: u32) -> Expr {
        if depth == 0 || rng.percent(6) {
            return self.leaf(rng, width);
        }
        let d = depth - 1;
        if width == 1 && rng.percent(75) {
            return self.one_bit(rng, d);
        }
        for _ in 0..8 {
            if let Some(e) = self.operation(rng, width, d) {
                return e;
            }
        }
        self.leaf(rng, width)
    }

    /// A one-bit expression that is no constant.
    pub fn condition(&self, rng: &mut Rng, depth: u32) -> Expr {
        self.one_bit(rng, depth)
    }

    fn leaf(&self, rng: &mut Rng, width: u32) -> Expr {
        if rng.percent(14) {
            return if self.param && rng.percent(40) {
                Expr::Param(width)
            } else {
                Expr::Const(corner_value(rng, width))
            };
        }
        let same: Vec<_> = self.signals.iter().filter(|(_, w)| *w == width).collect();
        if !same.is_empty() && rng.percent(80) {
            let (src, w) = same[rng.below(same.len() as u64) as usize];
            return Expr::Read(*src, *w);
        }
        let Some((src, w)) = self.signals.get(rng.below(self.signals.len() as u64) as usize) else {
            return Expr::Const(corner_value(rng, width));
        };
        let read = Expr::Read(*src, *w);
        match *w {
            w if w == width => read,
            w if w > width => Expr::Un(Un::Slice(rng.below(u64::from(w - width + 1)) as u32, width), Box::new(read)),
            _ if rng.percent(50) => Expr::Un(Un::Sext(width), Box::new(read)),
            _ => Expr::Un(Un::Zext(width), Box::new(read)),
        }
    }

    /// A signal's width, or any.
    fn some_width(&self, rng: &mut Rng, max: u32) -> u32 {
        let w = match self.signals.get(rng.below(2 * self.signals.len() as u64) as usize) {
            Some((_, w)) => *w,
            None => random_width(rng),
        };
        if w <= max { w } else { 1 + rng.below(u64::from(max)) as u32 }
    }

    fn one_bit(&self, rng: &mut Rng, d: u32) -> Expr {
        use Bin::*;
        if !self.states.is_empty() && rng.percent(15) {
            let (item, n) = self.states[rng.below(self.states.len() as u64) as usize];
            return Expr::Is(item, rng.below(n as u64) as usize);
        }
        let w = self.some_width(rng, MAX_WIDTH);
        if rng.percent(30) {
            let op = [Un::All, Un::Any, Un::Parity, Un::Negative][rng.below(4) as usize];
            return Expr::Un(op, Box::new(self.expr(rng, w, d)));
        }
        let op = [Eq, Ne, Lt, Ge, Gt, Le, SLt, SGe][rng.below(8) as usize];
        self.two(rng, op, w, w, d)
    }

    fn one(&self, rng: &mut Rng, op: Un, width: u32, d: u32) -> Option<Expr> {
        Some(Expr::Un(op, Box::new(self.expr(rng, width, d))))
    }

    fn two(&self, rng: &mut Rng, op: Bin, a: u32, b: u32, d: u32) -> Expr {
        let (a, b) = (self.expr(rng, a, d), self.expr(rng, b, d));
        Expr::Bin(op, Box::new(a), Box::new(b))
    }

    fn operation(&self, rng: &mut Rng, w: u32, d: u32) -> Option<Expr> {
        use Bin::*;
        let below = |rng: &mut Rng, n: u32| rng.below(u64::from(n)) as u32;
        match rng.below(30) {
            0 => self.one(rng, Un::Not, w, d),
            n @ 1..=5 => Some(self.two(rng, [And, Or, Xor, Add, Sub][n as usize - 1], w, w, d)),
            6 | 7 => {
                let c = self.condition(rng, d);
                let (t, f) = (self.expr(rng, w, d), self.expr(rng, w, d));
                Some(Expr::Mux(Box::new(c), Box::new(t), Box::new(f)))
            }
            8 | 9 => {
                let index_width = 1 + below(rng, 4);
                let most = 1 << index_width.min(3);
                let options = (0..2 + below(rng, most - 1)).map(|_| self.expr(rng, w, d.min(1))).collect();
                Some(Expr::Select(Box::new(self.expr(rng, index_width, d)), options))
            }
            10..=12 => {
                let amount = if rng.percent(10) { random_width(rng) } else { 1 + below(rng, 11) };
                let op = [ShlBy, ShrBy, SarBy][rng.below(3) as usize];
                Some(self.two(rng, op, w, amount, d))
            }
            13 => {
                let n = below(rng, w);
                let op = [Un::Shl(n), Un::Shr(n), Un::Sar(n)][rng.below(3) as usize];
                self.one(rng, op, w, d)
            }
            14 | 15 if w < MAX_WIDTH => {
                let more = below(rng, (MAX_WIDTH - w).min(70)) + 1;
                let lo = if rng.percent(50) { 0 } else { below(rng, more + 1) };
                self.one(rng, Un::Slice(lo, w), w + more, d)
            }
            16..=18 if w >= 2 => {
                let mut parts = Vec::new();
                let mut left = w;
                while left > 0 {
                    let part = if parts.len() == 3 { left } else { 1 + below(rng, left) };
                    parts.push(self.expr(rng, part, d));
                    left -= part;
                }
                Some(Expr::Cat(parts))
            }
            19 if w >= 2 => {
                let n = (2..=w.min(64)).filter(|n| w.is_multiple_of(*n)).nth(below(rng, 3) as usize)?;
                self.one(rng, Un::Repeat(n), w / n, d)
            }
            20 | 21 if w >= 2 => {
                let from = self.some_width(rng, w - 1);
                let op = if rng.percent(50) { Un::Sext(w) } else { Un::Zext(w) };
                self.one(rng, op, from, d)
            }
            22..=24 if w >= 2 => {
                let op = [GrowAdd, GrowSub, SGrowAdd, SGrowSub][rng.below(4) as usize];
                Some(self.two(rng, op, w - 1, w - 1, d))
            }
            25 | 26 if w >= 2 && (w <= 140 || rng.percent(15)) => {
                let a = 1 + below(rng, w - 1);
                let op = if rng.percent(50) { Mul } else { SMul };
                Some(self.two(rng, op, a, w - a, d))
            }
            27 if w.is_multiple_of(8) => self.one(rng, Un::SwapBytes, w, d),
            28 => self.one(rng, Un::Abs, w, d),
            _ => None,
        }
    }
}
