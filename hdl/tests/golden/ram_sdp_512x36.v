// Memory of 512 words of 36 bits: one write port, one read port.
//
// Read: rdata follows raddr one clock after re, and keeps its value while re is 0.
// Write: at the clock edge with we.
// Reading a word while it is being written gives undefined data: random in simulation.
// Contents at power-up: undefined, random in simulation.
module ram_sdp_512x36 (
    input  wire clk,
    input  wire we,
    input  wire [8:0] waddr,
    input  wire [35:0] wdata,
    input  wire re,
    input  wire [8:0] raddr,
    output wire [35:0] rdata
);
    (* ram_style = "block", no_rw_check *) reg [35:0] mem [0:511];
    reg [35:0] read_data;

`ifndef SYNTHESIS
`ifndef FORMAL
    integer start_bit;
    integer start_word;
    initial begin
        for (start_word = 0; start_word < 512; start_word = start_word + 1) begin
            mem[start_word][31:0] = $random;
            for (start_bit = 32; start_bit < 36; start_bit = start_bit + 1) mem[start_word][start_bit] = ($random < 0);
        end
        read_data[31:0] = $random;
        for (start_bit = 32; start_bit < 36; start_bit = start_bit + 1) read_data[start_bit] = ($random < 0);
    end
`endif
`endif
`ifdef SYNTHESIS
`elsif FORMAL
    (* anyseq *) wire [35:0] undefined;
`else
    integer draw;
`endif

    always @(posedge clk) begin
        if (we) mem[waddr] <= wdata;
    end

    always @(posedge clk) begin
        if (re) begin
            read_data <= mem[raddr];
`ifdef SYNTHESIS
`elsif FORMAL
            if (we && waddr == raddr) read_data <= undefined;
`else
            if (we && waddr == raddr) begin
                read_data[31:0] <= $random;
                for (draw = 32; draw < 36; draw = draw + 1) read_data[draw] <= ($random < 0);
            end
`endif
        end
    end

    assign rdata = read_data;
endmodule
