// The floating-point operations of rtl/fp side by side, one of which computes at a time.
//
// op_i: which one (bench.cpp has the same list); operands lie in a_i and b_i, the result in z_o. Operations of two
// numbers and conversions take Lanes operands at once, 32 bits each of a_i and b_i; what the others take stands at
// their instances. Every operation has a clock of its own, so that the others cost nothing, and combinational ones get
// registered operands.

// An operation in the lanes: of two numbers, with a clock; the larger or smaller of two; of one, up to 35 bits.
`define FP_TWO(op, unit, result, exp, man) \
    logic [exp+man:0] z_``op; \
    unit #(.ExpBits(exp), .ManBits(man)) u_``op ( \
        .clk_i(clk[op]), .en_i(1'b1), .a_i(a[exp+man:0]), .b_i(b[exp+man:0]), .result(z_``op)); \
    assign z[op][32*l+:32] = 32'(z_``op);
`define FP_EXTREME(op, exp, man, smaller) \
    logic [exp+man:0] a_``op, b_``op, z_``op; \
    always_ff @(posedge clk[op]) {a_``op, b_``op} <= {a[exp+man:0], b[exp+man:0]}; \
    nvdla_fp_extreme #(.ExpBits(exp), .ManBits(man)) u_``op ( \
        .a_i(a_``op), .b_i(b_``op), .smaller_i(smaller), .z_o(z_``op)); \
    assign z[op][32*l+:32] = 32'(z_``op);
`define FP_ONE(op, unit, in, out) \
    logic [in-1:0] a_``op; \
    logic [out-1:0] z_``op; \
    always_ff @(posedge clk[op]) a_``op <= in'({b[2:0], a}); \
    unit u_``op (.a_i(a_``op), .z_o(z_``op)); \
    assign z[op][32*l+:32] = 32'(z_``op);

module fp_bench
  import nvdla_pkg::*;
  import nvdla_conv_pkg::*;
  import nvdla_fp48_pkg::*;
#(
    parameter int Lanes = 8
) (
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic [   4:0] op_i,
    input  logic [1023:0] a_i,
    input  logic [1023:0] b_i,
    output logic [ 255:0] z_o
);
  localparam int Fp17Add = 0, Fp17Mul = 1, Fp32Add = 2, Fp32Mul = 3, Fp32Max = 4, Fp32Min = 5, Fp16Max = 6, Fp16Min = 7;
  localparam int Fp16ToFp17 = 8, Fp16ToFp32 = 9, Fp17ToFp32 = 10, Fp17ToFp16 = 11, Fp32ToFp16 = 12, Fp32ToFp17 = 13;
  localparam int Fp16ToInt16 = 14, Int17ToFp16 = 15, Fraction16 = 16, Fraction35 = 17;
  localparam int Dot = 18, DotOfTile = 19, Fp48Add = 20, Fp48ToFp32 = 21, InputTile = 22, SquareSum = 23, Mean = 24;
  localparam int DotInt8 = 25, DotInt8OfTile = 26, DotInt16 = 27, DotInt16OfTile = 28;
  localparam int Ops = 29;

  logic [Ops-1:0] clk;
  for (genvar o = 0; o < Ops; o++) begin : gen_clocks
    assign clk[o] = clk_i & (op_i == 5'(o));
  end

  // ---- operations with lanes ----------------------------------------------------------------------------------------
  logic [32*Lanes-1:0] z[Fraction35+1];
  for (genvar l = 0; l < Lanes; l++) begin : gen_lanes
    logic [31:0] a, b;
    assign a = a_i[32*l+:32];
    assign b = b_i[32*l+:32];

    `FP_TWO(Fp17Add, nvdla_fp_add, sum_o, 6, 10)
    `FP_TWO(Fp17Mul, nvdla_fp_mul, product_o, 6, 10)
    `FP_TWO(Fp32Add, nvdla_fp_add, sum_o, 8, 23)
    `FP_TWO(Fp32Mul, nvdla_fp_mul, product_o, 8, 23)
    `FP_EXTREME(Fp32Max, 8, 23, 1'b0)
    `FP_EXTREME(Fp32Min, 8, 23, 1'b1)
    `FP_EXTREME(Fp16Max, 5, 10, 1'b0)
    `FP_EXTREME(Fp16Min, 5, 10, 1'b1)
    `FP_ONE(Fp16ToFp17, nvdla_fp_widen, 16, 17)
    `FP_ONE(Fp16ToFp32, nvdla_fp_widen #(.ExpOut(8), .ManOut(23)), 16, 32)
    `FP_ONE(Fp17ToFp32, nvdla_fp_widen #(.ExpIn(6), .ExpOut(8), .ManOut(23), .Denormals(0)), 17, 32)
    `FP_ONE(Fp17ToFp16, nvdla_fp_narrow #(.ExpIn(6), .ManIn(10)), 17, 16)
    `FP_ONE(Fp32ToFp16, nvdla_fp_narrow, 32, 16)
    `FP_ONE(Fp32ToFp17, nvdla_fp_narrow #(.ExpOut(6), .Denormals(0)), 32, 17)
    `FP_ONE(Fp16ToInt16, nvdla_fp16_to_int16, 16, 16)
    `FP_ONE(Fraction16, nvdla_fp17_from_fraction #(.Bits(16)), 16, 17)
    `FP_ONE(Fraction35, nvdla_fp17_from_fraction #(.Bits(35)), 35, 17)

    logic [16:0] integer_q;
    always_ff @(posedge clk[Int17ToFp16]) integer_q <= a[16:0];
    assign z[Int17ToFp16][32*l+:32] = 32'(nvdla_fp16_pkg::fp16_from_int17(integer_q));
  end

  // ---- CMAC ---------------------------------------------------------------------------------------------------------
  // 64 weights in a_i, as many data in b_i; the result in FP16 is {mantissas, exponent}, else the four values. The cell
  // of the hardware works, the fast form has the same result. Eight clocks: weights are loaded in the first and put in
  // use in the second, the atom comes in the third.
  logic dot_clk;
  logic [2:0] dot_count_q;
  assign dot_clk = clk[Dot] | clk[DotOfTile] | (|clk[DotInt16OfTile:DotInt8]);
  always_ff @(posedge dot_clk or negedge rst_ni)
    if (!rst_ni) dot_count_q <= '0;
    else dot_count_q <= dot_count_q + 3'd1;
  cmac_a_d_t dot_layer;
  always_comb begin
    dot_layer = '0;
    dot_layer.proc_precision = (op_i == 5'(Dot) || op_i == 5'(DotOfTile)) ? 2'd2 :
        (op_i == 5'(DotInt16) || op_i == 5'(DotInt16OfTile)) ? 2'd1 : 2'd0;
    dot_layer.conv_mode = op_i == 5'(DotOfTile) || op_i == 5'(DotInt8OfTile) || op_i == 5'(DotInt16OfTile);
  end
  logic [ConvSumBits-1:0] dots;
  logic [4*38+5:0] dot;
  nvdla_cmac_array #(
      .Cells(1)
  ) u_dot (
      .clk_i   (dot_clk),
      .rst_ni  (rst_ni),
      .d_i     (dot_layer),
      .load_i  (1'b1),
      .weight_i(a_i),
      .swap_i  (1'b1),
      .valid_i (dot_count_q == 3'd2),
      .data_i  (b_i),
      .sum_o   (dots)
  );
  logic [ConvCells*ConvSumBits-1:0] fast_dots;
  nvdla_cmac_fast u_fast_dot (
      .clk_i   (dot_clk),
      .rst_ni  (rst_ni),
      .d_i     (dot_layer),
      .load_i  (ConvCells'(1)),
      .weight_i(a_i),
      .swap_i  (1'b1),
      .valid_i (dot_count_q == 3'd2),
      .data_i  (b_i),
      .sum_o   (fast_dots)
  );
  `NVDLA_CHECK_AT(FormsAgree, dot_clk, rst_ni, dot_count_q != '0 || fast_dots == (ConvCells * ConvSumBits)'(dots))
  for (genvar n = 0; n < 4; n++) begin : gen_outputs
    assign dot[6+38*n+:38] = dots[44*n+:38];
  end
  assign dot[5:0] = dots[43:38];

  // ---- CACC: four accumulators of 48 bits in a_i and sums of CMAC of 44 bits in b_i, 64 bits each -------------------
  logic [255:0] fp48_both, fp48_narrowed;
  for (genvar l = 0; l < 4; l++) begin : gen_accumulators
    // both forms: a difference is above the sum
    always_ff @(posedge clk[Fp48Add])
      fp48_both[64*l+:64] <= {16'(fp48_sum(a_i[64*l+:48], b_i[64*l+:44]) != fp48_add(a_i[64*l+:48], b_i[64*l+:44])),
                              fp48_sum(a_i[64*l+:48], b_i[64*l+:44])};
    always_ff @(posedge clk[Fp48ToFp32]) fp48_narrowed[64*l+:64] <= 64'(fp48_to_fp32(a_i[64*l+:48]));
  end

  // ---- a tile in a_i ------------------------------------------------------------------------------------------------
  logic [255:0] tile_q, tile;
  always_ff @(posedge clk[InputTile]) tile_q <= a_i[255:0];
  nvdla_fp16_winograd u_winograd (
      .clk_i(clk[InputTile]),
      .en_i (1'b1),
      .a_i  (tile_q),
      .z_o  (tile)
  );

  // ---- CDP: 16 FP17 values in a_i, the reach in b_i -----------------------------------------------------------------
  logic [16*17-1:0] values_q;
  logic [1:0] reach_q;
  logic [255:0] square_sum;
  always_ff @(posedge clk[SquareSum]) {reach_q, values_q} <= {b_i[1:0], a_i[16*17-1:0]};
  nvdla_fp_square_sum u_square_sum (
      .clk_i   (clk[SquareSum]),
      .en_i    (1'b1),
      .reach_i (reach_q),
      .values_i(values_q),
      .sum_o   (square_sum)
  );

  // ---- PDP: sum, pad, width, height in a_i, 32 bits each ------------------------------------------------------------
  logic [15:0] mean;
  nvdla_fp16_mean u_mean (
      .clk_i   (clk[Mean]),
      .en_i    (1'b1),
      .sum_i   (a_i[16:0]),
      .pad_i   (a_i[48:32]),
      .width_i (a_i[80:64]),
      .height_i(a_i[112:96]),
      .mean_o  (mean)
  );

  always_comb
    case (op_i)
      5'(Dot), 5'(DotOfTile): z_o = 256'(dot);
      5'(DotInt8), 5'(DotInt8OfTile), 5'(DotInt16), 5'(DotInt16OfTile): z_o = 256'(dots);
      5'(Fp48Add): z_o = fp48_both;
      5'(Fp48ToFp32): z_o = fp48_narrowed;
      5'(InputTile): z_o = tile;
      5'(SquareSum): z_o = square_sum;
      5'(Mean): z_o = 256'(mean);
      default: z_o = z[op_i];
    endcase
  wire unused = &{1'b0, rst_ni};
endmodule
