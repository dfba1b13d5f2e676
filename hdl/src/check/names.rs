//! Port and module names: they stand in the Verilog as they are, so they must be identifiers and unlike one another.

use super::error;
use crate::{
    error::{ElabError, Fault},
    ir::*,
    names::identifier,
};
use std::collections::HashMap;

/// Faults of a module's name and of its ports' names, before anything is renamed.
pub(crate) fn port_names(m: &Module) -> Vec<ElabError> {
    let mut errors = Vec::new();
    let mut fault = |message: String| errors.push(error(m, Fault::Name, m.loc, message));
    if identifier(&m.base_name) != m.base_name {
        fault(format!(
            "`{}` cannot be a module's name in Verilog: use e.g. `{}`",
            m.base_name,
            identifier(&m.base_name)
        ));
    }
    let mut taken: HashMap<String, String> = HashMap::new();
    for d in &m.domains {
        taken.insert(d.clk(), format!("the clock of domain `{}`", d.clk()));
        taken.insert(d.rst(), format!("the reset of domain `{}`", d.clk()));
    }
    for (_, s, _) in m.ports() {
        if identifier(&s.name) != s.name {
            fault(format!(
                "`{}` cannot be a port's name in Verilog: call the field e.g. `{}`",
                s.name,
                identifier(&s.name)
            ));
        }
        if let Some(other) = taken.insert(s.name.clone(), format!("another port of {} bits", s.width)) {
            fault(format!("the port name `{}` is taken by {other}: rename the field", s.name));
        }
    }
    errors
}
