// Sends frames of three beats and breaks the rule that `fault` names; 0 breaks none.
module axis_breaker (
    input  wire        clk,
    input  wire        rst,
    input  wire [3:0]  fault,
    output wire [63:0] m_axis_tdata,
    output wire [7:0]  m_axis_tkeep,
    output wire        m_axis_tlast,
    output wire [7:0]  m_axis_tuser,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready
);
    localparam VALID_FALLS = 4'd1, DATA_CHANGES = 4'd2, KEEP_CHANGES = 4'd3, LAST_CHANGES = 4'd4, USER_CHANGES = 4'd5,
               KEEP_HOLE = 4'd6, KEEP_SHORT = 4'd7, KEEP_ZERO = 4'd8, USER_MOVES = 4'd9, NO_LAST = 4'd10,
               BAD_BIT_MOVES = 4'd11;
    reg [7:0] cycle;
    reg [7:0] frame;
    reg [1:0] beat;
    reg stalled;
    wire odd = cycle[0];
    wire last = beat == 2'd2;
    assign m_axis_tvalid = !(fault == VALID_FALLS && odd);
    assign m_axis_tdata = {frame, 46'd0, beat, fault == DATA_CHANGES ? cycle : 8'd0};
    assign m_axis_tkeep = fault == KEEP_CHANGES && last ? (odd ? 8'h01 : 8'h03)
                        : fault == KEEP_HOLE && last ? 8'h0B
                        : fault == KEEP_SHORT && beat == 2'd1 ? 8'h7F
                        : fault == KEEP_ZERO && last ? 8'h00 : 8'hFF;
    assign m_axis_tlast = fault == LAST_CHANGES ? last ^ odd : last && fault != NO_LAST;
    assign m_axis_tuser = {frame[6:0], fault == BAD_BIT_MOVES && last}
                        ^ {6'd0, fault == USER_MOVES && last, 1'b0} ^ {4'd0, fault == USER_CHANGES && stalled, 3'd0};
    always @(posedge clk) begin
        cycle <= cycle + 8'd1;
        stalled <= m_axis_tvalid && !m_axis_tready;
        if (m_axis_tvalid && m_axis_tready) begin
            beat <= last ? 2'd0 : beat + 2'd1;
            if (last && fault != NO_LAST) frame <= frame + 8'd1;
        end
        if (rst) begin
            cycle <= 8'd0;
            frame <= 8'd0;
            beat <= 2'd0;
            stalled <= 1'b0;
        end
    end
endmodule
