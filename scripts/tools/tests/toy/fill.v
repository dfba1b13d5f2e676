// The fill level of a FIFO of eight entries, with the property that it never overflows.
module fill (
    input wire clk,
    input wire rst,
    input wire push,
    input wire pop,
    output reg [3:0] level
);
  wire full = level == 4'd8;
  wire empty = level == 4'd0;

  initial level = 4'd0;
  always @(posedge clk) begin
    if (rst) level <= 4'd0;
    else level <= level + {3'd0, push & ~full} - {3'd0, pop & ~empty};
  end

`ifdef FORMAL
  always @(posedge clk) assert (level <= 4'd8);
`endif
endmodule
