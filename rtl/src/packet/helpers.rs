//! Small helpers of the stages.

use crate::outcome::Outcome;
use hdl::{Bits, Bundle, cat, mux, reg};

/// Half-word `i` of a beat or word, in network order.
pub fn half(data: Bits, i: u32) -> Bits {
    cat([data.byte(2 * i), data.byte(2 * i + 1)])
}

/// Number of the last valid lane of a beat; `others` is its `tkeep` without lane 0, which every beat has. As valid lanes
/// are contiguous, bit `b` of the number is the parity of the valid ones among lanes 2^b, 2 2^b, 3 2^b, …
pub fn last_lane(others: Bits) -> Bits {
    let lanes = others.width() + 1;
    let bit = |b: u32| cat((1..lanes >> b).rev().map(|i| others.bit((i << b) - 1))).parity();
    cat((0..hdl::clog2(u64::from(lanes))).rev().map(bit))
}

/// A bundle `n` clocks later. Leaves called `valid` are reset to 0, the others are not reset. Registers are named after
/// the bundle and the stage.
#[track_caller]
pub fn later<B: Bundle<Bits, With<Bits> = B> + Clone>(name: &str, bundle: &B, n: u32) -> B {
    let mut now = bundle.clone();
    for stage in 1..=n {
        now = now.map(|at, b| {
            let r = if at.name == "valid" { reg(b.width()).reset(0) } else { reg(b.width()) };
            r.set(*b);
            r.named(&format!("{name}{stage}_{}", at.name))
        });
    }
    now
}

/// A constant [`Outcome`].
pub fn outcome(o: Outcome) -> Bits {
    hdl::lit(Outcome::WIDTH, u128::from(o.code()))
}

/// The first outcome whose condition holds, else `otherwise`.
pub fn first_of(choices: &[(Bits, Outcome)], otherwise: Bits) -> Bits {
    choices.iter().rev().fold(otherwise, |rest, (cond, o)| mux(*cond, outcome(*o), rest))
}

/// A bundle `n` clocks later, 2 to 16, through distributed RAM instead of `n` registers a bit; without reset. Worth it for
/// wide bundles and many clocks.
#[track_caller]
pub fn delay_line<B: Bundle<Bits, With<Bits> = B> + Clone>(name: &str, bundle: &B, n: u32) -> B {
    assert!((2..=16).contains(&n), "a delay line of {n} clocks");
    let word = hdl::pack(bundle);
    let place = reg(4).reset(0).named(&format!("{name}_place"));
    place.set(place + 1);
    let line = hdl::memory::distributed(16, word.width()).simple();
    line.write(hdl::lit(1, 1), place, word);
    let delayed = line.read(hdl::lit(1, 1), place - u64::from(n - 1)).delay().named(&format!("{name}_line"));
    let mut lsb = 0;
    bundle.map(|_, field| {
        let bits = delayed.slice(lsb..lsb + field.width());
        lsb += field.width();
        bits
    })
}
