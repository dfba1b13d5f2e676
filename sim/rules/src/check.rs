//! What rows say about each other: duplicates, references, address families.

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;
use std::net::IpAddr;

use crate::addresses::family;
use crate::source::Source;
use crate::{At, Function, Lookup, Mac, Match, Mode, Rules, RulesError, Vni};

/// All checks, section by section in the reference's order.
pub(crate) fn rules(source: &Source<'_>, rules: &Rules) -> Result<(), RulesError> {
    let functions = rules.functions.iter().rev().map(|function| (*function.id, function)).collect();
    let vnis = rules.vnis.iter().rev().map(|vni| (*vni.id, vni)).collect();
    Check { source, rules, functions, vnis }.all()
}

struct Check<'a> {
    source: &'a Source<'a>,
    rules: &'a Rules,
    functions: HashMap<u16, &'a Function>,
    vnis: HashMap<u32, &'a Vni>,
}

/// Refuses a second row with the same key, naming both lines.
struct Once<'a, K> {
    source: &'a Source<'a>,
    seen: HashMap<K, usize>,
}

impl<K: Hash + Eq> Once<'_, K> {
    fn add(&mut self, key: K, line: usize, what: impl Display) -> Result<(), RulesError> {
        self.add_for(key, line, what, "Remove or change one of the two.")
    }

    fn add_for(&mut self, key: K, line: usize, what: impl Display, remedy: &str) -> Result<(), RulesError> {
        match self.seen.insert(key, line) {
            None => Ok(()),
            Some(first) => Err(self.source.fault(line, format!("{what} is already given in line {first}. {remedy}"))),
        }
    }
}

impl<'a> Check<'a> {
    fn once<K>(&self) -> Once<'a, K> {
        Once { source: self.source, seen: HashMap::new() }
    }

    fn fault(&self, line: usize, message: impl Into<String>) -> RulesError {
        self.source.fault(line, message)
    }

    fn all(&self) -> Result<(), RulesError> {
        self.functions()?;
        self.nat()?;
        self.underlay()?;
        self.tunnels()?;
        self.locals()?;
        self.port()?;
        self.acls()?;
        self.punt_limits()
    }

    /// The function that `id` names.
    fn function(&self, id: At<u16>) -> Result<&'a Function, RulesError> {
        self.functions.get(&id.value).copied().ok_or_else(|| {
            let id_value = id.value;
            let text = format!("function {id_value} is not declared. Add a [[function]] with id = {id_value}.");
            self.fault(id.line, text)
        })
    }

    /// The network that `id` names.
    fn vni(&self, id: At<u32>) -> Result<&'a Vni, RulesError> {
        self.vnis.get(&id.value).copied().ok_or_else(|| {
            let id_value = id.value;
            let text = format!("VNI {id_value:#x} is not declared. Add a [[vni]] with id = {id_value:#x}.");
            self.fault(id.line, text)
        })
    }

    fn functions(&self) -> Result<(), RulesError> {
        let mut ids = self.once::<u16>();
        let mut pass_macs = self.once::<Mac>();
        for function in &self.rules.functions {
            let id = function.id;
            ids.add(id.value, id.line, format_args!("function id {}", id.value))?;
            if let (Mode::Pass, Some(mac)) = (function.mode.value, function.mac) {
                let what = format!("MAC address {} of a function in mode \"pass\"", *mac);
                let remedy = "Give each its own: frames from the network are told apart by it.";
                pass_macs.add_for(mac.value, mac.line, what, remedy)?;
            }
            if let Some(vni) = function.vni {
                self.vni(vni)?;
            }
        }
        Ok(())
    }

    fn nat(&self) -> Result<(), RulesError> {
        let mut insides = self.once::<(u16, IpAddr)>();
        let mut outsides = self.once::<IpAddr>();
        for nat in &self.rules.nat {
            let (id, inside, outside) = (nat.function, nat.inside, nat.outside);
            let function = self.function(id)?;
            if function.mode.value != Mode::Nat {
                let text = format!(
                    "function {} is in mode \"{}\" (line {}), so it takes no [[nat]] row. \
                     Remove the row, or write mode = \"nat\".",
                    id.value, function.mode.value, function.mode.line
                );
                return Err(self.fault(id.line, text));
            }
            if inside.is_ipv4() != outside.is_ipv4() {
                let text = format!(
                    "inside {} (line {}) is {} and outside {} is {}. Write two addresses of one family.",
                    *inside,
                    inside.line,
                    family(*inside),
                    *outside,
                    family(*outside)
                );
                return Err(self.fault(outside.line, text));
            }
            let what = format!("inside address {} of function {}", *inside, id.value);
            insides.add((id.value, inside.value), inside.line, what)?;
            outsides.add(outside.value, outside.line, format_args!("outside address {}", *outside))?;
            if let (Some(next_hop), None) = (nat.next_hop_mac, function.mac) {
                let text = format!(
                    "a next hop needs a source MAC address, but function {} (line {}) has no `mac`. Add it there.",
                    id.value, function.line
                );
                return Err(self.fault(next_hop.line, text));
            }
        }
        Ok(())
    }

    fn underlay(&self) -> Result<(), RulesError> {
        let mut vteps = self.once::<IpAddr>();
        for vtep in &self.rules.vteps {
            vteps.add(vtep.ip.value, vtep.ip.line, format_args!("VTEP address {}", *vtep.ip))?;
        }
        let mut vnis = self.once::<u32>();
        for vni in &self.rules.vnis {
            vnis.add(vni.id.value, vni.id.line, format_args!("VNI {:#x}", *vni.id))?;
            let mut peers = self.once::<IpAddr>();
            for peer in &vni.peers {
                peers.add(peer.value, peer.line, format_args!("peer {} of VNI {:#x}", peer.value, *vni.id))?;
            }
        }
        Ok(())
    }

    /// Whether `matches` is of the kind that the VNI looks up.
    fn lookup(&self, vni: &Vni, matches: At<Match>) -> Result<(), RulesError> {
        let (found, word) = match (vni.lookup.value, matches.value) {
            (Lookup::Mac, Match::Ip(address)) => (address.to_string(), "a MAC"),
            (Lookup::Ip, Match::Mac(address)) => (address.to_string(), "an IP"),
            _ => return Ok(()),
        };
        let text = format!(
            "`match = \"{found}\"` does not fit lookup = \"{}\" of VNI {:#x} (line {}). Write {word} address or \"default\".",
            *vni.lookup, *vni.id, vni.lookup.line
        );
        Err(self.fault(matches.line, text))
    }

    fn tunnels(&self) -> Result<(), RulesError> {
        let mut keys = self.once::<(u32, Match)>();
        for tunnel in &self.rules.tunnels {
            let (local, remote) = (tunnel.local, tunnel.remote);
            self.lookup(self.vni(tunnel.vni)?, tunnel.matches)?;
            if !self.rules.vteps.iter().any(|vtep| vtep.ip.value == local.value) {
                let text = format!("{} is not a declared VTEP. Add a [[vtep]] with ip = \"{}\".", *local, *local);
                return Err(self.fault(local.line, text));
            }
            if local.is_ipv4() != remote.is_ipv4() {
                let text = format!(
                    "local {} (line {}) is {} and remote {} is {}. Write two addresses of one family.",
                    *local,
                    local.line,
                    family(*local),
                    *remote,
                    family(*remote)
                );
                return Err(self.fault(remote.line, text));
            }
            let what = format!("a tunnel for {} in VNI {:#x}", described(*tunnel.matches), *tunnel.vni);
            keys.add((*tunnel.vni, *tunnel.matches), tunnel.matches.line, what)?;
        }
        Ok(())
    }

    fn locals(&self) -> Result<(), RulesError> {
        let mut keys = self.once::<(u32, Match)>();
        for local in &self.rules.locals {
            self.lookup(self.vni(local.vni)?, local.matches)?;
            let function = self.function(local.function)?;
            if function.vni.is_none_or(|vni| vni.value != *local.vni) {
                let text = format!(
                    "function {} (line {}) is not in VNI {:#x}, so it must not get its frames. \
                     Name a function with mode = \"vxlan\" and vni = {:#x}.",
                    *local.function, function.line, *local.vni, *local.vni
                );
                return Err(self.fault(local.function.line, text));
            }
            let what = format!("a local row for {} in VNI {:#x}", described(*local.matches), *local.vni);
            keys.add((*local.vni, *local.matches), local.matches.line, what)?;
        }
        Ok(())
    }

    fn port(&self) -> Result<(), RulesError> {
        let Some(id) = self.rules.port.pass_function else { return Ok(()) };
        let function = self.function(id)?;
        let why = match function.mode.value {
            Mode::Nat | Mode::Pass => return Ok(()),
            Mode::Drop => "so it gets no frames",
            Mode::Vxlan => "so frames from outside its network must not get in",
        };
        let text = format!(
            "function {} is in mode \"{}\" (line {}), {why}. Name a function in mode \"pass\" or \"nat\".",
            id.value, function.mode.value, function.mode.line
        );
        Err(self.fault(id.line, text))
    }

    fn acls(&self) -> Result<(), RulesError> {
        for acl in &self.rules.acls {
            if let Some(id) = acl.function {
                self.function(id)?;
            }
            if let (Some(src), Some(dst)) = (acl.src, acl.dst)
                && src.address.is_ipv4() != dst.address.is_ipv4()
            {
                let text = format!(
                    "src (line {}) is {} and dst is {}. Write two prefixes of one family.",
                    src.line,
                    family(src.address),
                    family(dst.address)
                );
                return Err(self.fault(dst.line, text));
            }
            if let Some(ports) = acl.dst_port.or(acl.src_port)
                && !acl.proto.is_some_and(|proto| proto.has_ports())
            {
                let text = "a rule with ports needs a protocol that has them. Write proto = \"tcp\" or \"udp\".";
                return Err(self.fault(ports.line, text));
            }
        }
        Ok(())
    }
}

impl Check<'_> {
    fn punt_limits(&self) -> Result<(), RulesError> {
        let limits = &self.rules.punt_limits;
        for (place, limit) in limits.iter().enumerate() {
            if let Some(id) = limit.function {
                self.function(id)?;
            }
            if let Some(before) = limits[..place].iter().find(|before| before.covers(limit)) {
                let text = format!(
                    "this [[punt_limit]] never counts: that of line {} comes first and fits all its frames. \
                     Put it before, or remove it.",
                    before.line
                );
                return Err(self.fault(limit.line, text));
            }
        }
        Ok(())
    }
}

fn described(matches: Match) -> String {
    match matches {
        Match::Mac(mac) => mac.to_string(),
        Match::Ip(address) => address.to_string(),
        Match::Default => "\"default\"".to_owned(),
    }
}
