// A 512-bit register with a combinational sum beside it.
module reg512 (
    input  wire         clk,
    input  wire [511:0] d,
    input  wire [7:0]   a,
    input  wire [7:0]   b,
    output reg  [511:0] q,
    output wire [7:0]   sum,
    output reg  [7:0]   sum_q
);
    assign sum = a + b;
    always @(posedge clk) begin
        q <= d;
        sum_q <= sum;
    end
endmodule
