//! Clock domains. Every register belongs to one; a signal that crosses to another must pass a primitive of [`crate::cdc`].

use crate::{Bits, build::with, error::Fault};
use std::panic::Location;

/// Runs `f` with registers, memories and instances going to the domain `name` (ports `NAME_clk`, `NAME_rst`).
pub fn in_domain<R>(name: &str, f: impl FnOnce() -> R) -> R {
    let before = with(|b| {
        let d = b.domain_named(name);
        std::mem::replace(&mut b.domain, d)
    });
    let r = f();
    with(|b| b.domain = before);
    r
}

/// Gives the instances that `f` makes in the domain `name` another reset than the port `NAME_rst`: one that this module
/// makes itself, such as the output of a [`crate::cdc::ResetSync`]. The signal is 1 bit, active high, of that domain.
///
/// # Errors
/// [`Fault::Width`] at elaboration if `reset` is not 1 bit.
#[track_caller]
pub fn with_reset<R>(name: &str, reset: Bits, f: impl FnOnce() -> R) -> R {
    let loc = Location::caller();
    with(|b| {
        let id = b.own(reset, loc);
        if reset.width() != 1 {
            let message = format!("a reset must be 1 bit, not {}", b.describe(id));
            b.error(Fault::Width, loc, message);
        }
        let domain = b.domain_named(name);
        b.resets.push((domain, id));
    });
    let r = f();
    with(|b| b.resets.pop());
    r
}

/// Lets a register's input come from any domain: the flip-flops of a synchroniser, a word that a handshake holds still.
#[track_caller]
pub(crate) fn crossing(r: Bits) -> Bits {
    let loc = Location::caller();
    with(|b| crate::control::reg_info(b, r, loc, |info| info.crossing = true));
    r
}

/// Gives a register an asynchronous active-high reset instead of its domain's.
#[track_caller]
pub(crate) fn async_reset(r: Bits, reset: Bits) {
    let loc = Location::caller();
    with(|b| {
        let id = b.own(reset, loc);
        crate::control::reg_info(b, r, loc, |info| {
            info.async_reset = Some(id);
            info.crossing = true;
        });
    });
}
