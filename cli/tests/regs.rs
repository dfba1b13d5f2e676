//! `em regs`.

mod common;

use common::{command, good, run};

#[test]
fn every_format_is_printed() {
    assert_eq!(good("regs --format md --profile ecp5"), include_str!("../../docs/registers.md"));
    assert_eq!(good("regs"), good("regs --format md --profile ecp5"));
    let json: serde_json::Value = serde_json::from_str(&good("regs --format json --profile small")).unwrap();
    assert_eq!(json["registers"][0]["name"], "ID");
    assert!(good("regs --format c").contains("#define EM_TABLE_COMMAND 0x19cu"));
    assert!(good("regs --format rdl").contains("addrmap em {"));
}

#[test]
fn another_format_is_refused() {
    let done = run(&mut command("regs --format html"));
    assert_eq!((done.code, done.stdout.as_str()), (2, ""));
    assert!(done.stderr.contains("html") && done.stderr.contains("rdl"), "{}", done.stderr);
}
