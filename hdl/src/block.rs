//! Blocks: a Rust struct (its configuration) that builds a module; instances of blocks; whole designs.

use crate::{
    Bits, Bundle, Shape,
    build::{self, with},
    bundle::Field,
    error::{ElabError, ElabErrors, Fault},
    ir::*,
};
use std::{panic::Location, rc::Rc};

/// A block of hardware. The struct that implements it is its configuration.
pub trait Block {
    /// The ports, inputs marked `#[input]` and outputs `#[output]`.
    type Io<S>: Bundle<S, With<Bits> = Self::Io<Bits>>;

    /// The module's name in Verilog.
    fn name(&self) -> String;

    /// One sentence on what it does, for the head of the emitted file.
    fn doc(&self) -> String {
        String::new()
    }

    /// Parameters by which two modules of one name may differ; only those that do are folded into their names.
    fn params(&self) -> Vec<(&'static str, String)> {
        vec![]
    }

    /// Configuration errors: what does not fit together, with the value and the remedy.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Widths of the ports.
    fn io(&self) -> Self::Io<Shape>;

    /// Builds the logic between the ports.
    fn build(&self, io: &Self::Io<Bits>);
}

/// A whole design: the top module and what it instantiates.
#[derive(Clone, Debug)]
pub struct Design {
    /// Every module once, children before parents; the last one is the top.
    pub modules: Vec<Rc<Module>>,
}

impl Design {
    /// The top module.
    pub fn top(&self) -> &Rc<Module> {
        self.modules.last().expect("a design has at least its top")
    }

    /// The module of this name.
    pub fn module(&self, name: &str) -> Option<&Rc<Module>> {
        self.modules.iter().find(|m| m.name == name)
    }
}

/// Elaborates a block and everything beneath it, and checks the result.
///
/// # Errors
/// Every fault found, each with its Rust source line.
#[track_caller]
pub fn elaborate<B: Block>(block: &B) -> Result<Design, ElabErrors> {
    let loc = Location::caller();
    let mut errors = Vec::new();
    let module = build_module(block, loc, &mut errors);
    if errors.is_empty() {
        crate::check::module_tree(&module, &mut errors);
    }
    if !errors.is_empty() {
        return Err(ElabErrors(errors));
    }
    crate::unique::design(module)
}

fn build_module<B: Block>(block: &B, loc: Loc, errors: &mut Vec<ElabError>) -> Rc<Module> {
    let shape = block.io();
    let done = build::scope(&block.name(), loc, || {
        if let Err(message) = block.check() {
            with(|b| b.error(Fault::Config, loc, message));
            return;
        }
        let io = shape.map_fields(&Field::root(), &mut |at, s| port(at, *s, loc));
        block.build(&io);
    });
    errors.extend(done.errors);
    let mut module = done.module;
    errors.extend(crate::check::port_names(&module));
    module.block = std::any::type_name::<B>();
    module.params = block.params();
    module.doc = block.doc();
    crate::names::settle(&mut module);
    module.clocks_used = crate::check::clocks_used(&module);
    Rc::new(module)
}

fn port(at: &Field, shape: Shape, loc: Loc) -> Bits {
    with(|b| {
        let domain = b.domain_named(at.clock.unwrap_or(""));
        if shape.0 == 0 {
            b.error(Fault::Width, loc, format!("port `{}` has no bits", at.name));
        }
        let kind = match at.dir {
            Dir::In => SigKind::Input,
            Dir::Out => SigKind::Comb,
        };
        let sig = Sig {
            name: at.name.clone(),
            width: shape.0.max(1),
            kind,
            port: Some(at.dir),
            domain,
            loc,
            doc: at.doc,
            ignored: false,
        };
        let id = b.new_sig(sig);
        b.sig_bits(id)
    })
}

/// An instance of a block in the present clock domain: its inputs are assignable, its outputs readable. The instance is
/// named by the `let` it is bound to under `#[names]`, or by [`Bundle`] `named`.
#[track_caller]
pub fn instance<B: Block>(block: &B) -> B::Io<Bits> {
    instance_in(block, &[])
}

/// An instance whose clock domains are connected by name: `(domain inside, domain here)`; unnamed ones go to the
/// domain of their own name, the default one to the present domain.
#[track_caller]
pub fn instance_in<B: Block>(block: &B, domains: &[(&str, &str)]) -> B::Io<Bits> {
    let loc = Location::caller();
    let mut errors = Vec::new();
    let module = build_module(block, loc, &mut errors);
    let target = Target::Module(module);
    with(|b| b.errors.extend(errors));
    let mut pins = add_instance(target, domains, loc).into_iter();
    block.io().map(|_, _| pins.next().expect("one pin a port"))
}

/// Adds an instance to the module under construction and returns its pins in order.
pub(crate) fn add_instance(target: Target, domains: &[(&str, &str)], loc: Loc) -> Vec<Bits> {
    with(|b| {
        let inst = b.module.insts.len() as u32;
        let mut maps = Vec::new();
        for d in target.domains() {
            let mapped = domains.iter().find(|(inside, _)| *inside == d.name).map(|(_, here)| *here);
            let domain = match mapped {
                Some(here) => b.domain_named(here),
                None if d.name.is_empty() => b.domain,
                None => b.domain_named(&d.name),
            };
            let reset = b.resets.iter().rev().find(|(d, _)| *d == domain).map(|(_, reset)| *reset);
            maps.push(DomainMap { domain, reset });
        }
        let mut bits = Vec::new();
        let mut sigs = Vec::new();
        for (i, pin) in target.pins().into_iter().enumerate() {
            let port = i as u32;
            let kind = match pin.dir {
                Dir::In => SigKind::InstIn { inst, port },
                Dir::Out => SigKind::InstOut { inst, port },
            };
            let domain = maps[pin.domain.0 as usize].domain;
            let name = String::new();
            let sig = Sig { name, width: pin.width, kind, port: None, domain, loc, doc: pin.doc, ignored: false };
            let id = b.new_sig(sig);
            sigs.push(id);
            bits.push(b.sig_bits(id));
        }
        b.module.insts.push(Inst { name: String::new(), target, pins: sigs, domains: maps, loc });
        bits
    })
}
