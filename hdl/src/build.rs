//! The module under construction: a stack of builders, one a module being elaborated, that the operators append to.

use crate::{
    Bits, Value,
    bundle::Field,
    error::{ElabError, Fault},
    ir::*,
};
use std::{cell::RefCell, collections::HashMap, panic::Location};

thread_local! {
    static STACK: RefCell<Vec<Builder>> = const { RefCell::new(Vec::new()) };
    static SERIAL: RefCell<u32> = const { RefCell::new(0) };
}

pub(crate) struct Builder {
    pub module: Module,
    pub domain: DomainId,
    pub errors: Vec<ElabError>,
    /// Resets made in the module that instances get instead of their domain's port, the innermost last.
    pub resets: Vec<(DomainId, NodeId)>,
    serial: u32,
    known: HashMap<(Op, u32), NodeId>,
    /// What is known of expressions that are no constants; see [`crate::known`].
    pub bits_known: HashMap<NodeId, crate::known::Known>,
    /// Open scopes with a number each, the innermost last.
    scopes: Vec<(u32, Vec<Stmt>)>,
    scopes_opened: u32,
}

/// Where a statement stands that may be continued as long as it is the last of the open scope.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    serial: u32,
    scope: u32,
    index: usize,
}

/// Runs `f` on the innermost builder.
pub(crate) fn with<R>(f: impl FnOnce(&mut Builder) -> R) -> R {
    STACK.with_borrow_mut(|stack| {
        f(stack.last_mut().expect("signals can only be made while a block is being elaborated: call hdl::elaborate"))
    })
}

/// Elaborates a module: pushes a builder, runs `f`, pops it.
pub(crate) fn scope(base_name: &str, loc: Loc, f: impl FnOnce()) -> Builder {
    let serial = SERIAL.with_borrow_mut(|s| {
        *s += 1;
        *s
    });
    let module = Module {
        name: base_name.into(),
        base_name: base_name.into(),
        block: "",
        params: vec![],
        doc: String::new(),
        sigs: vec![],
        nodes: vec![],
        stmts: vec![],
        insts: vec![],
        domains: vec![Domain { name: String::new() }],
        props: vec![],
        ignored: vec![],
        clocks_used: vec![],
        loc,
    };
    let builder = Builder {
        module,
        domain: DomainId(0),
        errors: vec![],
        resets: vec![],
        serial,
        known: HashMap::new(),
        bits_known: HashMap::new(),
        scopes: vec![(0, vec![])],
        scopes_opened: 0,
    };
    struct Pop;
    impl Drop for Pop {
        // Unwinding out of a block's code must not leave its builder on the stack.
        fn drop(&mut self) {
            if std::thread::panicking() {
                STACK.with_borrow_mut(|s| s.pop());
            }
        }
    }
    STACK.with_borrow_mut(|s| s.push(builder));
    let guard = Pop;
    f();
    std::mem::forget(guard);
    let mut done = STACK.with_borrow_mut(|s| s.pop()).expect("pushed above");
    done.module.stmts = done.close();
    done
}

impl Builder {
    pub fn error(&mut self, fault: Fault, loc: Loc, message: String) {
        let module = self.module.base_name.clone();
        self.errors.push(ElabError { fault, module, loc, message });
    }

    /// The signal handle of a node.
    pub fn bits(&self, id: NodeId) -> Bits {
        Bits { id, width: self.module.node(id).width, serial: self.serial }
    }

    /// Is it a handle of this module?
    pub fn is_own(&self, b: Bits) -> bool {
        b.serial == self.serial
    }

    /// The node of a handle; a handle of another module is an error and counts as zero.
    pub fn own(&mut self, b: Bits, loc: Loc) -> NodeId {
        if self.is_own(b) {
            return b.id;
        }
        let message = "a signal of another module was used here: connect it through a port".into();
        self.error(Fault::Access, loc, message);
        self.constant(Value::zero(b.width), loc)
    }

    pub fn constant(&mut self, v: Value, loc: Loc) -> NodeId {
        let width = v.width();
        self.intern(Op::Const(v), width, loc)
    }

    pub fn as_const(&self, id: NodeId) -> Option<&Value> {
        match &self.module.node(id).op {
            Op::Const(v) => Some(v),
            _ => None,
        }
    }

    fn intern(&mut self, op: Op, width: u32, loc: Loc) -> NodeId {
        if let Some(id) = self.known.get(&(op.clone(), width)) {
            return *id;
        }
        let id = NodeId(self.module.nodes.len() as u32);
        self.known.insert((op.clone(), width), id);
        self.module.nodes.push(Node { op, width, loc, name: None });
        id
    }

    /// Makes a node, or finds the one that already computes the same.
    pub fn node(&mut self, op: Op, width: u32, loc: Loc) -> NodeId {
        if let Some(id) = self.simplify(&op, width, loc) {
            return id;
        }
        match self.known_value(&op, width) {
            Ok(value) => self.constant(value, loc),
            Err(known) => {
                let id = self.intern(op, width, loc);
                if let Some(known) = known {
                    self.bits_known.insert(id, known);
                }
                id
            }
        }
    }

    pub fn new_sig(&mut self, sig: Sig) -> SigId {
        let id = SigId(self.module.sigs.len() as u32);
        self.module.sigs.push(sig);
        id
    }

    pub fn sig_bits(&mut self, id: SigId) -> Bits {
        let (width, loc) = (self.module.sig(id).width, self.module.sig(id).loc);
        let node = self.intern(Op::Sig(id), width, loc);
        self.bits(node)
    }

    /// The signal behind a handle, with the lowest bit meant if the handle is a slice of one.
    pub fn sig_of(&self, id: NodeId) -> Option<(SigId, u32)> {
        match self.module.node(id).op {
            Op::Sig(s) => Some((s, 0)),
            Op::Slice(a, lsb) => match self.module.node(a).op {
                Op::Sig(s) => Some((s, lsb)),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn push_stmt(&mut self, stmt: Stmt) {
        self.scopes.last_mut().expect("one scope is open").1.push(stmt);
    }

    pub fn open(&mut self) {
        self.scopes_opened += 1;
        self.scopes.push((self.scopes_opened, vec![]));
    }

    pub fn close(&mut self) -> Vec<Stmt> {
        self.scopes.pop().expect("opened before").1
    }

    /// The place of the statement pushed last.
    pub fn place(&self) -> Option<Place> {
        let (scope, stmts) = self.scopes.last()?;
        Some(Place { serial: self.serial, scope: *scope, index: stmts.len().checked_sub(1)? })
    }

    /// The statement at a place, if it is still the last one of the open scope.
    pub fn last_stmt(&mut self, place: Option<Place>) -> Option<&mut Stmt> {
        if place.is_none() || self.place() != place {
            return None;
        }
        self.scopes.last_mut()?.1.last_mut()
    }

    /// The domain of this name, declared if new.
    pub fn domain_named(&mut self, name: &str) -> DomainId {
        if let Some(i) = self.module.domains.iter().position(|d| d.name == name) {
            return DomainId(i as u32);
        }
        self.module.domains.push(Domain { name: name.into() });
        DomainId(self.module.domains.len() as u32 - 1)
    }

    /// A person's word for a node, for messages.
    pub fn describe(&self, id: NodeId) -> String {
        let node = self.module.node(id);
        match (&node.name, &node.op) {
            (Some(n), _) => format!("`{n}` ({} bits)", node.width),
            (None, Op::Sig(s)) if !self.module.sig(*s).name.is_empty() => {
                format!("`{}` ({} bits)", self.module.sig(*s).name, node.width)
            }
            (None, Op::Const(v)) => format!("constant {v}"),
            _ => format!("{} bits (made at {}:{})", node.width, node.loc.file(), node.loc.line()),
        }
    }
}

/// Two sides of a connection must have the same fields; says which differ.
#[track_caller]
pub(crate) fn same_fields(from: &[(Field, Bits)], to: &[(Field, Bits)]) {
    if from.len() != to.len() {
        let loc = Location::caller();
        with(|b| b.error(Fault::Width, loc, format!("the two sides have {} and {} fields", from.len(), to.len())));
    }
}

impl Builder {
    /// Is the handle a pin of an instance?
    pub fn is_pin(&self, b: Bits) -> bool {
        self.is_own(b)
            && matches!(self.sig_of(b.id), Some((s, _)) if matches!(self.module.sig(s).kind, SigKind::InstIn { .. } | SigKind::InstOut { .. }))
    }
}
