//! Each module once: identical ones are shared, and parameters are folded into a name only where two differ.

use crate::{
    block::Design,
    error::{ElabError, ElabErrors, Fault},
    ir::*,
    names::identifier,
    verilog,
};
use std::{collections::HashMap, rc::Rc};

/// A design of the tree under `top`, with names settled.
pub(crate) fn design(top: Rc<Module>) -> Result<Design, ElabErrors> {
    // Round 1: find the distinct bodies of each base name, children first. Bodies are compared as emitted text under
    // the base name; children's names in it are those of round 1, which stand for their own bodies.
    let mut seen: Vec<(String, Rc<Module>)> = Vec::new();
    let top = share(&top, &mut seen);
    let mut families: HashMap<String, Vec<Rc<Module>>> = HashMap::new();
    for (_, m) in &seen {
        families.entry(m.base_name.clone()).or_default().push(m.clone());
    }
    // Round 2: names.
    let mut names: HashMap<*const Module, String> = HashMap::new();
    let mut errors = Vec::new();
    for (base, family) in &families {
        for m in family {
            let name = if family.len() == 1 { identifier(base) } else { folded(base, m, family) };
            names.insert(Rc::as_ptr(m), name);
        }
    }
    // One namespace for all modules, those of memories included.
    let mut used: HashMap<String, (&str, Loc)> = HashMap::new();
    let memories = seen.iter().flat_map(|(_, m)| &m.insts).filter_map(|inst| match &inst.target {
        Target::Memory(spec) => Some((spec.module_name(), inst.loc)),
        Target::Module(_) => None,
    });
    for (name, loc) in memories {
        used.entry(name).or_insert(("", loc));
    }
    for (_, m) in &seen {
        let (base, name) = (m.base_name.as_str(), &names[&Rc::as_ptr(m)]);
        let Some((other_base, other)) = used.insert(name.clone(), (base, m.loc)) else { continue };
        let advice = if other_base == base { "give their block `params()` that differ" } else { "rename a block" };
        let message = format!(
            "two different modules are called `{name}` (the other is made at {}:{}): {advice}",
            other.file(),
            other.line()
        );
        errors.push(ElabError { fault: Fault::Name, module: base.into(), loc: m.loc, message });
    }
    if !errors.is_empty() {
        return Err(ElabErrors(errors));
    }
    let mut renamed: HashMap<*const Module, Rc<Module>> = HashMap::new();
    let mut modules = Vec::new();
    rename(&top, &names, &mut renamed, &mut modules);
    Ok(Design { modules })
}

/// The name with those parameters that are not the same throughout the family.
fn folded(base: &str, m: &Module, family: &[Rc<Module>]) -> String {
    let mut name = base.to_string();
    for (i, (key, value)) in m.params.iter().enumerate() {
        if family.iter().any(|o| o.params.get(i).is_none_or(|(_, v)| v != value)) {
            name += &format!("_{}{}", key, value.replace('-', "m"));
        }
    }
    identifier(&name)
}

/// The module with every child replaced by the first identical one; itself too if an identical one was seen.
fn share(m: &Rc<Module>, seen: &mut Vec<(String, Rc<Module>)>) -> Rc<Module> {
    let mut copy = (**m).clone();
    let mut key_of_children = String::new();
    for inst in &mut copy.insts {
        if let Target::Module(child) = &inst.target {
            let shared = share(child, seen);
            key_of_children += &format!("{:p} ", Rc::as_ptr(&shared));
            inst.target = Target::Module(shared);
        }
    }
    let key = key_of_children + &verilog::module_text(&copy, &verilog::Options::default());
    if let Some((_, known)) = seen.iter().find(|(k, o)| o.base_name == m.base_name && *k == key) {
        return known.clone();
    }
    let shared = Rc::new(copy);
    seen.push((key, shared.clone()));
    shared
}

fn rename(
    m: &Rc<Module>,
    names: &HashMap<*const Module, String>,
    done: &mut HashMap<*const Module, Rc<Module>>,
    order: &mut Vec<Rc<Module>>,
) -> Rc<Module> {
    if let Some(known) = done.get(&Rc::as_ptr(m)) {
        return known.clone();
    }
    let mut copy = (**m).clone();
    copy.name = names[&Rc::as_ptr(m)].clone();
    for inst in &mut copy.insts {
        if let Target::Module(child) = &inst.target {
            inst.target = Target::Module(rename(child, names, done, order));
        }
    }
    let renamed = Rc::new(copy);
    done.insert(Rc::as_ptr(m), renamed.clone());
    order.push(renamed.clone());
    renamed
}
