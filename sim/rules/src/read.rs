//! From TOML tables to rows: types and ranges of single values.

use std::net::IpAddr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::addresses::{host_ip, ip};
use crate::section::Section;
use crate::source::{Source, quoted};
use crate::{
    Acl, AclAction, At, Dir, Dscp, Function, Local, Lookup, Mac, Match, Mode, Nat, NotForUs, OverMtu, PortRange,
    PortRules, Prefix, Proto, PuntLimit, PuntReason, Rules, RulesError, Tunnel, Unmatched, Uplink, Vlan, Vni, Vtep,
};

/// The largest VXLAN network identifier (RFC 7348 section 5: 24 bits).
const VNI_MOST: i64 = 0xff_ffff;
/// The smallest MTU that IPv4 allows (RFC 791 section 3.2).
const MTU_LEAST: i64 = 68;

/// Least and greatest interval of a limit in clocks: hardware with the most limits looks at each once in 64.
const INTERVAL: (i64, i64) = (64, (1 << 28) - 1);
/// The most frames that a limit lets go at once.
const BURST_MOST: i64 = 1023;

const ARRAYS: [&str; 8] = ["function", "nat", "vtep", "vni", "tunnel", "local", "acl", "punt_limit"];

/// Reads the whole text.
pub(crate) fn rules(source: &Source<'_>) -> Result<Rules, RulesError> {
    let file = DeTable::parse(source.text).map_err(|error| source.syntax(&error))?;
    let file = file.get_ref();
    for key in file.keys() {
        let name = key.get_ref().as_ref();
        if name != "port" && !ARRAYS.contains(&name) {
            let known = ARRAYS.map(|name| format!("[[{name}]]")).join(", ");
            let text = format!("a rules file has no section {}. Its sections are {known} and [port].", quoted(name));
            return Err(source.fault(source.line(key.span().start), text));
        }
    }
    Ok(Rules {
        name: source.name().to_owned(),
        functions: each(source, file, "function", function)?,
        nat: each(source, file, "nat", nat)?,
        vteps: each(source, file, "vtep", vtep)?,
        vnis: each(source, file, "vni", vni)?,
        tunnels: each(source, file, "tunnel", tunnel)?,
        locals: each(source, file, "local", local)?,
        port: port(source, find(file, "port"))?,
        acls: each(source, file, "acl", acl)?,
        punt_limits: each(source, file, "punt_limit", punt_limit)?,
    })
}

fn find<'a, 'i>(file: &'a DeTable<'i>, name: &str) -> Option<&'a Spanned<DeValue<'i>>> {
    file.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
}

/// Every row of the array `name`, through `read`.
fn each<'a, 'i, T>(
    source: &'a Source<'a>,
    file: &'a DeTable<'i>,
    name: &str,
    read: impl Fn(&'a Source<'a>, &'a Spanned<DeValue<'i>>) -> Result<T, RulesError>,
) -> Result<Vec<T>, RulesError> {
    let Some(value) = find(file, name) else { return Ok(Vec::new()) };
    let Some(array) = value.get_ref().as_array() else {
        let text = format!("`{name}` is not a list of tables. Write its header as [[{name}]], in double brackets.");
        return Err(source.fault(source.line(value.span().start), text));
    };
    array.iter().map(|row| read(source, row)).collect()
}

fn text<T>(convert: impl Fn(&str) -> Result<T, String>) -> impl Fn(&DeValue<'_>) -> Result<T, String> {
    move |value| match value.as_str() {
        Some(text) => convert(text),
        None => Err("is not text. Write it in double quotes".to_owned()),
    }
}

fn number<T: TryFrom<i64>>(least: i64, most: i64) -> impl Fn(&DeValue<'_>) -> Result<T, String> {
    move |value| {
        let Some(integer) = value.as_integer() else {
            return Err(format!("is not a number. Write an integer from {least} to {most}, without quotes"));
        };
        let found = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
        let found = found.filter(|found| (least..=most).contains(found)).and_then(|found| T::try_from(found).ok());
        found.ok_or_else(|| format!("is out of range. Write an integer from {least} to {most}"))
    }
}

fn truth(value: &DeValue<'_>) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "is neither true nor false. Write one of the two, without quotes".to_owned())
}

/// An underlay address: unicast, as VXLAN without replication needs.
fn vtep_ip(address: &str) -> Result<IpAddr, String> {
    host_ip(address)
}

fn matches(value: &str) -> Result<Match, String> {
    if value == "default" {
        Ok(Match::Default)
    } else if let Ok(address) = value.parse() {
        Ok(Match::Ip(address))
    } else {
        let what = "is neither a MAC address, an IP address nor \"default\". Write one of these";
        Mac::parse(value).map(Match::Mac).map_err(|_| what.to_owned())
    }
}

fn ports(value: &DeValue<'_>) -> Result<PortRange, String> {
    if value.is_integer() {
        number(0, 65535)(value).map(|port| PortRange { first: port, last: port })
    } else {
        text(PortRange::parse)(value)
    }
}

fn proto(value: &DeValue<'_>) -> Result<Proto, String> {
    if value.is_integer() { number(0, 255)(value).map(Proto) } else { text(Proto::parse)(value) }
}

fn weights(value: &DeValue<'_>) -> Result<[u8; 2], String> {
    let bad = || "is not two shares. Write two integers from 0 to 255, not both 0, such as [1, 1]".to_owned();
    let array = value.as_array().ok_or_else(bad)?;
    let shares: Vec<u8> =
        array.iter().map(|share| number(0, 255)(share.get_ref())).collect::<Result<_, _>>().map_err(|_| bad())?;
    shares.try_into().ok().filter(|shares| *shares != [0, 0]).ok_or_else(bad)
}

type Row<'a, 'i> = &'a Spanned<DeValue<'i>>;

fn function<'a>(source: &'a Source<'a>, row: Row<'a, '_>) -> Result<Function, RulesError> {
    const KEYS: &[(&str, &str)] = &[
        ("id", "1"),
        ("mode", "\"nat\""),
        ("mac", "\"02:00:00:00:00:0a\""),
        ("unmatched", "\"punt\""),
        ("vni", "0x123456"),
    ];
    let section = Section::new(source, "[[function]]", KEYS, row)?;
    let read = Function {
        line: section.line,
        id: section.req("id", number(0, 65535))?,
        mode: section.req("mode", text(Mode::parse))?,
        mac: section.opt("mac", text(Mac::parse_station))?,
        unmatched: section.or("unmatched", Unmatched::Punt, text(Unmatched::parse))?,
        vni: section.opt("vni", number(0, VNI_MOST))?,
    };
    match (read.mode.value, read.vni, read.mac) {
        (Mode::Vxlan, None, _) => Err(section.missing("vni", ", which mode \"vxlan\" needs")),
        (Mode::Pass, _, None) => {
            Err(section.missing("mac", ", by which mode \"pass\" knows its frames from the network"))
        }
        (mode, Some(vni), _) if mode != Mode::Vxlan => {
            let text = format!("`vni` means nothing in mode \"{mode}\". Remove it, or write mode = \"vxlan\".");
            Err(source.fault(vni.line, text))
        }
        (Mode::Vxlan, ..) if read.unmatched.value == Unmatched::Pass => {
            let text = "`unmatched = \"pass\"` would let a tenant's frames out of its VXLAN network. \
                        Write \"punt\" or \"drop\".";
            Err(source.fault(read.unmatched.line, text))
        }
        _ => Ok(read),
    }
}

fn nat<'a>(source: &'a Source<'a>, row: Row<'a, '_>) -> Result<Nat, RulesError> {
    const KEYS: &[(&str, &str)] = &[
        ("function", "1"),
        ("inside", "\"192.0.2.10\""),
        ("outside", "\"203.0.113.5\""),
        ("next_hop_mac", "\"02:00:00:00:0a:01\""),
        ("route", "false"),
    ];
    let section = Section::new(source, "[[nat]]", KEYS, row)?;
    let read = Nat {
        line: section.line,
        function: section.req("function", number(0, 65535))?,
        inside: section.req("inside", text(host_ip))?,
        outside: section.req("outside", text(host_ip))?,
        next_hop_mac: section.opt("next_hop_mac", text(Mac::parse_station))?,
        route: section.or("route", false, truth)?,
    };
    if read.route.value && read.next_hop_mac.is_none() {
        return Err(section.missing("next_hop_mac", ", which `route = true` needs"));
    }
    Ok(read)
}

fn vtep<'a>(source: &'a Source<'a>, row: Row<'a, '_>) -> Result<Vtep, RulesError> {
    const KEYS: &[(&str, &str)] = &[("ip", "\"198.51.100.1\""), ("mac", "\"02:00:00:00:0a:02\"")];
    let section = Section::new(source, "[[vtep]]", KEYS, row)?;
    Ok(Vtep {
        line: section.line,
        ip: section.req("ip", text(vtep_ip))?,
        mac: section.req("mac", text(Mac::parse_station))?,
    })
}

fn vni<'a>(source: &'a Source<'a>, row: Row<'a, '_>) -> Result<Vni, RulesError> {
    const KEYS: &[(&str, &str)] = &[
        ("id", "0x123456"),
        ("lookup", "\"mac\""),
        ("vlan", "\"drop\""),
        ("mtu", "1500"),
        ("over_mtu", "\"drop\""),
        ("peers", "[\"198.51.100.2\"]"),
    ];
    let section = Section::new(source, "[[vni]]", KEYS, row)?;
    Ok(Vni {
        line: section.line,
        id: section.req("id", number(0, VNI_MOST))?,
        lookup: section.or("lookup", Lookup::Mac, text(Lookup::parse))?,
        vlan: section.or("vlan", Vlan::Drop, text(Vlan::parse))?,
        mtu: section.or("mtu", 1500, number(MTU_LEAST, 65535))?,
        over_mtu: section.or("over_mtu", OverMtu::Drop, text(OverMtu::parse))?,
        peers: section.list("peers", text(vtep_ip))?,
    })
}

fn tunnel<'a>(source: &'a Source<'a>, row: Row<'a, '_>) -> Result<Tunnel, RulesError> {
    const KEYS: &[(&str, &str)] = &[
        ("vni", "0x123456"),
        ("match", "\"02:00:00:00:00:01\""),
        ("local", "\"198.51.100.1\""),
        ("remote", "\"198.51.100.2\""),
        ("next_hop_mac", "\"02:00:00:00:0a:01\""),
        ("dscp", "\"uniform\""),
        ("udp_checksum", "false"),
        ("accept_zero_checksum", "false"),
    ];
    let section = Section::new(source, "[[tunnel]]", KEYS, row)?;
    let local = section.req("local", text(ip))?;
    Ok(Tunnel {
        line: section.line,
        vni: section.req("vni", number(0, VNI_MOST))?,
        matches: section.req("match", text(matches))?,
        local,
        remote: section.req("remote", text(vtep_ip))?,
        next_hop_mac: section.req("next_hop_mac", text(Mac::parse_station))?,
        dscp: section.or("dscp", Dscp::Uniform, text(Dscp::parse))?,
        udp_checksum: section.or("udp_checksum", local.value.is_ipv6(), truth)?,
        accept_zero_checksum: section.or("accept_zero_checksum", false, truth)?,
    })
}

fn local<'a>(source: &'a Source<'a>, row: Row<'a, '_>) -> Result<Local, RulesError> {
    const KEYS: &[(&str, &str)] = &[("vni", "0x123456"), ("match", "\"02:00:00:00:00:02\""), ("function", "2")];
    let section = Section::new(source, "[[local]]", KEYS, row)?;
    Ok(Local {
        line: section.line,
        vni: section.req("vni", number(0, VNI_MOST))?,
        matches: section.req("match", text(matches))?,
        function: section.req("function", number(0, 65535))?,
    })
}

fn port<'a>(source: &'a Source<'a>, row: Option<Row<'a, '_>>) -> Result<PortRules, RulesError> {
    const KEYS: &[(&str, &str)] =
        &[("not_for_us", "\"punt\""), ("pass_function", "1"), ("uplink", "\"net0\""), ("weights", "[1, 1]")];
    let Some(row) = row else {
        return Ok(PortRules {
            line: 1,
            not_for_us: At { value: NotForUs::Punt, line: 1 },
            pass_function: None,
            uplink: At { value: Uplink::Net0, line: 1 },
            weights: At { value: [1, 1], line: 1 },
        });
    };
    if row.get_ref().is_array() {
        let text = "an EM has one [port] section. Write its header in single brackets, once.";
        return Err(source.fault(source.line(row.span().start), text));
    }
    let section = Section::new(source, "[port]", KEYS, row)?;
    let read = PortRules {
        line: section.line,
        not_for_us: section.or("not_for_us", NotForUs::Punt, text(NotForUs::parse))?,
        pass_function: section.opt("pass_function", number(0, 65535))?,
        uplink: section.or("uplink", Uplink::Net0, text(Uplink::parse))?,
        weights: section.or("weights", [1, 1], weights)?,
    };
    let spread = read.uplink.value == Uplink::Spread;
    match (read.not_for_us.value, read.pass_function) {
        (NotForUs::Pass, None) => Err(section.missing("pass_function", ", which `not_for_us = \"pass\"` needs")),
        (NotForUs::Punt | NotForUs::Drop, Some(function)) => {
            let text = "`pass_function` means nothing here. Write not_for_us = \"pass\", or remove it.";
            Err(source.fault(function.line, text))
        }
        _ if !spread && section.opt("weights", weights)?.is_some() => {
            let text = "`weights` means nothing here. Write uplink = \"spread\", or remove it.";
            Err(source.fault(read.weights.line, text))
        }
        _ => Ok(read),
    }
}

fn acl<'a>(source: &'a Source<'a>, row: Row<'a, '_>) -> Result<Acl, RulesError> {
    const KEYS: &[(&str, &str)] = &[
        ("priority", "10"),
        ("function", "1"),
        ("dir", "\"tx\""),
        ("src", "\"192.0.2.0/24\""),
        ("dst", "\"198.51.100.7\""),
        ("proto", "\"tcp\""),
        ("src_port", "\"1024-65535\""),
        ("dst_port", "\"1-1023\""),
        ("action", "\"deny\""),
    ];
    let section = Section::new(source, "[[acl]]", KEYS, row)?;
    Ok(Acl {
        line: section.line,
        priority: section.req("priority", number(0, u32::MAX.into()))?,
        function: section.opt("function", number(0, 65535))?,
        dir: section.opt("dir", text(Dir::parse))?,
        src: section.opt("src", text(Prefix::parse))?,
        dst: section.opt("dst", text(Prefix::parse))?,
        proto: section.opt("proto", proto)?,
        src_port: section.opt("src_port", ports)?,
        dst_port: section.opt("dst_port", ports)?,
        action: section.req("action", text(AclAction::parse))?,
    })
}

fn punt_limit<'a>(source: &'a Source<'a>, row: Row<'a, '_>) -> Result<PuntLimit, RulesError> {
    const KEYS: &[(&str, &str)] =
        &[("function", "1"), ("reason", "\"ttl\""), ("clocks_per_frame", "125_000"), ("burst", "16")];
    let section = Section::new(source, "[[punt_limit]]", KEYS, row)?;
    let read = PuntLimit {
        line: section.line,
        function: section.opt("function", number(0, 65535))?,
        reason: section.opt("reason", text(PuntReason::parse))?,
        clocks_per_frame: section.req("clocks_per_frame", number(INTERVAL.0, INTERVAL.1))?,
        burst: section.req("burst", number(1, BURST_MOST))?,
    };
    match (read.function, read.reason) {
        (Some(function), Some(reason)) if *reason == PuntReason::NotForUs => {
            let text = "frames that are punted for \"not_for_us\" are no function's. Remove `function`.";
            Err(source.fault(function.line, text))
        }
        _ => Ok(read),
    }
}
