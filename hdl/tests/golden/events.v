// Counts pulses of mac_clk in clk, where they are at least three clocks apart.
`default_nettype none

module events (
    input  wire        clk,
    input  wire        rst,
    input  wire        mac_clk,
    input  wire        mac_rst,
    input  wire        pulse,    // A pulse of `mac_clk`.
    output reg  [15:0] count     // Pulses so far, in `clk`.
);

    reg         toggle;
    (* ASYNC_REG = "TRUE" *) reg         toggle_sync0;
    (* ASYNC_REG = "TRUE" *) reg         toggle_sync1;
    reg         before_;

    always @(posedge clk) begin
        if (toggle_sync1 ^ before_) begin
            count <= count + 16'd1;
        end
        if (rst) begin
            count <= 16'd0;
        end
    end

    always @(posedge clk) begin
        toggle_sync0 <= toggle;
        toggle_sync1 <= toggle_sync0;
        before_ <= toggle_sync1;
        if (rst) begin
            toggle_sync0 <= 1'b0;
            toggle_sync1 <= 1'b0;
            before_ <= 1'b0;
        end
    end

    always @(posedge mac_clk) begin
        if (pulse) begin
            toggle <= !toggle;
        end
        if (mac_rst) begin
            toggle <= 1'b0;
        end
    end
endmodule

`default_nettype wire
