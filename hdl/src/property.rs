//! Properties: what must hold, what is taken for granted, what must be reachable. Looked at on every clock edge of the
//! present domain out of reset; checked by the native simulator, emitted for Verilator and for formal proof.

use crate::{Bits, build::with, error::Fault, ir::*};
use std::panic::Location;

/// `cond` (1 bit) must hold; `message` is the sentence of the contract it breaks otherwise.
#[track_caller]
pub fn assert_that(name: &str, message: &str, cond: Bits) {
    add(PropKind::Assert, name, message, cond);
}

/// `cond` (1 bit) is taken for granted about the inputs; simulators check it like an assertion.
#[track_caller]
pub fn assume_that(name: &str, message: &str, cond: Bits) {
    add(PropKind::Assume, name, message, cond);
}

/// `cond` (1 bit) must be reachable.
#[track_caller]
pub fn cover_that(name: &str, message: &str, cond: Bits) {
    add(PropKind::Cover, name, message, cond);
}

#[track_caller]
fn add(kind: PropKind, name: &str, message: &str, cond: Bits) {
    let loc = Location::caller();
    with(|b| {
        let id = b.own(cond, loc);
        if cond.width != 1 {
            let text = format!("a property must be 1 bit, not {}", b.describe(id));
            b.error(Fault::Width, loc, text);
        }
        if b.module.props.iter().any(|p| p.name == name) {
            b.error(Fault::Name, loc, format!("there are two properties called `{name}`"));
        }
        let domain = b.domain;
        b.module.props.push(Prop { kind, name: name.into(), message: message.into(), cond: id, domain, loc });
    });
}
