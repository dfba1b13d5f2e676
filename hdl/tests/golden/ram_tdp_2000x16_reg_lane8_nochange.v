// Memory of 2000 words of 16 bits: ports a and b both read and write.
//
// Read: a_rdata follows a_addr two clocks after a_en, which gates the first; the output register always runs.
// Write: at the clock edge with a_en and a_we, where bit i of a_wstrb lets bits 8 i + 7 to 8 i through. Port b
// likewise.
// A port that writes keeps its a_rdata (b_rdata).
// A word that one port writes while the other reads it reads undefined; a word that both write becomes undefined:
// random in simulation.
// Contents at power-up: undefined, random in simulation.
// With EM_TECH_ECP5 defined: 2 DP16KD of 2048 x 9, 1 deep and 2 wide, with the blocks' own output registers.
module ram_tdp_2000x16_reg_lane8_nochange (
    input  wire clk,
    input  wire a_en,
    input  wire a_we,
    input  wire [10:0] a_addr,
    input  wire [15:0] a_wdata,
    input  wire [1:0] a_wstrb,
    output wire [15:0] a_rdata,
    input  wire b_en,
    input  wire b_we,
    input  wire [10:0] b_addr,
    input  wire [15:0] b_wdata,
    input  wire [1:0] b_wstrb,
    output wire [15:0] b_rdata
);
`ifdef EM_TECH_ECP5
    genvar row;
    genvar col;
    genvar lane;

    wire [17:0] a_tile_wdata;
    wire [1:0] a_byte_en;
    generate
        for (lane = 0; lane < 2; lane = lane + 1) begin : a_lanes_in
            assign a_tile_wdata[9 * lane +: 9] = {1'h0, a_wdata[8 * lane +: 8]};
            assign a_byte_en[1 * lane +: 1] = {1{a_wstrb[lane]}};
        end
    endgenerate
    wire [10:0] a_tile_addr;
    assign a_tile_addr = a_addr;
    wire [17:0] a_tile_rdata;
    wire [17:0] a_row_rdata;
    assign a_row_rdata = a_tile_rdata;
    generate
        for (lane = 0; lane < 2; lane = lane + 1) begin : a_lanes_out
            assign a_rdata[8 * lane +: 8] = a_row_rdata[9 * lane +: 8];
        end
    endgenerate

    wire [17:0] b_tile_wdata;
    wire [1:0] b_byte_en;
    generate
        for (lane = 0; lane < 2; lane = lane + 1) begin : b_lanes_in
            assign b_tile_wdata[9 * lane +: 9] = {1'h0, b_wdata[8 * lane +: 8]};
            assign b_byte_en[1 * lane +: 1] = {1{b_wstrb[lane]}};
        end
    endgenerate
    wire [10:0] b_tile_addr;
    assign b_tile_addr = b_addr;
    wire [17:0] b_tile_rdata;
    wire [17:0] b_row_rdata;
    assign b_row_rdata = b_tile_rdata;
    generate
        for (lane = 0; lane < 2; lane = lane + 1) begin : b_lanes_out
            assign b_rdata[8 * lane +: 8] = b_row_rdata[9 * lane +: 8];
        end
    endgenerate

    generate
        for (row = 0; row < 1; row = row + 1) begin : rows
            for (col = 0; col < 2; col = col + 1) begin : cols
                wire a_write = a_we && a_byte_en[col];
                wire a_enable = a_en && (a_write || !a_we);
                wire [13:0] a_pins = {a_tile_addr, 3'h0};
                wire [17:0] a_din = {9'h0, a_tile_wdata[9 * col +: 9]};
                wire [17:0] a_dout;
                assign a_tile_rdata[9 * col +: 9] = a_dout[8:0];
                wire b_write = b_we && b_byte_en[col];
                wire b_enable = b_en && (b_write || !b_we);
                wire [13:0] b_pins = {b_tile_addr, 3'h0};
                wire [17:0] b_din = {9'h0, b_tile_wdata[9 * col +: 9]};
                wire [17:0] b_dout;
                assign b_tile_rdata[9 * col +: 9] = b_dout[8:0];
                DP16KD #(
                    .DATA_WIDTH_A(9), .DATA_WIDTH_B(9),
                    .REGMODE_A("OUTREG"), .REGMODE_B("OUTREG"),
                    .WRITEMODE_A("NORMAL"), .WRITEMODE_B("NORMAL"),
                    .CLKAMUX("CLKA"), .CLKBMUX("CLKB"),
                    .CSDECODE_A("0b000"), .CSDECODE_B("0b000"),
                    .RESETMODE("SYNC"), .ASYNC_RESET_RELEASE("SYNC"), .GSR("DISABLED")
                ) block (
                    .CLKA(clk), .CEA(a_enable), .OCEA(1'b1), .WEA(a_write), .RSTA(1'b0),
                    .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0),
                    .ADA0(a_pins[0]), .ADA1(a_pins[1]), .ADA2(a_pins[2]), .ADA3(a_pins[3]), .ADA4(a_pins[4]), .ADA5(a_pins[5]),
                    .ADA6(a_pins[6]), .ADA7(a_pins[7]), .ADA8(a_pins[8]), .ADA9(a_pins[9]), .ADA10(a_pins[10]), .ADA11(a_pins[11]),
                    .ADA12(a_pins[12]), .ADA13(a_pins[13]),
                    .DIA0(a_din[0]), .DIA1(a_din[1]), .DIA2(a_din[2]), .DIA3(a_din[3]), .DIA4(a_din[4]), .DIA5(a_din[5]),
                    .DIA6(a_din[6]), .DIA7(a_din[7]), .DIA8(a_din[8]), .DIA9(a_din[9]), .DIA10(a_din[10]), .DIA11(a_din[11]),
                    .DIA12(a_din[12]), .DIA13(a_din[13]), .DIA14(a_din[14]), .DIA15(a_din[15]), .DIA16(a_din[16]), .DIA17(a_din[17]),
                    .DOA0(a_dout[0]), .DOA1(a_dout[1]), .DOA2(a_dout[2]), .DOA3(a_dout[3]), .DOA4(a_dout[4]), .DOA5(a_dout[5]),
                    .DOA6(a_dout[6]), .DOA7(a_dout[7]), .DOA8(a_dout[8]), .DOA9(a_dout[9]), .DOA10(a_dout[10]), .DOA11(a_dout[11]),
                    .DOA12(a_dout[12]), .DOA13(a_dout[13]), .DOA14(a_dout[14]), .DOA15(a_dout[15]), .DOA16(a_dout[16]), .DOA17(a_dout[17]),
                    .CLKB(clk), .CEB(b_enable), .OCEB(1'b1), .WEB(b_write), .RSTB(1'b0),
                    .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
                    .ADB0(b_pins[0]), .ADB1(b_pins[1]), .ADB2(b_pins[2]), .ADB3(b_pins[3]), .ADB4(b_pins[4]), .ADB5(b_pins[5]),
                    .ADB6(b_pins[6]), .ADB7(b_pins[7]), .ADB8(b_pins[8]), .ADB9(b_pins[9]), .ADB10(b_pins[10]), .ADB11(b_pins[11]),
                    .ADB12(b_pins[12]), .ADB13(b_pins[13]),
                    .DIB0(b_din[0]), .DIB1(b_din[1]), .DIB2(b_din[2]), .DIB3(b_din[3]), .DIB4(b_din[4]), .DIB5(b_din[5]),
                    .DIB6(b_din[6]), .DIB7(b_din[7]), .DIB8(b_din[8]), .DIB9(b_din[9]), .DIB10(b_din[10]), .DIB11(b_din[11]),
                    .DIB12(b_din[12]), .DIB13(b_din[13]), .DIB14(b_din[14]), .DIB15(b_din[15]), .DIB16(b_din[16]), .DIB17(b_din[17]),
                    .DOB0(b_dout[0]), .DOB1(b_dout[1]), .DOB2(b_dout[2]), .DOB3(b_dout[3]), .DOB4(b_dout[4]), .DOB5(b_dout[5]),
                    .DOB6(b_dout[6]), .DOB7(b_dout[7]), .DOB8(b_dout[8]), .DOB9(b_dout[9]), .DOB10(b_dout[10]), .DOB11(b_dout[11]),
                    .DOB12(b_dout[12]), .DOB13(b_dout[13]), .DOB14(b_dout[14]), .DOB15(b_dout[15]), .DOB16(b_dout[16]), .DOB17(b_dout[17])
                );
            end
        end
    endgenerate
`else
    (* ram_style = "block", no_rw_check *) reg [15:0] mem [0:1999];
    reg [15:0] a_read;
    reg [15:0] b_read;
    reg [15:0] a_out_data;
    reg [15:0] b_out_data;
    integer a_lane;
    integer b_lane;

`ifndef SYNTHESIS
`ifndef FORMAL
    integer start_bit;
    integer start_word;
    initial begin
        for (start_word = 0; start_word < 2000; start_word = start_word + 1) begin
            for (start_bit = 0; start_bit < 16; start_bit = start_bit + 1) mem[start_word][start_bit] = ($random < 0);
        end
        for (start_bit = 0; start_bit < 16; start_bit = start_bit + 1) a_read[start_bit] = ($random < 0);
        for (start_bit = 0; start_bit < 16; start_bit = start_bit + 1) b_read[start_bit] = ($random < 0);
        for (start_bit = 0; start_bit < 16; start_bit = start_bit + 1) a_out_data[start_bit] = ($random < 0);
        for (start_bit = 0; start_bit < 16; start_bit = start_bit + 1) b_out_data[start_bit] = ($random < 0);
    end
`endif
`endif
`ifdef SYNTHESIS
`elsif FORMAL
    (* anyseq *) wire [15:0] a_undefined;
`else
    integer a_draw;
`endif
`ifdef SYNTHESIS
`elsif FORMAL
    (* anyseq *) wire [15:0] b_undefined;
`else
    integer b_draw;
`endif

    always @(posedge clk) begin
        if (a_en && a_we) begin
            for (a_lane = 0; a_lane < 2; a_lane = a_lane + 1) begin
                if (a_wstrb[a_lane]) mem[a_addr][8 * a_lane +: 8] <= a_wdata[8 * a_lane +: 8];
            end
        end
`ifdef SYNTHESIS
`elsif FORMAL
        if (a_en && a_we && |a_wstrb && b_en && b_we && |b_wstrb && b_addr == a_addr) mem[a_addr] <= a_undefined;
`else
        if (a_en && a_we && |a_wstrb && b_en && b_we && |b_wstrb && b_addr == a_addr) begin
            for (a_draw = 0; a_draw < 16; a_draw = a_draw + 1) mem[a_addr][a_draw] <= ($random < 0);
        end
`endif
        if (a_en && !a_we) begin
            a_read <= mem[a_addr];
`ifdef SYNTHESIS
`elsif FORMAL
            if ((b_en && b_we && |b_wstrb && b_addr == a_addr) || (a_addr >= 11'd2000)) a_read <= a_undefined;
`else
            if ((b_en && b_we && |b_wstrb && b_addr == a_addr) || (a_addr >= 11'd2000)) begin
                for (a_draw = 0; a_draw < 16; a_draw = a_draw + 1) a_read[a_draw] <= ($random < 0);
            end
`endif
        end
    end

    always @(posedge clk) begin
        if (b_en && b_we) begin
            for (b_lane = 0; b_lane < 2; b_lane = b_lane + 1) begin
                if (b_wstrb[b_lane]) mem[b_addr][8 * b_lane +: 8] <= b_wdata[8 * b_lane +: 8];
            end
        end
`ifdef SYNTHESIS
`elsif FORMAL
        if (b_en && b_we && |b_wstrb && a_en && a_we && |a_wstrb && a_addr == b_addr) mem[b_addr] <= b_undefined;
`else
        if (b_en && b_we && |b_wstrb && a_en && a_we && |a_wstrb && a_addr == b_addr) begin
            for (b_draw = 0; b_draw < 16; b_draw = b_draw + 1) mem[b_addr][b_draw] <= ($random < 0);
        end
`endif
        if (b_en && !b_we) begin
            b_read <= mem[b_addr];
`ifdef SYNTHESIS
`elsif FORMAL
            if ((a_en && a_we && |a_wstrb && a_addr == b_addr) || (b_addr >= 11'd2000)) b_read <= b_undefined;
`else
            if ((a_en && a_we && |a_wstrb && a_addr == b_addr) || (b_addr >= 11'd2000)) begin
                for (b_draw = 0; b_draw < 16; b_draw = b_draw + 1) b_read[b_draw] <= ($random < 0);
            end
`endif
        end
    end

    always @(posedge clk) begin
        a_out_data <= a_read;
    end

    assign a_rdata = a_out_data;

    always @(posedge clk) begin
        b_out_data <= b_read;
    end

    assign b_rdata = b_out_data;
`endif
endmodule
