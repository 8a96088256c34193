// Y stage (EW) of SDP in configurations that have it: MUL, ALU and table between X2 (BN) and the output convertor.
//
// Streams: SdpBsThroughput lanes of 32 bits a transfer in and out, in the pipe's order: signed integers, or FP32
// patterns if floating_i. last_i / last_o mark the layer's last transfer. A transfer takes SdpBsThroughput /
// SdpEwThroughput clocks: the stages are SdpEwThroughput lanes wide. With bypass_i it passes combinationally and no
// operands are taken. Otherwise each transfer takes one transfer of memory operands if one of its active units has its
// source in memory (*_mem_i), and waits for it; a component that the memory layout does not have never comes. Operands
// have 16 bits a lane, one-byte components are sign-extended.
//
// run_i: a layer runs; settings and the registers of the table are those of its first clock. csb_*: SDP's register
// window, of which the shared words of the table live here; csb_rdata_o answers in the clock after csb_req_i and is 0
// in all others. counts_o: D_PERF_LUT_{LO_HIT, LE_HIT, HYBRID, OFLOW, UFLOW}, UFLOW in the low word, of the last layer
// with count_i, each element counted once. busy_o: something inside moves. Latency from a transfer's last lanes to the
// result: 6 clocks (operand's product, operand, product, shift, ALU, packing), 3 more with the table, 6 if the
// configuration has FP16; 0 in bypass. All stages move together.
// Spec: 50-sdp, sections 5.2 and 6.3; 55-lut.
`include "nvdla_check.svh"
`ifndef NVDLA_SDP_S_UNUSED
`include "nvdla_unused.svh"
`endif
module nvdla_sdp_y
  import nvdla_pkg::*;
  import nvdla_sdp_pkg::*;
  import nvdla_sdp_y_pkg::*;
  import nvdla_lut_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          clk_on_i,
    // Registers of the table.
    input  logic                          csb_req_i,
    input  logic                          csb_write_i,
    input  logic [       CsbAddrBits-1:0] csb_addr_i,
    input  logic [                  31:0] csb_wdata_i,
    output logic [                  31:0] csb_rdata_o,
    // Settings of the layer: D_DP_EW_*.
    input  logic                          run_i,
    input  logic                          floating_i,  // PROC_PRECISION is FP16
    input  logic                          nan_to_zero_i,
    input  logic                          bypass_i,
    input  logic                          alu_bypass_i,
    input  logic [                   1:0] alu_algo_i,
    input  logic                          alu_mem_i,
    input  logic [                  31:0] alu_operand_i,
    input  logic                          alu_cvt_bypass_i,
    input  logic [                  31:0] alu_cvt_offset_i,
    input  logic [                  15:0] alu_cvt_scale_i,
    input  logic [                   5:0] alu_cvt_truncate_i,
    input  logic                          mul_bypass_i,
    input  logic                          mul_prelu_i,
    input  logic                          mul_mem_i,
    input  logic [                  31:0] mul_operand_i,
    input  logic                          mul_cvt_bypass_i,
    input  logic [                  31:0] mul_cvt_offset_i,
    input  logic [                  15:0] mul_cvt_scale_i,
    input  logic [                   5:0] mul_cvt_truncate_i,
    input  logic [                   9:0] truncate_i,
    input  logic                          lut_bypass_i,
    input  logic                          count_i,  // PERF_LUT_EN
    output logic [              5*32-1:0] counts_o,
    // Operands from memory.
    input  logic                          op_valid_i,
    output logic                          op_ready_o,
    input  logic                          op_alu_present_i,
    input  logic                          op_mul_present_i,
    input  logic [SdpBsThroughput*16-1:0] op_alu_i,
    input  logic [SdpBsThroughput*16-1:0] op_mul_i,
    // Data.
    output logic                          busy_o,
    input  logic                          valid_i,
    output logic                          ready_o,
    input  logic [SdpBsThroughput*32-1:0] data_i,
    input  logic                          last_i,
    output logic                          valid_o,
    input  logic                          ready_i,
    output logic [SdpBsThroughput*32-1:0] data_o,
    output logic                          last_o
);
  localparam int Lanes = SdpEwThroughput;
  localparam int Parts = SdpBsThroughput / Lanes;  // of a transfer
  localparam int PartBits = Parts > 1 ? $clog2(Parts) : 1;
  localparam int Core = 5;                     // stages before the table
  localparam int Table = (Fp16 != 0) ? 6 : 4;  // stages of nvdla_lut_sdp
  localparam int Stages = Core + Table;

  // Clock: an access to the table's registers, a layer that begins or ends, elements on their way.
  logic clk, run_q;
  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(csb_req_i || run_i != run_q || busy_o),
      .clk_o (clk)
  );

  // ---- flow ---------------------------------------------------------------------------------------------------------
  logic [Stages:1] valid_q, last_q;     // valid_q[n]: a part has left stage n
  logic [PartBits-1:0] part_q, slot_q;  // part that enters; its place in the transfer that leaves
  logic out_valid_q, out_last_q;
  logic alu_from_mem, mul_from_mem, operands_here, move, take, last_part, floating, look_up, table_valid, pack_valid,
      pack, pack_last;

  assign alu_from_mem = !alu_bypass_i && alu_mem_i;
  assign mul_from_mem = !mul_bypass_i && mul_mem_i;
  assign operands_here = (!alu_from_mem || (op_valid_i && op_alu_present_i)) &&
      (!mul_from_mem || (op_valid_i && op_mul_present_i));
  assign move = !out_valid_q || ready_i;
  assign take = valid_i && !bypass_i && move && operands_here;
  assign last_part = part_q == PartBits'(Parts - 1);
  assign op_ready_o = take && last_part && (alu_from_mem || mul_from_mem);
  assign ready_o = bypass_i ? ready_i : take && last_part;
  assign valid_o = bypass_i ? valid_i : out_valid_q;
  assign last_o = bypass_i ? last_i : out_last_q;
  assign busy_o = valid_q != '0 || out_valid_q || (valid_i && !bypass_i);

  assign floating = Fp16 != 0 && floating_i;
  assign look_up = !lut_bypass_i;
  assign table_valid = valid_q[Core] && look_up;
  assign pack_valid = look_up ? valid_q[Stages] : valid_q[Core];
  assign pack = move && pack_valid;
  assign pack_last = look_up ? last_q[Stages] : last_q[Core];

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      part_q <= '0;
      slot_q <= '0;
      out_valid_q <= 1'b0;
    end else if (move) begin
      valid_q <= {valid_q[Stages-1:Core+1], table_valid, valid_q[Core-1:1], take};
      if (take) part_q <= last_part ? '0 : part_q + PartBits'(1);
      if (pack) slot_q <= slot_q == PartBits'(Parts - 1) ? '0 : slot_q + PartBits'(1);
      out_valid_q <= pack && slot_q == PartBits'(Parts - 1);
    end
  end
  always_ff @(posedge clk)
    if (move) begin
      last_q <= {last_q[Stages-1:1], last_i && last_part};
      if (pack) out_last_q <= pack_last;
    end

  // ---- parts --------------------------------------------------------------------------------------------------------
  logic [Lanes*32-1:0] data, core_data, integer_data, table_data, result;
  logic [Lanes*16-1:0] op_alu, op_mul;
  assign data = data_i[32'(part_q)*Lanes*32+:Lanes*32];
  assign op_alu = op_alu_i[32'(part_q)*Lanes*16+:Lanes*16];
  assign op_mul = op_mul_i[32'(part_q)*Lanes*16+:Lanes*16];
  assign result = look_up ? table_data : core_data;

  for (genvar p = 0; p < Parts; p++) begin : gen_part
    logic [Lanes*32-1:0] out_q;
    assign data_o[p*Lanes*32+:Lanes*32] = bypass_i ? data_i[p*Lanes*32+:Lanes*32] : out_q;
    always_ff @(posedge clk) if (pack && slot_q == PartBits'(p)) out_q <= result;
  end

  // ---- integers -----------------------------------------------------------------------------------------------------
  for (genvar g = 0; g < Lanes; g++) begin : gen_lane
    logic signed [31:0] data_1_q, data_2_q, data_3_q, data_4_q, data_5_q, alu_2_q, alu_3_q, alu_4_q, mul_2_q;
    logic signed [48:0] alu_1_q, mul_1_q;
    logic signed [63:0] product_q;
    logic multiplied_q;
    assign integer_data[g*32+:32] = data_5_q;

    always_ff @(posedge clk) begin
      if (take && !floating) begin
        data_1_q <= $signed(data[g*32+:32]);
        if (alu_from_mem)
          alu_1_q <= alu_cvt_bypass_i ? 49'($signed(op_alu[g*16+:16]))
              : product(difference(32'($signed(op_alu[g*16+:16])), $signed(alu_cvt_offset_i)),
                  $signed(alu_cvt_scale_i));
        if (mul_from_mem)
          mul_1_q <= mul_cvt_bypass_i ? 49'($signed(op_mul[g*16+:16]))
              : product(difference(32'($signed(op_mul[g*16+:16])), $signed(mul_cvt_offset_i)),
                  $signed(mul_cvt_scale_i));
      end
      if (move && valid_q[1] && !floating) begin
        data_2_q <= data_1_q;
        if (!alu_bypass_i)
          alu_2_q <= alu_mem_i ? y_operand(alu_1_q, alu_cvt_bypass_i ? 6'd0 : alu_cvt_truncate_i) :
              $signed(alu_operand_i);
        if (!mul_bypass_i)
          mul_2_q <= mul_mem_i ? y_operand(mul_1_q, mul_cvt_bypass_i ? 6'd0 : mul_cvt_truncate_i) :
              $signed(mul_operand_i);
      end
      if (move && valid_q[2] && !floating) begin
        data_3_q <= data_2_q;
        alu_3_q <= alu_2_q;
        multiplied_q <= !mul_bypass_i && (!mul_prelu_i || data_2_q[31]);
        if (!mul_bypass_i) product_q <= y_product(data_2_q, mul_2_q);
      end
      if (move && valid_q[3] && !floating) begin
        data_4_q <= multiplied_q ? y_truncate(product_q, truncate_i) : data_3_q;
        alu_4_q <= alu_3_q;
      end
      if (move && valid_q[4] && !floating) data_5_q <= alu_bypass_i ? data_4_q : y_alu(data_4_q, alu_4_q, alu_algo_i);
    end
  end

  // ---- FP16 ---------------------------------------------------------------------------------------------------------
  if (Fp16 != 0) begin : gen_fp16
    logic [Lanes*32-1:0] floating_data;
    nvdla_sdp_y_fp16 u_fp16 (
        .clk_i   (clk),
        .rst_ni,
        .clk_on_i,
        .on_i    (floating),
        .nan_to_zero_i,
        .alu_bypass_i,
        .alu_algo_i,
        .alu_mem_i,
        .alu_operand_i,
        .mul_bypass_i,
        .mul_prelu_i,
        .mul_mem_i,
        .mul_operand_i,
        .move_i  (move),
        .valid_i (take),
        .data_i  (data),
        .op_alu_i(op_alu),
        .op_mul_i(op_mul),
        .data_o  (floating_data)
    );
    assign core_data = floating ? floating_data : integer_data;
  end else begin : gen_integers
    assign core_data = integer_data;
    wire unused_floating = &{1'b0, floating_i, nan_to_zero_i};
  end

  // ---- table --------------------------------------------------------------------------------------------------------
  localparam int SharedBits = SdpFirstD * 32;
  localparam int OtherBits = SdpSLutCfg * 32;
  localparam logic [SharedBits-1:0] SharedMask =
      SdpWriteMask[SharedBits-1:0] & {{(SharedBits-OtherBits){1'b1}}, {OtherBits{1'b0}}};

  logic [SharedBits-1:0] shared;
  logic [31:0] shared_rdata, table_rdata;
  logic [Lanes*LutFoundBits-1:0] found;
  logic [1:0] precision;
  sdp_s_t s;
  lut_cfg_t cfg, cfg_q;

  assign csb_rdata_o = shared_rdata | table_rdata;
  assign precision = floating ? LutFp16 : LutInt8;

  nvdla_reg_file #(
      .Words    (SdpFirstD),
      .WriteMask(SharedMask),
      .Reset    (SharedBits'(0))
  ) u_shared (
      .clk_i  (clk),
      .rst_ni,
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(shared_rdata),
      .q_o    (shared)
  );

  assign s = shared;
  assign cfg.le_linear = s.lut_le_function;
  assign cfg.uflow_lo = s.lut_uflow_priority;
  assign cfg.oflow_lo = s.lut_oflow_priority;
  assign cfg.hybrid_lo = s.lut_hybrid_priority;
  assign cfg.le_offset = s.lut_le_index_offset;
  assign cfg.le_select = s.lut_le_index_select;
  assign cfg.lo_select = s.lut_lo_index_select;
  assign cfg.le_start = {{6{s.lut_le_start[31]}}, s.lut_le_start};
  assign cfg.le_end = {{6{s.lut_le_end[31]}}, s.lut_le_end};
  assign cfg.lo_start = {{6{s.lut_lo_start[31]}}, s.lut_lo_start};
  assign cfg.lo_end = {{6{s.lut_lo_end[31]}}, s.lut_lo_end};
  assign cfg.le_uflow_scale = s.lut_le_slope_uflow_scale;
  assign cfg.le_oflow_scale = s.lut_le_slope_oflow_scale;
  assign cfg.lo_uflow_scale = s.lut_lo_slope_uflow_scale;
  assign cfg.lo_oflow_scale = s.lut_lo_slope_oflow_scale;
  assign cfg.le_uflow_shift = s.lut_le_slope_uflow_shift;
  assign cfg.le_oflow_shift = s.lut_le_slope_oflow_shift;
  assign cfg.lo_uflow_shift = s.lut_lo_slope_uflow_shift;
  assign cfg.lo_oflow_shift = s.lut_lo_slope_oflow_shift;
  wire unused_s = &{1'b0, `NVDLA_SDP_S_UNUSED(s)};  // names and reasons: rtl/unused_fields.csv

  nvdla_lut_sdp #(
      .Lanes(Lanes),
      .Fp16 (Fp16)
  ) u_lut (
      .clk_i      (clk),
      .rst_ni,
      .clk_on_i,
      .cfg_req_i  (csb_req_i && csb_addr_i == CsbAddrBits'(SdpSLutAccessCfg)),
      .data_req_i (csb_req_i && csb_addr_i == CsbAddrBits'(SdpSLutAccessData)),
      .write_i    (csb_write_i),
      .wdata_i    (csb_wdata_i),
      .rdata_o    (table_rdata),
      .cfg_i      (cfg_q),
      .precision_i(precision),
      .step_i     (move),
      .valid_i    (table_valid),
      .data_i     (core_data),
      .result_o   (table_data),
      .found_o    (found)
  );

  // Settings of the layer, and what its elements met.
  logic [Lanes-1:0] under, over, hit, le_hit, lo_hit;
  logic [31:0] under_q, over_q, hit_q, le_hit_q, lo_hit_q;
  for (genvar g = 0; g < Lanes; g++) begin : gen_found
    assign {lo_hit[g], le_hit[g], hit[g], over[g], under[g]} = found[g*LutFoundBits+:LutFoundBits];
  end
  assign counts_o = {lo_hit_q, le_hit_q, hit_q, over_q, under_q};

  always_ff @(posedge clk) if (run_i && !run_q) cfg_q <= cfg;

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      {under_q, over_q, hit_q, le_hit_q, lo_hit_q} <= '0;
    end else begin
      run_q <= run_i;
      if (run_i && count_i) begin
        if (!run_q) begin
          {under_q, over_q, hit_q, le_hit_q, lo_hit_q} <= '0;
        end else if (move && valid_q[Core+1]) begin
          under_q <= under_q + 32'($countones(under));
          over_q <= over_q + 32'($countones(over));
          hit_q <= hit_q + 32'($countones(hit));
          le_hit_q <= le_hit_q + 32'($countones(le_hit));
          lo_hit_q <= lo_hit_q + 32'($countones(lo_hit));
        end
      end
    end
  end

  `NVDLA_PARAM(PartsLegal, SdpEwThroughput >= 1 && SdpBsThroughput % SdpEwThroughput == 0 && SdpLut != 0)
  `NVDLA_STABLE(InputStable, valid_i, ready_o, {data_i, last_i})
  `NVDLA_STABLE(OutputStable, valid_o, ready_i, {data_o, last_o})
  `NVDLA_CHECK(OperandsOnlyWithData, !op_ready_o || (valid_i && op_valid_i))
  `NVDLA_CHECK(EmptyBetweenLayers, run_i || !(valid_i || valid_q != '0 || out_valid_q || part_q != '0 || slot_q != '0))

`ifdef NVDLA_CHECKS
  int packed_q;  // parts of the transfer that leaves
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) packed_q <= 0;
    else if (pack) packed_q <= (packed_q + 1) % Parts;
  `NVDLA_CHECK(PartsInTurn, 32'(slot_q) == packed_q)

  // What goes in comes out: the results of what does not go through the table, and the mark of the last transfer of
  // all.
  // FP16: by the arithmetic of nvdla_check_fp_pkg.
  logic [SdpBsThroughput*32-1:0] expected, results;
  logic known;
`ifdef SYNTHESIS
  assign known = !floating && lut_bypass_i;
`else
  assign known = lut_bypass_i;
  function automatic logic [31:0] floating_result(input logic [31:0] start, input logic [15:0] alu,
      input logic [15:0] mul);
    logic [31:0] value;
    value = start;
    if (!mul_bypass_i && (!mul_prelu_i || value[31]))
      value = nvdla_check_fp_pkg::product(value, mul_mem_i ? nvdla_check_fp_pkg::operand(mul, nan_to_zero_i) :
          mul_operand_i, 8, 23);
    if (!alu_bypass_i)
      value = nvdla_check_fp_pkg::alu(value, alu_mem_i ? nvdla_check_fp_pkg::operand(alu, nan_to_zero_i) :
          alu_operand_i, alu_algo_i);
    return value;
  endfunction
`endif
  assign results = known ? data_o : '0;
  always_comb begin
    logic signed [31:0] value, alu, mul;
    expected = '0;
    value    = '0;
    alu      = '0;
    mul      = '0;
    if (ready_o && !bypass_i && known)
      for (int g = 0; g < SdpBsThroughput; g++) begin
        value = $signed(data_i[g*32+:32]);
        alu   = $signed(alu_operand_i);
        mul   = $signed(mul_operand_i);
        if (alu_mem_i) alu = 32'($signed(op_alu_i[g*16+:16]));
        if (alu_mem_i && !alu_cvt_bypass_i)
          alu = y_operand(product(difference(alu, $signed(alu_cvt_offset_i)), $signed(alu_cvt_scale_i)),
              alu_cvt_truncate_i);
        if (mul_mem_i) mul = 32'($signed(op_mul_i[g*16+:16]));
        if (mul_mem_i && !mul_cvt_bypass_i)
          mul = y_operand(product(difference(mul, $signed(mul_cvt_offset_i)), $signed(mul_cvt_scale_i)),
              mul_cvt_truncate_i);
        if (!mul_bypass_i && (!mul_prelu_i || value < 0)) value = y_truncate(y_product(value, mul), truncate_i);
        if (!alu_bypass_i) value = y_alu(value, alu, alu_algo_i);
        expected[g*32+:32] = value;
`ifndef SYNTHESIS
        if (floating) expected[g*32+:32] = floating_result(data_i[g*32+:32], op_alu_i[g*16+:16], op_mul_i[g*16+:16]);
`endif
      end
  end
  `NVDLA_QUEUE(Results, SdpBsThroughput * 32 + 1, Stages + 2, valid_i && ready_o && !bypass_i, {expected, last_i},
               out_valid_q,
               out_valid_q && ready_i, {results, last_o})
  `NVDLA_BALANCE(Transfers, Stages + 2, valid_i && ready_o && !bypass_i, 1, out_valid_q && ready_i, 1)
  `NVDLA_BALANCE(Inside, Stages, take, 1, pack, 1)
  `NVDLA_CHECK(NoPartIsLost, Inside.level_q == 32'($countones(valid_q)))
  `NVDLA_CHECK(NothingIsLost, valid_q != '0 || part_q != '0 || Transfers.level_q == 32'(out_valid_q))
`endif
endmodule
