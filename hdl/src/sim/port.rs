//! Handles of ports and signals, and what can be poked into them.

use super::Dir;
use crate::{Bundle, Value, bundle::Field};

/// Handle of a port of the top, or of a signal found by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Port {
    /// Number in the simulator's list of handles.
    pub(super) index: u32,
    pub(super) place: u32,
    pub(super) width: u32,
    pub(super) kind: PortKind,
}

/// Where a handle's value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PortKind {
    /// Driven by pokes.
    Input,
    /// A register or memory output, valid without evaluation.
    Held,
    /// Combinational.
    Settled,
    /// Combinational, computed only to be looked at.
    Watched,
}

impl Port {
    /// Width in bits.
    pub fn width(self) -> u32 {
        self.width
    }

    /// Is it driven by pokes?
    pub fn is_input(self) -> bool {
        self.kind == PortKind::Input
    }
}

/// What can be poked: a [`Value`] of the port's width, an integer or a bool that fits in it.
pub trait PokeValue {
    /// Its words, if it fits in `width` bits.
    fn with_words<R>(&self, width: u32, f: impl FnOnce(&[u64]) -> R) -> Option<R>;

    /// For messages.
    fn text(&self) -> String;
}

impl PokeValue for u64 {
    fn with_words<R>(&self, width: u32, f: impl FnOnce(&[u64]) -> R) -> Option<R> {
        (width >= 64 || self >> width == 0).then(|| f(&[*self]))
    }

    fn text(&self) -> String {
        format!("the integer {self:#x}")
    }
}

impl PokeValue for bool {
    fn with_words<R>(&self, width: u32, f: impl FnOnce(&[u64]) -> R) -> Option<R> {
        (width == 1).then(|| f(&[u64::from(*self)]))
    }

    fn text(&self) -> String {
        format!("the bool {self}")
    }
}

impl PokeValue for Value {
    fn with_words<R>(&self, width: u32, f: impl FnOnce(&[u64]) -> R) -> Option<R> {
        (width == self.width()).then(|| f(self.words()))
    }

    fn text(&self) -> String {
        format!("the value {self}")
    }
}

impl<T: PokeValue> PokeValue for &T {
    fn with_words<R>(&self, width: u32, f: impl FnOnce(&[u64]) -> R) -> Option<R> {
        (**self).with_words(width, f)
    }

    fn text(&self) -> String {
        (**self).text()
    }
}

/// A bundle whose fields are known by name only.
#[derive(Clone, Debug)]
pub struct Ports<S>(pub Vec<(Field, S)>);

impl<S> Bundle<S> for Ports<S> {
    type With<T> = Ports<T>;

    fn map_fields<T>(&self, at: &Field, f: &mut dyn FnMut(&Field, &S) -> T) -> Ports<T> {
        let one = |(field, leaf): &(Field, S)| {
            let field = at.child(&field.name, field.dir == Dir::In, field.clock, field.doc);
            let new = f(&field, leaf);
            (field, new)
        };
        Ports(self.0.iter().map(one).collect())
    }
}
