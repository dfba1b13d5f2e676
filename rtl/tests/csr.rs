//! The registers and their bus.

use em_rtl::{csr::Csr, lookup::Lookup};
use hdl::elaborate;

#[test]
fn the_registers_elaborate() {
    let design = elaborate(&Csr { lookup: Lookup { functions: 64, ways: 4, rows: 32 } }).unwrap();
    println!("{}", hdl::verilog::emit_text(&design, &Default::default()));
}
