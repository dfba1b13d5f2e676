//! `#[derive(Bundle)]`, `#[derive(Encode)]` and `#[names]`.

use hdl::{bundle::*, ir::*, sim::Sim, *};
use std::collections::BTreeSet;

/// A word and whether it counts.
#[derive(Bundle, Clone, Debug, PartialEq)]
#[bundle(w: u32)]
struct Word<S> {
    /// The bits.
    #[width(w)]
    bits: S,
    /// They count.
    valid: S,
    /// They were taken.
    #[flip]
    ready: S,
}

/// No parameters: nested without `#[shape]`.
#[derive(Bundle, Clone, Debug, PartialEq)]
struct Flag<S> {
    on: S,
}

/// Everything that a bundle may hold.
#[derive(Bundle, Clone, Debug, PartialEq)]
#[bundle(w: u32, n: usize, extra: bool)]
struct All<S> {
    /// Into the block, turned round.
    #[input]
    #[shape(Word::shape(w))]
    source: Word<S>,
    #[output]
    #[count(n)]
    #[shape(Word::shape(2 * w))]
    #[clock(far)]
    sinks: Vec<Word<S>>,
    #[input]
    #[width(3)]
    pair: [S; 2],
    #[output]
    #[present(extra)]
    #[width(w + 1)]
    /// Only
    /// sometimes.
    maybe: Option<S>,
    #[output]
    flag: Flag<S>,
    #[input]
    #[count(2)]
    #[width(4)]
    #[clock(async)]
    grid: Vec<[S; 2]>,
    #[output]
    r#type: S,
}

#[test]
fn fields_have_names_directions_clocks_and_docs() {
    let told: Vec<String> = All::shape(8, 2, true)
        .leaves()
        .into_iter()
        .map(|(f, s)| format!("{} {:?} {} {} {}", f.name, f.dir, s.0, f.clock.unwrap_or("-"), f.doc))
        .collect();
    assert_eq!(
        told,
        [
            "source_bits In 8 - The bits.",
            "source_valid In 1 - They count.",
            "source_ready Out 1 - They were taken.",
            "sinks0_bits Out 16 far The bits.",
            "sinks0_valid Out 1 far They count.",
            "sinks0_ready In 1 far They were taken.",
            "sinks1_bits Out 16 far The bits.",
            "sinks1_valid Out 1 far They count.",
            "sinks1_ready In 1 far They were taken.",
            "pair0 In 3 - ",
            "pair1 In 3 - ",
            "maybe Out 9 - Only sometimes.",
            "flag_on Out 1 - ",
            "grid00 In 4 async ",
            "grid01 In 4 async ",
            "grid10 In 4 async ",
            "grid11 In 4 async ",
            "type Out 1 - ",
        ]
    );
    assert_eq!(All::shape(8, 0, false).leaves().len(), 3 + 2 + 1 + 4 + 1);
}

#[test]
fn values_pack_as_the_layout_says_and_come_back() {
    let shape = All::shape(8, 2, true);
    let places = layout(&shape);
    assert_eq!(places.iter().map(|p| p.width).sum::<u32>(), packed_width(&shape));
    assert!(places.windows(2).all(|p| p[0].lsb + p[0].width == p[1].lsb));
    assert_eq!((places[0].lsb, places[3].name.as_str(), places[3].lsb), (0, "sinks0_bits", 10));
    let mut n = 0u128;
    let values = shape.map(|_, s| {
        n = n.wrapping_mul(0x9e37_79b9).wrapping_add(0x1234_5677);
        Value::new(s.0, n >> 3)
    });
    let packed = pack_values(&values);
    assert_eq!(packed.width(), packed_width(&shape));
    for (place, (_, v)) in places.iter().zip(values.leaves()) {
        assert_eq!(packed.slice(place.lsb, place.width), v, "{}", place.name);
    }
    assert_eq!(unpack_values(&shape, &packed), values);
}

/// A header, as a pipeline would carry it.
#[derive(Bundle, Clone, Debug, PartialEq)]
struct Header<S> {
    #[width(5)]
    kind: S,
    #[width(12)]
    length: S,
    #[shape(Word::shape(70))]
    body: Word<S>,
}

#[derive(Bundle, Clone)]
struct CarryIo<S> {
    #[input]
    from: Header<S>,
    #[input]
    pick: S,
    #[output]
    to: Header<S>,
    #[output]
    #[width(89)]
    flat: S,
}

/// Packs, registers, unpacks; `ready` goes the other way and is carried like a value by none of them.
struct Carry;

impl Block for Carry {
    type Io<S> = CarryIo<S>;

    fn name(&self) -> String {
        "carry".into()
    }

    fn io(&self) -> CarryIo<Shape> {
        CarryIo::shape()
    }

    #[names]
    fn build(&self, io: &CarryIo<Bits>) {
        let flat = pack(&io.from);
        let back = unpack(&self.io().from, flat);
        let held = reg_of(&self.io().from);
        let chosen = mux_of(io.pick, &back, &held);
        assign(&held, &chosen);
        io.from.body.ready.set(io.to.body.ready);
        io.to.kind.set(held.kind);
        io.to.length.set(held.length);
        io.to.body.bits.set(held.body.bits);
        io.to.body.valid.set(held.body.valid);
        held.body.ready.ignore();
        io.flat.set(flat);
    }
}

#[test]
fn signals_pack_and_unpack_like_values() {
    let sim = Sim::new(&Carry).unwrap();
    let from = Header {
        kind: Value::new(5, 0x15),
        length: Value::new(12, 0xabc),
        body: Word { bits: Value::new(70, 0x2a_dead_beef_0123_4567), valid: Value::new(1, 1), ready: Value::new(1, 0) },
    };
    sim.poke(sim.io.pick, true);
    sim.poke_all(&sim.io.from, &from);
    sim.poke(sim.io.to.body.ready, true);
    let expected = Header { body: Word { ready: Value::new(1, 1), ..from.body.clone() }, ..from.clone() };
    assert_eq!(sim.peek(sim.io.flat), pack_values(&expected), "`ready` is packed as it is driven");
    sim.step();
    sim.poke(sim.io.pick, false);
    sim.poke_all(&sim.io.from, &from.map(|_, v| v.not()));
    sim.step();
    assert_eq!(sim.peek_all(&sim.io.to), expected);
}

/// A chain of `connect`s.
struct Pass;

#[derive(Bundle, Clone)]
struct PassIo<S> {
    #[input]
    #[shape(Word::shape(4))]
    s: Word<S>,
    #[output]
    #[shape(Word::shape(4))]
    m: Word<S>,
}

impl Block for Pass {
    type Io<S> = PassIo<S>;

    fn name(&self) -> String {
        "pass".into()
    }

    fn io(&self) -> PassIo<Shape> {
        PassIo::shape()
    }

    fn build(&self, io: &PassIo<Bits>) {
        let between = wire_of(&Word::shape(4)).give("between");
        connect(&io.s, &between);
        connect(&between, &io.m);
    }
}

/// Names a bundle without `#[names]`.
trait Give: Nameable + Sized {
    fn give(self, name: &str) -> Self {
        self.give_name(name);
        self
    }
}
impl<T: Nameable> Give for T {}

#[test]
fn connect_follows_each_fields_direction() {
    let sim = Sim::new(&Pass).unwrap();
    for x in 0..64 {
        sim.poke(sim.io.s.bits, x & 15);
        sim.poke(sim.io.s.valid, x >> 4 & 1);
        sim.poke(sim.io.m.ready, x >> 5);
        let got = [sim.io.m.bits, sim.io.m.valid, sim.io.s.ready].map(|p| sim.peek_u64(p));
        assert_eq!(got, [x & 15, x >> 4 & 1, x >> 5]);
    }
    let design = elaborate(&Pass).unwrap();
    let names: Vec<&str> = design.top().sigs.iter().map(|s| s.name.as_str()).collect();
    assert!(["between_bits", "between_valid", "between_ready"].iter().all(|n| names.contains(n)), "{names:?}");
}

#[derive(Encode, Clone, Copy, PartialEq, Debug)]
enum Colour {
    Red,
    Green,
    DarkBlue,
}

#[derive(Encode, Clone, Copy, PartialEq, Debug)]
enum Only {
    One,
}

#[test]
fn states_are_numbered_in_order() {
    assert_eq!(Colour::NAME, "Colour");
    assert_eq!(Colour::VARIANTS, [("Red", Colour::Red), ("Green", Colour::Green), ("DarkBlue", Colour::DarkBlue)]);
    assert_eq!(Colour::VARIANTS.iter().map(|(_, v)| v.encoded()).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!((Colour::width(), Only::width(), Only::One.encoded()), (2, 1, 0));
}

struct Named;

#[derive(Bundle, Clone)]
struct NamedIo<S> {
    #[input]
    #[width(4)]
    a: S,
    #[input]
    #[width(4)]
    b: S,
    #[output]
    #[width(4)]
    y: S,
}

impl Block for Named {
    type Io<S> = NamedIo<S>;

    fn name(&self) -> String {
        "named".into()
    }

    fn io(&self) -> NamedIo<Shape> {
        NamedIo::shape()
    }

    #[names]
    fn build(&self, io: &NamedIo<Bits>) {
        let both = io.a & io.b;
        let alias = both;
        let (left, right) = (io.a ^ io.b, io.a | io.b);
        let [high, low] = [left.slice(2..4), left.slice(0..2)];
        let list: Vec<Bits> = (0..2).map(|i| right.slice(2 * i..2 * i + 2) ^ high).collect();
        let text = "not a signal";
        let count = text.len() as u64 - 12;
        let held = reg_of(&Word::shape(4));
        let once = [reg(1).reset(count)];
        let colour = state(Colour::Red);
        let maybe = list.first().map(|first| cat([*first, low]) + alias);
        let _hidden = io.a + 1;
        let step = |x: Bits| {
            let inner = x - 1;
            inner
        };
        let pass = instance(&Pass);
        connect(&held, &pass.s);
        let stepped = step(pass.m.bits);
        held.bits.set(maybe.expect("the list is not empty"));
        once[0].set(list[1].any());
        held.valid.set(once[0]);
        held.ready.ignore();
        pass.m.ready.set(held.valid);
        pass.m.valid.ignore();
        colour.switch(|c| match c {
            Colour::Red => colour.go(Colour::Green),
            Colour::Green => colour.go(Colour::DarkBlue),
            Colour::DarkBlue => colour.go(Colour::Red),
        });
        let r#final = stepped & colour.is(Colour::DarkBlue).repeat(4);
        io.y.set(r#final);
    }
}

#[test]
fn every_let_names_what_it_binds() {
    struct Top;
    impl Block for Top {
        type Io<S> = NamedIo<S>;
        fn name(&self) -> String {
            "top".into()
        }
        fn io(&self) -> NamedIo<Shape> {
            NamedIo::shape()
        }
        fn build(&self, io: &NamedIo<Bits>) {
            let inner = instance(&Named).give("inner");
            inner.a.set(io.a);
            inner.b.set(io.b);
            io.y.set(inner.y);
        }
    }
    let design = elaborate(&Top).unwrap_or_else(|e| panic!("{e}"));
    let m = design.module("named").unwrap();
    let nodes: BTreeSet<&str> = m.nodes.iter().filter_map(|n| n.name.as_deref()).collect();
    let wanted = ["both", "left", "right", "high", "low", "list0", "list1", "maybe", "inner", "final_"];
    assert!(wanted.iter().all(|n| nodes.contains(n)), "{nodes:?}");
    assert!(!["alias", "_hidden", "text"].iter().any(|n| nodes.contains(n)), "{nodes:?}");
    let sigs: Vec<&str> = m.sigs.iter().map(|s| s.name.as_str()).collect();
    assert!(["held_bits", "held_valid", "once0", "colour"].iter().all(|n| sigs.contains(n)), "{sigs:?}");
    let insts: Vec<&str> = m.insts.iter().chain(&design.top().insts).map(|i| i.name.as_str()).collect();
    assert_eq!(insts, ["pass", "inner"]);
    let states = m.sigs.iter().find_map(|s| match &s.kind {
        SigKind::Reg(r) => r.states.clone(),
        _ => None,
    });
    assert_eq!(states.unwrap().variants, [("Red", 0), ("Green", 1), ("DarkBlue", 2)]);
}
