// Grants at most four more than were given back.
`default_nettype none

module credits (
    input  wire clk,
    input  wire rst,
    input  wire give,  // A credit comes back.
    input  wire want,  // A credit is wanted.
    output wire grant  // It is granted.
);

    reg  [2:0] left;

    wire granted = want & (|left);
    wire granted_and = granted & !give;
    wire give_and = give & !granted;

    assign grant = granted;

    always @(posedge clk) begin
        if (granted_and) begin
            left <= left - 3'd1;
        end else if (give_and) begin
            left <= left + 3'd1;
        end
        if (rst) begin
            left <= 3'd4;
        end
    end

`ifdef EM_ASSERT
    reg  [2:0] out;

    always @(posedge clk) begin
        if (granted_and) begin
            out <= out + 3'd1;
        end else if (give_and) begin
            out <= out - 3'd1;
        end
        if (rst) begin
            out <= 3'd0;
        end
    end

`ifdef FORMAL
    always @(posedge clk) begin
        if (!rst) begin
            assume_owed: assume (!give | (|out));
            assert_balance: assert ({1'b0, left} == (4'd4 - {1'b0, out}));
            cover_empty: cover (left == 3'd0);
        end
    end
`else
    always @(posedge clk) begin
        if (!rst) begin
            if (!(!give | (|out))) begin
                $display("%m: only what was granted is given back");
                $stop;
            end
            if (!({1'b0, left} == (4'd4 - {1'b0, out}))) begin
                $display("%m: credits are neither lost nor made");
                $stop;
            end
            cover_empty: cover (left == 3'd0);
        end
    end
`endif
`endif
endmodule

`default_nettype wire
