//! Rules files that are refused, by `em rules check`, `em rules program` and `em sim` alike.

mod common;

use common::{
    Files, RATED,
    captures::{pcap, udp_frame},
    nat_rules, refused,
};

/// All three refuse the file with the same words, which name it; no output folder is made.
fn refuses_with(content: impl AsRef<[u8]>, line: usize, options: &str, parts: &[&str]) {
    let files = Files::new();
    let rules = files.write("R.toml", content);
    let capture = files.write("in.pcap", pcap(1, &[udp_frame(10)]));
    let place = format!("em: {rules}:{line}: ");
    let parts = [&[place.as_str()], parts].concat();
    refused(&format!("rules check {rules} {options}"), &parts);
    refused(&format!("rules program {rules} --json {options}"), &parts);
    let out = files.arg("out");
    refused(
        &format!("sim --rules {rules} --host-in {capture} --host-function 1 --out-dir {out} --json {options}"),
        &parts,
    );
    assert!(!files.path("out").exists());
}

fn refuses(content: impl AsRef<[u8]>, line: usize, parts: &[&str]) {
    refuses_with(content, line, "", parts);
}

#[test]
fn unknown_keys_and_sections() {
    refuses(
        "[[function]]\nid = 1\nmode = \"nat\"\ncolour = 3\n",
        4,
        &["has no key \"colour\"", "Its keys are id, mode"],
    );
    refuses("\n[[functions]]\nid = 1\n", 2, &["no section \"functions\"", "Its sections are [[function]]"]);
}

#[test]
fn duplicate_mappings_name_both_lines() {
    let row = |inside: &str, outside: &str| {
        format!("[[nat]]\nfunction = 1\ninside = \"{inside}\"\noutside = \"{outside}\"\n")
    };
    let rules = nat_rules(0);
    refuses(
        rules.clone() + &row("10.0.0.1", "203.0.113.1") + &row("10.0.0.1", "203.0.113.2"),
        10,
        &["inside address 10.0.0.1 of function 1 is already given in line 6", "Remove or change"],
    );
    refuses(
        rules.clone() + &row("10.0.0.1", "203.0.113.1") + &row("10.0.0.2", "203.0.113.1"),
        11,
        &["outside address 203.0.113.1 is already given in line 7", "Remove or change"],
    );
    refuses(rules.repeat(2), 5, &["function id 1 is already given in line 2"]);
}

#[test]
fn bad_addresses() {
    let row = |inside: &str| {
        nat_rules(0) + &format!("[[nat]]\nfunction = 1\ninside = \"{inside}\"\noutside = \"203.0.113.1\"\n")
    };
    for (address, why) in [
        ("192.0.2.300", "is not an IP address. Write one such as"),
        ("192.0.2.0/24", "is not an IP address"),
        ("224.0.0.1", "is a multicast address"),
        ("127.0.0.1", "is a loopback address"),
        ("", "is not an IP address"),
    ] {
        refuses(row(address), 6, &[&format!("inside = \"{address}\""), why]);
    }
    refuses(row("2001:db8::1"), 7, &["2001:db8::1 (line 6) is IPv6", "Write two addresses of one family"]);
    refuses(
        "[[function]]\nid = 1\nmode = \"nat\"\nmac = \"02:00\"\n",
        4,
        &["\"02:00\"", "Write six pairs of hex digits"],
    );
    refuses("[[function]]\nid = 70000\nmode = \"nat\"\n", 2, &["id = 70000", "Write an integer from 0 to 65535"]);
}

#[test]
fn more_rows_than_the_table_holds() {
    let beyond = 4 + 4 * RATED;
    refuses(
        nat_rules(RATED + 1),
        beyond,
        &["1947 [[nat]] rows", "profile \"ecp5\" holds 1946", "Remove 1 from here on, or use a larger profile"],
    );
    let files = Files::new();
    let ecp5 = include_str!("../../rtl/profiles/ecp5.toml");
    let small = files.write("small.toml", ecp5.replace("nat_ways = 4\nnat_rows = 512", "nat_ways = 8\nnat_rows = 128"));
    refuses_with(
        nat_rules(3000),
        4 + 4 * 973,
        &format!("--config {small}"),
        &["3000 [[nat]] rows", "profile \"small\" holds 973", "Remove 2027 from here on"],
    );
    refuses("[[function]]\nid = 256\nmode = \"nat\"\n", 2, &["function id 256", "Use ids from 0 to 255"]);
}

#[test]
fn what_the_hardware_has_no_block_for() {
    let lacks = |rules: &str, line: usize, parts: &[&str]| {
        refuses(rules, line, &[&["the hardware of profile \"ecp5\" has no block for"], parts].concat());
    };
    let vxlan = "[[function]]\nid = 1\nmode = \"vxlan\"\nvni = 7\n[[vni]]\nid = 7\n";
    lacks(vxlan, 3, &["mode = \"vxlan\"", "Use mode nat, pass or drop."]);
    lacks("[[vtep]]\nip = \"198.51.100.1\"\nmac = \"02:00:00:00:0a:02\"\n", 1, &["[[vtep]]", "Remove the row."]);
    lacks("[[acl]]\npriority = 1\naction = \"deny\"\n", 1, &["[[acl]]", "Remove the row."]);
    lacks("[port]\nuplink = \"spread\"\n", 2, &["uplink = \"spread\"", "Use \"net0\" or \"net1\"."]);
    let nat = "[[function]]\nid = 1\nmode = \"nat\"\nmac = \"02:00:00:00:00:0a\"\n[[nat]]\nfunction = 1\n".to_string();
    let v6 = nat + "inside = \"2001:db8::1\"\noutside = \"2001:db8::2\"\n";
    lacks(&v6, 7, &["IPv6 [[nat]] mapping", "map IPv4 addresses"]);
}

#[test]
fn not_toml_and_not_text() {
    refuses("[[function]]\nid = \n", 2, &["not valid TOML", "The line reads \"id =\"."]);
    refuses("\n[[function]\n", 2, &["not valid TOML"]);
    refuses(b"# fine\n# \xff\n", 2, &["this line is not UTF-8 text. Save the file as UTF-8."]);
    refuses(vec![0u8; 100], 1, &["not valid TOML"]);
}

#[test]
fn missing_or_a_folder() {
    let files = Files::new();
    let missing = files.arg("nowhere.toml");
    refused(&format!("rules check {missing}"), &[&missing, "cannot be read", "Check the path"]);
    let folder = files.arg("");
    refused(&format!("rules program {folder}"), &[&folder, "Is a directory", "Check the path"]);
}
