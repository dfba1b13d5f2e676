//! Typed bundles of signals: one declaration gives ports, field names, widths, simulator handles and docs.
//!
//! A bundle is a struct generic over what stands at its leaves: `Axis<Shape>` holds widths, `Axis<Bits>` signals,
//! `Axis<Value>` values to poke or expect, `Axis<Port>` simulator handles. `#[derive(Bundle)]` writes the conversions.
//!
//! Direction is relative to the bundle's producer: a field goes forward (with the data) unless it is marked
//! `#[flip]`. In the `Io` bundle of a block the block is the producer, so an `#[input]` field (the same as `#[flip]`)
//! turns everything beneath it round, and `#[output]` leaves it.

use crate::{Bits, Value, ir::Dir};

/// Width of a leaf, in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape(pub u32);

/// Where in a bundle a leaf stands.
#[derive(Clone, Debug)]
pub struct Field {
    /// Names from the outermost bundle inwards, joined by `_`; an array's index is appended to its field's name.
    pub name: String,
    /// `Out`: forward, driven by the producer. `In`: flipped.
    pub dir: Dir,
    /// The clock domain named by `#[clock(name)]`; none: the default.
    pub clock: Option<&'static str>,
    /// The field's doc comment.
    pub doc: &'static str,
}

impl Field {
    /// The root: no name yet, forward.
    pub fn root() -> Self {
        Self::named("")
    }

    /// A root that already has a name.
    pub fn named(name: &str) -> Self {
        Field { name: name.into(), dir: Dir::Out, clock: None, doc: "" }
    }

    /// A field inside this one. (Called by derived code.)
    pub fn child(&self, name: &str, flip: bool, clock: Option<&'static str>, doc: &'static str) -> Self {
        Field {
            name: if self.name.is_empty() { name.into() } else { format!("{}_{name}", self.name) },
            dir: if flip { self.dir.flip() } else { self.dir },
            clock: clock.or(self.clock),
            doc: if doc.is_empty() { self.doc } else { doc },
        }
    }

    /// Element `i` of this array field. (Called by derived code.)
    pub fn index(&self, i: usize) -> Self {
        Field { name: format!("{}{i}", self.name), ..self.clone() }
    }
}

/// A bundle with leaves of type `S`. Derived.
pub trait Bundle<S>: Sized {
    /// The same bundle with leaves of another type.
    type With<T>: Bundle<T>;

    /// Makes the same bundle with other leaves, in field order.
    fn map_fields<T>(&self, at: &Field, f: &mut dyn FnMut(&Field, &S) -> T) -> Self::With<T>;

    /// Makes the same bundle with other leaves, in field order.
    fn map<T>(&self, mut f: impl FnMut(&Field, &S) -> T) -> Self::With<T> {
        self.map_fields(&Field::root(), &mut f)
    }

    /// Visits each leaf in field order.
    fn visit(&self, mut f: impl FnMut(&Field, &S)) {
        self.map_fields(&Field::root(), &mut |at, leaf| f(at, leaf));
    }

    /// The leaves in field order.
    fn leaves(&self) -> Vec<(Field, S)>
    where
        S: Clone,
    {
        let mut all = Vec::new();
        self.visit(|at, leaf| all.push((at.clone(), leaf.clone())));
        all
    }
}

/// Place of a field in a packed bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Field name.
    pub name: String,
    /// Lowest bit.
    pub lsb: u32,
    /// Width in bits.
    pub width: u32,
    /// The field's doc comment.
    pub doc: &'static str,
}

/// How [`pack`] lays the bundle out: the first field in the lowest bits.
pub fn layout(shape: &impl Bundle<Shape>) -> Vec<Placed> {
    let mut lsb = 0;
    let place = |(at, s): (Field, Shape)| {
        let placed = Placed { name: at.name, lsb, width: s.0, doc: at.doc };
        lsb += s.0;
        placed
    };
    shape.leaves().into_iter().map(place).collect()
}

/// Total width of a bundle in bits.
pub fn packed_width(shape: &impl Bundle<Shape>) -> u32 {
    shape.leaves().iter().map(|(_, s)| s.0).sum()
}

/// All leaves in one vector, the first field in the lowest bits.
#[track_caller]
pub fn pack(bundle: &impl Bundle<Bits>) -> Bits {
    let mut parts: Vec<Bits> = bundle.leaves().into_iter().map(|(_, b)| b).collect();
    parts.reverse();
    crate::cat(parts)
}

/// The inverse of [`pack`].
#[track_caller]
pub fn unpack<B: Bundle<Shape>>(shape: &B, bits: Bits) -> B::With<Bits> {
    let mut lsb = 0;
    shape.map(|_, s| {
        lsb += s.0;
        bits.slice(lsb - s.0..lsb)
    })
}

/// [`pack`] on values.
pub fn pack_values(bundle: &impl Bundle<Value>) -> Value {
    bundle.leaves().into_iter().fold(Value::zero(0), |low, (_, v)| v.concat(&low))
}

/// [`unpack`] on values.
pub fn unpack_values<B: Bundle<Shape>>(shape: &B, value: &Value) -> B::With<Value> {
    let mut lsb = 0;
    shape.map(|_, s| {
        lsb += s.0;
        value.slice(lsb - s.0, s.0)
    })
}

/// Drives `to` from `from`: forward fields along the arrow, flipped fields against it.
#[track_caller]
pub fn connect<B: Bundle<Bits>>(from: &B, to: &B) {
    let (from, to) = (from.leaves(), to.leaves());
    crate::build::same_fields(&from, &to);
    for ((at, a), (_, b)) in from.into_iter().zip(to) {
        match at.dir {
            Dir::Out => b.set(a),
            Dir::In => a.set(b),
        }
    }
}

/// A register for each leaf, without reset; assign its leaves.
#[track_caller]
pub fn reg_of<B: Bundle<Shape>>(shape: &B) -> B::With<Bits> {
    shape.map(|_, s| crate::reg(s.0))
}

/// A wire for each leaf; assign its leaves.
#[track_caller]
pub fn wire_of<B: Bundle<Shape>>(shape: &B) -> B::With<Bits> {
    shape.map(|_, s| crate::wire(s.0))
}

/// Every leaf delayed by one clock.
#[track_caller]
pub fn delay<B: Bundle<Bits>>(bundle: &B) -> B::With<Bits> {
    bundle.map(|_, b| b.delay())
}

/// Assigns every leaf, whatever its direction: for bundles of plain values such as pipeline stages.
#[track_caller]
pub fn assign<B: Bundle<Bits>>(target: &B, value: &B) {
    for ((_, t), (_, v)) in target.leaves().into_iter().zip(value.leaves()) {
        t.set(v);
    }
}

/// `cond ? t : f`, leaf by leaf.
#[track_caller]
pub fn mux_of<B: Bundle<Bits>>(cond: Bits, t: &B, f: &B) -> B::With<Bits> {
    let mut f = f.leaves().into_iter();
    t.map(|_, t| crate::mux(cond, *t, f.next().expect("bundles of one type have the same leaves").1))
}
