// Counts codes; the same one may not come twice within three clocks.
`default_nettype none

module histogram (
    input  wire        clk,
    input  wire        rst,
    input  wire        valid,        // A code has come.
    input  wire [7:0]  code,         // The code.
    output wire        count_valid,  // A count is known, two clocks after its code.
    output wire [15:0] count         // How often the code had come before.
);

    wire [15:0] counts_wdata;
    reg         valid_q;
    reg         seen;
    reg  [7:0]  code_q;
    reg  [7:0]  code_seen;

    ram_sdp_256x16_reg_init7da144b97d054b25 counts (
        .clk(clk),
        .we(seen),
        .waddr(code_seen),
        .wdata(counts_wdata),
        .re(valid),
        .raddr(code),
        .rdata(count)
    );

    assign count_valid = seen;
    assign counts_wdata = count + 16'd1;

    always @(posedge clk) begin
        code_q <= code;
        code_seen <= code_q;
    end

    always @(posedge clk) begin
        valid_q <= valid;
        seen <= valid_q;
        if (rst) begin
            valid_q <= 1'b0;
            seen <= 1'b0;
        end
    end
endmodule

`default_nettype wire
