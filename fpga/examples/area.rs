//! Prints what four blocks take on ECP5, written by hand and emitted from Rust. `--json` prints JSON.

use std::process::ExitCode;

fn main() -> ExitCode {
    let json = std::env::args().any(|a| a == "--json");
    match em_fpga::area::compare() {
        Ok(rows) if json => println!("{}", serde_json::json!({ "rows": rows })),
        Ok(rows) => println!("{}", em_fpga::area::table(&rows)),
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
