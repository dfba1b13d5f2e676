//! The register compiler: turns a rules file into the register writes that install it, as an Orchestration Module does.
//!
//! Written from the register map alone ([`em_rtl::csr`]); the golden model never sees its result, so that a fault here
//! shows up as a difference.
//!
//! The writes empty the tables first, so that they install the rules whatever stood there before. All entries go to the
//! shadow bank; one commit makes them true at once, and a sync gives the other bank the same. Each write must answer OKAY
//! before the next.

mod placement;
mod writer;

pub use placement::{Slot, place};
pub use writer::Writer;

use em_rtl::{
    csr::Reg,
    lookup::{Operation, Table, Tables, function_value, nat_rx_value, nat_tx_key, nat_tx_value},
};
use em_rules::{Capacity, Feature, Function, Mac, Mode, Nat, NotForUs, Rules, RulesError, Unmatched, Uplink};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

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
pub fn compile(rules: &Rules, profile: &str, tables: &Tables) -> Result<Vec<RegisterWrite>, RulesError> {
    rules.check_features(profile, has)?;
    rules.check_capacity(&capacity(profile, tables))?;
    let mut writer = Writer::default();
    writer.operation(Operation::Clear);
    let hops = rules.next_hops();
    for (index, mac) in (0u32..).zip(&hops) {
        writer.insert(Table::NextHop, Slot { way: 0, row: index }, 0, mac_bits(**mac));
    }
    for function in &rules.functions {
        writer.insert(Table::Function, Slot { way: 0, row: u32::from(*function.id) }, 0, function_entry(function));
    }
    install_passing(rules, profile, tables, &mut writer)?;
    install_mappings(rules, profile, tables, &hops.iter().map(|mac| **mac).collect::<Vec<_>>(), &mut writer)?;
    writer.operation(Operation::Commit);
    writer.operation(Operation::Sync);
    writer.set(Reg::Uplink, Reg::Uplink.field("port").place(u32::from(*rules.port.uplink == Uplink::Net1)));
    writer.set(Reg::NotForUs, not_for_us(rules));
    Ok(writer.into_writes())
}

/// The writes as JSON: `[{"addr":…,"data":…},…]`.
pub fn to_json(writes: &[RegisterWrite]) -> String {
    serde_json::to_string(writes).expect("two numbers a write are JSON")
}

/// How many rows of each section the tables hold.
pub fn capacity(profile: &str, tables: &Tables) -> Capacity {
    let slots = |table| tables.geometry(table).slots() as usize;
    Capacity {
        function_ids: tables.functions as usize,
        nat: tables.rated_mappings() as usize,
        next_hops: slots(Table::NextHop),
        macs: slots(Table::Mac) * 95 / 100,
        ..Capacity::nothing(profile)
    }
}

/// What the hardware has a block for.
fn has(feature: Feature) -> bool {
    match feature {
        Feature::ModeNat
        | Feature::ModePass
        | Feature::ModeDrop
        | Feature::NatIpv4
        | Feature::NextHop
        | Feature::Route
        | Feature::NotForUs
        | Feature::UplinkNet1 => true,
        Feature::ModeVxlan
        | Feature::NatIpv6
        | Feature::UplinkSpread
        | Feature::Vtep
        | Feature::Vni
        | Feature::Tunnel
        | Feature::Local
        | Feature::Acl => false,
    }
}

fn install_passing(rules: &Rules, profile: &str, tables: &Tables, writer: &mut Writer) -> Result<(), RulesError> {
    let passing: Vec<_> = rules.passing().collect();
    let keys: Vec<u128> = passing.iter().map(|(mac, _)| mac_bits(**mac).into()).collect();
    let slots = place(&tables.geometry(Table::Mac), &keys).map_err(|index| {
        let (mac, function) = passing[index];
        let text = format!(
            "there is no place in the MAC table of profile \"{profile}\" for function {function}, after {index} others. \
             Use fewer functions in mode pass, or a larger profile."
        );
        rules.fault(mac.line, text)
    })?;
    for ((mac, function), slot) in passing.into_iter().zip(slots) {
        writer.insert(Table::Mac, slot, mac_bits(*mac), function.into());
    }
    Ok(())
}

fn install_mappings(
    rules: &Rules,
    profile: &str,
    tables: &Tables,
    hops: &[Mac],
    writer: &mut Writer,
) -> Result<(), RulesError> {
    let rows = rules.nat.iter().map(|nat| Ok((nat, v4(rules, nat, *nat.inside)?, v4(rules, nat, *nat.outside)?)));
    let rows: Vec<(&Nat, u32, u32)> = rows.collect::<Result<_, RulesError>>()?;
    let refused = |index: usize, which: &str, address: IpAddr| {
        let (nat, ..) = rows[index];
        let text = format!(
            "there is no place in the NAT table of profile \"{profile}\" for {which} address {address} of function {}, after \
             {index} others. Remove mappings, or use a larger profile.",
            *nat.function
        );
        rules.fault(nat.line, text)
    };
    let tx_keys: Vec<u128> = rows.iter().map(|(nat, inside, _)| nat_tx_key(*nat.function, *inside).into()).collect();
    let tx_slots = place(&tables.geometry(Table::NatTx), &tx_keys)
        .map_err(|index| refused(index, "inside", *rows[index].0.inside))?;
    let rx_keys: Vec<u128> = rows.iter().map(|(_, _, outside)| (*outside).into()).collect();
    let rx_slots = place(&tables.geometry(Table::NatRx), &rx_keys)
        .map_err(|index| refused(index, "outside", *rows[index].0.outside))?;
    for (((nat, inside, outside), tx_slot), rx_slot) in rows.iter().zip(tx_slots).zip(rx_slots) {
        let hop =
            nat.next_hop_mac.map(|mac| hops.iter().position(|hop| *hop == *mac).expect("every next hop is listed"));
        let tx_value = nat_tx_value(*outside, hop.map(|index| index as u8), *nat.route);
        writer.insert(Table::NatTx, tx_slot, nat_tx_key(*nat.function, *inside), tx_value);
        let rx_value = nat_rx_value(*inside, *nat.function, hop.is_some(), *nat.route);
        writer.insert(Table::NatRx, rx_slot, (*outside).into(), rx_value);
    }
    Ok(())
}

fn v4(rules: &Rules, nat: &Nat, address: IpAddr) -> Result<u32, RulesError> {
    match address {
        IpAddr::V4(v4) => Ok(v4.to_bits()),
        IpAddr::V6(_) => Err(rules.fault(nat.line, format!("{address} is not an IPv4 address. Map IPv4 addresses."))),
    }
}

/// The address as a number, the first byte on the wire most significant.
fn mac_bits(mac: Mac) -> u64 {
    mac.0.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// Value of a function's entry.
fn function_entry(function: &Function) -> u64 {
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
    function_value(mode, unmatched, function.mac.map_or(0, |mac| mac_bits(*mac)))
}

/// Value of NOT_FOR_US.
fn not_for_us(rules: &Rules) -> u32 {
    let action = match *rules.port.not_for_us {
        NotForUs::Punt => 0,
        NotForUs::Drop => 1,
        NotForUs::Pass => 2,
    };
    let function = rules.port.pass_function.map_or(0, |function| u32::from(*function));
    Reg::NotForUs.field("action").place(action) | Reg::NotForUs.field("pass_function").place(function)
}
