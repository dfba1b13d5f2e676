// Cuts the paths of a stream in both directions at full rate.
`default_nettype none

module skid_w16 (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] s_axis_tdata,   // Data, lane 0 first on the wire.
    input  wire        s_axis_tlast,   // Last beat of the frame.
    input  wire        s_axis_tvalid,  // The beat is there.
    output reg         s_axis_tready,  // The beat is taken.
    output reg  [15:0] m_axis_tdata,   // Data, lane 0 first on the wire.
    output reg         m_axis_tlast,   // Last beat of the frame.
    output reg         m_axis_tvalid,  // The beat is there.
    input  wire        m_axis_tready   // The beat is taken.
);

    reg  [15:0] kept_data;
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

// Cuts the paths of a stream in both directions at full rate.
`default_nettype none

module skid_w8 (
    input  wire       clk,
    input  wire       rst,
    input  wire [7:0] s_axis_tdata,   // Data, lane 0 first on the wire.
    input  wire       s_axis_tlast,   // Last beat of the frame.
    input  wire       s_axis_tvalid,  // The beat is there.
    output reg        s_axis_tready,  // The beat is taken.
    output reg  [7:0] m_axis_tdata,   // Data, lane 0 first on the wire.
    output reg        m_axis_tlast,   // Last beat of the frame.
    output reg        m_axis_tvalid,  // The beat is there.
    input  wire       m_axis_tready   // The beat is taken.
);

    reg  [7:0] kept_data;
    reg        kept_last;
    reg        kept_valid;

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

`default_nettype none

module chain (
    input  wire        clk,
    input  wire        rst,
    input  wire [15:0] s_axis_tdata,       // Data, lane 0 first on the wire.
    input  wire        s_axis_tlast,       // Last beat of the frame.
    input  wire        s_axis_tvalid,      // The beat is there.
    output wire        s_axis_tready,      // The beat is taken.
    output wire [15:0] m_axis_tdata,       // Data, lane 0 first on the wire.
    output wire        m_axis_tlast,       // Last beat of the frame.
    output wire        m_axis_tvalid,      // The beat is there.
    input  wire        m_axis_tready,      // The beat is taken.
    input  wire [7:0]  s_axis_low_tdata,   // Data, lane 0 first on the wire.
    input  wire        s_axis_low_tlast,   // Last beat of the frame.
    input  wire        s_axis_low_tvalid,  // The beat is there.
    output wire        s_axis_low_tready,  // The beat is taken.
    output wire [7:0]  m_axis_low_tdata,   // Data, lane 0 first on the wire.
    output wire        m_axis_low_tlast,   // Last beat of the frame.
    output wire        m_axis_low_tvalid,  // The beat is there.
    input  wire        m_axis_low_tready   // The beat is taken.
);

    wire [15:0] first_m_axis_tdata;
    wire        first_m_axis_tlast;
    wire        first_m_axis_tvalid;
    wire        second_s_axis_tready;

    skid_w16 first (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .m_axis_tdata(first_m_axis_tdata),
        .m_axis_tlast(first_m_axis_tlast),
        .m_axis_tvalid(first_m_axis_tvalid),
        .m_axis_tready(second_s_axis_tready)
    );

    skid_w16 second (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(first_m_axis_tdata),
        .s_axis_tlast(first_m_axis_tlast),
        .s_axis_tvalid(first_m_axis_tvalid),
        .s_axis_tready(second_s_axis_tready),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tlast(m_axis_tlast),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready)
    );

    skid_w8 low (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(s_axis_low_tdata),
        .s_axis_tlast(s_axis_low_tlast),
        .s_axis_tvalid(s_axis_low_tvalid),
        .s_axis_tready(s_axis_low_tready),
        .m_axis_tdata(m_axis_low_tdata),
        .m_axis_tlast(m_axis_low_tlast),
        .m_axis_tvalid(m_axis_low_tvalid),
        .m_axis_tready(m_axis_low_tready)
    );
endmodule

`default_nettype wire
