// Fails on purpose: an assertion with a sentence, one without, and logic that never settles.
/* verilator lint_off UNOPTFLAT */
module checks (
    input  wire       clk,
    input  wire [7:0] level,
    input  wire       oscillate,
    output wire       ring,
    output reg  [7:0] seen,
    output reg [71:0] uninitialised__q
);
    wire loop = oscillate ? ~loop : 1'b0;
    assign ring = loop;
    reg [71:0] state;
    always @(posedge clk) begin
        seen <= level;
        uninitialised__q <= state;
`ifdef EM_ASSERT
        if (level > 8'd100) begin
            $display("%m: the level is at most 100");
            $stop;
        end
        if (level == 8'd77) $stop; // 77 is unlucky
        if (level == 8'd99) $finish;
`endif
    end
endmodule
