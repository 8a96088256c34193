// Input convertor of two atoms a clock, for every precision, with the watch on NaN and infinity: two clocks of latency,
// no back-pressure.
//
// Cubes come as bytes of memory at data_i: ChunkLanes elements of a byte or half as many of two (source16_i). Images
// come at element_i, 16 bits for each of ChunkLanes lanes; with 16-bit processing (wide_i) the lower half of the lanes
// counts. A lane becomes sat(round((x - offset) * scale / 2^truncate)) in the processing precision with enable_i, else
// it passes. x is zero- or sign-extended (signed_i). kind_i has three bits for each lane of an image: channel 0..3 of
// the pixel, past the end of the line (LaneTail) or pad (LanePad, which passes). The offset is CVT_OFFSET; with mean_i
// the mean of the lane's channel, 0 past its end. With watch_i (FP16 from memory, never together with enable_i) NaN and
// infinity are counted from clear_i on, except in pads and tails of images and in data that come again (again_i), and
// with flush_i NaN becomes +0.
// The configuration inputs stay during a layer.
// Spec: 30-cdma-cbuf, sections 5.4, 6 and 7.
`include "nvdla_check.svh"
module nvdla_cdma_cvt_pairs
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            clk_on_i,
    input  logic                            enable_i,
    input  logic                            image_i,
    input  logic                            source16_i,
    input  logic                            wide_i,  // processing precision of 16 bits
    input  logic                            fp16_i,  // and FP16
    input  logic                            signed_i,
    input  logic                            mean_i,
    input  logic [                    63:0] means_i,  // four signed halfwords, channel 0 in the low bits
    input  logic [                    15:0] offset_i,
    input  logic [                    15:0] scale_i,
    input  logic [                     5:0] truncate_i,
    input  logic                            watch_i,
    input  logic                            flush_i,
    input  logic                            valid_i,
    input  logic                            again_i,
    input  logic [CbufWrAtoms*AtomBits-1:0] data_i,
    input  logic [       ChunkLanes*16-1:0] element_i,
    input  logic [     ChunkLanes-1:0][2:0] kind_i,
    input  logic                            next_valid_i,  // valid_i of the clock before
    output logic [CbufWrAtoms*AtomBits-1:0] data_o,
    input  logic                            clear_i,
    output logic [                    31:0] nan_o,
    output logic [                    31:0] infinity_o
);
  localparam int Bytes = ChunkLanes;
  localparam int DataBits = CbufWrAtoms * AtomBits;

  // Source of a lane, extended to 17 bits.
  function automatic logic signed [16:0] extend(input logic [15:0] element, input logic wide, input logic is_signed);
    return wide ? $signed({is_signed & element[15], element}) : $signed({{9{is_signed & element[7]}}, element[7:0]});
  endfunction
  function automatic logic [DataBits-1:0] low_bytes(input logic [Bytes*16-1:0] elements);
    for (int l = 0; l < Bytes; l++) low_bytes[l*8+:8] = elements[l*16+:8];
  endfunction
  // 16-bit lanes that are no pixels.
  function automatic logic [Halves-1:0] beside(input logic [Bytes*3-1:0] kinds);
    for (int l = 0; l < Halves; l++) beside[l] = kinds[l*3+2];
  endfunction

  logic [Bytes*16-1:0] halves;  // 16-bit sources
  logic [DataBits-1:0] low, raw_q, data_q;
  logic [Bytes-1:0] pass_q;
  logic signed [33:0] product[0:Bytes-1];
  assign halves = image_i ? element_i : {DataBits'(0), data_i};
  assign low    = halves[DataBits-1:0];
  assign data_o = data_q;
  logic [Halves-1:0] pixels;  // lanes that are watched
  assign pixels = (image_i && watch_i) ? ~beside(kind_i) : '1;

  logic product_clk;
  nvdla_clock_gate #(
      .After(0)
  ) u_product_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(valid_i && enable_i),
      .clk_o (product_clk)
  );
  for (genvar l = 0; l < Bytes; l++) begin : gen_product
    logic signed [33:0] product_q;
    assign product[l] = product_q;
    always_ff @(posedge product_clk)
      if (l < Halves || !wide_i)
        product_q <= cvt_product(
            extend((image_i || source16_i) ? halves[l*16+:16] : {8'd0, data_i[l*8+:8]}, source16_i, signed_i),
            cvt_offset(mean_i, image_i ? kind_i[l] : 3'd0, means_i, offset_i), $signed(scale_i));
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      if (Fp16 != 0 && watch_i) raw_q <= flush_i ? without_nans(low, nan_lanes(low) & pixels) : low;
      else raw_q <= (image_i && !wide_i) ? low_bytes(element_i) : low;
      if (enable_i) for (int l = 0; l < Bytes; l++) pass_q[l] <= image_i && kind_i[l] == LanePad;
    end
    if (next_valid_i) begin
      if (!enable_i) data_q <= raw_q;
      else if (!wide_i)
        for (int l = 0; l < Bytes; l++) data_q[l*8+:8] <= pass_q[l] ? raw_q[l*8+:8] :
            cvt_int8(cvt_shift(product[l], truncate_i));
      else
        for (int l = 0; l < Halves; l++)
          if (pass_q[l]) data_q[l*16+:16] <= raw_q[l*16+:16];
          else if (Fp16 != 0 && (Int16 == 0 || fp16_i)) data_q[l*16+:16] <=
              nvdla_fp16_pkg::fp16_from_int17(cvt_shift(product[l], truncate_i));
          else data_q[l*16+:16] <= cvt_int16(cvt_shift(product[l], truncate_i));
    end
  end

  if (Fp16 != 0) begin : gen_specials
    nvdla_cdma_specials u_specials (
        .clk_i,
        .rst_ni,
        .clear_i,
        .valid_i(valid_i & watch_i & ~again_i),
        .lanes_i(pixels),
        .data_i (low),
        .nan_o,
        .infinity_o
    );
  end else begin : gen_no_specials
    assign nan_o      = '0;
    assign infinity_o = '0;
    wire unused_specials = &{1'b0, again_i, clear_i, pixels};
  end

  `NVDLA_PARAM(ShapeLegal, Bytes * 8 == DataBits && Halves * 2 == Bytes)
  `NVDLA_CHECK(WatchedIsNotConverted, !valid_i || !(watch_i && enable_i))

`ifdef NVDLA_CHECKS
  logic valid_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  `NVDLA_CHECK(AtomFollowsItsProduct, next_valid_i == valid_q)
`endif
endmodule
