//! Registers, wires, `when` and `switch`.

use crate::{
    Bits, Value,
    bits::Operand,
    build::{Place, with},
    error::Fault,
    ir::*,
};
use std::{panic::Location, rc::Rc};

fn new_sig(width: u32, kind: SigKind, loc: Loc) -> Bits {
    with(|b| {
        if width == 0 {
            b.error(Fault::Width, loc, "a signal needs at least 1 bit".into());
        }
        let domain = b.domain;
        let sig =
            Sig { name: String::new(), width: width.max(1), kind, port: None, domain, loc, doc: "", ignored: false };
        let id = b.new_sig(sig);
        b.sig_bits(id)
    })
}

fn plain_reg() -> RegInfo {
    with(|b| RegInfo { domain: b.domain, reset: None, async_reset: None, crossing: false, states: None })
}

/// A register of `width` bits in the present clock domain. It keeps its value where nothing is assigned, and has no
/// reset unless [`Bits::reset`] gives it one.
#[track_caller]
pub fn reg(width: u32) -> Bits {
    let loc = Location::caller();
    let info = plain_reg();
    new_sig(width, SigKind::Reg(info), loc)
}

/// A combinational signal of `width` bits, to be assigned on every path.
#[track_caller]
pub fn wire(width: u32) -> Bits {
    new_sig(width, SigKind::Comb, Location::caller())
}

impl Bits {
    /// Gives the register (or the output port, which becomes a register) a value under reset.
    #[track_caller]
    pub fn reset(self, value: impl Operand) -> Bits {
        let loc = Location::caller();
        let value = value.operand(self.width, loc, "reset");
        let made = self.registered();
        with(|b| {
            let id = b.own(value, loc);
            let Some(v) = b.as_const(id).cloned() else {
                return b.error(Fault::Config, loc, "a reset value must be a constant".into());
            };
            if v.width() != made.width {
                return b.error(
                    Fault::Width,
                    loc,
                    format!("the reset value {v} does not fit a {}-bit register", made.width),
                );
            }
            reg_info(b, made, loc, |info| info.reset = Some(v));
        });
        made
    }

    /// Makes an output port a register of the present clock domain (Verilog's `output reg`). A register stays one.
    #[track_caller]
    pub fn registered(self) -> Bits {
        let loc = Location::caller();
        let info = plain_reg();
        with(|b| {
            let id = b.own(self, loc);
            if !b.is_own(self) {
                return;
            }
            let Some((sig, _)) = b.sig_of(id) else {
                return b.error(Fault::Access, loc, "only a register or an output port can be a register".into());
            };
            let s = &mut b.module.sigs[sig.0 as usize];
            match (&s.kind, s.port) {
                (SigKind::Reg(_), _) => {}
                (SigKind::Comb, Some(Dir::Out)) => s.kind = SigKind::Reg(info),
                _ => b.error(Fault::Access, loc, "only a register or an output port can be a register".into()),
            }
        });
        self
    }

    /// This value one clock later, without reset.
    #[track_caller]
    pub fn delay(self) -> Bits {
        let r = reg(self.width);
        r.set(self);
        r
    }

    /// This value one clock later, `init` under reset.
    #[track_caller]
    pub fn delay_reset(self, init: u64) -> Bits {
        let r = reg(self.width).reset(init);
        r.set(self);
        r
    }

    /// This value as it was at the last clock edge at which `enable` was 1.
    #[track_caller]
    pub fn delay_enable(self, enable: Bits) -> Bits {
        let r = reg(self.width);
        when(enable, || r.set(self));
        r
    }

    /// This value `n` clocks later, without reset.
    #[track_caller]
    pub fn delay_by(self, n: u32) -> Bits {
        (0..n).fold(self, |b, _| b.delay())
    }
}

pub(crate) fn reg_info(b: &mut crate::build::Builder, bits: Bits, loc: Loc, f: impl FnOnce(&mut RegInfo)) {
    if !b.is_own(bits) {
        return; // an error already
    }
    let sig = b.sig_of(bits.id).map(|(s, _)| s.0 as usize);
    match sig.map(|s| &mut b.module.sigs[s].kind) {
        Some(SigKind::Reg(info)) => f(info),
        _ => b.error(Fault::Access, loc, "this is not a register".into()),
    }
}

/// Statements that apply while `cond` is 1. Continue with [`When::elsewhen`] and [`When::otherwise`].
#[track_caller]
pub fn when(cond: Bits, then: impl FnOnce()) -> When {
    let loc = Location::caller();
    push_if(cond, then, loc);
    When { depth: 0, place: with(|b| b.place()) }
}

fn push_if(cond: Bits, then: impl FnOnce(), loc: Loc) {
    let cond_id = with(|b| {
        let id = b.own(cond, loc);
        if cond.width != 1 {
            let message = format!("a condition must be 1 bit, not {}", b.describe(id));
            b.error(Fault::Width, loc, message);
        }
        b.open();
        id
    });
    then();
    with(|b| {
        let then = b.close();
        b.push_stmt(Stmt::If { cond: cond_id, then, otherwise: vec![], loc });
    });
}

/// Says that the statement that a handle continues is not the last one any more. The handle loses its place, so that
/// what follows on it is not reported again.
fn check_place(place: &mut Option<Place>, what: &str, of: &str, loc: Loc) {
    with(|b| {
        if place.is_some() && b.last_stmt(*place).is_none() {
            *place = None;
            b.error(Fault::Config, loc, format!("this `{what}` does not follow its `{of}`"));
        }
    });
}

/// An open `when`.
pub struct When {
    depth: u32,
    place: Option<Place>,
}

impl When {
    fn branch(&mut self, what: &str, loc: Loc, body: impl FnOnce()) {
        check_place(&mut self.place, what, "when", loc);
        with(|b| b.open());
        body();
        with(|b| {
            let stmts = b.close();
            let mut at = b.last_stmt(self.place);
            for _ in 0..self.depth {
                at = match at {
                    Some(Stmt::If { otherwise, .. }) => otherwise.last_mut(),
                    _ => None,
                };
            }
            if let Some(Stmt::If { otherwise, .. }) = at {
                *otherwise = stmts;
            }
        });
    }

    /// Statements that apply when no earlier condition held and `cond` is 1.
    #[track_caller]
    pub fn elsewhen(mut self, cond: Bits, then: impl FnOnce()) -> When {
        let loc = Location::caller();
        self.branch("elsewhen", loc, || push_if(cond, then, loc));
        When { depth: self.depth + 1, ..self }
    }

    /// Statements that apply when no condition held.
    #[track_caller]
    pub fn otherwise(mut self, then: impl FnOnce()) {
        self.branch("otherwise", Location::caller(), then);
    }
}

/// A `case` over constants: `switch(x).case(1, || …).case_any([2, 3], || …).default(|| …)`.
#[track_caller]
pub fn switch(subject: Bits) -> Switch {
    let loc = Location::caller();
    let place = with(|b| {
        let subject = b.own(subject, loc);
        b.push_stmt(Stmt::Switch { subject, arms: vec![], default: vec![], loc });
        b.place()
    });
    Switch { width: subject.width, place }
}

/// An open `switch`.
pub struct Switch {
    width: u32,
    place: Option<Place>,
}

impl Switch {
    /// Statements for one value.
    #[track_caller]
    pub fn case(self, value: u64, body: impl FnOnce()) -> Switch {
        self.case_any([value], body)
    }

    /// Statements for several values.
    #[track_caller]
    pub fn case_any(mut self, values: impl IntoIterator<Item = u64>, body: impl FnOnce()) -> Switch {
        let loc = Location::caller();
        check_place(&mut self.place, "case", "switch", loc);
        with(|b| b.open());
        body();
        with(|b| {
            let stmts = b.close();
            let mut wanted = Vec::new();
            for v in values {
                if self.width < 64 && v >> self.width != 0 {
                    b.error(Fault::Width, loc, format!("the case {v} does not fit in {} bits", self.width));
                }
                wanted.push(Value::new(self.width, u128::from(v)));
            }
            let Some(Stmt::Switch { arms, .. }) = b.last_stmt(self.place) else { return };
            let before = arms.iter().flat_map(|(values, _)| values);
            let twice = (wanted.iter().enumerate())
                .find(|(i, w)| wanted[..*i].contains(w) || before.clone().any(|v| v == *w))
                .map(|(_, w)| w.clone());
            arms.push((wanted, stmts));
            if let Some(v) = twice {
                b.error(Fault::Config, loc, format!("the case {} stands in this switch twice", v.to_u64()));
            }
        });
        self
    }

    /// Statements when no case matches.
    #[track_caller]
    pub fn default(mut self, body: impl FnOnce()) {
        check_place(&mut self.place, "default", "switch", Location::caller());
        with(|b| b.open());
        body();
        with(|b| {
            let stmts = b.close();
            if let Some(Stmt::Switch { default, .. }) = b.last_stmt(self.place) {
                *default = stmts;
            }
        });
    }
}

/// A Rust enum that a register can hold. Derived with `#[derive(Encode)]`; variants are encoded 0, 1, 2, ….
pub trait Encode: Copy + 'static {
    /// Name of the enum.
    const NAME: &'static str;
    /// The variants with their names, in order of their encoding.
    const VARIANTS: &'static [(&'static str, Self)];

    /// The variant's encoding.
    fn encoded(self) -> u64;

    /// Bits that the encoding needs.
    fn width() -> u32 {
        crate::clog2(Self::VARIANTS.len() as u64).max(1)
    }
}

/// A register that holds a state.
#[derive(Clone, Copy)]
pub struct State<E> {
    bits: Bits,
    kind: std::marker::PhantomData<E>,
}

/// A state register that starts (under reset) in `initial`.
#[track_caller]
pub fn state<E: Encode>(initial: E) -> State<E> {
    let loc = Location::caller();
    let bits = reg(E::width()).reset(initial.encoded());
    let names = StateNames { name: E::NAME, variants: E::VARIANTS.iter().map(|(n, v)| (*n, v.encoded())).collect() };
    with(|b| reg_info(b, bits, loc, |info| info.states = Some(Rc::new(names))));
    State { bits, kind: std::marker::PhantomData }
}

impl<E: Encode> State<E> {
    /// 1 bit: is it in this state?
    #[track_caller]
    pub fn is(self, s: E) -> Bits {
        self.bits.eq(s.encoded())
    }

    /// Goes to a state at the next clock edge.
    #[track_caller]
    pub fn go(self, s: E) {
        self.bits.set(s.encoded());
    }

    /// The register.
    pub fn bits(self) -> Bits {
        self.bits
    }

    /// One arm a variant: the closure is called for each and usually is a `match`, which Rust checks for completeness.
    /// Codes that no variant has go with the last one, so that every path is a variant's.
    #[track_caller]
    pub fn switch(self, mut body: impl FnMut(E)) {
        let mut sw = switch(self.bits);
        let all_codes = E::VARIANTS.len() as u64 == 1 << E::width();
        let Some(((_, last), rest)) = E::VARIANTS.split_last() else { return };
        for (_, v) in rest {
            sw = sw.case(v.encoded(), || body(*v));
        }
        if all_codes {
            sw.case(last.encoded(), || body(*last));
        } else {
            sw.default(|| body(*last));
        }
    }
}
