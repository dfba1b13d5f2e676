//! The lookup stage and its tables.

use em_rtl::lookup::Lookup;
use hdl::elaborate;

#[test]
fn the_lookup_stage_elaborates() {
    let design = elaborate(&Lookup { functions: 64, ways: 4, rows: 32 }).unwrap();
    println!("{}", hdl::verilog::emit_text(&design, &Default::default()));
}
