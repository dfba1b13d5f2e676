//! What of a module is emitted, and under which names: liveness, which expressions get a wire, which pins need none.

use crate::{Value, ir::*, names::Taken};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

/// Statements of one target, flattened: the expressions that decide and give its value.
pub(super) type Drivers = BTreeMap<SigId, Vec<NodeId>>;

pub(super) struct Plan {
    /// Signals that real logic uses; the rest of what is emitted serves properties only.
    pub logic: HashSet<SigId>,
    /// Signals that only properties use.
    pub checking: HashSet<SigId>,
    /// Names of expressions that are declared as wires.
    pub wires: HashMap<NodeId, String>,
    /// Expressions reached by real logic.
    pub logic_nodes: HashSet<NodeId>,
    /// Expressions reached only by properties, in order.
    pub checking_nodes: BTreeSet<NodeId>,
    /// Instance inputs connected straight to what drives them.
    pub inlined: HashMap<SigId, NodeId>,
    /// Instance outputs connected straight to an output port.
    pub bound: HashMap<SigId, SigId>,
    /// For each signal assigned once, unconditionally and as a whole: by what.
    pub simple: HashMap<SigId, NodeId>,
    /// Combinational signals whose statements read no signal: their value. An `always @*` of these would never run.
    pub constants: HashMap<SigId, Value>,
    /// Every name in use.
    pub taken: RefCell<Taken>,
    /// For each invented name: what it was made from.
    stems: HashMap<NodeId, String>,
}

/// Of the name that an invented one starts with, no more characters than this are used.
const STEM: usize = 40;

impl Plan {
    pub fn new(m: &Module) -> Self {
        let drivers = drivers(&m.stmts);
        let simple = simple_assignments(m);
        let constants = constants(m, &drivers, &simple);
        let mut roots: Vec<SigId> = m.ports().filter(|p| p.2 == Dir::Out).map(|p| p.0).collect();
        roots.extend(m.insts.iter().flat_map(|i| i.pins.iter().copied()));
        let mut nodes: Vec<NodeId> = m.ignored.clone();
        nodes.extend(m.insts.iter().flat_map(|i| i.domains.iter().filter_map(|d| d.reset)));
        let (logic, logic_nodes) = reach(m, &drivers, roots, nodes);
        let (with_props, all_nodes) = reach(m, &drivers, vec![], m.props.iter().map(|p| p.cond).collect());
        let checking: HashSet<SigId> = with_props.difference(&logic).copied().collect();
        let checking_nodes = all_nodes.difference(&logic_nodes).copied().collect();
        let mut plan = Plan {
            logic,
            checking,
            wires: HashMap::new(),
            logic_nodes,
            checking_nodes,
            inlined: HashMap::new(),
            bound: HashMap::new(),
            simple,
            constants,
            taken: RefCell::new(taken_names(m)),
            stems: HashMap::new(),
        };
        plan.choose_wires(m, &drivers);
        plan.choose_connections(m);
        plan
    }

    /// Does this expression read as well written out wherever it is used?
    fn is_plain(&self, m: &Module, id: NodeId) -> bool {
        match &m.node(id).op {
            _ if self.wires.contains_key(&id) => true,
            Op::Const(_) | Op::Sig(_) | Op::Slice(..) => true,
            Op::Not(a) => self.is_plain(m, *a),
            Op::Repeat(a, _) => m.node(*a).width == 1 && self.is_plain(m, *a),
            Op::Eq(a, b) => self.is_plain(m, *a) && matches!(m.node(*b).op, Op::Const(_)),
            Op::Concat(parts) => parts.len() == 2 && parts.iter().all(|p| self.is_plain(m, *p)),
            _ => false,
        }
    }

    fn choose_wires(&mut self, m: &Module, drivers: &Drivers) {
        let mut uses: HashMap<NodeId, u32> = HashMap::new();
        let mut sliced: HashSet<NodeId> = HashSet::new();
        let live: BTreeSet<NodeId> = self.logic_nodes.iter().chain(&self.checking_nodes).copied().collect();
        for id in &live {
            let op = &m.node(*id).op;
            for o in op.operands() {
                *uses.entry(o).or_default() += 1;
            }
            if let Op::Slice(a, _) = op {
                sliced.insert(*a);
            }
        }
        let live_sigs = self.logic.iter().chain(&self.checking);
        for n in
            live_sigs.filter_map(|s| drivers.get(s)).flatten().chain(m.props.iter().map(|p| &p.cond)).chain(&m.ignored)
        {
            *uses.entry(*n).or_default() += 1;
        }
        for id in live {
            let node = m.node(id);
            let atom = matches!(node.op, Op::Const(_) | Op::Sig(_));
            let shared = uses.get(&id).copied().unwrap_or(0) > 1 && !self.is_plain(m, id);
            let sliced = sliced.contains(&id) && !atom;
            let name = match &node.name {
                _ if atom => continue,
                Some(name) => name.clone(),
                None if shared || sliced || matches!(node.op, Op::Select(..)) || self.is_long(m, id) => {
                    let invented = self.invent(m, id);
                    self.taken.get_mut().unique(&invented)
                }
                None => continue,
            };
            self.wires.insert(id, name);
        }
    }

    /// Would the text of this expression, without those of its parts that are wires already, be hard to read in line?
    fn is_long(&self, m: &Module, id: NodeId) -> bool {
        fn leaves(plan: &Plan, m: &Module, id: NodeId) -> usize {
            if plan.wires.contains_key(&id) {
                return 1;
            }
            let operands = m.node(id).op.operands();
            if operands.is_empty() { 1 } else { operands.iter().map(|o| leaves(plan, m, *o)).sum() }
        }
        !matches!(m.node(id).op, Op::Concat(_)) && leaves(self, m, id) >= 8
    }

    /// A name that says what an unnamed expression is: the name nearest to it and the operation.
    fn invent(&mut self, m: &Module, id: NodeId) -> String {
        let node = m.node(id);
        let verb = match &node.op {
            Op::Not(_) => "n",
            Op::And(..) => "and",
            Op::Or(..) => "or",
            Op::Xor(..) => "xor",
            Op::Add(..) => "sum",
            Op::Sub(..) => "diff",
            Op::Mul(..) => "product",
            Op::Eq(..) => "eq",
            Op::Ult(..) | Op::Slt(..) => "lt",
            Op::Shl(..) | Op::Shr(..) | Op::Sar(..) => "shifted",
            Op::Slice(..) => "part",
            Op::Concat(_) => "cat",
            Op::Repeat(..) => "rep",
            Op::Mux(..) => "mux",
            Op::Select(..) => "select",
            Op::RedAnd(_) => "all",
            Op::RedOr(_) => "any",
            Op::RedXor(_) => "parity",
            Op::Const(_) | Op::Sig(_) => "copy",
        };
        match self.nearest(m, id) {
            Some(near) => {
                let stem: String = near.chars().take(STEM).collect();
                let name = format!("{stem}_{verb}");
                self.stems.insert(id, stem);
                name
            }
            None => verb.into(),
        }
    }

    fn nearest(&self, m: &Module, id: NodeId) -> Option<String> {
        m.node(id).op.operands().into_iter().find_map(|o| match (&m.node(o).op, self.wires.get(&o)) {
            (Op::Sig(s), _) => Some(m.sig(*s).name.clone()),
            (_, Some(name)) => Some(self.stems.get(&o).unwrap_or(name).clone()),
            (Op::Const(_), None) => None,
            (_, None) => self.nearest(m, o),
        })
    }

    fn choose_connections(&mut self, m: &Module) {
        for (i, s) in m.sigs.iter().enumerate() {
            let id = SigId(i as u32);
            let Some(value) = self.simple.get(&id).copied() else { continue };
            match (&s.kind, s.port) {
                (SigKind::InstIn { .. }, _) if self.is_connectable(m, value) => {
                    self.inlined.insert(id, value);
                }
                (SigKind::Comb, Some(Dir::Out)) => {
                    if let Op::Sig(source) = m.node(value).op
                        && matches!(m.sig(source).kind, SigKind::InstOut { .. })
                        && !self.bound.contains_key(&source)
                    {
                        self.bound.insert(source, id);
                    }
                }
                _ => {}
            }
        }
    }

    /// Signals, constants, slices and named expressions may stand in a port connection.
    fn is_connectable(&self, m: &Module, id: NodeId) -> bool {
        self.wires.contains_key(&id) || matches!(m.node(id).op, Op::Const(_) | Op::Sig(_) | Op::Slice(..))
    }
}

/// Every name that the module already uses.
fn taken_names(m: &Module) -> Taken {
    let mut taken = Taken::default();
    for d in &m.domains {
        taken.unique(&d.clk());
        taken.unique(&d.rst());
    }
    let names = m.sigs.iter().map(|s| &s.name).chain(m.insts.iter().map(|i| &i.name));
    for name in names.chain(m.nodes.iter().filter_map(|n| n.name.as_ref())) {
        taken.unique(name);
    }
    taken
}

fn drivers(stmts: &[Stmt]) -> Drivers {
    fn walk(stmts: &[Stmt], path: &mut Vec<NodeId>, out: &mut Drivers) {
        for s in stmts {
            match s {
                Stmt::Assign { target, value, .. } => {
                    let d = out.entry(*target).or_default();
                    for c in path.iter() {
                        if !d.contains(c) {
                            d.push(*c);
                        }
                    }
                    d.push(*value);
                }
                Stmt::If { cond, then, otherwise, .. } => {
                    path.push(*cond);
                    walk(then, path, out);
                    walk(otherwise, path, out);
                    path.pop();
                }
                Stmt::Switch { subject, arms, default, .. } => {
                    path.push(*subject);
                    arms.iter().for_each(|(_, body)| walk(body, path, out));
                    walk(default, path, out);
                    path.pop();
                }
            }
        }
    }
    let mut out = Drivers::new();
    walk(stmts, &mut vec![], &mut out);
    out
}

/// Signals assigned exactly once, at the top level and over their whole width.
fn simple_assignments(m: &Module) -> HashMap<SigId, NodeId> {
    let mut count: HashMap<SigId, u32> = HashMap::new();
    let mut whole = HashMap::new();
    fn tally(stmts: &[Stmt], count: &mut HashMap<SigId, u32>) {
        for s in stmts {
            match s {
                Stmt::Assign { target, .. } => *count.entry(*target).or_default() += 1,
                Stmt::If { then, otherwise, .. } => {
                    tally(then, count);
                    tally(otherwise, count);
                }
                Stmt::Switch { arms, default, .. } => {
                    arms.iter().for_each(|(_, body)| tally(body, count));
                    tally(default, count);
                }
            }
        }
    }
    tally(&m.stmts, &mut count);
    for s in &m.stmts {
        if let Stmt::Assign { target, value, .. } = s
            && m.node(*value).width == m.sig(*target).width
        {
            whole.insert(*target, *value);
        }
    }
    whole.retain(|t, _| count[t] == 1);
    whole
}

/// Combinational signals, not among the simple ones, that are driven by constants under constant conditions only.
fn constants(m: &Module, drivers: &Drivers, simple: &HashMap<SigId, NodeId>) -> HashMap<SigId, Value> {
    fn run(m: &Module, stmts: &[Stmt], sig: SigId, value: &mut Value) {
        let constant = |id: NodeId| match &m.node(id).op {
            Op::Const(v) => v,
            _ => unreachable!("all drivers are constants"),
        };
        for s in stmts {
            match s {
                Stmt::Assign { target, lsb, value: v, .. } if *target == sig => {
                    let v = constant(*v);
                    (0..v.width()).for_each(|i| value.set_bit(lsb + i, v.bit(i)));
                }
                Stmt::Assign { .. } => {}
                Stmt::If { cond, then, otherwise, .. } => {
                    if let Op::Const(v) = &m.node(*cond).op {
                        run(m, if v.is_true() { then } else { otherwise }, sig, value);
                    }
                }
                Stmt::Switch { subject, arms, default, .. } => {
                    if let Op::Const(v) = &m.node(*subject).op {
                        let arm = arms.iter().find(|(values, _)| values.contains(v));
                        run(m, arm.map_or(default, |(_, body)| body), sig, value);
                    }
                }
            }
        }
    }
    let fixed = |nodes: &Vec<NodeId>| nodes.iter().all(|n| matches!(m.node(*n).op, Op::Const(_)));
    let mut out = HashMap::new();
    for (sig, _) in drivers.iter().filter(|(s, d)| !simple.contains_key(s) && fixed(d)) {
        if matches!(m.sig(*sig).kind, SigKind::Comb | SigKind::InstIn { .. }) {
            let mut value = Value::zero(m.sig(*sig).width);
            run(m, &m.stmts, *sig, &mut value);
            out.insert(*sig, value);
        }
    }
    out
}

/// Everything that the given signals and expressions depend on, through registers too.
fn reach(m: &Module, drivers: &Drivers, sigs: Vec<SigId>, nodes: Vec<NodeId>) -> (HashSet<SigId>, HashSet<NodeId>) {
    let (mut seen_sigs, mut seen_nodes) = (HashSet::new(), HashSet::new());
    let (mut sigs, mut nodes) = (sigs, nodes);
    loop {
        if let Some(n) = nodes.pop() {
            if seen_nodes.insert(n) {
                match &m.node(n).op {
                    Op::Sig(s) => sigs.push(*s),
                    op => nodes.extend(op.operands()),
                }
            }
        } else if let Some(s) = sigs.pop() {
            if seen_sigs.insert(s) {
                nodes.extend(drivers.get(&s).into_iter().flatten());
                if let SigKind::Reg(RegInfo { async_reset: Some(r), .. }) = &m.sig(s).kind {
                    nodes.push(*r);
                }
            }
        } else {
            return (seen_sigs, seen_nodes);
        }
    }
}
