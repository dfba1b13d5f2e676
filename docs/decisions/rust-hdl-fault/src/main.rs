//! Shows that the Verilog which rust-hdl 0.46 emits for `(a + 1) == 0` on an 8-bit `a` disagrees with its own simulator.
//! Needs Icarus Verilog (`iverilog`, `vvp`) on the PATH. `cargo run` here; exits with 0 if the fault is still there.

use rust_hdl::prelude::*;
use std::{error::Error, fs, process::Command};

/// `zero` is 1 when `a + 1` is 0: for `a` = 255, since sums of 8 bits wrap.
#[derive(LogicBlock, Default)]
struct WrapsToZero {
    a: Signal<In, Bits<8>>,
    zero: Signal<Out, Bit>,
}

impl Logic for WrapsToZero {
    #[hdl_gen]
    fn update(&mut self) {
        self.zero.next = (self.a.val() + 1) == 0;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut block = WrapsToZero::default();
    block.connect_all();
    let verilog = generate_verilog(&block);
    println!("{verilog}");

    block.a.next = 255.into();
    simulate(&mut block, 10);
    let native = block.zero.val();

    let folder = std::env::temp_dir().join(format!("rust-hdl-fault-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let answer = icarus(&verilog, &folder);
    fs::remove_dir_all(&folder)?;
    let icarus = answer?;

    println!("a = 255: rust-hdl's simulator says zero = {}, Icarus says zero = {icarus}", u8::from(native));
    if icarus == u8::from(native).to_string() {
        return Err("the two agree: the fault is gone".into());
    }
    println!("They disagree: the emitted sum is 32 bits wide and does not wrap.");
    Ok(())
}

/// The value of `zero` for `a` = 255 in the emitted Verilog.
fn icarus(verilog: &str, folder: &std::path::Path) -> Result<String, Box<dyn Error>> {
    let bench = "module bench; reg [7:0] a = 255; wire zero; top dut (.a(a), .zero(zero)); initial #1 $write(\"%b\", zero); endmodule\n";
    fs::write(folder.join("top.v"), verilog)?;
    fs::write(folder.join("bench.v"), bench)?;
    let compiled = Command::new("iverilog").current_dir(folder).args(["-o", "bench.vvp", "bench.v", "top.v"]).status();
    match compiled {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("iverilog refused the emitted Verilog ({status})").into()),
        Err(e) => return Err(format!("cannot start iverilog: {e}. Install Icarus Verilog.").into()),
    }
    let output = Command::new("vvp").current_dir(folder).args(["-n", "bench.vvp"]).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}
