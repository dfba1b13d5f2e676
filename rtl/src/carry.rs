//! Values on their way through a pipeline.

use hdl::Bits;

/// `value` after `n` clocks; the registers are called `NAME_after1` and so on.
pub(crate) fn carry(name: &str, value: Bits, n: u32) -> Bits {
    (1..=n).fold(value, |v, i| v.delay().named(&format!("{name}_after{i}")))
}

/// The same of a valid bit, which is 0 under reset.
pub(crate) fn carry_valid(name: &str, value: Bits, n: u32) -> Bits {
    (1..=n).fold(value, |v, i| v.delay_reset(0).named(&format!("{name}_after{i}")))
}
