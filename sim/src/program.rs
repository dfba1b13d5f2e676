//! The register compiler: turns a rules file into the register writes that install it, as an Orchestration Module does.
//!
//! Written from the register map alone ([`em_rtl::csr`]); the golden model never sees its result, so that a fault here
//! shows up as a difference.
//!
//! The writes empty the tables first, so that they install the rules whatever stood there before. All entries go to the
//! shadow bank; one commit makes them true at once, and then the other bank gets the same. Each write must answer OKAY
//! before the next. [`Live`] changes tables that carry traffic.

mod writer;
mod live;

pub use live::{Change, Live, UpdateError};
pub use writer::{Slot, Writer};

use em_rtl::{
    csr::{MapConfig, Reg},
    lookup::{Operation, Table, function_value, nat_rx_value, nat_tx_key, nat_tx_value},
    outcome::Outcome,
};
use em_rules::{
    Capacity, Feature, Function, Mac, Mode, Nat, NotForUs, PuntReason, Rules, RulesError, Unmatched, Uplink,
};
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

/// The register writes that install `rules` in hardware with this map. `profile` is its name, for messages.
///
/// # Errors
/// What the hardware has no block for, more rows than its tables hold, or a mapping that finds no place (which does not
/// happen up to the rated number): each with the line, the value and the remedy.
pub fn compile(rules: &Rules, profile: &str, map: &MapConfig) -> Result<Vec<RegisterWrite>, RulesError> {
    install(rules, profile, map).map(|(writes, _)| writes)
}

/// The same, and what stands in the tables then: to be changed by [`Live::update`].
///
/// # Errors
/// As [`compile`].
pub fn install(rules: &Rules, profile: &str, map: &MapConfig) -> Result<(Vec<RegisterWrite>, Live), RulesError> {
    rules.check_features(profile, has)?;
    rules.check_capacity(&capacity(profile, map))?;
    let entries = entries(rules)?;
    let changes: Vec<Change> = entries.iter().map(|(change, _)| *change).collect();
    let mut live = Live::new(&map.tables);
    let update = live.update(&changes).map_err(|error| {
        let (UpdateError::NoPlace { table, key } | UpdateError::Absent { table, key }) = error;
        let of_key = |change: &Change| matches!(change, Change::Set(t, k, _) if (*t, *k) == (table, key));
        let line = entries.iter().find(|(change, _)| of_key(change)).map_or(1, |(_, line)| *line);
        let text = format!(
            "there is no place in table {} of profile \"{profile}\" for this row. Remove rows, or use a larger profile.",
            table.name()
        );
        rules.fault(line, text)
    })?;
    let mut writer = Writer::default();
    writer.operation(Operation::Clear);
    let mut writes = writer.into_writes();
    writes.extend(update);
    let uplink = Reg::Uplink.field("port").place(u32::from(*rules.port.uplink == Uplink::Net1));
    let settings = [(Reg::Uplink, uplink), (Reg::NotForUs, not_for_us(rules))];
    writes.extend(settings.map(|(reg, data)| RegisterWrite { addr: reg.offset(), data }));
    let mut limits = Writer::default();
    punt_limits(rules, map.punt_limits, &mut limits);
    writes.extend(limits.into_writes());
    Ok((writes, live))
}

/// The entries of all tables, each with the line that it comes from.
fn entries(rules: &Rules) -> Result<Vec<(Change, usize)>, RulesError> {
    let mut entries = Vec::new();
    let hops = rules.next_hops();
    for (index, mac) in (0u64..).zip(&hops) {
        entries.push((Change::Set(Table::NextHop, index, mac_bits(**mac)), mac.line));
    }
    for function in &rules.functions {
        let set = Change::Set(Table::Function, u64::from(*function.id), function_entry(function));
        entries.push((set, function.line));
    }
    for (mac, function) in rules.passing() {
        entries.push((Change::Set(Table::Mac, mac_bits(*mac), function.into()), mac.line));
    }
    for nat in &rules.nat {
        let (inside, outside) = (v4(rules, nat, *nat.inside)?, v4(rules, nat, *nat.outside)?);
        // The capacity was checked: indices have 8 bits.
        let hop = nat.next_hop_mac.and_then(|mac| hops.iter().position(|hop| **hop == *mac)).map(|index| index as u8);
        let tx = nat_tx_value(outside, hop, *nat.route);
        let rx = nat_rx_value(inside, *nat.function, hop.is_some(), *nat.route);
        entries.push((Change::Set(Table::NatTx, nat_tx_key(*nat.function, inside), tx), nat.line));
        entries.push((Change::Set(Table::NatRx, outside.into(), rx), nat.line));
    }
    Ok(entries)
}

/// The writes as JSON: `[{"addr":…,"data":…},…]`.
pub fn to_json(writes: &[RegisterWrite]) -> String {
    serde_json::to_string(writes).expect("two numbers a write are JSON")
}

/// How many rows of each section the tables hold.
pub fn capacity(profile: &str, map: &MapConfig) -> Capacity {
    let tables = &map.tables;
    let slots = |table| tables.geometry(table).slots() as usize;
    Capacity {
        function_ids: tables.functions as usize,
        nat: tables.rated_mappings() as usize,
        next_hops: slots(Table::NextHop),
        macs: tables.geometry(Table::Mac).rated() as usize,
        punt_limits: map.punt_limits as usize,
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
        | Feature::UplinkNet1
        | Feature::PuntLimit => true,
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

/// Programs every limiter: those that the rules have, in their order, and then switches off the others.
fn punt_limits(rules: &Rules, limiters: u32, writer: &mut Writer) {
    let fields = Reg::PuntLimitMatch;
    for place in 0..limiters {
        writer.set(Reg::PuntLimitSelect, Reg::PuntLimitSelect.field("limiter").place(place));
        let Some(limit) = rules.punt_limits.get(place as usize) else {
            writer.set(fields, 0);
            continue;
        };
        writer.set(Reg::PuntLimitInterval, Reg::PuntLimitInterval.field("clocks").place(*limit.clocks_per_frame));
        writer.set(Reg::PuntLimitBurst, Reg::PuntLimitBurst.field("frames").place(u32::from(*limit.burst)));
        let function = match limit.function {
            Some(function) => fields.field("function").place(u32::from(*function)),
            None => fields.field("any_function").place(1),
        };
        let reason = match limit.reason {
            Some(reason) => fields.field("reason").place(punt_outcome(*reason).code() as u32),
            None => fields.field("any_reason").place(1),
        };
        writer.set(fields, fields.field("enable").place(1) | function | reason);
    }
}

/// The outcome of a frame that is punted for this reason.
fn punt_outcome(reason: PuntReason) -> Outcome {
    match reason {
        PuntReason::Unmatched => Outcome::PuntUnmatched,
        PuntReason::UnsupportedL4 => Outcome::PuntUnsupportedL4,
        PuntReason::Roce => Outcome::PuntRoce,
        PuntReason::IcmpQuoteOptions => Outcome::PuntIcmpQuoteOptions,
        PuntReason::IcmpQuoteAddress => Outcome::PuntIcmpQuoteAddress,
        PuntReason::Ttl => Outcome::PuntTtl,
        PuntReason::NotForUs => Outcome::PuntNotForUs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use em_rtl::outcome::Kind;

    #[test]
    fn the_reasons_of_the_rules_are_those_of_the_hardware() {
        let hardware: Vec<&str> =
            Outcome::ALL.iter().filter(|o| o.kind() == Kind::Punt).map(|outcome| outcome.name()).collect();
        let rules: Vec<&str> = PuntReason::ALL.iter().map(|reason| reason.as_str()).collect();
        assert_eq!(rules, hardware);
        for reason in PuntReason::ALL {
            assert_eq!(punt_outcome(*reason).name(), reason.as_str());
        }
    }
}
