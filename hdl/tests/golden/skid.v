// Cuts the paths of a stream in both directions at full rate.
`default_nettype none

module skid (
    input  wire        clk,
    input  wire        rst,
    input  wire [63:0] s_axis_tdata,   // Data, lane 0 first on the wire.
    input  wire        s_axis_tlast,   // Last beat of the frame.
    input  wire        s_axis_tvalid,  // The beat is there.
    output reg         s_axis_tready,  // The beat is taken.
    output reg  [63:0] m_axis_tdata,   // Data, lane 0 first on the wire.
    output reg         m_axis_tlast,   // Last beat of the frame.
    output reg         m_axis_tvalid,  // The beat is there.
    input  wire        m_axis_tready   // The beat is taken.
);

    reg  [63:0] kept_data;
    reg         kept_last;
    reg         kept_valid;

    wire advance = m_axis_tready | !m_axis_tvalid;
    wire take = s_axis_tvalid & s_axis_tready;

    always @(posedge clk) begin
        if (advance) begin
            if (kept_valid) begin
                m_axis_tdata <= kept_data;
                m_axis_tlast <= kept_last;
                m_axis_tvalid <= 1'b1;
                kept_valid <= 1'b0;
            end else begin
                m_axis_tdata <= s_axis_tdata;
                m_axis_tlast <= s_axis_tlast;
                m_axis_tvalid <= take;
            end
            s_axis_tready <= 1'b1;
        end else if (take) begin
            kept_data <= s_axis_tdata;
            kept_last <= s_axis_tlast;
            kept_valid <= 1'b1;
            s_axis_tready <= 1'b0;
        end
        if (rst) begin
            s_axis_tready <= 1'b0;
            m_axis_tvalid <= 1'b0;
            kept_valid <= 1'b0;
        end
    end
endmodule

`default_nettype wire
