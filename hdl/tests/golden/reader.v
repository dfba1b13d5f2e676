// Adds up the words 0 to len that a bus gives.
`default_nettype none

module reader (
    input  wire        clk,
    input  wire        rst,
    input  wire        start,       // Begins a sum.
    input  wire [7:0]  len,         // Number of words, less one.
    output wire        ask,         // A word is asked for.
    output reg  [7:0]  addr,        // Its address.
    input  wire        data_valid,  // The word is there.
    input  wire [31:0] data,        // The word.
    output wire        done,        // One clock: the sum is complete.
    output reg  [31:0] sum          // The sum, modulo 2^32.
);

    localparam [1:0] PHASE_IDLE      = 2'd0;
    localparam [1:0] PHASE_ASK       = 2'd1;
    localparam [1:0] PHASE_WAIT_DATA = 2'd2;
    localparam [1:0] PHASE_DONE      = 2'd3;

    reg  [1:0]  phase;

    wire last = addr == len;

    assign ask = phase == PHASE_ASK;
    assign done = phase == PHASE_DONE;

    always @(posedge clk) begin
        case (phase)
            PHASE_IDLE: begin
                addr <= 8'd0;
                sum <= 32'd0;
                if (start) begin
                    phase <= PHASE_ASK;
                end
            end
            PHASE_ASK: begin
                phase <= PHASE_WAIT_DATA;
            end
            PHASE_WAIT_DATA: begin
                if (data_valid) begin
                    sum <= sum + data;
                    addr <= addr + 8'd1;
                    if (last) begin
                        phase <= PHASE_DONE;
                    end else begin
                        phase <= PHASE_ASK;
                    end
                end
            end
            PHASE_DONE: begin
                phase <= PHASE_IDLE;
            end
            default: ;
        endcase
        if (rst) begin
            phase <= PHASE_IDLE;
        end
    end
endmodule

`default_nettype wire
