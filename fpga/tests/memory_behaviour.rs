//! The generic bodies keep their contract in Icarus, and what synthesis reads is what simulation runs.

mod common;

use common::{
    bench::{bench, icarus},
    plain,
};
use hdl::{
    Collision::{self, *},
    MemSpec,
    memory::MemKind::*,
    verilog::memory_text,
};

/// Where nothing is undefined, the text under `SYNTHESIS` and the one that simulators read agree.
#[test]
fn synthesis_reads_what_simulation_runs() {
    for collision in [NoChange, Undefined, Old, New] {
        for lane in [None, Some(8), Some(32)] {
            for two_clocks in [false, true] {
                // Both show a port what it writes in their own way where that is undefined.
                if collision == Undefined {
                    continue;
                }
                let spec = MemSpec { collision, lane, two_clocks, ..plain(TrueDual, 100, 32) };
                let name = spec.module_name();
                let other = memory_text(&spec).replace(&format!("module {name} ("), &format!("module {name}_synth ("));
                let files = [bench(&spec, "synth"), memory_text(&spec), format!("`define SYNTHESIS\n{other}")];
                assert_eq!(icarus(&files), "agree", "{name}");
            }
        }
    }
}

/// Word 3 holds 8 ones; it is read while zeros are written to it, 40 times.
fn collide(collision: Collision, lane: Option<u32>) -> Vec<u64> {
    let spec = MemSpec { collision, lane, ..plain(SimpleDual, 16, 8) };
    let name = spec.module_name();
    let wstrb = if lane.is_some() { ", .wstrb(2'b01)" } else { "" };
    let bench = format!(
        "module bench;
  reg clk = 0, we = 0; reg [7:0] wdata; wire [7:0] rdata; integer i;
  always #5 clk = ~clk;
  {name} dut (.clk(clk), .we(we), .waddr(4'd3), .wdata(wdata){wstrb}, .re(1'b1), .raddr(4'd3), .rdata(rdata));
  {name} fill (.clk(clk), .we(1'b0), .waddr(4'd0), .wdata(8'h0){wstrb}, .re(1'b0), .raddr(4'd0), .rdata());
  initial begin
    for (i = 0; i < 40; i = i + 1) begin
      @(negedge clk); dut.mem[3] = 8'hff; we = 1; wdata = 8'h0;
      @(negedge clk); $display(\"%0d\", rdata); we = 0;
    end
    $finish;
  end
endmodule
"
    );
    icarus(&[bench, memory_text(&spec)]).lines().map(|l| l.trim().parse().expect("a number without x")).collect()
}

#[test]
fn read_during_write_on_a_simple_dual_port() {
    assert_eq!(collide(Old, None), vec![0xff; 40]);
    assert_eq!(collide(New, None), vec![0x00; 40]);
    assert_eq!(collide(Old, Some(4)), vec![0xff; 40]);
    assert_eq!(collide(New, Some(4)), vec![0xf0; 40]);
    let mut random = collide(Undefined, None);
    random.sort_unstable();
    random.dedup();
    assert!(random.len() > 20, "{random:?}");
}

/// Port a reads word 3 while port b writes it, then both write it and a reads it back.
#[test]
fn collisions_across_the_ports_are_random() {
    for two_clocks in [false, true] {
        let spec = MemSpec { two_clocks, ..plain(TrueDual, 16, 32) };
        let name = spec.module_name();
        let clocks = if two_clocks { ".a_clk(clk), .b_clk(clk)" } else { ".clk(clk)" };
        let bench = format!(
            "module bench;
  reg clk = 0, a_we = 0, b_we = 0; wire [31:0] a_rdata; integer i;
  always #5 clk = ~clk;
  {name} dut ({clocks}, .a_en(1'b1), .a_we(a_we), .a_addr(4'd3), .a_wdata(32'h1), .a_rdata(a_rdata),
    .b_en(1'b1), .b_we(b_we), .b_addr(4'd3), .b_wdata(32'h2), .b_rdata());
  initial begin
    for (i = 0; i < 20; i = i + 1) begin
      @(negedge clk); a_we = 0; b_we = 1;
      @(negedge clk); $display(\"%0d\", a_rdata); a_we = 0; b_we = 0;
      @(negedge clk); if (a_rdata !== 2) $display(\"lost\");
      a_we = 1; b_we = 1;
      @(negedge clk); if (a_rdata !== 2) $display(\"changed\");
      a_we = 0; b_we = 0;
      @(negedge clk); $display(\"%0d\", a_rdata);
    end
    $finish;
  end
endmodule
"
        );
        let printed = icarus(&[bench, memory_text(&spec)]);
        let mut values: Vec<u32> = printed.lines().map(|l| l.trim().parse().expect("a number")).collect();
        assert_eq!(values.len(), 40);
        values.sort_unstable();
        values.dedup();
        assert!(values.len() > 35, "{values:?}");
    }
}
