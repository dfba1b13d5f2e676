// Behavioural models of two ECP5 block RAM primitives, for tests of the memories that instantiate them. They are this
// project's own, written from Lattice's description (FPGA-TN-02204, ECP5 and ECP5-5G Memory Usage Guide), not Lattice's
// models: they know what the memories use (write mode NORMAL, synchronous reset tied low, chip selects) and nothing else.
//
// - 18,432 cells, here as 2,048 bytes of 9 bits; shapes below 9 bits reach 8 bits of each byte.
// - The address is left-aligned in 14 pins. With words of 18 (36) bits the lowest 2 (4) pins are byte enables.
// - In write mode NORMAL a port that writes keeps its read data.
// - With REGMODE OUTREG a register follows the read data; OCE enables it, CE does not.
// - INITVAL_00 to _3F: 16 half words of 18 bits each, one every 20 bits, the lowest address lowest.

module DP16KD (
  input wire
    ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7,
    ADA8, ADA9, ADA10, ADA11, ADA12, ADA13, DIA0, DIA1,
    DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9,
    DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16, DIA17,
    ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7,
    ADB8, ADB9, ADB10, ADB11, ADB12, ADB13, DIB0, DIB1,
    DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9,
    DIB10, DIB11, DIB12, DIB13, DIB14, DIB15, DIB16, DIB17,
    CSA0, CSA1, CSA2, CSB0, CSB1, CSB2, CLKA, CEA,
    OCEA, WEA, RSTA, CLKB, CEB, OCEB, WEB, RSTB,
  output wire
    DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7,
    DOA8, DOA9, DOA10, DOA11, DOA12, DOA13, DOA14, DOA15,
    DOA16, DOA17, DOB0, DOB1, DOB2, DOB3, DOB4, DOB5,
    DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13,
    DOB14, DOB15, DOB16, DOB17
);
  parameter DATA_WIDTH_A = 18;
  parameter DATA_WIDTH_B = 18;
  parameter REGMODE_A = "NOREG";
  parameter REGMODE_B = "NOREG";
  parameter WRITEMODE_A = "NORMAL";
  parameter WRITEMODE_B = "NORMAL";
  parameter RESETMODE = "SYNC";
  parameter ASYNC_RESET_RELEASE = "SYNC";
  parameter CSDECODE_A = "0b000";
  parameter CSDECODE_B = "0b000";
  parameter CLKAMUX = "CLKA";
  parameter CLKBMUX = "CLKB";
  parameter GSR = "ENABLED";
  parameter [319:0]
    INITVAL_00 = 320'h0, INITVAL_01 = 320'h0, INITVAL_02 = 320'h0, INITVAL_03 = 320'h0, INITVAL_04 = 320'h0,
    INITVAL_05 = 320'h0, INITVAL_06 = 320'h0, INITVAL_07 = 320'h0, INITVAL_08 = 320'h0, INITVAL_09 = 320'h0,
    INITVAL_0A = 320'h0, INITVAL_0B = 320'h0, INITVAL_0C = 320'h0, INITVAL_0D = 320'h0, INITVAL_0E = 320'h0,
    INITVAL_0F = 320'h0, INITVAL_10 = 320'h0, INITVAL_11 = 320'h0, INITVAL_12 = 320'h0, INITVAL_13 = 320'h0,
    INITVAL_14 = 320'h0, INITVAL_15 = 320'h0, INITVAL_16 = 320'h0, INITVAL_17 = 320'h0, INITVAL_18 = 320'h0,
    INITVAL_19 = 320'h0, INITVAL_1A = 320'h0, INITVAL_1B = 320'h0, INITVAL_1C = 320'h0, INITVAL_1D = 320'h0,
    INITVAL_1E = 320'h0, INITVAL_1F = 320'h0, INITVAL_20 = 320'h0, INITVAL_21 = 320'h0, INITVAL_22 = 320'h0,
    INITVAL_23 = 320'h0, INITVAL_24 = 320'h0, INITVAL_25 = 320'h0, INITVAL_26 = 320'h0, INITVAL_27 = 320'h0,
    INITVAL_28 = 320'h0, INITVAL_29 = 320'h0, INITVAL_2A = 320'h0, INITVAL_2B = 320'h0, INITVAL_2C = 320'h0,
    INITVAL_2D = 320'h0, INITVAL_2E = 320'h0, INITVAL_2F = 320'h0, INITVAL_30 = 320'h0, INITVAL_31 = 320'h0,
    INITVAL_32 = 320'h0, INITVAL_33 = 320'h0, INITVAL_34 = 320'h0, INITVAL_35 = 320'h0, INITVAL_36 = 320'h0,
    INITVAL_37 = 320'h0, INITVAL_38 = 320'h0, INITVAL_39 = 320'h0, INITVAL_3A = 320'h0, INITVAL_3B = 320'h0,
    INITVAL_3C = 320'h0, INITVAL_3D = 320'h0, INITVAL_3E = 320'h0, INITVAL_3F = 320'h0;

  wire [64*320-1:0] init = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
    INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
    INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
    INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
  };
  reg [8:0] bytes [0:2047];
  integer i;
  initial begin
    #0;
    for (i = 0; i < 2048; i = i + 1) bytes[i] = init[320 * (i / 32) + 20 * (i / 2 % 16) + 9 * (i % 2) +: 9];
    if (WRITEMODE_A != "NORMAL" || WRITEMODE_B != "NORMAL") $display("the model knows write mode NORMAL only");
  end

  wire [13:0] ad_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [17:0] di_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  reg [17:0] read_a = 0;
  reg [17:0] out_a = 0;
  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = REGMODE_A == "OUTREG" ? out_a : read_a;
  always @(posedge CLKA) begin
    if (OCEA) out_a <= read_a;
    if (CEA && !CSA0 && !CSA1 && !CSA2) begin
      case (DATA_WIDTH_A)
        18:
          if (WEA) begin
            if (ad_a[0]) bytes[{ad_a[13:4], 1'b0}] <= di_a[8:0];
            if (ad_a[1]) bytes[{ad_a[13:4], 1'b1}] <= di_a[17:9];
          end else read_a <= {bytes[{ad_a[13:4], 1'b1}], bytes[{ad_a[13:4], 1'b0}]};
        9: if (WEA) bytes[ad_a[13:3]] <= di_a[8:0]; else read_a <= {9'h0, bytes[ad_a[13:3]]};
        4: if (WEA) bytes[ad_a[13:3]][4 * ad_a[2] +: 4] <= di_a[3:0]; else read_a <= {14'h0, bytes[ad_a[13:3]][4 * ad_a[2] +: 4]};
        2: if (WEA) bytes[ad_a[13:3]][2 * ad_a[2:1] +: 2] <= di_a[1:0]; else read_a <= {16'h0, bytes[ad_a[13:3]][2 * ad_a[2:1] +: 2]};
        1: if (WEA) bytes[ad_a[13:3]][ad_a[2:0]] <= di_a[0]; else read_a <= {17'h0, bytes[ad_a[13:3]][ad_a[2:0]]};
        default: $display("no such width");
      endcase
    end
  end

  wire [13:0] ad_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [17:0] di_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
  reg [17:0] read_b = 0;
  reg [17:0] out_b = 0;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = REGMODE_B == "OUTREG" ? out_b : read_b;
  always @(posedge CLKB) begin
    if (OCEB) out_b <= read_b;
    if (CEB && !CSB0 && !CSB1 && !CSB2) begin
      case (DATA_WIDTH_B)
        18:
          if (WEB) begin
            if (ad_b[0]) bytes[{ad_b[13:4], 1'b0}] <= di_b[8:0];
            if (ad_b[1]) bytes[{ad_b[13:4], 1'b1}] <= di_b[17:9];
          end else read_b <= {bytes[{ad_b[13:4], 1'b1}], bytes[{ad_b[13:4], 1'b0}]};
        9: if (WEB) bytes[ad_b[13:3]] <= di_b[8:0]; else read_b <= {9'h0, bytes[ad_b[13:3]]};
        4: if (WEB) bytes[ad_b[13:3]][4 * ad_b[2] +: 4] <= di_b[3:0]; else read_b <= {14'h0, bytes[ad_b[13:3]][4 * ad_b[2] +: 4]};
        2: if (WEB) bytes[ad_b[13:3]][2 * ad_b[2:1] +: 2] <= di_b[1:0]; else read_b <= {16'h0, bytes[ad_b[13:3]][2 * ad_b[2:1] +: 2]};
        1: if (WEB) bytes[ad_b[13:3]][ad_b[2:0]] <= di_b[0]; else read_b <= {17'h0, bytes[ad_b[13:3]][ad_b[2:0]]};
        default: $display("no such width");
      endcase
    end
  end

endmodule

module PDPW16KD (
  input wire
    DI0, DI1, DI2, DI3, DI4, DI5, DI6, DI7,
    DI8, DI9, DI10, DI11, DI12, DI13, DI14, DI15,
    DI16, DI17, DI18, DI19, DI20, DI21, DI22, DI23,
    DI24, DI25, DI26, DI27, DI28, DI29, DI30, DI31,
    DI32, DI33, DI34, DI35, ADW0, ADW1, ADW2, ADW3,
    ADW4, ADW5, ADW6, ADW7, ADW8, BE0, BE1, BE2,
    BE3, CSW0, CSW1, CSW2, ADR0, ADR1, ADR2, ADR3,
    ADR4, ADR5, ADR6, ADR7, ADR8, ADR9, ADR10, ADR11,
    ADR12, ADR13, CSR0, CSR1, CSR2, CEW, CLKW, CER,
    OCER, CLKR, RST,
  output wire
    DO0, DO1, DO2, DO3, DO4, DO5, DO6, DO7,
    DO8, DO9, DO10, DO11, DO12, DO13, DO14, DO15,
    DO16, DO17, DO18, DO19, DO20, DO21, DO22, DO23,
    DO24, DO25, DO26, DO27, DO28, DO29, DO30, DO31,
    DO32, DO33, DO34, DO35
);
  parameter DATA_WIDTH_W = 36;
  parameter DATA_WIDTH_R = 36;
  parameter REGMODE = "NOREG";
  parameter RESETMODE = "SYNC";
  parameter ASYNC_RESET_RELEASE = "SYNC";
  parameter CSDECODE_W = "0b000";
  parameter CSDECODE_R = "0b000";
  parameter CLKWMUX = "CLKW";
  parameter CLKRMUX = "CLKR";
  parameter GSR = "ENABLED";

  reg [35:0] words [0:511];
  reg [35:0] read_data = 0;
  reg [35:0] out_data = 0;
  wire [8:0] write_at = {ADW8, ADW7, ADW6, ADW5, ADW4, ADW3, ADW2, ADW1, ADW0};
  wire [8:0] read_at = {ADR13, ADR12, ADR11, ADR10, ADR9, ADR8, ADR7, ADR6, ADR5};
  wire [3:0] be = {BE3, BE2, BE1, BE0};
  wire [35:0] di = {DI35, DI34, DI33, DI32, DI31, DI30, DI29, DI28, DI27, DI26, DI25, DI24, DI23, DI22, DI21, DI20, DI19, DI18, DI17, DI16, DI15, DI14, DI13, DI12, DI11, DI10, DI9, DI8, DI7, DI6, DI5, DI4, DI3, DI2, DI1, DI0};
  assign {DO35, DO34, DO33, DO32, DO31, DO30, DO29, DO28, DO27, DO26, DO25, DO24, DO23, DO22, DO21, DO20, DO19, DO18, DO17, DO16, DO15, DO14, DO13, DO12, DO11, DO10, DO9, DO8, DO7, DO6, DO5, DO4, DO3, DO2, DO1, DO0} = REGMODE == "OUTREG" ? out_data : read_data;
  integer i;
  always @(posedge CLKW)
    if (CEW && !CSW0 && !CSW1 && !CSW2) for (i = 0; i < 4; i = i + 1) if (be[i]) words[write_at][9 * i +: 9] <= di[9 * i +: 9];
  always @(posedge CLKR) begin
    if (OCER) out_data <= read_data;
    if (CER && !CSR0 && !CSR1 && !CSR2) read_data <= words[read_at];
  end
endmodule
