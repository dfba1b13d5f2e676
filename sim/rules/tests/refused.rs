//! Everything that is refused, with the whole message.

use em_rules::{Capacity, Feature, Rules};

const NAT: &str = "[[function]]\nid = 1\nmode = \"nat\"\nmac = \"02:00:00:00:00:0a\"\n";
const VXLAN: &str = "[[function]]\nid = 2\nmode = \"vxlan\"\nvni = 7\n[[vtep]]\nip = \"198.51.100.1\"\n\
                     mac = \"02:00:00:00:0a:02\"\n[[vni]]\nid = 7\n";

/// The message for `text`, which must be one line and name the file.
fn refused(text: &str) -> String {
    let error = Rules::parse(text, "R.toml").expect_err(text).to_string();
    assert!(error.starts_with("R.toml:"), "{error}");
    assert!(!error.contains('\n'), "{error}");
    error
}

fn row(inside: &str, outside: &str) -> String {
    format!("[[nat]]\nfunction = 1\ninside = \"{inside}\"\noutside = \"{outside}\"\n")
}

#[track_caller]
fn expect(text: &str, message: &str) {
    assert_eq!(refused(text), message, "\n{text}");
}

#[test]
fn duplicates_name_both_lines() {
    expect(
        &format!("{NAT}{}{}", row("192.0.2.10", "203.0.113.5"), row("192.0.2.10", "203.0.113.6")),
        "R.toml:11: inside address 192.0.2.10 of function 1 is already given in line 7. \
         Remove or change one of the two.",
    );
    expect(
        &format!("{NAT}{}{}", row("192.0.2.10", "203.0.113.5"), row("192.0.2.11", "203.0.113.5")),
        "R.toml:12: outside address 203.0.113.5 is already given in line 8. Remove or change one of the two.",
    );
    expect(
        &format!("{NAT}{NAT}"),
        "R.toml:6: function id 1 is already given in line 2. Remove or change one of the two.",
    );
    let tunnel = "[[tunnel]]\nvni = 7\nmatch = \"02:00:00:00:00:01\"\nlocal = \"198.51.100.1\"\n\
                  remote = \"198.51.100.2\"\nnext_hop_mac = \"02:00:00:00:0a:01\"\n";
    expect(
        &format!("{VXLAN}{tunnel}{}", tunnel.replace("01\"\nlocal", "01\" # again\nlocal")),
        "R.toml:18: a tunnel for 02:00:00:00:00:01 in VNI 0x7 is already given in line 12. \
         Remove or change one of the two.",
    );
    let local = "[[local]]\nvni = 7\nmatch = \"default\"\nfunction = 2\n";
    expect(
        &format!("{VXLAN}{local}{local}"),
        "R.toml:16: a local row for \"default\" in VNI 0x7 is already given in line 12. \
         Remove or change one of the two.",
    );
}

#[test]
fn who_gets_frames_from_the_network_is_never_in_doubt() {
    let pass = |id: u16, mac: &str| format!("[[function]]\nid = {id}\nmode = \"pass\"\nmac = \"{mac}\"\n");
    let mac = "02:00:00:00:00:0C";
    expect(
        &format!("{}{}{}", pass(1, mac), pass(2, "02:00:00:00:00:0d"), pass(3, &mac.to_lowercase())),
        "R.toml:12: MAC address 02:00:00:00:00:0c of a function in mode \"pass\" is already given in line 4. \
         Give each its own: frames from the network are told apart by it.",
    );
    for mode in ["nat", "drop"] {
        let other = format!("[[function]]\nid = 2\nmode = \"{mode}\"\nmac = \"{mac}\"\n");
        Rules::parse(&format!("{}{other}", pass(1, mac)), "R.toml").unwrap();
    }
    for group in ["03:00:00:00:00:0c", "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01"] {
        expect(
            &pass(1, group),
            &format!(
                "R.toml:4: `mac = \"{group}\"` in [[function]] is a multicast address. \
                 Write a unicast one (second hex digit even), such as \"02:00:00:00:00:0a\"."
            ),
        );
    }
    expect(
        &pass(1, "00:00:00:00:00:00"),
        "R.toml:4: `mac = \"00:00:00:00:00:00\"` in [[function]] is the all-zero MAC address, which no station has. \
         Write the station's own address.",
    );
    expect(
        "[[function]]\nid = 1\nmode = \"pass\"\n",
        "R.toml:1: this [[function]] has no `mac`, by which mode \"pass\" knows its frames from the network. \
         Add one: `mac = \"02:00:00:00:00:0a\"`.",
    );
    let port = "[port]\nnot_for_us = \"pass\"\npass_function = 2\n";
    expect(
        &format!("[[function]]\nid = 2\nmode = \"drop\"\n{port}"),
        "R.toml:6: function 2 is in mode \"drop\" (line 3), so it gets no frames. \
         Name a function in mode \"pass\" or \"nat\".",
    );
    expect(
        &format!("{VXLAN}{port}"),
        "R.toml:12: function 2 is in mode \"vxlan\" (line 3), so frames from outside its network must not get in. \
         Name a function in mode \"pass\" or \"nat\".",
    );
    Rules::parse(&format!("[[function]]\nid = 2\nmode = \"nat\"\n{port}"), "R.toml").unwrap();
    expect(
        "[port]\npass_function = 2\n",
        "R.toml:2: `pass_function` means nothing here. Write not_for_us = \"pass\", or remove it.",
    );
    expect(
        "[port]\nnot_for_us = \"pass\"\n",
        "R.toml:1: this [port] has no `pass_function`, which `not_for_us = \"pass\"` needs. Add one: `pass_function = 1`.",
    );
}

#[test]
fn next_hops() {
    let bare = "[[function]]\nid = 1\nmode = \"nat\"\n";
    let row = row("192.0.2.10", "203.0.113.5");
    let hop = "next_hop_mac = \"02:00:00:00:0a:01\"\n";
    expect(
        &format!("{bare}{row}{hop}"),
        "R.toml:8: a next hop needs a source MAC address, but function 1 (line 1) has no `mac`. Add it there.",
    );
    expect(
        &format!("{NAT}{row}route = true\n"),
        "R.toml:5: this [[nat]] has no `next_hop_mac`, which `route = true` needs. \
         Add one: `next_hop_mac = \"02:00:00:00:0a:01\"`.",
    );
    expect(
        &format!("{NAT}{row}next_hop_mac = \"01:00:5e:00:00:01\"\n"),
        "R.toml:9: `next_hop_mac = \"01:00:5e:00:00:01\"` in [[nat]] is a multicast address. \
         Write a unicast one (second hex digit even), such as \"02:00:00:00:00:0a\".",
    );
}

#[test]
fn an_address_written_in_two_ways_is_the_same() {
    let text = format!("{NAT}{}{}", row("2001:db8::1", "2001:db8::5"), row("2001:DB8:0::1", "2001:db8::6"));
    assert!(refused(&text).contains("already given in line 7"));
}

#[test]
fn references_must_exist() {
    expect(
        "[[nat]]\nfunction = 9\ninside = \"192.0.2.1\"\noutside = \"203.0.113.1\"\n",
        "R.toml:2: function 9 is not declared. Add a [[function]] with id = 9.",
    );
    expect(
        "[[function]]\nid = 1\nmode = \"drop\"\n[[nat]]\nfunction = 1\ninside = \"192.0.2.1\"\n\
         outside = \"203.0.113.1\"\n",
        "R.toml:5: function 1 is in mode \"drop\" (line 3), so it takes no [[nat]] row. \
         Remove the row, or write mode = \"nat\".",
    );
    expect(
        "[[function]]\nid = 2\nmode = \"vxlan\"\nvni = 7\n",
        "R.toml:4: VNI 0x7 is not declared. Add a [[vni]] with id = 0x7.",
    );
    let tunnel = "[[tunnel]]\nvni = 7\nmatch = \"default\"\nlocal = \"198.51.100.9\"\nremote = \"198.51.100.2\"\n\
                  next_hop_mac = \"02:00:00:00:0a:01\"\n";
    expect(
        &format!("{VXLAN}{tunnel}"),
        "R.toml:13: 198.51.100.9 is not a declared VTEP. Add a [[vtep]] with ip = \"198.51.100.9\".",
    );
    expect(
        &format!("{VXLAN}{}", tunnel.replace("vni = 7", "vni = 8")),
        "R.toml:11: VNI 0x8 is not declared. Add a [[vni]] with id = 0x8.",
    );
    expect(
        &format!("{VXLAN}[[local]]\nvni = 8\nmatch = \"default\"\nfunction = 2\n"),
        "R.toml:11: VNI 0x8 is not declared. Add a [[vni]] with id = 0x8.",
    );
    expect(
        &format!("{VXLAN}{NAT}[[local]]\nvni = 7\nmatch = \"default\"\nfunction = 1\n"),
        "R.toml:17: function 1 (line 10) is not in VNI 0x7, so it must not get its frames. \
         Name a function with mode = \"vxlan\" and vni = 0x7.",
    );
    expect(
        "[port]\nnot_for_us = \"pass\"\npass_function = 4\n",
        "R.toml:3: function 4 is not declared. Add a [[function]] with id = 4.",
    );
}

#[test]
fn families_do_not_mix() {
    expect(
        &format!("{NAT}{}", row("192.0.2.10", "2001:db8::1")),
        "R.toml:8: inside 192.0.2.10 (line 7) is IPv4 and outside 2001:db8::1 is IPv6. \
         Write two addresses of one family.",
    );
    let tunnel = "[[tunnel]]\nvni = 7\nmatch = \"default\"\nlocal = \"198.51.100.1\"\nremote = \"2001:db8::1\"\n\
                  next_hop_mac = \"02:00:00:00:0a:01\"\n";
    assert!(refused(&format!("{VXLAN}{tunnel}")).ends_with("Write two addresses of one family."));
    let acl = "[[acl]]\npriority = 1\nsrc = \"192.0.2.0/24\"\ndst = \"::/0\"\naction = \"deny\"\n";
    assert!(refused(acl).ends_with("Write two prefixes of one family."));
}

#[test]
fn single_values() {
    let function = |line: &str| format!("[[function]]\nid = 1\nmode = \"nat\"\n{line}\n");
    expect(
        &function("mac = \"03:00:00:00:00:0a\""),
        "R.toml:4: `mac = \"03:00:00:00:00:0a\"` in [[function]] is a multicast address. \
         Write a unicast one (second hex digit even), such as \"02:00:00:00:00:0a\".",
    );
    expect(
        &function("mac = \"2:0:0:0:0:a\""),
        "R.toml:4: `mac = \"2:0:0:0:0:a\"` in [[function]] is not a MAC address. \
         Write six pairs of hex digits, such as \"02:00:00:00:00:0a\".",
    );
    expect(
        &function("colour = 3"),
        "R.toml:4: [[function]] has no key \"colour\". Its keys are id, mode, mac, unmatched, vni.",
    );
    expect(
        &function("unmatched = \"forward\""),
        "R.toml:4: `unmatched = \"forward\"` in [[function]] is not one of the words it may be. \
         Write \"punt\", \"drop\", \"pass\".",
    );
    expect(&function("mac = 2"), "R.toml:4: `mac = 2` in [[function]] is not text. Write it in double quotes.");
    expect(
        "[[function]]\nid = -1\nmode = \"nat\"\n",
        "R.toml:2: `id = -1` in [[function]] is out of range. Write an integer from 0 to 65535.",
    );
    expect(
        "[[function]]\nid = \"1\"\nmode = \"nat\"\n",
        "R.toml:2: `id = \"1\"` in [[function]] is not a number. Write an integer from 0 to 65535, without quotes.",
    );
    expect("[[function]]\nid = 1\n", "R.toml:1: this [[function]] has no `mode`. Add one: `mode = \"nat\"`.");
    expect(
        &format!("{NAT}{}", row("192.0.2.300", "203.0.113.5")),
        "R.toml:7: `inside = \"192.0.2.300\"` in [[nat]] is not an IP address. \
         Write one such as \"192.0.2.10\" or \"2001:db8::10\", without a prefix length.",
    );
    expect(
        &format!("{NAT}{}", row("fe80::1", "2001:db8::1")),
        "R.toml:7: `inside = \"fe80::1\"` in [[nat]] is a link-local address, which is never translated. \
         Write the unicast address of one host.",
    );
    expect(
        "[[acl]]\npriority = 1\nsrc = \"192.0.2.1/24\"\naction = \"deny\"\n",
        "R.toml:3: `src = \"192.0.2.1/24\"` in [[acl]] has bits beyond its prefix length. Write \"192.0.2.0/24\".",
    );
    expect(
        "[[acl]]\npriority = 1\nproto = \"tcp\"\ndst_port = \"9-1\"\naction = \"deny\"\n",
        "R.toml:4: `dst_port = \"9-1\"` in [[acl]] runs backwards. Write \"1-9\".",
    );
    expect(
        "[[acl]]\npriority = 1\ndst_port = 80\naction = \"deny\"\n",
        "R.toml:3: a rule with ports needs a protocol that has them. Write proto = \"tcp\" or \"udp\".",
    );
    expect(
        "[[vni]]\nid = 0x1000000\n",
        "R.toml:2: `id = 0x1000000` in [[vni]] is out of range. Write an integer from 0 to 16777215.",
    );
    expect(
        "[[function]]\nid = 1\nmode = \"vxlan\"\n",
        "R.toml:1: this [[function]] has no `vni`, which mode \"vxlan\" needs. Add one: `vni = 0x123456`.",
    );
    expect(
        "[[function]]\nid = 1\nmode = \"vxlan\"\nvni = 7\nunmatched = \"pass\"\n[[vni]]\nid = 7\n",
        "R.toml:5: `unmatched = \"pass\"` would let a tenant's frames out of its VXLAN network. \
         Write \"punt\" or \"drop\".",
    );
}

#[test]
fn sections_and_syntax() {
    expect(
        "[[functions]]\nid = 1\n",
        "R.toml:1: a rules file has no section \"functions\". Its sections are [[function]], [[nat]], [[vtep]], \
         [[vni]], [[tunnel]], [[local]], [[acl]], [[punt_limit]] and [port].",
    );
    expect(
        "[function]\nid = 1\n",
        "R.toml:1: `function` is not a list of tables. Write its header as [[function]], in double brackets.",
    );
    expect(
        "[[port]]\n[[port]]\n",
        "R.toml:1: an EM has one [port] section. Write its header in single brackets, once.",
    );
    for (text, line) in [
        ("[[function]]\nid = \n", 2),
        ("[[function]\n", 1),
        ("\n\nid = 1 2\n", 3),
        ("a = \"x", 1),
        ("[[function]]\nid = 1\nid = 2\n", 3),
        ("id = 99999999999999999999999999\n", 1),
    ] {
        let error = Rules::parse(text, "R.toml").unwrap_err();
        assert_eq!(error.line(), Some(line), "{error}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

#[test]
fn files_that_cannot_be_read() {
    let error = Rules::load("/nowhere/R.toml").unwrap_err();
    assert!(error.to_string().starts_with("/nowhere/R.toml: cannot be read: "), "{error}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("R.toml");
    std::fs::write(&path, b"# fine\n# \xff\n").unwrap();
    let error = Rules::load(&path).unwrap_err().to_string();
    assert!(error.ends_with("R.toml:2: this line is not UTF-8 text. Save the file as UTF-8."), "{error}");
}

#[test]
fn capacity_names_the_first_line_beyond() {
    let rows: String = (0..5).map(|n| row(&format!("192.0.2.{n}"), &format!("203.0.113.{n}"))).collect();
    let rules = Rules::parse(&format!("{NAT}{rows}"), "R.toml").unwrap();
    let capacity = Capacity { nat: 3, ..Capacity::unlimited("small") };
    assert_eq!(
        rules.check_capacity(&capacity).unwrap_err().to_string(),
        "R.toml:17: the file has 5 [[nat]] rows, but profile \"small\" holds 3. \
         Remove 2 from here on, or use a larger profile.",
    );
    rules.check_capacity(&Capacity { nat: 5, ..capacity.clone() }).unwrap();
    assert_eq!(
        rules.check_capacity(&Capacity { function_ids: 1, ..capacity }).unwrap_err().to_string(),
        "R.toml:2: function id 1 is beyond those of profile \"small\". Use ids from 0 to 0, or a larger profile.",
    );
}

#[test]
fn next_hops_are_counted_once_and_pass_functions_each() {
    let hop = |n: u8| format!("next_hop_mac = \"02:00:00:00:0a:{n:02x}\"\n");
    let rows: String = [1, 2, 1, 3, 2]
        .iter()
        .enumerate()
        .map(|(n, &next)| row(&format!("192.0.2.{n}"), &format!("203.0.113.{n}")) + &hop(next))
        .collect();
    let pass = |n: u8| format!("[[function]]\nid = {n}\nmode = \"pass\"\nmac = \"02:00:00:00:00:{n:02x}\"\n");
    let rules = Rules::parse(&format!("{NAT}{}{}{rows}", pass(2), pass(3)), "R.toml").unwrap();
    let next_hops: Vec<_> = rules.next_hops().iter().map(|mac| (mac.value.0[5], mac.line)).collect();
    assert_eq!(next_hops, [(1, 17), (2, 22), (3, 32)]);
    let passing: Vec<_> = rules.passing().map(|(mac, function)| (mac.value.0[5], mac.line, function)).collect();
    assert_eq!(passing, [(2, 8, 2), (3, 12, 3)]);
    let capacity = Capacity { next_hops: 3, macs: 2, ..Capacity::unlimited("small") };
    rules.check_capacity(&capacity).unwrap();
    let refused = |capacity: Capacity| rules.check_capacity(&capacity).unwrap_err().to_string();
    assert_eq!(
        refused(Capacity { next_hops: 2, ..capacity.clone() }),
        "R.toml:32: the file has 3 different next_hop_mac addresses, but profile \"small\" holds 2. \
         Remove 1 from here on, or use a larger profile.",
    );
    assert_eq!(
        refused(Capacity { macs: 0, ..capacity }),
        "R.toml:8: the file has 2 functions in mode \"pass\", but profile \"small\" holds 0. \
         Remove 2 from here on, or use a larger profile.",
    );
    let error = rules.check_capacity(&Capacity::nothing("bare")).unwrap_err().to_string();
    assert_eq!(error, "R.toml:2: profile \"bare\" has no functions. Remove the row, or use another profile.");
}

#[test]
fn what_hardware_lacks_is_refused_at_its_line() {
    let page = include_str!("../../../docs/rules.md");
    let [runs, all] = [1, 2].map(|n| page.split("```toml\n").nth(n).unwrap().split("```").next().unwrap());
    let has = |feature| {
        use Feature::*;
        matches!(feature, ModeNat | ModePass | ModeDrop | NatIpv4 | NextHop | Route | NotForUs | UplinkNet1 | PuntLimit)
    };
    Rules::parse(runs, "R.toml").unwrap().check_features("ecp5", has).unwrap();
    let refused =
        |text: &str| Rules::parse(text, "R.toml").unwrap().check_features("ecp5", has).unwrap_err().to_string();
    assert_eq!(
        refused(&format!("{NAT}{}", row("2001:db8::1", "2001:db8::2"))),
        "R.toml:7: the hardware of profile \"ecp5\" has no block for an IPv6 [[nat]] mapping. \
         Remove the row, or map IPv4 addresses.",
    );
    assert_eq!(
        refused("[port]\nnot_for_us = \"drop\"\nuplink = \"spread\"\n"),
        "R.toml:3: the hardware of profile \"ecp5\" has no block for uplink = \"spread\". Use \"net0\" or \"net1\".",
    );
    assert_eq!(
        refused(VXLAN),
        "R.toml:3: the hardware of profile \"ecp5\" has no block for mode = \"vxlan\". Use mode nat, pass or drop.",
    );
    assert_eq!(
        refused("[[acl]]\npriority = 1\naction = \"deny\"\n"),
        "R.toml:1: the hardware of profile \"ecp5\" has no block for [[acl]]. Remove the row.",
    );
    let line = refused(all).split(':').nth(1).unwrap().parse::<usize>().unwrap();
    assert!(all.lines().nth(line - 1).unwrap().starts_with("inside = \"2001"));
}

#[test]
fn limits_that_mean_nothing_are_refused() {
    let limit = |keys: &str| format!("[[punt_limit]]\n{keys}clocks_per_frame = 1000\nburst = 8\n");
    let with = |rows: &[&str]| format!("{NAT}{}", rows.iter().map(|keys| limit(keys)).collect::<String>());
    let accepted = |rows: &[&str]| Rules::parse(&with(rows), "R.toml").unwrap().punt_limits;
    let all = accepted(&["function = 1\nreason = \"ttl\"\n", "function = 1\n", "reason = \"ttl\"\n", ""]);
    assert_eq!(all.len(), 4);
    assert_eq!((*all[0].clocks_per_frame, *all[0].burst, all[0].line), (1000, 8, 5));
    let never = |line: usize, by: usize| {
        format!(
            "R.toml:{line}: this [[punt_limit]] never counts: that of line {by} comes first and fits all its frames. \
             Put it before, or remove it."
        )
    };
    expect(&with(&["reason = \"ttl\"\n", "function = 1\nreason = \"ttl\"\n"]), &never(9, 5));
    expect(&with(&["function = 1\n", "function = 1\n"]), &never(9, 5));
    expect(&with(&["function = 1\n", "", "reason = \"roce\"\n"]), &never(12, 9));
    expect(&with(&["function = 2\n"]), "R.toml:6: function 2 is not declared. Add a [[function]] with id = 2.");
    expect(
        &with(&["function = 1\nreason = \"not_for_us\"\n"]),
        "R.toml:6: frames that are punted for \"not_for_us\" are no function's. Remove `function`.",
    );
    expect(
        &with(&["reason = \"ttl_over\"\n"]),
        "R.toml:6: `reason = \"ttl_over\"` in [[punt_limit]] is not one of the words it may be. Write \"unmatched\", \
         \"unsupported_l4\", \"roce\", \"icmp_quote_options\", \"icmp_quote_address\", \"ttl\", \"not_for_us\".",
    );
    for clocks in ["63", "268_435_456", "0", "-1"] {
        expect(
            &format!("[[punt_limit]]\nclocks_per_frame = {clocks}\nburst = 8\n"),
            &format!(
                "R.toml:2: `clocks_per_frame = {}` in [[punt_limit]] is out of range. \
                 Write an integer from 64 to 268435455.",
                clocks.replace('_', "")
            ),
        );
    }
    for burst in ["0", "1024"] {
        expect(
            &format!("[[punt_limit]]\nclocks_per_frame = 64\nburst = {burst}\n"),
            &format!("R.toml:3: `burst = {burst}` in [[punt_limit]] is out of range. Write an integer from 1 to 1023."),
        );
    }
    expect(
        "[[punt_limit]]\nburst = 1\n",
        "R.toml:1: this [[punt_limit]] has no `clocks_per_frame`. Add one: `clocks_per_frame = 125_000`.",
    );
    expect(
        "[[punt_limit]]\nclocks_per_frame = 64\n",
        "R.toml:1: this [[punt_limit]] has no `burst`. Add one: `burst = 16`.",
    );
    expect(
        "[[punt_limit]]\nrate = 1\n",
        "R.toml:2: [[punt_limit]] has no key \"rate\". Its keys are function, reason, clocks_per_frame, burst.",
    );
}
