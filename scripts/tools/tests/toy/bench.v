// Pushes three entries, pops one and prints the level.
`timescale 1ns / 1ps
module bench;
  reg clk = 0, rst = 0, push = 0, pop = 0;
  wire [3:0] level;
  fill fill (.clk(clk), .rst(rst), .push(push), .pop(pop), .level(level));

  always #5 clk = ~clk;
  initial begin
    push = 1;
    repeat (3) @(negedge clk);
    push = 0;
    pop = 1;
    @(negedge clk);
    $display("level %0d", level);
    $finish;
  end
endmodule
