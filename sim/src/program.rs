//! The register compiler: turns a rules file into the register writes that install it, as an Orchestration Module does.
//!
//! Written from the register map alone ([`em_rtl::csr`]); the golden model never sees its result, so that a fault here
//! shows up as a difference.
//!
//! The writes empty the tables first, so that they install the rules whatever stood there before; then come the
//! mappings, and the functions last, so that no function forwards before its mappings are there. Each write must answer
//! OKAY before the next.

mod placement;

pub use placement::place;

use em_rtl::{
    csr::Reg,
    lookup::{Lookup, Operation},
};
use em_rules::{Capacity, Feature, Function, Mode, Nat, Rules, RulesError, Unmatched};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, net::IpAddr};

/// One write of 32 bits on the register bus.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct RegisterWrite {
    /// Byte address.
    pub addr: u32,
    /// Data; all four bytes are written.
    pub data: u32,
}

/// The register writes that install `rules` in hardware with these tables. `profile` is its name, for messages.
///
/// # Errors
/// What the hardware has no block for, more rows than its tables hold, or a mapping that finds no place (which does not
/// happen up to the rated number): each with the line, the value and the remedy.
pub fn compile(rules: &Rules, profile: &str, tables: &Lookup) -> Result<Vec<RegisterWrite>, RulesError> {
    rules.check_features(profile, has)?;
    rules.check_capacity(&capacity(profile, tables))?;
    let mut program = Program::default();
    program.command(Reg::Control, Reg::Control.field("clear_tables").place(1));
    install_mappings(rules, profile, tables, &mut program)?;
    for function in &rules.functions {
        program.stage(Reg::FunctionIndex, u32::from(*function.id));
        program.command(Reg::FunctionEntry, entry(function));
    }
    Ok(program.writes)
}

/// The writes as JSON: `[{"addr":…,"data":…},…]`.
pub fn to_json(writes: &[RegisterWrite]) -> String {
    serde_json::to_string(writes).expect("two numbers a write are JSON")
}

/// How many rows of each section the tables hold.
pub fn capacity(profile: &str, tables: &Lookup) -> Capacity {
    Capacity {
        function_ids: tables.functions as usize,
        nat: tables.rated_mappings() as usize,
        macs: tables.functions as usize,
        ..Capacity::nothing(profile)
    }
}

/// What the hardware has a block for.
fn has(feature: Feature) -> bool {
    matches!(feature, Feature::ModeNat | Feature::ModePass | Feature::ModeDrop | Feature::NatIpv4)
}

fn install_mappings(rules: &Rules, profile: &str, tables: &Lookup, program: &mut Program) -> Result<(), RulesError> {
    let rows = rules.nat.iter().map(|nat| Ok((nat, v4(rules, nat, *nat.inside)?, v4(rules, nat, *nat.outside)?)));
    let rows: Vec<(&Nat, u32, u32)> = rows.collect::<Result<_, RulesError>>()?;
    let keys: Vec<u128> = rows.iter().map(|(nat, inside, _)| Lookup::nat_key(*nat.function, *inside)).collect();
    let slots = place(&tables.nat_table(), &keys).map_err(|index| {
        let (nat, ..) = rows[index];
        let text = format!(
            "there is no place in the NAT table of profile \"{profile}\" for inside address {} of function {}, after {index} \
             others. Remove mappings, or use a larger profile.",
            *nat.inside, *nat.function
        );
        rules.fault(nat.line, text)
    })?;
    for ((nat, inside, outside), slot) in rows.into_iter().zip(slots) {
        program.stage(Reg::NatFunction, u32::from(*nat.function));
        program.stage(Reg::NatInside, inside);
        program.stage(Reg::NatOutside, outside);
        let place = Reg::NatSlot.field("way").place(slot.way) | Reg::NatSlot.field("row").place(slot.row);
        program.stage(Reg::NatSlot, place);
        program.command(Reg::NatCommand, Reg::NatCommand.field("operation").place(Operation::Insert as u32));
    }
    Ok(())
}

fn v4(rules: &Rules, nat: &Nat, address: IpAddr) -> Result<u32, RulesError> {
    match address {
        IpAddr::V4(v4) => Ok(v4.to_bits()),
        IpAddr::V6(_) => Err(rules.fault(nat.line, format!("{address} is not an IPv4 address. Map IPv4 addresses."))),
    }
}

/// Value of FUNCTION_ENTRY.
fn entry(function: &Function) -> u32 {
    let field = |name: &str, value: u32| Reg::FunctionEntry.field(name).place(value);
    let mode = match *function.mode {
        Mode::Nat => 0,
        Mode::Pass => 1,
        Mode::Drop => 2,
        Mode::Vxlan => 3,
    };
    let unmatched = match *function.unmatched {
        Unmatched::Punt => 0,
        Unmatched::Drop => 1,
        Unmatched::Pass => 2,
    };
    field("valid", 1) | field("mode", mode) | field("unmatched", unmatched)
}

/// Writes in order. A staging register is written only where its value changes.
#[derive(Default)]
struct Program {
    writes: Vec<RegisterWrite>,
    staged: HashMap<Reg, u32>,
}

impl Program {
    fn stage(&mut self, reg: Reg, data: u32) {
        if self.staged.insert(reg, data) != Some(data) {
            self.command(reg, data);
        }
    }

    fn command(&mut self, reg: Reg, data: u32) {
        self.writes.push(RegisterWrite { addr: reg.offset(), data });
    }
}
