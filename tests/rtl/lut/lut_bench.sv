// The two look-up units side by side, CDP's (bit 0 of requests and valids) and SDP's (bit 1), with the settings as
// separate ports.
module lut_bench
  import nvdla_lut_pkg::*;
#(
    parameter int Lanes = 2
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic [           1:0] cfg_req_i,
    input  logic [           1:0] data_req_i,
    input  logic                  write_i,
    input  logic [          31:0] wdata_i,
    output logic [          31:0] cdp_rdata_o,
    output logic [          31:0] sdp_rdata_o,
    input  logic [           3:0] priorities_i,  // {hybrid, overflow, underflow, LE linear}
    input  logic [          23:0] info_i,
    input  logic [          37:0] le_start_i,
    input  logic [          37:0] le_end_i,
    input  logic [          37:0] lo_start_i,
    input  logic [          37:0] lo_end_i,
    input  logic [          31:0] le_scale_i,
    input  logic [          31:0] lo_scale_i,
    input  logic [           9:0] le_shift_i,
    input  logic [           9:0] lo_shift_i,
    input  logic [           1:0] precision_i,
    input  logic                  step_i,
    input  logic [           1:0] valid_i,
    input  logic [Lanes*38-1 : 0] data_i,
    output logic [Lanes*17-1 : 0] cdp_result_o,
    output logic [ Lanes*4-1 : 0] cdp_flags_o,
    output logic [Lanes*32-1 : 0] sdp_result_o,
    output logic [ Lanes*5-1 : 0] sdp_found_o
);
  lut_cfg_t cfg;
  assign {cfg.hybrid_lo, cfg.oflow_lo, cfg.uflow_lo, cfg.le_linear} = priorities_i;
  assign {cfg.lo_select, cfg.le_select, cfg.le_offset} = info_i;
  assign cfg.le_start = le_start_i;
  assign cfg.le_end = le_end_i;
  assign cfg.lo_start = lo_start_i;
  assign cfg.lo_end = lo_end_i;
  assign {cfg.le_oflow_scale, cfg.le_uflow_scale} = le_scale_i;
  assign {cfg.lo_oflow_scale, cfg.lo_uflow_scale} = lo_scale_i;
  assign {cfg.le_oflow_shift, cfg.le_uflow_shift} = le_shift_i;
  assign {cfg.lo_oflow_shift, cfg.lo_uflow_shift} = lo_shift_i;

  nvdla_lut #(
      .Lanes     (Lanes),
      .InputBits (38),
      .SelectBits(7),
      .Fp16      (1)
  ) u_cdp (
      .clk_i,
      .rst_ni,
      .clk_on_i  (1'b0),
      .cfg_req_i (cfg_req_i[0]),
      .data_req_i(data_req_i[0]),
      .write_i,
      .wdata_i,
      .rdata_o   (cdp_rdata_o),
      .cfg_i     (cfg),
      .precision_i,
      .step_i,
      .valid_i   (valid_i[0]),
      .data_i,
      .result_o  (cdp_result_o),
      .flags_o   (cdp_flags_o)
  );

  logic [Lanes*32-1:0] sdp_data;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    assign sdp_data[l*32+:32] = data_i[l*38+:32];
  end
  nvdla_lut_sdp #(
      .Lanes(Lanes),
      .Fp16 (1)
  ) u_sdp (
      .clk_i,
      .rst_ni,
      .clk_on_i  (1'b0),
      .cfg_req_i (cfg_req_i[1]),
      .data_req_i(data_req_i[1]),
      .write_i,
      .wdata_i,
      .rdata_o   (sdp_rdata_o),
      .cfg_i     (cfg),
      .precision_i,
      .step_i,
      .valid_i   (valid_i[1]),
      .data_i    (sdp_data),
      .result_o  (sdp_result_o),
      .found_o   (sdp_found_o)
  );
endmodule
