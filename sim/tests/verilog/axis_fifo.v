// A four-deep stream FIFO: registered outputs, no combinational path between its sides.
`ifndef DATA_W
`define DATA_W 64
`endif
`ifndef USER_W
`define USER_W 17
`endif
module axis_fifo #(
    parameter DATA_W = `DATA_W,
    parameter KEEP_W = DATA_W / 8,
    parameter USER_W = `USER_W
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [DATA_W-1:0] s_axis_tdata,
    input  wire [KEEP_W-1:0] s_axis_tkeep,
    input  wire              s_axis_tlast,
    input  wire [USER_W-1:0] s_axis_tuser,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata,
    output wire [KEEP_W-1:0] m_axis_tkeep,
    output wire              m_axis_tlast,
    output wire [USER_W-1:0] m_axis_tuser,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready
);
    localparam BEAT_W = DATA_W + KEEP_W + USER_W + 1;
    reg [BEAT_W-1:0] beats [0:3];
    reg [2:0] write_count;
    reg [2:0] read_count;
    wire [2:0] level = write_count - read_count;
    assign s_axis_tready = level != 3'd4;
    assign m_axis_tvalid = level != 3'd0;
    assign {m_axis_tdata, m_axis_tkeep, m_axis_tuser, m_axis_tlast} = beats[read_count[1:0]];
    always @(posedge clk) begin
        if (s_axis_tvalid && s_axis_tready) begin
            beats[write_count[1:0]] <= {s_axis_tdata, s_axis_tkeep, s_axis_tuser, s_axis_tlast};
            write_count <= write_count + 3'd1;
        end
        if (m_axis_tvalid && m_axis_tready) read_count <= read_count + 3'd1;
        if (rst) begin
            write_count <= 3'd0;
            read_count <= 3'd0;
        end
    end
endmodule
