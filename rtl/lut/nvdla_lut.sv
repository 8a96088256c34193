// Two-table look-up: the LE and LO tables, their access port, and Lanes look-ups per clock. Integers.
//
// Access port: cfg_req_i and data_req_i are accesses to S_LUT_ACCESS_CFG and S_LUT_ACCESS_DATA; rdata_o answers in the next clock and is 0
// in all others. The address advances with accesses of DATA in the programmed direction and stops at the last entry; a DATA write behind
// the last entry of its table is dropped. The tables have no reset.
//
// Look-ups: data_i holds Lanes signed inputs, lane 0 lowest; a beat moves one stage on in every clock with step_i, three stages: places in
// both tables and selection, entries, result (signed 16 bits a lane). flags_o (a lane: {only LO hits, only LE hits, both over, both
// under}) belongs to the beat that has left the first stage. START counts with its low InputBits in comparisons, SELECT with its low
// SelectBits; slopes take all of START and END. A SELECT of -2^(SelectBits-1) shifts LE left by that amount and LO not at all. cfg_i must
// stand still while beats are under way.
// Spec: 55-lut, sections 2, 3.2, 4.3, 7; 62-cdp, section 6.
module nvdla_lut
  import nvdla_lut_pkg::*;
#(
    parameter int Lanes = 1,
    parameter int InputBits = 22,  // 2 .. 31
    parameter int SelectBits = 6   // 3 .. 8
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
  // access port
    input  logic                          cfg_req_i,
    input  logic                          data_req_i,
    input  logic                          write_i,
    input  logic [                  31:0] wdata_i,
    output logic [                  31:0] rdata_o,
  // look-ups
    input  lut_cfg_t                      cfg_i,
    input  logic                          step_i,
    input  logic                          valid_i,
    input  logic [   Lanes*InputBits-1:0] data_i,
    output logic [Lanes*LutEntryBits-1:0] result_o,
    output logic [ Lanes*LutFlagBits-1:0] flags_o
);
  logic [LutEntryBits-1:0] mem_q[0:LutWords-1];

  // ---- access port --------------------------------------------------------------------------------------------------------------
  logic lo_q, writing_q;                       // TABLE_ID, ACCESS_TYPE
  logic [9:0] addr_q;
  logic [31:0] rdata_q;

  logic [8:0] last, word;
  logic inside_table;

  assign last = lo_q ? LutLoLast : LutLeLast;
  assign word = lo_q ? LutLoBase + addr_q[8:0] : addr_q[8:0];
  assign inside_table = addr_q <= 10'(last);

  assign rdata_o = rdata_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lo_q <= 1'b0;
      writing_q <= 1'b0;
      addr_q <= 10'd0;
      rdata_q <= 32'd0;
    end else begin
      rdata_q <= 32'd0;
      if (cfg_req_i && write_i) begin
        writing_q <= wdata_i[17];
        lo_q <= wdata_i[16];
        addr_q <= wdata_i[9:0];
      end
      if (cfg_req_i && !write_i) rdata_q <= {14'd0, writing_q, lo_q, 6'd0, addr_q};
      if (data_req_i) begin
        if (write_i == writing_q) addr_q <= addr_q < 10'(last) ? addr_q + 10'd1 : 10'(last);
        if (!write_i && inside_table) rdata_q <= {16'd0, mem_q[word]};
      end
    end
  end

  always_ff @(posedge clk_i) if (data_req_i && write_i && writing_q && inside_table) mem_q[word] <= wdata_i[15:0];

  // ---- configuration as wires (members of a packed struct are unsigned) ---------------------------------------------------------
  logic le_linear, uflow_lo, oflow_lo, hybrid_lo;
  logic [7:0] le_offset;
  logic [SelectBits-1:0] le_select, lo_select;
  logic [LutPlaceBits-1:0] le_start, lo_start, le_end, lo_end;
  logic [15:0] le_uflow_scale, le_oflow_scale, lo_uflow_scale, lo_oflow_scale;
  logic [4:0] le_uflow_shift, le_oflow_shift, lo_uflow_shift, lo_oflow_shift;

  assign le_linear = cfg_i.le_linear;
  assign uflow_lo = cfg_i.uflow_lo;
  assign oflow_lo = cfg_i.oflow_lo;
  assign hybrid_lo = cfg_i.hybrid_lo;
  assign le_offset = cfg_i.le_offset;
  assign le_select = cfg_i.le_select[SelectBits-1:0];
  assign lo_select = cfg_i.lo_select[SelectBits-1:0];
  assign le_start = cfg_i.le_start;
  assign lo_start = cfg_i.lo_start;
  assign le_end = cfg_i.le_end;
  assign lo_end = cfg_i.lo_end;
  assign le_uflow_scale = cfg_i.le_uflow_scale;
  assign le_oflow_scale = cfg_i.le_oflow_scale;
  assign lo_uflow_scale = cfg_i.lo_uflow_scale;
  assign lo_oflow_scale = cfg_i.lo_oflow_scale;
  assign le_uflow_shift = cfg_i.le_uflow_shift;
  assign le_oflow_shift = cfg_i.le_oflow_shift;
  assign lo_uflow_shift = cfg_i.lo_uflow_shift;
  assign lo_oflow_shift = cfg_i.lo_oflow_shift;

  wire unused_bits = &{1'b0, wdata_i[31:18], cfg_i.le_select, cfg_i.lo_select};  // upper bits of the SELECTs

  // ---- stage 1: both tables, selection -------------------------------------------------------------------------------------------
  function automatic lut_found_t find(input logic signed [InputBits-1:0] q);
    lut_found_t found;
    lut_place_t le, lo;
    logic signed [InputBits-1:0] start;
    logic signed [InputBits:0] u;
    logic [SelectBits-1:0] left;               // two's complement of a SELECT
    logic le_hit, lo_hit;
    start = $signed(le_start[InputBits-1:0]);
    u = (InputBits+1)'(q) - (InputBits+1)'(start);
    left = -le_select;
    if (!le_linear) le = lut_exponential(u > 0, 32'($unsigned(u)), le_offset);
    else if (!le_select[SelectBits-1]) le = lut_linear(u > 0, 32'($unsigned(u)), 1'b1, 7'(le_select), LutLeLast);
    else le = lut_linear(u > 0, 32'($unsigned(u)), 1'b0, 7'(left), LutLeLast);
    start = $signed(lo_start[InputBits-1:0]);
    u = (InputBits+1)'(q) - (InputBits+1)'(start);
    left = -lo_select;
    if (!lo_select[SelectBits-1]) lo = lut_linear(u > 0, 32'($unsigned(u)), 1'b1, 7'(lo_select), LutLoLast);
    else lo = lut_linear(u > 0, 32'($unsigned(u)), 1'b0, 7'(left[SelectBits-2:0]), LutLoLast);
    le_hit = !le.under && !le.over;
    lo_hit = !lo.under && !lo.over;
    found.both_under = le.under && lo.under;
    found.both_over = le.over && lo.over;
    found.le_only = le_hit && !lo_hit;
    found.lo_only = lo_hit && !le_hit;
    if (found.both_under) found.lo = uflow_lo;
    else if (found.both_over) found.lo = oflow_lo;
    else if (le_hit != lo_hit) found.lo = lo_hit;
    else found.lo = hybrid_lo;
    found.hit = found.lo ? lo_hit : le_hit;
    found.under = found.lo ? lo.under : le.under;
    found.index = found.lo ? lo.index : le.index;
    found.frac = found.lo ? lo.frac : le.frac;
    return found;
  endfunction

  // ---- stage 2: entries, or distance and slope ------------------------------------------------------------------------------------
  // Where the slope of a miss starts.
  function automatic logic signed [LutDeltaBits-1:0] slope_base(input logic lo, input logic under);
    logic signed [LutPlaceBits:0] base;
    if (under && lo) base = $signed({lo_start[LutPlaceBits-1], lo_start});
    else if (under && le_linear) base = $signed({le_start[LutPlaceBits-1], le_start});
    else if (under) base = lut_exponential_base(le_start, le_offset);
    else if (lo) base = $signed({lo_end[LutPlaceBits-1], lo_end});
    else base = $signed({le_end[LutPlaceBits-1], le_end});
    return LutDeltaBits'(base);
  endfunction

  function automatic logic [15:0] slope_scale(input logic lo, input logic under);
    if (under) return lo ? lo_uflow_scale : le_uflow_scale;
    return lo ? lo_oflow_scale : le_oflow_scale;
  endfunction

  function automatic logic [4:0] slope_shift(input logic lo, input logic under);
    if (under) return lo ? lo_uflow_shift : le_uflow_shift;
    return lo ? lo_oflow_shift : le_oflow_shift;
  endfunction

  // Word of the first entry that counts: the hit's, else entry 0 or the last one.
  function automatic logic [8:0] entry_word(input logic lo, input logic hit, input logic under, input logic [7:0] index);
    if (hit) return (lo ? LutLoBase : 9'd0) + 9'(index);
    if (under) return lo ? LutLoBase : 9'd0;
    return lo ? LutLoBase + LutLoLast : LutLeLast;
  endfunction

  logic found_valid_q, entry_valid_q;
  logic find_now, read_now, result_now;

  assign find_now = step_i && valid_i;
  assign read_now = step_i && found_valid_q;
  assign result_now = step_i && entry_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      found_valid_q <= 1'b0;
      entry_valid_q <= 1'b0;
    end else if (step_i) begin
      found_valid_q <= valid_i;
      entry_valid_q <= found_valid_q;
    end
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    lut_found_t found_q;
    logic signed [InputBits-1:0] input_q;
    logic signed [15:0] entry_q, result_q;
    logic signed [LutDeltaBits-1:0] factor_q;  // difference of the entries, or distance from the slope's base
    logic signed [16:0] gain_q;                // fraction, or slope
    logic signed [5:0] shift_q;

    logic [8:0] first;
    assign first = entry_word(found_q.lo, found_q.hit, found_q.under, found_q.index);

    assign flags_o[l*LutFlagBits+:LutFlagBits] = {found_q.lo_only, found_q.le_only, found_q.both_over, found_q.both_under};
    assign result_o[l*LutEntryBits+:LutEntryBits] = result_q;

    always_ff @(posedge clk_i) begin
      if (find_now) begin
        found_q <= find($signed(data_i[l*InputBits+:InputBits]));
        input_q <= $signed(data_i[l*InputBits+:InputBits]);
      end
      if (read_now) begin
        entry_q <= $signed(mem_q[first]);
        if (found_q.hit) begin
          factor_q <= LutDeltaBits'($signed(mem_q[first + 9'd1])) - LutDeltaBits'($signed(mem_q[first]));
          gain_q <= $signed({1'b0, found_q.frac});
          shift_q <= 6'(LutFracBits);
        end else begin
          factor_q <= LutDeltaBits'(input_q) - slope_base(found_q.lo, found_q.under);
          gain_q <= 17'($signed(slope_scale(found_q.lo, found_q.under)));
          shift_q <= 6'($signed(slope_shift(found_q.lo, found_q.under)));
        end
      end
      if (result_now) result_q <= lut_result(entry_q, factor_q, gain_q, shift_q);
    end
  end

  `NVDLA_PARAM(BitsLegal, InputBits >= 2 && InputBits <= 31 && SelectBits >= 3 && SelectBits <= 8 && Lanes >= 1)
  `NVDLA_CHECK(OneAccessAtATime, !(cfg_req_i && data_req_i))
  `NVDLA_CHECK(AddressInRange, 32'(addr_q) < 1024)
`ifdef NVDLA_CHECKS
  logic asked_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) asked_q <= 1'b0;
    else asked_q <= (cfg_req_i || data_req_i) && !write_i;
  `NVDLA_CHECK(AnswersOnlyWhenAsked, rdata_o == '0 || asked_q)
`endif
endmodule
