// Sixteen registers at 0x00-0x3C; 0x40-0x7F answer SLVERR, from 0x80 on nothing ever answers.
// `fault`: 1 answers a read nobody made, 2 lets rdata change while it waits.
module axil_regs (
    input  wire        clk,
    input  wire        rst,
    input  wire [1:0]  fault,
    input  wire [7:0]  s_axil_awaddr,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output reg  [1:0]  s_axil_bresp,
    output reg         s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire [7:0]  s_axil_araddr,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output reg  [31:0] s_axil_rdata,
    output reg  [1:0]  s_axil_rresp,
    output reg         s_axil_rvalid,
    input  wire        s_axil_rready
);
    reg [31:0] registers [0:15];
    reg have_addr, have_data;
    reg [7:0] addr;
    reg [31:0] data;
    reg [3:0] strobe;
    integer i;
    assign s_axil_awready = !have_addr;
    assign s_axil_wready = !have_data;
    assign s_axil_arready = !s_axil_rvalid;
    always @(posedge clk) begin
        if (s_axil_awvalid && s_axil_awready) begin
            have_addr <= 1'b1;
            addr <= s_axil_awaddr;
        end
        if (s_axil_wvalid && s_axil_wready) begin
            have_data <= 1'b1;
            data <= s_axil_wdata;
            strobe <= s_axil_wstrb;
        end
        if (have_addr && have_data && !s_axil_bvalid && !addr[7]) begin
            s_axil_bvalid <= 1'b1;
            s_axil_bresp <= {addr[6], 1'b0};
            if (!addr[6])
                for (i = 0; i < 4; i = i + 1) if (strobe[i]) registers[addr[5:2]][8*i +: 8] <= data[8*i +: 8];
        end
        if (s_axil_bvalid && s_axil_bready) begin
            s_axil_bvalid <= 1'b0;
            have_addr <= 1'b0;
            have_data <= 1'b0;
        end
        if (fault == 2'd2) s_axil_rdata <= s_axil_rdata + 32'd1;
        if (s_axil_arvalid && s_axil_arready && !s_axil_araddr[7]) begin
            s_axil_rvalid <= 1'b1;
            s_axil_rdata <= registers[s_axil_araddr[5:2]];
            s_axil_rresp <= {s_axil_araddr[6], 1'b0};
        end
        if (s_axil_rvalid && s_axil_rready) s_axil_rvalid <= 1'b0;
        if (fault == 2'd1) s_axil_rvalid <= 1'b1;
        if (rst) begin
            s_axil_bvalid <= 1'b0;
            s_axil_rvalid <= 1'b0;
            have_addr <= 1'b0;
            have_data <= 1'b0;
        end
    end
endmodule
